/* Steps of rows by perturbation, compiled for each shape of their lists: the arithmetic of
 * formula_delta_step and formula_direct_step, so the same bits. CUDA C++ only. */
#ifndef KERNELS_CUDA_CUDA_DEEP_STEPS_H
#define KERNELS_CUDA_CUDA_DEEP_STEPS_H

#ifndef __CUDACC__
#error "cuda_deep_steps.h: is for nvcc"
#endif

#include "kernels/cuda/cuda_deep_shape.h"
#include "kernels/deep/formula_direct.h"

static constexpr int degree_of(const char *operation)
{
    int power = 1, kept = 1;
    for (; *operation; operation++) {
        kept = *operation == 'K' ? power : kept;
        power += *operation == 'S' ? power : *operation == 'M' ? kept : 0;
    }
    return power;
}

template <char... OPERATIONS> struct shape {
    static constexpr char text[] = {OPERATIONS..., 0};
    static constexpr int degree = degree_of(text);
};

static __device__ __forceinline__ double sign_set(double x, uint32_t keep, uint32_t flip)
{
    return __hiloint2double((int)(((uint32_t)__double2hiint(x) & keep) ^ flip), __double2loint(x));
}

/* ---- without the reference ---- */

template <char OPERATION>
static __device__ __forceinline__ void shape_take(const struct deep_folds &folds,
                                                  struct complex_f64 &z, struct complex_f64 &kept,
                                                  struct complex_f64 c)
{
    if constexpr (OPERATION == 'S') {
        z = complex_mul(z, z);
    } else if constexpr (OPERATION == 'K') {
        kept = z;
    } else if constexpr (OPERATION == 'M') {
        z = complex_mul(z, kept);
    } else if constexpr (OPERATION == 'A') {
        z = complex_add(z, 1, c);
    } else {
        constexpr int group = OPERATION - '0';
        z.x = sign_set(z.x, folds.keep_x[group], folds.flip_x[group]);
        z.y = sign_set(z.y, folds.keep_y[group], folds.flip_y[group]);
    }
}

template <char... OPERATIONS>
static __device__ __forceinline__ struct complex_f64
shape_direct_step(shape<OPERATIONS...>, const struct deep_folds &folds, struct complex_f64 z,
                  struct complex_f64 c)
{
    struct complex_f64 kept = z;
    (shape_take<OPERATIONS>(folds, z, kept, c), ...);
    return z;
}

/* ---- along the reference ---- */

template <char OPERATION>
static __device__ __forceinline__ void
shape_walk(const struct deep_folds &folds, struct formula_walk &at, const struct orbit_point *&tape,
           const struct formula_step_input &input)
{
    if constexpr (OPERATION == 'S') {
        walk_take(&at, OPERATION_SQR, &input);
    } else if constexpr (OPERATION == 'K') {
        walk_take(&at, OPERATION_KEEP, &input);
    } else if constexpr (OPERATION == 'M') {
        walk_take(&at, OPERATION_MUL, &input);
    } else if constexpr (OPERATION == 'A') {
        walk_take(&at, OPERATION_ADD, &input);
    } else {
        const uint32_t group = folds.folds[OPERATION - '0'];
        if (group & FOLD_TAPED) {
            const struct orbit_point point = escape_load(tape);
            at.z.x = point.x;
            at.z.y = point.y;
            tape++;
        }
        if (group & FOLD_ABS_X)
            walk_take(&at, OPERATION_ABS_X, &input);
        if (group & FOLD_ABS_Y)
            walk_take(&at, OPERATION_ABS_Y, &input);
        if (group & FOLD_NEG_X)
            walk_take(&at, OPERATION_NEG_X, &input);
        if (group & FOLD_NEG_Y)
            walk_take(&at, OPERATION_NEG_Y, &input);
    }
}

template <char... OPERATIONS>
static __device__ __forceinline__ struct complex_f64
shape_delta_step(shape<OPERATIONS...>, const struct deep_folds &folds, struct complex_f64 z,
                 const struct orbit_point *tape, struct complex_f64 delta,
                 const struct formula_step_input &input)
{
    struct formula_walk at = {z, delta, z, delta};
    (shape_walk<OPERATIONS>(folds, at, tape, input), ...);
    return at.d;
}

#endif
