/* One pixel's step, point of the plane and result, for the kernels of a piece. CUDA C++ only. */
#ifndef KERNELS_CUDA_CUDA_PIXEL_H
#define KERNELS_CUDA_CUDA_PIXEL_H

#ifndef __CUDACC__
#error "cuda_pixel.h: is for nvcc"
#endif

#include "kernels/cuda/cuda_kernels.h"
#include "kernels/escape/fraction.h"
#include "kernels/escape/lanes_ds.h"
#include "kernels/escape/pixel.h"
#include "kernels/escape/quadratic.h"

#define EVERY_LANE 0xffffffffu

/* Double-single as the real of kernels. */
struct __align__(8) real_ds
{
    struct ds32x1 pair;
    real_ds() = default;
    __device__ real_ds(struct ds32x1 of) : pair(of)
    {
    }
    __device__ real_ds(double number) : pair(ds_of(number))
    {
    }
    __device__ real_ds(int number) : pair(ds32x1_pair((float)number, 0))
    {
    }
    __device__ operator double() const
    {
        return ds_value(pair);
    }
    /* Serves R alone: tests of |z|^2 are in floats. */
    __device__ void operator*=(real_ds other)
    {
        pair = ds32x1_pair(pair.hi * other.pair.hi, 0);
    }
    __device__ void operator+=(real_ds other)
    {
        pair = ds32x1_add(pair, other.pair);
    }
};
__device__ __forceinline__ real_ds operator+(real_ds a, real_ds b)
{
    return ds32x1_add(a.pair, b.pair);
}
__device__ __forceinline__ bool operator<=(real_ds a, real_ds b)
{
    return ds32x1_le(a.pair, b.pair);
}
__device__ __forceinline__ bool operator==(real_ds a, real_ds b)
{
    return ds32x1_eq(a.pair, b.pair);
}

/* The step and the norm by the real's type; the arithmetic is that of the CPU. */
__device__ __forceinline__ void z_step(double &x, double &y, double cx, double cy)
{
    QUADRATIC_STEP_SHARING(f64x1, x, y, cx, cy);
}
__device__ __forceinline__ void z_step(float &x, float &y, float cx, float cy)
{
    QUADRATIC_STEP_SHARING(f32x1, x, y, cx, cy);
}
__device__ __forceinline__ void z_step(real_ds &x, real_ds &y, real_ds cx, real_ds cy)
{
    ds32x1_step(&x.pair, &y.pair, cx.pair, cy.pair);
}
__device__ __forceinline__ real_ds norm_of(real_ds x, real_ds y)
{
    return ds32x1_norm(x.pair, y.pair);
}
__device__ __forceinline__ double norm_of(double x, double y)
{
    return QUADRATIC_NORM(f64x1, x, y);
}
__device__ __forceinline__ float norm_of(float x, float y)
{
    return QUADRATIC_NORM(f32x1, x, y);
}

/* The point of the plane that the pixel stands for. Whether there may be cells is a constant of the
 * kernels that see every pixel: tested at run time it cost a picture of few steps a tenth. */
template <bool Cells, class Real>
__device__ __forceinline__ void point_at(const struct piece &piece, uint32_t at, Real &cx, Real &cy)
{
    double re, im;
    int32_t x = piece.grid.x + (int32_t)(at & 0xffff);
    int32_t y = pixel_row(&piece.grid, (int32_t)(at >> 16));
    if constexpr (Cells)
        pixel_c(&piece.grid, x, y, &re, &im);
    else
        pixel_c_at(&piece.grid, x, y, &re, &im);
    cx = (Real)re;
    cy = (Real)im;
}

/* The beginning of a pixel's orbit and its c. The plane is a constant of the kernels: tested at run
 * time it would cost the parameter plane registers. */
template <enum formula_plane Plane, bool Cells, class Real>
__device__ __forceinline__ void z_of(const struct piece &piece, uint32_t at, Real &x, Real &y)
{
    x = y = 0;
    if constexpr (Plane == DYNAMIC_PLANE)
        point_at<Cells>(piece, at, x, y);
}
template <enum formula_plane Plane, bool Cells, class Real>
__device__ __forceinline__ void c_of(const struct piece &piece, uint32_t at, Real &cx, Real &cy)
{
    if constexpr (Plane == DYNAMIC_PLANE) {
        cx = (Real)piece.formula.c_re;
        cy = (Real)piece.formula.c_im;
    } else {
        point_at<Cells>(piece, at, cx, cy);
    }
}

template <class Piece>
__device__ __forceinline__ void count_store(const Piece &piece, size_t index, int64_t count)
{
    if (piece.count_bytes == 4)
        ((uint32_t *)piece.count)[index] = (uint32_t)count;
    else
        ((uint64_t *)piece.count)[index] = (uint64_t)count;
}

__device__ __forceinline__ void pixel_write(const struct piece &piece, uint32_t at, int64_t count,
                                            float norm)
{
    size_t index = (size_t)(at >> 16) * (size_t)piece.grid.width + (at & 0xffff);
    count_store(piece, index, count);
    if (piece.fraction)
        piece.fraction[index] = fraction_of(norm, piece.fraction_offset);
}

template <class Real>
__device__ __forceinline__ void enqueue(const struct pixel_queue &queue, uint32_t i, Real x, Real y,
                                        uint32_t at)
{
    ((Real *)queue.x)[i] = x;
    ((Real *)queue.y)[i] = y;
    queue.at[i] = at;
}

/* Does the host want an end? Its request is copied for the next launches: its memory is slow to
 * read. The answer is the same for a warp, not for a thread block. */
__device__ __forceinline__ int is_stopped(const struct piece &piece)
{
    if (blockIdx.x + threadIdx.x == 0 && *piece.host_stop)
        *piece.stop = 1;
    return __any_sync(EVERY_LANE, *piece.stop);
}

__device__ __forceinline__ void add_iterations(unsigned long long *sum, unsigned long long steps)
{
    for (int d = 16; d; d /= 2)
        steps += __shfl_xor_sync(EVERY_LANE, steps, d);
    if (threadIdx.x % 32 == 0 && steps)
        atomicAdd(sum, steps);
}

static inline unsigned thread_blocks_for(long long threads, int of_block)
{
    return (unsigned)((threads + of_block - 1) / of_block);
}

/* Enough thread blocks for the whole device, and no more than the piece can keep busy. */
static inline unsigned thread_blocks_persistent(const struct launcher *launcher,
                                                const struct piece *piece, int threads, int of_unit)
{
    unsigned pixels = thread_blocks_for((long long)piece->grid.width * piece->grid.height, threads);
    unsigned device = (unsigned)(launcher->units * of_unit);
    return pixels < device ? pixels : device;
}

/* Enqueues kernel<double>, <float> or <real_ds> in the launcher's stream. */
#define LAUNCH(kernel, thread_blocks, threads, ...)                                            \
    do {                                                                                       \
        if (launcher->number == NUMBER_FP64)                                                   \
            kernel<double><<<(thread_blocks), (threads), 0, launcher->stream>>>(__VA_ARGS__);  \
        else if (launcher->number == NUMBER_DS)                                                \
            kernel<real_ds><<<(thread_blocks), (threads), 0, launcher->stream>>>(__VA_ARGS__); \
        else                                                                                   \
            kernel<float><<<(thread_blocks), (threads), 0, launcher->stream>>>(__VA_ARGS__);   \
    } while (0)

/* The same for kernels that are made for each plane, with cells and without: selects the piece's.
 */
#define LAUNCH_OF(kernel, plane, cells, thread_blocks, threads, ...)                \
    do {                                                                            \
        if (launcher->number == NUMBER_FP64)                                        \
            kernel<double, plane, cells>                                            \
                <<<(thread_blocks), (threads), 0, launcher->stream>>>(__VA_ARGS__); \
        else if (launcher->number == NUMBER_DS)                                     \
            kernel<real_ds, plane, cells>                                           \
                <<<(thread_blocks), (threads), 0, launcher->stream>>>(__VA_ARGS__); \
        else                                                                        \
            kernel<float, plane, cells>                                             \
                <<<(thread_blocks), (threads), 0, launcher->stream>>>(__VA_ARGS__); \
    } while (0)
#define LAUNCH_PLANE(kernel, ...)                                   \
    do {                                                            \
        bool dynamic = piece->formula.plane == DYNAMIC_PLANE;       \
        if (dynamic && piece->grid.cells)                           \
            LAUNCH_OF(kernel, DYNAMIC_PLANE, true, __VA_ARGS__);    \
        else if (dynamic)                                           \
            LAUNCH_OF(kernel, DYNAMIC_PLANE, false, __VA_ARGS__);   \
        else if (piece->grid.cells)                                 \
            LAUNCH_OF(kernel, PARAMETER_PLANE, true, __VA_ARGS__);  \
        else                                                        \
            LAUNCH_OF(kernel, PARAMETER_PLANE, false, __VA_ARGS__); \
    } while (0)

#endif
