/* The kernels of Newton's method and of Nova, by perturbation: lanes of persistent warps with the
 * pixels of kernels/deep/newton_pixel.h and nova_pixel.h. Each lane takes what its pixel wants, and
 * there is no queue. */
#include "kernels/cuda/cuda_deep_slice.h"

enum {
    STEPS_AT_ONCE = 16, /* blocks and steps between looks at what lanes want, */
    LOOK = 64,          /* and of those between looks at the clock */
    REFILL = 8,         /* lanes that are done before new pixels are taken */
    RESIDENT_WARPS = 32 /* of a multiprocessor: 64 registers for a thread */
};

static __device__ __forceinline__ void lane_store(const struct deep_piece &piece,
                                                  struct deep_newton_lane &lane)
{
    const struct rational_values values = newton_values(&lane.pixel, piece.newton);
    lane.busy = 0;
    if (piece.count_bytes == 4)
        ((uint32_t *)piece.count)[lane.at] = (uint32_t)lane.pixel.count;
    else
        ((uint64_t *)piece.count)[lane.at] = (uint64_t)lane.pixel.count;
    if (piece.fraction)
        piece.fraction[lane.at] = values.fraction;
    if (piece.distance_x) {
        struct distance distance = distance_in_image(&piece.grid, values.distance);
        piece.distance_x[lane.at] = distance.x;
        piece.distance_y[lane.at] = distance.y;
    }
    if (piece.phase)
        piece.phase[lane.at] = values.phase;
}

/* Gives pixels to idle lanes; says whether there may be more. */
template <bool NOVA>
static __device__ __forceinline__ bool pixels_take(const struct deep_piece &piece,
                                                   struct deep_newton_lane &lane)
{
    unsigned idle = __ballot_sync(EVERY_LANE, !lane.busy);
    uint32_t at;
    bool more;
    if (patch_take(piece.grid, &piece.progress->next, idle, &at, &more) && !lane.busy) {
        int32_t x = (int32_t)(at & 0xffff), y = (int32_t)(at >> 16);
        double re, im;
        pixel_c(&piece.grid, piece.grid.x + x, pixel_row(&piece.grid, y), &re, &im);
        lane.pixel = NOVA ? nova_begin(piece.newton, re, im) : newton_begin(piece.newton, re, im);
        lane.kept.m = -1;
        lane.kept.due = 0;
        lane.at = y * piece.grid.width + x;
        lane.busy = 1;
    }
    return more;
}

/* 1: the count is known. */
template <bool NOVA, bool SLOPES>
static __device__ __forceinline__ int pixel_go(const struct deep_piece &piece,
                                               struct deep_newton_lane &lane)
{
    if (NOVA)
        return nova_on(&lane.pixel, piece.newton, piece.blocks, 0, STEPS_AT_ONCE, &lane.kept);
    return newton_on(&lane.pixel, piece.newton, piece.blocks, SLOPES, STEPS_AT_ONCE);
}

template <bool NOVA, bool SLOPES>
__global__ void __launch_bounds__(DEEP_THREADS, RESIDENT_WARPS *WARP / DEEP_THREADS)
    newton_pixels(const __grid_constant__ struct deep_piece piece)
{
    struct deep_newton_lane *saved =
        &((struct deep_newton_lane *)piece.lanes)[blockIdx.x * DEEP_THREADS + threadIdx.x];
    struct deep_newton_lane lane;
    memset(&lane, 0, sizeof lane);
    if (!piece.progress->first)
        lane = *saved;
    bool more = patches_left(piece.grid, &piece.progress->next);
    const uint64_t before = lane.busy ? lane.pixel.steps : 0;
    uint64_t taken = 0;
    int64_t end_ns = clock_ns() + piece.slice_ns;
    for (uint32_t round = 1; round % LOOK != 0 || !is_over(piece, end_ns); round++) {
        unsigned busy = __ballot_sync(EVERY_LANE, lane.busy);
        if (!busy && !more)
            break;
        if (more && __popc(busy) <= WARP - REFILL) {
            more = pixels_take<NOVA>(piece, lane);
            continue;
        }
        if (lane.busy && pixel_go<NOVA, SLOPES>(piece, lane)) {
            taken += lane.pixel.steps;
            lane_store(piece, lane);
        }
        __syncwarp();
    }
    *saved = lane;
    taken += lane.busy ? lane.pixel.steps : 0;
    atomicAdd(&piece.progress->steps, (unsigned long long)(taken - before));
    more |= __any_sync(EVERY_LANE, lane.busy) != 0;
    if (threadIdx.x % WARP == 0 && more)
        atomicAdd(&piece.progress->left, 1u);
}

void launch_deep_newton(const struct deep_piece *piece, bool slopes, unsigned threads,
                        cudaStream_t stream)
{
    (piece->nova ? newton_pixels<true, false>
     : slopes    ? newton_pixels<false, true>
              : newton_pixels<false, false>)<<<threads / DEEP_THREADS, DEEP_THREADS, 0, stream>>>(
        *piece);
}
