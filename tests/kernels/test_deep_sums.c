/* Averages and traps along orbits by perturbation against MPFR, shallow and deep. */
#include <string.h>

#include "kernels/formula_text.h"
#include "render/truth/truth_sums.h"
#include "tests/kernels/test_deep_fixture.h"

/* Pixels that an orbit of single steps in doubles may be away; many times what is found. */
#define MOVED_PX 1e-10

struct sums_place {
    const char *formula, *re, *im, *zoom;
    int64_t limit;
    double bailout;
    struct orbit_rule orbit;
};

/* Border points that are known to all digits, and others where 1e15 is enough. */
static const struct sums_place places[] = {
    {"mandelbrot", "-0.75", "0", "1", 700, 1024, {5, 0, 0, 0.5}},
    {"mandelbrot",
     "-0.743643887037151",
     "0.131825904205330",
     "1e9",
     6000,
     1024,
     {1, -0.25, 0.5, 0.75}},
    {"mandelbrot", "-2", "0", "1e40", 4000, 3, {3, 0.3, 0, 1}},
    {"mandelbrot", "0", "1", "1e60", 4000, 1e6, {64, 0, 0, 0.5}},
    {"mandelbrot", "-2", "0", "1e290", 4000, 1024, {2, 0, 0, 2}},
    {"mandelbrot", "0", "1", "1e700", 8000, 1024, {4, -1, 0, 0}},
    {"mandelbrot",
     "-1.754877666246692760049508896358528691894606617772793143989",
     "0",
     "60",
     4000,
     1024,
     {5, 0, 0, 0.5}},
    {"julia", "0", "0", "1", 500, 1024, {7, 0, -0.5, 0.25}},
    {"multibrot_3", "-0.61", "0.43", "1e3", 3000, 1024, {5, 0, 0, 0.5}},
    {"burning_ship", "-2", "0", "1e30", 3000, 1024, {5, 0, 0, 0.5}},
    {"celtic", "-2", "0", "1e50", 3000, 1024, {6, 0.5, 0.5, 0.5}},
    {"tricorn", "-2", "0", "1e320", 4000, 1024, {5, 0, 0, 0.5}},
    {"mothbrot", "-0.61", "0.43", "10", 600, 1024, {5, 0, 0, 0.5}},
    {"absx,sqr,add;sqr,scale 0.9 0.1,add", "-0.61", "0.43", "10", 600, 1024, {5, 0, 0, 0.5}},
};

enum { WIDTH = 48, HEIGHT = 27, PLACES = sizeof places / sizeof *places };

static struct fixture place_open(const struct sums_place *place)
{
    struct fixture_wanted wanted = {.re = place->re,
                                    .im = place->im,
                                    .zoom = place->zoom,
                                    .limit = place->limit,
                                    .width = WIDTH,
                                    .height = HEIGHT,
                                    .bailout = place->bailout};
    assert_int_equal(formula_of_text(&wanted.formula, place->formula, strlen(place->formula)),
                     STATUS_OK);
    if (wanted.formula.plane == DYNAMIC_PLANE) {
        wanted.formula.c_re = -0.123;
        wanted.formula.c_im = 0.745;
    }
    struct fixture fixture = fixture_open(&wanted);
    fixture.spec.planes |= PLANE_MASK_ORBIT;
    fixture.spec.orbit = place->orbit;
    return fixture;
}

static struct field place_compute(const struct fixture *fixture, enum blocks blocks,
                                  const struct deep_kernels *kernels)
{
    struct deep_options options = {
        .blocks = blocks, .epsilon = deep_epsilon(1e-9, &fixture->grid), .kernels = kernels};
    struct deep deep = fixture_deep(fixture, &options);
    struct deep_work work = {0};
    struct field field;
    assert_int_equal(field_create(&field, WIDTH, HEIGHT, fixture->spec.planes, 4), STATUS_OK);
    assert_int_equal(deep_compute(&deep, &fixture->spec, &fixture->grid, &field, &work), STATUS_OK);
    deep_close(&deep);
    return field;
}

struct proof {
    int pixels, loose;
    double worst; /* largest error over its slack */
};

static void pixel_prove(const struct sums_place *place, const struct field *field, size_t i,
                        const struct truth *truth, struct proof *proof)
{
    proof->pixels++;
    for (int p = 0; p < ORBIT_PLANES; p++) {
        double is = ((const float *)field->plane[PLANE_STRIPE + p])[i];
        double slack = truth->sums_slack[p], off = fabs(is - truth->sums[p]);
        proof->loose += slack > 1e-4 * (1 + truth->sums[p]);
        proof->worst = fmax(proof->worst, slack > 0 ? off / slack : off);
        if (!(off <= slack))
            fail_msg("%s at %s, pixel %zu, n = %lld: %s %.9g, MPFR %.9g, slack %.3g",
                     place->formula, place->zoom, i, (long long)truth->count,
                     plane_kinds[PLANE_STRIPE + p].name, is, truth->sums[p], slack);
    }
}

/* With blocks and without. A pixel so near to the set that its count differs is not compared. */
TEST(sums_are_those_of_mpfr)
{
    enum { SAMPLES = 24 };
    for (int i = 0; i < PLACES; i++) {
        struct fixture fixture = place_open(&places[i]);
        const struct truth_sums_rule rule = {fixture.spec.orbit, MOVED_PX};
        struct field field = place_compute(&fixture, i % 2 ? BLOCKS_NONE : BLOCKS_QUARTIC, NULL);
        struct proof proof = {0};
        uint64_t seed = 5;
        for (int s = 0; s < SAMPLES; s++) {
            int32_t x = (int32_t)(check_random(&seed) % WIDTH);
            int32_t y = (int32_t)(check_random(&seed) % HEIGHT);
            size_t at = (size_t)y * WIDTH + (size_t)x;
            struct truth truth;
            if (!field_count_at(&field, at))
                continue;
            assert_int_equal(truth_pixel_sums(&fixture.view, &fixture.spec.formula, x, y,
                                              fixture.spec.limit, fixture.spec.bailout, &rule, NULL,
                                              &truth),
                             STATUS_OK);
            if ((int64_t)field_count_at(&field, at) == truth.count)
                pixel_prove(&places[i], &field, at, &truth, &proof);
        }
        printf("%s at %s: %d pixels, %d values known to less than 1e-4, largest error %.2g of its "
               "slack\n",
               places[i].formula, places[i].zoom, proof.pixels, proof.loose, proof.worst);
        assert_true(proof.pixels > 4 && proof.loose < ORBIT_PLANES * proof.pixels / 2);
        field_destroy(&field);
        fixture_close(&fixture);
    }
}

/* Each set of instructions, and each plane alone. */
TEST(sums_are_the_same_bits)
{
    for (int i = 0; i < PLACES; i++) {
        struct fixture fixture = place_open(&places[i]);
        struct field want = place_compute(&fixture, BLOCKS_QUARTIC, &deep_kernels_scalar);
        for (int set = 0; set < INSTRUCTION_SETS; set++) {
            fixture.spec.planes =
                PLANE_MASK_COUNT |
                (set ? PLANE_MASK_ORBIT : 1u << (PLANE_STRIPE + i % ORBIT_PLANES));
            if (!instruction_set(set))
                continue;
            struct field got = place_compute(&fixture, BLOCKS_QUARTIC, instruction_set(set));
            for (int p = PLANE_STRIPE; p <= PLANE_TRAP_CIRCLE; p++)
                if (got.plane[p])
                    assert_memory_equal(got.plane[p], want.plane[p],
                                        sizeof(float) * WIDTH * HEIGHT);
            field_destroy(&got);
        }
        field_destroy(&want);
        fixture_close(&fixture);
    }
}
