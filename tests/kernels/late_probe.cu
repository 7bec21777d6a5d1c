/* Pixels in fp32 alone, for late_fp64.sh, which looks for fp64 in their machine code. */
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

/* The same in doubles, to see that the count sees them. */
__global__ void early_along(struct pixel_state *pixel,
                            const __grid_constant__ struct pixel_common common)
{
    struct pixel_state at = pixel[threadIdx.x];
    int64_t taken;
    pixel_along(&at, &common, BLOCKS_QUARTIC, 0, 0, INT64_MAX, &taken, NULL);
    pixel[threadIdx.x] = at;
}
