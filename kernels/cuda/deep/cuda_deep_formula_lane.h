/* Pixels by perturbation of every formula and plane but z^2 + c in its parameter plane, one for a
 * GPU thread: the steps of formula_on (kernels/deep/formula_pixel.h), by the same functions. One
 * kernel for all rows, and one for all own formulas (DEEP_OWN), and Lambda: the steps of both
 * are compiled for each shape (cuda_deep_shape.h), and operations of other lists read at run time.
 * CUDA C++ only. */
#ifndef KERNELS_CUDA_DEEP_CUDA_DEEP_FORMULA_LANE_H
#define KERNELS_CUDA_DEEP_CUDA_DEEP_FORMULA_LANE_H

#ifndef __CUDACC__
#error "cuda_deep_formula_lane.h: is for nvcc"
#endif

#include "kernels/cuda/deep/cuda_deep.h"
#ifdef DEEP_FLOATS
#include "kernels/deep/number/real_f32.h"
#else
#include "kernels/deep/number/real_f64.h"
#endif
#include "kernels/cuda/deep/cuda_deep_steps.h"

#ifdef DEEP_ROWS_ALONE
#define DEEP_SHAPES_HERE DEEP_SHAPES
#else
#define DEEP_SHAPES_HERE DEEP_OWN_SHAPES
#endif

struct formula_run { /* steps in a row */
    struct T(formula_step_input) input;
    struct T(formula_tangents) tangents;
    const REAL_POINT *tape; /* values of the next step */
    int32_t tape_width;     /* values of each step */
    int32_t list;           /* list of the next step */
    bool may_leave;
};

/* As in cuda_deep_pixel.h. */
template <bool SLOPES, bool WIDE> struct kind {
    static constexpr bool slopes = SLOPES, wide = WIDE, late = false;
    static constexpr int direct_most = DEEP_OWN ? DIRECT_RUN_MOST : 2 * DIRECT_RUN_MOST,
                         runs_most = 2;
    static constexpr int resident_warps = SLOPES ? DEEP_SLOPES_RESIDENT_WARPS : DEEP_RESIDENT_WARPS;
    typedef struct T(deep_formula_lane) lane;
    typedef struct formula_run run;
};

/* The same for a shape. */
template <class Shape> struct shape_run : formula_run {
};
template <class Kind, class Shape> struct shaped : Kind {
    typedef shape_run<Shape> run;
};

/* ---- beginning and end of a pixel ---- */

static __device__ __forceinline__ bool lane_set(const struct deep_piece &piece,
                                                struct T(deep_formula_lane) & lane, double re,
                                                double im, int32_t, int32_t)
{
#ifdef REAL_NARROW
    lane.pixel = formula_begin_f32(piece.formula_f32, &piece.common, re, im);
#else
    lane.pixel = formula_begin(piece.formula, re, im);
#endif
    return true;
}

/* Clears members that are not needed any more, so that they take no registers. */
template <class Kind>
static __device__ __forceinline__ void lane_forget(struct T(deep_formula_lane) & lane)
{
    const struct COMPLEX none = {0, 0};
    lane.pixel.at.steps = 0;
    if (!Kind::slopes) {
        lane.pixel.at.dz = lane.pixel.up = none;
        lane.pixel.at.dz_e = lane.pixel.up_e = 0;
    }
}

template <class Kind>
static __device__ __forceinline__ void lane_finish(const struct deep_piece &piece,
                                                   struct T(deep_formula_lane) & lane)
{
    T(formula_finish)(&lane.pixel, piece.T(formula), Kind::slopes);
}

static __device__ __forceinline__ int64_t lane_count(const struct T(deep_formula_lane) & lane)
{
    return lane.pixel.at.count;
}

static __device__ __forceinline__ float lane_fraction(const struct deep_piece &piece,
                                                      const struct T(deep_formula_lane) & lane)
{
    const struct T(pixel_state) &at = lane.pixel.at;
    if (DEEP_OWN)
        return T(formula_fraction)(&lane.pixel, piece.T(formula));
    return at.count ? fraction_of_degree(T(formula_end_norm)(&lane.pixel, piece.T(formula)),
                                         piece.fraction_scale)
                    : 0.0f;
}

#ifndef REAL_NARROW
static __device__ __forceinline__ struct distance
lane_distance(const struct deep_piece &piece, const struct deep_formula_lane &lane)
{
    return formula_distance(&lane.pixel, piece.formula);
}

static __device__ __forceinline__ float lane_phase(const struct deep_piece &piece,
                                                   const struct deep_formula_lane &lane)
{
    return formula_phase_of_end(&lane.pixel, piece.formula);
}
#endif

/* ---- steps ---- */

static __device__ __forceinline__ struct T(pixel_state) &
    lane_state(struct T(deep_formula_lane) & lane)
{
    return lane.pixel.at;
}
static __device__ __forceinline__ const struct T(pixel_state) &
    lane_state(const struct T(deep_formula_lane) & lane)
{
    return lane.pixel.at;
}

static __device__ __forceinline__ int32_t lane_level_key(const struct T(deep_formula_lane) & lane)
{
    return lane.pixel.at.level * FORMULA_REFERENCES + lane.pixel.reference;
}

/* Blocks have the steps from Z_1 on. */
static __device__ __forceinline__ int32_t lane_from(const struct T(deep_formula_lane) & lane)
{
    return (int32_t)lane.pixel.at.m - 1;
}

static __device__ __forceinline__ int32_t lane_to(const struct deep_piece &piece,
                                                  const struct T(deep_formula_lane) & lane)
{
    return (int32_t)piece.T(formula)->reference[lane.pixel.reference].end - 1;
}

static __device__ __forceinline__ const REAL_POINT *
lane_points(const struct deep_piece &piece, const struct T(deep_formula_lane) & lane)
{
    return &piece.T(formula)->reference[lane.pixel.reference].z[lane.pixel.at.m];
}

static __device__ __forceinline__ const struct block_table &
lane_table(const struct deep_piece &piece, const struct T(deep_formula_lane) & lane)
{
    return piece.T(formula)->table[lane.pixel.reference];
}

template <class Kind>
static __device__ __forceinline__ int32_t lane_reach(const struct T(deep_formula_lane) & lane)
{
    const struct T(pixel_state) &at = lane.pixel.at;
    return T(wide_key)(T(complex_reach)(at.delta), Kind::wide ? at.e : 0);
}

template <class Kind>
static __device__ __forceinline__ void lane_apply(const struct deep_piece &piece,
                                                  struct T(deep_formula_lane) & lane)
{
    const enum block_terms terms = piece.folds.both ? TERMS_SIMILAR : TERMS_HOLOMORPHIC;
    (Kind::wide ? T(formula_leap_of_wide) : T(formula_leap))(
        &lane.pixel, piece.T(formula), Kind::slopes, lane.pixel.at.level, terms);
}

template <class Kind>
static __device__ __forceinline__ void lane_step(const struct deep_piece &piece,
                                                 struct T(deep_formula_lane) & lane)
{
    (Kind::wide ? T(formula_step_of_wide) : T(formula_step))(&lane.pixel, piece.T(formula),
                                                             Kind::slopes);
}

/* As list_stretch. */
template <char... OPERATIONS>
static __device__ __forceinline__ DEEP_REAL shape_stretch(shape<OPERATIONS...>,
                                                          const struct deep_folds &folds)
{
    constexpr int degree = shape<OPERATIONS...>::degree;
    return DEEP_OWN ? folds.T(stretch) : degree * degree;
}

/* As formula_directly. */
template <bool SLOPES, char... OPERATIONS>
static __device__ __forceinline__ int
shape_directly(shape<OPERATIONS...> of, const struct deep_piece &piece,
               struct T(formula_pixel) * pixel, int64_t most, int64_t *taken)
{
    constexpr int degree = shape<OPERATIONS...>::degree;
    const struct T(direct_limits) &limits = piece.T(common).direct;
    const struct T(formula_step_input) input = T(formula_direct_input)(pixel, piece.T(formula));
    const int64_t left = piece.common.limit - pixel->at.n;
    const int32_t last = (int32_t)(most < left ? most : left);
    struct T(formula_tangents) t = T(formula_tangents_of)(pixel);
    struct COMPLEX z = pixel->at.delta;
    DEEP_REAL norm = pixel->at.norm, slope = pixel->at.slope;
    const DEEP_REAL stretch = shape_stretch(of, piece.folds);
    DEEP_REAL next = T(formula_direct_next)(slope, norm, stretch, degree);
    int32_t i = 0;
    bool goes_on;
    do {
        z = shape_direct_step<SLOPES>(of, piece.folds, z, input, t);
        i++;
        norm = REAL_FMA(z.x, z.x, z.y * z.y);
        slope = next;
        next = T(formula_direct_next)(next, norm, stretch, degree);
        goes_on = norm <= limits.bailout_squared && norm >= limits.norm_least &&
                  next >= limits.slope_least;
    } while (goes_on && i < last);
    pixel->at.delta = z;
    pixel->at.norm = norm;
    pixel->at.slope = slope;
    if (SLOPES) {
        pixel->at.dz = t.right;
        pixel->up = t.up;
    }
    *taken = i;
    return T(formula_settle)(pixel, piece.T(formula), T(direct_end)(norm, next, &limits), i);
}

/* Pixels of a shape that is not similar are never without the reference. */
template <class Kind>
static __device__ __forceinline__ int shaped_directly(const struct deep_piece &piece,
                                                      struct T(formula_pixel) * pixel, int64_t most,
                                                      int64_t *taken)
{
    switch (piece.folds.shape) {
#define DIRECTLY_OF(number, ...)                                                                  \
    case number:                                                                                  \
        if constexpr (shape<__VA_ARGS__>::similar)                                                \
            return shape_directly<Kind::slopes>(shape<__VA_ARGS__>(), piece, pixel, most, taken); \
        break;
        DEEP_SHAPES_HERE(DIRECTLY_OF)
#undef DIRECTLY_OF
    }
    return T(formula_directly)(pixel, piece.T(formula), Kind::slopes, most, taken);
}

template <class Kind>
static __device__ __forceinline__ int lane_direct_steps(const struct deep_piece &piece,
                                                        struct T(deep_formula_lane) & lane,
                                                        int64_t most, int64_t *taken)
{
    if (Kind::wide && Kind::slopes)
        T(formula_direct_begin)(&lane.pixel);
    int done = shaped_directly<Kind>(piece, &lane.pixel, most, taken);
    if (Kind::wide)
        T(formula_direct_end)(&lane.pixel, Kind::slopes);
    return done;
}

template <class Kind>
static __device__ __forceinline__ bool lane_arrive(const struct deep_piece &piece,
                                                   struct T(deep_formula_lane) & lane)
{
    return (Kind::wide ? T(formula_arrive_of_wide) : T(formula_arrive))(&lane.pixel,
                                                                        piece.T(formula));
}

static __device__ __forceinline__ bool lane_leave(const struct deep_piece &piece,
                                                  struct T(deep_formula_lane) & lane)
{
    return T(formula_leave)(&lane.pixel, piece.T(formula));
}

static __device__ __forceinline__ void lane_rebase(const struct deep_piece &piece,
                                                   struct T(deep_formula_lane) & lane)
{
    T(formula_rebase)(&lane.pixel, piece.T(formula));
}

template <class Kind>
static __device__ __forceinline__ typename Kind::run
run_begin(const struct deep_piece &piece, const struct T(deep_formula_lane) & lane)
{
    const struct T(formula_common) &common = *piece.T(formula);
    const struct T(pixel_common) &shared = piece.T(common);
    const struct T(formula_pixel) &pixel = lane.pixel;
    typename Kind::run run;
#ifdef REAL_SCALED
    T(step_scale)
    (&run.input, pixel.at.c, shared.exponent, T(step_exponent)(pixel.at.e, shared.exponent));
#else
    run.input.c =
        Kind::wide ? T(complex_scale)(T(wide_power)(shared.exponent), pixel.at.c) : pixel.at.c;
#endif
    run.input.centre = shared.direct.centre;
    run.input.right = common.dynamic ? T(complex_scale)(0, shared.step) : shared.step;
    run.tangents = T(formula_tangents_of)(&pixel);
    run.tape = T(formula_tape_at)(&common, &pixel);
    run.tape_width = common.reference[pixel.reference].tape_width;
    run.list = T(formula_list_at)(&common, pixel.at.n);
    run.may_leave = common.program.similar && pixel.at.n;
    return run;
}

#ifdef REAL_SCALED
/* May the next step be over 2^e? zero: delta is 0. */
static __device__ __forceinline__ bool run_scales(const struct deep_piece &piece,
                                                  const struct formula_run &run,
                                                  struct COMPLEX reference, int32_t e, bool zero)
{
    return T(step_scales)(reference, run.tape, piece.folds.both && !zero ? run.tape_width : -1,
                          piece.T(common).exponent - e);
}

/* Does a run end here, because delta is to be put over another power of two, or the reference,
 * which is tiny, may be smaller than that? Then lane_settle goes on. */
static __device__ __forceinline__ bool run_settles(const struct formula_run &run,
                                                   struct COMPLEX reference, struct COMPLEX delta)
{
    return !T(step_stays)(T(complex_max)(delta), &run.input) ||
           T(complex_max)(reference) < REAL_TINY;
}

/* Ends such a run, in code that is not compiled for each shape; false: nothing was due. */
static __device__ __forceinline__ bool lane_settle(const struct deep_piece &piece,
                                                   struct T(deep_formula_lane) & lane)
{
    struct T(pixel_state) &at = lane.pixel.at;
    struct T(formula_step_input) input;
    T(step_scale)(&input, at.c, 0, at.e);
    if (T(step_stays)(T(complex_max)(at.delta), &input))
        return T(complex_max)(T(formula_point)(piece.T(formula), &lane.pixel)) < REAL_TINY;
    T(wide_put)(&at, T(wide_settle)(at.delta, at.e));
    return true;
}
#endif

static __device__ __forceinline__ bool run_may_leave(const struct deep_piece &piece,
                                                     const struct formula_run &run, DEEP_REAL norm,
                                                     DEEP_REAL slope)
{
    const struct program_list list = T(formula_list)(piece.T(formula), run.list);
    return run.may_leave &&
           T(direct_end)(
               norm, T(formula_direct_next)(slope, norm, T(list_stretch)(list), list.phase->degree),
               &piece.T(common).direct) == DIRECT_GOES_ON;
}

template <class Kind>
static __device__ __forceinline__ struct COMPLEX
run_step(const struct deep_piece &piece, struct T(deep_formula_lane) &, struct formula_run &run,
         struct COMPLEX reference, struct COMPLEX delta)
{
    const struct T(formula_common) &common = *piece.T(formula);
    struct COMPLEX next =
        T(formula_delta_step)(T(formula_list)(&common, run.list), reference, run.tape, delta,
                              &run.input, Kind::slopes, !common.program.holomorphic, &run.tangents);
    run.tape += run.tape_width;
    run.list = run.list + 1 == common.program.phases ? 0 : run.list + 1;
    run.may_leave = common.program.similar;
    return next;
}

template <char... OPERATIONS>
static __device__ __forceinline__ bool
run_may_leave(const struct deep_piece &piece, const struct shape_run<shape<OPERATIONS...>> &run,
              DEEP_REAL norm, DEEP_REAL slope)
{
    constexpr int degree = shape<OPERATIONS...>::degree;
    return shape<OPERATIONS...>::similar && run.may_leave &&
           T(direct_end)(norm,
                         T(formula_direct_next)(slope, norm,
                                                shape_stretch(shape<OPERATIONS...>(), piece.folds),
                                                degree),
                         &piece.T(common).direct) == DIRECT_GOES_ON;
}

template <class Kind, char... OPERATIONS>
static __device__ __forceinline__ struct COMPLEX
run_step(const struct deep_piece &piece, struct T(deep_formula_lane) &,
         struct shape_run<shape<OPERATIONS...>> &run, struct COMPLEX reference,
         struct COMPLEX delta)
{
    struct COMPLEX next = shape_delta_step<Kind::slopes>(
        shape<OPERATIONS...>(), piece.folds, reference, run.tape, delta, run.input, run.tangents);
    run.tape += run.tape_width;
    run.may_leave = true;
    return next;
}

template <class Kind>
static __device__ __forceinline__ void run_end(struct T(deep_formula_lane) & lane,
                                               const struct formula_run &run)
{
    if (Kind::slopes) {
        lane.pixel.at.dz = run.tangents.right;
        lane.pixel.up = run.tangents.up;
    }
}

template <class Kind>
static __device__ __forceinline__ uint32_t lane_run_within(const struct deep_piece &piece,
                                                           typename Kind::lane &lane, int32_t most);

template <class Kind>
static __device__ __forceinline__ uint32_t lane_within(const struct deep_piece &piece,
                                                       struct T(deep_formula_lane) & lane,
                                                       int32_t most)
{
#define WITHIN_OF(number, ...) \
    case number:               \
        return lane_run_within<shaped<Kind, shape<__VA_ARGS__>>>(piece, lane, most);
    switch (piece.folds.shape) {
        DEEP_SHAPES_HERE(WITHIN_OF)
    }
#undef WITHIN_OF
    return lane_run_within<Kind>(piece, lane, most);
}

#include "kernels/cuda/deep/cuda_deep_queue.h"
#include "kernels/deep/number/real_end.h"

#endif
