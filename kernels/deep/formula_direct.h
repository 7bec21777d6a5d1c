/* Steps without the reference of any formula whose derivatives are similarities: see direct.h.
 *
 * Folds and signs leave lengths alone, so that a step of degree d stretches by d |z|^(d - 1). */
#ifndef KERNELS_DEEP_FORMULA_DIRECT_H
#define KERNELS_DEEP_FORMULA_DIRECT_H

#include "kernels/deep/direct.h"
#include "kernels/deep/formula_delta.h"

/* After a step from z: s^2 d^2 |z|^(2 d - 2). */
DEEP_FN double formula_direct_next(double slope, double norm, int degree)
{
    double next = slope * (double)(degree * degree);
    for (int i = 1; i < degree; i++)
        next *= norm;
    return next;
}

/* z' */
DEEP_FN struct complex_f64 formula_direct_step(const struct program_phase *phase,
                                               struct complex_f64 z,
                                               const struct formula_step_input *input, int slopes,
                                               int both, struct formula_tangents *tangents)
{
    struct complex_f64 kept = z;
    struct formula_tangents t = *tangents, t_kept = *tangents;
    for (int i = 0; i < phase->operations; i++) {
        int operation = phase->operation[i];
        if (slopes) {
            t.right = tangent_after(operation, z, t.right, kept, t_kept.right, input->right);
            if (both)
                t.up = tangent_after(operation, z, t.up, kept, t_kept.up,
                                     complex_turned(input->right));
            if (operation == OPERATION_KEEP)
                t_kept = t;
        }
        switch (operation) {
        case OPERATION_ABS_X:
            z.x = fabs(z.x);
            break;
        case OPERATION_ABS_Y:
            z.y = fabs(z.y);
            break;
        case OPERATION_NEG_X:
            z.x = -z.x;
            break;
        case OPERATION_NEG_Y:
            z.y = -z.y;
            break;
        case OPERATION_KEEP:
            kept = z;
            break;
        case OPERATION_MUL:
            z = complex_mul(z, kept);
            break;
        case OPERATION_SQR:
            z = complex_mul(z, z);
            break;
        case OPERATION_ADD:
            z = complex_add(z, 1, input->centre);
            break;
        default:
            break;
        }
    }
    *tangents = t;
    return z;
}

#endif
