/* Pixels in fp32 alone, for fp32_sass.py, which looks for fp64 in their machine code. */
#include "kernels/deep/number/late.h"

/* Steps without the reference. */
__global__ void late_direct(struct pixel_state_f32 *pixel,
                            const __grid_constant__ struct pixel_common_f32 common)
{
    struct pixel_state_f32 at = pixel[threadIdx.x];
    int64_t taken;
    pixel_direct_steps_f32(&at, &common, 0, 1, INT64_MAX, &taken);
    pixel[threadIdx.x] = at;
}

/* Blocks and steps along the reference. */
__global__ void late_along(struct pixel_state_f32 *pixel,
                           const __grid_constant__ struct pixel_common_f32 common)
{
    struct pixel_state_f32 at = pixel[threadIdx.x];
    int64_t taken;
    pixel_along_f32(&at, &common, BLOCKS_QUARTIC, 0, 1, INT64_MAX, &taken, NULL);
    pixel[threadIdx.x] = at;
}

/* The same in doubles, which the count must see. */
__global__ void early_along(struct pixel_state *pixel,
                            const __grid_constant__ struct pixel_common common)
{
    struct pixel_state at = pixel[threadIdx.x];
    int64_t taken;
    pixel_along(&at, &common, BLOCKS_QUARTIC, 0, 0, INT64_MAX, &taken, NULL);
    pixel[threadIdx.x] = at;
}

/* A loop in floats that has one product of doubles, which the test must find. */
__global__ void planted_loop(float *x, int steps)
{
    float at = x[threadIdx.x];
    double sum = 0;
#pragma unroll 1
    for (int i = 0; i < steps; i++) {
        at = fmaf(at, at, x[i]);
        sum = fma(sum, 0.5, 1.0);
    }
    x[threadIdx.x] = at + (sum > 1.5 ? 1 : 0);
}
