/* Complex doubles with an exponent of their own: (x + i y) 2^e, for derivatives and distances that
 * are far outside of what doubles can say.
 *
 * Every operation is within a few units of 2^-53 of |result|, or of the larger operand of a sum.
 * 0 has the exponent SCALED_ZERO, so that it loses every comparison of exponents. */
#ifndef KERNELS_ORBIT_SCALED_H
#define KERNELS_ORBIT_SCALED_H

#include <math.h>
#include <mpfr.h>
#include <stdbool.h>
#include <stdint.h>

#define SCALED_ZERO (INT64_MIN / 8)

struct complex_scaled {
    double x, y; /* the larger of |x|, |y| within 2^-200 ... 2^200, or both 0 */
    int64_t e;
};

/* mantissa 2^e as a double, 0 below and infinite beyond them. */
static inline double scaled_double(double mantissa, int64_t e)
{
    return ldexp(mantissa, e < -100000 ? -100000 : e > 100000 ? 100000 : (int)e);
}

static inline double scaled_power(int64_t e)
{
    return e == 0 ? 1 : scaled_double(1, e);
}

static inline struct complex_scaled scaled_settle(double x, double y, int64_t e)
{
    double size = fmax(fabs(x), fabs(y));
    if (!(size < 0x1p200 && size > 0x1p-200)) {
        if (size == 0)
            return (struct complex_scaled){0, 0, SCALED_ZERO};
        int more;
        frexp(size, &more);
        x = ldexp(x, -more);
        y = ldexp(y, -more);
        e += more;
    }
    return (struct complex_scaled){x, y, e};
}

static inline struct complex_scaled scaled_of(double x, double y)
{
    return scaled_settle(x, y, 0);
}

static inline bool scaled_is_zero(struct complex_scaled a)
{
    return a.x == 0 && a.y == 0;
}

static inline struct complex_scaled scaled_mul(struct complex_scaled a, struct complex_scaled b)
{
    return scaled_settle(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x, a.e + b.e);
}

static inline struct complex_scaled scaled_add(struct complex_scaled a, struct complex_scaled b)
{
    if (a.e == b.e)
        return scaled_settle(a.x + b.x, a.y + b.y, a.e);
    if (a.e < b.e) {
        struct complex_scaled c = a;
        a = b;
        b = c;
    }
    double down = scaled_power(b.e - a.e);
    return scaled_settle(a.x + b.x * down, a.y + b.y * down, a.e);
}

static inline struct complex_scaled scaled_times(struct complex_scaled a, double factor)
{
    return scaled_settle(a.x * factor, a.y * factor, a.e);
}

/* a / b, for b other than 0. */
static inline struct complex_scaled scaled_div(struct complex_scaled a, struct complex_scaled b)
{
    int more;
    frexp(fmax(fabs(b.x), fabs(b.y)), &more);
    double x = ldexp(b.x, -more), y = ldexp(b.y, -more), norm = x * x + y * y;
    return scaled_settle((a.x * x + a.y * y) / norm, (a.y * x - a.x * y) / norm, a.e - b.e - more);
}

static inline struct complex_scaled scaled_conj(struct complex_scaled a)
{
    return (struct complex_scaled){a.x, -a.y, a.e};
}

/* log2 |a|; -INFINITY for 0. */
static inline double scaled_log2(struct complex_scaled a)
{
    return scaled_is_zero(a) ? -INFINITY : log2(hypot(a.x, a.y)) + (double)a.e;
}

/* The largest integer up to log2 of the larger of |x| and |y|: within 1.5 below log2 |a|, in a
 * tenth of its time. 0 for 0. */
static inline int64_t scaled_log2_floor(struct complex_scaled a)
{
    int more;
    if (scaled_is_zero(a))
        return 0;
    frexp(fmax(fabs(a.x), fabs(a.y)), &more);
    return a.e + more - 1;
}

/* |a| < |b| */
static inline bool scaled_less(struct complex_scaled a, struct complex_scaled b)
{
    if (scaled_is_zero(b))
        return false;
    double size_a = a.x * a.x + a.y * a.y, size_b = b.x * b.x + b.y * b.y;
    int64_t e = scaled_is_zero(a) ? -100000 : 2 * (a.e - b.e);
    return a.e == b.e ? size_a < size_b : size_a * scaled_power(e) < size_b;
}

/* Real and imaginary part as doubles, 0 or infinite beyond them. */
static inline double scaled_x(struct complex_scaled a)
{
    return a.x == 0 ? 0 : a.x * scaled_power(a.e);
}

static inline double scaled_y(struct complex_scaled a)
{
    return a.y == 0 ? 0 : a.y * scaled_power(a.e);
}

/* Converts to numbers of MPFR, rounded to their precision. */
static inline void scaled_get(struct complex_scaled a, mpfr_ptr x, mpfr_ptr y)
{
    mpfr_set_d(x, a.x, MPFR_RNDN);
    mpfr_set_d(y, a.y, MPFR_RNDN);
    if (!scaled_is_zero(a)) {
        mpfr_mul_2si(x, x, (long)a.e, MPFR_RNDN);
        mpfr_mul_2si(y, y, (long)a.e, MPFR_RNDN);
    }
}

/* x 2^ex + i y 2^ey */
static inline struct complex_scaled scaled_of_parts(double x, int64_t ex, double y, int64_t ey)
{
    struct complex_scaled a = {x, 0, x == 0 ? SCALED_ZERO : ex};
    struct complex_scaled b = {0, y, y == 0 ? SCALED_ZERO : ey};
    return x == 0 && y == 0 ? (struct complex_scaled){0, 0, SCALED_ZERO} : scaled_add(a, b);
}

static inline struct complex_scaled scaled_set(mpfr_srcptr x, mpfr_srcptr y)
{
    long ex = 0, ey = 0;
    double mx = mpfr_get_d_2exp(&ex, x, MPFR_RNDN), my = mpfr_get_d_2exp(&ey, y, MPFR_RNDN);
    return scaled_of_parts(mx, ex, my, ey);
}

#endif
