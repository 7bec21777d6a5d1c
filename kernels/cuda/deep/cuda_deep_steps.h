/* Steps by perturbation, compiled for each shape of lists: the arithmetic of formula_delta_step and
 * formula_direct_step, so the same bits. CUDA C++ only. */
#ifndef KERNELS_CUDA_DEEP_CUDA_DEEP_STEPS_H
#define KERNELS_CUDA_DEEP_CUDA_DEEP_STEPS_H

#ifndef __CUDACC__
#error "cuda_deep_steps.h: is for nvcc"
#endif

#include "kernels/cuda/deep/cuda_deep_shape.h"
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

/* Are derivatives similarities: is no value multiplied by one that was kept and not folded with it?
 */
static constexpr bool similar_of(const char *operation)
{
    bool folded = false, similar = true;
    for (; *operation; operation++) {
        similar = similar && !(*operation == 'M' && folded);
        folded = (*operation >= '0' && *operation <= '2') || (folded && *operation != 'K');
    }
    return similar;
}

template <char... OPERATIONS> struct shape {
    static constexpr char text[] = {OPERATIONS..., 0};
    static constexpr int degree = degree_of(text);
    static constexpr bool similar = similar_of(text);
};

static __device__ __forceinline__ DEEP_REAL sign_set(DEEP_REAL x, uint32_t keep, uint32_t flip)
{
#ifdef REAL_NARROW
    return __uint_as_float((__float_as_uint(x) & keep) ^ flip);
#else
    return __hiloint2double((int)(((uint32_t)__double2hiint(x) & keep) ^ flip), __double2loint(x));
#endif
}

static __host__ __device__ constexpr bool is_group(char letter)
{
    return letter >= '0' && letter <= '2';
}

/* Is it an operation of lists of own formulas alone? */
static __host__ __device__ constexpr bool is_map(char letter)
{
    return letter == 'P' || letter == 'F' || letter == 'C' || letter == 'W' || letter == 'G';
}

/* The operation of any other letter. */
static __host__ __device__ constexpr int operation_of(char letter)
{
    return letter == 'S'   ? OPERATION_SQR
           : letter == 'K' ? OPERATION_KEEP
           : letter == 'M' ? OPERATION_MUL
                           : OPERATION_ADD;
}

struct shape_tangents {
    struct T(formula_tangents) now, kept;
};

/* Takes tangents through an operation; own: its operand, own_kept: the kept value. */
static __device__ __forceinline__ void T(tangents_take)(const struct deep_folds &folds,
                                                        struct shape_tangents &t, int operation,
                                                        struct COMPLEX own, struct COMPLEX own_kept,
                                                        struct COMPLEX right)
{
    t.now.right = T(tangent_after)(operation, own, t.now.right, own_kept, t.kept.right, right);
    if (folds.both)
        t.now.up = T(tangent_after)(operation, own, t.now.up, own_kept, t.kept.up,
                                    T(complex_turned)(right));
    if (operation == OPERATION_KEEP)
        t.kept = t.now;
}

static __device__ __forceinline__ struct COMPLEX next_constant(const struct deep_folds &folds,
                                                               int &taken)
{
    const struct COMPLEX constant = {folds.T(constant)[taken][0], folds.T(constant)[taken][1]};
    taken++;
    return constant;
}

/* ---- without the reference ---- */

static __device__ __forceinline__ void tangents_swap(struct T(formula_tangents) & t)
{
    t.right = T(complex_swapped)(t.right);
    t.up = T(complex_swapped)(t.up);
}

static __device__ __forceinline__ void tangents_sign(struct T(formula_tangents) & t, DEEP_REAL sign)
{
    t.right.y *= sign;
    t.up.y *= sign;
}

/* As direct_map. */
template <char OPERATION>
static __device__ __forceinline__ void shape_map(const struct deep_folds &folds, struct COMPLEX &z,
                                                 struct COMPLEX kept,
                                                 struct T(formula_tangents) & t, int &constants,
                                                 const struct T(formula_step_input) & input)
{
    if constexpr (OPERATION == 'P') {
        z = T(complex_add)(z, 1, next_constant(folds, constants));
    } else if constexpr (OPERATION == 'F') {
        const struct COMPLEX factor = next_constant(folds, constants);
        z = T(complex_mul)(z, factor);
        t.right = T(complex_mul)(t.right, factor);
    } else if constexpr (OPERATION == 'W') {
        z = T(complex_swapped)(z);
        tangents_swap(t);
    } else if constexpr (OPERATION == 'G') {
        tangents_sign(t, T(sign_of_product)(z.y, kept.y));
        z.y = REAL_COPYSIGN(z.y, kept.y);
    } else {
        t = T(tangents_times_c)(&t, z, input.centre, input.right);
        z = T(complex_mul)(z, input.centre);
    }
}

template <bool SLOPES, char OPERATION>
static __device__ __forceinline__ void
shape_take(const struct deep_folds &folds, struct COMPLEX &z, struct COMPLEX &kept,
           struct shape_tangents &t, int &constants, const struct T(formula_step_input) & input)
{
    if constexpr (is_map(OPERATION)) {
        shape_map<OPERATION>(folds, z, kept, t.now, constants, input);
        return;
    }
    if constexpr (is_group(OPERATION)) {
        constexpr int group = OPERATION - '0';
#pragma unroll
        for (int i = 0; SLOPES && i < 4; i++)
            if (folds.folds[group] >> i & 1)
                T(tangents_take)(folds, t, OPERATION_ABS_X + i, z, kept, input.right);
        z.x = sign_set(z.x, folds.keep_x[group], folds.flip_x[group]);
        z.y = sign_set(z.y, folds.keep_y[group], folds.flip_y[group]);
        return;
    }
    if (SLOPES)
        T(tangents_take)(folds, t, operation_of(OPERATION), z, kept, input.right);
    if constexpr (OPERATION == 'S')
        z = T(complex_mul)(z, z);
    else if constexpr (OPERATION == 'K')
        kept = z;
    else if constexpr (OPERATION == 'M')
        z = T(complex_mul)(z, kept);
    else
        z = T(complex_add)(z, 1, input.centre);
}

template <bool SLOPES, char... OPERATIONS>
static __device__ __forceinline__ struct COMPLEX
shape_direct_step(shape<OPERATIONS...>, const struct deep_folds &folds, struct COMPLEX z,
                  const struct T(formula_step_input) & input, struct T(formula_tangents) & tangents)
{
    struct COMPLEX kept = z;
    struct shape_tangents t = {tangents, tangents};
    int constants = 0;
    (shape_take<SLOPES, OPERATIONS>(folds, z, kept, t, constants, input), ...);
    tangents = t.now;
    return z;
}

/* ---- along the reference ---- */

template <bool SLOPES>
static __device__ __forceinline__ void
walk_on(const struct deep_folds &folds, struct T(formula_walk) & at, struct shape_tangents &t,
        int operation, const struct T(formula_step_input) & input)
{
    if (SLOPES)
        T(tangents_take)
    (folds, t, operation, T(complex_add)(at.z, 1, at.d), T(complex_add)(at.z_kept, 1, at.d_kept),
     input.right);
    T(walk_take)(&at, operation, &input);
}

/* As walk_map. */
template <char OPERATION>
static __device__ __forceinline__ void walk_map_on(const struct deep_folds &folds,
                                                   struct T(formula_walk) & at,
                                                   struct T(formula_tangents) & t, int &constants,
                                                   const struct T(formula_step_input) & input)
{
    if constexpr (OPERATION == 'P') {
        at.z = T(complex_add)(at.z, 1, next_constant(folds, constants));
    } else if constexpr (OPERATION == 'F') {
        const struct COMPLEX factor = next_constant(folds, constants);
        at.z = T(complex_mul)(at.z, factor);
        at.d = T(complex_mul)(at.d, factor);
        t.right = T(complex_mul)(t.right, factor);
    } else if constexpr (OPERATION == 'W') {
        at.z = T(complex_swapped)(at.z);
        at.d = T(complex_swapped)(at.d);
        tangents_swap(t);
    } else if constexpr (OPERATION == 'G') {
        tangents_sign(t, T(walk_sign)(&at, &input));
    } else {
        const struct COMPLEX c = T(walk_own)(input.centre, input.c, &input);
        t = T(tangents_times_c)(&t, T(complex_add)(at.z, 1, at.d), c, input.right);
        at.d = T(complex_fma)(at.z, input.c, T(complex_mul)(c, at.d));
        at.z = T(complex_mul)(at.z, input.centre);
    }
}

template <bool SLOPES, char OPERATION>
static __device__ __forceinline__ void
shape_walk(const struct deep_folds &folds, struct T(formula_walk) & at, struct shape_tangents &t,
           const REAL_POINT *&tape, int &constants, const struct T(formula_step_input) & input)
{
    if constexpr (is_map(OPERATION)) {
        walk_map_on<OPERATION>(folds, at, t.now, constants, input);
    } else if constexpr (is_group(OPERATION)) {
        const uint32_t group = folds.folds[OPERATION - '0'];
        if (group & FOLD_TAPED) {
            const REAL_POINT point = escape_load(tape);
            at.z.x = point.x;
            at.z.y = point.y;
            tape++;
        }
#pragma unroll
        for (int i = 0; i < 4; i++)
            if (group >> i & 1)
                walk_on<SLOPES>(folds, at, t, OPERATION_ABS_X + i, input);
    } else {
        walk_on<SLOPES>(folds, at, t, operation_of(OPERATION), input);
    }
}

template <bool SLOPES, char... OPERATIONS>
static __device__ __forceinline__ struct COMPLEX
shape_delta_step(shape<OPERATIONS...>, const struct deep_folds &folds, struct COMPLEX z,
                 const REAL_POINT *tape, struct COMPLEX delta,
                 const struct T(formula_step_input) & input, struct T(formula_tangents) & tangents)
{
    struct T(formula_walk) at = {z, delta, z, delta};
    struct shape_tangents t = {tangents, tangents};
    int constants = 0;
    (shape_walk<SLOPES, OPERATIONS>(folds, at, t, tape, constants, input), ...);
    tangents = t.now;
    return at.d;
}

#endif
