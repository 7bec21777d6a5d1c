/* The conformance suite of the lists of formulas and backends: every row of the one gives, on every
 * row of the other, the plain loop's counts, fractions, distances and phases, bit for bit; and what
 * a formula's row says of it is so. */
#include "tests/kernels/backend_rows.h"

#include <complex.h>
#include <math.h>

#include "kernels/escape/quadratic.h"

static struct spec spec_of(const struct place *place, enum formula_step step,
                           enum formula_plane plane)
{
    return (struct spec){.limit = place->limit,
                         .bailout = place->bailout,
                         .planes = PLANE_MASK_COUNT | PLANE_MASK_FRACTION | PLANE_MASK_END,
                         .count_bytes = 4,
                         .number = NUMBER_FP64,
                         .formula = {.plane = plane, .c_re = -0.5, .c_im = 0.4, .step = step}};
}

/* Whole sets, limits about a run's, edges, and what lies far outside. */
static const struct place places[] = {
    {"whole", 0, 0, 4.2, 0, 61, 37, 700, 1024},
    {"turned", -0.6, 0.1, 1, 0.7, 33, 30, 1100, 2},
    {"edge", -1.1, -0.01, 0.2, 0, 40, 24, 2500, 1e9},
    {"limit 33", -0.4, 0.3, 2, 0, 30, 30, 33, 64},
    {"limit 1", 0, 0, 6, 0, 11, 11, 1, 2},
    {"far outside", 900, -3000, 1e4, 0, 10, 10, 50, 1024},
};

TEST(every_row_gives_the_plain_field_of_every_formula)
{
    EACH_AVAILABLE_ROW(row)
    printf("row %s\n", row);
    for (int step = STEP_mandelbrot + 1; step < FORMULA_STEPS; step++)
        for (size_t p = 0; p < sizeof places / sizeof places[0]; p++) {
            struct spec spec = spec_of(&places[p], step, (p + (size_t)step) % 2);
            struct place place = places[p];
            char name[128];
            snprintf(name, sizeof name, "%s, %s", formula_kinds[step].name, place.name);
            place.name = name;
            run_rows(&place, &spec, 1 + (int)p % 3, p == 1);
        }
}

/* Equal states repeat for ever; no other short-cut ends 2^62 iterations. */
TEST(the_inside_of_every_formula_ends)
{
    const struct place inside = {"inside", 0, 0, 0.02, 0, 24, 16, (int64_t)1 << 62, 1024};
    EACH_AVAILABLE_ROW(row)
    for (int step = 0; step < FORMULA_STEPS; step++) {
        struct spec spec = spec_of(&inside, step, PARAMETER_PLANE);
        struct grid grid = grid_of(&inside);
        struct backend *backend;
        struct field field;
        struct backend_work work = {0};
        spec.count_bytes = 8;
        assert_int_equal(backend_open(&backend, row, &(struct backend_options){.threads = 1}),
                         STATUS_OK);
        assert_int_equal(field_create(&field, 24, 16, spec.planes, 8), STATUS_OK);
        assert_int_equal(backend_compute(backend, &spec, &grid, &field, &work), STATUS_OK);
        for (size_t i = 0; i < 24 * 16; i++)
            assert_int_equal(field_count_at(&field, i), 0);
        field_destroy(&field);
        backend_close(backend);
    }
}

TEST(tiles_and_bands_give_what_the_whole_gives)
{
    const struct place place = {"s", -1.2, 0, 2.5, 0.3, 91, 3 * GRID_BAND + 7, 300, 1024};
    struct spec spec = spec_of(&place, STEP_burning_ship_3, PARAMETER_PLANE);
    EACH_AVAILABLE_ROW(row)
    {
        compare_interleaved(row, &place, &spec, 2);
    }
}

/* ---- the rows themselves ---- */

/* What the operations of a row say, without the macros that its kernels are made of. */
static double complex interpreted(const struct formula_kind *kind, double complex z,
                                  double complex c)
{
    double complex kept = z;
    for (int i = 0; i < kind->operations; i++)
        switch (kind->operation[i]) {
        case OPERATION_ABS_X:
            z = fabs(creal(z)) + cimag(z) * I;
            break;
        case OPERATION_ABS_Y:
            z = creal(z) + fabs(cimag(z)) * I;
            break;
        case OPERATION_NEG_X:
            z = -conj(z);
            break;
        case OPERATION_NEG_Y:
            z = conj(z);
            break;
        case OPERATION_KEEP:
            kept = z;
            break;
        case OPERATION_MUL:
            z *= kept;
            break;
        case OPERATION_SQR:
            z *= z;
            break;
        case OPERATION_ADD:
            z += c;
            break;
        case OPERATION_SWAP:
            z = cimag(z) + creal(z) * I;
            break;
        case OPERATION_SIGN_Y:
            z = creal(z) + copysign(cimag(z), cimag(kept)) * I;
            break;
        case OPERATION_SCALE:
        case OPERATION_PLUS:
        case OPERATION_TIMES_C:
            fail_msg("%s: no row has this", kind->name);
        }
    return z;
}

TEST(a_step_is_what_its_operations_say)
{
    uint64_t seed = 20261123;
    for (int step = 0; step < FORMULA_STEPS; step++)
        for (int k = 0; k < 200; k++) {
            const struct formula_kind *kind = &formula_kinds[step];
            double z[4];
            for (int i = 0; i < 4; i++)
                z[i] = 4 * check_random_unit(&seed) - 2;
            double complex want = interpreted(kind, z[0] + z[1] * I, z[2] + z[3] * I);
            double size = pow(hypot(z[0], z[1]), kind->degree) + 2;
            kind->step(&z[0], &z[1], z[2], z[3]);
            assert_true(cabs(z[0] + z[1] * I - want) < 1e-14 * size);
        }
}

/* What unchecked runs of steps, and fractions, rest on. */
TEST(a_step_is_as_large_as_its_degree_says)
{
    uint64_t seed = 20261123;
    for (int step = 0; step < FORMULA_STEPS; step++)
        for (int k = 0; k < 200; k++) {
            double x = 8 * check_random_unit(&seed) - 4, y = 8 * check_random_unit(&seed) - 4;
            double size = pow(hypot(x, y), formula_kinds[step].degree);
            formula_kinds[step].step(&x, &y, 0, 0);
            assert_true(fabs(hypot(x, y) - size) < 1e-13 * size);
        }
}

/* Both tangents against differences, far from folds; and a dz' that turns into z'. */
TEST(slopes_are_derivatives)
{
    uint64_t seed = 20261123;
    const double h = 1e-6;
    for (int step = 0; step < FORMULA_STEPS; step++)
        for (int k = 0; k < 50; k++) {
            const struct formula_kind *kind = &formula_kinds[step];
            double re = 0.3 * check_random_unit(&seed) + 0.21,
                   im = 0.3 * check_random_unit(&seed) + 0.37;
            struct formula_slope s = {0, 0, 0, 0, 0, 0};
            double place[2][2][2] = {{{0}}};
            for (int n = 0; n < 3; n++) {
                kind->slope(&s, re, im, true);
                for (int d = 0; d < 2; d++)
                    for (int side = 0; side < 2; side++)
                        kind->step(&place[d][side][0], &place[d][side][1],
                                   re + (d      ? 0
                                         : side ? h
                                                : -h),
                                   im + (d ? side ? h : -h : 0));
            }
            const double want[2][2] = {{s.x_right, s.y_right}, {s.x_up, s.y_up}};
            double size = 1 + hypot(s.x_right, s.y_right) + hypot(s.x_up, s.y_up);
            for (int d = 0; d < 2; d++)
                for (int i = 0; i < 2; i++) {
                    double slope = (place[d][1][i] - place[d][0][i]) / (2 * h);
                    if (fabs(slope - want[d][i]) > 1e-4 * size)
                        fail_msg("%s: %g, difference %g", kind->name, want[d][i], slope);
                }
        }
}

/* The kernels of z^2 + c are tuned ones; the row of the list says the same, bit for bit. */
TEST(the_row_of_z2_is_its_kernel)
{
    uint64_t seed = 20261123;
    const struct formula_kind *kind = &formula_kinds[STEP_mandelbrot];
    for (int k = 0; k < 10000; k++) {
        double x = 4 * check_random_unit(&seed) - 2, y = 4 * check_random_unit(&seed) - 2;
        double dx = check_random_unit(&seed), dy = -check_random_unit(&seed);
        double cx = 2 * check_random_unit(&seed) - 1, cy = 2 * check_random_unit(&seed) - 1;
        struct formula_slope s = {x, y, dx, dy, 0, 0};
        double zx = x, zy = y;
        kind->step(&zx, &zy, cx, cy);
        kind->slope(&s, cx, cy, true);
        QUADRATIC_SLOPE(f64x1, x, y, dx, dy, 1.0);
        QUADRATIC_STEP(f64x1, x, y, cx, cy);
        assert_true(zx == x && zy == y && s.x == x && s.y == y && s.x_right == dx &&
                    s.y_right == dy);
    }
}

TEST(names_are_names_and_differ)
{
    for (int i = 0; i < FORMULA_STEPS; i++) {
        const struct formula_kind *kind = &formula_kinds[i];
        assert_true(strlen(kind->name) > 2 && strlen(kind->summary) > 2);
        assert_true(strspn(kind->name, "abcdefghijklmnopqrstuvwxyz0123456789_") ==
                    strlen(kind->name));
        assert_in_range(kind->degree, 2, 8);
        assert_in_range(kind->operations, 2, FORMULA_OPERATIONS_MAX);
        assert_int_equal(kind->operation[kind->operations - 1], OPERATION_ADD);
        for (int j = 0; j < i; j++) {
            assert_string_not_equal(kind->name, formula_kinds[j].name);
            assert_true(
                kind->operations != formula_kinds[j].operations ||
                memcmp(kind->operation, formula_kinds[j].operation, sizeof kind->operation) != 0);
        }
    }
}

/* usage: test_formulas [gpu] */
int main(int argc, char **argv)
{
    if (!rows_choose(argc, argv))
        return SKIPPED;
    return check_run(NULL, NULL);
}
