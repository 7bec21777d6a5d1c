/* The forecast for GPUs: published figures agree with one another, and bounds are what they say. */
#include <math.h>

#include "app/bench/forecast_model.h"
#include "tests/support/check.h"

/* Two operations for each lane and clock. Within 7 %: B300 by its two lanes of fp64, rounded. */
TEST(lanes_and_clocks_make_the_published_rates)
{
    for (int i = 0; i < FORECAST_GPUS; i++) {
        const struct forecast_gpu *gpu = &forecast_gpus[i];
        double clocks = gpu->units * gpu->clock_hz;
        assert_true(fabs(2 * 128 * clocks / gpu->fp32_flops - 1) < 0.01);
        assert_true(fabs(2 * gpu->fp64 * clocks / gpu->fp64_flops - 1) < 0.07);
    }
}

/* A step without the reference on an RTX 4090: its 13 instructions of fp64 take 6.5 clocks of a
 * multiprocessor each pixel; in fp32 30 instructions are issued, 128 lanes a clock. */
TEST(the_slowest_unit_bounds)
{
    const struct forecast_gpu *gpu = &forecast_gpus[2];
    const struct forecast_steps doubles = {.px[NUMBER_FP64][FORECAST_DIRECT] = 1000};
    const struct forecast_steps floats = {.px[NUMBER_FP32][FORECAST_DIRECT] = 1000};
    const double clock_s = 1 / (gpu->units * gpu->clock_hz), pixels = 1e6;
    assert_int_equal(gpu->architecture, 89);
    double fp64 = forecast_bound_s(gpu, &doubles, pixels);
    double fp32 = forecast_bound_s(gpu, &floats, pixels);
    assert_true(fabs(fp64 / (pixels * 1000 * 13 / 2 * clock_s) - 1) < 1e-12);
    assert_true(fabs(fp32 / (pixels * 1000 * 30 / 128 * clock_s) - 1) < 1e-12);
}

/* Count and fraction are 8 bytes. */
TEST(memory_bounds_a_picture_without_steps)
{
    const struct forecast_gpu *gpu = &forecast_gpus[FORECAST_H200];
    const struct forecast_steps none = {{{0}}};
    assert_true(forecast_bound_s(gpu, &none, 1e6) == 8e6 / gpu->bytes_per_s);
}

/* Four multiply-adds: 8.36e12 in fp32 and half of it in fp64, as `bench direct` says of an H200. */
TEST(an_iteration_is_four_multiply_adds)
{
    const struct forecast_gpu *h200 = &forecast_gpus[FORECAST_H200];
    double fp32 = forecast_iterations_per_s(h200, NUMBER_FP32);
    double fp64 = forecast_iterations_per_s(h200, NUMBER_FP64);
    assert_true(fabs(fp32 / 8.36e12 - 1) < 0.01 && fabs(fp64 / 4.18e12 - 1) < 0.01);
}
