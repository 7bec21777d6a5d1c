#include "kernels/cuda/cuda_sums.h"

#include "kernels/cuda/cuda_patch.h"

#define PREFIX f64x1
#define PACK double
#define STEPS_OF_OPERATIONS
#define STEP_FN static __device__ __forceinline__
#define PROGRAM_FN static __device__ __forceinline__
#include "kernels/formula/program_step.h"

enum {
    REFILL = 8,         /* lanes that are done before new pixels are taken */
    STRIDE = 32,        /* steps between votes of the lanes of a warp */
    POLL = 16,          /* votes between polls of the clock */
    RESIDENT_WARPS = 24 /* warps of a multiprocessor: 80 registers for a thread */
};

static __device__ __forceinline__ int64_t count_at(const struct piece &piece, size_t index)
{
    return piece.count_bytes == 4 ? (int64_t)((const uint32_t *)piece.count)[index]
                                  : (int64_t)((const uint64_t *)piece.count)[index];
}

static __device__ __forceinline__ void values_store(const struct sums_piece &work, size_t index,
                                                    struct orbit_values values)
{
    for (int p = 0; p < ORBIT_PLANES; p++)
        if (work.orbit[p])
            work.orbit[p][index] = values.of[p];
}

/* Clears the planes of pixels that do not escape. */
__global__ void __launch_bounds__(SLOPE_THREADS)
    sums_clear(const __grid_constant__ struct sums_piece work)
{
    const struct piece &piece = work.sorted.piece;
    size_t index = (size_t)blockIdx.x * SLOPE_THREADS + threadIdx.x;
    if (index >= (size_t)piece.grid.width * (size_t)piece.grid.height || count_at(piece, index))
        return;
    values_store(work, index, {{0.0f, 0.0f, 0.0f, 0.0f, 0.0f}});
}

/* Writes the pixel of a lane that is done. */
template <enum formula_plane Plane, bool Lists>
static __device__ __forceinline__ void lane_store(const struct sums_piece &work,
                                                  struct sums_lane &lane)
{
    if (!lane.busy || lane.left)
        return;
    const struct piece &piece = work.sorted.piece;
    double norm = norm_of(lane.x, lane.y);
    double fraction =
        Lists ? fraction_of_degree(norm, work.scale[(lane.count - 1) % work.program.phases])
              : fraction_of((float)norm, piece.fraction_offset);
    values_store(work, index_of(piece, lane.at),
                 orbit_values_of(&lane.sums, lane.count, Plane == DYNAMIC_PLANE, fraction));
    lane.busy = 0;
}

/* Begins a pixel at n = 0. */
template <enum formula_plane Plane>
static __device__ __forceinline__ void lane_begin(const struct piece &piece, struct sums_lane &lane,
                                                  uint32_t at)
{
    lane.at = at;
    lane.count = lane.left = count_at(piece, index_of(piece, at));
    lane.busy = 1;
    z_of<Plane, true>(piece, at, lane.x, lane.y);
    lane.sums = orbit_sums_begin();
}

/* Takes some steps of a lane. */
template <bool Lists>
static __device__ __forceinline__ void lane_steps(const struct sums_piece &work,
                                                  struct sums_lane &lane, double cx, double cy,
                                                  double c_abs, int steps)
{
    int phase = Lists ? (int)((lane.count - lane.left) % work.program.phases) : 0;
    lane.left -= steps;
    for (int k = 0; k < steps; k++) {
        const struct f64x1_orbit_bounds bounds =
            Lists ? f64x1_program_bounds(&work.program, phase, &work.rule, lane.x, lane.y, cx, cy,
                                         c_abs)
                  : f64x1_orbit_square(&work.rule, lane.x, lane.y, cx, cy, c_abs);
        if (Lists) {
            f64x1_program_step(&work.program, phase, &lane.x, &lane.y, cx, cy);
            phase = phase + 1 < work.program.phases ? phase + 1 : 0;
        } else {
            z_step(lane.x, lane.y, cx, cy);
        }
        f64x1_orbit_add(&lane.sums, &work.rule, bounds, lane.x, lane.y);
    }
}

template <enum formula_plane Plane, bool Lists>
__global__ void __launch_bounds__(SLOPE_THREADS, RESIDENT_WARPS *WARP / SLOPE_THREADS)
    sums_steps(const __grid_constant__ struct sums_piece work, int first)
{
    const struct slope_piece &sorted = work.sorted;
    struct sums_lane *saved = &work.lanes[blockIdx.x * SLOPE_THREADS + threadIdx.x];
    struct sums_lane lane = {0, 0, {0, 0, 0, 0, 0, 0, 0}, 0, 0, 0, 0};
    const uint32_t end = sorted.progress->count;
    bool more = *(volatile uint32_t *)&sorted.progress->next < end;
    more = __any_sync(EVERY_LANE, more);
    if (!first)
        lane = *saved;
    double cx = 0, cy = 0;
    if (lane.busy)
        c_of<Plane, true>(sorted.piece, lane.at, cx, cy);
    double c_abs = sqrt(fma(cx, cx, cy * cy));
    int64_t end_ns = clock_ns() + sorted.slice_ns;
    for (uint32_t round = 1; round % POLL != 0 || !slice_over(sorted.piece, end_ns); round++) {
        unsigned idle = __ballot_sync(EVERY_LANE, !lane.busy || !lane.left);
        if (idle == EVERY_LANE || (more && __popc(idle) >= REFILL)) {
            lane_store<Plane, Lists>(work, lane);
            if (!more)
                break;
            uint32_t from, i = numbers_take(&sorted.progress->next, idle, &from);
            if (!lane.busy && i < end) {
                lane_begin<Plane>(sorted.piece, lane, sorted.sorted[i]);
                c_of<Plane, true>(sorted.piece, lane.at, cx, cy);
                c_abs = sqrt(fma(cx, cx, cy * cy));
            }
            more = from + (uint32_t)__popc(idle) < end;
        }
        int steps = lane.busy ? lane.left < STRIDE ? (int)lane.left : STRIDE : 0;
        lane_steps<Lists>(work, lane, cx, cy, c_abs, steps);
    }
    lane_store<Plane, Lists>(work, lane);
    *saved = lane;
    more |= __any_sync(EVERY_LANE, lane.busy) != 0;
    if (threadIdx.x % WARP == 0 && more)
        atomicAdd(&sorted.progress->left, 1u);
}

void launch_sums(const struct sums_piece *piece, unsigned threads, int first, cudaStream_t stream)
{
    const struct grid *grid = &piece->sorted.piece.grid;
    unsigned thread_blocks = threads / SLOPE_THREADS;
    launch_slope_sort(&piece->sorted, first, stream);
    if (first)
        sums_clear<<<thread_blocks_for((long long)grid->width * grid->height, SLOPE_THREADS),
                     SLOPE_THREADS, 0, stream>>>(*piece);
    bool lists = piece->program.phases > 0;
    (piece->sorted.piece.formula.plane == DYNAMIC_PLANE
         ? lists ? sums_steps<DYNAMIC_PLANE, true> : sums_steps<DYNAMIC_PLANE, false>
     : lists ? sums_steps<PARAMETER_PLANE, true>
             : sums_steps<PARAMETER_PLANE, false>)<<<thread_blocks, SLOPE_THREADS, 0, stream>>>(
        *piece, first);
    launch_slope_report(&piece->sorted, stream);
}
