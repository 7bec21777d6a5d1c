#include "kernels/cuda/cuda_deep.h"

#include "kernels/deep/walk_wide.h"
#include "kernels/escape/pixel.h"

#define EVERY_LANE 0xffffffffu

enum {
    WARP = 32,
    BLOCK_WIDTH = 8,     /* neighbours in a warp: 8 x 4 pixels, */
    BLOCK_HEIGHT = 4,    /* whose walks begin alike */
    REFILL = 24,         /* lanes that are done before a warp takes new pixels */
    RUN_MOST = 16,       /* steps along the reference between looks at what other lanes want, */
    AWAY_MOST = 64,      /* and steps without it */
    LOOK = 256,          /* rounds between looks at the clock and the stop flag */
    RESIDENT_WARPS = 32, /* of a multiprocessor: 64 registers for a thread; */
    RESIDENT_WIDE = 24   /* with exponents apart: 80 */
};

/* What a lane waits for. DONE: to store its pixel; RUN: a step along the reference. */
enum mode { MODE_IDLE, MODE_DONE, MODE_SEARCH, MODE_LEAP, MODE_RUN, MODE_DIRECT };

/* The constants that make several kernels; SLOPES: distances are wanted. Blocks of other orders
 * than the fourth are there to be compared with, and share one. */
template <bool QUARTIC, bool SLOPES, bool WIDE> struct kind {
    static __device__ __forceinline__ enum blocks blocks(const struct deep_piece &piece)
    {
        return QUARTIC ? BLOCKS_QUARTIC : piece.blocks;
    }
    static constexpr bool slopes = SLOPES, wide = WIDE;
};

static __device__ __forceinline__ int64_t clock_ns(void)
{
    int64_t ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
}

/* Writes the pixel of a lane that is done. Many lanes together, because it costs as much as many
 * steps, for a warp as for one lane. */
template <class Kind>
static __device__ __forceinline__ void lane_store(const struct deep_piece &piece,
                                                  struct deep_lane &lane)
{
    if (lane.mode != MODE_DONE)
        return;
    const struct walk &walk = lane.walk;
    lane.mode = MODE_IDLE;
    if (piece.count_bytes == 4)
        ((uint32_t *)piece.count)[lane.at] = (uint32_t)walk.count;
    else
        ((uint64_t *)piece.count)[lane.at] = (uint64_t)walk.count;
    if (piece.fraction)
        piece.fraction[lane.at] =
            fraction_of(walk.count ? (float)walk.norm : 0.0f, piece.fraction_offset);
    if (Kind::slopes)
        piece.distance[lane.at] = walk_distance(&walk);
}

/* Gives pixels to idle lanes; says whether there may be more. */
static __device__ __forceinline__ bool lanes_fill(const struct deep_piece &piece,
                                                  struct deep_lane &lane, unsigned idle)
{
    const struct grid &grid = piece.grid;
    uint32_t in_row = (uint32_t)(grid.width + BLOCK_WIDTH - 1) / BLOCK_WIDTH;
    uint32_t rows = (uint32_t)(grid.height + BLOCK_HEIGHT - 1) / BLOCK_HEIGHT;
    uint32_t base = 0, own = threadIdx.x % WARP;
    if (own == 0)
        base = atomicAdd(&piece.progress->next, (uint32_t)__popc(idle));
    base = __shfl_sync(EVERY_LANE, base, 0);
    if (idle >> own & 1) {
        uint32_t i = base + (uint32_t)__popc(idle & ((1u << own) - 1));
        uint32_t block = i / WARP, within = i % WARP;
        int32_t x = (int32_t)(block % in_row * BLOCK_WIDTH + within % BLOCK_WIDTH);
        int32_t y = (int32_t)(block / in_row * BLOCK_HEIGHT + within / BLOCK_WIDTH);
        if (x < grid.width && y < grid.height && block < in_row * rows) {
            double re, im;
            pixel_c(&grid, grid.x + x, pixel_row(&grid, y), &re, &im);
            lane.walk = walk_begin(&piece.scene, re, im);
            lane.at = y * grid.width + x;
            lane.mode = MODE_SEARCH;
        }
    }
    return base < in_row * rows * WARP;
}

template <class Kind>
static __device__ __forceinline__ bool lane_arrive(const struct walk_scene &scene,
                                                   struct deep_lane &lane)
{
    bool done = (Kind::wide ? wide_arrive : walk_arrive)(&lane.walk, &scene);
    lane.mode = done ? MODE_DONE : MODE_SEARCH;
    return done;
}

template <class Kind>
static __device__ __forceinline__ void lane_search(const struct deep_piece &piece,
                                                   struct deep_lane &lane)
{
    struct walk &walk = lane.walk;
    int level = -1;
    if (Kind::blocks(piece) != BLOCKS_NONE)
        level = walk_level(&walk, &piece.scene, walk_reach(&walk, Kind::wide ? walk.e : 0));
    lane.mode = level < 0 ? MODE_RUN : MODE_LEAP;
    if (level >= 0)
        walk.level = level;
}

template <class Kind>
static __device__ __forceinline__ uint32_t lane_leap(const struct deep_piece &piece,
                                                     struct deep_lane &lane)
{
    (Kind::wide ? wide_leap : walk_leap)(&lane.walk, &piece.scene, Kind::blocks(piece),
                                         Kind::slopes, lane.walk.level);
    lane_arrive<Kind>(piece.scene, lane);
    return 1;
}

/* Steps to the next place where a block may begin, or where the reference can be left. */
template <class Kind>
static __device__ __forceinline__ uint32_t lane_run(const struct deep_piece &piece,
                                                    struct deep_lane &lane)
{
    const struct walk_scene &scene = piece.scene;
    struct walk &walk = lane.walk;
    const int64_t within = ((int64_t)1 << scene.table.shortest) - 1;
    uint32_t taken = 0;
    bool done;
    do {
        if (Kind::blocks(piece) != BLOCKS_NONE) {
            if (!(Kind::wide && walk.e) && walk_leave(&walk, &scene)) {
                lane.mode = MODE_DIRECT;
                break;
            }
            walk.level = 0;
        }
        (Kind::wide ? wide_step : walk_step)(&walk, &scene, Kind::slopes);
        taken++;
        done = lane_arrive<Kind>(scene, lane);
    } while (!done && taken < RUN_MOST && (walk.m & within));
    return taken;
}

/* Steps without the reference. */
template <class Kind>
static __device__ __forceinline__ uint32_t lane_direct(const struct deep_piece &piece,
                                                       struct deep_lane &lane)
{
    int64_t taken;
    bool done = (Kind::wide ? wide_directly : walk_directly)(&lane.walk, &piece.scene, Kind::slopes,
                                                             AWAY_MOST, &taken);
    lane.mode = done ? MODE_DONE : lane.walk.direct ? MODE_DIRECT : MODE_SEARCH;
    return (uint32_t)taken;
}

static __device__ __forceinline__ int lanes_in(const struct deep_lane &lane, enum mode mode)
{
    return __popc(__ballot_sync(EVERY_LANE, lane.mode == mode));
}

/* The kind of step that most lanes wait for. */
template <class Kind>
static __device__ __forceinline__ uint32_t lanes_advance(const struct deep_piece &piece,
                                                         struct deep_lane &lane)
{
    if (lane.mode == MODE_SEARCH)
        lane_search<Kind>(piece, lane);
    int leap = lanes_in(lane, MODE_LEAP), run = lanes_in(lane, MODE_RUN);
    int direct = lanes_in(lane, MODE_DIRECT);
    if (leap >= run && leap >= direct)
        return lane.mode == MODE_LEAP ? lane_leap<Kind>(piece, lane) : 0;
    if (run >= direct)
        return lane.mode == MODE_RUN ? lane_run<Kind>(piece, lane) : 0;
    return lane.mode == MODE_DIRECT ? lane_direct<Kind>(piece, lane) : 0;
}

/* Is the slice over, or does the host want an end? What it says reaches other launches through
 * device memory: its own is far away. */
static __device__ __forceinline__ bool is_over(const struct deep_piece &piece, int64_t end_ns)
{
    if (blockIdx.x + threadIdx.x == 0 && *piece.host_stop)
        *piece.stop = 1;
    return __any_sync(EVERY_LANE, *piece.stop || clock_ns() >= end_ns);
}

template <class Kind>
__global__ void __launch_bounds__(DEEP_THREADS, (Kind::wide ? RESIDENT_WIDE : RESIDENT_WARPS) *
                                                    WARP / DEEP_THREADS)
    deep_walks(const __grid_constant__ struct deep_piece piece, int first)
{
    struct deep_lane *saved = &piece.lanes[blockIdx.x * DEEP_THREADS + threadIdx.x];
    struct deep_lane lane;
    lane.mode = first ? MODE_IDLE : saved->mode;
    if (lane.mode != MODE_IDLE)
        lane = *saved;
    bool more = true;
    uint32_t taken = 0;
    int64_t end_ns = clock_ns() + piece.slice_ns;
    for (uint32_t round = 0;; round++) {
        unsigned idle = __ballot_sync(EVERY_LANE, lane.mode <= MODE_DONE);
        if (round % LOOK == 0 && is_over(piece, end_ns))
            break;
        if (more && __popc(idle) >= REFILL) {
            lane_store<Kind>(piece, lane);
            more = lanes_fill(piece, lane, idle);
        } else if (idle == EVERY_LANE)
            break;
        taken += lanes_advance<Kind>(piece, lane);
    }
    lane_store<Kind>(piece, lane);
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

__global__ void deep_begin(struct deep_progress *progress, int first)
{
    progress->left = 0;
    if (first) {
        progress->next = 0;
        progress->steps = 0;
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
    uint64_t warps = piece->scene.exponent ? RESIDENT_WIDE : RESIDENT_WARPS;
    uint64_t most = (uint64_t)units * warps * WARP;
    uint64_t threads = (pixels + DEEP_THREADS - 1) / DEEP_THREADS * DEEP_THREADS;
    return (unsigned)(threads < most ? threads : most);
}

typedef void deep_kernel(struct deep_piece piece, int first);

#define KERNELS(quartic, slopes)                                                          \
    {                                                                                     \
        deep_walks<kind<quartic, slopes, false>>, deep_walks<kind<quartic, slopes, true>> \
    }
static deep_kernel *const kernels[2][2][2] = {{KERNELS(false, false), KERNELS(false, true)},
                                              {KERNELS(true, false), KERNELS(true, true)}};

void launch_deep(const struct deep_piece *piece, unsigned threads, int first, cudaStream_t stream)
{
    bool quartic = piece->blocks == BLOCKS_QUARTIC, slopes = piece->distance != NULL;
    deep_kernel *kernel = kernels[quartic][slopes][piece->scene.exponent != 0];
    deep_begin<<<1, 1, 0, stream>>>(piece->progress, first);
    kernel<<<threads / DEEP_THREADS, DEEP_THREADS, 0, stream>>>(*piece, first);
    deep_report<<<1, 1, 0, stream>>>(piece->progress, piece->report);
}
