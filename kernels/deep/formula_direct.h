/* Steps without the reference of any formula whose derivatives are similarities: see direct.h.
 *
 * Folds and signs leave lengths alone, so that a step of degree d stretches by d |z|^(d - 1), or by
 * what the constants of an own formula make of that. */
#ifndef KERNELS_DEEP_FORMULA_DIRECT_H
#define KERNELS_DEEP_FORMULA_DIRECT_H

#include "kernels/deep/direct.h"
#include "kernels/deep/formula_delta.h"

/* d^2, times the square of what constants multiply by. */
DEEP_FN double list_stretch(struct program_list list)
{
    return DEEP_OWN ? list.constants->stretch : (double)(list.phase->degree * list.phase->degree);
}

/* s^2 after a step from z: s^2 d^2 |z|^(2 d - 2). */
DEEP_FN double formula_direct_next(double slope, double norm, double stretch, int degree)
{
    double next = slope * stretch;
    for (int i = 1; i < degree; i++)
        next *= norm;
    return next;
}

/* A pixel that goes without the reference. */
struct formula_direct {
    struct complex_f64 z;
    struct formula_tangents tangents;
    double norm, slope; /* |z|^2, and see direct.h */
    double next;        /* slope after the next step */
};

struct direct_walk { /* z and its tangents between two operations, and what was kept of them */
    struct complex_f64 z, kept;
    struct formula_tangents t, t_kept;
};

/* An operation that rows have. */
DEEP_FN void direct_take(struct direct_walk *at, int operation,
                         const struct formula_step_input *input, int slopes, int both)
{
    if (slopes)
        tangents_take(&at->t, &at->t_kept, operation, at->z, at->kept, input, both);
    switch (operation) {
    case OPERATION_ABS_X:
        at->z.x = fabs(at->z.x);
        break;
    case OPERATION_ABS_Y:
        at->z.y = fabs(at->z.y);
        break;
    case OPERATION_NEG_X:
        at->z.x = -at->z.x;
        break;
    case OPERATION_NEG_Y:
        at->z.y = -at->z.y;
        break;
    case OPERATION_KEEP:
        at->kept = at->z;
        break;
    case OPERATION_MUL:
        at->z = complex_mul(at->z, at->kept);
        break;
    case OPERATION_SQR:
        at->z = complex_mul(at->z, at->z);
        break;
    case OPERATION_ADD:
        at->z = complex_add(at->z, 1, input->centre);
        break;
    default:
        break;
    }
}

/* An operation that only DEEP_OWN has. */
DEEP_FN void direct_map(struct direct_walk *at, int operation, struct complex_f64 factor,
                        const struct formula_step_input *input)
{
    if (operation == OPERATION_PLUS)
        at->z = complex_add(at->z, 1, factor);
    else if (operation == OPERATION_TIMES_C) {
        at->t = tangents_times_c(&at->t, at->z, input->centre, input->right);
        at->z = complex_mul(at->z, input->centre);
    } else if (operation == OPERATION_SIGN_Y) {
        double sign = sign_of_product(at->z.y, at->kept.y);
        at->t.right.y *= sign;
        at->t.up.y *= sign;
        at->z.y = copysign(at->z.y, at->kept.y);
    } else {
        at->z = complex_mapped(operation, factor, at->z);
        at->t.right = complex_mapped(operation, factor, at->t.right);
        at->t.up = complex_mapped(operation, factor, at->t.up);
    }
}

/* z' */
DEEP_FN struct complex_f64 formula_direct_step(struct program_list list, struct complex_f64 z,
                                               const struct formula_step_input *input, int slopes,
                                               int both, struct formula_tangents *tangents)
{
    struct direct_walk at = {z, z, *tangents, *tangents};
    for (int i = 0; i < list.phase->operations; i++)
        if (list_maps(list, i))
            direct_map(&at, list.phase->operation[i], list_factor(list, i), input);
        else
            direct_take(&at, list.phase->operation[i], input, slopes, both);
    *tangents = at.t;
    return at.z;
}

/* Updates norm and slope after a step to z; stretch and degree: those of the next step. */
DEEP_FN enum direct_end formula_direct_arrive(struct formula_direct *at, double stretch, int degree,
                                              const struct direct_limits *limits)
{
    at->norm = fma(at->z.x, at->z.x, at->z.y * at->z.y);
    at->slope = at->next;
    at->next = formula_direct_next(at->next, at->norm, stretch, degree);
    return direct_end(at->norm, at->next, limits);
}

struct formula_slots; /* formula_packs.h */
struct lane_run;      /* formula_lanes.h */

struct along_run { /* a pixel along the reference */
    struct complex_f64 delta;
    struct formula_tangents tangents;
    const struct orbit_point *z, *tape; /* points of the next step and of those behind it */
    const uint8_t *taped;               /* member of struct program_phase */
};

/* After a step to Z + delta that is not the last: may the next follow at once? */
DEEP_FN int along_goes_on(struct complex_f64 delta, const struct orbit_point *reference, int leaves,
                          int degree, const struct direct_limits *limits)
{
    struct complex_f64 z = {reference->x + delta.x, reference->y + delta.y};
    double norm = fma(z.x, z.x, z.y * z.y);
    int stays = (norm <= limits->bailout_squared) & (complex_max(z) >= complex_max(delta));
    if (!stays || !leaves)
        return stays;
    double slope = fma(delta.x, delta.x, delta.y * delta.y);
    return direct_end(norm, formula_direct_next(slope, norm, degree * degree, degree), limits) !=
           DIRECT_GOES_ON;
}

/* The steps of a row, compiled for it (formula_rows.h): the same bits as by its list, without a
 * jump for each operation. [1]: with tangents. NULL of a row that these kernels do not take. */
struct formula_row {
    /* Takes up to `most` >= 1 steps along the reference and returns their number: until the pixel
     * may have escaped, may rebase or, where `leaves`, leave the reference, as the caller tests. */
    int64_t (*along[2])(struct along_run *run, const struct formula_step_input *input,
                        const struct direct_limits *limits, int leaves, int64_t most);
    /* As formula_direct_on. */
    enum direct_end (*directly[2])(struct formula_direct *at,
                                   const struct formula_step_input *input,
                                   const struct direct_limits *limits, int64_t most,
                                   int64_t *taken);
    /* As formula_slots_step; NULL without SIMD. */
    int64_t (*lanes[2])(struct formula_slots *slots, const struct direct_limits *limits,
                        struct complex_f64 dc, int64_t most, uint32_t *ends);
    /* As `along`, of LANES pixels, until one of them stops; NULL without SIMD. */
    int64_t (*along_lanes[2])(struct lane_run *run, const struct direct_limits *limits, int leaves,
                              int64_t most);
};

#endif
