/* Reference orbits against MPFR's plain loop at a higher precision. */
#include <complex.h>
#include <float.h>
#include <math.h>
#include <mpfr.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/orbit/orbit.h"
#include "tests/support/check.h"

enum { DIGITS_MOST = 20000 };

struct plain { /* the loop to compare with */
    mpfr_t cx, cy, x, y, xx, yy;
};

static void plain_begin(struct plain *plain, long bits, const char *re, const char *im)
{
    mpfr_inits2(bits, plain->cx, plain->cy, plain->x, plain->y, plain->xx, plain->yy, (mpfr_ptr)0);
    mpfr_set_str(plain->cx, re, 10, MPFR_RNDN);
    mpfr_set_str(plain->cy, im, 10, MPFR_RNDN);
    mpfr_set_zero(plain->x, 1);
    mpfr_set_zero(plain->y, 1);
}

static void plain_step(struct plain *plain)
{
    mpfr_sqr(plain->xx, plain->x, MPFR_RNDN);
    mpfr_sqr(plain->yy, plain->y, MPFR_RNDN);
    mpfr_mul(plain->y, plain->x, plain->y, MPFR_RNDN);
    mpfr_mul_2ui(plain->y, plain->y, 1, MPFR_RNDN);
    mpfr_add(plain->y, plain->y, plain->cy, MPFR_RNDN);
    mpfr_sub(plain->x, plain->xx, plain->yy, MPFR_RNDN);
    mpfr_add(plain->x, plain->x, plain->cx, MPFR_RNDN);
}

static void plain_end(struct plain *plain)
{
    mpfr_clears(plain->cx, plain->cy, plain->x, plain->y, plain->xx, plain->yy, (mpfr_ptr)0);
}

static struct orbit_options options_of(long bits)
{
    return (struct orbit_options){.bits = bits, .radius = 1e5, .log2_disc = -INFINITY};
}

static void orbit_of(struct orbit *orbit, const struct orbit_options *options, const char *re,
                     const char *im, int64_t limit)
{
    assert_int_equal(orbit_create(orbit, options, re, im), STATUS_OK);
    assert_int_equal(orbit_extend(orbit, limit), STATUS_OK);
}

/* "-0.74" and so many random digits. */
static char *random_digits(const char *begin, int digits, uint64_t *seed)
{
    size_t length = strlen(begin);
    char *text = malloc(length + (size_t)digits + 1);
    strcpy(text, begin);
    for (int i = 0; i < digits; i++)
        text[length + (size_t)i] = (char)('0' + check_random(seed) % 10);
    text[length + (size_t)digits] = '\0';
    return text;
}

/* Half a unit in the last place of a double, and what the steps' errors have grown to. */
static void assert_near(double ours, mpfr_srcptr truth, double log2_error, const char *where)
{
    mpfr_t difference;
    mpfr_init2(difference, mpfr_get_prec(truth));
    mpfr_sub_d(difference, truth, ours, MPFR_RNDN);
    double unit = fmax(fabs(ours) * DBL_EPSILON, DBL_TRUE_MIN);
    double off = fabs(mpfr_get_d(difference, MPFR_RNDN));
    if (!(off <= unit / 2 * (1 + 1e-9) + exp2(log2_error))) {
        fprintf(stderr, "%s: %a is off by %g, unit %g, error 2^%.1f\n", where, ours, off, unit,
                log2_error);
        fail();
    }
    mpfr_clear(difference);
}

/* Every point is the nearest double of the exact one, up to the errors of the steps before it:
 * error' = 2 |z| error + error^2 + sqrt(2) 2^-bits, and as much again for c. */
static void check_orbit(long bits, int64_t limit, uint64_t *seed)
{
    char *re = random_digits("-1.7686104930146770", (int)((double)bits * 0.30103), seed);
    char *im = random_digits("0.00126661350386871", (int)((double)bits * 0.30103), seed);
    struct orbit orbit;
    struct plain plain;
    struct orbit_options options = options_of(bits);
    char where[64];
    orbit_of(&orbit, &options, re, im, limit);
    plain_begin(&plain, bits + 64, re, im);
    double log2_error = -(double)bits;
    assert_true(orbit.length > 40 && orbit.bits >= bits);
    for (int64_t n = 1; n < orbit.length; n++) {
        plain_step(&plain);
        snprintf(where, sizeof where, "%ld bits, z_%lld", bits, (long long)n);
        assert_near(orbit.z[n].x, plain.x, log2_error, where);
        assert_near(orbit.z[n].y, plain.y, log2_error, where);
        double grown = exp2(1 - (double)bits - log2_error); /* underflows late, where it is small */
        log2_error += log2(2 * hypot(orbit.z[n].x, orbit.z[n].y) + exp2(log2_error) + grown);
    }
    plain_end(&plain);
    orbit_destroy(&orbit);
    free(re);
    free(im);
}

TEST(test_points_are_the_nearest_doubles)
{
    uint64_t seed = 11;
    /* All sizes of the unrolled steps, then where the short squares are cut into one, two and more
     * parts. Errors stay below the doubles' own for as many steps as there are bits or so. */
    for (long bits = ORBIT_BITS_LEAST; bits < 64; bits += 3)
        check_orbit(bits, 41, &seed);
    for (long bits = 64; bits < 2000; bits += 37)
        check_orbit(bits, bits, &seed);
    static const long deeper[] = {2048, 2600, 4096, 5000, 7999, 8192, 16384};
    for (size_t i = 0; i < sizeof deeper / sizeof *deeper; i++)
        check_orbit(deeper[i], 600, &seed);
    check_orbit(65536, 120, &seed);
}

static int64_t plain_escape(struct plain *plain, double radius, int64_t limit)
{
    for (int64_t n = 1; n <= limit; n++) {
        plain_step(plain);
        if (hypot(mpfr_get_d(plain->x, MPFR_RNDN), mpfr_get_d(plain->y, MPFR_RNDN)) > radius)
            return n;
    }
    return 0;
}

TEST(test_escapes_are_those_of_the_plain_loop)
{
    uint64_t seed = 12;
    static const long bits[] = {64, 130, 320, 1000, 3000};
    static const double radii[] = {2, 3, 1024, 1e5, 1e11, ORBIT_RADIUS_MAX};
    static const char *const places[][2] = {{"-0.7436438870371", "0.1318259042053"},
                                            {"0.2500001", "0.00000"},
                                            {"-2.0000000", "0.00000001"},
                                            {"0.3602404434376143", "-0.6413130610648031"},
                                            {"1.9", "-1.9"},
                                            {"1000000", "-999999"},
                                            {"-3", "0"}};
    for (size_t b = 0; b < sizeof bits / sizeof *bits; b++)
        for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
            char *re = strchr(places[p][0], '.') ? random_digits(places[p][0], 12, &seed)
                                                 : strdup(places[p][0]);
            double radius = radii[(b + p) % (sizeof radii / sizeof *radii)];
            struct orbit_options options = options_of(bits[b]);
            options.radius = radius;
            struct orbit orbit;
            struct plain plain;
            orbit_of(&orbit, &options, re, places[p][1], 20000);
            plain_begin(&plain, bits[b] + 64, re, places[p][1]);
            int64_t escape = plain_escape(&plain, radius, 20000);
            assert_int_equal(orbit.end, escape ? ORBIT_ESCAPED : ORBIT_LIMIT);
            assert_int_equal(orbit.length - 1, escape ? escape : 20000);
            const struct orbit_point *last = &orbit.z[orbit.length - 1];
            assert_true(!escape || hypot(last->x, last->y) > radius);
            plain_end(&plain);
            orbit_destroy(&orbit);
            free(re);
        }
}

/* Rounds of a cycle follow it, and a block of ORBIT_ROUND steps from Z_0 + k ORBIT_ROUND fits. */
static void assert_rounds(const struct orbit *orbit)
{
    assert_int_equal(orbit->period % orbit->shortest, 0);
    assert_in_range(orbit->period, ORBIT_ROUND, ORBIT_ROUND + orbit->shortest - 1);
    assert_int_equal((orbit->length - orbit->period) % ORBIT_ROUND, 0);
    for (int64_t n = orbit->closed; n < orbit->length; n++)
        assert_memory_equal(&orbit->z[n], &orbit->z[n - orbit->shortest], sizeof *orbit->z);
}

TEST(test_cycles)
{
    static const struct {
        const char *re, *im;
        int64_t period, length;
    } cases[] = {
        {"0", "0", 1, 2},  /* 0 0 */
        {"-1", "0", 2, 4}, /* 0 -1 0 -1 */
        {"-2", "0", 1, 3}, /* 0 -2 2 */
        {"0", "1", 2, 4},  /* 0 i -1+i -i */
        {"0", "-1", 2, 4}, /* its mirror image */
        {"0.1", "0.2", 1, 0},     {"-0.1225", "0.7448", 3, 0}, {"-1.75487", "0.00001", 3, 0},
        {"0.2819", "0.53", 4, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (long bits = 64; bits <= 2048; bits *= 2) {
            struct orbit orbit;
            struct orbit_options options = options_of(bits);
            orbit_of(&orbit, &options, cases[i].re, cases[i].im, 1000000);
            assert_int_equal(orbit.end, ORBIT_CYCLE);
            assert_int_equal(orbit.shortest % cases[i].period, 0);
            /* roundings may take some rounds */
            assert_true(orbit.shortest <= 64 * cases[i].period);
            if (cases[i].length) {
                assert_int_equal(orbit.shortest, cases[i].period);
                assert_int_equal(orbit.closed, cases[i].length);
            }
            assert_rounds(&orbit);
            for (int64_t t = 0; t < orbit.tiny_count; t++)
                assert_in_range(orbit.tiny[t].index, 1, orbit.length - 1);
            assert_int_equal(orbit_extend(&orbit, 2000000), STATUS_OK); /* nothing to do */
            assert_true(orbit.length < 1000000);
            orbit_destroy(&orbit);
        }
}

/* The real nucleus of period 3, the root of c^3 + 2 c^2 + c + 1, plus `offset`, as text. */
static char *nucleus_text(long bits, const char *offset)
{
    mpfr_t c, value, slope;
    mpfr_inits2(bits, c, value, slope, (mpfr_ptr)0);
    mpfr_set_d(c, -1.7548776662466927, MPFR_RNDN);
    for (long known = 40; known < 2 * bits; known *= 2) {
        mpfr_add_ui(value, c, 2, MPFR_RNDN);
        mpfr_mul(value, value, c, MPFR_RNDN);
        mpfr_add_ui(value, value, 1, MPFR_RNDN);
        mpfr_mul(value, value, c, MPFR_RNDN);
        mpfr_add_ui(value, value, 1, MPFR_RNDN);
        mpfr_mul_ui(slope, c, 3, MPFR_RNDN);
        mpfr_add_ui(slope, slope, 4, MPFR_RNDN);
        mpfr_mul(slope, slope, c, MPFR_RNDN);
        mpfr_add_ui(slope, slope, 1, MPFR_RNDN);
        mpfr_div(value, value, slope, MPFR_RNDN);
        mpfr_sub(c, c, value, MPFR_RNDN);
    }
    mpfr_set_str(value, offset, 10, MPFR_RNDN);
    mpfr_add(c, c, value, MPFR_RNDN);
    char *text = NULL;
    mpfr_asprintf(&text, "%.*Re", (int)((double)bits * 0.30103), c);
    mpfr_clears(c, value, slope, (mpfr_ptr)0);
    return text;
}

static void check_nucleus(long bits, const char *offset, double log10_disc, bool inside)
{
    char *re = nucleus_text(bits, offset);
    struct orbit orbit;
    struct orbit_options options = options_of(bits);
    options.log2_disc = log10_disc * log2(10);
    orbit_of(&orbit, &options, re, "0", 400);
    assert_int_equal(orbit.end == ORBIT_NUCLEUS && orbit.period == 3, inside);
    if (inside)
        assert_int_equal(orbit.length, 4);
    mpfr_free_str(re);
    orbit_destroy(&orbit);
}

TEST(test_nuclei_in_a_disc)
{
    check_nucleus(100, "5e-7", -6, true);
    check_nucleus(100, "5e-6", -6, false);
    check_nucleus(1200, "5e-301", -300, true);
    check_nucleus(1200, "9.9e-301", -300, true);
    check_nucleus(1200, "1.01e-300", -300, false);
    check_nucleus(1200, "0", -330, true); /* below the doubles */
    check_nucleus(7000, "-5e-2001", -2000, true);
    check_nucleus(7000, "-5e-2000", -2000, false);
    check_nucleus(66000, "3e-19801", -19800, true);
    /* The whole set: z_1 = c has a zero, which is c' = 0. */
    struct orbit orbit;
    struct orbit_options options = options_of(64);
    options.log2_disc = 1;
    orbit_of(&orbit, &options, "-0.75", "0.1", 100);
    assert_int_equal(orbit.end, ORBIT_NUCLEUS);
    assert_int_equal(orbit.period, 1);
    orbit_destroy(&orbit);
}

/* An orbit that was made for a small disc ends, for a larger one, where one made for that does. */
TEST(test_nuclei_of_larger_discs_are_found_afterwards)
{
    static const char re[] = "-0.04947002906310409375169222672735363011874571248822487931810494";
    static const char im[] = "-0.67478757584467536401139205313059765633477070682240348069799979";
    struct orbit_options options = options_of(200);
    struct orbit deep;
    int found = 0;
    options.log2_disc = -70;
    orbit_of(&deep, &options, re, im, 20000);
    for (int log2_disc = -69; log2_disc < 2; log2_disc++) {
        struct orbit own;
        options.log2_disc = log2_disc;
        orbit_of(&own, &options, re, im, 20000);
        int64_t nucleus = orbit_nucleus(&deep, log2_disc);
        assert_int_equal(nucleus, own.end == ORBIT_NUCLEUS ? own.period : 0);
        if (nucleus) /* and its points are a part of those */
            assert_memory_equal(own.z, deep.z, (size_t)own.length * sizeof *own.z);
        found += nucleus > 0;
        orbit_destroy(&own);
    }
    assert_in_range(found, 20, 71);
    orbit_destroy(&deep);
    char *text = nucleus_text(3000, "1e-400"); /* below the doubles */
    options = options_of(3000);
    options.log2_disc = -500 * log2(10);
    orbit_of(&deep, &options, text, "0", 40);
    assert_int_equal(orbit_nucleus(&deep, -399 * log2(10)), 3);
    assert_int_equal(orbit_nucleus(&deep, -401 * log2(10)), 0);
    mpfr_free_str(text);
    orbit_destroy(&deep);
}

/* Every nucleus that is claimed is found by Newton's method, in the disc. */
TEST(test_claimed_nuclei_exist)
{
    uint64_t seed = 15;
    int claims = 0;
    for (int i = 0; i < 3000; i++) {
        double x = -2 + 2.5 * check_random_unit(&seed), y = 1.2 * check_random_unit(&seed);
        double radius = pow(10, -0.5 - 2 * check_random_unit(&seed));
        char re[32], im[32];
        snprintf(re, sizeof re, "%.17g", x);
        snprintf(im, sizeof im, "%.17g", y);
        struct orbit orbit;
        struct orbit_options options = options_of(100);
        options.log2_disc = log2(radius);
        orbit_of(&orbit, &options, re, im, 300);
        long double complex c = x + 1.0L * I * y;
        for (int round = 0; round < 30 && orbit.end == ORBIT_NUCLEUS; round++) {
            long double complex z = 0, slope = 0;
            for (int64_t n = 0; n < orbit.period; n++) {
                slope = 2 * z * slope + 1;
                z = z * z + c;
            }
            c -= z / slope;
        }
        claims += orbit.end == ORBIT_NUCLEUS;
        assert_true((double)cabsl(c - (x + 1.0L * I * y)) < radius);
        orbit_destroy(&orbit);
    }
    assert_in_range(claims, 40, 2000);
}

/* Next to the nucleus of period 3, outside a disc that is much smaller than the distance to it: z
 * comes below the doubles in every round, and the proof's numbers with it. */
TEST(test_points_below_the_doubles)
{
    enum { BITS = 3000 };
    char *re = nucleus_text(BITS, "1e-400");
    struct orbit orbit;
    struct plain plain;
    struct orbit_options options = options_of(BITS);
    options.log2_disc = -500 * log2(10);
    orbit_of(&orbit, &options, re, "0", 3);
    plain_begin(&plain, BITS + 64, re, "0");
    for (int i = 0; i < 3; i++)
        plain_step(&plain);
    assert_int_equal(orbit.end, ORBIT_LIMIT);
    assert_int_equal(orbit.tiny_count, 1);
    assert_int_equal(orbit.tiny[0].index, 3);
    assert_int_equal(orbit.tiny[0].exponent, mpfr_get_exp(plain.x));
    mpfr_mul_2si(plain.x, plain.x, -orbit.tiny[0].exponent, MPFR_RNDN);
    assert_near(orbit.tiny[0].x, plain.x, -1000, "tiny");
    assert_true(orbit.tiny[0].y == 0 && orbit.z[3].x == 0);
    assert_int_equal(orbit_extend(&orbit, 400), STATUS_OK);
    assert_int_equal(orbit.end, ORBIT_CYCLE); /* attracted: superattracting but for 1e-400 */
    for (int64_t i = 0; i < orbit.tiny_count; i++)
        assert_int_equal(orbit.tiny[i].index % 3, 0);
    plain_end(&plain);
    mpfr_free_str(re);
    orbit_destroy(&orbit);
}

static void assert_same(const struct orbit *a, const struct orbit *b)
{
    assert_int_equal(a->length, b->length);
    assert_int_equal(a->end, b->end);
    assert_int_equal(a->period, b->period);
    assert_memory_equal(a->z, b->z, (size_t)a->length * sizeof *a->z);
    assert_int_equal(a->tiny_count, b->tiny_count);
}

TEST(test_threads_and_pieces_change_nothing)
{
    uint64_t seed = 13;
    static const long bits[] = {100, 2100, 12000, 40000};
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
        char *re = random_digits("-0.743643887037158", DIGITS_MOST, &seed);
        int64_t limit = bits[i] > 30000 ? 250 : 4000;
        struct orbit one, other;
        struct orbit_options options = options_of(bits[i]);
        options.threads = 1;
        orbit_of(&one, &options, re, "0.131825904205311", limit);
        for (int threads = 2; threads <= 6; threads += threads == 3 ? 3 : 1) {
            options.threads = threads;
            assert_int_equal(orbit_create(&other, &options, re, "0.131825904205311"), STATUS_OK);
            for (int64_t part = 1; other.length < one.length; part = 3 * part + 1)
                assert_int_equal(orbit_extend(&other, part < limit ? part : limit), STATUS_OK);
            assert_same(&one, &other);
            orbit_destroy(&other);
        }
        orbit_destroy(&one);
        free(re);
    }
}

struct gaps {
    volatile int stop;
    int calls;
};

static void stop_third(void *context, int64_t done, int64_t limit)
{
    struct gaps *gaps = context;
    assert_true(done > 0 && done <= limit);
    gaps->stop = ++gaps->calls == 3;
}

TEST(test_stop_and_go_on)
{
    uint64_t seed = 14;
    char *re = random_digits("-1.7686104930146770", DIGITS_MOST, &seed);
    struct gaps gaps = {0};
    struct orbit stopped, whole;
    struct orbit_options options = options_of(65536);
    orbit_of(&whole, &options, re, "0.00126661350386871", 600);
    options.stop = &gaps.stop;
    options.progress = stop_third;
    options.context = &gaps;
    assert_int_equal(orbit_create(&stopped, &options, re, "0.00126661350386871"), STATUS_OK);
    assert_int_equal(orbit_extend(&stopped, 600), STATUS_STOPPED);
    assert_int_equal(gaps.calls, 3);
    /* A step takes some 0.1 ms, and the third look comes after 1 + 5 + 5 ms of steps or so. */
    assert_in_range(stopped.length, 4, 599);
    assert_non_null(strstr(status_text(), "of up to 600 steps"));
    gaps.stop = 0;
    assert_int_equal(orbit_extend(&stopped, 600), STATUS_OK);
    assert_same(&whole, &stopped);
    orbit_destroy(&stopped);
    orbit_destroy(&whole);
    free(re);
}

TEST(test_hostile)
{
    struct orbit orbit;
    struct orbit_options options = options_of(ORBIT_BITS_MOST + 1L);
    long bits;
    assert_int_equal(orbit_create(&orbit, &options, "0", "0"), STATUS_TOO_LARGE);
    orbit_destroy(&orbit);
    options = options_of(64);
    static const char *const wrong[] = {"", "x", "nan", "-inf", "0x10", "1,5", "1.5 "};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(orbit_create(&orbit, &options, "0", wrong[i]), STATUS_BAD_DATA);
        orbit_destroy(&orbit);
    }
    orbit_of(&orbit, &options, "-0.75", "0.1", 1);
    assert_int_equal(orbit.length, 2);
    assert_true(orbit.z[0].x == 0 && orbit.z[1].x == -0.75 && orbit.z[1].y == 0.1);
    orbit_destroy(&orbit);

    options.bytes_max = 5000 * sizeof(struct orbit_point);
    assert_int_equal(orbit_create(&orbit, &options, "-1.9", "0"), STATUS_OK);
    assert_int_equal(orbit_extend(&orbit, INT64_MAX), STATUS_TOO_LARGE);
    assert_non_null(strstr(status_text(), "5000 of up to 9223372036854775808 points"));
    assert_int_equal(orbit.length, 5000);
    orbit_destroy(&orbit);

    assert_int_equal(orbit_bits(-200000, 1000000, &bits), STATUS_OK);
    assert_int_equal(bits, 200000 + 20 + 30);
    assert_int_equal(orbit_bits(10, 1, &bits), STATUS_OK);
    assert_int_equal(bits, 20);
    assert_int_equal(orbit_bits(-1e9, 1, &bits), STATUS_TOO_LARGE);
    assert_int_equal(orbit_bits(-INFINITY, 1, &bits), STATUS_TOO_LARGE);
    assert_int_equal(orbit_bits(NAN, 1, &bits), STATUS_TOO_LARGE);
}
