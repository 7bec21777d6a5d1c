/* The step of formula_delta.h with exponents beyond those of the type.
 *
 * A body, between real_f64.h or real_f32.h and real_end.h. */
#ifndef DEEP_REAL
#error "formula_wide_body.h: include a real_*.h before it"
#endif

/* A value of the reference, whose parts have exponents of their own: a fold hangs on one of them
 * alone, however large the other is. */
struct T(parts_wide) {
    DEEP_REAL x, y;
    int32_t x_e, y_e; /* exponents of the parts, not settled; WIDE_ZERO: the part is 0 */
};

/* An orbit as pixels read it. */
struct T(formula_reference) {
    const REAL_POINT *z;
    const REAL_POINT *tape;          /* [step][tape_width] */
    const struct orbit_small *small; /* by rising index and slot */
#ifdef REAL_NARROW
    const struct orbit_point *points, *values; /* z and tape in doubles, for parts that are tiny */
#endif
    int64_t small_count;
    int64_t end;    /* a pixel that comes to Z_end begins again, from Z_0 of the critical orbit */
    int64_t period; /* period of a cycle: Z_end is Z_(end - period), the next point; else 0 */
    int32_t tape_width;
    int32_t phase; /* phase of the step from Z_0 */
};

/* m, or at the end of a cycle the index of the same point, one period before. */
DEEP_FN int64_t T(reference_wrap)(const struct T(formula_reference) * reference, int64_t m)
{
    return m == reference->end ? m - reference->period : m;
}

DEEP_FN struct T(parts_wide) T(parts_of)(struct COMPLEX x, int32_t x_e, int32_t y_e)
{
    struct T(parts_wide) parts;
    parts.x = x.x;
    parts.y = x.y;
    parts.x_e = x.x != 0 ? x_e : WIDE_ZERO;
    parts.y_e = x.y != 0 ? y_e : WIDE_ZERO;
    return parts;
}

/* z, which is Z_m or a value of the tape, with its exponents. */
DEEP_FN struct T(parts_wide) T(reference_listed)(const struct T(formula_reference) * reference,
                                                 int64_t m, int slot, struct COMPLEX z)
{
    const struct orbit_small *small = small_find(reference->small, reference->small_count, m, slot);
#ifdef REAL_NARROW
    const struct orbit_point *point = slot == ORBIT_POINT
                                          ? &reference->points[m]
                                          : &reference->values[m * reference->tape_width + slot];
    const double x = small ? small->x : point->x, y = small ? small->y : point->y;
    const int32_t x_e = narrow_exponent(x), y_e = narrow_exponent(y);
    z.x = narrow_mantissa(x);
    z.y = narrow_mantissa(y);
    return T(parts_of)(z, x_e + (small ? parts_exponent(small->x_exponent) : 0),
                       y_e + (small ? parts_exponent(small->y_exponent) : 0));
#else
    if (!small)
        return T(parts_of)(z, 0, 0);
    z.x = small->x;
    z.y = small->y;
    return T(parts_of)(z, parts_exponent(small->x_exponent), parts_exponent(small->y_exponent));
#endif
}

/* Z_m, or a value of the tape of the step from there. */
DEEP_FN struct T(parts_wide)
    T(reference_parts)(const struct T(formula_reference) * reference, int64_t m, int slot)
{
    struct COMPLEX z =
        T(point_load)(slot == ORBIT_POINT ? &reference->z[m]
                                          : &reference->tape[m * reference->tape_width + slot]);
    DEEP_REAL x = REAL_ABS(z.x), y = REAL_ABS(z.y);
    if (!(x < REAL_PART_TINY || y < REAL_PART_TINY))
        return T(parts_of)(z, 0, 0);
    return T(reference_listed)(reference, m, slot, z);
}

DEEP_FN struct T(complex_wide) T(parts_join)(const struct T(parts_wide) * parts)
{
    int32_t e = parts->x_e > parts->y_e ? parts->x_e : parts->y_e;
    struct COMPLEX x = {0, 0};
    if (e != WIDE_ZERO) {
        x.x = parts->x * T(wide_power)(parts->x_e - e);
        x.y = parts->y * T(wide_power)(parts->y_e - e);
    }
    return T(wide_settle)(x, e);
}

struct T(wide_walk) {
    struct T(parts_wide) parts; /* parts of z: up to the first product, and behind a taped value */
    struct T(parts_wide) parts_kept; /* DEEP_OWN: parts of the kept value, if its sign is read */
    struct T(complex_wide) z, d, z_kept, d_kept;
};

struct T(wide_tangents) {
    struct T(complex_wide) right, up;
};

struct T(wide_step_input) {
    struct T(complex_wide) c, centre, right;
};

DEEP_FN struct T(complex_wide) T(wide_twice)(struct T(complex_wide) a)
{
    a.e++;
    return a;
}

DEEP_FN struct T(complex_wide)
    T(wide_tangent_after)(int operation, struct T(complex_wide) own, struct T(complex_wide) t,
                          struct T(complex_wide) own_kept, struct T(complex_wide) t_kept,
                          struct T(complex_wide) dc)
{
    switch (operation) {
    case OPERATION_MUL:
        return T(wide_add)(T(wide_mul)(own, t_kept), T(wide_mul)(own_kept, t));
    case OPERATION_SQR:
        return T(wide_mul)(T(wide_twice)(own), t);
    case OPERATION_ADD:
        return T(wide_add)(t, dc);
    default:
        t.x = T(tangent_after)(operation, own.x, t.x, own_kept.x, t_kept.x, dc.x);
        return t;
    }
}

DEEP_FN void T(wide_walk_take)(struct T(wide_walk) * at, int operation,
                               const struct T(wide_step_input) * input)
{
    struct T(complex_wide) *z = &at->z, *d = &at->d;
    switch (operation) {
    case OPERATION_ABS_X:
        d->x.x = T(fold_difference)(at->parts.x * T(wide_power)(at->parts.x_e - d->e), d->x.x);
        *d = T(wide_settle)(d->x, d->e);
        at->parts.x = REAL_ABS(at->parts.x);
        z->x.x = REAL_ABS(z->x.x);
        break;
    case OPERATION_ABS_Y:
        d->x.y = T(fold_difference)(at->parts.y * T(wide_power)(at->parts.y_e - d->e), d->x.y);
        *d = T(wide_settle)(d->x, d->e);
        at->parts.y = REAL_ABS(at->parts.y);
        z->x.y = REAL_ABS(z->x.y);
        break;
    case OPERATION_NEG_X:
        d->x.x = -d->x.x;
        at->parts.x = -at->parts.x;
        z->x.x = -z->x.x;
        break;
    case OPERATION_NEG_Y:
        d->x.y = -d->x.y;
        at->parts.y = -at->parts.y;
        z->x.y = -z->x.y;
        break;
    case OPERATION_KEEP:
        at->d_kept = *d;
        at->z_kept = *z;
        if (DEEP_OWN)
            at->parts_kept = at->parts;
        break;
    case OPERATION_MUL:
        *d = T(wide_add)(T(wide_mul)(*z, at->d_kept),
                         T(wide_mul)(*d, T(wide_add)(at->z_kept, at->d_kept)));
        *z = T(wide_mul)(*z, at->z_kept);
        break;
    case OPERATION_SQR:
        *d = T(wide_mul)(T(wide_add)(T(wide_twice)(*z), *d), *d);
        *z = T(wide_mul)(*z, *z);
        break;
    case OPERATION_ADD:
        *d = T(wide_add)(*d, input->c);
        *z = T(wide_add)(*z, input->centre);
        break;
    default:
        break;
    }
}

/* As complex_mapped. */
DEEP_FN struct T(complex_wide)
    T(wide_mapped)(struct program_list list, int i, struct T(complex_wide) a)
{
    return T(wide_settle)(T(complex_mapped)(list.phase->operation[i], T(list_factor)(list, i), a.x),
                          a.e);
}

/* As walk_map. */
DEEP_FN void T(wide_walk_by_c)(struct T(wide_walk) * at, struct T(wide_tangents) * t,
                               const struct T(wide_step_input) * input)
{
    struct T(complex_wide) own = T(wide_add)(at->z, at->d),
                           c = T(wide_add)(input->centre, input->c);
    struct T(complex_wide) up = input->right;
    up.x = T(complex_turned)(up.x);
    t->right = T(wide_add)(T(wide_mul)(own, input->right), T(wide_mul)(c, t->right));
    t->up = T(wide_add)(T(wide_mul)(own, up), T(wide_mul)(c, t->up));
    at->d = T(wide_add)(T(wide_mul)(at->z, input->c), T(wide_mul)(c, at->d));
    at->z = T(wide_mul)(at->z, input->centre);
}

/* As walk_sign. y and the kept one, whose exponents may lie far apart, have powers of their own. */
DEEP_FN void T(wide_walk_sign)(struct T(wide_walk) * at, struct T(wide_tangents) * t)
{
    const struct T(parts_wide) *parts = &at->parts, *of_kept = &at->parts_kept;
    DEEP_REAL y = parts->y * T(wide_power)(parts->y_e - at->d.e), d = at->d.x.y;
    int32_t e = of_kept->y_e > at->d_kept.e ? of_kept->y_e : at->d_kept.e;
    DEEP_REAL kept = of_kept->y * T(wide_power)(of_kept->y_e - e);
    DEEP_REAL d_kept = at->d_kept.x.y * T(wide_power)(at->d_kept.e - e);
    DEEP_REAL sign = T(sign_of_product)(y + d, kept + d_kept);
    t->right.x.y *= sign;
    t->up.x.y *= sign;
    at->d.x.y = T(sign_difference)(y, d, kept, d_kept);
    at->d = T(wide_settle)(at->d.x, at->d.e);
    at->parts.y = REAL_COPYSIGN(parts->y, of_kept->y);
    at->z.x.y = REAL_COPYSIGN(at->z.x.y, of_kept->y);
}

DEEP_FN void T(wide_walk_map)(struct T(wide_walk) * at, struct T(wide_tangents) * t,
                              struct program_list list, int i,
                              const struct T(wide_step_input) * input)
{
    const struct T(parts_wide) parts = at->parts;
    if (list.phase->operation[i] == OPERATION_PLUS) {
        at->z = T(wide_add)(at->z, T(wide_settle)(T(list_factor)(list, i), 0));
        return;
    }
    if (list.phase->operation[i] == OPERATION_TIMES_C) {
        T(wide_walk_by_c)(at, t, input);
        return;
    }
    if (list.phase->operation[i] == OPERATION_SIGN_Y) {
        T(wide_walk_sign)(at, t);
        return;
    }
    at->z = T(wide_mapped)(list, i, at->z);
    at->d = T(wide_mapped)(list, i, at->d);
    t->right = T(wide_mapped)(list, i, t->right);
    t->up = T(wide_mapped)(list, i, t->up);
    at->parts.x = parts.y; /* swaps both; behind a product they are not read */
    at->parts.y = parts.x;
    at->parts.x_e = parts.y_e;
    at->parts.y_e = parts.x_e;
}

DEEP_FN struct T(complex_wide)
    T(formula_wide_step)(struct program_list list, const struct T(formula_reference) * reference,
                         int64_t m, struct T(complex_wide) delta,
                         const struct T(wide_step_input) * input, int slopes, int both,
                         struct T(wide_tangents) * tangents)
{
    const struct program_phase *phase = list.phase;
    struct T(wide_walk) at;
    struct T(wide_tangents) t = *tangents, kept = *tangents;
    struct T(complex_wide) up = input->right;
    int slot = 0;
    up.x = T(complex_turned)(up.x);
    at.parts = at.parts_kept = T(reference_parts)(reference, m, ORBIT_POINT);
    at.z = at.z_kept = T(parts_join)(&at.parts);
    at.d = at.d_kept = delta;
    for (int i = 0; i < phase->operations; i++) {
        int operation = phase->operation[i];
        if (phase->taped[i]) {
            at.parts = T(reference_parts)(reference, m, slot++);
            at.z = T(parts_join)(&at.parts);
        }
        if (list_maps(list, i)) {
            T(wide_walk_map)(&at, &t, list, i, input);
            continue;
        }
        if (slopes) {
            struct T(complex_wide) own = T(wide_add)(at.z, at.d);
            struct T(complex_wide) own_kept = T(wide_add)(at.z_kept, at.d_kept);
            t.right =
                T(wide_tangent_after)(operation, own, t.right, own_kept, kept.right, input->right);
            if (both)
                t.up = T(wide_tangent_after)(operation, own, t.up, own_kept, kept.up, up);
            if (operation == OPERATION_KEEP)
                kept = t;
        }
        T(wide_walk_take)(&at, operation, input);
    }
    *tangents = t;
    return at.d;
}
