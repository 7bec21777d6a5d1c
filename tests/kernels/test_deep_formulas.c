/* Perturbation of any formula and plane against certified counts. */
#include <stdlib.h>
#include <string.h>

#include "kernels/deep/deep_formula.h"
#include "kernels/deep/error_amplification.h"
#include "kernels/formula_text.h"
#include "tests/kernels/test_deep_rows.h"

/* At the border of a set, found by bisection of counts; digits for a zoom of 1e300. */
struct place {
    const char *formula; /* a name or lists */
    const char *re, *im;
    double c_re, c_im; /* of a Julia set; else 0 */
};
static const struct place places[] = {
#include "tests/kernels/deep_formula_places.inc"
};
enum { PLACES = sizeof places / sizeof *places };

static void formula_find(struct formula *formula, const struct place *place)
{
    assert_int_equal(formula_of_text(formula, place->formula, strlen(place->formula)), STATUS_OK);
    if (place->c_re == 0 && place->c_im == 0)
        return;
    formula->plane = DYNAMIC_PLANE;
    formula->c_re = place->c_re;
    formula->c_im = place->c_im;
}

enum { WIDTH = 512, HEIGHT = 288 };

static struct fixture place_open(const struct place *place, const char *zoom, int64_t limit)
{
    struct fixture_wanted wanted = {.re = place->re,
                                    .im = place->im,
                                    .zoom = zoom,
                                    .limit = limit,
                                    .width = WIDTH,
                                    .height = HEIGHT,
                                    .rotation_deg = 20,
                                    .no_nucleus = true};
    formula_find(&wanted.formula, place);
    return fixture_open(&wanted);
}

static struct formula_pixel pixel_all(const struct fixture *fixture, const struct deep *deep,
                                      int32_t x, int32_t y)
{
    double re, im;
    pixel_c(&fixture->grid, x, y, &re, &im);
    struct formula_pixel pixel = formula_begin(deep->formula, re, im);
    formula_on(&pixel, deep->formula, deep->options.blocks, 1, deep->common.exponent != 0,
               INT64_MAX, NULL);
    formula_finish(&pixel, deep->formula, 1);
    return pixel;
}

/* By how many pixels does the error of |z| move the pixel, along the gradient of |z|? */
static double error_px(const struct deep *deep, const struct formula_pixel *pixel,
                       const struct truth *truth)
{
    struct complex_f64 z = formula_end(pixel, deep->formula), right = pixel->at.dz;
    struct complex_f64 up = complex_scale(wide_power(pixel->up_e - pixel->at.dz_e), pixel->up);
    if (deep->formula->program.holomorphic)
        up = complex_turned(right);
    double size = hypot(truth->z_re, truth->z_im);
    double by_x = (z.x * right.x + z.y * right.y) / size, by_y = (z.x * up.x + z.y * up.y) / size;
    double error = fabs(hypot(z.x, z.y) - size) / hypot(by_x, by_y);
    return exp2(log2(error) - pixel->at.dz_e);
}

static void prove(const struct place *place, const char *zoom, int64_t limit, enum blocks blocks,
                  double accuracy_px, int samples)
{
    struct fixture fixture = place_open(place, zoom, limit);
    struct deep_options options = {.blocks = blocks,
                                   .epsilon = deep_epsilon(accuracy_px, &fixture.grid)};
    struct deep deep = fixture_deep(&fixture, &options);
    double *errors = calloc((size_t)samples, sizeof *errors);
    int known = 0, differ = 0;
    uint64_t seed = 7, steps = 0, iterations = 0;
    for (int i = 0; i < samples; i++) {
        struct truth truth;
        int32_t x = (int32_t)(check_random(&seed) % WIDTH);
        int32_t y = (int32_t)(check_random(&seed) % HEIGHT);
        assert_int_equal(
            truth_pixel(&fixture.view, &fixture.spec.formula, x, y, limit, 1024, NULL, &truth),
            STATUS_OK);
        struct formula_pixel pixel = pixel_all(&fixture, &deep, x, y);
        steps += pixel.at.steps;
        iterations += (uint64_t)pixel.at.n;
        if (!truth.certified)
            continue;
        if (truth.count != pixel.at.count) {
            struct distance distance = formula_distance(&pixel, deep.formula);
            double px = pixel.at.count
                            ? (double)hypotf(distance.x, distance.y)
                            : exp2(14 - truth.log2_dz - fixture.numbers.log2_step); /* R ln R */
            differ += px > 1e-12;
            printf("  (%d, %d): %lld instead of %lld, distance %g px\n", x, y,
                   (long long)pixel.at.count, (long long)truth.count, px);
            if (px > 1e-4)
                fail_msg("%s at %s: a count far from the set differs", place->formula, zoom);
            continue;
        }
        if (truth.count)
            errors[known++] = error_px(&deep, &pixel, &truth);
    }
    qsort(errors, (size_t)known, sizeof *errors, compare_doubles);
    double median = known ? errors[known / 2] : 0, most = known ? errors[known - 1] : 0;
    printf("%s%s at %s, blocks %d: %d of %d differ, error median %.2g most %.2g px; %.1f steps for "
           "%.1f iterations; %lld of orbit\n",
           place->formula, place->c_re != 0 ? " (Julia)" : "", zoom, blocks, differ, samples,
           median, most, (double)steps / samples, (double)iterations / samples,
           (long long)fixture.orbit.length);
    assert_true(differ <= 1 + samples / 32);
    assert_true(median <= accuracy_px);
    free(errors);
    deep_close(&deep);
    fixture_close(&fixture);
}

/* At four depths; every second one with blocks, and the others without, unless DEEPFIELD_LONG=1. */
static void prove_depths(int first, enum blocks blocks, double accuracy_px)
{
    static const struct {
        const char *zoom;
        int64_t limit;
        int samples;
        bool far;
    } depths[] = {{"1e5", 200, 6, false},
                  {"1e30", 800, 6, false},
                  {"1e160", 2500, 4, true},
                  {"1e300", 5000, 4, true}};
    for (int i = 0; i < PLACES; i++)
        for (int depth = 0; depth < 4; depth++)
            if (check_long() || (i + depth + first) % 2 == 0)
                prove(&places[i], depths[depth].zoom, depths[depth].limit, blocks,
                      depths[depth].far ? 1e-9 : accuracy_px, depths[depth].samples);
}

TEST(test_counts_step_by_step)
{
    prove_depths(0, BLOCKS_NONE, 1e-9);
}

TEST(test_counts_by_blocks)
{
    prove_depths(1, BLOCKS_QUARTIC, 0.01);
}

/* The operations of a row, as an own formula. */
static void row_disown(struct formula *formula)
{
    const struct formula_kind *kind = formula_kind(formula);
    formula->step = STEP_OWN;
    formula->own = (struct formula_lists){.phases = 1, .end = {kind->operations}};
    memcpy(formula->own.operation, kind->operation,
           (size_t)kind->operations * sizeof *kind->operation);
}

TEST(test_own_formulas_have_the_bits_of_rows)
{
    for (int i = 0; i < PLACES; i++) {
        struct fixture fixture = place_open(&places[i], "1e300", 3000);
        if (fixture.spec.formula.step < FORMULA_STEPS) {
            struct field row = rows_of(&fixture, NULL), own;
            row_disown(&fixture.spec.formula);
            own = rows_of(&fixture, NULL);
            assert_same_rows(&row, &own);
            field_destroy(&row);
            field_destroy(&own);
        }
        fixture_close(&fixture);
    }
}

TEST(test_instruction_sets_have_the_same_bits)
{
    static const char *const zooms[] = {"1e20", "1e300"};
    for (int i = 0; i < 2 * PLACES; i++) {
        struct fixture fixture = place_open(&places[i / 2], zooms[i % 2], i % 2 ? 3000 : 600);
        assert_sets_agree(&fixture);
        fixture_close(&fixture);
    }
}

/* Where delta keeps its exponent for nearly all steps, and where it rebases with one, near 0 and
 * beside a small Z. */
TEST(test_instruction_sets_have_the_same_bits_with_exponents)
{
    static const struct place near_cycles[] = {
        {.formula = "burning_ship", .re = "-1", .im = "1e-300"},
        {.formula = "tricorn", .re = "-1", .im = "1e-405"},
        {.formula = "quintic_quasi_heart", .re = "1e-420", .im = "0"},
        {.formula = "cubic_quasi_perpendicular", .re = "1e-500", .im = "1e-300"},
    };
    enum { CYCLES = sizeof near_cycles / sizeof *near_cycles };
    for (int i = 0; i < PLACES + CYCLES; i += i < PLACES && !check_long() ? 2 : 1) {
        const struct place *place = i < PLACES ? &places[i] : &near_cycles[i - PLACES];
        struct fixture fixture = place_open(place, "1e430", 1500);
        assert_sets_agree(&fixture);
        fixture_close(&fixture);
    }
}

/* Where pixels go on from the end of perturbation to |z| > R, no block is taken for that. */
TEST(test_errors_of_blocks_add_up)
{
    for (int i = 0; i < PLACES; i++) {
        struct fixture fixture = place_open(&places[i], "1e30", 800);
        struct deep_options options = {.blocks = BLOCKS_QUARTIC, .epsilon = 0x1p-20};
        fixture.spec.bailout = 8;
        struct deep deep = fixture_deep(&fixture, &options);
        double amplification = error_amplification(&deep, &fixture.grid);
        assert_true(amplification >= 0 && amplification < 1e12);
        deep_close(&deep);
        fixture_close(&fixture);
    }
}

/* At a zoom of 1e280 products of derivatives leave the doubles. */
TEST(test_errors_of_blocks_are_seen_where_derivatives_are_small)
{
    struct fixture fixture = place_open(&places[0], "1e280", 300);
    struct deep_options options = {.blocks = BLOCKS_QUARTIC, .epsilon = 0x1p-20};
    struct deep deep = fixture_deep(&fixture, &options);
    assert_false(deep.formula->program.holomorphic);
    assert_true(error_amplification(&deep, &fixture.grid) > 1);
    deep_close(&deep);
    fixture_close(&fixture);
}

/* Steps of the pixels inside that take the most, and how many of some pixels are inside. */
static uint64_t steps_inside(const struct place *place, const char *zoom, int *inside)
{
    struct fixture fixture = place_open(place, zoom, 5000);
    struct deep_options options = {.blocks = BLOCKS_QUARTIC, .epsilon = 0x1p-20};
    struct deep deep = fixture_deep(&fixture, &options);
    uint64_t most = 0;
    for (int i = 0; i < 64; i++) {
        struct formula_pixel pixel = pixel_all(&fixture, &deep, i % 8 * 64, i / 8 * 36);
        if (pixel.at.count)
            continue;
        assert_int_equal(pixel.at.n, 5000);
        most = pixel.at.steps > most ? pixel.at.steps : most;
        ++*inside;
    }
    deep_close(&deep);
    fixture_close(&fixture);
    return most;
}

/* Where pixels are attracted by a cycle, the orbit of 0 ends in it; about a repelling cycle that of
 * the view's centre does. */
TEST(test_blocks_go_round_short_cycles)
{
    static const struct place fixed_point = {
        .formula = "mandelbrot",
        .re = "-0."
              "57238052947636083048141596721542847050902118555502875564499023281566553127070010386",
        .im = "0",
        .c_re = -0.875};
    int inside = 0;
    for (int i = 0; i < PLACES; i++) {
        if (places[i].c_re == 0 || !strcmp(places[i].formula, "burning_ship"))
            continue;
        assert_in_range(steps_inside(&places[i], "1e50", &inside), 1, 300);
        assert_in_range(steps_inside(&places[i], "1e300", &inside), 0, 300);
    }
    assert_in_range(inside, 100, 512);
    inside = 0;
    assert_in_range(steps_inside(&fixed_point, "1e60", &inside), 1, 300);
    assert_in_range(inside, 10, 64);
}
