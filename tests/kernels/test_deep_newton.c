/* Perturbation of Newton's method against certified counts. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/deep/deep_kernels.h"
#include "kernels/deep/deep_newton.h"
#include "kernels/deep/deep_probe.h"
#include "kernels/escape/pixel.h"
#include "kernels/formula_text.h"
#include "render/reference.h"
#include "render/truth.h"
#include "tests/support/check.h"

enum { WIDTH = 512, HEIGHT = 288 };

struct place {
    const char *formula, *re, *im, *zoom;
    int64_t limit;
};

static const struct place places[] = {
#include "tests/kernels/deep_newton_places.inc"
};
enum { PLACES = sizeof places / sizeof *places };

struct fixture {
    struct view view;
    struct view_numbers numbers;
    struct grid grid;
    struct spec spec;
    struct orbit orbit;
};

static struct fixture fixture_open(const struct place *place)
{
    struct fixture fixture = {.view = {0}};
    assert_int_equal(view_set(&fixture.view, place->re, place->im, place->zoom, 20, WIDTH, HEIGHT),
                     STATUS_OK);
    assert_int_equal(view_numbers(&fixture.view, &fixture.numbers), STATUS_OK);
    fixture.grid = reference_grid(&fixture.numbers, 0, 0, WIDTH, HEIGHT);
    fixture.spec = (struct spec){.limit = place->limit,
                                 .bailout = 1024,
                                 .planes = PLANE_MASK_COUNT | PLANE_MASK_FRACTION |
                                           PLANE_MASK_DISTANCE | PLANE_MASK_PHASE,
                                 .count_bytes = 4};
    assert_int_equal(formula_of_text(&fixture.spec.formula, place->formula, strlen(place->formula)),
                     STATUS_OK);
    struct orbit_options options = {.formula = fixture.spec.formula,
                                    .log2_step = fixture.numbers.log2_step,
                                    .log2_disc = -INFINITY,
                                    .radius = 100 * 1024};
    assert_int_equal(orbit_bits(options.log2_step, place->limit, &options.bits), STATUS_OK);
    options.bits += ORBIT_FOLD_BITS;
    assert_int_equal(orbit_create(&fixture.orbit, &options, place->re, place->im), STATUS_OK);
    assert_int_equal(orbit_extend(&fixture.orbit, place->limit), STATUS_OK);
    assert_null(fixture.orbit.critical);
    return fixture;
}

static void fixture_close(struct fixture *fixture)
{
    view_destroy(&fixture->view);
    orbit_destroy(&fixture->orbit);
}

/* By how many pixels does the error of w_n move the pixel? */
static double error_px(const struct fixture *fixture, const struct deep_probe *probe,
                       const struct truth *truth)
{
    double re = probe->z_re - probe->last_re, im = probe->z_im - probe->last_im;
    double error = hypot(re - truth->w_re, im - truth->w_im);
    return exp2(log2(error) - truth->log2_dz - fixture->numbers.log2_step);
}

static void prove(const struct place *place, enum blocks blocks, double accuracy_px, int samples)
{
    struct fixture fixture = fixture_open(place);
    struct deep_options options = {.blocks = blocks,
                                   .epsilon = deep_epsilon(accuracy_px, &fixture.grid) / 16};
    struct deep deep;
    double most = 0;
    uint64_t seed = 5;
    assert_int_equal(deep_open(&deep, &options, &fixture.orbit, &fixture.spec, &fixture.grid),
                     STATUS_OK);
    for (int i = 0; i < samples; i++) {
        struct truth truth;
        int32_t x = (int32_t)(check_random(&seed) % WIDTH);
        int32_t y = (int32_t)(check_random(&seed) % HEIGHT);
        assert_int_equal(truth_pixel(&fixture.view, &fixture.spec.formula, x, y, place->limit,
                                     fixture.spec.bailout, NULL, &truth),
                         STATUS_OK);
        struct deep_probe probe = deep_probe(&deep, &fixture.grid, x, y, 0);
        assert_true(truth.certified);
        assert_int_equal(probe.count, truth.count);
        if (truth.count)
            most = fmax(most, error_px(&fixture, &probe, &truth));
    }
    printf("%s at %s, blocks %d: error most %.2g px; %lld of orbit\n", place->formula, place->zoom,
           blocks, most, (long long)fixture.orbit.length);
    assert_true(most <= accuracy_px);
    deep_close(&deep);
    fixture_close(&fixture);
}

TEST(test_counts_step_by_step)
{
    for (int i = 0; i < PLACES; i++)
        prove(&places[i], BLOCKS_NONE, 1e-3, 4);
}

TEST(test_counts_by_blocks)
{
    for (int i = 0; i < PLACES; i++) {
        prove(&places[i], BLOCKS_QUARTIC, 0.01, 8);
        prove(&places[i], BLOCKS_QUARTIC, 1e-7, 4);
    }
}

/* Two rows of a picture. */
static struct field rows_of(const struct fixture *fixture, const struct deep_kernels *kernels)
{
    struct deep_options options = {
        .blocks = BLOCKS_QUARTIC, .epsilon = 0x1p-30, .kernels = kernels};
    struct grid grid = fixture->grid;
    struct deep_work work = {0};
    struct field rows;
    struct deep deep;
    grid.y = 100;
    grid.width = 150;
    grid.height = 2;
    assert_int_equal(field_create(&rows, grid.width, grid.height, fixture->spec.planes, 4),
                     STATUS_OK);
    assert_int_equal(deep_open(&deep, &options, &fixture->orbit, &fixture->spec, &fixture->grid),
                     STATUS_OK);
    assert_int_equal(deep_compute(&deep, &fixture->spec, &grid, &rows, &work), STATUS_OK);
    deep_close(&deep);
    return rows;
}

static const struct deep_kernels *instruction_set(int set)
{
#ifdef __x86_64__
    if (set == 1 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &deep_kernels_avx2;
    if (set == 2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
        return &deep_kernels_avx512;
#endif
    return set ? NULL : &deep_kernels_scalar;
}

TEST(test_instruction_sets_have_the_same_bits)
{
    for (int i = 0; i < PLACES; i++) {
        struct fixture fixture = fixture_open(&places[i]);
        struct field scalar = rows_of(&fixture, instruction_set(0));
        for (int set = 1; set < 3; set++) {
            if (!instruction_set(set))
                continue;
            struct field rows = rows_of(&fixture, instruction_set(set));
            for (int p = 0; p < PLANES; p++)
                for (int32_t y = 0; rows.plane[p] && y < rows.height; y++)
                    assert_memory_equal(field_row(&rows, (enum plane)p, y),
                                        field_row(&scalar, (enum plane)p, y),
                                        (size_t)rows.width * 4);
            field_destroy(&rows);
        }
        field_destroy(&scalar);
        fixture_close(&fixture);
    }
}

/* Beside the pole z_1 is far beyond doubles; the way back is one power. */
TEST(test_steps_far_outside_are_one_power)
{
    const struct newton_rule rule = {.degree = 3, .of_z = 2.0 / 3, .of_power = 1.0 / 3};
    struct complex_wide z = {{1.25, -0.5}, 4000}, far = newton_far(&rule, z, 777);
    for (int i = 0; i < 777; i++)
        z = newton_wide_step(&rule, z, wide_inverse(z));
    assert_int_equal(far.e, z.e);
    assert_true(fabs(far.x.x / z.x.x - 1) < 1e-12 && fabs(far.x.y / z.x.y - 1) < 1e-12);
}
