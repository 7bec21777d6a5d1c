/* Complex numbers, and a step of the difference between a pixel and the reference.
 *
 * A body, between real_f64.h or real_f32.h and real_end.h. */
#ifndef DEEP_REAL
#error "complex_body.h: include a real_*.h before it"
#endif

struct COMPLEX {
    DEEP_REAL x, y;
};

/* a b + c */
DEEP_FN struct COMPLEX T(complex_fma)(struct COMPLEX a, struct COMPLEX b, struct COMPLEX c)
{
    struct COMPLEX sum;
    sum.x = REAL_FMA(a.x, b.x, REAL_FMA(-a.y, b.y, c.x));
    sum.y = REAL_FMA(a.x, b.y, REAL_FMA(a.y, b.x, c.y));
    return sum;
}

DEEP_FN struct COMPLEX T(complex_mul)(struct COMPLEX a, struct COMPLEX b)
{
    struct COMPLEX product;
    product.x = REAL_FMA(a.x, b.x, -(a.y * b.y));
    product.y = REAL_FMA(a.x, b.y, a.y * b.x);
    return product;
}

/* a + k b, k real */
DEEP_FN struct COMPLEX T(complex_add)(struct COMPLEX a, DEEP_REAL k, struct COMPLEX b)
{
    struct COMPLEX sum;
    sum.x = REAL_FMA(k, b.x, a.x);
    sum.y = REAL_FMA(k, b.y, a.y);
    return sum;
}

DEEP_FN struct COMPLEX T(complex_scale)(DEEP_REAL k, struct COMPLEX a)
{
    struct COMPLEX product;
    product.x = k * a.x;
    product.y = k * a.y;
    return product;
}

/* max(|x|, |y|): squares would leave the exponents soon, of doubles at 1e-154. */
DEEP_FN DEEP_REAL T(complex_max)(struct COMPLEX a)
{
    DEEP_REAL x = REAL_ABS(a.x), y = REAL_ABS(a.y);
    return x > y ? x : y;
}

/* |a|, at most 9 % too large: the octagon about the circle. */
DEEP_FN DEEP_REAL T(complex_reach)(struct COMPLEX a)
{
    DEEP_REAL x = REAL_ABS(a.x), y = REAL_ABS(a.y);
    DEEP_REAL large = x > y ? x : y, small = x > y ? y : x;
    return REAL_FMA((DEEP_REAL)0.41421356237309515, small, large);
}

/* |a|, to three roundings, wherever the number itself is normal. */
DEEP_FN DEEP_REAL T(complex_abs)(struct COMPLEX a)
{
    DEEP_REAL x = REAL_ABS(a.x), y = REAL_ABS(a.y);
    DEEP_REAL large = x > y ? x : y, small = x > y ? y : x;
    DEEP_REAL ratio = large > 0 ? small / large : 0;
    return large * REAL_SQRT(REAL_FMA(ratio, ratio, (DEEP_REAL)1));
}

DEEP_FN struct COMPLEX T(delta_step)(struct COMPLEX z, struct COMPLEX delta, struct COMPLEX c)
{
    return T(complex_fma)(T(complex_add)(delta, 2, z), delta, c);
}

/* dz' = 2 z dz + dc, where z = Z + delta is the pixel's own. */
DEEP_FN struct COMPLEX T(delta_slope)(struct COMPLEX z, struct COMPLEX dz, struct COMPLEX dc)
{
    return T(complex_fma)(T(complex_scale)(2, z), dz, dc);
}
