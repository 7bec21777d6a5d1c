/* One step of the difference between a pixel and the reference by Newton's method for z^n = 1,
 *
 *     f(z) = (k z + z^-k) / n, k = n - 1,
 *
 * whose pixels are z_0. With p = 1 / (Z + delta) and q = 1 / Z
 *
 *     delta' = delta (k - sum of p^i q^(n - i), i = 1 ... k) / n,
 *
 * in which nothing of the size of Z is cancelled but where the sum is next to k: where f' is nearly
 * 0, near a root. An orbit that is near one converges to it, and is over before delta has lost more
 * than the logarithm of R in digits. Anywhere else |f'(z)| |z| / |f(z)|, by which a step stretches
 * errors that are relative to z, is not small: 1 far outside, and k near 0, which goes to infinity.
 * So a pixel needs no rebasing; there is no point that it could begin anew at.
 *
 * Exponents: a pole takes z to z^-k, which doubles do not hold deep in a picture. delta has an
 * exponent of its own everywhere; z has one beyond 2^+-NEWTON_PLAIN. */
#ifndef KERNELS_DEEP_RATIONAL_NEWTON_DELTA_H
#define KERNELS_DEEP_RATIONAL_NEWTON_DELTA_H

#include "kernels/deep/formula_wide.h"
#include "kernels/formula/rational.h"

enum { NEWTON_PLAIN = 80 /* |z|^+-12 is a double */ };

struct newton_rule {       /* f, as constants */
    int32_t degree;        /* n, 3 ... 6; of a magnet k, and there is no more */
    double of_z, of_power; /* k / n, 1 / n */
    double far_steps;      /* 1 / log2(n / k): of |z| from twice to once some size, far outside */
    double root[RATIONAL_ROOTS_MOST][2]; /* e^(2 pi i k / n) */
};

DEEP_FN int newton_is_plain(struct complex_wide z)
{
    return z.e >= -NEWTON_PLAIN && z.e < NEWTON_PLAIN;
}

DEEP_FN struct complex_f64 complex_inverse(struct complex_f64 a)
{
    double over = 1 / fma(a.x, a.x, a.y * a.y);
    struct complex_f64 inverse;
    inverse.x = a.x * over;
    inverse.y = -a.y * over;
    return inverse;
}

DEEP_FN struct complex_wide wide_inverse(struct complex_wide a)
{
    return wide_settle(complex_inverse(a.x), -a.e);
}

DEEP_FN struct complex_f64 complex_power(struct complex_f64 a, int n)
{
    struct complex_f64 power = a;
    for (int i = 1; i < n; i++)
        power = complex_mul(power, a);
    return power;
}

DEEP_FN struct complex_wide wide_power_of(struct complex_wide a, int n)
{
    struct complex_wide power = a;
    for (int i = 1; i < n; i++)
        power = wide_mul(power, a);
    return power;
}

DEEP_FN struct complex_wide wide_of(double x)
{
    struct complex_f64 real = {0, 0};
    real.x = x;
    return wide_settle(real, 0);
}

/* (k - t) / n */
DEEP_FN struct complex_f64 newton_rest(const struct newton_rule *rule, struct complex_f64 t)
{
    struct complex_f64 rest;
    rest.x = fma(-rule->of_power, t.x, rule->of_z);
    rest.y = -rule->of_power * t.y;
    return rest;
}

DEEP_FN struct complex_wide newton_wide_rest(const struct newton_rule *rule, struct complex_wide t)
{
    return wide_add(wide_of(rule->of_z), wide_mul(wide_of(-rule->of_power), t));
}

/* delta' / delta */
DEEP_FN struct complex_f64 newton_stretch(const struct newton_rule *rule, struct complex_f64 p,
                                          struct complex_f64 q)
{
    struct complex_f64 power = q, sum = complex_add(p, 1, q);
    for (int i = 2; i < rule->degree - 1; i++) {
        power = complex_mul(power, q);
        sum = complex_fma(sum, p, power);
    }
    return newton_rest(rule, complex_mul(complex_mul(p, q), sum));
}

DEEP_FN struct complex_wide newton_wide_stretch(const struct newton_rule *rule,
                                                struct complex_wide p, struct complex_wide q)
{
    struct complex_wide power = q, sum = wide_add(p, q);
    for (int i = 2; i < rule->degree - 1; i++) {
        power = wide_mul(power, q);
        sum = wide_add(wide_mul(sum, p), power);
    }
    return newton_wide_rest(rule, wide_mul(wide_mul(p, q), sum));
}

/* f'(z) = k (1 - z^-n) / n, p = 1 / z */
DEEP_FN struct complex_f64 newton_slope(const struct newton_rule *rule, struct complex_f64 p)
{
    struct complex_f64 power = complex_power(p, rule->degree);
    return newton_rest(rule, complex_scale(rule->degree - 1, power));
}

DEEP_FN struct complex_wide newton_wide_slope(const struct newton_rule *rule, struct complex_wide p)
{
    struct complex_wide power = wide_power_of(p, rule->degree);
    return newton_wide_rest(rule, wide_mul(wide_of(rule->degree - 1), power));
}

/* f(z), p = 1 / z */
DEEP_FN struct complex_f64 newton_step(const struct newton_rule *rule, struct complex_f64 z,
                                       struct complex_f64 p)
{
    struct complex_f64 power = complex_power(p, rule->degree - 1);
    return complex_add(complex_scale(rule->of_z, z), rule->of_power, power);
}

DEEP_FN struct complex_wide newton_wide_step(const struct newton_rule *rule, struct complex_wide z,
                                             struct complex_wide p)
{
    struct complex_wide power = wide_power_of(p, rule->degree - 1);
    return wide_add(wide_mul(wide_of(rule->of_z), z), wide_mul(wide_of(rule->of_power), power));
}

/* x (k / n)^steps */
DEEP_FN struct complex_wide newton_far(const struct newton_rule *rule, struct complex_wide x,
                                       int64_t steps)
{
    struct complex_wide power = wide_of(rule->of_z);
    for (; steps; steps >>= 1) {
        if (steps & 1)
            x = wide_mul(x, power);
        power = wide_mul(power, power);
    }
    return x;
}

#endif
