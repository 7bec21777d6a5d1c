/* Perturbation of Phoenix against certified counts. */
#include "kernels/deep/error_amplification.h"
#include "kernels/deep/rational/deep_henon.h"
#include "tests/kernels/test_deep_probes.h"
#include "tests/kernels/test_deep_rows.h"

enum { WIDTH = 512, HEIGHT = 288 };

static const struct place {
    const char *re, *im;
    double c_re, c_im;
    const char *zoom;
    int64_t limit;
} places[] = {
#include "tests/kernels/deep_henon_places.inc"
};
enum { PLACES = sizeof places / sizeof *places };

static struct fixture henon_fixture(const struct place *place)
{
    struct fixture_wanted wanted = {
        .re = place->re,
        .im = place->im,
        .zoom = place->zoom,
        .limit = place->limit,
        .width = WIDTH,
        .height = HEIGHT,
        .rotation_deg = 20,
        .formula = {.step = STEP_phoenix,
                    .c_re = place->c_re,
                    .c_im = place->c_im,
                    .plane = place->c_re != 0 ? DYNAMIC_PLANE : PARAMETER_PLANE}};
    struct fixture fixture = fixture_open(&wanted);
    assert_null(fixture.orbit.critical);
    return fixture;
}

static double error_of_z(const struct deep_probe *probe, const struct truth *truth)
{
    return hypot(probe->z_re - truth->z_re, probe->z_im - truth->z_im);
}

static void prove(const struct place *place, enum blocks blocks, double accuracy_px, int samples)
{
    struct fixture fixture = henon_fixture(place);
    struct deep_options options = {.blocks = blocks,
                                   .epsilon = deep_epsilon(accuracy_px, &fixture.grid)};
    struct deep deep = fixture_deep(&fixture, &options);
    probes_prove(place->zoom, &fixture, &deep, error_of_z, accuracy_px, samples);
    assert_true(error_amplification(&deep, &fixture.grid) < 100);
    assert_true(error_of_doubles(&deep, &fixture.grid) < 1e-6);
    deep_close(&deep);
    fixture_close(&fixture);
}

TEST(test_counts_step_by_step)
{
    for (int i = 0; i < PLACES; i++)
        prove(&places[i], BLOCKS_NONE, 1e-7, 4);
}

TEST(test_counts_by_blocks)
{
    for (int i = 0; i < PLACES; i++) {
        prove(&places[i], BLOCKS_QUARTIC, 0.01, 6);
        prove(&places[i], BLOCKS_QUARTIC, 1e-7, 3);
    }
}

TEST(test_instruction_sets_have_the_same_bits)
{
    for (int i = 0; i < PLACES; i++) {
        struct fixture fixture = henon_fixture(&places[i]);
        assert_sets_agree(&fixture);
        fixture_close(&fixture);
    }
}

/* 2 Z - 1 / 8 = 2 takes (2, 1) to twice that, and (1, 4) to a fourth; Z = 1 / 4 turns the one into
 * the other, Z = 3 / 2 both into what grows. So many steps lie between, each of which makes errors
 * eight times as large beside the derivative. */
static double error_behind_turn(int steps)
{
    enum { BEFORE = 60, AFTER = 60 };
    struct orbit_point z[BEFORE + AFTER + 64 + 2];
    struct fixture fixture = henon_fixture(&places[1]);
    struct orbit orbit = {.z = z, .c = {0, 0}, .end = ORBIT_ESCAPED};
    struct deep_options options = {.blocks = BLOCKS_QUARTIC,
                                   .epsilon = deep_epsilon(0.01, &fixture.grid)};
    struct deep deep;
    for (int i = 0; i < BEFORE + steps + AFTER; i++)
        z[i] = (struct orbit_point){1.125, 0};
    if (steps) {
        z[BEFORE].x = 0.25;
        z[BEFORE + steps].x = 1.5;
    }
    orbit.length = BEFORE + steps + AFTER;
    z[orbit.length++] = (struct orbit_point){1e6, 0};
    assert_int_equal(deep_open(&deep, &options, &orbit, &fixture.spec, &fixture.grid), STATUS_OK);
    double error_px = error_of_doubles(&deep, &fixture.grid);
    deep_close(&deep);
    fixture_close(&fixture);
    return error_px;
}

TEST(test_lost_digits_are_seen)
{
    assert_true(error_behind_turn(0) < 1e-9);
    assert_true(error_behind_turn(8) < 1e-3);
    assert_true(error_behind_turn(30) > 0.05);
}

/* (3 / 4, 3 / 4) is a parabolic point of c = 9 / 16. Pixels leave a reference that stays at a Z, at
 * which they move apart, and go on from there: for a smaller c to a cycle beside that point, which
 * attracts by 1 - 4 (9 / 16 - c)^(1 / 2) a step; for a larger one past it and away, in pi / 2 / (c
 * - 9 / 16)^(1 / 2) steps. */
static double error_beside_parabolic(double c, int64_t limit)
{
    enum { LENGTH = 120 };
    const struct place place = {"3", "0", c, 0, "1e25", limit}; /* an orbit that ends at once */
    struct orbit_point z[LENGTH + 64];
    struct fixture fixture = henon_fixture(&place);
    struct orbit orbit = {.z = z, .c = {c, 0}, .end = ORBIT_ESCAPED, .length = LENGTH};
    struct deep_options options = {.blocks = BLOCKS_QUARTIC,
                                   .epsilon = deep_epsilon(1e-7, &fixture.grid)};
    struct deep deep;
    for (int i = 0; i < LENGTH - 1; i++)
        z[i] = (struct orbit_point){0.5, 0.875};
    z[LENGTH - 1] = (struct orbit_point){1e6, 0};
    assert_int_equal(deep_open(&deep, &options, &orbit, &fixture.spec, &fixture.grid), STATUS_OK);
    double error_px = error_of_doubles(&deep, &fixture.grid);
    deep_close(&deep);
    fixture_close(&fixture);
    return error_px;
}

/* One that comes to the real axis does not repeat itself bit for bit. */
TEST(test_what_attracts_pixels_for_long_does_not_refuse_a_view)
{
    assert_true(error_beside_parabolic(0.5625 - 1e-6, 200000) < 1e-6);
}

/* 99,000 steps, of which 50,000 are followed. */
TEST(test_what_is_not_followed_to_its_end_counts_for_the_rest)
{
    double error_px = error_beside_parabolic(0.5625 + 2.5e-10, 200000);
    double of_more = error_beside_parabolic(0.5625 + 2.5e-10, 800000) / error_px;
    assert_true(error_px > 0.05 && of_more > 3.9 && of_more < 4.1);
}
