#include "kernels/cuda/cuda_deep.h"

#include "kernels/cuda/cuda_deep_pixel.h"
#include "kernels/cuda/cuda_patch.h"
#include "kernels/deep/inside.h"

enum {
    QUEUED = 16,       /* lanes of a warp that go to the queue when no more are left */
    REFILL = 8,        /* lanes that are done before a warp takes new pixels from the queue, */
    REFILL_MIXED = 24, /* or new pixels where there is no queue */
    LOOK = 256,        /* rounds between looks at the clock and the stop flag */
    TOGETHER = 8,      /* lanes that leap once more before others do what they wait for */
    LEAPS_MOST = 16,   /* times */
    VOTES = 4,         /* of lanes that get what they wait for without the others */
    QUIET = 512,       /* rounds without new pixels, after which old ones may be cycles */
    SQUARE_THREADS = 64,
    RESIDENT_WARPS = 32 /* of a multiprocessor: 64 registers for a thread */
};

/* Of a launch's work. MIXED: without a queue. */
enum part { PART_PIXELS, PART_QUEUE, PART_MIXED };

/* Writes the pixel of a lane that is done. Many lanes together, because it costs as much as many
 * steps, for a warp as for one lane. */
template <class Kind>
static __device__ __forceinline__ void lane_store(const struct deep_piece &piece,
                                                  struct deep_lane &lane)
{
    if (lane.mode != MODE_DONE)
        return;
    const struct pixel_state &pixel = lane.pixel;
    lane.mode = MODE_IDLE;
    if (piece.count_bytes == 4)
        ((uint32_t *)piece.count)[lane.at] = (uint32_t)pixel.count;
    else
        ((uint64_t *)piece.count)[lane.at] = (uint64_t)pixel.count;
    if (piece.fraction)
        piece.fraction[lane.at] =
            fraction_of(pixel.count ? (float)pixel.norm : 0.0f, piece.fraction_offset);
    if (Kind::slopes) {
        if (piece.distance_x) {
            struct distance distance = pixel_distance(&pixel, &piece.common);
            piece.distance_x[lane.at] = distance.x;
            piece.distance_y[lane.at] = distance.y;
        }
        if (piece.phase)
            piece.phase[lane.at] = pixel_phase(&pixel, &piece.common);
    }
}

/* Numbers that are given out to the lanes of a mask, one each, by one atomic operation. */
static __device__ __forceinline__ uint32_t numbers_take(uint32_t *counter, unsigned lanes,
                                                        uint32_t *first)
{
    const unsigned own = threadIdx.x % WARP;
    uint32_t base = 0;
    if (own == 0)
        base = atomicAdd(counter, (uint32_t)__popc(lanes));
    *first = __shfl_sync(EVERY_LANE, base, 0);
    return *first + (uint32_t)__popc(lanes & ((1u << own) - 1));
}

static __device__ __forceinline__ void lane_begin(const struct deep_piece &piece,
                                                  struct deep_lane &lane, int32_t x, int32_t y)
{
    const struct grid &grid = piece.grid;
    double re, im;
    pixel_c(&grid, grid.x + x, pixel_row(&grid, y), &re, &im);
    lane.pixel = pixel_begin(&piece.common, re, im);
    lane.at = y * grid.width + x;
    lane.mode = MODE_SEARCH;
    if (piece.inside && (piece.inside[y / INSIDE_PX * piece.squares_in_row + x / INSIDE_PX] ||
                         inside_pixel(&piece.common, re, im)))
        lane.mode = MODE_DONE;
}

/* Of the numbers that a launch deals out. */
template <enum part PART>
static __device__ __forceinline__ uint32_t numbers_end(const struct deep_piece &piece)
{
    if (PART == PART_QUEUE)
        return min(piece.progress->queued, piece.queue_room);
    uint32_t in_row = (uint32_t)(piece.grid.width + PATCH_WIDTH - 1) / PATCH_WIDTH;
    uint32_t rows = (uint32_t)(piece.grid.height + PATCH_HEIGHT - 1) / PATCH_HEIGHT;
    return in_row * rows * WARP;
}

/* Gives pixels to idle lanes; says whether there may be more. */
static __device__ __forceinline__ bool pixels_take(const struct deep_piece &piece,
                                                   struct deep_lane &lane, unsigned idle)
{
    const struct grid &grid = piece.grid;
    uint32_t in_row = (uint32_t)(grid.width + PATCH_WIDTH - 1) / PATCH_WIDTH;
    uint32_t first, i = numbers_take(&piece.progress->next, idle, &first);
    uint32_t patch = i / WARP, within = i % WARP;
    int32_t x = (int32_t)(patch % in_row * PATCH_WIDTH + within % PATCH_WIDTH);
    int32_t y = (int32_t)(patch / in_row * PATCH_HEIGHT + within / PATCH_WIDTH);
    if (lane.mode == MODE_IDLE && x < grid.width && y < grid.height)
        lane_begin(piece, lane, x, y);
    return first < numbers_end<PART_PIXELS>(piece);
}

/* The same with pixels of the queue. */
static __device__ __forceinline__ bool queue_take(const struct deep_piece &piece,
                                                  struct deep_lane &lane, unsigned idle)
{
    uint32_t first, i = numbers_take(&piece.progress->next, idle, &first);
    uint32_t end = numbers_end<PART_QUEUE>(piece);
    if (lane.mode == MODE_IDLE && i < end)
        lane = piece.queue[i];
    return first < end;
}

/* Puts the pixels of a warp into the queue, as long as it has room. What is counted beyond that is
 * not there. */
static __device__ __forceinline__ void queue_put(const struct deep_piece &piece,
                                                 struct deep_lane &lane, unsigned busy)
{
    uint32_t queued = *(volatile uint32_t *)&piece.progress->queued, first;
    if (__any_sync(EVERY_LANE, queued >= piece.queue_room))
        return;
    uint32_t i = numbers_take(&piece.progress->queued, busy, &first);
    if (lane.mode > MODE_DONE && i < piece.queue_room) {
        piece.queue[i] = lane;
        lane.mode = MODE_IDLE;
    }
}

static __device__ __forceinline__ int lanes_in(const struct deep_lane &lane, enum mode mode)
{
    return __popc(__ballot_sync(EVERY_LANE, lane.mode == mode));
}

/* All kinds of steps in turn: for lanes that want the same. */
template <class Kind>
static __device__ __forceinline__ uint32_t lanes_in_turn(const struct deep_piece &piece,
                                                         struct deep_lane &lane)
{
    uint32_t taken = 0;
    for (int i = 0; i < LEAPS_MOST && lanes_in(lane, MODE_LEAP) >= TOGETHER; i++) {
        if (lane.mode == MODE_LEAP)
            taken += lane_leap<Kind>(piece, lane);
        if (lane.mode == MODE_SEARCH)
            lane_search<Kind>(piece, lane);
    }
    if (lane.mode == MODE_LEAP)
        taken += lane_leap<Kind>(piece, lane);
    if (lane.mode == MODE_RUN)
        taken += lane_run<Kind>(piece, lane);
    if (lane.mode == MODE_DIRECT)
        taken += lane_direct<Kind>(piece, lane);
    return taken;
}

/* The first kind of steps that some lanes wait for: for lanes that want different ones. */
template <class Kind>
static __device__ __forceinline__ uint32_t lanes_by_vote(const struct deep_piece &piece,
                                                         struct deep_lane &lane)
{
    if (lanes_in(lane, MODE_LEAP) >= VOTES)
        return lane.mode == MODE_LEAP ? lane_leap<Kind>(piece, lane) : 0;
    if (lanes_in(lane, MODE_RUN) >= VOTES)
        return lane.mode == MODE_RUN ? lane_run<Kind>(piece, lane) : 0;
    if (lanes_in(lane, MODE_DIRECT) >= VOTES)
        return lane.mode == MODE_DIRECT ? lane_direct<Kind>(piece, lane) : 0;
    return lanes_in_turn<Kind>(piece, lane);
}

/* Is the slice over, or does the host want an end? What it says reaches other launches through
 * device memory: its own is far away. */
static __device__ __forceinline__ bool is_over(const struct deep_piece &piece, int64_t end_ns)
{
    if (blockIdx.x + threadIdx.x == 0 && *piece.host_stop)
        *piece.stop = 1;
    return __any_sync(EVERY_LANE, *piece.stop || clock_ns() >= end_ns);
}

/* Stores what is done, and gives idle lanes work; says whether there may be more. */
template <class Kind, enum part PART>
static __device__ __forceinline__ bool lanes_supply(const struct deep_piece &piece,
                                                    struct deep_lane &lane, unsigned idle,
                                                    bool more, uint32_t &quiet)
{
    const int least = PART == PART_PIXELS  ? WARP - QUEUED
                      : PART == PART_QUEUE ? REFILL
                                           : REFILL_MIXED;
    if (__popc(idle) < least || (idle == EVERY_LANE && !more))
        return more;
    if (PART == PART_PIXELS && idle != EVERY_LANE)
        queue_put(piece, lane, ~idle);
    lane_store<Kind>(piece, lane);
    if (!more)
        return false;
    quiet = 0;
    idle = __ballot_sync(EVERY_LANE, lane.mode == MODE_IDLE);
    return (PART == PART_QUEUE ? queue_take : pixels_take)(piece, lane, idle);
}

/* After a slice: what is put aside, and what was done. */
static __device__ __forceinline__ void
lanes_leave(const struct deep_piece &piece, const struct deep_lane &lane, uint32_t taken, bool more)
{
    struct deep_lane *saved = &piece.lanes[blockIdx.x * DEEP_THREADS + threadIdx.x];
    saved->mode = lane.mode;
    if (lane.mode != MODE_IDLE)
        *saved = lane;
    unsigned left = more + __popc(__ballot_sync(EVERY_LANE, lane.mode != MODE_IDLE));
    for (int d = WARP / 2; d; d /= 2)
        taken += __shfl_xor_sync(EVERY_LANE, taken, d);
    if (threadIdx.x % WARP == 0) {
        atomicAdd(&piece.progress->steps, (unsigned long long)taken);
        if (left)
            atomicAdd(&piece.progress->left, left);
    }
}

template <class Kind, enum part PART>
__global__ void __launch_bounds__(DEEP_THREADS, RESIDENT_WARPS *WARP / DEEP_THREADS)
    deep_queue(const __grid_constant__ struct deep_piece piece)
{
    if (piece.progress->rest != (PART == PART_QUEUE))
        return;
    __shared__ struct lanes_kept kept;
    struct deep_lane lane;
    const struct deep_lane *saved = &piece.lanes[blockIdx.x * DEEP_THREADS + threadIdx.x];
    lane.mode = piece.progress->first ? MODE_IDLE : saved->mode;
    if (lane.mode != MODE_IDLE)
        lane = *saved;
    /* Looked up, so that nobody counts on where all is dealt out, through launch after launch. */
    bool more = *(volatile uint32_t *)&piece.progress->next < numbers_end<PART>(piece);
    more = __any_sync(EVERY_LANE, more);
    uint32_t taken = 0, quiet = 0;
    int64_t end_ns = clock_ns() + piece.slice_ns;
    for (uint32_t round = 0; round % LOOK != 0 || !is_over(piece, end_ns); round++) {
        unsigned idle = __ballot_sync(EVERY_LANE, lane.mode <= MODE_DONE);
        more = lanes_supply<Kind, PART>(piece, lane, idle, more, quiet);
        if (!more && __all_sync(EVERY_LANE, lane.mode <= MODE_DONE))
            break;
        if (++quiet >= QUIET)
            lane_look_back<Kind>(lane, kept, quiet == QUIET);
        if (lane.mode == MODE_SEARCH)
            lane_search<Kind>(piece, lane);
        taken += (PART == PART_PIXELS ? lanes_in_turn<Kind> : lanes_by_vote<Kind>)(piece, lane);
    }
    lane_store<Kind>(piece, lane);
    lanes_leave(piece, lane, taken, more);
}

/* One thread a square. */
__global__ void __launch_bounds__(SQUARE_THREADS)
    deep_squares(const __grid_constant__ struct deep_piece piece)
{
    int32_t i = (int32_t)(blockIdx.x * SQUARE_THREADS + threadIdx.x);
    if (i < piece.squares)
        piece.inside[i] =
            (uint8_t)inside_square(&piece.common, &piece.grid, i % piece.squares_in_row * INSIDE_PX,
                                   i / piece.squares_in_row * INSIDE_PX);
}

__global__ void deep_begin(struct deep_progress *progress, int first)
{
    progress->left = 0;
    progress->first = first;
    if (first) {
        progress->next = progress->queued = 0;
        progress->steps = 0;
        progress->rest = 0;
    }
}

/* From the pixels to the queue, when they are all done or queued. */
__global__ void deep_turn(struct deep_progress *progress)
{
    int turns = !progress->rest && !progress->left;
    progress->first = turns;
    if (turns) {
        progress->rest = 1;
        progress->next = 0;
    }
}

/* No copy: a short one that waits for kernels would hold up the long ones of other streams. */
__global__ void deep_report(const struct deep_progress *progress, struct deep_progress *report)
{
    *report = *progress;
}

unsigned deep_threads(const struct deep_piece *piece, int units)
{
    uint64_t pixels = (uint64_t)piece->grid.width * (uint64_t)piece->grid.height;
    uint64_t most = (uint64_t)units * RESIDENT_WARPS * WARP;
    uint64_t threads = (pixels + DEEP_THREADS - 1) / DEEP_THREADS * DEEP_THREADS;
    return (unsigned)(threads < most ? threads : most);
}

typedef void deep_kernel(struct deep_piece piece);

#define KERNELS(blocks, part)                              \
    {                                                      \
        {deep_queue<kind<blocks, false, false>, part>,     \
         deep_queue<kind<blocks, false, true>, part>},     \
        {                                                  \
            deep_queue<kind<blocks, true, false>, part>,   \
                deep_queue<kind<blocks, true, true>, part> \
        }                                                  \
    }
static deep_kernel *const kernels[3][2][2] = {/* [][slopes][wide] */
                                              KERNELS(true, PART_PIXELS), KERNELS(true, PART_QUEUE),
                                              KERNELS(false, PART_MIXED)};

static void pixels_enqueue(const struct deep_piece *piece, enum part part, unsigned threads,
                           cudaStream_t stream)
{
    bool slopes = piece->distance_x || piece->phase; /* a kernel less, and the others stay lean */
    deep_kernel *kernel = kernels[part][slopes][piece->common.exponent != 0];
    kernel<<<threads / DEEP_THREADS, DEEP_THREADS, 0, stream>>>(*piece);
}

void launch_deep(const struct deep_piece *piece, unsigned threads, int first, cudaStream_t stream)
{
    deep_begin<<<1, 1, 0, stream>>>(piece->progress, first);
    if (first && piece->inside) {
        unsigned thread_blocks = (unsigned)(piece->squares + SQUARE_THREADS - 1) / SQUARE_THREADS;
        deep_squares<<<thread_blocks, SQUARE_THREADS, 0, stream>>>(*piece);
    }
    if (piece->blocks == BLOCKS_NONE)
        pixels_enqueue(piece, PART_MIXED, threads, stream);
    else {
        pixels_enqueue(piece, PART_PIXELS, threads, stream);
        deep_turn<<<1, 1, 0, stream>>>(piece->progress);
        pixels_enqueue(piece, PART_QUEUE, threads, stream);
    }
    deep_report<<<1, 1, 0, stream>>>(piece->progress, piece->report);
}
