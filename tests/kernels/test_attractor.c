/* Periods and distances inside: against components that are known exactly, and against long doubles
 * that follow orbits until they have settled. */
#include "tests/support/check.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>

#include "kernels/escape/attractor.h"

enum { LIMIT = 20000 };

/* lambda = 1 - sqrt(1 - 4 c) in the cardioid, 4 (c + 1) in the disc. */
TEST(cardioid_and_disc_are_exact)
{
    for (int i = 0; i < 64; i++) {
        double angle = 0.1 + 0.0981 * i, radius = 1 - pow(0.7, 1 + i % 40);
        double complex lambda = radius * cexp(I * angle), c = lambda / 2 - lambda * lambda / 4;
        struct attractor found = attractor_of(creal(c), cimag(c), LIMIT);
        double want = (1 - radius * radius) * cabs(csqrt(1 - 4 * c)) / 2;
        assert_int_equal(found.period, 1);
        assert_true(fabs(found.distance / want - 1) < 1e-8); /* 1 - |lambda| has lost six digits */
        c = lambda / 4 - 1;
        found = attractor_of(creal(c), cimag(c), LIMIT);
        assert_int_equal(found.period, 2);
        assert_true(fabs(found.distance / ((1 - radius * radius) / 4) - 1) < 1e-8);
    }
    assert_true(attractor_of(0, 0, LIMIT).distance == 0.5);
    assert_true(attractor_of(-1, 0, LIMIT).distance == 0.25); /* the disc's radius */
}

/* The bulb p/q touches the cardioid where lambda = e^(2 pi i p / q). */
TEST(bulbs_have_the_period_of_their_root)
{
    for (int q = 2; q <= 40; q++)
        for (int p = 1; p < q; p++) {
            int a = p, b = q;
            for (int r; b; b = r) {
                r = a % b;
                a = b;
            }
            if (a != 1)
                continue;
            double pi = 3.14159265358979324;
            double complex lambda = cexp(2 * I * pi * p / q), c = lambda / 2 - lambda * lambda / 4;
            double complex out = lambda * (1 - lambda) / cabs(lambda * (1 - lambda));
            c += out * 0.3 * sin(pi * p / q) / q / q; /* some third of the bulb's width */
            struct attractor found = attractor_of(creal(c), cimag(c), LIMIT);
            if (found.period != q)
                fail_msg("bulb %d/%d: period %d", p, q, found.period);
        }
}

/* The multiplier of the cycle that 0 falls into, by so many steps of long doubles. */
static long double complex settled(long double complex c, int period)
{
    long double complex z = 0, lambda = 1;
    for (int n = 0; n < 400000; n++)
        z = z * z + c;
    for (int k = 0; k < period; k++) {
        lambda *= 2 * z;
        z = z * z + c;
    }
    return lambda;
}

TEST(long_doubles_agree)
{
    static const struct {
        double re, im;
        int period;
    } place[] = {
        {-1.7548776662466927, 0, 3},
        {-1.7573, 0.0081, 3},
        {-0.1226, 0.7449, 3},
        {-0.13, 0.77, 3},
        {-1.3107, 0, 4},
        {-1.38, 0, 8},
        {0.2823, 0.5301, 4},
        {-0.5044, 0.5628, 5},
        {-1.9408, 0, 4},
        {-0.1565, 1.0323, 4},
        {-1.7728929033816238, 0, 6},
        {-1.0, 0.24, 2},
        {0.2, 0.1, 1},
        {-1.6254137251233, 0, 5},
        {-0.7436423016578459, 0.1318265198125947, 39},
        {-0.01, 0.98, 0},
    };
    for (size_t i = 0; i < sizeof place / sizeof *place; i++) {
        struct attractor found = attractor_of(place[i].re, place[i].im, LIMIT);
        if (found.period != place[i].period)
            fail_msg("%.17g %+.17g i: period %d, not %d", place[i].re, place[i].im, found.period,
                     place[i].period);
        if (!found.period)
            continue;
        long double complex c = place[i].re + place[i].im * I, lambda = settled(c, found.period);
        long double h = 1e-4L * found.distance; /* (l(c + h) - l(c - h)) / 2 h, off by h^2 */
        long double complex slope =
            (settled(c + h, found.period) - settled(c - h, found.period)) / (2 * h);
        long double radius = (1 - cabsl(lambda) * cabsl(lambda)) / cabsl(slope);
        if (fabsl(found.distance / radius - 1) > 1e-5L)
            fail_msg("%.17g %+.17g i: distance %.9g, not %.9Lg", place[i].re, place[i].im,
                     found.distance, radius);
    }
}

/* The boundary is between d / 4 and d away: within d / 4 all points have the same period. */
TEST(discs_of_a_quarter_lie_inside)
{
    int checked = 0;
    for (int i = 0; i < 400; i++) {
        double re = -1.8 + 2.2 * (i * 0.6180339887498949 - floor(i * 0.6180339887498949));
        double im = 1.0 * i / 400;
        struct attractor found = attractor_of(re, im, LIMIT);
        for (int k = 0; k < 8 && found.period; k++) {
            double x = re + 0.249 * found.distance * cos(k),
                   y = im + 0.249 * found.distance * sin(k);
            assert_int_equal(attractor_of(x, y, LIMIT).period, found.period);
            checked++;
        }
    }
    assert_true(checked > 400);
}

/* A component some 2e-11 wide: rounding errors of its cycle are above what ends Newton's method. */
TEST(long_cycles_of_small_components_settle)
{
    for (int i = 0; i < 200; i++) {
        double re = -0.7446203672188 + 2e-12 * cos(i) * (i % 7) / 7;
        double im = 0.1125636328060 + 2e-12 * sin(i) * (i % 7) / 7;
        struct attractor found = attractor_of(re, im, LIMIT);
        assert_int_equal(found.period, 367);
        assert_true(found.distance > 5e-12 && found.distance < 2e-11);
    }
}

TEST(what_has_no_cycle_is_unknown)
{
    assert_int_equal(attractor_of(0.5, 0.5, LIMIT).period, 0);
    assert_int_equal(attractor_of(-2, 0, LIMIT).period, 0); /* on the boundary: chaotic */
    assert_int_equal(attractor_of(1e200, 0, LIMIT).period, 0);
    assert_int_equal(attractor_of(-1.7548776662466927, 0, 2).period, 0); /* longer than the limit */
    assert_int_equal(attractor_of(-1.7548776662466927, 0, 3).period, 3);
    struct grid grid = {.step_re = 0.003, .step_im = 0.004, .down_y = -1};
    assert_true(attractor_px(0.5, &grid) == 100.0f);
    assert_true(attractor_px(0, &grid) > 0);
    grid.down_y = 4; /* pixels of four times the area */
    assert_true(attractor_px(0.5, &grid) == 50.0f);
}
