/* A view, its reference orbit and its pixels, for the tests of perturbation. */
#ifndef TESTS_KERNELS_TEST_DEEP_SCENE_H
#define TESTS_KERNELS_TEST_DEEP_SCENE_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "kernels/deep/deep.h"
#include "kernels/deep/pixel_wide.h"
#include "kernels/escape/pixel.h"
#include "app/bench/deep_places.h"
#include "render/reference.h"
#include "render/truth.h"
#include "render/view.h"
#include "tests/support/check.h"

struct scene {
    struct view view;
    struct view_numbers numbers;
    struct grid grid; /* of the whole picture, relative to the reference */
    struct spec spec;
    struct orbit orbit;
};

struct scene_wanted {
    const char *re, *im, *zoom;
    int64_t limit;
    int32_t width, height;
    double rotation_deg, bailout; /* bailout 0: 1024 */
    bool no_nucleus;              /* the reference goes on past one */
};

/* One of app/bench/deep_places.h. */
static inline struct scene_wanted wanted_place(int place, int32_t width, int32_t height)
{
    const struct deep_place *at = &deep_places[place];
    return (struct scene_wanted){.re = at->re,
                                 .im = at->im,
                                 .zoom = at->zoom,
                                 .limit = at->limit,
                                 .width = width,
                                 .height = height};
}

static inline void scene_orbit(struct scene *scene, const char *re, const char *im,
                               double log2_disc)
{
    struct orbit_options options = {.radius = 100 * scene->spec.bailout, .log2_disc = log2_disc};
    assert_int_equal(orbit_bits(scene->numbers.log2_step, scene->spec.limit, &options.bits),
                     STATUS_OK);
    assert_int_equal(orbit_create(&scene->orbit, &options, re, im), STATUS_OK);
    assert_int_equal(orbit_extend(&scene->orbit, scene->spec.limit), STATUS_OK);
}

/* With the view's centre as its reference. */
static inline struct scene scene_open(const struct scene_wanted *wanted)
{
    struct scene scene = {.view = {0}};
    assert_int_equal(view_set(&scene.view, wanted->re, wanted->im, wanted->zoom,
                              wanted->rotation_deg, wanted->width, wanted->height),
                     STATUS_OK);
    assert_int_equal(view_numbers(&scene.view, &scene.numbers), STATUS_OK);
    scene.grid = reference_grid(&scene.numbers, 0, 0, wanted->width, wanted->height);
    scene.spec = (struct spec){.limit = wanted->limit,
                               .bailout = wanted->bailout > 0 ? wanted->bailout : 1024,
                               .planes = PLANE_MASK_COUNT | PLANE_MASK_FRACTION,
                               .count_bytes = 4};
    double half = log2(hypot(wanted->width, wanted->height) / 2);
    scene_orbit(&scene, wanted->re, wanted->im,
                wanted->no_nucleus ? -INFINITY : scene.numbers.log2_step + half);
    return scene;
}

static inline void scene_close(struct scene *scene)
{
    view_destroy(&scene->view);
    orbit_destroy(&scene->orbit);
}

static inline struct deep scene_deep(const struct scene *scene, const struct deep_options *options)
{
    struct deep deep;
    assert_int_equal(deep_open(&deep, options, &scene->orbit, &scene->spec, &scene->grid),
                     STATUS_OK);
    return deep;
}

/* One pixel, with its derivative, all the way. */
static inline struct pixel_state scene_pixel(const struct scene *scene, const struct deep *deep,
                                             int32_t x, int32_t y)
{
    double re, im;
    pixel_c(&scene->grid, x, y, &re, &im);
    struct pixel_state pixel = pixel_begin(&deep->common, re, im);
    enum blocks blocks = deep->options.blocks;
    pixel_on(&pixel, &deep->common, blocks, 1, deep->common.exponent != 0, INT64_MAX);
    return pixel;
}

/* How far beside the pixel lies the point that was computed: |error of z_n| / |dz_n/dc|, pixels. */
static inline double scene_error_px(const struct scene *scene, const struct deep *deep,
                                    const struct pixel_state *pixel, const struct truth *truth)
{
    struct complex_f64 z = pixel_reference(&deep->common, pixel->m);
    double error = hypot(z.x + pixel->delta.x - truth->z_re, z.y + pixel->delta.y - truth->z_im);
    return exp2(log2(error) - truth->log2_dz - scene->numbers.log2_step);
}

#endif
