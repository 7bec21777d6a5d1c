/* Pixels in fp32: the same bits everywhere, near those of fp64. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/deep/deep_kernels.h"
#include "kernels/deep/number/late_error.h"
#include "kernels/deep/pixel_wide.h"
#include "kernels/formula_text.h"
#include "tests/kernels/test_deep_fixture.h"

enum { WIDTH = 72, HEIGHT = 40 };

static struct fixture late_open(int place, bool fp32)
{
    struct fixture_wanted wanted = wanted_place(place, WIDTH, HEIGHT);
    wanted.fp32 = fp32;
    return fixture_open(&wanted);
}

/* Of the accuracy that is asked for unless another is, as in a picture of 1080 rows. */
static struct deep_options late_options(const struct fixture *fixture)
{
    const double accuracy_px =
        0.01 * fixture->grid.height / 1080 / reference_exactness(&fixture->spec.formula);
    return (struct deep_options){.blocks = BLOCKS_QUARTIC,
                                 .epsilon = deep_epsilon(accuracy_px, &fixture->grid)};
}

static uint64_t late_compute(const struct fixture *fixture, const struct deep_options *options,
                             struct field *out)
{
    struct deep deep = fixture_deep(fixture, options);
    struct deep_work work = {0};
    assert_true((deep.late.z || deep.formula_f32) == (fixture->spec.number == NUMBER_FP32));
    assert_int_equal(
        field_create(out, fixture->grid.width, fixture->grid.height, fixture->spec.planes, 4),
        STATUS_OK);
    assert_int_equal(deep_compute(&deep, &fixture->spec, &fixture->grid, out, &work), STATUS_OK);
    deep_close(&deep);
    return work.steps;
}

static void assert_same(const struct field *a, const struct field *b)
{
    size_t bytes;
    assert_int_equal(field_bytes(a->width, a->height, a->planes, 4, &bytes), STATUS_OK);
    assert_memory_equal(a->base, b->base, bytes);
}

/* Every instruction set, with another number of threads, has the bits and the steps of the first.
 */
static void same_everywhere(const struct fixture *fixture)
{
    struct deep_options options = late_options(fixture);
    struct field want, got;
    options.kernels = instruction_set(0);
    uint64_t steps = late_compute(fixture, &options, &want);
    for (int set = 0; set < INSTRUCTION_SETS; set++) {
        options.kernels = instruction_set(set);
        options.threads = 1 + set;
        if (!options.kernels)
            continue;
        assert_int_equal(late_compute(fixture, &options, &got), steps);
        assert_same(&want, &got);
        field_destroy(&got);
    }
    field_destroy(&want);
}

TEST(test_instruction_sets_and_threads_change_no_bit)
{
    for (int place = 0; place < DEEP_PLACES; place++) {
        struct fixture fixture = late_open(place, true);
        same_everywhere(&fixture);
        fixture_close(&fixture);
    }
}

TEST(test_tiles_change_no_bit)
{
    struct fixture fixture = late_open(0, true);
    struct deep_options options = late_options(&fixture);
    struct field whole, parts;
    struct deep_work work = {0};
    uint64_t steps = late_compute(&fixture, &options, &whole);
    struct deep deep = fixture_deep(&fixture, &options);
    assert_int_equal(field_create(&parts, WIDTH, HEIGHT, fixture.spec.planes, 4), STATUS_OK);
    for (int32_t y = 0; y < HEIGHT; y += 7)
        for (int32_t x = 0; x < WIDTH; x += 67) {
            struct grid grid = fixture.grid;
            grid.x = x;
            grid.y = y;
            grid.width = WIDTH - x < 67 ? WIDTH - x : 67;
            grid.height = HEIGHT - y < 7 ? HEIGHT - y : 7;
            struct field window = field_window(&parts, x, y, grid.width, grid.height);
            assert_int_equal(deep_compute(&deep, &fixture.spec, &grid, &window, &work), STATUS_OK);
        }
    assert_same(&whole, &parts);
    assert_int_equal(work.steps, steps);
    deep_close(&deep);
    field_destroy(&whole);
    field_destroy(&parts);
    fixture_close(&fixture);
}

TEST(test_borrowed_blocks_change_no_bit)
{
    struct fixture fixture = late_open(1, true);
    struct deep_options options = late_options(&fixture);
    struct field want, got;
    late_compute(&fixture, &options, &want);
    struct deep own = fixture_deep(&fixture, &options);
    options.ready = &own;
    late_compute(&fixture, &options, &got);
    assert_same(&want, &got);
    fixture.spec.number = NUMBER_FP64; /* blocks of the other type are not borrowed */
    struct deep other = fixture_deep(&fixture, &options);
    assert_non_null(other.memory[0]);
    deep_close(&other);
    deep_close(&own);
    field_destroy(&want);
    field_destroy(&got);
    fixture_close(&fixture);
}

/* The spec alone decides: not the accuracy, which a place may take finer. */
TEST(test_fp32_is_what_the_spec_says)
{
    struct fixture fixture = late_open(0, true);
    struct deep_options options = late_options(&fixture);
    assert_true(deep_is_late(&options, &fixture.spec));
    options.epsilon = deep_epsilon(1e-9, &fixture.grid);
    assert_true(deep_is_late(&options, &fixture.spec));
    options.blocks = BLOCKS_NONE;
    assert_false(deep_is_late(&options, &fixture.spec));
    options.blocks = BLOCKS_QUARTIC;
    fixture.spec.planes |= PLANE_MASK_DISTANCE;
    assert_false(deep_is_late(&options, &fixture.spec));
    fixture_close(&fixture);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Distance, in pixels of a picture of 1080 rows, below which a pixel may move by more than it. */
static const double NEAR_PX = 0.05;

/* Moves of pixels, in those of a picture of 1080 rows, sorted: nu changes by 2 / (ln degree |d|) a
 * pixel, d the distance. Returns their number; *dropped: pixels as near as NEAR_PX whose nu changes
 * by more than a quarter, for they move by more than d, and nu is no measure there. Nor is it where
 * an ulp of the fraction moves a pixel by a thousandth. Pixels inside have none. */
static int moves(const struct field *exact, const struct field *got, int degree, double *moved,
                 int *dropped)
{
    const float *dx = exact->plane[PLANE_DISTANCE_X], *dy = exact->plane[PLANE_DISTANCE_Y];
    const float *f = exact->plane[PLANE_FRACTION], *g = got->plane[PLANE_FRACTION];
    int count = 0;
    *dropped = 0;
    for (int i = 0; i < exact->width * exact->height; i++) {
        double n = (double)field_count_at(exact, (size_t)i),
               m = (double)field_count_at(got, (size_t)i);
        double change = fabs((n + (double)f[i]) - (m + (double)g[i]));
        double d = hypot((double)dx[i], (double)dy[i]) * 1080 / exact->height;
        if (!(n > 0 && d * 0x1p-23 < 1e-3))
            continue;
        if (change > 0.25 && d < NEAR_PX)
            ++*dropped;
        else
            moved[count++] = change * 0.5 * log(degree) * d;
    }
    qsort(moved, (size_t)count, sizeof *moved, compare);
    return count;
}

/* The moves beside fp64 at 1e-9 px, of fp32 or of fp64 with the same blocks. */
static int place_moves(int place, const struct field *exact, bool fp32, double *moved, int *dropped)
{
    struct fixture fixture = late_open(place, fp32);
    struct deep_options options = late_options(&fixture);
    struct field got;
    late_compute(&fixture, &options, &got);
    int count = moves(exact, &got, 2, moved, dropped);
    field_destroy(&got);
    fixture_close(&fixture);
    return count;
}

static double floats_predicted(int place)
{
    struct fixture fixture = late_open(place, true);
    struct deep_options options = late_options(&fixture);
    struct deep deep = fixture_deep(&fixture, &options);
    double predicted = error_of_floats(&deep, &fixture.grid) * 1080 / HEIGHT;
    deep_close(&deep);
    fixture_close(&fixture);
    return predicted;
}

TEST(test_an_unknown_slope_predicts_no_bound)
{
    struct fixture fixture = late_open(0, true);
    struct deep_options options = late_options(&fixture);
    struct deep deep = fixture_deep(&fixture, &options);
    deep.common.step.x = deep.common.step_v.x = NAN;
    assert_true(isinf(error_of_floats(&deep, &fixture.grid)));
    deep_close(&deep);
    fixture_close(&fixture);
}

TEST(test_pixels_move_by_less_than_the_accuracy)
{
    static double moved[WIDTH * HEIGHT];
    for (int place = 0; place < DEEP_PLACES; place++) {
        struct fixture fixture = late_open(place, false);
        struct deep_options options = {.blocks = BLOCKS_QUARTIC,
                                       .epsilon = deep_epsilon(1e-9, &fixture.grid)};
        struct field exact;
        fixture.spec.planes |= PLANE_MASK_DISTANCE;
        late_compute(&fixture, &options, &exact);
        fixture_close(&fixture);
        int dropped[2], count = place_moves(place, &exact, false, moved, &dropped[0]);
        const double predicted = floats_predicted(place);
        printf("%-8s floats predicted %.1e; moved px, p50 p99 most of all: fp64 %.1e %.1e %.1e %d",
               deep_places[place].name, predicted, moved[count / 2], moved[count * 99 / 100],
               moved[count - 1], count);
        count = place_moves(place, &exact, true, moved, &dropped[1]);
        printf("; fp32 %.1e %.1e %.1e %d; dropped %d and %d\n", moved[count / 2],
               moved[count * 99 / 100], moved[count - 1], count, dropped[0], dropped[1]);
        assert_true(count > WIDTH * HEIGHT / 2);
        assert_true(dropped[1] <= dropped[0] + WIDTH * HEIGHT / 8);
        assert_true(moved[count / 2] < 0.001 && moved[count * 99 / 100] < 0.005);
        assert_true(moved[count - 1] < 0.01 && predicted < 0.005);
        field_destroy(&exact);
    }
}

/* ---- other formulas ---- */

static const struct {
    const char *formula, *re, *im;
    double c_re, c_im; /* of a Julia set; else 0 */
} places[] = {
#include "tests/kernels/deep_formula_places.inc"
};
enum { PLACES = sizeof places / sizeof *places };

/* Where a double holds delta, where none does, and where all formulas have pixels far outside. */
static const struct {
    const char *zoom;
    int64_t limit;
} depths[] = {{"1e30", 800}, {"1e400", 5000}, {"2", 3000}};
enum { DEPTHS = 2, SHALLOW = DEPTHS, ACROSS = 32, DOWN = 18 };

static struct fixture_wanted formula_wanted(int place, int depth)
{
    struct fixture_wanted wanted = {.re = places[place].re,
                                    .im = places[place].im,
                                    .zoom = depths[depth].zoom,
                                    .limit = depths[depth].limit,
                                    .width = ACROSS,
                                    .height = DOWN};
    assert_int_equal(
        formula_of_text(&wanted.formula, places[place].formula, strlen(places[place].formula)),
        STATUS_OK);
    if (places[place].c_re != 0 || places[place].c_im != 0) {
        wanted.formula.plane = DYNAMIC_PLANE;
        wanted.formula.c_re = places[place].c_re;
        wanted.formula.c_im = places[place].c_im;
    }
    return wanted;
}

static struct fixture formula_open(struct fixture_wanted wanted, bool fp32)
{
    wanted.fp32 = fp32;
    return fixture_open(&wanted);
}

TEST(test_instruction_sets_change_no_bit_of_formulas)
{
    for (int i = 0; i < PLACES * DEPTHS; i++) {
        struct fixture fixture = formula_open(formula_wanted(i / DEPTHS, i % DEPTHS), true);
        same_everywhere(&fixture);
        fixture_close(&fixture);
    }
}

struct formula_moved {
    double predicted, p99; /* what the plan says, and 99 of 100 pixels beside fp64 at 1e-9 px */
    int count, dropped[2]; /* as moves, of fp64 and of fp32 with the same blocks */
};

static struct formula_moved formula_moves(const struct fixture_wanted *wanted)
{
    static double moved[(ACROSS + 1) * (DOWN + 1)];
    struct formula_moved result = {0};
    struct fixture fixture = formula_open(*wanted, false);
    struct deep_options options = {.blocks = BLOCKS_QUARTIC,
                                   .epsilon = deep_epsilon(1e-9, &fixture.grid)};
    const int degree = formula_degree(&fixture.spec.formula);
    struct field exact, got;
    fixture.spec.planes |= PLANE_MASK_DISTANCE;
    late_compute(&fixture, &options, &exact);
    fixture_close(&fixture);
    for (int floats = 0; floats < 2; floats++) {
        fixture = formula_open(*wanted, floats);
        options = late_options(&fixture);
        late_compute(&fixture, &options, &got);
        result.count = moves(&exact, &got, degree, moved, &result.dropped[floats]);
        field_destroy(&got);
        if (!floats)
            fixture_close(&fixture);
    }
    struct deep deep = fixture_deep(&fixture, &options);
    result.predicted = error_of_floats(&deep, &fixture.grid) * 1080 / wanted->height;
    deep_close(&deep);
    fixture_close(&fixture);
    field_destroy(&exact);
    result.p99 = result.count ? moved[result.count * 99 / 100] : 0;
    printf("predicted %.1e; moved px, p99 of all: %.1e %d; dropped %d and %d\n", result.predicted,
           result.p99, result.count, result.dropped[0], result.dropped[1]);
    return result;
}

/* Where distances are so short that fp64 drops more pixels than it counts, nu is no measure: five
 * places at zoom 1e30, and none at zoom 2. */
TEST(test_pixels_of_formulas_move_by_no_more_than_predicted)
{
    int unmeasured = 0;
    for (int i = 0; i < 2 * PLACES; i++) {
        const int depth = i < PLACES ? 0 : SHALLOW;
        const struct fixture_wanted wanted = formula_wanted(i % PLACES, depth);
        printf("%-14s ", places[i % PLACES].formula);
        const struct formula_moved moved = formula_moves(&wanted);
        assert_true(moved.p99 < moved.predicted && moved.predicted < 0.02);
        if (depth != SHALLOW && moved.dropped[0] > moved.count) {
            unmeasured++;
            continue;
        }
        assert_true(moved.count >= 200);
        assert_true(moved.dropped[1] <= moved.dropped[0] + ACROSS * DOWN / 20);
    }
    assert_true(unmeasured <= 5);
}

/* ---- smooth colours ---- */

/* Largest |nu' - nu - 1| of pixels, where nu is of the bailout radius R and nu' of R^degree. With
 * R^degree far beyond |c| pixels escape one iteration later, so it is the step of nu between
 * neighbours of which one escapes an iteration later, without the places of pixels, which move. */
static double fraction_step(struct fixture_wanted wanted, bool fp32, int *escaped)
{
    struct field out[2];
    double most = 0;
    wanted.fp32 = fp32;
    for (int i = 0; i < 2; i++) {
        wanted.bailout = i ? 0x1p20 : exp2(20.0 / formula_degree(&wanted.formula));
        struct fixture fixture = fixture_open(&wanted);
        struct deep_options options = late_options(&fixture);
        late_compute(&fixture, &options, &out[i]);
        fixture_close(&fixture);
    }
    for (int i = 0; i < wanted.width * wanted.height; i++) {
        double nu[2];
        for (int k = 0; k < 2; k++) {
            const float *fraction = out[k].plane[PLANE_FRACTION];
            nu[k] = (double)field_count_at(&out[k], (size_t)i) + (double)fraction[i];
        }
        if (nu[0] > 0 && nu[1] > 0) {
            ++*escaped;
            most = fmax(most, fabs(nu[1] - nu[0] - 1));
        }
    }
    field_destroy(&out[0]);
    field_destroy(&out[1]);
    return most;
}

/* Where a step multiplies by c or by a constant, or lists take turns, |z| does not go to
 * |z|^degree: two places of Lambda and one of lists, at two depths each. */
TEST(test_smooth_colours_have_no_steps)
{
    int unmeasured = 0, escaped = 0;
    for (int i = 0; i < DEEP_PLACES + PLACES * DEPTHS; i++) {
        const int formula = i - DEEP_PLACES;
        const struct fixture_wanted wanted =
            formula < 0 ? wanted_place(i, ACROSS, DOWN)
                        : formula_wanted(formula / DEPTHS, formula % DEPTHS);
        int ignored = 0;
        const double plain = fraction_step(wanted, false, &ignored);
        if (plain > 1e-3) {
            unmeasured++;
            continue;
        }
        const double floats = fraction_step(wanted, true, &escaped);
        printf("%-14s step of nu: fp64 %.1e, fp32 %.1e\n",
               formula < 0 ? deep_places[i].name : places[formula / DEPTHS].formula, plain, floats);
        assert_true(floats < 1e-6);
    }
    assert_true(unmeasured <= 6 && escaped > 10000);
}

/* The middle probe lies on the axis of the Burning Ship's needle, where orbits stay bounded and
 * their derivatives leave the doubles; that of a Julia set has the derivative 0. */
TEST(test_probes_on_a_line_of_symmetry_are_predicted)
{
    struct fixture_wanted needle = {.re = "-1.999999999999999999999999999999",
                                    .im = "0",
                                    .zoom = "1e31",
                                    .limit = 4000,
                                    .width = ACROSS + 1,
                                    .height = DOWN + 1,
                                    .formula = {.step = STEP_burning_ship}};
    struct fixture_wanted julia = {
        .re = "0",
        .im = "0",
        .zoom = "1e3",
        .limit = 20000,
        .width = ACROSS - 1,
        .height = DOWN + 1,
        .formula = {.plane = DYNAMIC_PLANE, .c_re = -1.25, .c_im = 0.001}};
    const struct formula_moved moved[] = {formula_moves(&needle), formula_moves(&julia)};
    for (int i = 0; i < 2; i++)
        assert_true(moved[i].count >= 200 && moved[i].p99 < moved[i].predicted &&
                    moved[i].predicted < 0.01);
}

/* Beside the cusp a seventh of the pixels escapes, between others that stay bounded, and moves by
 * 1e-2 px but at the border, where `verify` takes half of its pixels: there by up to 10 px. */
TEST(test_a_narrow_band_of_pixels_that_escape_is_predicted)
{
    static const struct {
        const char *re, *im, *zoom;
        double p99; /* px, of 400 pixels of `verify` */
    } views[] = {{"0.250001", "0", "1.6e8", 0.63},
                 {"0.250001", "0.0000000018", "1.6e8", 0.084},
                 {"0.25001", "0.00000006", "5e6", 0.0078}};
    enum { TALL = 140 };
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        const struct fixture_wanted wanted = {.re = views[i].re,
                                              .im = views[i].im,
                                              .zoom = views[i].zoom,
                                              .limit = 20000,
                                              .width = 2 * TALL,
                                              .height = TALL,
                                              .fp32 = true};
        struct fixture fixture = fixture_open(&wanted);
        struct deep_options options = late_options(&fixture);
        options.epsilon = deep_epsilon(0.01, &fixture.grid);
        struct deep deep = fixture_deep(&fixture, &options);
        const double predicted = error_of_floats(&deep, &fixture.grid);
        printf("%s %s predicted %.1e px, p99 %.1e px\n", views[i].re, views[i].im, predicted,
               views[i].p99);
        assert_true(predicted > views[i].p99);
        deep_close(&deep);
        fixture_close(&fixture);
    }
}

/* Eight steps from a point near 0 on, narrowed: the place where the term of c is below the floats
 * of a delta that has no exponent. */
static struct quadratic_block_f32 block_past_zero(void)
{
    enum { STEPS = 8, C_EXPONENT = -101, Z_EXPONENT = -29 };
    const struct block_limits limits = {1e-5, 1000.0, 1.5, C_EXPONENT};
    struct complex_wide z = {{ldexp(1.3, Z_EXPONENT), ldexp(0.4, Z_EXPONENT)}, 0};
    struct quadratic_block block = block_leaf(z, &limits);
    int32_t radius = block_leaf_radius(z, &limits);
    for (int step = 1; step < STEPS; step++) {
        double x = z.x.x * z.x.x - z.x.y * z.x.y - 0.7436, y = 2 * z.x.x * z.x.y + 0.1318;
        z = (struct complex_wide){{x, y}, 0};
        struct quadratic_block leaf = block_leaf(z, &limits), joined;
        radius = block_join(&block, radius, &leaf, block_leaf_radius(z, &limits), &limits, &joined);
        block = joined;
    }
    assert_true(radius != WIDE_KEY_NONE);
    return block_narrow(&block);
}

/* Lanes and GPUs keep the exponent of delta, pixels one by one only where it is small. */
TEST(test_a_delta_has_an_exponent_or_none)
{
    enum { LENGTH = 3 }; /* log2 of the steps */
    const struct quadratic_block_f32 records[2] = {{.out = 0}, block_past_zero()};
    const struct pixel_common_f32 common = {.per_unit = 1,
                                            .table = {.shortest = LENGTH, .record_f32 = {records}}};
    for (int32_t e = -60; e <= -40; e++) {
        struct pixel_state_f32 plain = {.c = {1.1f, 0.6f}, .m = 1 << LENGTH}, apart = plain;
        plain.delta = (struct complex_f32){ldexpf(1.2f, e), ldexpf(0.7f, e)};
        apart.delta = (struct complex_f32){1.2f, 0.7f};
        apart.e = e;
        wide_leap_f32(&plain, &common, 0, 0);
        wide_leap_f32(&apart, &common, 0, 0);
        assert_int_equal(plain.e, apart.e);
        assert_memory_equal(&plain.delta, &apart.delta, sizeof plain.delta);
    }
}

int main(void)
{
    return check_run(NULL, NULL);
}
