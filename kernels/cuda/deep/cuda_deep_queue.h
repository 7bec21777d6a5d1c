/* The kernel of pixels by perturbation that take steps of different kinds: lanes of persistent
 * warps, and a queue of pixels that take long. CUDA C++ only.
 *
 * The including file defines before what cuda_deep_lane.h needs, and for a Kind's lane lane_set,
 * lane_forget, lane_finish, lane_count, lane_fraction, lane_distance and lane_phase. */
#ifndef KERNELS_CUDA_DEEP_CUDA_DEEP_QUEUE_H
#define KERNELS_CUDA_DEEP_CUDA_DEEP_QUEUE_H

#ifndef __CUDACC__
#error "cuda_deep_queue.h: is for nvcc"
#endif

#include "kernels/cuda/deep/cuda_deep_lane.h"
#include "kernels/cuda/deep/cuda_deep_slice.h"

enum {
    QUEUED = 16,     /* lanes of a warp that go to the queue when no more are left */
    REFILL = 8,      /* lanes that are done before a warp takes new pixels from the queue */
    POLL = 256,      /* rounds between polls of the clock and the stop flag */
    TOGETHER = 8,    /* so many lanes leap once more before others do what they wait for */
    LEAPS_MOST = 16, /* repetitions of such leaps */
    VOTES = 4,       /* lanes whose kind of step is taken without the other kinds */
    QUEUE_SHARE = 4, /* pixels of the queue for each lane that takes some */
    RUNS_TOGETHER = WARP / 2, /* lanes that go on along the reference in the same round */
    QUIET = 512               /* runs without new pixels, after which old ones may be cycles */
};

/* Thread blocks that work off the queue, so few that lanes which are done get new pixels. */
static __device__ __forceinline__ uint32_t queue_blocks(uint32_t queued)
{
    const uint32_t each = QUEUE_SHARE * DEEP_THREADS;
    return queued / each + (queued % each != 0);
}

/* Writes the pixel of a lane that is done: for many lanes together, because it costs as much as
 * many steps, for a warp as for one lane. */
template <class Kind>
static __device__ __forceinline__ void lane_store(const struct deep_piece &piece,
                                                  typename Kind::lane &lane)
{
    if (lane.mode != MODE_DONE)
        return;
    lane_finish<Kind>(piece, lane);
    lane.mode = MODE_IDLE;
    count_store(piece, (size_t)lane.at, lane_count(lane));
    if (piece.fraction)
        piece.fraction[lane.at] = lane_fraction(piece, lane);
    if constexpr (Kind::slopes) {
        if (piece.distance_x) {
            struct distance distance = distance_in_image(&piece.grid, lane_distance(piece, lane));
            piece.distance_x[lane.at] = distance.x;
            piece.distance_y[lane.at] = distance.y;
        }
        if (piece.phase)
            piece.phase[lane.at] = lane_phase(piece, lane);
    }
}

template <class Kind>
static __device__ __forceinline__ void lane_begin(const struct deep_piece &piece,
                                                  typename Kind::lane &lane, int32_t x, int32_t y)
{
    const struct grid &grid = piece.grid;
    double re, im;
    pixel_c(&grid, grid.x + x, pixel_row(&grid, y), &re, &im);
    lane.at = y * grid.width + x;
    lane.mode = lane_set(piece, lane, re, im, x, y) ? MODE_SEARCH : MODE_DONE;
}

/* End of the numbers that a launch deals out. */
static __device__ __forceinline__ uint32_t numbers_end(const struct deep_piece &piece,
                                                       enum deep_pass pass)
{
    if (pass == PASS_QUEUE)
        return min(piece.progress->queued, piece.queue_room);
    uint32_t in_row;
    return patches(piece.grid, &in_row) * WARP;
}

/* Gives pixels to idle lanes; says whether there may be more. */
template <class Kind>
static __device__ __forceinline__ bool pixels_take(const struct deep_piece &piece,
                                                   typename Kind::lane &lane, unsigned idle)
{
    const struct grid &grid = piece.grid;
    uint32_t in_row = (uint32_t)(grid.width + PATCH_WIDTH - 1) / PATCH_WIDTH;
    uint32_t first, i = numbers_take(&piece.progress->next, idle, &first);
    uint32_t patch = i / WARP, within = i % WARP;
    int32_t x = (int32_t)(patch % in_row * PATCH_WIDTH + within % PATCH_WIDTH);
    int32_t y = (int32_t)(patch / in_row * PATCH_HEIGHT + within / PATCH_WIDTH);
    if (lane.mode == MODE_IDLE && x < grid.width && y < grid.height)
        lane_begin<Kind>(piece, lane, x, y);
    return first < numbers_end(piece, PASS_PIXELS);
}

/* The same with pixels of the queue. */
template <class Kind>
static __device__ __forceinline__ bool queue_take(const struct deep_piece &piece,
                                                  typename Kind::lane &lane, unsigned idle)
{
    uint32_t first, i = numbers_take(&piece.progress->next, idle, &first);
    uint32_t end = numbers_end(piece, PASS_QUEUE);
    if (lane.mode == MODE_IDLE && i < end)
        lane = ((const typename Kind::lane *)piece.queue)[i];
    return first < end;
}

/* Puts the pixels of a warp into the queue, as long as it has room; `queued` may count more. */
template <class Kind>
static __device__ __forceinline__ void queue_put(const struct deep_piece &piece,
                                                 typename Kind::lane &lane, unsigned busy)
{
    uint32_t queued = *(volatile uint32_t *)&piece.progress->queued, first;
    if (__any_sync(EVERY_LANE, queued >= piece.queue_room))
        return;
    uint32_t i = numbers_take(&piece.progress->queued, busy, &first);
    if (lane.mode > MODE_DONE && i < piece.queue_room) {
        lane_forget<Kind>(lane);
        ((typename Kind::lane *)piece.queue)[i] = lane;
        lane.mode = MODE_IDLE;
    }
}

template <class Lane>
static __device__ __forceinline__ int lanes_in(const Lane &lane, enum mode mode)
{
    return __popc(__ballot_sync(EVERY_LANE, lane.mode == mode));
}

/* The kind of steps that is taken when lanes wait for different ones; IDLE: all, one after the
 * other. */
template <class Lane> static __device__ __forceinline__ enum mode lanes_vote(const Lane &lane)
{
    return lanes_in(lane, MODE_LEAP) >= VOTES     ? MODE_LEAP
           : lanes_in(lane, MODE_RUN) >= VOTES    ? MODE_RUN
           : lanes_in(lane, MODE_DIRECT) >= VOTES ? MODE_DIRECT
                                                  : MODE_IDLE;
}

/* Takes steps of each kind, in code that is compiled once for the kernel: one kind after the other
 * for pixels that are neighbours, by vote for those of the queue. `runs`: runs along the reference
 * in a row. */
template <class Kind>
static __device__ __forceinline__ uint32_t lanes_on(const struct deep_piece &piece,
                                                    typename Kind::lane &lane, enum deep_pass pass,
                                                    int runs)
{
    uint32_t taken = 0;
    enum mode only = MODE_IDLE;
    int again = pass == PASS_QUEUE ? 0 : LEAPS_MOST;
    do {
        if (lane.mode == MODE_SEARCH)
            lane_search<Kind>(piece, lane);
        if (pass == PASS_QUEUE)
            only = lanes_vote(lane);
        else if (lanes_in(lane, MODE_LEAP) < TOGETHER)
            again = 0;
        if (lane.mode == MODE_LEAP && (!only || only == MODE_LEAP))
            taken += lane_leap<Kind>(piece, lane);
    } while (again-- > 0);
    for (;;) {
        if (lane.mode == MODE_RUN && (!only || only == MODE_RUN))
            taken += lane_run<Kind>(piece, lane);
        if (Kind::runs_most == 1 || --runs <= 0 || lanes_in(lane, MODE_SEARCH) < RUNS_TOGETHER)
            break;
        if (lane.mode == MODE_SEARCH)
            lane_search<Kind>(piece, lane);
        if (lanes_in(lane, MODE_RUN) < RUNS_TOGETHER)
            break;
    }
    if (lane.mode == MODE_DIRECT && (!only || only == MODE_DIRECT))
        taken += lane_direct<Kind>(piece, lane);
    return taken;
}

/* Stores pixels that are done, and gives idle lanes new ones; says whether there may be more. */
template <class Kind>
static __device__ __forceinline__ bool lanes_supply(const struct deep_piece &piece,
                                                    typename Kind::lane &lane, enum deep_pass pass,
                                                    unsigned idle, bool more, uint32_t &quiet)
{
    const int least = pass == PASS_PIXELS ? WARP - QUEUED : REFILL;
    if (__popc(idle) < least || (idle == EVERY_LANE && !more))
        return more;
    if (pass == PASS_PIXELS && idle != EVERY_LANE)
        queue_put<Kind>(piece, lane, ~idle);
    lane_store<Kind>(piece, lane);
    if (!more)
        return false;
    quiet = 0;
    idle = __ballot_sync(EVERY_LANE, lane.mode == MODE_IDLE);
    return pass == PASS_QUEUE ? queue_take<Kind>(piece, lane, idle)
                              : pixels_take<Kind>(piece, lane, idle);
}

/* Ends a slice: stores pixels that go on, and reports the steps. */
template <class Kind>
static __device__ __forceinline__ void
lanes_leave(const struct deep_piece &piece, typename Kind::lane &lane, uint32_t taken, bool more)
{
    typename Kind::lane *saved =
        &((typename Kind::lane *)piece.lanes)[blockIdx.x * DEEP_THREADS + threadIdx.x];
    saved->mode = lane.mode;
    if (lane.mode != MODE_IDLE) {
        lane_forget<Kind>(lane);
        *saved = lane;
    }
    unsigned left = more + __popc(__ballot_sync(EVERY_LANE, lane.mode != MODE_IDLE));
    for (int d = WARP / 2; d; d /= 2)
        taken += __shfl_xor_sync(EVERY_LANE, taken, d);
    if (threadIdx.x % WARP == 0) {
        atomicAdd(&piece.progress->steps, (unsigned long long)taken);
        if (left)
            atomicAdd(&piece.progress->left, left);
    }
}

template <class Kind>
__global__ void __launch_bounds__(DEEP_THREADS, Kind::resident_warps *WARP / DEEP_THREADS)
    deep_queue(const __grid_constant__ struct deep_piece piece, const enum deep_pass pass)
{
    if (piece.progress->rest != (pass == PASS_QUEUE))
        return;
    if (pass == PASS_QUEUE && blockIdx.x >= queue_blocks(numbers_end(piece, pass)))
        return;
    __shared__ struct lanes_kept kept;
    typename Kind::lane lane;
    const typename Kind::lane *saved =
        &((const typename Kind::lane *)piece.lanes)[blockIdx.x * DEEP_THREADS + threadIdx.x];
    lane.mode = piece.progress->first ? MODE_IDLE : saved->mode;
    if (lane.mode != MODE_IDLE)
        lane = *saved;
    /* Tests before counting: else `next` would grow with each launch after all is dealt out. */
    bool more = *(volatile uint32_t *)&piece.progress->next < numbers_end(piece, pass);
    more = __any_sync(EVERY_LANE, more);
    const uint32_t quiet_most = QUIET / Kind::runs_most;
    uint32_t taken = 0, quiet = 0;
    int64_t end_ns = clock_ns() + piece.slice_ns;
    for (uint32_t round = 0; round % POLL != 0 || !is_over(piece, end_ns); round++) {
        unsigned idle = __ballot_sync(EVERY_LANE, lane.mode <= MODE_DONE);
        more = lanes_supply<Kind>(piece, lane, pass, idle, more, quiet);
        if (!more && __all_sync(EVERY_LANE, lane.mode <= MODE_DONE))
            break;
        const bool compares = ++quiet >= quiet_most; /* at each run's end, so one run a round */
        if (compares)
            lane_compare_kept<Kind>(lane, kept, quiet == quiet_most);
        taken += lanes_on<Kind>(piece, lane, pass,
                                pass == PASS_PIXELS && !compares ? Kind::runs_most : 1);
    }
    lane_store<Kind>(piece, lane);
    lanes_leave<Kind>(piece, lane, taken, more);
}

/* A kernel of a file's kinds; DEEP_KERNELS_OF: [wide], with slopes or without. */
typedef void deep_kernel(struct deep_piece piece, enum deep_pass pass);

#define DEEP_KERNELS_OF(slopes)                                         \
    {                                                                   \
        deep_queue<kind<slopes, false>>, deep_queue<kind<slopes, true>> \
    }

#endif
