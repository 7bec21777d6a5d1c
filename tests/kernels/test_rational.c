/* The conformance suite of formulas that divide or converge: every row of them gives, on every
 * backend, the plain loop's counts, fractions, distances and phases, bit for bit; and what a row
 * says of itself is so. */
#include "tests/kernels/backend_rows.h"
#include "tests/support/rational_words.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct spec spec_of(const struct place *place, enum formula_step step,
                           enum formula_plane plane)
{
    struct formula formula = formula_of_step(step);
    if (plane == DYNAMIC_PLANE || !formula_has_c(&formula))
        formula = (struct formula){.plane = DYNAMIC_PLANE, .c_re = 0.3, .c_im = 0.4, .step = step};
    return (struct spec){.limit = place->limit,
                         .bailout = place->bailout,
                         .planes = PLANE_MASK_COUNT | PLANE_MASK_FRACTION | PLANE_MASK_END,
                         .count_bytes = 4,
                         .number = NUMBER_FP64,
                         .formula = formula};
}

/* Whole sets, z_0 = 0 and c = 0 among the pixels, limits about a run's, and what lies far outside.
 */
static const struct place places[] = {
    {"whole", 0, 0, 6, 0, 61, 37, 700, 1024},
    {"turned", 1.3, 0.1, 1, 0.7, 33, 30, 1100, 2},
    {"edge", -0.6, -0.01, 0.2, 0, 40, 24, 2500, 1e9},
    {"limit 33", -0.4, 0.3, 2, 0, 30, 30, 33, 64},
    {"limit 1", 0, 0, 6, 0, 11, 11, 1, 2},
    {"far outside", 900, -3000, 1e4, 0, 10, 10, 50, 1024},
};

TEST(every_row_gives_the_plain_field_of_every_formula)
{
    EACH_AVAILABLE_ROW(row)
    printf("row %s\n", row);
    for (int step = FORMULA_STEPS; step < FORMULA_ROWS; step++)
        for (size_t p = (size_t)step % 2; p < sizeof places / sizeof places[0]; p += 2) {
            struct spec spec = spec_of(&places[p], (enum formula_step)step,
                                       (enum formula_plane)(p / 2 + (size_t)step / 2) % 2);
            struct place place = places[p];
            assert_int_equal(formula_bailout_near(&spec.formula, place.bailout, &place.bailout),
                             STATUS_OK);
            spec.bailout = place.bailout;
            char name[128];
            snprintf(name, sizeof name, "%s, %s", formula_name(&spec.formula), place.name);
            place.name = name;
            run_rows(&place, &spec, 1 + (int)p % 3, p == 1);
        }
}

/* Equal states repeat for ever; no other short-cut ends 2^62 iterations. */
TEST(orbits_that_never_end_are_known)
{
    static const struct {
        enum formula_step step;
        double re, im;
    } inside[] = {{STEP_lambda, -0.5, 0.5},
                  {STEP_phoenix, 0, 0},
                  {STEP_magnet_1, 0.6, 0.5},
                  {STEP_magnet_2, 0.5, 0.5},
                  {STEP_newton_3, 0, 0}};
    for (size_t k = 0; k < sizeof inside / sizeof *inside; k++) {
        struct place place = {formula_name(&(struct formula){.step = inside[k].step}),
                              inside[k].re,
                              inside[k].im,
                              k == 4 ? 0 : 0.02, /* infinity, from 1 / 0 */
                              0,
                              12,
                              8,
                              (int64_t)1 << 62,
                              1024};
        struct spec spec = spec_of(&place, inside[k].step, PARAMETER_PLANE);
        EACH_AVAILABLE_ROW(row)
        {
            struct grid grid = grid_of(&place);
            struct backend *backend;
            struct field field;
            struct backend_work work = {0};
            spec.count_bytes = 8;
            grid.centre_re_lo = grid.centre_im_lo = 0;
            assert_int_equal(backend_open(&backend, row, &(struct backend_options){.threads = 1}),
                             STATUS_OK);
            assert_int_equal(field_create(&field, 12, 8, spec.planes, 8), STATUS_OK);
            assert_int_equal(backend_compute(backend, &spec, &grid, &field, &work), STATUS_OK);
            for (size_t i = 0; i < (size_t)12 * 8; i++)
                if (field_count_at(&field, i))
                    fail_msg("%s ends", place.name);
            field_destroy(&field);
            backend_close(backend);
        }
    }
}

TEST(tiles_and_bands_give_what_the_whole_gives)
{
    const struct place place = {"s", 1.2, 0, 2.5, 0.3, 91, 3 * GRID_BAND + 7, 300, 1024};
    struct spec spec = spec_of(&place, STEP_magnet_1, PARAMETER_PLANE);
    EACH_AVAILABLE_ROW(row)
    {
        compare_interleaved(row, &place, &spec, 2);
    }
}

/* ---- the rows themselves ---- */

/* z_(n+1) as the literature writes it. */
static double complex written(const char *words, double complex z, double complex last,
                              double complex c)
{
    double complex stack[8];
    int height = 0;
    for (const char *at = words; *at; at += strcspn(at, " "), at += strspn(at, " ")) {
        double complex top = height ? stack[height - 1] : 0;
        bool takes_two = strchr("+-*/", *at);
        assert_in_range(height, takes_two ? 2 : *at == 's', 7);
        if (*at == 's')
            stack[height - 1] = top * top;
        else if (takes_two) {
            double complex *to = &stack[--height - 1];
            *to = *at == '+'   ? *to + top
                  : *at == '-' ? *to - top
                  : *at == '*' ? *to * top
                               : *to / top;
        } else
            stack[height++] = *at == 'z' ? z : *at == 'c' ? c : *at == 'p' ? last : atof(at);
    }
    assert_int_equal(height, 1);
    return stack[0];
}

static double random_in(uint64_t *seed, double low, double high)
{
    return low + (high - low) * check_random_unit(seed);
}

TEST(a_step_is_what_is_written_of_it)
{
    uint64_t seed = 20261123;
    for (int step = FORMULA_STEPS; step < FORMULA_ROWS; step++)
        for (int k = 0; k < 200; k++) {
            const struct rational_kind *kind = &rational_kinds[step - FORMULA_STEPS];
            struct rational_state z = {random_in(&seed, 0.5, 2), random_in(&seed, -2, 2),
                                       random_in(&seed, -2, 2), random_in(&seed, -2, 2)};
            double cx = random_in(&seed, -1, 1), cy = random_in(&seed, 0.5, 2);
            if (!rational_words[step - FORMULA_STEPS].step)
                fail_msg("tests/support/rational_words.h lacks %s", kind->name);
            double complex was = z.x + z.y * I,
                           want = written(rational_words[step - FORMULA_STEPS].step, was,
                                          z.last_x + z.last_y * I, cx + cy * I);
            kind->step(&z, cx, cy);
            if (!(cabs(z.x + z.y * I - want) < 1e-11 * (1 + cabs(want))))
                fail_msg("%s: %g %+g i, not %g %+g i", kind->name, z.x, z.y, creal(want),
                         cimag(want));
            assert_true(z.last_x == creal(was) && z.last_y == cimag(was));
        }
}

/* Against differences, over three steps. */
TEST(slopes_are_derivatives)
{
    uint64_t seed = 20261123;
    const double h = 1e-6;
    for (int step = FORMULA_STEPS; step < FORMULA_ROWS; step++)
        for (int k = 0; k < 100; k++) {
            struct formula formula = formula_of_step((enum formula_step)step);
            const struct rational_kind *kind = rational_kind(&formula);
            if (k % 2)
                formula = (struct formula){DYNAMIC_PLANE, 0.3, 0.4, (enum formula_step)step, {0}};
            bool by_c = formula.plane == PARAMETER_PLANE;
            double re = random_in(&seed, 0.8, 1.2), im = random_in(&seed, 0.3, 0.6);
            struct rational_begin begin[3];
            for (int side = 0; side < 3; side++)
                begin[side] = rational_begin(&formula, re + (side - 1) * h, im);
            struct rational_slope s = {begin[1].z, !by_c, 0, 0, 0};
            for (int n = 0; n < 3; n++) {
                kind->slope(&s, begin[1].cx, begin[1].cy, by_c);
                for (int side = 0; side < 3; side++)
                    kind->step(&begin[side].z, begin[side].cx, begin[side].cy);
            }
            assert_true(s.z.x == begin[1].z.x && s.z.y == begin[1].z.y);
            double dx = (begin[2].z.x - begin[0].z.x) / (2 * h),
                   dy = (begin[2].z.y - begin[0].z.y) / (2 * h);
            if (!(hypot(dx - s.dx, dy - s.dy) < 1e-3 * (1 + hypot(dx, dy))))
                fail_msg("%s: %g %+g i, difference %g %+g i", kind->name, s.dx, s.dy, dx, dy);
        }
}

/* What fractions rest on. */
TEST(a_step_is_as_large_as_its_row_says)
{
    uint64_t seed = 20261123;
    for (int step = FORMULA_STEPS; step < FORMULA_ROWS; step++)
        for (int k = 0; k < 50; k++) {
            const struct rational_kind *kind = &rational_kinds[step - FORMULA_STEPS];
            const struct rational_rule *rule = &kind->rule;
            double cx = random_in(&seed, -2, 2), cy = random_in(&seed, 0.5, 2),
                   turn = random_in(&seed, 0, 6), c = hypot(cx, cy);
            struct rational_state far = {1e7 * cos(turn), 1e7 * sin(turn), 0, 0};
            kind->step(&far, cx, cy);
            double size = rule->far.size * pow(c, rule->far.power) * pow(1e7, rule->far.degree);
            if (rule->escapes && !(fabs(hypot(far.x, far.y) / size - 1) < 1e-5))
                fail_msg("%s: %g far outside, not %g", kind->name, hypot(far.x, far.y), size);
            if (rule->order < 2)
                continue;
            struct rational_state near = {1 + 1e-3 * cos(turn), 1e-3 * sin(turn), 0, 0};
            double before, after, x, y;
            for (int n = 0; n < (rule->ends == ENDS_AT_REST); n++)
                kind->step(&near, cx, cy);
            rational_rest(rule, &near, &x, &y);
            before = hypot(x, y);
            kind->step(&near, cx, cy);
            rational_rest(rule, &near, &x, &y);
            after = hypot(x, y);
            size = rule->near.size * pow(c, rule->near.power) * pow(before, rule->order);
            if (!(fabs(after / size - 1) < 0.05))
                fail_msg("%s: %g near 1, not %g", kind->name, after, size);
        }
}

/* nu of a magnet's orbit from a point of the dynamic plane. */
static double magnet_nu(const struct rational_kind *kind, double x, double cx, double cy)
{
    struct rational_state z = {x, 0.3, 0, 0};
    double before, norm = rational_before(&kind->rule, z.x, z.y);
    for (int n = 1; n < 3000; n++) {
        before = norm;
        kind->step(&z, cx, cy);
        norm = fma(z.x - 1, z.x - 1, z.y * z.y);
        if (rational_over(&kind->rule, &z, 1024) == OVER_NEAR)
            return n + (double)rational_fraction(&kind->rule, 1, norm, before, cx, cy, 1024);
    }
    return 0;
}

/* As c goes to 0 they converge by ever smaller steps, and cubes and squares of |z - 1| say nothing.
 */
TEST(continuous_counts_of_magnets_are_continuous_about_0)
{
    for (int step = STEP_magnet_1; step <= STEP_magnet_2; step++)
        for (double c = 1e-3; c < 0.5; c *= 5) {
            const struct rational_kind *kind = &rational_kinds[step - FORMULA_STEPS];
            double last = 0, most = 0, least = INFINITY, beyond = 0;
            for (int i = 0; i < 2000; i++) {
                double nu = magnet_nu(kind, 0.5 + i * 1e-4, 0.8 * c, 0.6 * c);
                if (i && nu > 0 && last > 0)
                    beyond = fmax(beyond, fabs(nu - last));
                most = fmax(most, nu);
                least = fmin(least, nu > 0 ? nu : least);
                last = nu;
            }
            if (most > 0 && !(beyond < 0.05))
                fail_msg("%s, |c| = %g: nu jumps by %g between %g and %g", kind->name, c, beyond,
                         least, most);
        }
}

TEST(what_a_row_says_holds_together)
{
    for (int i = 0; i < FORMULA_ROWS - FORMULA_STEPS; i++) {
        const struct rational_kind *kind = &rational_kinds[i];
        struct formula formula = formula_of_step((enum formula_step)(FORMULA_STEPS + i));
        assert_true(strlen(kind->name) > 2 && strlen(kind->summary) > 2);
        assert_string_equal(formula_name(&formula), kind->name);
        assert_in_range(kind->operations, 2, RATIONAL_OPERATIONS_MAX);
        assert_true(kind->rule.escapes || kind->rule.ends != ENDS_NEVER);
        assert_int_equal(kind->rule.order != 0, kind->rule.ends != ENDS_NEVER);
        bool uses_c = false;
        for (int k = 0; k < kind->operations; k++)
            uses_c |= kind->operation[k].a == REGISTER_C || kind->operation[k].b == REGISTER_C;
        assert_int_equal(uses_c, kind->has_c);
        for (int j = 0; j < i; j++)
            assert_string_not_equal(kind->name, rational_kinds[j].name);
    }
}

/* usage: test_rational [gpu] */
int main(int argc, char **argv)
{
    if (!rows_choose(argc, argv))
        return SKIPPED;
    return check_run(NULL, NULL);
}
