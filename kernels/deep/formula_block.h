/* Many steps of any formula at once, while no pixel's part crosses a fold that the reference's does
 * not.
 *
 * Then folds and signs are reflections, and a step of a power is a polynomial in z or in its
 * conjugate. So many steps are, in w = delta / scale or w = conj(delta) / scale and v = c / unit,
 *
 *     delta' = A w + A2 conj(w) + B v + B2 conj(v) + D w^2 + G w^3 + H w^4.
 *
 * A2 is 0 where the derivatives of all steps are similarities (struct program); where they are not,
 * D, G and H are. Scale, unit and the bounds of what is left out are as in block.h, which has also
 * terms in w v and v^2: they count only where c itself is near epsilon. Within the radius no part
 * comes to its fold. The step from Z_0 = 0, where all parts fold, is taken alone. */
#ifndef KERNELS_DEEP_FORMULA_BLOCK_H
#define KERNELS_DEEP_FORMULA_BLOCK_H

#include "kernels/deep/block.h"
#include "kernels/deep/formula_wide.h"

/* Terms of the blocks of a program: a2 and b2 are 0 if it is holomorphic; all terms count if its
 * derivatives are similarities; else nearly no terms above the first, so that it pays to test for
 * them, but not on GPUs. */
enum block_terms { TERMS_HOLOMORPHIC, TERMS_SIMILAR, TERMS_MIXED };

DEEP_FN enum block_terms formula_terms(const struct program *program)
{
    return program->holomorphic ? TERMS_HOLOMORPHIC
           : program->similar   ? TERMS_SIMILAR
                                : TERMS_MIXED;
}

#include "kernels/deep/number/real_f64.h"
#include "kernels/deep/number/formula_block_body.h"
#include "kernels/deep/number/real_end.h"
#include "kernels/deep/number/real_f32.h"
#include "kernels/deep/number/formula_block_body.h"
#include "kernels/deep/number/real_end.h"

DEEP_FN double leaf_power(double x, int n)
{
    double power = 1;
    for (int i = 0; i < n; i++)
        power *= x;
    return power;
}

/* ---- one step ---- */

struct leaf_walk { /* polynomial in w of an intermediate value; p[0] is the reference's value */
    struct complex_f64 p[5], a2;
    int conj;
};

DEEP_FN void leaf_reflect(struct leaf_walk *at, int of_x)
{
    double x = of_x ? -1 : 1;
    for (int k = 0; k < 5; k++) {
        at->p[k].x *= x;
        at->p[k].y *= -x;
    }
    at->a2.x *= x;
    at->a2.y *= -x;
    at->conj = !at->conj;
}

/* a b, each in its own w: linear only if these are not the same. */
DEEP_FN struct leaf_walk leaf_product(const struct leaf_walk *a, const struct leaf_walk *b)
{
    struct leaf_walk ab = {{{0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}}, {0, 0}, 0};
    int alike = a->conj == b->conj;
    struct complex_f64 b1 = alike ? b->p[1] : b->a2, b2 = alike ? b->a2 : b->p[1];
    ab.conj = a->conj;
    ab.p[0] = complex_mul(a->p[0], b->p[0]);
    ab.p[1] = complex_fma(a->p[0], b1, complex_mul(a->p[1], b->p[0]));
    ab.a2 = complex_fma(a->p[0], b2, complex_mul(a->a2, b->p[0]));
    if (!alike || complex_max(a->a2) > 0 || complex_max(b->a2) > 0)
        return ab;
    for (int k = 2; k < 5; k++)
        for (int i = 0; i <= k; i++)
            ab.p[k] = complex_fma(a->p[i], b->p[k - i], ab.p[k]);
    return ab;
}

/* Parts as one number over 2^e. */
DEEP_FN struct complex_f64 parts_over(const struct parts_wide *parts, int32_t e)
{
    struct complex_f64 z;
    z.x = parts->x * wide_power(parts->x_e - e);
    z.y = parts->y * wide_power(parts->y_e - e);
    return z;
}

/* State of a leaf that only lists with DEEP_OWN need. */
struct leaf_own {
    struct complex_f64 b, b2; /* coefficients of v and its conjugate */
    struct complex_f64 plus;  /* sum of the constants added */
    double size, kept_size;   /* |value| is so many |Z|^power, but for c */
};

/* Factor of an operation; a swap is i times the conjugate. */
DEEP_FN struct complex_f64 leaf_factor(struct program_list list, int i, struct complex_f64 centre)
{
    const struct complex_f64 i_unit = {0, 1}, one = {1, 0};
    switch (list.phase->operation[i]) {
    case OPERATION_SWAP:
        return i_unit;
    case OPERATION_PLUS:
    case OPERATION_SIGN_Y:
        return one;
    case OPERATION_TIMES_C:
        return centre;
    default:
        return list_factor(list, i);
    }
}

/* Takes an operation that only DEEP_OWN has. */
DEEP_FN void leaf_map(struct leaf_walk *at, struct program_list list, int i,
                      struct complex_f64 factor)
{
    if (list.phase->operation[i] == OPERATION_SWAP)
        leaf_reflect(at, 0);
    for (int k = 0; k < 5; k++)
        at->p[k] = complex_mul(at->p[k], factor);
    at->a2 = complex_mul(at->a2, factor);
}

/* Replaces the terms of c by their conjugates, times `sign`. */
DEEP_FN void leaf_own_reflect(struct leaf_own *own, double sign)
{
    const struct complex_f64 b = own->b;
    own->b = complex_scale(sign, complex_conj(own->b2));
    own->b2 = complex_scale(sign, complex_conj(b));
}

/* Takes operation i; reflects: a fold or sign did; factor: leaf_factor. */
DEEP_FN void leaf_own_take(struct leaf_own *own, struct program_list list, int i, int reflects,
                           int c_counts, struct complex_f64 factor)
{
    int operation = list.phase->operation[i];
    if (reflects)
        leaf_own_reflect(own,
                         operation == OPERATION_ABS_X || operation == OPERATION_NEG_X ? -1 : 1);
    if (operation == OPERATION_SWAP)
        leaf_own_reflect(own, 1);
    if (list_maps(list, i)) {
        own->b = complex_mul(own->b, factor);
        own->b2 = complex_mul(own->b2, factor);
        own->plus = complex_mul(own->plus, factor);
        own->size *= complex_abs(factor);
    }
    if (operation == OPERATION_PLUS)
        own->plus = complex_add(own->plus, 1, list_factor(list, i));
    if (operation == OPERATION_KEEP)
        own->kept_size = own->size;
    if (operation == OPERATION_MUL)
        own->size *= own->kept_size;
    if (operation == OPERATION_SQR)
        own->size *= own->size;
    if (operation == OPERATION_ADD)
        own->b.x += c_counts;
}

/* Distance of a part to its fold that is left for delta, over 2^e: c may have moved it, too. */
DEEP_FN double leaf_room(const struct leaf_own *own, double part, const struct block_limits *limits,
                         int32_t e)
{
    double by_c = DEEP_OWN ? complex_abs(own->b) + complex_abs(own->b2) : 0;
    if (!(by_c > 0))
        return fabs(part);
    double room = fabs(part) - by_c * limits->v_max * BLOCK_SLACK * wide_power(limits->unit - e);
    return room > 0 ? room : 0;
}

/* Largest radius, over the size of Z, within which a value of this power of Z does not come to its
 * fold at `part`, which is over that power: (1 + x)^power - 1 <= part, which is convex. */
DEEP_FN double leaf_fold_reach(double part, int power)
{
    double most = part / power;
    if (most > 0.5)
        most = 0.5;
    double grown = leaf_power(1 + most, power) - 1;
    return grown > part ? most * (part / grown) : most;
}

/* Drops D, G and H where they would come from terms that are not there. */
DEEP_FN void leaf_linear(struct leaf_walk *at)
{
    for (int k = 2; k < 5; k++)
        at->p[k].x = at->p[k].y = 0;
}

/* Derivative of a value's y by y of delta. */
DEEP_FN double leaf_by_y(const struct leaf_walk *at)
{
    double by_y = at->p[1].x - at->a2.x;
    return at->conj ? -by_y : by_y;
}

/* B of y = B K, K the kept y; y becomes |B| K. Where K is 0, as on an axis, derivatives give B. */
DEEP_FN double leaf_quotient(const struct leaf_walk *at, const struct leaf_walk *kept, double y,
                             double kept_y)
{
    double b = kept_y != 0 ? y / kept_y : leaf_by_y(at) / leaf_by_y(kept);
    return b - b == 0 ? b : 0; /* no number is a fold at once */
}

/* Largest radius of a fold of B, whose sign is put back; z is of `power`, the kept value of
 * kept_power, and the sizes are theirs. B is a sum of power / kept_power products, each of power -
 * kept_power factors Z. */
DEEP_FN double leaf_sign_reach(double b, int power, int kept_power, double size, double kept_size)
{
    if (power == kept_power)
        return 0.5;
    int products = power / kept_power;
    return leaf_fold_reach(fabs(b) * kept_size / (products * size), power - kept_power);
}

/* Largest radius, over the size of Z, at which no more than epsilon is left out: above the fourth
 * power, or above the first where derivatives are no similarities. */
DEEP_FN double leaf_reach(const struct leaf_walk *at, struct program_list list, double size,
                          int mixed, double epsilon)
{
    const struct program_phase *phase = list.phase;
    double least =
        complex_abs(at->p[1]) - complex_abs(at->a2); /* least |delta' / w|, over the size */
    least = fabs(least) / leaf_power(size, phase->degree - 1);
    if (DEEP_OWN)
        least /= list.constants->size;
    if (mixed)
        return epsilon * least / phase->beyond[0];
    return phase->degree > 4 ? sqrt(sqrt(epsilon * least / phase->beyond[1])) : 1;
}

struct formula_leaf {
    struct formula_block block;
    int32_t radius; /* a key */
};

/* Block of a leaf, without exponents. */
DEEP_FN struct formula_block leaf_block(const struct leaf_walk *at, const struct leaf_own *own,
                                        int c_counts)
{
    struct formula_block block = {{0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0},
                                  {0, 0}, 0,      0,      0,      0};
    block.a = at->p[1];
    block.a2 = at->a2;
    block.d = at->p[2];
    block.g = at->p[3];
    block.h = at->p[4];
    block.b.x = c_counts;
    if (DEEP_OWN) {
        block.b = own->b;
        block.b2 = own->b2;
    }
    block.conj = at->conj;
    return block;
}

/* One step from Z_m, m > 0, in the limits of block_leaf_radius and of its folds; and what is left
 * out of a power above the fourth, or of the square of what is no similarity, is no more than
 * epsilon. c_counts: 0 in the dynamic plane; centre: c of the reference. */
DEEP_FN struct formula_leaf formula_leaf(struct program_list list,
                                         const struct formula_reference *reference, int64_t m,
                                         const struct block_limits *limits, int c_counts,
                                         struct complex_f64 centre)
{
    const struct program_phase *phase = list.phase;
    struct formula_leaf leaf = {
        {{0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, 0, 0, 0, 0}, WIDE_KEY_NONE};
    struct parts_wide parts = reference_parts(reference, m, ORBIT_POINT);
    struct complex_wide z = parts_join(&parts);
    struct complex_f64 part = parts_over(&parts, z.e);
    double size = complex_abs(z.x), reach = 0.5;
    if (!(size > 0) || !phase->added)
        return leaf;
    struct leaf_walk at = {{{0, 0}, {1, 0}, {0, 0}, {0, 0}, {0, 0}}, {0, 0}, 0}, kept;
    struct leaf_own own = {{0, 0}, {0, 0}, {0, 0}, 1, 1};
    int slot = 0, mixed = 0, kept_power = 1;
    double kept_y = part.y, kept_scale = size;
    at.p[0] = z.x;
    kept = at;
    for (int i = 0; i < phase->operations; i++) {
        int operation = phase->operation[i], power = phase->power[i];
        if (phase->taped[i]) {
            parts = reference_parts(reference, m, slot++);
            part = parts_over(&parts, power * z.e);
            at.p[0] = part;
        }
        const int conj = at.conj;
        struct complex_f64 factor = {1, 0}, value = {0, 0};
        if (list_maps(list, i)) {
            factor = leaf_factor(list, i, centre);
            value = complex_add(own.plus, wide_power(power * z.e), at.p[0]);
            leaf_map(&at, list, i, factor);
            if (operation == OPERATION_SWAP)
                part = complex_swapped(part);
        }
        double scale = leaf_power(size, power), fold = reach;
        if (DEEP_OWN)
            scale *= own.size;
        switch (operation) {
        case OPERATION_ABS_X:
            fold = leaf_fold_reach(leaf_room(&own, part.x, limits, power * z.e) / scale, power);
            if (part.x < 0)
                leaf_reflect(&at, 1);
            part.x = fabs(part.x);
            break;
        case OPERATION_ABS_Y:
            fold = leaf_fold_reach(leaf_room(&own, part.y, limits, power * z.e) / scale, power);
            if (part.y < 0)
                leaf_reflect(&at, 0);
            part.y = fabs(part.y);
            break;
        case OPERATION_NEG_X:
            leaf_reflect(&at, 1);
            part.x = -part.x;
            break;
        case OPERATION_NEG_Y:
            leaf_reflect(&at, 0);
            part.y = -part.y;
            break;
        case OPERATION_KEEP:
            kept = at;
            kept_y = part.y;
            kept_power = power;
            kept_scale = scale;
            break;
        case OPERATION_MUL:
            mixed |= at.conj != kept.conj;
            at = leaf_product(&at, &kept);
            break;
        case OPERATION_SQR:
            at = leaf_product(&at, &at);
            break;
        default:
            break;
        }
        if (DEEP_OWN && operation == OPERATION_SIGN_Y) {
            double b = leaf_quotient(&at, &kept, part.y, kept_y);
            fold = leaf_sign_reach(b, power, kept_power, scale, kept_scale);
            if (b < 0)
                leaf_reflect(&at, 0);
            part.y = b < 0 ? -part.y : part.y;
        }
        if (DEEP_OWN)
            leaf_own_take(&own, list, i, operation != OPERATION_SWAP && at.conj != conj, c_counts,
                          factor);
        if (DEEP_OWN && operation == OPERATION_TIMES_C)
            own.b = complex_add(own.b, c_counts, value);
        reach = fold < reach ? fold : reach;
    }
    const double beyond = leaf_reach(&at, list, size, mixed, limits->epsilon);
    reach = beyond < reach ? beyond : reach;
    if (mixed)
        leaf_linear(&at);
    double most = reach * size, room = limits->bailout * wide_power(-z.e) - size * BLOCK_SLACK;
    most = room < most ? room : most;
    leaf.block = leaf_block(&at, &own, c_counts);
    leaf.block.in = z.e;
    leaf.block.out = phase->degree * z.e;
    leaf.block.of_c = limits->unit - leaf.block.out;
    if (most > 0)
        leaf.radius = wide_key(most * (1 - 64 * limits->epsilon - 0x1p-40), z.e);
    return leaf;
}

/* ---- records ---- */

/* As block_fit. */
DEEP_FN struct formula_block formula_fit(const struct formula_block *block, int32_t in)
{
    int32_t k = in - block->in;
    int32_t of_c = block_larger(block_larger(WIDE_ZERO, block->b, 0), block->b2, 0);
    int32_t of_a = block_larger(block_larger(WIDE_ZERO, block->a, k), block->a2, k);
    int32_t lead = of_c + block->of_c > of_a ? of_c + block->of_c : of_a;
    lead = lead > WIDE_ZERO / 2 ? lead : 0;
    of_c = of_c > WIDE_ZERO / 2 ? of_c : 0;
    struct formula_block fit;
    fit.a = block_counted(block->a, k - lead);
    fit.a2 = block_counted(block->a2, k - lead);
    fit.b = block_counted(block->b, -of_c);
    fit.b2 = block_counted(block->b2, -of_c);
    fit.d = block_counted(block->d, 2 * k - lead);
    fit.g = block_counted(block->g, 3 * k - lead);
    fit.h = block_counted(block->h, 4 * k - lead);
    fit.in = in;
    fit.out = block->out + lead;
    fit.of_c = block->of_c + of_c - lead;
    fit.conj = block->conj;
    return fit;
}

/* As block_bake_from. */
DEEP_FN struct formula_block formula_bake_from(const struct formula_block *block, int wide,
                                               int32_t border, int32_t of_c_least)
{
    struct formula_block baked = formula_fit(block, block->in);
    int32_t of_a = block_larger(WIDE_ZERO, baked.a, baked.out);
    if (wide && block_larger(of_a, baked.a2, baked.out) < border)
        return baked;
    double out = wide_power(baked.out);
    baked.a = complex_scale(out, baked.a);
    baked.a2 = complex_scale(out, baked.a2);
    baked.d = complex_scale(out, baked.d);
    baked.g = complex_scale(out, baked.g);
    baked.h = complex_scale(out, baked.h);
    baked.of_c += baked.out;
    baked.out = 0;
    if (wide && baked.of_c < of_c_least)
        return baked;
    double of_c = wide_power(baked.of_c);
    baked.b = complex_scale(of_c, baked.b);
    baked.b2 = complex_scale(of_c, baked.b2);
    baked.of_c = 0;
    return baked;
}

/* As block_bake. */
DEEP_FN struct formula_block formula_bake(const struct formula_block *block, int wide)
{
    return formula_bake_from(block, wide, WIDE_BORDER, WIDE_BORDER - 100);
}

/* As block_narrow. */
DEEP_FN struct formula_block_f32 formula_narrow(const struct formula_block *block)
{
    const struct formula_block baked =
        formula_bake_from(block, 1, WIDE_BORDER_F32, WIDE_BORDER_F32 - 40);
    struct formula_block_f32 narrow;
    narrow.a = complex_narrow(baked.a);
    narrow.b = complex_narrow(baked.b);
    narrow.a2 = complex_narrow(baked.a2);
    narrow.b2 = complex_narrow(baked.b2);
    narrow.d = complex_narrow(baked.d);
    narrow.g = complex_narrow(baked.g);
    narrow.h = complex_narrow(baked.h);
    narrow.in = baked.in;
    narrow.out = baked.out;
    /* Terms in c that are not there, as in the dynamic plane, are not over 1. */
    narrow.of_c = complex_max(baked.b) + complex_max(baked.b2) > 0 ? baked.of_c : WIDE_ZERO;
    narrow.conj = baked.conj;
    narrow.unused[0] = narrow.unused[1] = 0;
    return narrow;
}

/* ---- joined blocks ---- */

/* Block with conj(delta'). */
DEEP_FN struct formula_block formula_conj(const struct formula_block *x)
{
    struct formula_block conj = *x;
    conj.a = complex_conj(x->a);
    conj.a2 = complex_conj(x->a2);
    conj.b = complex_conj(x->b2);
    conj.b2 = complex_conj(x->b);
    conj.d = complex_conj(x->d);
    conj.g = complex_conj(x->g);
    conj.h = complex_conj(x->h);
    conj.conj = !x->conj;
    return conj;
}

/* Has the block a term in conj(w)? */
DEEP_FN int formula_mixed(const struct formula_block *x)
{
    return complex_max(x->a2) > 0;
}

/* Block of x, then y, both fitted: y to the results of x. x is conj(x) where y takes that:
 *     A = Ay Ax + A2y conj(A2x)    A2 = Ay A2x + A2y conj(Ax)
 *     B = Ay Bx + A2y conj(B2x) + By    B2 = Ay B2x + A2y conj(Bx) + B2y
 * and, where both are polynomials, D, G and H as in block_merge. */
DEEP_FN struct formula_block formula_merge(const struct formula_block *first,
                                           const struct formula_block *y)
{
    struct formula_block xy = {{0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, 0, 0, 0, 0};
    struct formula_block conj = formula_conj(first);
    const struct formula_block *x = y->conj ? &conj : first;
    xy.in = x->in;
    xy.out = y->out;
    xy.conj = x->conj;
    xy.of_c = x->of_c > y->of_c ? x->of_c : y->of_c;
    double of_x = wide_power(x->of_c - xy.of_c), of_y = wide_power(y->of_c - xy.of_c);
    struct complex_f64 xb = complex_scale(of_x, x->b), xb2 = complex_scale(of_x, x->b2);
    xy.a = complex_fma(y->a, x->a, complex_mul(y->a2, complex_conj(x->a2)));
    xy.a2 = complex_fma(y->a, x->a2, complex_mul(y->a2, complex_conj(x->a)));
    xy.b = complex_fma(y->a, xb, complex_fma(y->a2, complex_conj(xb2), complex_scale(of_y, y->b)));
    xy.b2 =
        complex_fma(y->a, xb2, complex_fma(y->a2, complex_conj(xb), complex_scale(of_y, y->b2)));
    if (formula_mixed(x) || formula_mixed(y))
        return xy;
    struct complex_f64 aa = complex_mul(x->a, x->a), gaa = complex_mul(y->g, aa);
    xy.d = complex_fma(y->a, x->d, complex_mul(y->d, aa));
    struct complex_f64 da = complex_mul(y->d, x->a);
    xy.g = complex_fma(y->a, x->g, complex_fma(complex_scale(2, da), x->d, complex_mul(gaa, x->a)));
    struct complex_f64 of_d = complex_fma(complex_scale(2, x->a), x->g, complex_mul(x->d, x->d));
    struct complex_f64 of_h = complex_mul(complex_mul(y->h, aa), aa);
    xy.h = complex_fma(y->a, x->h,
                       complex_fma(y->d, of_d, complex_fma(complex_scale(3, gaa), x->d, of_h)));
    return xy;
}

struct formula_sizes { /* absolute values of coefficients, or a little more; a and b of both */
    double a, b, d, g, h;
};

DEEP_FN struct formula_sizes formula_sizes(const struct formula_block *block)
{
    double of_c = wide_power(block->of_c);
    struct formula_sizes sizes;
    sizes.a = complex_reach(block->a) + complex_reach(block->a2);
    sizes.b = of_c * (complex_reach(block->b) + complex_reach(block->b2));
    sizes.d = complex_reach(block->d);
    sizes.g = complex_reach(block->g);
    sizes.h = complex_reach(block->h);
    return sizes;
}

struct formula_pair { /* input of the radius of two blocks; sizes over the results of each */
    struct formula_sizes x, y;
    double a, b; /* least stretch of delta and of c by both together */
    double y_reach;
    int mixed;
};

/* As block_left_out, with the terms in w v and v^2 among what is left out. */
DEEP_FN double formula_left_out(const struct formula_pair *pair, double w, double v, double *reach)
{
    const struct formula_sizes *x = &pair->x, *y = &pair->y;
    double l = x->a * w, m = x->b * v, p = x->d * w * w, t = (x->g + x->h * w) * w * w * w;
    double r = m + p + t, last = x->h * w * w * w * w, all = l + r;
    *reach = all;
    if (pair->mixed)
        return y->a * (p + t) + ((y->h * all + y->g) * all + y->d) * all * all;
    double second = m * (2 * l + m) + 2 * (m * (p + t) + l * last) + (2 * p + t) * t;
    double third = 3 * l * (l * (m + t) + r * r) + r * r * r;
    double fourth = r * (4 * l * l * l + r * (6 * l * l + r * (4 * l + r)));
    return y->d * second + y->g * third + y->h * fourth;
}

DEEP_FN int formula_holds(const struct formula_pair *pair, double w,
                          const struct block_limits *limits)
{
    double reach, left_out = formula_left_out(pair, w, limits->v_max, &reach);
    double counts = pair->a * w + pair->b * limits->v_max;
    return reach * BLOCK_SLACK <= pair->y_reach &&
           left_out * BLOCK_SLACK <= limits->epsilon * counts;
}

/* The largest key from `least` to `most` for which the pair holds, to a sixteenth; or none. See
 * block_search. */
DEEP_FN int32_t formula_search(const struct formula_pair *pair, int32_t in, int32_t least,
                               int32_t most, const struct block_limits *limits)
{
    enum { BINADE = 4096, FINE = 256 };
    if (!formula_holds(pair, 0, limits))
        return WIDE_KEY_NONE;
    if (formula_holds(pair, wide_key_over(most, in), limits))
        return most;
    int32_t low = most, high = most;
    for (int32_t span = 2 * BINADE;; span *= 2) { /* most lose a few binades */
        low = low - least > span ? low - span : least;
        if (formula_holds(pair, wide_key_over(low, in), limits))
            break;
        if (low == least)
            return WIDE_KEY_NONE;
        high = low;
    }
    while (high - low > FINE) {
        int32_t middle = low + (high - low) / 2;
        if (formula_holds(pair, wide_key_over(middle, in), limits))
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* |A| - |A2|: the least stretch of a linear map. */
DEEP_FN double formula_least(struct complex_f64 a, struct complex_f64 a2)
{
    return fabs(complex_abs(a) - complex_abs(a2));
}

/* The delta that x takes to a result of this size. */
DEEP_FN int32_t formula_back(const struct formula_block *x, int32_t result)
{
    int32_t e = wide_key_exponent(result);
    double largest = complex_abs(x->a) + complex_abs(x->a2);
    return wide_key(wide_key_over(result, e) / largest, e - x->out + x->in);
}

/* As block_join. */
DEEP_FN int32_t formula_join(const struct formula_block *x, int32_t x_radius,
                             const struct formula_block *y, int32_t y_radius,
                             const struct block_limits *limits, struct formula_block *xy)
{
    *xy = *x;
    if (x_radius == WIDE_KEY_NONE || y_radius == WIDE_KEY_NONE)
        return WIDE_KEY_NONE;
    int32_t least = wide_key(limits->v_max, limits->unit - 20); /* less is of no use */
    int32_t most = formula_back(x, y_radius);
    most = x_radius < most ? x_radius : most;
    if (most <= least)
        return WIDE_KEY_NONE;
    struct formula_block of_x = formula_fit(x, wide_key_exponent(most));
    struct formula_block of_y = formula_fit(y, of_x.out);
    *xy = formula_merge(&of_x, &of_y);
    struct formula_pair pair;
    pair.x = formula_sizes(&of_x);
    pair.y = formula_sizes(&of_y);
    pair.a = formula_least(xy->a, xy->a2);
    pair.b = wide_power(xy->of_c) * formula_least(xy->b, xy->b2);
    pair.y_reach = wide_key_over(y_radius, of_x.out);
    pair.mixed = formula_mixed(&of_x) || formula_mixed(&of_y);
    int32_t deepest = wide_key(1, xy->in - 900);
    least = least > deepest ? least : deepest;
    return least < most ? formula_search(&pair, xy->in, least, most, limits) : WIDE_KEY_NONE;
}

#endif
