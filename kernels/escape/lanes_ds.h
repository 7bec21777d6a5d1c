/* Double-single: a number is hi + lo, two floats, for processors whose doubles are slow. The words
 * are explained in kernels/escape/lanes.h; le compares first hi, then lo.
 *
 * u = 2^-24 is a float's rounding. Products and sums of two floats are exact as a float and its
 * error (T. J. Dekker 1971, O. Moller and D. E. Knuth 1965): the error of a sum by six additions,
 * of a product by one fma. What is left are roundings of terms that are u times as large; the
 * bounds stand at the operations. They are of the operands, not of the result: where a sum cancels
 * its relative error is larger, as that of orbits is judged by |z|^2 + |c| anyway
 * (M. Joldes, J.-M. Muller and V. Popescu, "Tight and rigorous error bounds for basic building
 * blocks of double-word arithmetic", 2017).
 *
 * Exponents are those of floats. R^4 is finite in them (SPEC_BAILOUT_MAX); an orbit that overflows
 * becomes infinite or NaN in hi, as every result's hi has lo's terms in it. The error of a product
 * below 2^-102 is rounded to a multiple of 2^-149, which is far below any pixel that double-single
 * tells apart; subnormal floats are kept by every backend, so that the bits are the same. */
#ifndef KERNELS_ESCAPE_LANES_DS_H
#define KERNELS_ESCAPE_LANES_DS_H

#include "kernels/escape/lanes.h"

enum { DS_INSTRUCTIONS = 42 }; /* instructions of a step of z^2 + c, where a sign costs none */

struct ds32x1 {
    float hi, lo;
};

/* Within 2^-48 |r|. The double is rounded to 24 bits without a float in between (G. W. Veltkamp
 * 1968): gcc 12 takes (double)(float)r for r where it makes vectors of two of them. */
ESCAPE_FN struct ds32x1 ds_of(double r)
{
    struct ds32x1 a;
    double wide = r * (0x1p29 + 1), hi = wide - (wide - r);
    a.hi = (float)hi;
    a.lo = (float)(r - hi);
    return a;
}

ESCAPE_FN double ds_value(struct ds32x1 a)
{
    return (double)a.hi + (double)a.lo;
}

/* R^2, for the float that prefix_norm gives. */
ESCAPE_FN struct ds32x1 ds_bailout_squared(double bailout)
{
    struct ds32x1 a;
    a.hi = (float)bailout * (float)bailout;
    a.lo = 0;
    return a;
}

/* function: how they are declared; half: prefix of their halves, packs of the type `floats`. A
 * struct `prefix` has two of them; load and store are the instruction set's. */
#define LANES_DS(function, prefix, half, floats)                                                   \
    function struct prefix prefix##_pair(floats hi, floats lo)                                     \
    {                                                                                              \
        struct prefix pair;                                                                        \
        pair.hi = hi;                                                                              \
        pair.lo = lo;                                                                              \
        return pair;                                                                               \
    }                                                                                              \
    /* Exact. */                                                                                   \
    function struct prefix prefix##_two_sum(floats a, floats b)                                    \
    {                                                                                              \
        floats s = half##_add(a, b), of_b = half##_sub(s, a), of_a = half##_sub(s, of_b);          \
        return prefix##_pair(s, half##_add(half##_sub(a, of_a), half##_sub(b, of_b)));             \
    }                                                                                              \
    /* Exact where |a| >= |b|, or a = 0; else within 2 u |b|. */                                   \
    function struct prefix prefix##_fast_two_sum(floats a, floats b)                               \
    {                                                                                              \
        floats s = half##_add(a, b);                                                               \
        return prefix##_pair(s, half##_sub(b, half##_sub(s, a)));                                  \
    }                                                                                              \
    /* Exact: a b = hi - lo. */                                                                    \
    function struct prefix prefix##_two_product(floats a, floats b)                                \
    {                                                                                              \
        floats p = half##_mul(a, b);                                                               \
        return prefix##_pair(p, half##_fnma(a, b, p));                                             \
    }                                                                                              \
    function struct prefix prefix##_splat(struct ds32x1 r)                                         \
    {                                                                                              \
        return prefix##_pair(half##_splat(r.hi), half##_splat(r.lo));                              \
    }                                                                                              \
    function struct prefix prefix##_neg(struct prefix a)                                           \
    {                                                                                              \
        return prefix##_pair(half##_neg(a.hi), half##_neg(a.lo));                                  \
    }                                                                                              \
    function struct prefix prefix##_flip(struct prefix a, struct prefix b)                         \
    {                                                                                              \
        return prefix##_pair(half##_flip(a.hi, b.hi), half##_flip(a.lo, b.hi));                    \
    }                                                                                              \
    function struct prefix prefix##_abs(struct prefix a)                                           \
    {                                                                                              \
        return prefix##_flip(a, a);                                                                \
    }                                                                                              \
    /* Within 3 u^2 (|a| + |b|); 7 u^2 where hi cancels below what is added to it. */              \
    function struct prefix prefix##_add(struct prefix a, struct prefix b)                          \
    {                                                                                              \
        struct prefix s = prefix##_two_sum(a.hi, b.hi);                                            \
        return prefix##_fast_two_sum(s.hi, half##_add(s.lo, half##_add(a.lo, b.lo)));              \
    }                                                                                              \
    function struct prefix prefix##_sub(struct prefix a, struct prefix b)                          \
    {                                                                                              \
        return prefix##_add(a, prefix##_neg(b));                                                   \
    }                                                                                              \
    /* Within 6 u^2 |a b| (DWTimesDW2 of Joldes, Muller, Popescu; a.lo b.lo is left out). */       \
    function struct prefix prefix##_mul(struct prefix a, struct prefix b)                          \
    {                                                                                              \
        struct prefix p = prefix##_two_product(a.hi, b.hi);                                        \
        floats low = half##_fma(a.lo, b.hi, half##_mul(a.hi, b.lo));                               \
        return prefix##_fast_two_sum(p.hi, half##_sub(low, p.lo));                                 \
    }                                                                                              \
    /* a b + c within u^2 (10 |a b| + 5 |c|); 18 and 9 where hi cancels below what is added to it. \
     * a.lo b.lo is left out. */                                                                   \
    function struct prefix prefix##_fma(struct prefix a, struct prefix b, struct prefix c)         \
    {                                                                                              \
        struct prefix p = prefix##_two_product(a.hi, b.hi), s = prefix##_two_sum(p.hi, c.hi);      \
        floats low = half##_fma(a.hi, b.lo, half##_fma(a.lo, b.hi, c.lo));                         \
        return prefix##_fast_two_sum(s.hi, half##_add(half##_sub(s.lo, p.lo), low));               \
    }                                                                                              \
    function struct prefix prefix##_fnma(struct prefix a, struct prefix b, struct prefix c)        \
    {                                                                                              \
        return prefix##_fma(prefix##_neg(a), b, c);                                                \
    }                                                                                              \
    /* z^2 + c: each part within u^2 (16 |z|^2 + 6 |c|), 26 and 10 where hi cancels below what is  \
     * added to it. Products of two lo are left out. */                                            \
    function void prefix##_step(struct prefix *x, struct prefix *y, struct prefix cx,              \
                                struct prefix cy)                                                  \
    {                                                                                              \
        floats xx = half##_add(x->hi, x->hi), yy = half##_add(y->hi, y->hi);                       \
        struct prefix p = prefix##_two_product(x->hi, x->hi);                                      \
        struct prefix q = prefix##_two_product(y->hi, y->hi);                                      \
        struct prefix r = prefix##_two_product(xx, y->hi);                                         \
        struct prefix d = prefix##_two_sum(p.hi, half##_neg(q.hi));                                \
        struct prefix s = prefix##_two_sum(d.hi, cx.hi), t = prefix##_two_sum(r.hi, cy.hi);        \
        floats errors = half##_add(half##_sub(q.lo, p.lo), half##_add(d.lo, s.lo));                \
        floats x_low = half##_fma(xx, x->lo, half##_fnma(yy, y->lo, cx.lo));                       \
        floats y_low = half##_fma(xx, y->lo, half##_fma(yy, x->lo, cy.lo));                        \
        *x = prefix##_fast_two_sum(s.hi, half##_add(errors, x_low));                               \
        *y = prefix##_fast_two_sum(t.hi, half##_add(half##_sub(t.lo, r.lo), y_low));               \
    }                                                                                              \
    /* |z|^2 as a float, which is all that a test against R^2 needs: it moves the pixel by less    \
     * than 2^-24 of its distance from the set. */                                                 \
    function struct prefix prefix##_norm(struct prefix x, struct prefix y)                         \
    {                                                                                              \
        floats norm = half##_fma(x.hi, x.hi, half##_mul(y.hi, y.hi));                              \
        return prefix##_pair(norm, half##_splat(0));                                               \
    }                                                                                              \
    function uint32_t prefix##_le(struct prefix a, struct prefix b)                                \
    {                                                                                              \
        return half##_le(a.hi, b.hi) & (~half##_eq(a.hi, b.hi) | half##_le(a.lo, b.lo));           \
    }                                                                                              \
    function uint32_t prefix##_eq(struct prefix a, struct prefix b)                                \
    {                                                                                              \
        return half##_eq(a.hi, b.hi) & half##_eq(a.lo, b.lo);                                      \
    }

LANES_DS(ESCAPE_FN, ds32x1, f32x1, float)

ESCAPE_FN struct ds32x1 ds32x1_load(const struct ds32x1 *p)
{
    return *p;
}

ESCAPE_FN void ds32x1_store(struct ds32x1 *p, struct ds32x1 a)
{
    *p = a;
}

#endif
