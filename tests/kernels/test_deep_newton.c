/* Perturbation of Newton's method, of Nova and of magnets against certified counts. */
#include <string.h>

#include "kernels/deep/rational/deep_newton.h"
#include "kernels/formula_text.h"
#include "tests/kernels/test_deep_probes.h"
#include "tests/kernels/test_deep_rows.h"

enum { WIDTH = 512, HEIGHT = 288 };

struct place {
    const char *formula, *re, *im, *zoom;
    int64_t limit;
    double c_re, c_im; /* of a Julia set; else 0 */
};

static const struct place places[] = {
#include "tests/kernels/deep_newton_places.inc"
};
enum { PLACES = sizeof places / sizeof *places };

static struct fixture place_open(const struct place *place)
{
    struct fixture_wanted wanted = {.re = place->re,
                                    .im = place->im,
                                    .zoom = place->zoom,
                                    .limit = place->limit,
                                    .width = WIDTH,
                                    .height = HEIGHT,
                                    .rotation_deg = 20,
                                    .no_nucleus = true};
    assert_int_equal(formula_of_text(&wanted.formula, place->formula, strlen(place->formula)),
                     STATUS_OK);
    if (place->c_re != 0) {
        wanted.formula.plane = DYNAMIC_PLANE;
        wanted.formula.c_re = place->c_re;
        wanted.formula.c_im = place->c_im;
    }
    struct fixture fixture = fixture_open(&wanted);
    return fixture;
}

static double error_of_w(const struct deep_probe *probe, const struct truth *truth)
{
    return hypot(probe->z_re - probe->last_re - truth->w_re,
                 probe->z_im - probe->last_im - truth->w_im);
}

/* Of a magnet that is z - 1, or z. */
static double error_of_magnet(const struct deep_probe *probe, const struct truth *truth)
{
    return hypot(probe->z_re - truth->near - truth->w_re, probe->z_im - truth->w_im);
}

static void prove(const struct place *place, enum blocks blocks, double accuracy_px, int samples)
{
    struct fixture fixture = place_open(place);
    struct deep_options options = {.blocks = blocks,
                                   .epsilon = deep_epsilon(accuracy_px, &fixture.grid) / 16};
    struct deep deep = fixture_deep(&fixture, &options);
    probes_prove(place->formula, &fixture, &deep,
                 rational_magnet(&fixture.spec.formula) ? error_of_magnet : error_of_w, accuracy_px,
                 samples);
    deep_close(&deep);
    fixture_close(&fixture);
}

TEST(test_counts_step_by_step)
{
    for (int i = 0; i < PLACES; i++)
        prove(&places[i], BLOCKS_NONE, 1e-3, check_long() ? 4 : 2);
}

/* The accuracies take turns, with DEEPFIELD_LONG=1 each place has both. */
TEST(test_counts_by_blocks)
{
    for (int i = 0; i < PLACES; i++) {
        if (check_long() || i % 2)
            prove(&places[i], BLOCKS_QUARTIC, 0.01, check_long() ? 8 : 4);
        if (check_long() || i % 2 == 0)
            prove(&places[i], BLOCKS_QUARTIC, 1e-7, check_long() ? 4 : 2);
    }
}

TEST(test_instruction_sets_have_the_same_bits)
{
    for (int i = 0; i < PLACES; i++) {
        struct fixture fixture = place_open(&places[i]);
        assert_sets_agree(&fixture);
        fixture_close(&fixture);
    }
}

/* Pixels of Nova that reach the limit, in the middle of a block: these go on in lanes up to there.
 */
TEST(test_instruction_sets_have_the_same_bits_at_a_limit)
{
    for (int i = 0; i < PLACES; i++) {
        struct place place = places[i];
        place.limit = 331;
        if (strncmp(place.formula, "nova", 4) != 0)
            continue;
        struct fixture fixture = place_open(&place);
        assert_sets_agree(&fixture);
        fixture_close(&fixture);
    }
}

/* Beside the pole z_1 is far beyond doubles; the way back is one power. */
TEST(test_steps_far_outside_are_one_power)
{
    const struct newton_rule rule = {.degree = 3, .of_z = 2.0 / 3, .of_power = 1.0 / 3};
    struct complex_wide z = {{1.25, -0.5}, 4000}, far = newton_far(&rule, z, 777);
    for (int i = 0; i < 777; i++)
        z = newton_wide_step(&rule, z, wide_inverse(z));
    assert_int_equal(far.e, z.e);
    assert_true(fabs(far.x.x / z.x.x - 1) < 1e-12 && fabs(far.x.y / z.x.y - 1) < 1e-12);
}
