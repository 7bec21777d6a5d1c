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

static __device__ __forceinline__ double sign_set(double x, uint32_t keep, uint32_t flip)
{
    return __hiloint2double((int)(((uint32_t)__double2hiint(x) & keep) ^ flip), __double2loint(x));
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
    struct formula_tangents now, kept;
};

/* Takes tangents through an operation; own: its operand, own_kept: the kept value. */
static __device__ __forceinline__ void
tangents_take(const struct deep_folds &folds, struct shape_tangents &t, int operation,
              struct complex_f64 own, struct complex_f64 own_kept, struct complex_f64 right)
{
    t.now.right = tangent_after(operation, own, t.now.right, own_kept, t.kept.right, right);
    if (folds.both)
        t.now.up =
            tangent_after(operation, own, t.now.up, own_kept, t.kept.up, complex_turned(right));
    if (operation == OPERATION_KEEP)
        t.kept = t.now;
}

static __device__ __forceinline__ struct complex_f64 next_constant(const struct deep_folds &folds,
                                                                   int &taken)
{
    const struct complex_f64 constant = {folds.constant[taken][0], folds.constant[taken][1]};
    taken++;
    return constant;
}

/* ---- without the reference ---- */

static __device__ __forceinline__ void tangents_swap(struct formula_tangents &t)
{
    t.right = complex_swapped(t.right);
    t.up = complex_swapped(t.up);
}

static __device__ __forceinline__ void tangents_sign(struct formula_tangents &t, double sign)
{
    t.right.y *= sign;
    t.up.y *= sign;
}

/* As direct_map. */
template <char OPERATION>
static __device__ __forceinline__ void
shape_map(const struct deep_folds &folds, struct complex_f64 &z, struct complex_f64 kept,
          struct formula_tangents &t, int &constants, const struct formula_step_input &input)
{
    if constexpr (OPERATION == 'P') {
        z = complex_add(z, 1, next_constant(folds, constants));
    } else if constexpr (OPERATION == 'F') {
        const struct complex_f64 factor = next_constant(folds, constants);
        z = complex_mul(z, factor);
        t.right = complex_mul(t.right, factor);
    } else if constexpr (OPERATION == 'W') {
        z = complex_swapped(z);
        tangents_swap(t);
    } else if constexpr (OPERATION == 'G') {
        tangents_sign(t, sign_of_product(z.y, kept.y));
        z.y = copysign(z.y, kept.y);
    } else {
        t = tangents_times_c(&t, z, input.centre, input.right);
        z = complex_mul(z, input.centre);
    }
}

template <bool SLOPES, char OPERATION>
static __device__ __forceinline__ void
shape_take(const struct deep_folds &folds, struct complex_f64 &z, struct complex_f64 &kept,
           struct shape_tangents &t, int &constants, const struct formula_step_input &input)
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
                tangents_take(folds, t, OPERATION_ABS_X + i, z, kept, input.right);
        z.x = sign_set(z.x, folds.keep_x[group], folds.flip_x[group]);
        z.y = sign_set(z.y, folds.keep_y[group], folds.flip_y[group]);
        return;
    }
    if (SLOPES)
        tangents_take(folds, t, operation_of(OPERATION), z, kept, input.right);
    if constexpr (OPERATION == 'S')
        z = complex_mul(z, z);
    else if constexpr (OPERATION == 'K')
        kept = z;
    else if constexpr (OPERATION == 'M')
        z = complex_mul(z, kept);
    else
        z = complex_add(z, 1, input.centre);
}

template <bool SLOPES, char... OPERATIONS>
static __device__ __forceinline__ struct complex_f64
shape_direct_step(shape<OPERATIONS...>, const struct deep_folds &folds, struct complex_f64 z,
                  const struct formula_step_input &input, struct formula_tangents &tangents)
{
    struct complex_f64 kept = z;
    struct shape_tangents t = {tangents, tangents};
    int constants = 0;
    (shape_take<SLOPES, OPERATIONS>(folds, z, kept, t, constants, input), ...);
    tangents = t.now;
    return z;
}

/* ---- along the reference ---- */

template <bool SLOPES>
static __device__ __forceinline__ void
walk_on(const struct deep_folds &folds, struct formula_walk &at, struct shape_tangents &t,
        int operation, const struct formula_step_input &input)
{
    if (SLOPES)
        tangents_take(folds, t, operation, complex_add(at.z, 1, at.d),
                      complex_add(at.z_kept, 1, at.d_kept), input.right);
    walk_take(&at, operation, &input);
}

/* As walk_map. */
template <char OPERATION>
static __device__ __forceinline__ void
walk_map_on(const struct deep_folds &folds, struct formula_walk &at, struct formula_tangents &t,
            int &constants, const struct formula_step_input &input)
{
    if constexpr (OPERATION == 'P') {
        at.z = complex_add(at.z, 1, next_constant(folds, constants));
    } else if constexpr (OPERATION == 'F') {
        const struct complex_f64 factor = next_constant(folds, constants);
        at.z = complex_mul(at.z, factor);
        at.d = complex_mul(at.d, factor);
        t.right = complex_mul(t.right, factor);
    } else if constexpr (OPERATION == 'W') {
        at.z = complex_swapped(at.z);
        at.d = complex_swapped(at.d);
        tangents_swap(t);
    } else if constexpr (OPERATION == 'G') {
        tangents_sign(t, walk_sign(&at));
    } else {
        const struct complex_f64 c = complex_add(input.centre, 1, input.c);
        t = tangents_times_c(&t, complex_add(at.z, 1, at.d), c, input.right);
        at.d = complex_fma(at.z, input.c, complex_mul(c, at.d));
        at.z = complex_mul(at.z, input.centre);
    }
}

template <bool SLOPES, char OPERATION>
static __device__ __forceinline__ void
shape_walk(const struct deep_folds &folds, struct formula_walk &at, struct shape_tangents &t,
           const struct orbit_point *&tape, int &constants, const struct formula_step_input &input)
{
    if constexpr (is_map(OPERATION)) {
        walk_map_on<OPERATION>(folds, at, t.now, constants, input);
    } else if constexpr (is_group(OPERATION)) {
        const uint32_t group = folds.folds[OPERATION - '0'];
        if (group & FOLD_TAPED) {
            const struct orbit_point point = escape_load(tape);
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
static __device__ __forceinline__ struct complex_f64
shape_delta_step(shape<OPERATIONS...>, const struct deep_folds &folds, struct complex_f64 z,
                 const struct orbit_point *tape, struct complex_f64 delta,
                 const struct formula_step_input &input, struct formula_tangents &tangents)
{
    struct formula_walk at = {z, delta, z, delta};
    struct shape_tangents t = {tangents, tangents};
    int constants = 0;
    (shape_walk<SLOPES, OPERATIONS>(folds, at, t, tape, constants, input), ...);
    tangents = t.now;
    return at.d;
}

#endif
