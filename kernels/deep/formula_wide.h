/* The step of formula_delta.h with exponents beyond those of doubles. */
#ifndef KERNELS_DEEP_FORMULA_WIDE_H
#define KERNELS_DEEP_FORMULA_WIDE_H

#include "kernels/deep/formula_delta.h"

/* A value of the reference, whose parts have exponents of their own: a fold hangs on one of them
 * alone, however large the other is. */
struct parts_wide {
    double x, y;
    int32_t x_e, y_e; /* exponents of the parts, not settled; WIDE_ZERO: the part is 0 */
};

/* An orbit as pixels read it. */
struct formula_reference {
    const struct orbit_point *z;
    const struct orbit_point *tape;  /* [step][tape_width] */
    const struct orbit_small *small; /* by rising index and slot */
    int64_t small_count;
    int64_t end;    /* a pixel that comes to Z_end begins again, from Z_0 of the critical orbit */
    int64_t period; /* period of a cycle: Z_end is Z_(end - period), the next point; else 0 */
    int32_t tape_width;
    int32_t phase; /* phase of the step from Z_0 */
};

/* m, or at the end of a cycle the index of the same point, one period before. */
DEEP_FN int64_t reference_wrap(const struct formula_reference *reference, int64_t m)
{
    return m == reference->end ? m - reference->period : m;
}

DEEP_FN struct parts_wide parts_of(struct complex_f64 x, int32_t x_e, int32_t y_e)
{
    struct parts_wide parts;
    parts.x = x.x;
    parts.y = x.y;
    parts.x_e = x.x != 0 ? x_e : WIDE_ZERO;
    parts.y_e = x.y != 0 ? y_e : WIDE_ZERO;
    return parts;
}

DEEP_FN int32_t parts_exponent(int64_t e)
{
    const int64_t most = 16 * WIDE_MOST; /* exponent of a small number's inverse at a pole */
    return e < -2 * WIDE_MOST ? -2 * WIDE_MOST : (int32_t)(e > most ? most : e);
}

DEEP_FN int small_before(const struct orbit_small *small, int64_t index, int slot)
{
    return small->index < index || (small->index == index && small->slot < slot);
}

/* z, which is Z_m or a value of the tape, with its exponents in the list of small values. */
DEEP_FN struct parts_wide reference_listed(const struct formula_reference *reference, int64_t m,
                                           int slot, struct complex_f64 z)
{
    int64_t low = 0;
    for (int64_t high = reference->small_count; low < high;) {
        int64_t middle = low + (high - low) / 2;
        if (small_before(&reference->small[middle], m, slot))
            low = middle + 1;
        else
            high = middle;
    }
    const struct orbit_small *small = &reference->small[low];
    if (low == reference->small_count || small->index != m || small->slot != slot)
        return parts_of(z, 0, 0);
    struct complex_f64 own = {small->x, small->y};
    return parts_of(own, parts_exponent(small->x_exponent), parts_exponent(small->y_exponent));
}

/* Z_m, or a value of the tape of the step from there. */
DEEP_FN struct parts_wide reference_parts(const struct formula_reference *reference, int64_t m,
                                          int slot)
{
    struct complex_f64 z =
        point_load(slot == ORBIT_POINT ? &reference->z[m]
                                       : &reference->tape[m * reference->tape_width + slot]);
    double x = fabs(z.x), y = fabs(z.y);
    if (!(x < ORBIT_TINY || y < ORBIT_TINY))
        return parts_of(z, 0, 0);
    return reference_listed(reference, m, slot, z);
}

DEEP_FN struct complex_wide parts_join(const struct parts_wide *parts)
{
    int32_t e = parts->x_e > parts->y_e ? parts->x_e : parts->y_e;
    struct complex_f64 x = {0, 0};
    if (e != WIDE_ZERO) {
        x.x = parts->x * wide_power(parts->x_e - e);
        x.y = parts->y * wide_power(parts->y_e - e);
    }
    return wide_settle(x, e);
}

struct wide_walk {
    struct parts_wide parts; /* parts of z: up to the first product, and behind a taped value */
    struct parts_wide parts_kept; /* DEEP_OWN: parts of the kept value, if its sign is read */
    struct complex_wide z, d, z_kept, d_kept;
};

struct wide_tangents {
    struct complex_wide right, up;
};

struct wide_step_input {
    struct complex_wide c, centre, right;
};

DEEP_FN struct complex_wide wide_twice(struct complex_wide a)
{
    a.e++;
    return a;
}

DEEP_FN struct complex_wide wide_tangent_after(int operation, struct complex_wide own,
                                               struct complex_wide t, struct complex_wide own_kept,
                                               struct complex_wide t_kept, struct complex_wide dc)
{
    switch (operation) {
    case OPERATION_MUL:
        return wide_add(wide_mul(own, t_kept), wide_mul(own_kept, t));
    case OPERATION_SQR:
        return wide_mul(wide_twice(own), t);
    case OPERATION_ADD:
        return wide_add(t, dc);
    default:
        t.x = tangent_after(operation, own.x, t.x, own_kept.x, t_kept.x, dc.x);
        return t;
    }
}

DEEP_FN void wide_walk_take(struct wide_walk *at, int operation,
                            const struct wide_step_input *input)
{
    struct complex_wide *z = &at->z, *d = &at->d;
    switch (operation) {
    case OPERATION_ABS_X:
        d->x.x = fold_difference(at->parts.x * wide_power(at->parts.x_e - d->e), d->x.x);
        *d = wide_settle(d->x, d->e);
        at->parts.x = fabs(at->parts.x);
        z->x.x = fabs(z->x.x);
        break;
    case OPERATION_ABS_Y:
        d->x.y = fold_difference(at->parts.y * wide_power(at->parts.y_e - d->e), d->x.y);
        *d = wide_settle(d->x, d->e);
        at->parts.y = fabs(at->parts.y);
        z->x.y = fabs(z->x.y);
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
        *d = wide_add(wide_mul(*z, at->d_kept), wide_mul(*d, wide_add(at->z_kept, at->d_kept)));
        *z = wide_mul(*z, at->z_kept);
        break;
    case OPERATION_SQR:
        *d = wide_mul(wide_add(wide_twice(*z), *d), *d);
        *z = wide_mul(*z, *z);
        break;
    case OPERATION_ADD:
        *d = wide_add(*d, input->c);
        *z = wide_add(*z, input->centre);
        break;
    default:
        break;
    }
}

/* As complex_mapped. */
DEEP_FN struct complex_wide wide_mapped(struct program_list list, int i, struct complex_wide a)
{
    return wide_settle(complex_mapped(list.phase->operation[i], list_factor(list, i), a.x), a.e);
}

/* As walk_map. */
DEEP_FN void wide_walk_by_c(struct wide_walk *at, struct wide_tangents *t,
                            const struct wide_step_input *input)
{
    struct complex_wide own = wide_add(at->z, at->d), c = wide_add(input->centre, input->c);
    struct complex_wide up = input->right;
    up.x = complex_turned(up.x);
    t->right = wide_add(wide_mul(own, input->right), wide_mul(c, t->right));
    t->up = wide_add(wide_mul(own, up), wide_mul(c, t->up));
    at->d = wide_add(wide_mul(at->z, input->c), wide_mul(c, at->d));
    at->z = wide_mul(at->z, input->centre);
}

/* As walk_sign. y and the kept one, whose exponents may lie far apart, have powers of their own. */
DEEP_FN void wide_walk_sign(struct wide_walk *at, struct wide_tangents *t)
{
    const struct parts_wide *parts = &at->parts, *of_kept = &at->parts_kept;
    double y = parts->y * wide_power(parts->y_e - at->d.e), d = at->d.x.y;
    int32_t e = of_kept->y_e > at->d_kept.e ? of_kept->y_e : at->d_kept.e;
    double kept = of_kept->y * wide_power(of_kept->y_e - e);
    double d_kept = at->d_kept.x.y * wide_power(at->d_kept.e - e);
    double sign = sign_of_product(y + d, kept + d_kept);
    t->right.x.y *= sign;
    t->up.x.y *= sign;
    at->d.x.y = sign_difference(y, d, kept, d_kept);
    at->d = wide_settle(at->d.x, at->d.e);
    at->parts.y = copysign(parts->y, of_kept->y);
    at->z.x.y = copysign(at->z.x.y, of_kept->y);
}

DEEP_FN void wide_walk_map(struct wide_walk *at, struct wide_tangents *t, struct program_list list,
                           int i, const struct wide_step_input *input)
{
    const struct parts_wide parts = at->parts;
    if (list.phase->operation[i] == OPERATION_PLUS) {
        at->z = wide_add(at->z, wide_settle(list_factor(list, i), 0));
        return;
    }
    if (list.phase->operation[i] == OPERATION_TIMES_C) {
        wide_walk_by_c(at, t, input);
        return;
    }
    if (list.phase->operation[i] == OPERATION_SIGN_Y) {
        wide_walk_sign(at, t);
        return;
    }
    at->z = wide_mapped(list, i, at->z);
    at->d = wide_mapped(list, i, at->d);
    t->right = wide_mapped(list, i, t->right);
    t->up = wide_mapped(list, i, t->up);
    at->parts.x = parts.y; /* swaps both; behind a product they are not read */
    at->parts.y = parts.x;
    at->parts.x_e = parts.y_e;
    at->parts.y_e = parts.x_e;
}

DEEP_FN struct complex_wide formula_wide_step(struct program_list list,
                                              const struct formula_reference *reference, int64_t m,
                                              struct complex_wide delta,
                                              const struct wide_step_input *input, int slopes,
                                              int both, struct wide_tangents *tangents)
{
    const struct program_phase *phase = list.phase;
    struct wide_walk at;
    struct wide_tangents t = *tangents, kept = *tangents;
    struct complex_wide up = input->right;
    int slot = 0;
    up.x = complex_turned(up.x);
    at.parts = at.parts_kept = reference_parts(reference, m, ORBIT_POINT);
    at.z = at.z_kept = parts_join(&at.parts);
    at.d = at.d_kept = delta;
    for (int i = 0; i < phase->operations; i++) {
        int operation = phase->operation[i];
        if (phase->taped[i]) {
            at.parts = reference_parts(reference, m, slot++);
            at.z = parts_join(&at.parts);
        }
        if (list_maps(list, i)) {
            wide_walk_map(&at, &t, list, i, input);
            continue;
        }
        if (slopes) {
            struct complex_wide own = wide_add(at.z, at.d);
            struct complex_wide own_kept = wide_add(at.z_kept, at.d_kept);
            t.right =
                wide_tangent_after(operation, own, t.right, own_kept, kept.right, input->right);
            if (both)
                t.up = wide_tangent_after(operation, own, t.up, own_kept, kept.up, up);
            if (operation == OPERATION_KEEP)
                kept = t;
        }
        wide_walk_take(&at, operation, input);
    }
    *tangents = t;
    return at.d;
}

#endif
