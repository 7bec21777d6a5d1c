/* One step of the difference between a pixel and the reference, for any list of operations.
 *
 * z_n = Z_m + delta. Both go through the operations together: A, what has become of Z, and d, with
 * A + d for the pixel. From the definition of each operation follows its difference, in which
 * nothing of the size of A is cancelled:
 *
 *     square            d' = (2 A + d) d
 *     product with kept d' = A k + d (K + k)
 *     fold of a part    d' = |A + d| - |A|, by cases
 *     add c             d' = d + c
 *
 * and, where DEEP_OWN is,
 *
 *     product with c      d' = A dc + d (c + dc)
 *     add a constant      d' = d
 *
 * while a constant or a swap does the same to A, d and tangents, and a y that gets the sign of the
 * kept one, A = K B with the kept K, becomes |B| K = s A, s the sign of A K:
 *
 *     sign put back     d' = s d where A + d and K + k have the same s, else -s (2 A + d)
 *
 * An error of u |A| in A is one of u |A d| in a product. A fold's result hangs on the sign of A,
 * and where |A| < |d| on A itself; where the terms of A cancel, a Z rounded to doubles does not
 * tell it. So before such a fold A is read from the orbit's tape. */
#ifndef KERNELS_DEEP_FORMULA_DELTA_H
#define KERNELS_DEEP_FORMULA_DELTA_H

#include "kernels/deep/program.h"
#include "kernels/deep/wide.h"

/* |v + d| - |v|. v may be infinite. Without branches: the signs of a reference orbit are not to be
 * predicted. For v >= 0 it is |v + d| - v = max(d, -2 v - d), else that of -v and -d. */
DEEP_FN double fold_difference(double v, double d)
{
    double stays = copysign(1.0, v) * d, folded = fma(-2.0, fabs(v), -stays);
    return folded > stays ? folded : stays;
}

/* The sign of v w. */
DEEP_FN double sign_of_product(double v, double w)
{
    return copysign(1.0, v) * copysign(1.0, w);
}

/* d' of d, the difference of y from v, where y gets the sign of the kept one, the difference of
 * which from `kept` is d_kept. Both signs change at once where y is a product with
 * the kept one, which then is 0: no more than for a fold does it matter how they are rounded. */
DEEP_FN double sign_difference(double v, double d, double kept, double d_kept)
{
    double sign = sign_of_product(v, kept);
    return sign == sign_of_product(v + d, kept + d_kept) ? sign * d : -sign * fma(2.0, v, d);
}

struct formula_tangents {         /* derivatives of z by the pixel's position */
    struct complex_f64 right, up; /* up: not read where formulas are holomorphic: i times right */
};

DEEP_FN struct complex_f64 complex_swapped(struct complex_f64 a)
{
    struct complex_f64 swapped;
    swapped.x = a.y;
    swapped.y = a.x;
    return swapped;
}

/* May the reference's value before it be on the tape? */
DEEP_FN int operation_reads_sign(int operation)
{
    return operation == OPERATION_ABS_X || operation == OPERATION_ABS_Y ||
           operation == OPERATION_SIGN_Y;
}

/* Is operation i of the list one that only DEEP_OWN has? */
DEEP_FN int list_maps(struct program_list list, int i)
{
    return DEEP_OWN && list.phase->operation[i] >= OPERATION_SWAP;
}

/* The constant of operation i. */
DEEP_FN struct complex_f64 list_factor(struct program_list list, int i)
{
    const double *of_list = list.constants->factor[list.constants->factor_at[i]];
    struct complex_f64 factor;
    factor.x = of_list[0];
    factor.y = of_list[1];
    return factor;
}

/* A number after a swap or a product with a constant. */
DEEP_FN struct complex_f64 complex_mapped(int operation, struct complex_f64 factor,
                                          struct complex_f64 a)
{
    return operation == OPERATION_SWAP ? complex_swapped(a) : complex_mul(a, factor);
}

/* Tangent after an operation; own: A + d before it. */
DEEP_FN struct complex_f64 tangent_after(int operation, struct complex_f64 own,
                                         struct complex_f64 t, struct complex_f64 own_kept,
                                         struct complex_f64 t_kept, struct complex_f64 dc)
{
    switch (operation) {
    case OPERATION_ABS_X:
        t.x = copysign(1.0, own.x) * t.x;
        return t;
    case OPERATION_ABS_Y:
        t.y = copysign(1.0, own.y) * t.y;
        return t;
    case OPERATION_NEG_X:
        t.x = -t.x;
        return t;
    case OPERATION_NEG_Y:
        t.y = -t.y;
        return t;
    case OPERATION_MUL:
        return complex_fma(own, t_kept, complex_mul(own_kept, t));
    case OPERATION_SQR:
        return complex_mul(complex_scale(2, own), t);
    case OPERATION_ADD:
        return complex_add(t, 1, dc);
    default:
        return t;
    }
}

/* Input of a pixel's steps besides z. */
struct formula_step_input {
    struct complex_f64 c;      /* added to the reference's */
    struct complex_f64 centre; /* the reference's */
    struct complex_f64 right;  /* dc by the pixel's position; up is i times that */
};

DEEP_FN struct complex_f64 complex_turned(struct complex_f64 a) /* i a */
{
    struct complex_f64 turned;
    turned.x = -a.y;
    turned.y = a.x;
    return turned;
}

/* Takes both tangents through an operation; own: A + d before it; kept: those of the kept value. */
DEEP_FN void tangents_take(struct formula_tangents *t, struct formula_tangents *kept, int operation,
                           struct complex_f64 own, struct complex_f64 own_kept,
                           const struct formula_step_input *input, int both)
{
    t->right = tangent_after(operation, own, t->right, own_kept, kept->right, input->right);
    if (both)
        t->up =
            tangent_after(operation, own, t->up, own_kept, kept->up, complex_turned(input->right));
    if (operation == OPERATION_KEEP)
        *kept = *t;
}

/* c dA + A dc; own: A + d before. */
DEEP_FN struct formula_tangents tangents_times_c(const struct formula_tangents *t,
                                                 struct complex_f64 own, struct complex_f64 c,
                                                 struct complex_f64 right)
{
    struct formula_tangents product;
    product.right = complex_fma(own, right, complex_mul(c, t->right));
    product.up = complex_fma(own, complex_turned(right), complex_mul(c, t->up));
    return product;
}

/* A and d between two operations, and their kept values. */
struct formula_walk {
    struct complex_f64 z, d, z_kept, d_kept;
};

DEEP_FN void walk_take(struct formula_walk *at, int operation,
                       const struct formula_step_input *input)
{
    switch (operation) {
    case OPERATION_ABS_X:
        at->d.x = fold_difference(at->z.x, at->d.x);
        at->z.x = fabs(at->z.x);
        break;
    case OPERATION_ABS_Y:
        at->d.y = fold_difference(at->z.y, at->d.y);
        at->z.y = fabs(at->z.y);
        break;
    case OPERATION_NEG_X:
        at->d.x = -at->d.x;
        at->z.x = -at->z.x;
        break;
    case OPERATION_NEG_Y:
        at->d.y = -at->d.y;
        at->z.y = -at->z.y;
        break;
    case OPERATION_KEEP:
        at->d_kept = at->d;
        at->z_kept = at->z;
        break;
    case OPERATION_MUL:
        at->d = complex_fma(at->d, complex_add(at->z_kept, 1, at->d_kept),
                            complex_mul(at->z, at->d_kept));
        at->z = complex_mul(at->z, at->z_kept);
        break;
    case OPERATION_SQR:
        at->d = complex_mul(complex_add(at->d, 2, at->z), at->d);
        at->z = complex_mul(at->z, at->z);
        break;
    case OPERATION_ADD:
        at->d = complex_add(at->d, 1, input->c);
        at->z = complex_add(at->z, 1, input->centre);
        break;
    default:
        break;
    }
}

/* Puts the sign of the kept y back; returns the factor of A + d by that. */
DEEP_FN double walk_sign(struct formula_walk *at)
{
    double sign = sign_of_product(at->z.y + at->d.y, at->z_kept.y + at->d_kept.y);
    at->d.y = sign_difference(at->z.y, at->d.y, at->z_kept.y, at->d_kept.y);
    at->z.y = copysign(at->z.y, at->z_kept.y);
    return sign;
}

/* Takes an operation that only DEEP_OWN has, tangents before z. */
DEEP_FN void walk_map(struct formula_walk *at, struct formula_tangents *t, int operation,
                      struct complex_f64 factor, const struct formula_step_input *input)
{
    struct complex_f64 c = complex_add(input->centre, 1, input->c);
    switch (operation) {
    case OPERATION_PLUS:
        at->z = complex_add(at->z, 1, factor);
        break;
    case OPERATION_TIMES_C:
        *t = tangents_times_c(t, complex_add(at->z, 1, at->d), c, input->right);
        at->d = complex_fma(at->z, input->c, complex_mul(c, at->d));
        at->z = complex_mul(at->z, input->centre);
        break;
    case OPERATION_SIGN_Y: {
        double sign = walk_sign(at);
        t->right.y *= sign;
        t->up.y *= sign;
        break;
    }
    default:
        at->z = complex_mapped(operation, factor, at->z);
        at->d = complex_mapped(operation, factor, at->d);
        t->right = complex_mapped(operation, factor, t->right);
        t->up = complex_mapped(operation, factor, t->up);
        break;
    }
}

/* delta of z_(n+1). tape: the step's; tangents: those of z_n become those of z_(n+1); slopes: a
 * constant, whether they are computed; both: whether up is. */
DEEP_FN struct complex_f64 formula_delta_step(struct program_list list, struct complex_f64 z,
                                              const struct orbit_point *tape,
                                              struct complex_f64 delta,
                                              const struct formula_step_input *input, int slopes,
                                              int both, struct formula_tangents *tangents)
{
    const struct program_phase *phase = list.phase;
    struct formula_walk at = {z, delta, z, delta};
    struct formula_tangents t = *tangents, kept = *tangents;
    for (int i = 0; i < phase->operations; i++) {
        int operation = phase->operation[i];
        if (phase->taped[i]) {
            at.z = point_load(tape);
            tape++;
        }
        if (list_maps(list, i)) {
            walk_map(&at, &t, operation, list_factor(list, i), input);
            continue;
        }
        if (slopes)
            tangents_take(&t, &kept, operation, complex_add(at.z, 1, at.d),
                          complex_add(at.z_kept, 1, at.d_kept), input, both);
        walk_take(&at, operation, input);
    }
    *tangents = t;
    return at.d;
}

#endif
