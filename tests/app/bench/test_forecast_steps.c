/* Steps of the forecast by kind: none of them has the length of a whole pixel. */
#include "app/bench/forecast_steps.h"
#include "tests/kernels/test_deep_fixture.h"

enum { WIDTH = 12, HEIGHT = 8, LIMIT = 100000 };

static const enum forecast_kind kinds[] = {FORECAST_BLOCK, FORECAST_BLOCK_WIDE, FORECAST_ALONG,
                                           FORECAST_ALONG_WIDE, FORECAST_DIRECT};

/* Steps and blocks of all pixels, which end where they repeat, long before the limit. */
static double steps_of(const struct deep *deep, const struct grid *grid)
{
    double steps = 0;
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        struct complex_f64 c;
        pixel_c(grid, i % WIDTH, i / WIDTH, &c.x, &c.y);
        struct pixel_state pixel = pixel_begin(&deep->common, c.x, c.y);
        struct pixel_kept kept = {.m = -1};
        pixel_on_kept(&pixel, &deep->common, deep->options.blocks, 0, deep->common.exponent != 0,
                      INT64_MAX, &kept);
        assert_int_equal(pixel.n, LIMIT);
        steps += (double)pixel.steps;
    }
    return steps / (WIDTH * HEIGHT);
}

/* Inside, around a nucleus of period 3. */
static const struct fixture_wanted inside = {.re = "-1.7548776662466927600495088963585287",
                                             .im = "0",
                                             .zoom = "1e20",
                                             .limit = LIMIT,
                                             .width = WIDTH,
                                             .height = HEIGHT};

TEST(a_pixel_that_repeats_has_taken_no_block)
{
    struct fixture fixture = fixture_open(&inside);
    struct deep_options options = {.blocks = BLOCKS_NONE,
                                   .epsilon = deep_epsilon(0.01, &fixture.grid)};
    struct deep deep = fixture_deep(&fixture, &options);
    struct forecast_steps steps = forecast_steps_count(&deep, &fixture.grid, 1);
    const double *px = steps.px[NUMBER_FP64];
    double sum = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        sum += px[kinds[i]];
    assert_true(px[FORECAST_BLOCK] + px[FORECAST_BLOCK_WIDE] == 0);
    assert_true(sum > 0 && sum < LIMIT);
    assert_float_equal(sum, steps_of(&deep, &fixture.grid), 1e-9 * sum);
    deep_close(&deep);
    fixture_close(&fixture);
}

/* Floats have blocks here, but none is as short as this reference. */
TEST(nor_in_floats)
{
    struct fixture_wanted wanted = inside;
    wanted.fp32 = true;
    struct fixture fixture = fixture_open(&wanted);
    struct deep_options options = {.blocks = BLOCKS_QUARTIC,
                                   .epsilon = deep_epsilon(0.01, &fixture.grid)};
    struct deep deep = fixture_deep(&fixture, &options);
    assert_non_null(deep.late.z);
    struct forecast_steps steps = forecast_steps_count(&deep, &fixture.grid, 1);
    const double *px = steps.px[NUMBER_FP32];
    assert_true(px[FORECAST_BLOCK] + px[FORECAST_BLOCK_WIDE] == 0);
    assert_true(px[FORECAST_ALONG] + px[FORECAST_ALONG_WIDE] > 0);
    deep_close(&deep);
    fixture_close(&fixture);
}

int main(void)
{
    return check_run(NULL, NULL);
}
