#include "kernels/cuda/deep/cuda_deep.h"

#include "kernels/cuda/deep/cuda_deep_pixel.h"

enum { SQUARE_THREADS = 64 };

static_assert(sizeof(struct deep_sums_lane) >= sizeof(struct deep_lane) &&
                  sizeof(struct deep_formula_sums_lane) >= sizeof(struct deep_formula_lane),
              "passes share the memory of lanes");

static deep_kernel *const kernels[2][2] = {DEEP_KERNELS_OF(false), DEEP_KERNELS_OF(true)};

/* One thread for a square. */
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

/* Goes from the pixels to the queue, when they are all done or queued. */
__global__ void deep_switch(struct deep_progress *progress)
{
    int switches = !progress->rest && !progress->left;
    progress->first = switches;
    if (switches) {
        progress->rest = 1;
        progress->next = 0;
    }
}

/* Writes from a kernel: a short copy that waits for kernels would delay the long ones of other
 * streams. */
__global__ void deep_report(const struct deep_progress *progress, struct deep_progress *report)
{
    *report = *progress;
}

static bool deep_slopes(const struct deep_piece *piece)
{
    return piece->distance_x || piece->phase;
}

size_t deep_lane_bytes(const struct deep_piece *piece)
{
    if (piece->rule.planes & PLANE_MASK_ORBIT)
        return piece->formula ? sizeof(struct deep_formula_sums_lane)
                              : sizeof(struct deep_sums_lane);
    return piece->newton         ? sizeof(struct deep_newton_lane)
           : piece->henon        ? sizeof(struct deep_henon_lane)
           : piece->formula_f32  ? sizeof(struct deep_formula_lane_f32)
           : piece->formula      ? sizeof(struct deep_formula_lane)
           : piece->common_f32.z ? sizeof(struct deep_late_lane)
                                 : sizeof(struct deep_lane);
}

unsigned deep_threads(const struct deep_piece *piece, int units)
{
    int few = piece->formula && deep_slopes(piece);
    int warps = few                   ? (int)DEEP_SLOPES_RESIDENT_WARPS
                : piece->common_f32.z ? (int)DEEP_LATE_RESIDENT_WARPS
                                      : (int)DEEP_RESIDENT_WARPS;
    uint64_t pixels = (uint64_t)piece->grid.width * (uint64_t)piece->grid.height;
    uint64_t most = (uint64_t)units * (uint64_t)warps * WARP;
    uint64_t threads = (pixels + DEEP_THREADS - 1) / DEEP_THREADS * DEEP_THREADS;
    return (unsigned)(threads < most ? threads : most);
}

static void pixels_enqueue(const struct deep_piece *piece, enum deep_pass pass, unsigned threads,
                           cudaStream_t stream)
{
    bool slopes = deep_slopes(piece); /* a kernel less, and the others stay lean */
    int wide = piece->common.exponent != 0;
    if (piece->sums) {
        if (pass == PASS_PIXELS)
            launch_deep_sums(piece, wide, threads, stream);
    } else if (piece->newton) {
        if (pass == PASS_PIXELS)
            launch_deep_newton(piece, slopes, threads, stream);
    } else if (piece->henon) {
        if (pass == PASS_PIXELS)
            launch_deep_henon(piece, slopes, threads, stream);
    } else if (piece->formula_f32) {
        (piece->is_own ? launch_deep_own_f32 : launch_deep_formula_f32)(piece, pass, threads,
                                                                        stream);
    } else if (piece->formula)
        (piece->is_own ? launch_deep_own : launch_deep_formula)(piece, pass, slopes, wide, threads,
                                                                stream);
    else
        (piece->common_f32.z
             ? deep_queue<late_kind>
             : kernels[slopes][wide])<<<threads / DEEP_THREADS, DEEP_THREADS, 0, stream>>>(*piece,
                                                                                           pass);
}

void launch_deep(const struct deep_piece *piece, unsigned threads, int first, cudaStream_t stream)
{
    deep_begin<<<1, 1, 0, stream>>>(piece->progress, first);
    if (first && piece->inside && !piece->sums) {
        unsigned thread_blocks = (unsigned)(piece->squares + SQUARE_THREADS - 1) / SQUARE_THREADS;
        deep_squares<<<thread_blocks, SQUARE_THREADS, 0, stream>>>(*piece);
    }
    pixels_enqueue(piece, PASS_PIXELS, threads, stream);
    deep_switch<<<1, 1, 0, stream>>>(piece->progress);
    pixels_enqueue(piece, PASS_QUEUE, threads, stream);
    deep_report<<<1, 1, 0, stream>>>(piece->progress, piece->report);
}
