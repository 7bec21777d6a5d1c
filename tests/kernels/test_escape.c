/* The shared arithmetic: fractions against libm, interior tests against iteration. */
#include "tests/support/check.h"

#include <math.h>
#include <stdio.h>

#include "kernels/escape/direct.h"
#include "kernels/escape/fraction.h"
#include "kernels/escape/interior.h"

/* 1 - log2(ln|z| / ln R) in long double, from the same norm. */
static double fraction_by_libm(float norm, double bailout)
{
    return (double)(1 - log2l(logl((long double)norm) / 2 / logl((long double)bailout)));
}

static void fractions_agree_with_libm(void **state)
{
    (void)state;
    const double bailouts[] = {2, 3.5, 16, 1024, 1e6, 1e9};
    uint64_t random = 20261121;
    printf("seed %llu\n", (unsigned long long)random);
    for (size_t b = 0; b < sizeof bailouts / sizeof bailouts[0]; b++) {
        double offset = fraction_offset(bailouts[b]), low = 2 * log2(bailouts[b]);
        for (int i = 0; i < 20000; i++) {
            float norm = (float)exp2(low * (1 + check_random_unit(&random)));
            double exact = fraction_by_libm(norm, bailouts[b]);
            if (norm <= bailouts[b] * bailouts[b] || exact < 0)
                continue;
            double got = fraction_of(norm, offset);
            assert_true(got >= 0 && got < 1);
            /* half an ulp of fp32 below 1 for the rounding, 1e-9 for the series */
            if (fabs(got - exact) > 0x1p-25 + 1e-9 && exact < 0x1.fffffep-1)
                fail_msg("R %g |z|^2 %.9g: %.12f, exactly %.12f", bailouts[b], (double)norm, got,
                         exact);
        }
    }
    assert_true(fraction_of(0.0f, fraction_offset(1024)) == 0.0f);
}

static void counts_follow_the_definition(void **state)
{
    (void)state;
    assert_int_equal(direct_pixel_f64x1(0, 0, 1000, 1024).count, 0);
    assert_int_equal(direct_pixel_f64x1(-2, 0, 1000, 2).count, 0); /* |z| = 2 is not > 2 */
    assert_int_equal(direct_pixel_f64x1(3, 0, 1000, 2).count, 1);
    assert_int_equal(direct_pixel_f64x1(1, 0, 1000, 2).count, 3);    /* 1, 2, 5 */
    assert_int_equal(direct_pixel_f64x1(1, 0, 2, 2).count, 0);       /* the limit comes first */
    assert_int_equal(direct_pixel_f64x1(1, 0, 1000, 1024).count, 6); /* 1 2 5 26 677 458330 */
    assert_int_equal(direct_pixel_f32x1(1, 0, 1000, 1024).count, 6);
}

/* The middle of the margin is the hardest place: just inside the boundary of the cardioid. */
static void surely_interior_points_never_escape(void **state)
{
    (void)state;
    uint64_t random = 4711;
    printf("seed %llu\n", (unsigned long long)random);
    int tested_64 = 0, tested_32 = 0;
    for (int i = 0; i < 600; i++) {
        double angle = 2 * M_PI * check_random_unit(&random);
        double inside = exp2(-8 - 26 * check_random_unit(&random)); /* 1 - |multiplier| */
        double re = (1 - inside) * cos(angle), im = (1 - inside) * sin(angle);
        double x = re / 2 - (re * re - im * im) / 4, y = im / 2 - re * im / 2;
        if (interior_surely(x, y, INTERIOR_MARGIN_FP64)) {
            assert_int_equal(direct_pixel_f64x1(x, y, 20000, 2).count, 0);
            tested_64++;
        }
        float xf = (float)x, yf = (float)y;
        if (interior_surely((double)xf, (double)yf, INTERIOR_MARGIN_FP32)) {
            assert_int_equal(direct_pixel_f32x1(xf, yf, 20000, 2).count, 0);
            tested_32++;
        }
    }
    assert_true(tested_64 > 300 && tested_32 > 50);
}

static void the_interior_tests_know_the_shapes(void **state)
{
    (void)state;
    const double m = INTERIOR_MARGIN_FP64;
    assert_true(interior_surely(0, 0, m) && interior_surely(-0.7, 0.1, m));
    assert_true(interior_surely(-1, 0, m) && interior_surely(-1.2, 0.1, m));
    assert_true(interior_surely(0.2499, 0, INTERIOR_MARGIN_FP32) == 0); /* cusp, in the margin */
    assert_true(interior_surely(0.24, 0, m));
    assert_false(interior_surely(0.25, 0, m) || interior_surely(0.26, 0, m));
    assert_false(interior_surely(-0.75, 0, m) || interior_surely(-1.25, 0, m));
    assert_false(interior_surely(-0.12256, 0.74486, m)); /* the period-3 bulb has no test */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fractions_agree_with_libm),
        cmocka_unit_test(counts_follow_the_definition),
        cmocka_unit_test(surely_interior_points_never_escape),
        cmocka_unit_test(the_interior_tests_know_the_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
