/* Points that the finder finds, held against MPFR's plain iteration: the equation at the places
 * that are claimed, and that no smaller period or preperiod solves it. */
#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <string.h>

#include "app/bench/deep_places.h"
#include "kernels/orbit/tapered_orbit.h"
#include "render/find/finder.h"
#include "tests/support/check.h"

#define LOG2_10 3.321928094887362

/* ---- the oracle ---- */

struct plain { /* z_i of a finding's c, with its derivative by c as a double of any exponent */
    mpfr_t cx, cy, x, y, xx, yy;
    struct complex_scaled d;
    int64_t i;
};

static void plain_begin(struct plain *p, const struct finding *finding)
{
    mpfr_inits2((mpfr_prec_t)(2 * finding->places * LOG2_10) + 128, p->cx, p->cy, p->x, p->y, p->xx,
                p->yy, (mpfr_ptr)0);
    assert_int_equal(mpfr_set_str(p->cx, finding->re, 10, MPFR_RNDN), 0);
    assert_int_equal(mpfr_set_str(p->cy, finding->im, 10, MPFR_RNDN), 0);
    mpfr_set_zero(p->x, 1);
    mpfr_set_zero(p->y, 1);
    p->d = scaled_of(0, 0);
    p->i = 0;
}

static void plain_end(struct plain *p)
{
    mpfr_clears(p->cx, p->cy, p->x, p->y, p->xx, p->yy, (mpfr_ptr)0);
}

static void plain_step(struct plain *p)
{
    p->d = scaled_add(scaled_mul(scaled_times(scaled_set(p->x, p->y), 2), p->d), scaled_of(1, 0));
    mpfr_sqr(p->xx, p->x, MPFR_RNDN);
    mpfr_sqr(p->yy, p->y, MPFR_RNDN);
    mpfr_mul(p->y, p->x, p->y, MPFR_RNDN);
    mpfr_mul_2ui(p->y, p->y, 1, MPFR_RNDN);
    mpfr_add(p->y, p->y, p->cy, MPFR_RNDN);
    mpfr_sub(p->x, p->xx, p->yy, MPFR_RNDN);
    mpfr_add(p->x, p->x, p->cx, MPFR_RNDN);
    p->i++;
}

/* log2 of how far c is from a root of z = 0: Newton's step. */
static double log2_away(struct complex_scaled z, struct complex_scaled d)
{
    return scaled_log2(z) - scaled_log2(d);
}

/* z_p = 0 at the places that are claimed; z_q is not near 0 for a divisor q of p. */
static void assert_nucleus(const struct finding *finding)
{
    struct plain p;
    double claimed = -(double)finding->places * LOG2_10;
    plain_begin(&p, finding);
    while (p.i < finding->period) {
        plain_step(&p);
        double away = log2_away(scaled_set(p.x, p.y), p.d);
        if (p.i < finding->period && finding->period % p.i == 0)
            assert_true(away > claimed + 20);
        else if (p.i == finding->period)
            assert_true(away < claimed + 1);
    }
    plain_end(&p);
    assert_true(finding->proven);
    assert_true(finding->log10_disc > -(double)finding->places - 1);
}

/* z_(q+p) = z_q, but z_(q-1+p) is not z_(q-1), and z_(q+r) is not z_q for a divisor r of p. */
static void assert_misiurewicz(const struct finding *finding)
{
    struct plain p;
    mpfr_t x[2], y[2];
    struct complex_scaled d[2] = {scaled_of(0, 0), scaled_of(0, 0)};
    double claimed = -(double)finding->places * LOG2_10;
    int64_t q = finding->preperiod, period = finding->period;
    plain_begin(&p, finding);
    for (int k = 0; k < 2; k++)
        mpfr_inits2(mpfr_get_prec(p.x), x[k], y[k], (mpfr_ptr)0);
    while (p.i < q + period) {
        plain_step(&p);
        for (int k = 0; k < 2; k++) {
            if (p.i == q - 1 + k) {
                mpfr_set(x[k], p.x, MPFR_RNDN);
                mpfr_set(y[k], p.y, MPFR_RNDN);
                d[k] = p.d;
            }
            if (p.i <= q - 1 + k || period % (p.i - (q - 1 + k)))
                continue;
            mpfr_sub(p.xx, p.x, x[k], MPFR_RNDN);
            mpfr_sub(p.yy, p.y, y[k], MPFR_RNDN);
            double away =
                log2_away(scaled_set(p.xx, p.yy), scaled_add(p.d, scaled_times(d[k], -1)));
            if (k == 1 && p.i == q + period)
                assert_true(away < claimed + 1);
            else
                assert_true(away > claimed + 20);
        }
    }
    for (int k = 0; k < 2; k++)
        mpfr_clears(x[k], y[k], (mpfr_ptr)0);
    plain_end(&p);
    assert_true(finding->proven);
}

/* ---- finding ---- */

struct place {
    const char *re, *im, *zoom;
    int64_t limit;
};

static enum status find(const struct place *place, enum search_kind kind, int threads,
                        struct finding *finding)
{
    struct view view = {0};
    assert_int_equal(view_set(&view, place->re, place->im, place->zoom, 0, 640, 360), STATUS_OK);
    struct finder_request request = {.view = &view,
                                     .x1 = 640,
                                     .y1 = 360,
                                     .kind = kind,
                                     .limit = place->limit,
                                     .threads = threads};
    enum status status = finder_run(&request, finding);
    view_destroy(&view);
    return status;
}

/* Components whose kinds and sizes are in every textbook, found from a view beside their middle. */
TEST(small_components_are_found)
{
    static const struct {
        struct place place;
        int64_t period;
        enum component_kind kind;
        double size, turn_deg; /* of exact formulas for 1 and 2, else by Newton's method in MPFR */
    } known[] = {
        {{"-0.4", "0.1", "1", 1000}, 1, COMPONENT_CARDIOID, 1, 0},
        {{"-1.05", "0.02", "6", 1000}, 2, COMPONENT_DISC, 0.5, 0},
        {{"-1.75", "0.001", "100", 1000}, 3, COMPONENT_CARDIOID, 0.019035515913132, 0},
        {{"-0.1", "0.75", "20", 1000}, 3, COMPONENT_DISC, 0.189037, 0},
        {{"-1.31", "0.001", "60", 1000}, 4, COMPONENT_DISC, 0.118110, 0},
        {{"-1.9408", "0.0001", "1000", 1000}, 4, COMPONENT_CARDIOID, 0.00113, 0},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct finding finding;
        assert_int_equal(find(&known[i].place, SEARCH_NUCLEUS, 1, &finding), STATUS_OK);
        assert_int_equal(finding.period, known[i].period);
        assert_int_equal(finding.component, known[i].kind);
        if (i < 3)
            assert_true(fabs(pow(10, finding.log10_size) / known[i].size - 1) < 1e-9);
        assert_nucleus(&finding);
        finding_destroy(&finding);
    }
}

/* A portrait of the whole set, whose box leads to -1 as a root of period 4. */
TEST(roots_of_a_divisor_have_their_own_period)
{
    struct view view = {0};
    struct finding finding;
    assert_int_equal(view_set(&view, "-0.7", "0.0576459285752595936477", "1.4", 0, 160, 720),
                     STATUS_OK);
    struct finder_request request = {
        .view = &view, .x1 = 160, .y1 = 720, .kind = SEARCH_NUCLEUS, .limit = 1000, .threads = 1};
    assert_int_equal(finder_run(&request, &finding), STATUS_OK);
    assert_int_equal(finding.period, 2);
    assert_true(finding.proven && fabs(finding.log10_size - log10(0.5)) < 1e-9);
    assert_nucleus(&finding);
    finding_destroy(&finding);
    view_destroy(&view);
}

/* The middle of a view's lowest island, which the view need not show. The periods are those that
 * the reference orbits of these places end with. */
TEST(deep_islands_are_found)
{
    static const int64_t period[DEEP_PLACES] = {252, 86614, 11380, 0, 52859, 179301};
    for (int i = 0; i < DEEP_PLACES; i++) {
        const struct deep_place *deep = &deep_places[i];
        struct place place = {deep->re, deep->im, deep->zoom, deep->limit};
        struct finding finding;
        if (!check_long() && i != 0 && i != 2)
            continue;
        assert_int_equal(find(&place, SEARCH_NUCLEUS, 0, &finding), STATUS_OK);
        if (period[i])
            assert_int_equal(finding.period, period[i]);
        assert_int_equal(finding.component, COMPONENT_CARDIOID);
        assert_nucleus(&finding);
        finding_destroy(&finding);
    }
}

TEST(misiurewicz_points_are_found)
{
    static const struct {
        struct place place;
        int64_t preperiod, period;
    } known[] = {
        {{"-1.99", "0.001", "50", 1000}, 2, 1},     /* -2: 0, -2, 2, 2 */
        {{"0.001", "1.0005", "200", 1000}, 2, 2},   /* i: 0, i, i - 1, -i, i - 1 */
        {{"-1.5436", "0.0001", "1e4", 1000}, 3, 1}, /* where the bands of the real axis merge */
        {{"-0.10109", "0.95628", "1e4", 1000}, 4, 1},
        {{"-0.7756837680090537", "0.1364673682946901", "1e12", 1000}, 24, 1},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct finding finding;
        assert_int_equal(find(&known[i].place, SEARCH_MISIUREWICZ, 2, &finding), STATUS_OK);
        assert_int_equal(finding.preperiod, known[i].preperiod);
        assert_int_equal(finding.period, known[i].period);
        assert_misiurewicz(&finding);
        finding_destroy(&finding);
    }
}

/* A box of a view, a period that is given, and the turned frame of both. */
TEST(a_box_of_a_turned_view_is_searched)
{
    struct view view = {0};
    struct finding finding;
    assert_int_equal(view_set(&view, "0", "0", "1", 90, 400, 400), STATUS_OK);
    /* Up in the frame is left in the plane: -1 is at x = 200, y = 100. */
    struct finder_request request = {
        .view = &view, .x0 = 195, .y0 = 90, .x1 = 212, .y1 = 112, .limit = 500};
    assert_int_equal(finder_run(&request, &finding), STATUS_OK);
    assert_int_equal(finding.period, 2);
    assert_string_equal(finding.re, "-1");
    finding_destroy(&finding);
    view.shape.mirrored = true;
    request.y0 = 400 - 112;
    request.y1 = 400 - 90;
    assert_int_equal(finder_run(&request, &finding), STATUS_OK);
    assert_string_equal(finding.re, "-1");
    finding_destroy(&finding);
    request.period = 4;
    assert_int_equal(finder_run(&request, &finding), STATUS_BAD_DATA);
    finding_destroy(&finding);
    view_destroy(&view);
}

TEST(threads_change_nothing)
{
    struct place place = {"-0.7453", "0.11261", "2e4", 5000};
    for (int kind = SEARCH_NUCLEUS; kind <= SEARCH_MISIUREWICZ; kind++) {
        struct finding one, two;
        assert_int_equal(find(&place, (enum search_kind)kind, 1, &one), STATUS_OK);
        assert_int_equal(find(&place, (enum search_kind)kind, 2, &two), STATUS_OK);
        assert_string_equal(one.re, two.re);
        assert_string_equal(one.im, two.im);
        assert_int_equal(one.period, two.period);
        finding_destroy(&one);
        finding_destroy(&two);
    }
}

TEST(nothing_is_found_where_nothing_is)
{
    static const struct place places[] = {{"1", "1", "100", 1000},
                                          {"3", "0", "100", 1000},
                                          {"-0.12", "0.01", "1e6", 1000}, /* inside */
                                          {"-0.7453", "0.11261", "2e4", 5}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        struct finding finding;
        assert_int_equal(find(&places[i], SEARCH_NUCLEUS, 2, &finding), STATUS_BAD_DATA);
        finding_destroy(&finding);
    }
}

TEST(a_search_is_stopped)
{
    const int stop = 1;
    struct view view = {0};
    struct finding finding;
    const struct deep_place *deep = &deep_places[4];
    assert_int_equal(view_set(&view, deep->re, deep->im, deep->zoom, 0, 640, 360), STATUS_OK);
    struct finder_request request = {
        .view = &view, .x1 = 640, .y1 = 360, .limit = deep->limit, .stop = &stop};
    assert_int_equal(finder_run(&request, &finding), STATUS_STOPPED);
    finding_destroy(&finding);
    view_destroy(&view);
}

/* The view of an island is that of the whole set, and its nucleus is in the middle. */
TEST(a_view_frames_what_was_found)
{
    struct place place = {"-1.7548", "0.0001", "1000", 1000};
    struct finding finding;
    struct view view = {0};
    assert_int_equal(find(&place, SEARCH_NUCLEUS, 1, &finding), STATUS_OK);
    assert_int_equal(finding_view(&finding, 0, 1920, 1080, &view), STATUS_OK);
    assert_string_equal(view.re, finding.re);
    double height = 4 / strtod(view.zoom, NULL);
    assert_true(height > 2.4 * 0.019035 && height < 3 * 0.019035);
    assert_int_equal(finding_limit(&finding, 1000), 1000);
    assert_int_equal(finding_limit(&finding, 10), 900);
    view_destroy(&view);
    finding_destroy(&finding);
}

/* Points of numbers that grow shorter are those of whole ones. */
TEST(a_tapered_orbit_is_the_orbit)
{
    const struct deep_place *deep = &deep_places[2];
    struct orbit_options options = {.bits = 500, .radius = 2.5, .log2_disc = -INFINITY};
    struct orbit orbit;
    struct tapered_orbit tapered;
    mpfr_t cx, cy;
    mpfr_inits2(564, cx, cy, (mpfr_ptr)0);
    mpfr_set_str(cx, deep->re, 10, MPFR_RNDN);
    mpfr_set_str(cy, deep->im, 10, MPFR_RNDN);
    assert_int_equal(orbit_create(&orbit, &options, deep->re, deep->im), STATUS_OK);
    assert_int_equal(orbit_extend(&orbit, 4000), STATUS_OK);
    assert_int_equal(tapered_orbit_make(&tapered, cx, cy, &options, 4000), STATUS_OK);
    assert_int_equal(tapered.orbit.length, orbit.length);
    for (int64_t i = 0; i < orbit.length; i++) {
        assert_true(fabs(tapered.orbit.z[i].x - orbit.z[i].x) <= 0x1p-50);
        assert_true(fabs(tapered.orbit.z[i].y - orbit.z[i].y) <= 0x1p-50);
    }
    tapered_orbit_free(&tapered);
    orbit_destroy(&orbit);
    mpfr_clears(cx, cy, (mpfr_ptr)0);
}

/* ---- any formula ---- */

static enum status find_of(enum formula_step step, const struct place *place, int64_t period,
                           struct finding *finding)
{
    struct view view = {0};
    assert_int_equal(view_set(&view, place->re, place->im, place->zoom, 0, 640, 360), STATUS_OK);
    struct finder_request request = {.view = &view,
                                     .formula = {.step = step},
                                     .x1 = 640,
                                     .y1 = 360,
                                     .period = period,
                                     .limit = place->limit};
    enum status status = finder_run(&request, finding);
    view_destroy(&view);
    return status;
}

/* z^3 + c and z^4 + c have period 2 at the roots of c^2 = -1 and c^3 = -1, their tricorns at others
 * of the same size. On the real axis ships, Celtic sets and tricorns are the Mandelbrot set: period
 * 3 is at the root of c^3 + 2 c^2 + c + 1. */
TEST(nuclei_of_any_formula_are_found)
{
    static const struct {
        enum formula_step step;
        struct place place;
        int64_t period;
        double re, im;
    } cases[] = {
        {STEP_multibrot_3, {"0.05", "0.9", "8", 1000}, 2, 0, 1},
        {STEP_multibrot_4, {"0.45", "0.9", "8", 1000}, 2, 0.5, 0.8660254037844386},
        {STEP_multibrot_8, {"-1.02", "0.01", "8", 1000}, 2, -1, 0},
        {STEP_tricorn, {"-1.753", "0.001", "90", 1000}, 3, -1.7548776662466927, 0},
        {STEP_burning_ship, {"-1.753", "0.001", "90", 1000}, 3, -1.7548776662466927, 0},
        {STEP_burning_ship, {"-1.758", "-0.02", "30", 1000}, 3, -1.7548776662466927, 0},
        {STEP_celtic, {"-1.75", "0.001", "90", 1000}, 3, -1.7548776662466927, 0},
        {STEP_perpendicular_mandelbrot, {"-1.75", "0.002", "90", 1000}, 3, -1.7548776662466927, 0},
        /* 1 comes back to 1: roots by Newton's method in mpmath */
        {STEP_nova,
         {"-0.584", "0.4722", "200", 1000},
         3,
         -0.58446883758980074,
         0.47228155857396955},
        {STEP_nova_6,
         {"-0.0637", "0.175", "90", 1000},
         7,
         -0.06374550521434120,
         0.17483297844992088},
        /* 0 comes back to 0 */
        {STEP_magnet_1,
         {"1.695", "0.34", "100", 1000},
         4,
         1.697827800715587088,
         0.338938769363743309},
        {STEP_magnet_2,
         {"1.353", "0.738", "200", 1000},
         4,
         1.354502209224778592,
         0.738221386933059229},
        /* the middle of the view itself */
        {STEP_multibrot_3, {"0", "0", "1", 1000}, 1, 0, 0},
        {STEP_multibrot_3, {"0", "1", "10", 1000}, 2, 0, 1},
        {STEP_burning_ship, {"-1", "0", "1e40", 1000}, 2, -1, 0},
        {STEP_tricorn, {"-1", "0", "10", 1000}, 2, -1, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct finding finding;
        assert_int_equal(find_of(cases[i].step, &cases[i].place, 0, &finding), STATUS_OK);
        assert_int_equal(finding.period, cases[i].period);
        assert_true(fabs(strtod(finding.re, NULL) - cases[i].re) < 1e-15);
        assert_true(fabs(strtod(finding.im, NULL) - cases[i].im) < 1e-15);
        assert_true(finding.places >= 25 && finding.component == COMPONENT_ANY && !finding.proven);
        assert_true(finding.log10_size > -4 && finding.log10_size < 0.1);
        finding_destroy(&finding);
    }
}

/* About a long box lies a disc with nuclei of smaller periods beside it. */
TEST(nuclei_of_any_formula_lie_in_the_box)
{
    static const int sizes[][2] = {{200, 800}, {800, 200}, {100, 1600}, {1920, 1080}};
    const double re = -1.7605, im = -0.0295, zoom = 160;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        double height = 4 / zoom, width = height * sizes[i][0] / sizes[i][1];
        struct view view = {0};
        struct finding finding;
        assert_int_equal(view_set(&view, "-1.7605", "-0.0295", "160", 0, sizes[i][0], sizes[i][1]),
                         STATUS_OK);
        struct finder_request request = {.view = &view,
                                         .formula = {.step = STEP_burning_ship},
                                         .x1 = sizes[i][0],
                                         .y1 = sizes[i][1],
                                         .limit = 1000};
        assert_int_equal(finder_run(&request, &finding), STATUS_OK);
        if (fabs(strtod(finding.re, NULL) - re) > width / 2 ||
            fabs(strtod(finding.im, NULL) - im) > height / 2)
            fail_msg("%dx%d: period %lld at %s, %s", sizes[i][0], sizes[i][1],
                     (long long)finding.period, finding.re, finding.im);
        finding_destroy(&finding);
        view_destroy(&view);
    }
}

/* A ship's island that G. Billotey found: example 12 of Fractalshades gives its period and size. */
TEST(a_published_island_of_the_ship_is_found)
{
    static const struct place place = {
        "-1.9963811229259296532940378283112534699666418525513540282797458499963845616565433002"
        "3173484637238920088447340032604740225921536529965100004930796722079717422092030825003"
        "9037884064184875313550754352410343246674089430454249309097057276774162871180276065193"
        "880170743903875782",
        "-0.0000047633037283927707460146923620298658667116916120959745713317215077947096076040"
        "5098146706573692067603748137882827664294407206975683518295345110990507788106113988766"
        "1561617020726899218853890425452233104923366681895875677542245236396274857406762304353"
        "824848557938906613374564",
        "3e260", 10000};
    struct finding finding;
    assert_int_equal(find_of(STEP_burning_ship, &place, 0, &finding), STATUS_OK);
    assert_int_equal(finding.period, 9622);
    assert_true(fabs(finding.log10_size - log10(3.40e-265)) < 0.002);
    assert_true(finding.places > 265 + 20);
    finding_destroy(&finding);
    assert_int_equal(find_of(STEP_burning_ship, &place, 9622, &finding), STATUS_OK);
    assert_int_equal(finding.period, 9622);
    finding_destroy(&finding);
}

TEST(where_no_nucleus_of_a_formula_is_found_that_is_said)
{
    static const struct place outside = {"1.5", "1.5", "10", 1000};
    struct finding finding;
    assert_int_equal(find_of(STEP_buffalo, &outside, 0, &finding), STATUS_BAD_DATA);
    assert_non_null(strstr(status_text(), "no nucleus of a period of at most 1000"));
    finding_destroy(&finding);
    static const struct place of_period_1 = {"0.001", "0.0001", "10", 1000};
    assert_int_equal(find_of(STEP_multibrot_3, &of_period_1, 3, &finding), STATUS_BAD_DATA);
    assert_non_null(strstr(status_text(), "to no nucleus of period 3"));
    finding_destroy(&finding);
}

/* At c = -1 the orbit is at 0 after 4 steps, too. */
TEST(an_orbit_that_was_at_0_before_has_not_that_period)
{
    static const struct place place = {"-1", "0", "10", 1000};
    struct finding finding;
    assert_int_equal(find_of(STEP_burning_ship, &place, 4, &finding), STATUS_OK);
    assert_true(fabs(strtod(finding.re, NULL) + 1.3107026413368329) < 1e-15);
    assert_true(finding.log10_size < -1);
    finding_destroy(&finding);
}
