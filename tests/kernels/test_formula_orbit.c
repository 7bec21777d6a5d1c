/* Reference orbits of any formula and plane against plain loops in MPFR at a higher precision. */
#include <float.h>
#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <string.h>

#include "kernels/formula_text.h"
#include "kernels/orbit/orbit.h"
#include "tests/support/check.h"

enum { TRUTH_BITS = 6000, STEPS = 60 };

struct plain { /* the loop to compare with */
    const struct formula *formula;
    mpfr_t x, y, cx, cy, kx, ky, s, t, fx, fy;
};

static void plain_begin(struct plain *plain, const struct formula *formula, const char *re,
                        const char *im)
{
    bool parameter = formula->plane == PARAMETER_PLANE;
    plain->formula = formula;
    mpfr_inits2(TRUTH_BITS, plain->x, plain->y, plain->cx, plain->cy, plain->kx, plain->ky,
                plain->s, plain->t, plain->fx, plain->fy, (mpfr_ptr)0);
    mpfr_set_d(plain->cx, formula->c_re, MPFR_RNDN);
    mpfr_set_d(plain->cy, formula->c_im, MPFR_RNDN);
    mpfr_set_zero(plain->x, 1);
    mpfr_set_zero(plain->y, 1);
    mpfr_set_str(parameter ? plain->cx : plain->x, re, 10, MPFR_RNDN);
    mpfr_set_str(parameter ? plain->cy : plain->y, im, 10, MPFR_RNDN);
}

static void plain_end(struct plain *plain)
{
    mpfr_clears(plain->x, plain->y, plain->cx, plain->cy, plain->kx, plain->ky, plain->s, plain->t,
                plain->fx, plain->fy, (mpfr_ptr)0);
}

/* z becomes z (x + i y). */
static void plain_times(struct plain *p, mpfr_srcptr x, mpfr_srcptr y)
{
    mpfr_mul(p->s, p->x, x, MPFR_RNDN);
    mpfr_mul(p->t, p->y, y, MPFR_RNDN);
    mpfr_sub(p->s, p->s, p->t, MPFR_RNDN);
    mpfr_mul(p->t, p->x, y, MPFR_RNDN);
    mpfr_mul(p->y, p->y, x, MPFR_RNDN);
    mpfr_add(p->y, p->y, p->t, MPFR_RNDN);
    mpfr_swap(p->x, p->s);
}

static void plain_operate(struct plain *p, enum formula_operation operation, const double factor[2])
{
    switch (operation) {
    case OPERATION_ABS_X:
        mpfr_abs(p->x, p->x, MPFR_RNDN);
        break;
    case OPERATION_ABS_Y:
        mpfr_abs(p->y, p->y, MPFR_RNDN);
        break;
    case OPERATION_NEG_X:
        mpfr_neg(p->x, p->x, MPFR_RNDN);
        break;
    case OPERATION_NEG_Y:
        mpfr_neg(p->y, p->y, MPFR_RNDN);
        break;
    case OPERATION_KEEP:
        mpfr_set(p->kx, p->x, MPFR_RNDN);
        mpfr_set(p->ky, p->y, MPFR_RNDN);
        break;
    case OPERATION_MUL:
        plain_times(p, p->kx, p->ky);
        break;
    case OPERATION_SQR: {
        mpfr_t x, y;
        mpfr_inits2(TRUTH_BITS, x, y, (mpfr_ptr)0);
        mpfr_set(x, p->x, MPFR_RNDN);
        mpfr_set(y, p->y, MPFR_RNDN);
        plain_times(p, x, y);
        mpfr_clears(x, y, (mpfr_ptr)0);
        break;
    }
    case OPERATION_ADD:
        mpfr_add(p->x, p->x, p->cx, MPFR_RNDN);
        mpfr_add(p->y, p->y, p->cy, MPFR_RNDN);
        break;
    case OPERATION_SWAP:
        mpfr_swap(p->x, p->y);
        break;
    case OPERATION_SCALE:
        mpfr_set_d(p->fx, factor[0], MPFR_RNDN);
        mpfr_set_d(p->fy, factor[1], MPFR_RNDN);
        plain_times(p, p->fx, p->fy);
        break;
    case OPERATION_SIGN_Y:
        if (mpfr_sgn(p->y) * mpfr_sgn(p->ky) < 0)
            mpfr_neg(p->y, p->y, MPFR_RNDN);
        break;
    case OPERATION_PLUS:
        mpfr_add_d(p->x, p->x, factor[0], MPFR_RNDN);
        mpfr_add_d(p->y, p->y, factor[1], MPFR_RNDN);
        break;
    case OPERATION_TIMES_C:
        plain_times(p, p->cx, p->cy);
        break;
    }
}

/* The nearest double, or a neighbour of it where the numbers were between two. */
static void assert_double(double ours, mpfr_srcptr truth, const char *where)
{
    double theirs = mpfr_get_d(truth, MPFR_RNDN);
    if (!(fabs(ours - theirs) <= fabs(theirs) * DBL_EPSILON || isinf(theirs))) {
        fprintf(stderr, "%s: %a, should be %a\n", where, ours, theirs);
        fail();
    }
}

static void assert_scaled(double mantissa, int64_t exponent, mpfr_srcptr truth, const char *where)
{
    long theirs_exponent = 0;
    double theirs = mpfr_get_d_2exp(&theirs_exponent, truth, MPFR_RNDN);
    if (!(fabs(ldexp(mantissa, (int)(exponent - theirs_exponent)) - theirs) <= DBL_EPSILON)) {
        fprintf(stderr, "%s: %a 2^%lld, should be %a 2^%ld\n", where, mantissa, (long long)exponent,
                theirs, theirs_exponent);
        fail();
    }
}

/* Both parts, by small[] if they are there; counts those. */
static int64_t assert_value(const struct orbit *orbit, int64_t index, int slot,
                            const struct plain *plain, int64_t small)
{
    const struct orbit_point *value =
        slot < 0 ? &orbit->z[index] : &orbit->tape[index * orbit->tape_width + slot];
    const struct orbit_small *entry = &orbit->small[small];
    char where[FORMULA_TEXT_BYTES + 128], text[FORMULA_TEXT_BYTES];
    snprintf(where, sizeof where, "%s, %s plane, value %d of step %lld",
             formula_text(plain->formula, text),
             orbit->formula.plane == PARAMETER_PLANE ? "parameter" : "dynamic", slot,
             (long long)index);
    bool listed = small < orbit->small_count && entry->index == index && entry->slot == slot;
    bool x_small = !mpfr_zero_p(plain->x) && mpfr_get_exp(plain->x) <= -500;
    bool y_small = !mpfr_zero_p(plain->y) && mpfr_get_exp(plain->y) <= -500;
    assert_int_equal(listed, x_small || y_small);
    if (listed) {
        assert_scaled(entry->x, entry->x_exponent, plain->x, where);
        assert_scaled(entry->y, entry->y_exponent, plain->y, where);
        return small + 1;
    }
    assert_double(value->x, plain->x, where);
    assert_double(value->y, plain->y, where);
    return small;
}

/* The points and the tape of an orbit are those of the plain loop. */
static void assert_orbit(const struct orbit *orbit, const struct formula *formula, const char *re,
                         const char *im)
{
    struct plain plain;
    int before[FORMULA_OPERATIONS_MAX], phases = formula_phases(formula);
    int64_t small = 0;
    plain_begin(&plain, formula, re, im);
    for (int64_t n = 0; n < orbit->length; n++) {
        small = assert_value(orbit, n, ORBIT_POINT, &plain, small);
        if (n == orbit->length - 1 && orbit->end != ORBIT_CYCLE)
            break;
        struct formula_phase list = formula_phase(formula, (int)((orbit->phase + n) % phases));
        const double(*factor)[2] = list.factor;
        int width = formula_tape(&list, before);
        assert_true(width <= orbit->tape_width);
        for (int i = 0, slot = 0; i < list.operations; i++) {
            bool has_factor = formula_has_factor(list.operation[i]);
            if (slot < width && before[slot] == i)
                small = assert_value(orbit, n, slot++, &plain, small);
            plain_operate(&plain, list.operation[i], has_factor ? *factor++ : NULL);
        }
    }
    assert_int_equal(small, orbit->small_count);
    plain_end(&plain);
}

static struct orbit_options options_of(const struct formula *formula, long bits)
{
    return (struct orbit_options){.formula = *formula,
                                  .bits = bits,
                                  .log2_step = -100,
                                  .radius = 2e5,
                                  .log2_disc = -INFINITY};
}

static void orbit_of(struct orbit *orbit, const struct orbit_options *options, const char *re,
                     const char *im, int64_t limit)
{
    assert_int_equal(orbit_create(orbit, options, re, im), STATUS_OK);
    assert_int_equal(orbit_extend(orbit, limit), STATUS_OK);
}

/* With 2,500 bits 60 steps of any degree have doubles that are right in each part. Every third
 * centre in turn, all with DEEPFIELD_LONG=1. */
TEST(values_of_every_formula_have_the_relative_accuracy_of_doubles)
{
    static const struct {
        const char *re, *im;
    } centres[] = {{"-0.27", "0.43"},    {"0.0313", "-0.9127"}, {"-1.7591", "-0.0281"},
                   {"-1.7", "1e-400"},   {"1e-600", "0.3"},     {"0.21", "0.21"},
                   {"-3e-300", "2e-700"}};
    for (int step = 0; step < FORMULA_STEPS; step++)
        for (size_t i = 0; i < sizeof centres / sizeof centres[0]; i++)
            for (int plane = 0; plane < FORMULA_PLANES; plane++) {
                struct formula formula = {.plane = plane, .step = (enum formula_step)step};
                struct orbit orbit;
                if (!check_long() && ((size_t)step + i + (size_t)plane) % 3)
                    continue;
                if (plane == DYNAMIC_PLANE) {
                    formula.c_re = -0.31;
                    formula.c_im = i % 2 ? 0 : 0.27;
                } else if (formula_quadratic(&formula))
                    continue; /* test_orbit.c */
                struct orbit_options options = options_of(&formula, 2500);
                orbit_of(&orbit, &options, centres[i].re, centres[i].im, STEPS);
                assert_orbit(&orbit, &formula, centres[i].re, centres[i].im);
                if (plane == DYNAMIC_PLANE && !formula_quadratic(&formula))
                    assert_orbit(orbit.critical, &formula, "0", "0");
                orbit_destroy(&orbit);
            }
}

/* The same of lists that take turns; each orbit of 0 begins with another one. */
TEST(orbits_of_own_formulas_begin_in_every_phase)
{
    static const char *const texts[] = {
        "sqr, rotate 30, add c", "absx, sqr, rotate 20, absy, add c, swap, absx",
        "pow 3, absy, add c; swap, sqr, scale 0.5 1, add c; sqr; absx, sqr, add c, scale 2"};
    static const int phases[] = {1, 1, 4};
    for (int i = 0; i < 6; i++) {
        struct formula formula;
        struct orbit orbit;
        assert_int_equal(formula_of_text(&formula, texts[i / 2], strlen(texts[i / 2])), STATUS_OK);
        if (i % 2)
            formula = (struct formula){
                .plane = DYNAMIC_PLANE, .c_re = -0.31, .step = STEP_OWN, .own = formula.own};
        struct orbit_options options = options_of(&formula, 2500);
        orbit_of(&orbit, &options, "-0.27", "1e-400", STEPS);
        assert_orbit(&orbit, &formula, "-0.27", "1e-400");
        int phase = !(i % 2);
        for (const struct orbit *zero = orbit.critical; zero; zero = zero->critical) {
            assert_int_equal(zero->phase, phase++);
            assert_orbit(zero, &formula, i % 2 ? "0" : "-0.27", i % 2 ? "0" : "1e-400");
        }
        assert_int_equal(phase, phases[i / 2]);
        orbit_destroy(&orbit);
    }
}

/* 0 -> -1 -> 0 of both lists, but the orbit is only the same again when its list is. */
TEST(a_cycle_of_a_hybrid_is_one_of_all_lists)
{
    static const char text[] = "sqr, add c; pow 4, add c; pow 8, add c";
    struct formula formula;
    struct orbit orbit;
    assert_int_equal(formula_of_text(&formula, text, sizeof text - 1), STATUS_OK);
    struct orbit_options options = options_of(&formula, 100);
    orbit_of(&orbit, &options, "-1", "0", 1000000);
    for (const struct orbit *one = &orbit; one; one = one->critical) {
        assert_int_equal(one->end, ORBIT_CYCLE);
        assert_int_equal(one->shortest, 6);
    }
    orbit_destroy(&orbit);
}

/* The same z^2 + c, once by each arithmetic. */
TEST(the_square_of_any_formula_is_that_of_fixed_point)
{
    struct formula julia = {.plane = DYNAMIC_PLANE, .c_re = -0.75, .c_im = 0.125};
    struct formula set = {.plane = PARAMETER_PLANE};
    struct orbit any, fixed;
    struct orbit_options options = options_of(&julia, 900);
    orbit_of(&any, &options, "0", "0", 300);
    const struct orbit *zero = any.critical;
    options = options_of(&set, 900);
    orbit_of(&fixed, &options, "-0.75", "0.125", 300);
    assert_int_equal(any.length, fixed.length);
    assert_int_equal(zero->length, fixed.length);
    assert_memory_equal(any.z, fixed.z, (size_t)fixed.length * sizeof *fixed.z);
    assert_memory_equal(zero->z, fixed.z, (size_t)fixed.length * sizeof *fixed.z);
    orbit_destroy(&any);
    orbit_destroy(&fixed);
}

/* 0 -> -1 -> 0 of the ship, -> |1| - 1 of the Celtic set; rounds of it, for blocks, with the tape.
 */
TEST(an_orbit_of_any_formula_ends_in_its_cycle)
{
    static const enum formula_step steps[] = {STEP_burning_ship, STEP_celtic, STEP_tricorn};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        struct formula formula = {.step = steps[i]};
        struct orbit_options options = options_of(&formula, 100);
        struct orbit orbit;
        orbit_of(&orbit, &options, "-1", "0", 1000000);
        assert_int_equal(orbit.end, ORBIT_CYCLE);
        assert_int_equal(orbit.shortest, 2);
        assert_int_equal(orbit.period, ORBIT_ROUND);
        assert_int_equal(orbit.length % ORBIT_ROUND, 1);
        for (int64_t n = 0; n < orbit.length; n++)
            assert_true(orbit.z[n].x == -(double)(n % 2) && orbit.z[n].y == 0);
        for (int64_t n = 0; orbit.tape_width && n < orbit.length; n++)
            assert_true(orbit.tape[n].x == (double)(n % 2));
        assert_int_equal(orbit_nucleus(&orbit, -10), 0);
        orbit_destroy(&orbit);
    }
}

TEST(an_orbit_of_any_formula_goes_on_where_it_stopped)
{
    struct formula formula = {.step = STEP_quartic_celtic_imag_quasi_heart};
    struct orbit_options options = options_of(&formula, 300);
    struct orbit once, parts;
    orbit_of(&once, &options, "-0.1", "0.2e-300", 5000);
    assert_int_equal(orbit_create(&parts, &options, "-0.1", "0.2e-300"), STATUS_OK);
    for (int64_t limit = 1; limit <= 5000; limit += 833)
        assert_int_equal(orbit_extend(&parts, limit), STATUS_OK);
    assert_int_equal(orbit_extend(&parts, 5000), STATUS_OK);
    assert_int_equal(once.length, parts.length);
    assert_int_equal(once.end, parts.end);
    assert_int_equal(once.small_count, parts.small_count);
    assert_memory_equal(once.z, parts.z, (size_t)once.length * sizeof *once.z);
    assert_memory_equal(once.tape, parts.tape,
                        (size_t)(once.length - 1) * (size_t)once.tape_width * sizeof *once.tape);
    orbit_destroy(&once);
    orbit_destroy(&parts);
}

TEST(an_orbit_of_any_formula_ends_beyond_the_radius_and_within_its_bytes)
{
    struct formula formula = {.step = STEP_buffalo};
    struct orbit_options options = options_of(&formula, 200);
    struct orbit orbit;
    orbit_of(&orbit, &options, "1.5", "0.5", 100);
    assert_int_equal(orbit.end, ORBIT_ESCAPED);
    assert_true(hypot(orbit.z[orbit.length - 1].x, orbit.z[orbit.length - 1].y) > 2e5);
    assert_true(hypot(orbit.z[orbit.length - 2].x, orbit.z[orbit.length - 2].y) <= 2e5);
    orbit_destroy(&orbit);
    options.bytes_max = 100 * (1 + (uint64_t)1) * sizeof(struct orbit_point);
    assert_int_equal(orbit_create(&orbit, &options, "-0.25", "0.0625"), STATUS_OK);
    assert_int_equal(orbit_extend(&orbit, 1000), STATUS_TOO_LARGE);
    assert_int_equal(orbit.length, 100);
    orbit_destroy(&orbit);
}

/* As many as are made, and no point larger than it is said to be. */
TEST(the_orbits_of_a_picture_are_counted)
{
    static const struct formula cases[] = {
        {.plane = PARAMETER_PLANE},
        {.plane = DYNAMIC_PLANE},
        {.step = STEP_burning_ship, .plane = DYNAMIC_PLANE},
        {.step = STEP_buffalo},
        {.step = STEP_quartic_celtic_real_quasi_heart, .plane = DYNAMIC_PLANE}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct orbit_options options = options_of(&cases[i], 200);
        struct orbit orbit;
        int orbits = 0;
        assert_int_equal(orbit_create(&orbit, &options, "0.1", "0.1"), STATUS_OK);
        for (const struct orbit *one = &orbit; one; one = one->critical)
            orbits++;
        assert_int_equal(orbit_count(&cases[i]), orbits);
        assert_int_equal(orbit_point_bytes(&cases[i]),
                         (1 + (size_t)orbit.tape_width) * sizeof(struct orbit_point));
        orbit_destroy(&orbit);
    }
}

/* z_0 so that z_3 is 1e-25: pixels of 2^-100 are 2^-166 beyond, and their own squares 2^-193. */
TEST(an_orbit_of_the_dynamic_plane_asks_for_the_bits_it_needs)
{
    struct formula formula = {.plane = DYNAMIC_PLANE, .c_re = -1.25, .c_im = 0.0625};
    struct orbit_options options = options_of(&formula, 140);
    struct orbit orbit;
    orbit_of(&orbit, &options, "0.3", "0.2", 20); /* escapes on a steady way */
    assert_int_equal(orbit_bits_short(&orbit), 0);
    orbit_destroy(&orbit);
    orbit_of(&orbit, &options, "1e-25", "0", 20);
    long wanted = orbit_bits_short(&orbit);
    printf("%ld bits\n", wanted);
    assert_true(wanted >= 100 + 82 + ORBIT_GUARD_BITS && wanted <= 4 * (100 + ORBIT_GUARD_BITS));
    orbit_destroy(&orbit);
    options.bits = wanted;
    orbit_of(&orbit, &options, "1e-25", "0", 20);
    assert_int_equal(orbit_bits_short(&orbit), 0);
    orbit_destroy(&orbit);
}

/* On the Julia set [-2, 2] the pixel is larger than that after 100 steps, and its powers beyond all
 * exponents after 60 more; about a c of -1 it is as small. */
TEST(a_pixel_that_has_grown_beyond_the_set_needs_no_more_bits)
{
    struct formula formula = {.plane = DYNAMIC_PLANE, .c_re = -2};
    struct orbit_options options = options_of(&formula, 200);
    struct orbit orbit;
    orbit_of(&orbit, &options, "0.3", "0", 400);
    assert_int_equal(orbit.length, 401);
    assert_int_equal(orbit_bits_short(&orbit), 0);
    orbit_destroy(&orbit);
    options.formula.c_re = -1;
    orbit_of(&orbit, &options, "0.01", "0.01", 400);
    assert_true(orbit_bits_short(&orbit) > 4 * 100);
    orbit_destroy(&orbit);
}

/* What is drawn together for ever needs more bits than there are, whatever the step of a pixel. */
TEST(an_orbit_that_is_drawn_in_asks_for_more_bits_some_times)
{
    struct formula formula = {.plane = DYNAMIC_PLANE, .c_re = 0.3, .c_im = 0.2};
    for (int i = 0; i < 8; i++) {
        struct orbit_options options = options_of(&formula, 140);
        options.log2_step = -100 - 0.27 * i;
        for (int times = 0; options.bits; times++) {
            struct orbit orbit;
            assert_true(times < 10 && options.bits <= 4 * (ORBIT_GUARD_BITS - options.log2_step));
            orbit_of(&orbit, &options, "0.4", "0.4", 3000);
            options.bits = orbit_bits_short(&orbit);
            orbit_destroy(&orbit);
        }
    }
}
