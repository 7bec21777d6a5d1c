/* Pixels of z^2 + c by perturbation, one for a GPU thread: the steps of pixel_on (kernels/deep/),
 * by the same functions. CUDA C++ only. */
#ifndef KERNELS_CUDA_DEEP_CUDA_DEEP_PIXEL_H
#define KERNELS_CUDA_DEEP_CUDA_DEEP_PIXEL_H

#ifndef __CUDACC__
#error "cuda_deep_pixel.h: is for nvcc"
#endif

#include "kernels/cuda/deep/cuda_deep.h"
#include "kernels/deep/inside.h"
#include "kernels/deep/pixel_wide.h"
#include "kernels/escape/fraction.h"

struct quadratic_run { /* steps in a row */
    struct complex_f64 c;
};

/* The constants that make several kernels; SLOPES: distances or phases are wanted. */
template <bool SLOPES, bool WIDE> struct kind {
    static constexpr bool slopes = SLOPES, wide = WIDE;
    static constexpr int direct_most = DIRECT_RUN_MOST, runs_most = 1;
    static constexpr int resident_warps = DEEP_RESIDENT_WARPS;
    typedef struct deep_lane lane;
    typedef struct quadratic_run run;
};

/* ---- beginning and end of a pixel ---- */

/* Begins a pixel; false: it is proven inside. */
static __device__ __forceinline__ bool lane_set(const struct deep_piece &piece,
                                                struct deep_lane &lane, double re, double im,
                                                int32_t x, int32_t y)
{
    lane.pixel = pixel_begin(&piece.common, re, im);
    return !(piece.inside && (piece.inside[y / INSIDE_PX * piece.squares_in_row + x / INSIDE_PX] ||
                              inside_pixel(&piece.common, re, im)));
}

/* Clears members that are not needed any more, so that they take no registers. */
template <class Kind> static __device__ __forceinline__ void lane_forget(struct deep_lane &lane)
{
    const struct complex_f64 none = {0, 0};
    lane.pixel.steps = 0;
    if (!Kind::slopes) {
        lane.pixel.dz = none;
        lane.pixel.dz_e = 0;
    }
}

template <class Kind>
static __device__ __forceinline__ void lane_finish(const struct deep_piece &, struct deep_lane &)
{
}

static __device__ __forceinline__ int64_t lane_count(const struct deep_lane &lane)
{
    return lane.pixel.count;
}

static __device__ __forceinline__ float lane_fraction(const struct deep_piece &piece,
                                                      const struct deep_lane &lane)
{
    return fraction_of(lane.pixel.count ? (float)lane.pixel.norm : 0.0f, piece.fraction_offset);
}

static __device__ __forceinline__ struct distance lane_distance(const struct deep_piece &piece,
                                                                const struct deep_lane &lane)
{
    return pixel_distance(&lane.pixel, &piece.common);
}

static __device__ __forceinline__ float lane_phase(const struct deep_piece &piece,
                                                   const struct deep_lane &lane)
{
    return pixel_phase(&lane.pixel, &piece.common);
}

/* ---- steps ---- */

static __device__ __forceinline__ struct pixel_state &lane_state(struct deep_lane &lane)
{
    return lane.pixel;
}
static __device__ __forceinline__ const struct pixel_state &lane_state(const struct deep_lane &lane)
{
    return lane.pixel;
}

static __device__ __forceinline__ int32_t lane_level_key(const struct deep_lane &lane)
{
    return lane.pixel.level;
}

static __device__ __forceinline__ int32_t lane_from(const struct deep_lane &lane)
{
    return (int32_t)lane.pixel.m;
}

static __device__ __forceinline__ int32_t lane_to(const struct deep_piece &piece,
                                                  const struct deep_lane &)
{
    return (int32_t)piece.common.end;
}

static __device__ __forceinline__ const struct orbit_point *
lane_points(const struct deep_piece &piece, const struct deep_lane &lane)
{
    return &piece.common.z[lane.pixel.m];
}

static __device__ __forceinline__ const struct block_table &
lane_table(const struct deep_piece &piece, const struct deep_lane &)
{
    return piece.common.table;
}

template <class Kind>
static __device__ __forceinline__ int32_t lane_reach(const struct deep_lane &lane)
{
    return pixel_reach(&lane.pixel, Kind::wide ? lane.pixel.e : 0);
}

template <class Kind>
static __device__ __forceinline__ void lane_apply(const struct deep_piece &piece,
                                                  struct deep_lane &lane)
{
    (Kind::wide ? wide_leap : pixel_leap)(&lane.pixel, &piece.common, Kind::slopes,
                                          lane.pixel.level);
}

template <class Kind>
static __device__ __forceinline__ void lane_step(const struct deep_piece &piece,
                                                 struct deep_lane &lane)
{
    (Kind::wide ? wide_step : pixel_step)(&lane.pixel, &piece.common, Kind::slopes);
}

template <class Kind>
static __device__ __forceinline__ int lane_direct_steps(const struct deep_piece &piece,
                                                        struct deep_lane &lane, int64_t most,
                                                        int64_t *taken)
{
    return pixel_direct_steps(&lane.pixel, &piece.common, Kind::slopes, Kind::wide, most, taken);
}

template <class Kind>
static __device__ __forceinline__ bool lane_arrive(const struct deep_piece &piece,
                                                   struct deep_lane &lane)
{
    return (Kind::wide ? wide_arrive : pixel_arrive)(&lane.pixel, &piece.common);
}

static __device__ __forceinline__ bool lane_leave(const struct deep_piece &piece,
                                                  struct deep_lane &lane)
{
    return pixel_leave(&lane.pixel, &piece.common);
}

static __device__ __forceinline__ void lane_rebase(const struct deep_piece &piece,
                                                   struct deep_lane &lane)
{
    lane.pixel.m = 0;
    lane.pixel.level = piece.common.table.levels - 1;
}

template <class Kind>
static __device__ __forceinline__ struct quadratic_run run_begin(const struct deep_piece &piece,
                                                                 const struct deep_lane &lane)
{
    struct quadratic_run run;
    run.c =
        Kind::wide ? complex_scale(wide_power(piece.common.exponent), lane.pixel.c) : lane.pixel.c;
    return run;
}

static __device__ __forceinline__ bool run_may_leave(const struct deep_piece &piece,
                                                     const struct quadratic_run &, double norm,
                                                     double slope)
{
    return direct_may(norm, slope, &piece.common.direct);
}

template <class Kind>
static __device__ __forceinline__ struct complex_f64
run_step(const struct deep_piece &piece, struct deep_lane &lane, struct quadratic_run &run,
         struct complex_f64 reference, struct complex_f64 delta)
{
    struct complex_f64 next = delta_step(reference, delta, run.c);
    if (Kind::slopes)
        lane.pixel.dz =
            delta_slope(complex_add(delta, 1, reference), lane.pixel.dz, piece.common.step);
    return next;
}

template <class Kind>
static __device__ __forceinline__ void run_end(struct deep_lane &, const struct quadratic_run &)
{
}

#include "kernels/deep/number/real_f64.h"
#include "kernels/cuda/deep/cuda_deep_late.h"
#include "kernels/cuda/deep/cuda_deep_queue.h"
#include "kernels/deep/number/real_end.h"

#endif
