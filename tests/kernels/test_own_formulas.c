/* Own formulas: what their texts mean, what radius is proven for them, and that every backend gives
 * the plain loop's counts, fractions, distances and phases of them, bit for bit; those of the row
 * where the operations are the same. */
#include "tests/kernels/backend_rows.h"

#include <math.h>

#include "kernels/formula_text.h"

static struct formula formula_made(const char *text)
{
    struct formula formula;
    if (formula_of_text(&formula, text, strlen(text)) != STATUS_OK)
        fail_msg("%s: %s", text, status_text());
    return formula;
}

/* The lists of a row as an own formula. */
static struct formula own_of_row(int step)
{
    struct formula formula = {.step = STEP_OWN, .own = {.phases = 1}};
    formula.own.end[0] = formula_kinds[step].operations;
    memcpy(formula.own.operation, formula_kinds[step].operation,
           (size_t)formula.own.end[0] * sizeof formula.own.operation[0]);
    return formula;
}

static struct spec spec_of(const struct place *place, const struct formula *formula,
                           enum formula_plane plane)
{
    struct spec spec = {.limit = place->limit,
                        .bailout = place->bailout,
                        .planes = PLANE_MASK_COUNT | PLANE_MASK_FRACTION | PLANE_MASK_END,
                        .count_bytes = 4,
                        .number = NUMBER_FP64,
                        .formula = formula_in(formula, plane)};
    if (plane == DYNAMIC_PLANE) {
        spec.formula.c_re = -0.5;
        spec.formula.c_im = 0.4;
    }
    return spec;
}

static const struct place places[] = {
    {"whole", 0, 0, 4.2, 0, 61, 37, 700, 1024},
    {"turned", -0.6, 0.1, 1, 0.7, 33, 30, 1100, 20},
    {"edge", -1.1, -0.01, 0.2, 0, 40, 24, 2500, 1e6},
    {"limit 33", -0.4, 0.3, 2, 0, 30, 30, 33, 64},
    {"limit 1", 0, 0, 6, 0, 11, 11, 1, 100},
};

/* Every operation, one list and many, with lengths that divide no run of 32 steps. */
static const char *const hybrids[] = {
    "sqr, add c; absx, absy, sqr, add c",
    "sqr, add c; sqr, absx, add c; conj, sqr, add c",
    "scale 0.5, sqr, add c",
    "rotate 30, sqr, swap, add c; pow 3, add c; absy, sqr, scale 1.5 -0.25, add c",
    "sqr, add c, sqr, add c",
    "keep, absx, absy, sqr, mul, negx, add c; pow 5, add c",
    "sqr, keep, sqr, absx, signy, swap, add c; keep, negy, pow 4, signy, add c",
    ("sqr, add c; sqr, add c; absx, sqr, add c; sqr, add c; sqr, add c; sqr, add c; sqr, add c; "
     "sqr, add c; sqr, add c; sqr, add c; sqr, add c; sqr, add c; absx, absy, sqr, add c")};

TEST(every_row_gives_the_plain_field_of_own_formulas)
{
    for (size_t h = 0; h < sizeof hybrids / sizeof *hybrids; h++)
        for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
            struct formula formula = formula_made(hybrids[h]);
            struct spec spec = spec_of(&places[p], &formula, (p + h) % 2);
            struct place place = places[p];
            place.name = hybrids[h];
            assert_int_equal(formula.step, STEP_OWN);
            run_rows(&place, &spec, 1 + (int)p % 3, p == 1);
        }
}

TEST(an_own_formula_is_the_row_with_its_operations)
{
    uint64_t seed = 20261123;
    for (int step = 0; step < FORMULA_STEPS; step++) {
        struct formula own = own_of_row(step);
        const struct formula_kind *kind = &formula_kinds[step];
        assert_int_equal(formula_degree(&own), kind->degree);
        assert_int_equal(formula_holomorphic(&own), kind->holomorphic);
        for (int k = 0; k < 100; k++) {
            double cx = check_random_unit(&seed), cy = -check_random_unit(&seed);
            struct formula_slope a = {4 * check_random_unit(&seed) - 2,
                                      4 * check_random_unit(&seed) - 2,
                                      check_random_unit(&seed),
                                      0.5,
                                      -0.5,
                                      check_random_unit(&seed)};
            if (kind->holomorphic) { /* of which a row gives i times the other */
                a.x_up = -a.y_right;
                a.y_up = a.x_right;
            }
            struct formula_slope b = a;
            double x = a.x, y = a.y;
            kind->slope(&a, cx, cy, 1);
            formula_iterate_slope(&own, k, &b, cx, cy, 1);
            formula_iterate(&own, k, &x, &y, cx, cy);
            assert_true(a.x == x && a.y == y && b.x == x && b.y == y);
            assert_true(a.x_right == b.x_right && a.y_right == b.y_right);
            if (!kind->holomorphic)
                assert_true(a.x_up == b.x_up && a.y_up == b.y_up);
        }
        struct place place = places[step % 2];
        place.bailout = 1024;
        struct spec spec = spec_of(&place, &own, PARAMETER_PLANE);
        place.name = kind->name;
        if (step % 7 == 1)
            run_rows(&place, &spec, 2, false);
    }
}

/* ---- texts ---- */

static void reads_as(const char *text, const char *wanted)
{
    char made[FORMULA_TEXT_BYTES];
    struct formula formula = formula_made(text);
    assert_string_equal(formula_text(&formula, made), wanted);
    struct formula again = formula_made(made);
    assert_true(formula_same(&formula, &again));
}

TEST(texts_become_lists_and_texts_again)
{
    reads_as("celtic", "celtic");
    reads_as("julia", "julia");
    reads_as("sqr, add c", "mandelbrot");
    reads_as("pow 7,add", "multibrot_7");
    reads_as("sqr,absx,add c", "celtic");
    reads_as(" conj , sqr,\tadd  c ", "tricorn");
    reads_as("# mine\nabsx\nabsy # both\n\nsqr\nadd c\n", "burning_ship");
    reads_as("sqr,\nadd c;\nsqr, absx, add c\n", "sqr, add c; sqr, absx, add c");
    reads_as("store, sqr, mul, absx, swap, add c", "keep, sqr, mul, absx, swap, add c");
    reads_as("absx, keep, sqr, mul, signy, negy, add c", "cubic_quasi_perpendicular");
    reads_as("keep, pow 4, signy, add c", "keep, sqr, sqr, signy, add c");
    reads_as("pow 9, add c", "keep, sqr, sqr, sqr, mul, add c");
    reads_as("scale .5e0 -0, sqr, add c", "scale 0.5, sqr, add c");
    reads_as("scale 0.1 1e-3, sqr, add c", "scale 0.1 0.001, sqr, add c");
    reads_as("rotate 90, sqr, add c", "scale 0 1, sqr, add c");
    reads_as("rotate 30, sqr, add c", "scale 0.8660254037844386 0.5, sqr, add c");
}

TEST(wrong_texts_are_told_with_their_place)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "column 1: an operation is missing before the end; expected absx"},
        {"sqr add c", "column 5: 'add' after an operation; expected ',' or ';'"},
        {"sqr, ad c", "column 6: unknown operation 'ad'"},
        {"sqr, add c,", "column 12: an operation is missing before the end"},
        {"sqr, add c;", "column 12: an operation is missing before the end"},
        {"sqr, , add c", "column 6: unknown operation ','"},
        {"sqr\nadd d", "line 2, column 5: 'd' after an operation"},
        {"sqr, add cc", "column 11: 'c' after an operation"},
        {"Sqr, add c", "column 1: unknown operation 'Sqr'"},
        {"sqr, add c \x01", "column 12: a byte of 1 after an operation"},
        {"mul, add c", "column 1: mul multiplies by what was kept"},
        {"keep, sqr, mul, add c; mul, add c", "column 24: mul multiplies by what was kept"},
        {"keep, pow 3, mul, add c", "column 14: pow has kept another value"},
        {"sqr, signy, add c", "column 6: signy takes the sign of what was kept, and nothing was"},
        {"keep, pow 3, signy, add c", "column 14: pow has kept another value before this signy"},
        {"keep, swap, sqr, signy, add c", "list 1 gives a sign to a y that is no multiple"},
        {"sqr, add c; keep, sqr, scale 1 1, signy, add c", "list 2 gives a sign to a y"},
        {"keep, add c, sqr, signy, add c", "list 1 gives a sign to a y"},
        {"pow, add c", "column 4: ',' is not the power of pow"},
        {"pow 1, add c", "column 1: the power of pow is a whole number from 2 to 64"},
        {"pow 2.5, add c", "column 1: the power of pow"},
        {"scale, sqr, add c", "column 6: ',' is not the constant of scale"},
        {"scale 1e999, sqr, add c", "column 7: '1e999' is not the constant"},
        {"scale nan, sqr, add c", "column 7: 'nan' is not the constant"},
        {"scale 1x10, sqr, add c", "column 8: 'x10' after an operation"},
        {"scale 1e-7, sqr, add c", "column 1: a constant of size 1e-07"},
        {"rotate 400, sqr, add c", "column 1: an angle of 400 degrees"},
        {"pow 64, sqr, add c", "column 14: a list of degree 128; 64 is the most"},
        {"sqr", "c is not added anywhere"},
        {"absx, add c", "list 1 has no power of z"},
        {"scale 2, add c", "list 1 has no power of z"},
        {"sqr, add c; absx, add c", "list 2 has no power of z"},
        {"scale 1e-6, scale 1e-6, sqr, add c", "no radius up to 1e+09 is proven"},
        {"sqr, add c, scale -1, add c", "no radius up to 1e+09 is proven"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct formula formula;
        assert_int_equal(formula_of_text(&formula, cases[i].text, strlen(cases[i].text)),
                         STATUS_CONFIG);
        if (strncmp(status_text(), cases[i].says, strlen(cases[i].says)) != 0)
            fail_msg("'%s' is told as '%s', not as '%s'", cases[i].text, status_text(),
                     cases[i].says);
    }
}

/* 64 operations, 16 lists and 8 constants are taken; the longest text of them is short enough. */
TEST(texts_have_an_end)
{
    char text[2000] = "", made[FORMULA_TEXT_BYTES];
    struct formula formula;
    for (int i = 0; i < 8; i++)
        strcat(text, "scale -1.2345678901234567 -3.4567890123456785e-05, ");
    strcat(text, "keep, ");
    for (int i = 0; i < 53; i++)
        strcat(text, "signy, ");
    strcat(text, "sqr, add c");
    formula = formula_made(text);
    assert_in_range(strlen(formula_text(&formula, made)), 700, FORMULA_TEXT_BYTES - 20);
    strcat(text, ", absx");
    assert_int_equal(formula_of_text(&formula, text, strlen(text)), STATUS_CONFIG);
    assert_non_null(strstr(status_text(), "more than 64 operations"));
    for (int lists = 16; lists <= 17; lists++) {
        strcpy(text, "sqr, add c");
        for (int i = 1; i < lists; i++)
            strcat(text, "; sqr, add c");
        assert_int_equal(formula_of_text(&formula, text, strlen(text)),
                         lists == 16 ? STATUS_OK : STATUS_CONFIG);
    }
    assert_non_null(strstr(status_text(), "more than 16 lists"));
}

/* ---- growth ---- */

TEST(radii_are_proven)
{
    static const struct {
        const char *text;
        double least;
    } cases[] = {{"sqr, add c; pow 3, absx, add c", 2},
                 {"scale 0.5, sqr, add c", 8},  /* R^2 / 4 - R = R */
                 {"sqr, scale 0.1, add c", 20}, /* 0.1 R^2 - R = R */
                 {"sqr, add c; sqr, scale 0.1, add c", 20},
                 {"sqr, add c, sqr, add c", 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct formula formula = formula_made(cases[i].text);
        double least;
        assert_int_equal(formula_least_bailout(&formula, &least), STATUS_OK);
        if (fabs(least - cases[i].least) > 1e-4 * cases[i].least)
            fail_msg("%s: %g", cases[i].text, least);
        assert_int_equal(formula_check(&formula, 1.01 * least), STATUS_OK);
        if (least > 2) {
            assert_int_equal(formula_check(&formula, 0.99 * least), STATUS_CONFIG);
            assert_non_null(strstr(status_text(), "too small for this formula"));
        }
    }
    struct formula formula = formula_made("pow 64, add c");
    assert_int_equal(formula_check(&formula, 1024), STATUS_CONFIG);
    assert_non_null(strstr(status_text(), "use --bailout 224 at most"));
    assert_int_equal(formula_check(&formula, 224), STATUS_OK);
}

/* Who changes the formula, as the viewer does, need not know its radii. */
TEST(a_radius_near_the_one_before_is_found)
{
    static const struct {
        const char *text;
        double wanted, found;
    } cases[] = {{"pow 64, add c", 1024, 224},     {"pow 64, add c", 100, 100},
                 {"scale 0.5, sqr, add c", 2, 9},  {"scale 0.5, sqr, add c", 50, 50},
                 {"sqr, add c; sqr, add c", 3, 3}, {"burning_ship", 1e9, 1e9},
                 {"magnet_1", 1e9, 92681},         {"magnet_2", 5000, 2048},
                 {"magnet_2", 1024, 1024},         {"nova", 1e9, 1e9}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct formula formula = formula_made(cases[i].text);
        double found;
        assert_int_equal(formula_bailout_near(&formula, cases[i].wanted, &found), STATUS_OK);
        assert_true(found == cases[i].found);
        assert_int_equal(formula_check(&formula, found), STATUS_OK);
    }
}

/* 1e-6^64 and 1e6^64 are no doubles. */
TEST(no_radius_is_between_one_that_is_too_small_and_one_that_is_too_large)
{
    static const char *const cases[] = {"scale 1e-6, pow 64, add c", "scale 1e6, pow 64, add c",
                                        "sqr, add c; scale 1e-3, pow 50, add c",
                                        "scale 1e-6, pow 32, sqr, add c"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct formula formula;
        assert_int_equal(formula_of_text(&formula, cases[i], strlen(cases[i])), STATUS_CONFIG);
        assert_non_null(strstr(status_text(), "powers overflow beyond one of"));
    }
}

/* From whatever point beyond the radius and |c|, and of c beyond it from 0, |z| never falls again
 * below the radius. */
TEST(beyond_the_radius_orbits_grow)
{
    uint64_t seed = 20261124;
    for (size_t h = 0; h < sizeof hybrids / sizeof *hybrids; h++) {
        struct formula formula = formula_made(hybrids[h]);
        double least;
        assert_int_equal(formula_least_bailout(&formula, &least), STATUS_OK);
        for (int k = 0; k < 2000; k++) {
            double turn = 2 * M_PI * check_random_unit(&seed), about = check_random_unit(&seed);
            double c = least * exp2(4 * check_random_unit(&seed) - 2), x = 0, y = 0;
            double cx = c * cos(turn), cy = c * sin(turn);
            int64_t n = (int64_t)(check_random(&seed) % 16);
            if (k % 2) {
                x = fmax(least, c) * (1 + about * about) * cos(3 * turn + 1) * 1.001;
                y = fmax(least, c) * (1 + about * about) * sin(3 * turn + 1) * 1.001;
            } else {
                n = 0;
            }
            bool beyond = false;
            for (int64_t i = n; i < n + 40; i++) {
                formula_iterate(&formula, i, &x, &y, cx, cy);
                double z = hypot(x, y);
                if (beyond && !(z > least * (1 - 1e-12)) && z <= least)
                    fail_msg("%s: back to %g", hybrids[h], z);
                beyond = beyond || k % 2 || z > least;
                if (!(z < 1e100))
                    break;
            }
        }
    }
}

/* nu is continuous where |z_n| = R: the fraction of a count is 0 there, and next to 1 before. */
TEST(fractions_are_continuous_at_the_radius)
{
    static const char *const texts[] = {"sqr, add c; pow 3, add c; absx, sqr, scale 0.3, add c",
                                        "sqr, scale 2, add c"};
    const double bailout = 1e6;
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        struct formula formula = formula_made(texts[t]);
        for (int64_t n = 1; n <= 3; n++) {
            double turn = 0.1 * (double)n, x = bailout * cos(turn), y = bailout * sin(turn);
            struct fraction_scale now =
                fraction_scale(bailout, formula_fraction_base(&formula, n, bailout));
            assert_true(fraction_of_degree(fma(x, x, y * y) * (1 + 1e-9), now) > 0.999999f);
            struct fraction_scale next =
                fraction_scale(bailout, formula_fraction_base(&formula, n + 1, bailout));
            formula_iterate(&formula, n, &x, &y, 0.1, 0.1);
            assert_true(fraction_of_degree(fma(x, x, y * y), next) < 1e-6f);
        }
    }
}

/* usage: test_own_formulas [gpu] */
int main(int argc, char **argv)
{
    if (!rows_choose(argc, argv))
        return SKIPPED;
    return check_run(NULL, NULL);
}
