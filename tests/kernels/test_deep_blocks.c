/* Do blocks do what their steps do, where they say so? */
#include "tests/kernels/test_deep_picture.h"

static struct complex_f64 random_within(double radius, uint64_t *seed)
{
    double angle = 6.283185307179586 * check_random_unit(seed);
    double size = radius * sqrt(check_random_unit(seed));
    return (struct complex_f64){size * cos(angle), size * sin(angle)};
}

/* A block against its own steps, at random delta and c that it is valid for: its error over epsilon
 * (|A| d + |B| c + 2 |D| d^2 + ...) for each level of merging. Second order counts, because an
 * error of x passes through D of y where A of y is small. */
static double block_error(const struct deep *deep, int level, int64_t index, double c_max,
                          uint64_t *seed)
{
    const struct block_table *table = &deep->common.table;
    const struct quadratic_block *block = &table->record[level][index];
    int shift = table->shortest + level;
    double radius = wide_key_over(table->radius[level][index], 0);
    struct complex_f64 delta = random_within(index ? radius : sqrt(radius), seed);
    struct complex_f64 begin = index ? delta : complex_mul(delta, delta);
    struct complex_f64 c = random_within(c_max, seed);
    struct complex_f64 v = complex_scale(deep->common.per_unit, c);
    struct complex_f64 end = block_apply(block, begin, v);
    for (int64_t m = index << shift; m < (index + 1) << shift; m++) {
        struct complex_f64 z = complex_add(delta, 1, pixel_reference(&deep->common, m));
        assert_true(complex_abs(z) <= deep->common.bailout); /* it does not jump over an escape */
        delta = delta_step(pixel_reference(&deep->common, m), delta, c);
    }
    double w = complex_abs(begin) * wide_power(-block->in), t = c_max * deep->common.per_unit;
    struct block_sizes k = block_sizes(block);
    double allowed = k.a * w + k.b * t + 2 * (k.d * w * w + (k.e * w + k.f * t) * t) +
                     (3 * k.g + 4 * k.h * w) * w * w * w;
    return complex_abs(complex_add(end, -1, delta)) / (deep->options.epsilon * allowed * shift);
}

static void blocks_check(int place)
{
    struct fixture fixture = place_open(place, 0);
    struct deep_options options = {.blocks = BLOCKS_QUARTIC, .epsilon = 0x1p-20, .shortest = 1};
    struct deep deep = fixture_deep(&fixture, &options);
    double c_max = deep_c_max(&fixture.grid), worst = 0;
    uint64_t seed = 22;
    int64_t valid = 0;
    for (int level = 0; level < deep.common.table.levels; level++) {
        int64_t count = deep.common.end >> (1 + level);
        for (int i = 0; i < 400; i++) {
            int64_t index = (int64_t)(check_random(&seed) % (uint64_t)count);
            if (level > 8 && i > 8) /* those are long */
                break;
            if (deep.common.table.radius[level][index] == WIDE_KEY_NONE)
                continue;
            valid++;
            worst = fmax(worst, block_error(&deep, level, index, c_max, &seed));
        }
    }
    printf("place %d: worst error %.3g of what is allowed, %lld blocks\n", place, worst,
           (long long)valid);
    assert_true(valid > 500);
    assert_true(worst > 1e-3); /* else blocks are shorter than they need be */
    assert_true(worst < 2); /* coefficients that cancel in a merge let errors of before through */
    deep_close(&deep);
    fixture_close(&fixture);
}

TEST(test_blocks_hold_within_their_radii)
{
    for (int place = 0; place < 3; place++)
        blocks_check(place);
}

/* Near the set counts may differ, elsewhere never. */
TEST(test_blocks_change_no_count_away_from_the_set)
{
    for (int place = 0; place < 3; place += 2) {
        struct fixture fixture = place_open(place, 0);
        struct picture picture[BLOCKS_KINDS];
        for (int blocks = BLOCKS_NONE; blocks < BLOCKS_KINDS; blocks++) {
            struct deep_options options = {.blocks = (enum blocks)blocks, .epsilon = 0x1p-40};
            picture[blocks] = picture_compute(&fixture, &options);
        }
        for (size_t i = 0; i < (size_t)WIDTH * HEIGHT; i++)
            if (hypotf(picture[0].distance_x[i], picture[0].distance_y[i]) > 1e-6f)
                assert_int_equal(field_count_at(&picture[0].field, i),
                                 field_count_at(&picture[BLOCKS_QUARTIC].field, i));
        assert_true(picture[BLOCKS_QUARTIC].steps < picture[BLOCKS_NONE].steps);
        for (int blocks = BLOCKS_NONE; blocks < BLOCKS_KINDS; blocks++)
            picture_free(&picture[blocks]);
        fixture_close(&fixture);
    }
}

/* The orbit of a pixel stays within R up to its count: one step leads no further than R^2 + |c|. */
TEST(test_counts_are_the_first_beyond_the_radius)
{
    struct fixture_wanted wanted = {.re = "-0.5",
                                    .im = "0.1",
                                    .zoom = "0.7",
                                    .limit = 300,
                                    .width = WIDTH,
                                    .height = HEIGHT,
                                    .bailout = 2};
    struct fixture fixture = fixture_open(&wanted);
    struct deep_options options = {.blocks = BLOCKS_QUARTIC, .epsilon = 0x1p-10, .shortest = 1};
    struct deep deep = fixture_deep(&fixture, &options);
    for (int32_t y = 0; y < HEIGHT; y++)
        for (int32_t x = 0; x < WIDTH; x++) {
            struct pixel_state pixel = fixture_pixel(&fixture, &deep, x, y);
            assert_true(pixel.norm <= 8.0 * 8.0); /* |c| < 4 */
            assert_true(pixel.count == 0 || pixel.norm > 4);
        }
    deep_close(&deep);
    fixture_close(&fixture);
}

TEST(test_tables_keep_within_their_memory)
{
    struct fixture fixture = place_open(2, 0);
    size_t before = SIZE_MAX;
    for (size_t bytes_max = 1 << 20; bytes_max >= 16; bytes_max /= 4) {
        struct deep_options options = {
            .blocks = BLOCKS_QUARTIC, .epsilon = 0x1p-40, .bytes_max = bytes_max};
        struct deep deep = fixture_deep(&fixture, &options);
        assert_true(deep.table_bytes <= bytes_max && deep.table_bytes <= before);
        assert_true(bytes_max < 4096 || deep.common.table.levels > 0);
        before = deep.table_bytes;
        struct pixel_state pixel = fixture_pixel(&fixture, &deep, 5, 7);
        assert_true(pixel.count > 0);
        deep_close(&deep);
    }
    assert_int_equal(before, 0);
    fixture_close(&fixture);
}

TEST(test_what_cannot_be_done_is_refused)
{
    struct fixture fixture = place_open(0, 0);
    struct deep_options options = {.blocks = BLOCKS_QUARTIC, .epsilon = 0x1p-40};
    struct deep deep;
    struct grid deeper = fixture.grid;
    deeper.step_re = 0x1p-981;
    assert_int_equal(deep_open(&deep, &options, &fixture.orbit, &fixture.spec, &deeper),
                     STATUS_UNREACHABLE);
    assert_non_null(strstr(status_text(), "without exponents of its own ends at 2^-980"));
    deep_close(&deep);
    deeper.exponent = DEEP_STEP_LEAST - 1;
    deeper.step_re = 1;
    assert_int_equal(deep_open(&deep, &options, &fixture.orbit, &fixture.spec, &deeper),
                     STATUS_UNREACHABLE);
    assert_non_null(strstr(status_text(), "with exponents of its own ends at 2^-500000"));
    deep_close(&deep);
    deeper.step_re = 0;
    assert_int_equal(deep_open(&deep, &options, &fixture.orbit, &fixture.spec, &deeper),
                     STATUS_UNREACHABLE);
    deep_close(&deep);
    orbit_destroy(&fixture.orbit);
    struct spec longer = fixture.spec;
    fixture.spec.limit = 100;
    fixture_orbit(&fixture, fixture.view.re, fixture.view.im, -INFINITY);
    assert_int_equal(deep_open(&deep, &options, &fixture.orbit, &longer, &fixture.grid),
                     STATUS_INTERNAL);
    deep_close(&deep);
    fixture_close(&fixture);
}

TEST(test_a_stop_is_heard)
{
    struct fixture fixture = place_open(0, 0);
    volatile int stop = 0;
    struct deep_options options = {.blocks = BLOCKS_QUARTIC, .epsilon = 0x1p-40, .stop = &stop};
    struct deep deep = fixture_deep(&fixture, &options), other;
    struct deep_work work = {0};
    struct field out;
    assert_int_equal(field_create(&out, WIDTH, HEIGHT, fixture.spec.planes, 4), STATUS_OK);
    stop = 1;
    assert_int_equal(deep_compute(&deep, &fixture.spec, &fixture.grid, &out, &work),
                     STATUS_STOPPED);
    assert_int_equal(work.steps, 0);
    assert_int_equal(deep_open(&other, &options, &fixture.orbit, &fixture.spec, &fixture.grid),
                     STATUS_STOPPED);
    deep_close(&other);
    deep_close(&deep);
    field_destroy(&out);
    fixture_close(&fixture);
}
