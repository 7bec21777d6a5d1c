/* How much work lies between a request to stop and the end? Counted in steps at full precision, not
 * in seconds, so that no machine is too slow: the functions of a step are wrapped, ask for the stop
 * at one of them, and count those that follow. Each of them may take milliseconds. */
#include <float.h>
#include <math.h>
#include <mpfr.h>
#include <string.h>

#include "kernels/formula_text.h"
#include "kernels/orbit/fixed.h"
#include "kernels/orbit/formula_nucleus.h"
#include "kernels/orbit/formula_orbit.h"
#include "kernels/orbit/newton.h"
#include "kernels/orbit/orbit.h"
#include "kernels/orbit/taper.h"
#include "kernels/orbit/tapered_orbit.h"
#include "kernels/orbit/team.h"
#include "render/truth/truth.h"
#include "tests/support/check.h"

enum { BITS = 4000, LIMIT = 1 << 17, ASKED_AT = 700, STEPS_MOST = 2, PRODUCTS_OF_STEP = 40 };

/* Of the antenna of the Mandelbrot set and of the Burning Ship: no orbit escapes or closes. */
#define RE "-1.62345678901234567891357913579"

static volatile int stop;
static int64_t taken; /* steps; by one thread */

static void count(void)
{
    if (++taken == ASKED_AT)
        __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
}

static void begin(void)
{
    stop = 0;
    taken = 0;
}

static void stopped_soon(enum status status)
{
    assert_int_equal(status, STATUS_STOPPED);
    assert_in_range(taken, ASKED_AT, ASKED_AT + STEPS_MOST);
}

#define COUNTED(function, parameters, arguments) \
    void __real_##function parameters;           \
    void __wrap_##function parameters;           \
    void __wrap_##function parameters            \
    {                                            \
        count();                                 \
        __real_##function arguments;             \
    }
COUNTED(fixed_step, (struct fixed * fixed), (fixed))
COUNTED(team_step, (struct team * team), (team))
COUNTED(taper_step, (struct taper * taper), (taper))
COUNTED(formula_numbers_step, (struct formula_numbers * numbers, const struct formula_watch *watch),
        (numbers, watch))

static bool products_count;
#define COUNTED_PRODUCT(function, parameters, arguments) \
    int __real_##function parameters;                    \
    int __wrap_##function parameters;                    \
    int __wrap_##function parameters                     \
    {                                                    \
        if (products_count)                              \
            count();                                     \
        return __real_##function arguments;              \
    }
COUNTED_PRODUCT(mpfr_sqr, (mpfr_ptr to, mpfr_srcptr x, mpfr_rnd_t round), (to, x, round))
COUNTED_PRODUCT(mpfr_mul, (mpfr_ptr to, mpfr_srcptr x, mpfr_srcptr y, mpfr_rnd_t round),
                (to, x, y, round))

static struct formula formula_named(const char *name)
{
    struct formula formula;
    assert_int_equal(formula_of_text(&formula, name, strlen(name)), STATUS_OK);
    return formula;
}

static void orbit_stops(const char *name, int threads)
{
    struct orbit orbit;
    struct orbit_options options = {.formula = formula_named(name),
                                    .bits = BITS,
                                    .radius = 1e5,
                                    .log2_disc = -INFINITY,
                                    .threads = threads,
                                    .stop = &stop};
    begin();
    assert_int_equal(orbit_create(&orbit, &options, RE, "0"), STATUS_OK);
    stopped_soon(orbit_extend(&orbit, LIMIT));
    orbit_destroy(&orbit);
}

TEST(a_reference_orbit_stops_at_its_next_step)
{
    orbit_stops("mandelbrot", 1);
    orbit_stops("mandelbrot", 2);
    orbit_stops("burning_ship", 1);
    orbit_stops("tricorn", 1);
}

static void point_of(mpfr_ptr re, mpfr_ptr im)
{
    mpfr_inits2(BITS, re, im, (mpfr_ptr)0);
    mpfr_set_str(re, RE, 10, MPFR_RNDN);
    mpfr_set_zero(im, 1);
}

TEST(a_search_for_a_nucleus_stops_at_its_next_step)
{
    struct tapered_orbit tapered;
    struct orbit_options options = {.bits = BITS, .log2_disc = -BITS, .threads = 1, .stop = &stop};
    mpfr_t re, im;
    point_of(re, im);
    begin();
    stopped_soon(tapered_orbit_make(&tapered, re, im, &options, LIMIT));
    tapered_orbit_free(&tapered);

    struct newton newton;
    struct newton_options of_newton = {.threads = 1, .stop = &stop};
    struct newton_goal goal = {-2.0 * BITS, 0};
    newton_begin(&newton, re, im, (struct newton_start){-BITS, NAN, NAN});
    begin();
    stopped_soon(newton_refine(&newton, (struct newton_equation){LIMIT, 0}, &goal, &of_newton));
    newton_end(&newton);

    struct formula ship = formula_named("burning_ship");
    struct formula_nucleus_options search = {.formula = &ship,
                                             .log2_radius = -BITS,
                                             .log2_error = -BITS - 40,
                                             .limit = LIMIT,
                                             .stop = &stop};
    for (search.period = 0; search.period <= LIMIT; search.period += LIMIT) {
        struct formula_nucleus nucleus;
        formula_nucleus_begin(&nucleus, BITS);
        mpfr_set(nucleus.cx, re, MPFR_RNDN);
        mpfr_set(nucleus.cy, im, MPFR_RNDN);
        begin();
        stopped_soon(formula_nucleus_find(&nucleus, &search));
        formula_nucleus_end(&nucleus);
    }
    mpfr_clears(re, im, (mpfr_ptr)0);
}

TEST(a_proof_of_a_count_stops_at_its_next_step)
{
    struct view view = {
        .re = (char *)RE, .im = (char *)"0", .zoom = (char *)"1e1000", .width = 1, .height = 1};
    const char *const names[] = {"mandelbrot", "burning_ship"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct formula formula = formula_named(names[i]);
        struct truth truth;
        begin();
        products_count = true;
        enum status status = truth_pixel(&view, &formula, 0, 0, LIMIT, 1000, &stop, &truth);
        products_count = false;
        assert_int_equal(status, STATUS_STOPPED);
        assert_in_range(taken, ASKED_AT, ASKED_AT + PRODUCTS_OF_STEP);
    }
}
