/* What is known to be inside without a pixel changes no count: beside components of several
 * periods, where a tenth of a pixel decides, every pixel with and without it. */
#include <stdio.h>

#include "kernels/deep/inside.h"
#include "tests/kernels/test_deep_fixture.h"

enum { WIDTH = 96, HEIGHT = 64 };

#define VIEW(re_, im_, zoom_, limit_)                                                          \
    {                                                                                          \
        .re = re_, .im = im_, .zoom = zoom_, .limit = limit_, .width = WIDTH, .height = HEIGHT \
    }

static const struct {
    const char *name;
    struct fixture_wanted wanted;
} views[] = {
    {"cardioid and bulb", VIEW("-0.75", "0.0001", "1e5", 3000)},
    {"cardioid and bulb, their valley", VIEW("-0.743643887", "0.131825904", "7e6", 4000)},
    {"disc, its rim", VIEW("-1.0000003", "0.2500001", "1e7", 4000)},
    {"period 3, its root", VIEW("-1.7500001", "0.00000003", "3e6", 4000)},
    {"period 3, bulb of the cardioid", VIEW("-0.1225611669", "0.744861767", "1e5", 3000)},
    {"period 5, its root", VIEW("-1.6254137251", "0", "2e5", 3000)},
    {"cusp", VIEW("0.2500001", "0.0000001", "1e6", 4000)},
    {"far in, coarse enough", VIEW("-0.5", "0.1", "3e9", 2000)},
};
enum { VIEWS = sizeof views / sizeof *views };

static const struct deep_options quartic = {.blocks = BLOCKS_QUARTIC, .epsilon = 0x1p-41};

static uint64_t fixture_compute(struct fixture *fixture, enum shortcuts shortcuts,
                                struct field *field)
{
    struct deep_work work = {0};
    fixture->spec.shortcuts = shortcuts;
    assert_int_equal(field_create(field, WIDTH, HEIGHT, fixture->spec.planes, 4), STATUS_OK);
    struct deep deep = fixture_deep(fixture, &quartic);
    assert_int_equal(deep_compute(&deep, &fixture->spec, &fixture->grid, field, &work), STATUS_OK);
    deep_close(&deep);
    return work.steps;
}

TEST(counts_are_the_same)
{
    for (int v = 0; v < VIEWS; v++) {
        struct fixture fixture = fixture_open(&views[v].wanted);
        struct field with, without;
        uint64_t steps = fixture_compute(&fixture, SHORTCUTS_ON, &with);
        uint64_t all = fixture_compute(&fixture, SHORTCUTS_OFF, &without);
        size_t inside = 0;
        for (size_t i = 0; i < WIDTH * HEIGHT; i++) {
            inside += field_count_at(&without, i) == 0;
            if (field_count_at(&with, i) != field_count_at(&without, i))
                fail_msg("%s: pixel %zu has count %llu instead of %llu", views[v].name, i,
                         (unsigned long long)field_count_at(&with, i),
                         (unsigned long long)field_count_at(&without, i));
        }
        assert_memory_equal(with.plane[PLANE_FRACTION], without.plane[PLANE_FRACTION],
                            WIDTH * HEIGHT * sizeof(float));
        printf("%-34s %5zu of %d pixels inside, %llu steps instead of %llu\n", views[v].name,
               inside, WIDTH * HEIGHT, (unsigned long long)steps, (unsigned long long)all);
        assert_true(inside > 0 && steps < all);
        field_destroy(&with);
        field_destroy(&without);
        fixture_close(&fixture);
    }
}

/* Where doubles no longer tell pixels well apart, where there is nothing to save, and where
 * nothing is to be skipped. */
TEST(not_everywhere)
{
    struct grid grid = {.step_re = 0x1p-40, .down_y = 1, .half_width = 1, .half_height = 1};
    struct spec spec = {.limit = INSIDE_LIMIT, .bailout = 1024};
    assert_true(inside_known(&spec, &grid, BLOCKS_QUARTIC));
    assert_false(inside_known(&spec, &grid, BLOCKS_NONE));
    spec.limit = INSIDE_LIMIT - 1;
    assert_false(inside_known(&spec, &grid, BLOCKS_QUARTIC));
    spec.limit = INSIDE_LIMIT;
    spec.shortcuts = SHORTCUTS_OFF;
    assert_false(inside_known(&spec, &grid, BLOCKS_QUARTIC));
    spec.shortcuts = SHORTCUTS_ON;
    grid.step_re = 0x1p-41;
    assert_false(inside_known(&spec, &grid, BLOCKS_QUARTIC));
    grid = (struct grid){.step_re = 1, .down_y = 1, .exponent = -1000};
    assert_false(inside_known(&spec, &grid, BLOCKS_QUARTIC));
}
