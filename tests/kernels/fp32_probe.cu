/* Pixels in fp32 alone, for fp32_sass.py, which looks for fp64 in their machine code; and a step of
 * each kind, whose instructions it counts (app/bench/forecast_costs.inc). */
#include "kernels/cuda/cuda_pixel.h"
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

/* A step of each kind; *_wide: where delta has an exponent of its own. All branches are counted. */
#define COST(name, suffix, ...)                                     \
    __global__ void cost_##name##suffix(                            \
        struct pixel_state##suffix *pixel,                          \
        const __grid_constant__ struct pixel_common##suffix common) \
    {                                                               \
        struct pixel_state##suffix at = pixel[threadIdx.x];         \
        __VA_ARGS__                                                 \
        pixel[threadIdx.x] = at;                                    \
    }
#define COSTS(suffix, leap)                                                            \
    COST(block, suffix, {                                                              \
        int level = pixel_level##suffix(&at, &common, pixel_reach##suffix(&at, 0));    \
        at.level = level < 0 ? 0 : level;                                              \
        leap##suffix(&at, &common, 0, at.level);                                       \
        at.direct = pixel_arrive##suffix(&at, &common);                                \
    })                                                                                 \
    COST(block_wide, suffix, {                                                         \
        int level = pixel_level##suffix(&at, &common, pixel_reach##suffix(&at, at.e)); \
        at.level = level < 0 ? 0 : level;                                              \
        wide_leap##suffix(&at, &common, 0, at.level);                                  \
        at.direct = wide_arrive##suffix(&at, &common);                                 \
    })                                                                                 \
    COST(along, suffix, {                                                              \
        if (!pixel_leave##suffix(&at, &common)) {                                      \
            pixel_step##suffix(&at, &common, 0);                                       \
            at.direct = pixel_arrive##suffix(&at, &common);                            \
        }                                                                              \
    })                                                                                 \
    COST(along_wide, suffix, {                                                         \
        wide_step##suffix(&at, &common, 0);                                            \
        at.direct = wide_arrive##suffix(&at, &common);                                 \
    })                                                                                 \
    COST(direct, suffix, {                                                             \
        struct direct##suffix z = {at.delta, at.dz, at.norm, at.slope};                \
        int64_t taken;                                                                 \
        at.direct = direct_on##suffix(&z, at.c, at.dz, &common.direct, 0, 1, &taken);  \
        at.delta = z.z;                                                                \
        at.norm = z.norm;                                                              \
        at.slope = z.slope;                                                            \
    })
COSTS(, pixel_leap)
COSTS(_f32, wide_leap) /* blocks of all deltas are alike in floats */

/* An iteration of a picture without a reference. */
#define COST_ITERATION(suffix, Real)                   \
    __global__ void cost_iteration##suffix(Real *z)    \
    {                                                  \
        Real x = z[0], y = z[1], cx = z[2], cy = z[3]; \
        z_step(x, y, cx, cy);                          \
        z[0] = x;                                      \
        z[1] = y;                                      \
    }
COST_ITERATION(, double)
COST_ITERATION(_f32, float)
COST_ITERATION(_ds, real_ds)
