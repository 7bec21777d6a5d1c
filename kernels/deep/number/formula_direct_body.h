/* Steps without the reference of any formula (formula_direct.h).
 *
 * A body, between real_f64.h or real_f32.h and real_end.h. */
#ifndef DEEP_REAL
#error "formula_direct_body.h: include a real_*.h before it"
#endif

/* d^2, times the square of what constants multiply by. */
DEEP_FN DEEP_REAL T(list_stretch)(struct program_list list)
{
    return DEEP_OWN ? list.constants->T(stretch)
                    : (DEEP_REAL)(list.phase->degree * list.phase->degree);
}

/* s^2 after a step from z: s^2 d^2 |z|^(2 d - 2). */
DEEP_FN DEEP_REAL T(formula_direct_next)(DEEP_REAL slope, DEEP_REAL norm, DEEP_REAL stretch,
                                         int degree)
{
    DEEP_REAL next = slope * stretch;
    for (int i = 1; i < degree; i++)
        next *= norm;
#ifdef REAL_SLOPE_MOST
    next = next < REAL_SLOPE_MOST ? next : REAL_SLOPE_MOST;
#endif
    return next;
}

/* A pixel that goes without the reference. */
struct T(formula_direct) {
    struct COMPLEX z;
    struct T(formula_tangents) tangents;
    DEEP_REAL norm, slope; /* |z|^2, and see direct.h */
    DEEP_REAL next;        /* slope after the next step */
};

struct T(direct_walk) { /* z and its tangents between two operations, and what was kept of them */
    struct COMPLEX z, kept;
    struct T(formula_tangents) t, t_kept;
};

/* An operation that rows have. */
DEEP_FN void T(direct_take)(struct T(direct_walk) * at, int operation,
                            const struct T(formula_step_input) * input, int slopes, int both)
{
    if (slopes)
        T(tangents_take)(&at->t, &at->t_kept, operation, at->z, at->kept, input, both);
    switch (operation) {
    case OPERATION_ABS_X:
        at->z.x = REAL_ABS(at->z.x);
        break;
    case OPERATION_ABS_Y:
        at->z.y = REAL_ABS(at->z.y);
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
        at->z = T(complex_mul)(at->z, at->kept);
        break;
    case OPERATION_SQR:
        at->z = T(complex_mul)(at->z, at->z);
        break;
    case OPERATION_ADD:
        at->z = T(complex_add)(at->z, 1, input->centre);
        break;
    default:
        break;
    }
}

/* An operation that only DEEP_OWN has. */
DEEP_FN void T(direct_map)(struct T(direct_walk) * at, int operation, struct COMPLEX factor,
                           const struct T(formula_step_input) * input)
{
    if (operation == OPERATION_PLUS)
        at->z = T(complex_add)(at->z, 1, factor);
    else if (operation == OPERATION_TIMES_C) {
        at->t = T(tangents_times_c)(&at->t, at->z, input->centre, input->right);
        at->z = T(complex_mul)(at->z, input->centre);
    } else if (operation == OPERATION_SIGN_Y) {
        DEEP_REAL sign = T(sign_of_product)(at->z.y, at->kept.y);
        at->t.right.y *= sign;
        at->t.up.y *= sign;
        at->z.y = REAL_COPYSIGN(at->z.y, at->kept.y);
    } else {
        at->z = T(complex_mapped)(operation, factor, at->z);
        at->t.right = T(complex_mapped)(operation, factor, at->t.right);
        at->t.up = T(complex_mapped)(operation, factor, at->t.up);
    }
}

/* z' */
DEEP_FN struct COMPLEX T(formula_direct_step)(struct program_list list, struct COMPLEX z,
                                              const struct T(formula_step_input) * input,
                                              int slopes, int both,
                                              struct T(formula_tangents) * tangents)
{
    struct T(direct_walk) at = {z, z, *tangents, *tangents};
    for (int i = 0; i < list.phase->operations; i++)
        if (list_maps(list, i))
            T(direct_map)(&at, list.phase->operation[i], T(list_factor)(list, i), input);
        else
            T(direct_take)(&at, list.phase->operation[i], input, slopes, both);
    *tangents = at.t;
    return at.z;
}

/* Updates norm and slope after a step to z; stretch and degree: those of the next step. */
DEEP_FN enum direct_end T(formula_direct_arrive)(struct T(formula_direct) * at, DEEP_REAL stretch,
                                                 int degree, const struct T(direct_limits) * limits)
{
    at->norm = REAL_FMA(at->z.x, at->z.x, at->z.y * at->z.y);
    at->slope = at->next;
    at->next = T(formula_direct_next)(at->next, at->norm, stretch, degree);
    return T(direct_end)(at->norm, at->next, limits);
}

struct T(formula_slots); /* formula_packs.h */
struct T(lane_run);      /* formula_lanes.h */

struct T(along_run) { /* a pixel along the reference */
    struct COMPLEX delta;
    struct T(formula_tangents) tangents;
    const REAL_POINT *z, *tape; /* points of the next step and of those behind it */
    const uint8_t *taped;       /* member of struct program_phase */
};

/* After a step to Z + delta that is not the last: may the next follow at once? */
DEEP_FN int T(along_goes_on)(struct COMPLEX delta, const REAL_POINT *reference, int leaves,
                             int degree, const struct T(direct_limits) * limits)
{
    struct COMPLEX z = {reference->x + delta.x, reference->y + delta.y};
    DEEP_REAL norm = REAL_FMA(z.x, z.x, z.y * z.y);
    int stays = (norm <= limits->bailout_squared) & (T(complex_max)(z) >= T(complex_max)(delta));
    if (!stays || !leaves)
        return stays;
    DEEP_REAL slope = REAL_FMA(delta.x, delta.x, delta.y * delta.y);
    return T(direct_end)(norm, T(formula_direct_next)(slope, norm, degree * degree, degree),
                         limits) != DIRECT_GOES_ON;
}

/* The steps of a row, compiled for it (formula_rows.h): the same bits as by its list, without a
 * jump for each operation. [1]: with tangents. NULL of a row that these kernels do not take. */
struct T(formula_row) {
    /* Takes up to `most` >= 1 steps along the reference and returns their number: until the pixel
     * may have escaped, may rebase or, where `leaves`, leave the reference, as the caller tests. */
    int64_t (*along[2])(struct T(along_run) * run, const struct T(formula_step_input) * input,
                        const struct T(direct_limits) * limits, int leaves, int64_t most);
    /* As formula_direct_on. */
    enum direct_end (*directly[2])(struct T(formula_direct) * at,
                                   const struct T(formula_step_input) * input,
                                   const struct T(direct_limits) * limits, int64_t most,
                                   int64_t *taken);
    /* As formula_slots_step; NULL without SIMD. */
    int64_t (*lanes[2])(struct T(formula_slots) * slots, const struct T(direct_limits) * limits,
                        struct COMPLEX dc, int64_t most, uint32_t *ends);
    /* As `along`, of LANES pixels, until one of them stops; NULL without SIMD. */
    int64_t (*along_lanes[2])(struct T(lane_run) * run, const struct T(direct_limits) * limits,
                              int leaves, int64_t most);
};
