/* One step of the difference between a pixel and the reference, for any list (formula_delta.h).
 *
 * A body, between real_f64.h or real_f32.h and real_end.h. */
#ifndef DEEP_REAL
#error "formula_delta_body.h: include a real_*.h before it"
#endif

/* |v + d| - |v|. v may be infinite. Without branches: the signs of a reference orbit are not to be
 * predicted. For v >= 0 it is |v + d| - v = max(d, -2 v - d), else that of -v and -d. */
DEEP_FN DEEP_REAL T(fold_difference)(DEEP_REAL v, DEEP_REAL d)
{
    DEEP_REAL stays = REAL_COPYSIGN((DEEP_REAL)1, v) * d,
              folded = REAL_FMA((DEEP_REAL)-2, REAL_ABS(v), -stays);
    return folded > stays ? folded : stays;
}

/* The sign of v w. */
DEEP_FN DEEP_REAL T(sign_of_product)(DEEP_REAL v, DEEP_REAL w)
{
    return REAL_COPYSIGN((DEEP_REAL)1, v) * REAL_COPYSIGN((DEEP_REAL)1, w);
}

/* d' of d, the difference of y from v, where y gets the sign of the kept one, the difference of
 * which from `kept` is d_kept. Both signs change at once where y is a product with
 * the kept one, which then is 0: no more than for a fold does it matter how they are rounded. */
DEEP_FN DEEP_REAL T(sign_difference)(DEEP_REAL v, DEEP_REAL d, DEEP_REAL kept, DEEP_REAL d_kept)
{
    DEEP_REAL sign = T(sign_of_product)(v, kept);
    return sign == T(sign_of_product)(v + d, kept + d_kept) ? sign * d
                                                            : -sign * REAL_FMA((DEEP_REAL)2, v, d);
}

struct T(formula_tangents) {  /* derivatives of z by the pixel's position */
    struct COMPLEX right, up; /* up: not read where formulas are holomorphic: i times right */
};

DEEP_FN struct COMPLEX T(complex_swapped)(struct COMPLEX a)
{
    struct COMPLEX swapped;
    swapped.x = a.y;
    swapped.y = a.x;
    return swapped;
}

/* The constant of operation i. */
DEEP_FN struct COMPLEX T(list_factor)(struct program_list list, int i)
{
    const DEEP_REAL *of_list = list.constants->T(factor)[list.constants->factor_at[i]];
    struct COMPLEX factor;
    factor.x = of_list[0];
    factor.y = of_list[1];
    return factor;
}

/* A number after a swap or a product with a constant. */
DEEP_FN struct COMPLEX T(complex_mapped)(int operation, struct COMPLEX factor, struct COMPLEX a)
{
    return operation == OPERATION_SWAP ? T(complex_swapped)(a) : T(complex_mul)(a, factor);
}

/* Tangent after an operation; own: A + d before it. */
DEEP_FN struct COMPLEX T(tangent_after)(int operation, struct COMPLEX own, struct COMPLEX t,
                                        struct COMPLEX own_kept, struct COMPLEX t_kept,
                                        struct COMPLEX dc)
{
    switch (operation) {
    case OPERATION_ABS_X:
        t.x = REAL_COPYSIGN((DEEP_REAL)1, own.x) * t.x;
        return t;
    case OPERATION_ABS_Y:
        t.y = REAL_COPYSIGN((DEEP_REAL)1, own.y) * t.y;
        return t;
    case OPERATION_NEG_X:
        t.x = -t.x;
        return t;
    case OPERATION_NEG_Y:
        t.y = -t.y;
        return t;
    case OPERATION_MUL:
        return T(complex_fma)(own, t_kept, T(complex_mul)(own_kept, t));
    case OPERATION_SQR:
        return T(complex_mul)(T(complex_scale)(2, own), t);
    case OPERATION_ADD:
        return T(complex_add)(t, 1, dc);
    default:
        return t;
    }
}

/* Input of a pixel's steps besides z. */
struct T(formula_step_input) {
    struct COMPLEX c;      /* added to the reference's */
    struct COMPLEX centre; /* the reference's */
    struct COMPLEX right;  /* dc by the pixel's position; up is i times that */
#ifdef REAL_SCALED
    DEEP_REAL scale, per_scale; /* delta and c are over it; its inverse, or the largest power */
    DEEP_REAL least, below;     /* range of max(|x|, |y|) of a delta that stays over it */
#endif
};

/* A + d of a pixel. */
DEEP_FN struct COMPLEX T(walk_own)(struct COMPLEX a, struct COMPLEX d,
                                   const struct T(formula_step_input) * input)
{
#ifdef REAL_SCALED
    return T(complex_add)(a, input->scale, d);
#else
    (void)input;
    return T(complex_add)(a, 1, d);
#endif
}

/* Part of A, for comparison with that of d. */
DEEP_FN DEEP_REAL T(walk_over)(DEEP_REAL part, const struct T(formula_step_input) * input)
{
#ifdef REAL_SCALED
    return part * input->per_scale;
#else
    (void)input;
    return part;
#endif
}

DEEP_FN struct COMPLEX T(complex_turned)(struct COMPLEX a) /* i a */
{
    struct COMPLEX turned;
    turned.x = -a.y;
    turned.y = a.x;
    return turned;
}

/* Takes both tangents through an operation; own: A + d before it; kept: those of the kept value. */
DEEP_FN void T(tangents_take)(struct T(formula_tangents) * t, struct T(formula_tangents) * kept,
                              int operation, struct COMPLEX own, struct COMPLEX own_kept,
                              const struct T(formula_step_input) * input, int both)
{
    t->right = T(tangent_after)(operation, own, t->right, own_kept, kept->right, input->right);
    if (both)
        t->up = T(tangent_after)(operation, own, t->up, own_kept, kept->up,
                                 T(complex_turned)(input->right));
    if (operation == OPERATION_KEEP)
        *kept = *t;
}

/* c dA + A dc; own: A + d before. */
DEEP_FN struct T(formula_tangents)
    T(tangents_times_c)(const struct T(formula_tangents) * t, struct COMPLEX own, struct COMPLEX c,
                        struct COMPLEX right)
{
    struct T(formula_tangents) product;
    product.right = T(complex_fma)(own, right, T(complex_mul)(c, t->right));
    product.up = T(complex_fma)(own, T(complex_turned)(right), T(complex_mul)(c, t->up));
    return product;
}

/* A and d between two operations, and their kept values. */
struct T(formula_walk) {
    struct COMPLEX z, d, z_kept, d_kept;
};

DEEP_FN void T(walk_take)(struct T(formula_walk) * at, int operation,
                          const struct T(formula_step_input) * input)
{
    switch (operation) {
    case OPERATION_ABS_X:
        at->d.x = T(fold_difference)(T(walk_over)(at->z.x, input), at->d.x);
        at->z.x = REAL_ABS(at->z.x);
        break;
    case OPERATION_ABS_Y:
        at->d.y = T(fold_difference)(T(walk_over)(at->z.y, input), at->d.y);
        at->z.y = REAL_ABS(at->z.y);
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
        at->d = T(complex_fma)(at->d, T(walk_own)(at->z_kept, at->d_kept, input),
                               T(complex_mul)(at->z, at->d_kept));
        at->z = T(complex_mul)(at->z, at->z_kept);
        break;
    case OPERATION_SQR:
#ifdef REAL_SCALED
        at->d = T(complex_mul)(T(walk_own)(T(complex_scale)(2, at->z), at->d, input), at->d);
#else
        at->d = T(complex_mul)(T(complex_add)(at->d, 2, at->z), at->d);
#endif
        at->z = T(complex_mul)(at->z, at->z);
        break;
    case OPERATION_ADD:
        at->d = T(complex_add)(at->d, 1, input->c);
        at->z = T(complex_add)(at->z, 1, input->centre);
        break;
    default:
        break;
    }
}

/* Puts the sign of the kept y back; returns the factor of A + d by that. */
DEEP_FN DEEP_REAL T(walk_sign)(struct T(formula_walk) * at,
                               const struct T(formula_step_input) * input)
{
    const DEEP_REAL y = T(walk_over)(at->z.y, input), kept = T(walk_over)(at->z_kept.y, input);
    DEEP_REAL sign = T(sign_of_product)(y + at->d.y, kept + at->d_kept.y);
    at->d.y = T(sign_difference)(y, at->d.y, kept, at->d_kept.y);
    at->z.y = REAL_COPYSIGN(at->z.y, at->z_kept.y);
    return sign;
}

/* Takes an operation that only DEEP_OWN has, tangents before z. */
DEEP_FN void T(walk_map)(struct T(formula_walk) * at, struct T(formula_tangents) * t, int operation,
                         struct COMPLEX factor, const struct T(formula_step_input) * input)
{
    struct COMPLEX c = T(walk_own)(input->centre, input->c, input);
    switch (operation) {
    case OPERATION_PLUS:
        at->z = T(complex_add)(at->z, 1, factor);
        break;
    case OPERATION_TIMES_C:
        *t = T(tangents_times_c)(t, T(complex_add)(at->z, 1, at->d), c, input->right);
        at->d = T(complex_fma)(at->z, input->c, T(complex_mul)(c, at->d));
        at->z = T(complex_mul)(at->z, input->centre);
        break;
    case OPERATION_SIGN_Y: {
        DEEP_REAL sign = T(walk_sign)(at, input);
        t->right.y *= sign;
        t->up.y *= sign;
        break;
    }
    default:
        at->z = T(complex_mapped)(operation, factor, at->z);
        at->d = T(complex_mapped)(operation, factor, at->d);
        t->right = T(complex_mapped)(operation, factor, t->right);
        t->up = T(complex_mapped)(operation, factor, t->up);
        break;
    }
}

/* delta of z_(n+1). tape: the step's; tangents: those of z_n become those of z_(n+1); slopes: a
 * constant, whether they are computed; both: whether up is. */
DEEP_FN struct COMPLEX T(formula_delta_step)(struct program_list list, struct COMPLEX z,
                                             const REAL_POINT *tape, struct COMPLEX delta,
                                             const struct T(formula_step_input) * input, int slopes,
                                             int both, struct T(formula_tangents) * tangents)
{
    const struct program_phase *phase = list.phase;
    struct T(formula_walk) at = {z, delta, z, delta};
    struct T(formula_tangents) t = *tangents, kept = *tangents;
    for (int i = 0; i < phase->operations; i++) {
        int operation = phase->operation[i];
        if (phase->taped[i]) {
            at.z = T(point_load)(tape);
            tape++;
        }
        if (list_maps(list, i)) {
            T(walk_map)(&at, &t, operation, T(list_factor)(list, i), input);
            continue;
        }
        if (slopes)
            T(tangents_take)
        (&t, &kept, operation, T(complex_add)(at.z, 1, at.d),
         T(complex_add)(at.z_kept, 1, at.d_kept), input, both);
        T(walk_take)(&at, operation, input);
    }
    *tangents = t;
    return at.d;
}
