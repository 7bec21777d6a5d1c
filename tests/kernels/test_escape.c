/* The shared arithmetic: fractions, phases and distances against libm, interior tests and proofs
 * against iteration. */
#include "tests/support/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/escape/bend.h"
#include "kernels/escape/cycle.h"
#include "tests/kernels/plain_pixel.h"
#include "kernels/escape/distance.h"
#include "kernels/escape/interior.h"
#include "kernels/escape/phase.h"
#include "kernels/escape/return_map.h"

/* 1 - log2(ln|z| / ln R) in long double, from the same norm. */
static double fraction_by_libm(float norm, double bailout)
{
    return (double)(1 - log2l(logl((long double)norm) / 2 / logl((long double)bailout)));
}

TEST(fractions_agree_with_libm)
{
    const double bailouts[] = {2, 3.5, 16, 1024, 1e6, 1e9};
    uint64_t random = 20261121;
    printf("seed %llu\n", (unsigned long long)random);
    for (size_t b = 0; b < sizeof bailouts / sizeof bailouts[0]; b++) {
        double offset = fraction_offset(bailouts[b]), low = 2 * log2(bailouts[b]);
        for (int i = 0; i < 20000; i++) {
            float norm = (float)exp2(low * (1 + check_random_unit(&random)));
            double exact = fraction_by_libm(norm, bailouts[b]);
            if (norm <= bailouts[b] * bailouts[b] || exact < 0)
                continue;
            double got = fraction_of(norm, offset);
            assert_true(got >= 0 && got < 1);
            /* half an ulp of fp32 below 1 for the rounding, 1e-9 for the series */
            if (fabs(got - exact) > 0x1p-25 + 1e-9 && exact < 0x1.fffffep-1)
                fail_msg("R %g |z|^2 %.9g: %.12f, exactly %.12f", bailouts[b], (double)norm, got,
                         exact);
        }
    }
    assert_true(fraction_of(0.0f, fraction_offset(1024)) == 0.0f);
}

/* All octants, their borders among them. 2.9e-9 are left out, half an ulp of fp32 below 1 is 3e-8.
 */
TEST(phases_agree_with_libm)
{
    enum { DIRECTIONS = 8 * 2500 };
    double most = 0;
    for (int i = 0; i < DIRECTIONS; i++) {
        long double angle = 2 * M_PIl * i / DIRECTIONS, size = exp2l(10 + i % 20);
        double x = (double)(size * cosl(angle)), y = (double)(size * sinl(angle));
        long double exact = atan2l((long double)y, (long double)x) / (2 * M_PIl);
        float got = phase_of(x, y);
        assert_true(got >= 0 && got < 1);
        double error = (double)(got - exact);
        error = fabs(error - round(error));
        most = error > most ? error : most;
    }
    printf("phases: off by %.3g turns at most\n", most);
    assert_true(most < 4e-8);
    assert_true(phase_of(1024, 0) == 0 && phase_of(0, 1024) == 0.25f);
    assert_true(phase_of(-1024, 0) == 0.5f && phase_of(0, -1024) == 0.75f);
    assert_true(phase_of(1024, -1e-300) == 0 && phase_of(1024, 1024) == 0.125f);
}

/* In image axes, of any exponent that dz may have. Floats are within 2^-24, the logarithm 1e-10. */
TEST(distances_agree_with_libm)
{
    uint64_t random = 14;
    for (int i = 0; i < 20000; i++) {
        double z = exp2(1.001 + 30 * check_random_unit(&random)), lead = exp2(i % 200 - 100);
        double a = 7 * check_random_unit(&random), b = 7 * check_random_unit(&random);
        double dz = lead * (1 + check_random_unit(&random)), length = 2 * log(z) * z / dz;
        for (int32_t e = -1000; e <= 1000; e += 1000) {
            if (fabs(log2(length) - e) > 120)
                continue;
            double want = ldexp(length, -e);
            struct distance d = distance_of(z * cos(a), z * sin(a), dz * cos(b), dz * sin(b), e);
            assert_true(fabs(d.x / want - cos(a - b)) < 1e-7);
            assert_true(fabs(d.y / want + sin(a - b)) < 1e-7);
        }
    }
    struct distance near = distance_of(1500, 0, 0x1p1000, 0, 1000), far;
    assert_true(near.x == 0 && near.y == 0);
    near = distance_of(1500, 0, INFINITY, 1, 0);
    assert_true(near.x == 0 && near.y == 0);
    far = distance_of(1500, 0, 0, 0x1p-900, -900); /* longer than floats: as long as they are */
    assert_true(far.y >= 0x1p126f && far.y < 0x1p127f && far.x == 0);
    far = distance_of(1500, 0, 0, 0, 0);
    assert_true(far.x == 0x1p126f && far.y == 0);
}

TEST(counts_follow_the_definition)
{
    assert_int_equal(plain_pixel_f64x1(0, 0, 1000, 1024).count, 0);
    assert_int_equal(plain_pixel_f64x1(-2, 0, 1000, 2).count, 0); /* |z| = 2 is not > 2 */
    assert_int_equal(plain_pixel_f64x1(3, 0, 1000, 2).count, 1);
    assert_int_equal(plain_pixel_f64x1(1, 0, 1000, 2).count, 3);    /* 1, 2, 5 */
    assert_int_equal(plain_pixel_f64x1(1, 0, 2, 2).count, 0);       /* the limit comes first */
    assert_int_equal(plain_pixel_f64x1(1, 0, 1000, 1024).count, 6); /* 1 2 5 26 677 458330 */
    assert_int_equal(plain_pixel_f32x1(1, 0, 1000, 1024).count, 6);
}

/* The middle of the margin is the hardest place: just inside the boundary of the cardioid. */
TEST(surely_interior_points_never_escape)
{
    uint64_t random = 4711;
    printf("seed %llu\n", (unsigned long long)random);
    int tested_64 = 0, tested_32 = 0;
    for (int i = 0; i < 600; i++) {
        double angle = 2 * M_PI * check_random_unit(&random);
        double inside = exp2(-8 - 26 * check_random_unit(&random)); /* 1 - |multiplier| */
        double re = (1 - inside) * cos(angle), im = (1 - inside) * sin(angle);
        double x = re / 2 - (re * re - im * im) / 4, y = im / 2 - re * im / 2;
        if (interior_surely(x, y, INTERIOR_MARGIN_FP64)) {
            assert_int_equal(plain_pixel_f64x1(x, y, 20000, 2).count, 0);
            tested_64++;
        }
        float xf = (float)x, yf = (float)y;
        if (interior_surely((double)xf, (double)yf, INTERIOR_MARGIN_FP32)) {
            assert_int_equal(plain_pixel_f32x1(xf, yf, 20000, 2).count, 0);
            tested_32++;
        }
    }
    assert_true(tested_64 > 300 && tested_32 > 50);
}

TEST(the_interior_tests_know_the_shapes)
{
    const double m = INTERIOR_MARGIN_FP64;
    assert_true(interior_surely(0, 0, m) && interior_surely(-0.7, 0.1, m));
    assert_true(interior_surely(-1, 0, m) && interior_surely(-1.2, 0.1, m));
    assert_true(interior_surely(0.2499, 0, INTERIOR_MARGIN_FP32) == 0); /* cusp, in the margin */
    assert_true(interior_surely(0.24, 0, m));
    assert_false(interior_surely(0.25, 0, m) || interior_surely(0.26, 0, m));
    assert_false(interior_surely(-0.75, 0, m) || interior_surely(-1.25, 0, m));
    assert_false(interior_surely(-0.12256, 0.74486, m)); /* the period-3 bulb has no test */
}

/* A point about the rim of a component: multiplier (1 - inside) e^(i angle), inside of either sign.
 * The main cardioid is exact; the others are images of a disc or a cardioid, good to a few per cent
 * of their size, so that both sides of their rims are hit. */
static void rim_point(uint64_t *random, int component, double *x, double *y)
{
    const double discs[][3] = {
        {-1, 0, 0.25}, {-0.1225611669, 0.7448617666, 0.094}, {0.2822713907, 0.5300606175, 0.045}};
    const double minibrots[][3] = {{-1.7548776662, 0, 0.0191},
                                   {-0.1565201668, 1.0322471089, 0.007}};
    double angle = 2 * M_PI * check_random_unit(random);
    double inside = exp2(-2 - 20 * check_random_unit(random));
    double radius = check_random_unit(random) < 0.7 ? 1 - inside : 1 + inside;
    double re = radius * cos(angle), im = radius * sin(angle);
    double cardioid_x = re / 2 - (re * re - im * im) / 4, cardioid_y = im / 2 - re * im / 2;
    if (component == 0) {
        *x = cardioid_x;
        *y = cardioid_y;
    } else if (component < 4) {
        const double *disc = discs[component - 1];
        *x = disc[0] + disc[2] * re;
        *y = disc[1] + disc[2] * im;
    } else {
        const double *mini = minibrots[component - 4];
        *x = mini[0] + mini[2] * cardioid_x;
        *y = mini[1] + mini[2] * cardioid_y;
    }
}

/* At which age, below `most`, is the pixel proven? 0: never. */
static int proof_age_fp64(double cx, double cy, int most)
{
    const struct cycle_square place = {cx, cy, 0, (float)TRAP_ROUNDING_FP64};
    double x = 0, y = 0;
    for (int age = 0, next = 64; age < most; next *= 2) {
        for (; age < next; age++)
            QUADRATIC_STEP(f64x1, x, y, cx, cy);
        const struct cycle_orbit now = {x, y, 0, 0, 0};
        int period = cycle_period(x, y, &place, age / 4);
        if (period && cycle_proves(&now, &place, period))
            return age;
    }
    return 0;
}

static int proof_age_fp32(float cx, float cy, int most)
{
    const struct cycle_square place = {cx, cy, 0, (float)TRAP_ROUNDING_FP32};
    float x = 0, y = 0;
    for (int age = 0, next = 64; age < most; next *= 2) {
        for (; age < next; age++)
            QUADRATIC_STEP(f32x1, x, y, cx, cy);
        const struct cycle_orbit now = {x, y, 0, 0, 0};
        int period = cycle_period(x, y, &place, age / 4);
        if (period && cycle_proves(&now, &place, period))
            return age;
    }
    return 0;
}

TEST(proven_pixels_never_escape)
{
    uint64_t random = 20261122;
    printf("seed %llu\n", (unsigned long long)random);
    int proven_64 = 0, proven_32 = 0, escaped = 0;
    for (int i = 0; i < 1500; i++) {
        double x, y;
        rim_point(&random, i % 6, &x, &y);
        int64_t count = plain_pixel_f64x1(x, y, 20000, 2).count;
        escaped += count != 0;
        if (proof_age_fp64(x, y, 4096)) {
            assert_int_equal(count, 0);
            proven_64++;
        }
        if (proof_age_fp32((float)x, (float)y, 4096)) {
            assert_int_equal(plain_pixel_f32x1((float)x, (float)y, 20000, 2).count, 0);
            proven_32++;
        }
    }
    assert_true(escaped > 200 && proven_64 > 500 && proven_32 > 200);
}

/* A number of any size there is: 2^-1080 ... 2^-900, or about 1, or up to 2^500; now and then 0. */
static double any_number(uint64_t *random)
{
    double kind = check_random_unit(random), unit = 2 * check_random_unit(random) - 1;
    if (kind < 0.05)
        return 0;
    double power = kind < 0.3   ? -1080 + 180 * check_random_unit(random)
                   : kind < 0.8 ? -4 + 8 * check_random_unit(random)
                                : 500 * check_random_unit(random);
    return unit * exp2(power);
}

/* Which factor is doubled makes no difference, not even where products or results lose digits below
 * the smallest normal number. (Beyond 2^1022, when all is lost, it might.) */
TEST(both_steps_are_the_same)
{
    uint64_t random = 20261125;
    printf("seed %llu\n", (unsigned long long)random);
    int denormal = 0;
    for (int i = 0; i < 200000; i++) {
        double cx = any_number(&random), cy = any_number(&random);
        double x = any_number(&random), y = any_number(&random), u = x, v = y;
        QUADRATIC_STEP(f64x1, x, y, cx, cy);
        QUADRATIC_STEP_SHARING(f64x1, u, v, cx, cy);
        denormal += (fpclassify(x) == FP_SUBNORMAL) + (fpclassify(y) == FP_SUBNORMAL);
        if (memcmp(&x, &u, sizeof x) != 0 || memcmp(&y, &v, sizeof y) != 0)
            fail_msg("c %a %a: %a %a and %a %a", cx, cy, x, y, u, v);
        float fcx = (float)cx, fcy = (float)cy, fx = (float)x, fy = (float)y, fu = fx, fv = fy;
        QUADRATIC_STEP(f32x1, fx, fy, fcx, fcy);
        QUADRATIC_STEP_SHARING(f32x1, fu, fv, fcx, fcy);
        if (isfinite(fx) && isfinite(fy))
            assert_true(memcmp(&fx, &fu, sizeof fx) == 0 && memcmp(&fy, &fv, sizeof fy) == 0);
    }
    assert_true(denormal > 100);
}

static int escapes_from(double x, double y, double cx, double cy, int steps)
{
    for (int n = 0; n < steps; n++) {
        if (!(x * x + y * y <= 4))
            return 1;
        QUADRATIC_STEP(f64x1, x, y, cx, cy);
    }
    return 0;
}

/* The proof is about where the orbit stands, not only about c: states about an attracting cycle,
 * inside and outside its basin. */
TEST(proven_states_stay)
{
    uint64_t random = 20261124;
    printf("seed %llu\n", (unsigned long long)random);
    int proven = 0, escaped = 0;
    for (int i = 0; i < (check_long() ? 3000 : 1000); i++) {
        double cx, cy, x = 0, y = 0;
        rim_point(&random, i % 6, &cx, &cy);
        if (escapes_from(0, 0, cx, cy, 3000))
            continue;
        for (int n = 0; n < 3000; n++)
            QUADRATIC_STEP(f64x1, x, y, cx, cy);
        const struct cycle_square place = {cx, cy, 0, (float)TRAP_ROUNDING_FP64};
        int period = cycle_period(x, y, &place, 256);
        for (int k = 0; k < 16 && period; k++) {
            double far = exp2(-8 * check_random_unit(&random));
            double angle = 2 * M_PI * check_random_unit(&random);
            const struct cycle_orbit now = {x + far * cos(angle), y + far * sin(angle), 0, 0, 0};
            int gone = escapes_from(now.x, now.y, cx, cy, 4000);
            escaped += gone;
            if (cycle_proves(&now, &place, period)) {
                assert_false(gone);
                proven++;
            }
        }
    }
    assert_true(proven > 1000 && escaped > 1000);
}

/* Random squares about the rims, small and large; the pixels tried in them lie on the edge. */
TEST(proven_squares_hold_no_pixel_that_escapes)
{
    uint64_t random = 20261123;
    printf("seed %llu\n", (unsigned long long)random);
    int proven = 0, refused = 0;
    for (int i = 0; i < (check_long() ? 900 : 450); i++) {
        double x, y, spread = exp2(-6 - 16 * check_random_unit(&random));
        rim_point(&random, i % 6, &x, &y);
        const struct cycle_square place = {x, y, (float)spread, (float)TRAP_ROUNDING_FP64};
        if (!cycle_proves_square(&place, 2048)) {
            refused++;
            continue;
        }
        proven++;
        for (int k = 0; k < 24; k++) {
            double angle = 2 * M_PI * check_random_unit(&random);
            double at_x = x + spread * cos(angle), at_y = y + spread * sin(angle);
            assert_int_equal(plain_pixel_f64x1(at_x, at_y, 20000, 2).count, 0);
        }
    }
    assert_true(proven > 100 && refused > 100);
}

/* By their cycle alone, in both number types; and smaller ones from the cycle of that. */
TEST(squares_proven_by_their_cycle_hold_no_pixel_that_escapes)
{
    uint64_t random = 20261124;
    printf("seed %llu\n", (unsigned long long)random);
    int proven = 0, refused = 0, smaller = 0, narrows = 0;
    for (int i = 0; i < (check_long() ? 1500 : 500); i++) {
        bool narrow = i % 5 == 0; /* fp32 */
        double x, y, spread = exp2(-6 - (narrow ? 12 : 24) * check_random_unit(&random));
        rim_point(&random, i % 6, &x, &y);
        struct cycle_square place = {(double)(float)x, (double)(float)y, (float)spread,
                                     (float)(narrow ? TRAP_ROUNDING_FP32 : TRAP_ROUNDING_FP64)};
        struct bend_seed seed = {.period = 0};
        int known = bend_from_orbit(&seed, &place, 8192);
        if (known == 0) {
            place.spread /= 8;
            place.cx += spread / 4;
            known = bend_from_seed(&seed, &place);
            smaller += known > 0;
        }
        proven += known > 0;
        refused += known <= 0;
        for (int k = 0; k < 24 && known > 0; k++) {
            double angle = 2 * M_PI * check_random_unit(&random), radius = (double)place.spread;
            double at_x = place.cx + radius * cos(angle), at_y = place.cy + radius * sin(angle);
            if (narrow) { /* the floats beside it may lie outside */
                at_x = (double)(float)at_x;
                at_y = (double)(float)at_y;
                if (hypot(at_x - place.cx, at_y - place.cy) > radius)
                    continue;
            }
            narrows += narrow;
            assert_int_equal(narrow ? plain_pixel_f32x1((float)at_x, (float)at_y, 20000, 2).count
                                    : plain_pixel_f64x1(at_x, at_y, 20000, 2).count,
                             0);
        }
    }
    assert_true(proven > 100 && refused > 100 && smaller > 10 && narrows > 100);
}

/* |lambda| = 0.986, period 112: orbits are still far from their cycle when discs are given up. */
TEST(squares_beside_a_parabolic_point_are_proven_by_their_cycle)
{
    const struct cycle_square place = {-0.0494700290631040937 + 8.1e-14 * 389,
                                       -0.6747875758446753640 + 8.1e-14 * 8, 8.6e-13f,
                                       (float)TRAP_ROUNDING_FP64};
    struct bend_seed seed = {.period = 0};
    assert_int_equal(cycle_proves_square(&place, 8192), 0);
    assert_int_equal(bend_from_orbit(&seed, &place, 8192), 1);
    assert_int_equal(seed.period, 112);
    struct cycle_square beside = place; /* where pixels escape after 3000 steps */
    beside.cx -= 8.1e-14 * 400;
    assert_int_equal(bend_from_seed(&seed, &beside) > 0, 0);
    assert_int_equal(bend_from_orbit(&seed, &beside, 8192) > 0, 0);
}

/* Points about a small copy of period 112 and in it, in squares of any size. */
TEST(pixels_proven_from_return_to_return_do_not_escape)
{
    enum { LIMIT = 20000 };
    const double copy[] = {-0.0494700290631040937, -0.6747875758446753640};
    uint64_t random = 20261127;
    printf("seed %llu\n", (unsigned long long)random);
    int proven = 0, refused = 0, missed = 0;
    for (int i = 0; i < 1000; i++) {
        double size = i % 2 ? 4e-9 : 4e-10;
        double spread = size * exp2(-6 - 10 * check_random_unit(&random));
        double x = copy[0] + size * (2 * check_random_unit(&random) - 1);
        double y = copy[1] + size * (2 * check_random_unit(&random) - 1);
        const struct cycle_square place = {x, y, (float)spread, (float)TRAP_ROUNDING_FP64};
        struct return_map map;
        return_map_find(&map, &place, 1024);
        for (int k = 0; k < 4; k++) {
            double angle = 2 * M_PI * check_random_unit(&random);
            double at_x = x + 0.999 * spread * cos(angle), at_y = y + 0.999 * spread * sin(angle);
            bool stays = plain_pixel_f64x1(at_x, at_y, LIMIT, 2).count == 0;
            bool proves = map.period && return_map_proves(&map, at_x, at_y, LIMIT);
            assert_true(stays || !proves);
            proven += proves;
            refused += !stays;
            missed += stays && !proves;
        }
    }
    printf("%d proven, %d missed, %d escape\n", proven, missed, refused);
    assert_true(proven > 500 && refused > 500 && missed < proven / 4);
}

/* |lambda| = 0.994: the proof by the cycle alone ends in rounding errors. */
TEST(pixels_beside_a_parabolic_point_are_proven_from_return_to_return)
{
    const double x = -0.0494700290631040937 + 3.7e-14 * 700, y = -0.6747875758446753640;
    const struct cycle_square place = {x, y, 4.1e-13f, (float)TRAP_ROUNDING_FP64};
    struct return_map map;
    struct bend_seed seed = {.period = 0};
    assert_int_equal(bend_from_orbit(&seed, &place, 8192), 0);
    return_map_find(&map, &place, 1024);
    assert_int_equal(map.period, 112);
    assert_int_equal(return_map_proves(&map, x, y, 263010), 1);
    assert_int_equal(return_map_proves(&map, x - 3.7e-14 * 300, y, 263010), 0); /* it escapes */
}

/* What the proofs are for: the inside of small minibrots is known after a few dozen periods. */
TEST(the_inside_of_a_minibrot_is_proven_early)
{
    /* Period 78, |lambda| = 0.52, 1e-6 / 4 wide. */
    double x = -0.743643887037151 - 2.4440e-7, y = 0.131825904205330 - 2.2357e-7;
    assert_in_range(proof_age_fp64(x, y, 4096), 64, 1024);
    const struct cycle_square middle = {-1.7548776662466927, 0, 1e-4f, (float)TRAP_ROUNDING_FP64};
    assert_int_equal(cycle_proves_square(&middle, 256), 3);
    const struct cycle_square outside = {-1.7548776662466927, 0.1, 1e-4f,
                                         (float)TRAP_ROUNDING_FP64};
    assert_int_equal(cycle_proves_square(&outside, 4096), 0);
}
