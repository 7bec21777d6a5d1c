/* Double-single: its exact parts are exact, and its operations keep to the bounds that stand at
 * them. That all backends have its bits: test_backend.c, test_julia.c. */
#include <math.h>

#include "kernels/escape/lanes_ds.h"
#include "tests/support/check.h"

enum { TRIALS = 20000 };

#define U2 0x1p-48L /* u^2 of a float's u */

/* A float of either sign, 2^-range <= |a| < 2^range. */
static float any_float(uint64_t *seed, int range)
{
    double mantissa = 1 + (double)(check_random(seed) % (1 << 23)) * 0x1p-23;
    int exponent = (int)(check_random(seed) % (uint64_t)(2 * range)) - range;
    return (float)ldexp(check_random(seed) % 2 ? mantissa : -mantissa, exponent);
}

/* A number near to another one, so that sums cancel, in one of four trials. */
static struct ds32x1 any_ds(uint64_t *seed, struct ds32x1 other)
{
    float lo = any_float(seed, 4);
    if (check_random(seed) % 4 == 0)
        return ds_of(-ds_value(other) * (1 + (double)lo * 0x1p-40));
    return ds_of((double)any_float(seed, 4) + (double)lo * 0x1p-28);
}

/* Of 64 bits, 16 more than what is measured. */
static long double exact(struct ds32x1 a)
{
    return (long double)a.hi + (long double)a.lo;
}

static void assert_within(const char *what, int trial, struct ds32x1 got, long double want,
                          long double most)
{
    if (!(fabsl(exact(got) - want) <= U2 * most))
        fail_msg("%s, trial %d: off by %Lg u^2, and %Lg are allowed", what, trial,
                 fabsl(exact(got) - want) / U2, most);
    assert_true(fabsf(got.lo) <= 0x1p-22f * fabsf(got.hi));
}

TEST(sums_and_products_of_floats_are_exact)
{
    uint64_t seed = 1;
    for (int i = 0; i < TRIALS; i++) {
        float a = any_float(&seed, 12), b = any_float(&seed, 12);
        struct ds32x1 sum = ds32x1_two_sum(a, b), product = ds32x1_two_product(a, b);
        assert_true(exact(sum) == (long double)a + b);
        assert_true((long double)product.hi - product.lo == (long double)a * b);
        if (fabsf(a) < fabsf(b))
            continue;
        sum = ds32x1_fast_two_sum(a, b);
        assert_true(exact(sum) == (long double)a + b);
    }
}

TEST(operations_keep_to_their_bounds)
{
    uint64_t seed = 2;
    struct ds32x1 a = ds_of(1), b, c;
    for (int i = 0; i < TRIALS; i++) {
        a = any_ds(&seed, a);
        b = any_ds(&seed, a);
        c = any_ds(&seed, ds32x1_mul(a, b));
        long double x = exact(a), y = exact(b), z = exact(c);
        assert_within("add", i, ds32x1_add(a, b), x + y, 7 * (fabsl(x) + fabsl(y)));
        assert_within("sub", i, ds32x1_sub(a, b), x - y, 7 * (fabsl(x) + fabsl(y)));
        assert_within("mul", i, ds32x1_mul(a, b), x * y, 6 * fabsl(x * y));
        long double most = 18 * fabsl(x * y) + 9 * fabsl(z);
        assert_within("fma", i, ds32x1_fma(a, b, c), x * y + z, most);
        assert_within("fnma", i, ds32x1_fnma(a, b, c), z - x * y, most);
    }
}

TEST(a_step_keeps_to_its_bound)
{
    uint64_t seed = 3;
    struct ds32x1 x = ds_of(1), y, cx, cy;
    for (int i = 0; i < TRIALS; i++) {
        x = any_ds(&seed, x);
        y = any_ds(&seed, x);
        cx = any_ds(&seed, ds32x1_sub(ds32x1_mul(x, x), ds32x1_mul(y, y)));
        cy = any_ds(&seed, ds32x1_mul(ds_of(2), ds32x1_mul(x, y)));
        long double re = exact(x) * exact(x) - exact(y) * exact(y) + exact(cx);
        long double im = 2 * exact(x) * exact(y) + exact(cy);
        long double norm = exact(x) * exact(x) + exact(y) * exact(y);
        struct ds32x1 next_x = x, next_y = y;
        ds32x1_step(&next_x, &next_y, cx, cy);
        assert_within("x", i, next_x, re, 26 * norm + 10 * fabsl(exact(cx)));
        assert_within("y", i, next_y, im, 26 * norm + 10 * fabsl(exact(cy)));
    }
}

TEST(doubles_become_two_floats)
{
    uint64_t seed = 4;
    for (int i = 0; i < TRIALS; i++) {
        double r = (double)any_float(&seed, 30) + (double)any_float(&seed, 4) * 0x1p-30;
        assert_true(fabs(ds_value(ds_of(r)) - r) <= 0x1p-48 * fabs(r));
        assert_true(ds32x1_eq(ds_of(-r), ds32x1_neg(ds_of(r))));
        assert_true(ds_value(ds32x1_abs(ds_of(-fabs(r)))) == ds_value(ds_of(fabs(r))));
    }
    assert_true(ds32x1_le(ds_of(1), ds_of(1 + 0x1p-40)));
    assert_false(ds32x1_le(ds_of(1 + 0x1p-40), ds_of(1)));
    assert_false(ds32x1_le(ds_of(NAN), ds_of(1)));
}

/* Whatever comes of an overflow never seems to be within R again. */
TEST(an_orbit_that_overflows_stays_outside)
{
    const double beginnings[][2] = {{1e9, 0}, {0, 1e9}, {-3e4, 2}, {1, -1e18}, {1e18, 1e18}};
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
        struct ds32x1 x = ds_of(beginnings[i][0]), y = ds_of(beginnings[i][1]);
        for (int n = 0; n < 200; n++) {
            ds32x1_step(&x, &y, ds_of(-0.7), ds_of(0.3));
            assert_false(ds32x1_le(ds32x1_norm(x, y), ds_bailout_squared(1e4)));
        }
    }
}
