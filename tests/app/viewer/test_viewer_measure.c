/* Quantiles of durations, in memory that does not grow. */
#include <math.h>

#include "app/viewer/screen/measure.h"
#include "tests/support/check.h"

TEST(test_quantiles)
{
    static struct measure measure;
    assert_true(measure_quantile(&measure, 0.99) == 0);
    for (int i = 1; i <= 1000; i++)
        measure_add(&measure, i * 1e-4);
    assert_int_equal(measure.count, 1000);
    static const double share[] = {0.01, 0.5, 0.99, 0.999};
    for (int i = 0; i < 4; i++) {
        double exact = share[i] * 0.1, told = measure_quantile(&measure, share[i]);
        assert_true(told >= exact * (1 - 1e-12) && told <= exact * 1.0111);
    }
    assert_true(measure_quantile(&measure, 1) == 0.1);
    assert_true(measure.max_s == 0.1);
}

TEST(test_strange_durations)
{
    static struct measure measure;
    measure_add(&measure, -1);
    measure_add(&measure, NAN);
    measure_add(&measure, INFINITY);
    assert_int_equal(measure.count, 0);
    measure_add(&measure, 0);
    measure_add(&measure, 1e9);
    assert_int_equal(measure.count, 2);
    assert_true(measure_quantile(&measure, 0.5) < 1.1e-6);
    assert_true(measure_quantile(&measure, 1) > 1000);
    assert_true(measure.max_s == 1e9);
}
