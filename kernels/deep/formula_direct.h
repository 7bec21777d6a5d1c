/* Steps without the reference of any formula whose derivatives are similarities: see direct.h.
 *
 * Folds and signs leave lengths alone, so that a step of degree d stretches by d |z|^(d - 1), or by
 * what the constants of an own formula make of that. */
#ifndef KERNELS_DEEP_FORMULA_DIRECT_H
#define KERNELS_DEEP_FORMULA_DIRECT_H

#include "kernels/deep/direct.h"
#include "kernels/deep/formula_delta.h"

/* d^2, and what constants make of it. */
DEEP_FN double list_stretch(struct program_list list)
{
    return DEEP_OWN ? list.constants->stretch : (double)(list.phase->degree * list.phase->degree);
}

/* After a step from z: s^2 d^2 |z|^(2 d - 2). */
DEEP_FN double formula_direct_next(double slope, double norm, double stretch, int degree)
{
    double next = slope * stretch;
    for (int i = 1; i < degree; i++)
        next *= norm;
    return next;
}

/* z' */
DEEP_FN struct complex_f64 formula_direct_step(struct program_list list, struct complex_f64 z,
                                               const struct formula_step_input *input, int slopes,
                                               int both, struct formula_tangents *tangents)
{
    const struct program_phase *phase = list.phase;
    struct complex_f64 kept = z;
    struct formula_tangents t = *tangents, t_kept = *tangents;
    for (int i = 0; i < phase->operations; i++) {
        int operation = phase->operation[i];
        if (list_maps(list, i)) {
            if (operation == OPERATION_PLUS)
                z = complex_add(z, 1, list_factor(list, i));
            else if (operation == OPERATION_TIMES_C) {
                t = tangents_times_c(&t, z, input->centre, input->right);
                z = complex_mul(z, input->centre);
            } else {
                z = list_mapped(list, i, z);
                t.right = list_mapped(list, i, t.right);
                t.up = list_mapped(list, i, t.up);
            }
            continue;
        }
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
