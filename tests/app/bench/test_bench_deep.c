/* Does a place by perturbation get its figures, as bench deep and bench formula want them? */
#include "tests/support/check.h"

#include "app/bench/deep_measure.h"

TEST(a_place_is_measured)
{
    static const struct deep_place place = {
        .name = "spiral", .zoom = "1e20", .re = "-0.75", .im = "0.1", .limit = 200};
    static const int32_t size[] = {16, 9};
    const struct formula formula = {.step = STEP_mandelbrot};
    struct config config;
    struct device_set device_set = {.devices = 0};
    struct bench_deep_with with;
    struct bench_deep_row row;
    assert_int_equal(config_create(&config), STATUS_OK);
    assert_int_equal(
        config_set(&config, OPTION_COMPUTE_BACKEND, "scalar", "--backend", STATUS_USAGE),
        STATUS_OK);
    assert_int_equal(bench_deep_open(&with, &device_set, &config), STATUS_OK);
    assert_int_equal(bench_deep_measure(&with, &place, &formula, size, &row), STATUS_OK);
    assert_true(row.steps_px >= 1 && row.pixels_s > 0 && row.reference_steps > 0);
    device_set_close(&device_set);
    config_destroy(&config);
}
