/* Do counts, fractions and distances hold where c leaves the exponents of doubles? */
#include <mpfr.h>
#include <string.h>

#include "tests/kernels/test_deep_proof.h"

/* Both sides of the border, in steps small enough for every part of it: c, its square root and
 * squares of delta leave the doubles at different zooms. */
TEST(test_counts_on_both_sides_of_the_border)
{
    static const char *const zooms[] = {"1e290", "1e292", "1e293", "1e294", "1e300", "1e305",
                                        "1e308", "1e310", "1e324", "1e320", "1e331", "1e316"};
    for (int i = 0; i < 12; i += check_long() ? 1 : 2)
        place_at(4, zooms[i], 0, 4);
}

TEST(test_counts_at_published_places)
{
    place_at(4, NULL, 0, 8);
    if (check_long()) /* whose orbit takes as long as all else here */
        place_at(5, NULL, 0, 2);
}

/* The fixture with an exponent for c, as if it were beyond the border. */
static void fixture_widen(struct fixture *fixture)
{
    int exponent = (int)floor(fixture->numbers.log2_step);
    fixture->grid.step_re = ldexp(fixture->grid.step_re, -exponent);
    fixture->grid.step_im = ldexp(fixture->grid.step_im, -exponent);
    fixture->grid.exponent = exponent;
}

enum { SIDE = 40 };

/* One view by both kinds of kernels. Exponents are powers of two, and those round nothing: the same
 * bits. */
static void both_kinds_agree(const char *zoom, const struct deep_options *options)
{
    struct fixture_wanted wanted = wanted_place(4, SIDE, SIDE);
    wanted.zoom = zoom;
    wanted.rotation_deg = 20;
    struct fixture fixture = fixture_open(&wanted);
    struct fixture widened = fixture;
    assert_int_equal(fixture.grid.exponent, 0);
    fixture_widen(&widened);
    struct deep plain = fixture_deep(&fixture, options), wide = fixture_deep(&widened, options);
    for (int i = 0; i < SIDE * SIDE; i++) {
        struct pixel_state a = fixture_pixel(&fixture, &plain, i % SIDE, i / SIDE);
        struct pixel_state b = fixture_pixel(&widened, &wide, i % SIDE, i / SIDE);
        if (a.count != b.count || a.norm != b.norm || a.steps != b.steps)
            fail_msg("zoom %s, blocks %d, pixel %d: counts %lld and %lld, norms %.17g and %.17g",
                     zoom, options->blocks, i, (long long)a.count, (long long)b.count, a.norm,
                     b.norm);
        struct distance d = pixel_distance(&a, &plain.common), e = pixel_distance(&b, &wide.common);
        assert_true(hypot(e.x - d.x, e.y - d.y) <= 1e-6 * hypot(d.x, d.y));
        assert_true(pixel_phase(&a, &plain.common) == pixel_phase(&b, &wide.common));
    }
    deep_close(&plain);
    deep_close(&wide);
    fixture_close(&fixture);
}

TEST(test_plain_and_wide_kernels_agree)
{
    static const char *const zooms[] = {"1e120", "1e153", "1e200", "1e240", "1e270", "1e290"};
    for (int i = 0; i < 6; i++)
        both_kinds_agree(zooms[i],
                         &(struct deep_options){.blocks = BLOCKS_QUARTIC, .epsilon = 0x1p-40});
}

/* ---- islands ---- */

struct island { /* of the needle, whose left end is -2: the leftmost of its period */
    char *re, *zoom;
};

/* A picture of `height` pixels, each 1 / ISLAND_PX of 16^-period, about a point so many pixels to
 * the right of the nucleus. The island is some 50 pixels large. Newton's method from -2 on: the
 * nucleus is at -2 + O(4^-period). */
#define ISLAND_PX 0.24
static struct island island_find(int period, int32_t height, int32_t right)
{
    mpfr_t c, z, dz, size;
    mpfr_inits2(4 * period + 200, c, z, dz, (mpfr_ptr)0);
    mpfr_init2(size, 64);
    mpfr_set_si(c, -2, MPFR_RNDN);
    for (int i = 0; i < 20; i++) {
        mpfr_set_zero(z, 1);
        mpfr_set_zero(dz, 1);
        for (int n = 0; n < period; n++) {
            mpfr_mul(dz, dz, z, MPFR_RNDN);
            mpfr_mul_si(dz, dz, 2, MPFR_RNDN);
            mpfr_add_si(dz, dz, 1, MPFR_RNDN);
            mpfr_sqr(z, z, MPFR_RNDN);
            mpfr_add(z, z, c, MPFR_RNDN);
        }
        mpfr_div(z, z, dz, MPFR_RNDN);
        mpfr_sub(c, c, z, MPFR_RNDN);
    }
    mpfr_ui_pow_ui(size, 16, (unsigned long)period, MPFR_RNDN);
    mpfr_mul_d(size, size, ISLAND_PX, MPFR_RNDN);
    mpfr_si_div(z, right, size, MPFR_RNDN);
    mpfr_add(c, c, z, MPFR_RNDN);
    mpfr_mul_d(size, size, 4.0 / height, MPFR_RNDN);
    struct island island;
    mpfr_asprintf(&island.re, "%.*Rf", (int)(1.21 * period) + 40, c);
    mpfr_asprintf(&island.zoom, "%.6Re", size);
    mpfr_clears(c, z, dz, size, (mpfr_ptr)0);
    return island;
}

static void island_free(struct island *island)
{
    mpfr_free_str(island->re);
    mpfr_free_str(island->zoom);
}

static void island_prove(int period, bool no_nucleus)
{
    struct island island = island_find(period, 48, 0);
    char name[64];
    snprintf(name, sizeof name, "island of period %d", period);
    place_prove(name,
                &(struct fixture_wanted){.re = island.re,
                                         .im = "0",
                                         .zoom = island.zoom,
                                         .limit = 30 * period,
                                         .width = 64,
                                         .height = 48,
                                         .rotation_deg = no_nucleus ? 77 : 0,
                                         .no_nucleus = no_nucleus},
                12);
    island_free(&island);
}

/* Orbits that come back as near to 0 as the root of the island's size, again and again: Z leaves
 * the doubles too. */
TEST(test_counts_beside_islands)
{
    static const int periods[] = {128, 242, 250, 256, 266, 275, 400, 600, 1200};
    for (int i = 0; i < 9; i += check_long() ? 1 : 2)
        for (int on = 0; on < 2; on++)
            island_prove(periods[i], on);
}

/* An island in a picture a million times as wide as it is, with the reference beside it. Where its
 * pixels come near 0 their z is as much smaller than delta, and both have left the doubles: who did
 * not rebase there would be a hundredth of a pixel off. */
TEST(test_pixels_rebase_where_z_has_left_the_doubles)
{
    enum { SIDE_PX = 1 << 26, RIGHT = 1 << 24, PERIOD = 500, SAMPLES = 24 };
    struct island island = island_find(PERIOD, SIDE_PX, RIGHT);
    struct fixture fixture = fixture_open(&(struct fixture_wanted){.re = island.re,
                                                                   .im = "0",
                                                                   .zoom = island.zoom,
                                                                   .limit = 30 * PERIOD,
                                                                   .width = SIDE_PX,
                                                                   .height = SIDE_PX,
                                                                   .no_nucleus = true});
    uint64_t seed = 23;
    for (int blocks = BLOCKS_NONE; blocks < BLOCKS_KINDS; blocks++) {
        struct deep_options options = {.blocks = (enum blocks)blocks, .epsilon = 0x1p-50};
        struct deep deep = fixture_deep(&fixture, &options);
        double worst = 0;
        for (int i = 0; i < SAMPLES; i++) {
            int32_t x = SIDE_PX / 2 - RIGHT - 32 + (int32_t)(check_random(&seed) % 64);
            int32_t y = SIDE_PX / 2 - 32 + (int32_t)(check_random(&seed) % 64);
            struct pixel_state pixel = fixture_pixel(&fixture, &deep, x, y);
            struct truth truth;
            assert_int_equal(truth_pixel(&fixture.view, &fixture.spec.formula, x, y,
                                         fixture.spec.limit, 1024, NULL, &truth),
                             STATUS_OK);
            if (truth.distance_px > 1e-4 || !truth.count)
                assert_int_equal(pixel.count, truth.count);
            if (truth.count && pixel.count == truth.count)
                worst = fmax(worst, fixture_error_px(&fixture, &deep, &pixel, &truth));
        }
        printf("blocks %d: backward errors up to %.2g px\n", blocks, worst);
        assert_true(worst > 0 && worst < 1e-7);
        deep_close(&deep);
    }
    fixture_close(&fixture);
    island_free(&island);
}

/* Nothing near it has a period; the axis is a row of pixels. */
TEST(test_counts_at_the_tip_of_the_needle)
{
    static const char *const zooms[] = {"1e399", "1e401", "1e420"};
    char re[404] = "-1.";
    memset(re + 3, '9', 400); /* -2 + 1e-400 */
    for (int i = 0; i < 3; i++)
        place_prove("needle",
                    &(struct fixture_wanted){.re = re,
                                             .im = "0",
                                             .zoom = zooms[i],
                                             .limit = 3000,
                                             .width = 33,
                                             .height = 21,
                                             .no_nucleus = true},
                    24);
}
