/* Numbers with exponents (wide.h).
 *
 * A body, between real_f64.h or real_f32.h and real_end.h. */
#ifndef DEEP_REAL
#error "wide_body.h: include a real_*.h before it"
#endif

struct T(complex_wide) { /* x 2^e */
    struct COMPLEX x;
    int32_t e;
};

/* 2^e; 0 below the normal numbers, and never infinite. */
DEEP_FN DEEP_REAL T(wide_power)(int32_t e)
{
    const int32_t least = e > -REAL_BIAS ? e : -REAL_BIAS;
    REAL_BITS bits = (REAL_BITS)((least < REAL_BIAS ? least : REAL_BIAS) + REAL_BIAS)
                     << REAL_PLACES;
    DEEP_REAL power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

/* floor(log2(positive)); WIDE_ZERO for 0 and numbers that are subnormal. */
DEEP_FN int32_t T(wide_exponent)(DEEP_REAL positive)
{
    REAL_BITS bits;
    memcpy(&bits, &positive, sizeof bits);
    return bits >> REAL_PLACES ? (int32_t)(bits >> REAL_PLACES) - REAL_BIAS : WIDE_ZERO;
}

/* x 2^e with the larger part of x in [1, 2), or 0. */
DEEP_FN struct T(complex_wide) T(wide_settle)(struct COMPLEX x, int32_t e)
{
    struct T(complex_wide) settled;
    int32_t lead = T(wide_exponent)(T(complex_max)(x));
    settled.x = T(complex_scale)(lead == WIDE_ZERO ? 0 : T(wide_power)(-lead), x);
    settled.e = lead == WIDE_ZERO ? WIDE_ZERO : e + lead;
    return settled;
}

DEEP_FN struct T(complex_wide) T(wide_add)(struct T(complex_wide) a, struct T(complex_wide) b)
{
    int32_t e = a.e > b.e ? a.e : b.e;
    return T(wide_settle)(
        T(complex_add)(T(complex_scale)(T(wide_power)(a.e - e), a.x), T(wide_power)(b.e - e), b.x),
        e);
}

DEEP_FN struct T(complex_wide) T(wide_mul)(struct T(complex_wide) a, struct T(complex_wide) b)
{
    return T(wide_settle)(T(complex_mul)(a.x, b.x), a.e + b.e);
}

/* Compares settled numbers by max(|x|, |y|). */
DEEP_FN int T(wide_less)(struct T(complex_wide) a, struct T(complex_wide) b)
{
    return a.e < b.e || (a.e == b.e && T(complex_max)(a.x) < T(complex_max)(b.x));
}

/* Keys have the order of the numbers that they stand for: x 2^e, x >= 0, rounded down to 12
 * bits behind the leading one. So key(a) < key(b) implies a < b, and one comparison of integers
 * does for all depths and both types: a normal float has the key of the same double. */
DEEP_FN int32_t T(wide_key)(DEEP_REAL x, int32_t e)
{
    REAL_BITS bits;
    memcpy(&bits, &x, sizeof bits);
    if (e < -WIDE_MOST)
        return WIDE_KEY_NONE;
    return (int32_t)(bits >> (REAL_PLACES - WIDE_KEY_PLACES)) +
           ((e > WIDE_MOST ? WIDE_MOST : e) + 1023 - REAL_BIAS) * (1 << WIDE_KEY_PLACES);
}

DEEP_FN struct COMPLEX T(point_load)(const REAL_POINT *at)
{
    const REAL_POINT point = escape_load(at);
    struct COMPLEX z = {point.x, point.y};
    return z;
}
