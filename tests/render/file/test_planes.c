/* Do distances and phases say what they mean? Against MPFR (render/truth/truth.h), against the
 * slope of the continuous count, which nobody computes with derivatives, and direct iteration
 * against perturbation, in views of every kind, most of them rotated. */
#include <math.h>
#include <stdio.h>

#include "app/bench/deep_places.h"
#include "render/truth/verify.h"
#include "tests/support/check.h"

enum { WIDTH = 96, HEIGHT = 64, SAMPLES = 64 };

struct kind {
    const char *name, *re, *im, *zoom;
    int64_t limit;
    double rotation_deg, accuracy_px;
    enum method method;
    struct formula formula;
    struct view_shape shape;
};

#define JULIA_SET                                           \
    "0.1", "0.2", "2", 500, 50, 0.01, METHOD_DIRECT,        \
    {                                                       \
        .plane = DYNAMIC_PLANE, .c_re = -0.8, .c_im = 0.156 \
    }
#define SEAHORSE "-0.74530835472480427839", "0.11260674477106240310", "1e6", 3000
static const struct kind kinds[] = {
    {"whole set",
     "-0.7",
     "0",
     "1.4",
     1000,
     0,
     0.01,
     METHOD_DIRECT,
     {.plane = PARAMETER_PLANE},
     {.mirrored = 0}},
    {"direct", SEAHORSE, 30, 0.01, METHOD_DIRECT, {.plane = PARAMETER_PLANE}, {.mirrored = 0}},
    {"perturbed",
     SEAHORSE,
     30,
     1e-9,
     METHOD_PERTURBATION,
     {.plane = PARAMETER_PLANE},
     {.mirrored = 0}},
    {"turned", SEAHORSE, -111, 0.01, METHOD_DIRECT, {.plane = PARAMETER_PLANE}, {.mirrored = 0}},
    {"Julia set", JULIA_SET, {.mirrored = 0}},
    {"mirrored", SEAHORSE, 70, 0.01, METHOD_DIRECT, {.plane = PARAMETER_PLANE}, {.mirrored = 1}},
    {"stretched", JULIA_SET, {2, -40, 1}},
};
enum { WHOLE_SET, DIRECT, PERTURBED, KINDS = sizeof kinds / sizeof *kinds };

static struct picture picture_of(const struct kind *kind)
{
    struct picture picture = {.spec.limit = kind->limit,
                              .spec.bailout = 1024,
                              .spec.planes =
                                  PLANE_MASK_COUNT | PLANE_MASK_FRACTION | PLANE_MASK_END,
                              .accuracy_px = kind->accuracy_px,
                              .spec.formula = kind->formula,
                              .schedule = "auto",
                              .transport = "auto",
                              .backend = "auto",
                              .threads = 2};
    picture.view.shape = kind->shape;
    assert_int_equal(
        view_set(&picture.view, kind->re, kind->im, kind->zoom, kind->rotation_deg, WIDTH, HEIGHT),
        STATUS_OK);
    return picture;
}

struct made { /* a picture's planes */
    struct world *world;
    struct renderer *renderer;
    struct field field;
};

static struct made made_of(const struct kind *kind)
{
    struct made made = {.renderer = NULL};
    struct picture picture = picture_of(kind);
    struct renderer_options options = {.backend = "auto", .threads = 2};
    struct picture_report report = {.iterations = 0};
    assert_int_equal(world_open(&made.world, NULL), STATUS_OK);
    assert_int_equal(renderer_open(&made.renderer, made.world, &options), STATUS_OK);
    assert_int_equal(picture_render(made.renderer, &picture, NULL, &made.field, &report),
                     STATUS_OK);
    assert_int_equal(report.plan.method, kind->method);
    assert_int_equal(report.plan.number, NUMBER_FP64);
    picture_report_destroy(&report);
    view_destroy(&picture.view);
    return made;
}

static void made_close(struct made *made)
{
    renderer_close(made->renderer);
    world_close(made->world);
}

static double value(const struct made *made, enum plane plane, int32_t x, int32_t y)
{
    return (double)((const float *)field_row(&made->field, plane, y))[x];
}

/* The continuous count; NAN inside. */
static double nu(const struct made *made, int32_t x, int32_t y)
{
    uint64_t count = field_count_at(&made->field, (size_t)y * WIDTH + (size_t)x);
    return count ? (double)count + value(made, PLANE_FRACTION, x, y) : (double)NAN;
}

/* Every sample against MPFR: fractions, both components, phases. */
TEST(planes_are_what_the_truth_says)
{
    for (int k = 0; k < KINDS; k++) {
        struct picture picture = picture_of(&kinds[k]);
        struct renderer_options options = {.backend = "auto", .threads = 2};
        struct verify_options samples = {.samples = SAMPLES, .seed = 14};
        struct verify_report report;
        struct world *world;
        struct renderer *renderer;
        assert_int_equal(world_open(&world, NULL), STATUS_OK);
        assert_int_equal(renderer_open(&renderer, world, &options), STATUS_OK);
        if (verify_view(renderer, &picture, &samples, NULL, &report) != STATUS_OK)
            fail_msg("%s: %s", kinds[k].name, status_text());
        assert_int_equal(report.certified, SAMPLES);
        assert_int_equal(report.method, kinds[k].method);
        int told = 0; /* samples of which planes can be told from wrong ones */
        for (int i = 0; i < SAMPLES; i++)
            told += report.sample[i].truth.distance_px > 1e4 * report.error_median_px;
        assert_true(told > SAMPLES / 3);
        report.sample[0].plane[PLANE_DISTANCE_Y] *= -1; /* the judge sees an axis the wrong way */
        for (int i = 0; i < SAMPLES; i++)
            report.sample[i].plane[PLANE_DISTANCE_Y] *= -1;
        verify_judge(&report);
        assert_true(report.wrong[PLANE_DISTANCE_Y] > told / 2 && !report.wrong[PLANE_DISTANCE_X]);
        verify_report_destroy(&report);
        renderer_close(renderer);
        world_close(world);
        view_destroy(&picture.view);
    }
}

/* The continuous count changes by -2 / (ln 2 |d|) a pixel along d, and not at all across. Central
 * differences are off by the square of 1 / |d|, and by what the fraction leaves out, |z|^-2. Where
 * pixels are F times as long as wide the set may be so much nearer. */
TEST(counts_fall_along_the_vectors)
{
    for (int k = 0; k < KINDS; k++) {
        struct made made = made_of(&kinds[k]);
        int seen = 0;
        double factor = view_stretch(&kinds[k].shape), least = 12 * fmax(factor, 1 / factor);
        for (int32_t y = 1; y < HEIGHT - 1; y++)
            for (int32_t x = 1; x < WIDTH - 1; x++) {
                double dx = value(&made, PLANE_DISTANCE_X, x, y);
                double dy = value(&made, PLANE_DISTANCE_Y, x, y), length = hypot(dx, dy);
                double right = (nu(&made, x + 1, y) - nu(&made, x - 1, y)) / 2;
                double down = (nu(&made, x, y + 1) - nu(&made, x, y - 1)) / 2;
                double slope = -2 / (log(2) * length);
                if (!(length > least) || isnan(right) || isnan(down))
                    continue;
                seen++;
                if (hypot(right - slope * dx / length, down - slope * dy / length) >
                    0.05 * fabs(slope))
                    fail_msg("%s, pixel (%d, %d): d (%g, %g), slope of the count (%g, %g)",
                             kinds[k].name, x, y, dx, dy, right, down);
            }
        printf("%s: %d pixels\n", kinds[k].name, seen);
        assert_true(seen > 100);
        made_close(&made);
    }
}

/* Direct iteration moves pixels by less than 1e-7 px here, a part of it over |d| in the planes. */
TEST(direct_iteration_and_perturbation_agree)
{
    struct made direct = made_of(&kinds[DIRECT]), perturbed = made_of(&kinds[PERTURBED]);
    int seen = 0;
    for (int32_t y = 0; y < HEIGHT; y++)
        for (int32_t x = 0; x < WIDTH; x++) {
            double dx = value(&direct, PLANE_DISTANCE_X, x, y);
            double dy = value(&direct, PLANE_DISTANCE_Y, x, y), length = hypot(dx, dy);
            double ex = value(&perturbed, PLANE_DISTANCE_X, x, y);
            double ey = value(&perturbed, PLANE_DISTANCE_Y, x, y), slack = 1e-6 + 1e-5 / length;
            if (!(length > 1e-3) || floor(nu(&direct, x, y)) != floor(nu(&perturbed, x, y)))
                continue;
            seen++;
            double turned =
                value(&direct, PLANE_PHASE, x, y) - value(&perturbed, PLANE_PHASE, x, y);
            if (hypot(dx - ex, dy - ey) > slack * length || fabs(turned - round(turned)) > slack)
                fail_msg("pixel (%d, %d): (%.9g, %.9g) and (%.9g, %.9g), turned by %g", x, y, dx,
                         dy, ex, ey, turned);
        }
    assert_true(seen > WIDTH * HEIGHT / 2);
    made_close(&direct);
    made_close(&perturbed);
}

/* Bit for bit, with distance_y turned round: every kind of kernel, in views without symmetry. */
TEST(mirrored_fields_are_the_others_upside_down)
{
#define MAST "-1.7605001", "-0.0295002", "3e3", 1000, 25
    static const struct kind others[] = {
        {"ship", MAST, 0.01, METHOD_DIRECT, {.step = STEP_burning_ship}, {.mirrored = 0}},
        {"deep ship",
         MAST,
         1e-13,
         METHOD_PERTURBATION,
         {.step = STEP_burning_ship},
         {.mirrored = 0}},
        {"Magnet",
         "1.1",
         "0.6",
         "2",
         200,
         25,
         0.01,
         METHOD_DIRECT,
         {.step = STEP_magnet_1},
         {.mirrored = 0}}};
    struct kind kind[5] = {kinds[DIRECT], kinds[PERTURBED], others[0], others[1], others[2]};
    for (int k = 0; k < 5; k++) {
        struct made upright = made_of(&kind[k]);
        kind[k].shape.mirrored = true;
        struct made mirror = made_of(&kind[k]);
        for (int plane = 0; plane < PLANES; plane++)
            for (int32_t y = 0; y < HEIGHT && upright.field.planes & 1u << plane; y++) {
                size_t bytes = WIDTH * element_bytes(plane_element((enum plane)plane,
                                                                   mirror.field.count_bytes));
                float *row = field_row(&upright.field, (enum plane)plane, HEIGHT - 1 - y);
                for (int32_t x = 0; plane == PLANE_DISTANCE_Y && x < WIDTH; x++)
                    row[x] = 0 - row[x];
                assert_memory_equal(field_row(&mirror.field, (enum plane)plane, y), row, bytes);
            }
        made_close(&upright);
        made_close(&mirror);
    }
}
