/* A view, its reference orbit and its pixels, for the tests of perturbation. */
#ifndef TESTS_KERNELS_TEST_DEEP_FIXTURE_H
#define TESTS_KERNELS_TEST_DEEP_FIXTURE_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "kernels/deep/deep.h"
#include "kernels/deep/deep_kernels.h"
#include "kernels/deep/pixel_wide.h"
#include "kernels/escape/pixel.h"
#include "app/bench/deep_places.h"
#include "render/reference/reference.h"
#include "render/truth/truth.h"
#include "render/view/view.h"
#include "tests/support/check.h"

struct fixture {
    struct view view;
    struct view_numbers numbers;
    struct grid grid; /* of the whole picture, relative to the reference */
    struct spec spec;
    struct orbit orbit;
};

struct fixture_wanted {
    const char *re, *im, *zoom;
    int64_t limit;
    int32_t width, height;
    double rotation_deg, bailout; /* bailout 0: 1024 */
    bool no_nucleus;              /* the reference goes on past one */
    bool fp32;
    struct formula formula;
};

/* One of app/bench/deep_places.h. */
static inline struct fixture_wanted wanted_place(int place, int32_t width, int32_t height)
{
    const struct deep_place *at = &deep_places[place];
    return (struct fixture_wanted){.re = at->re,
                                   .im = at->im,
                                   .zoom = at->zoom,
                                   .limit = at->limit,
                                   .width = width,
                                   .height = height};
}

/* As reference_make does: once more where a point of the dynamic plane takes more bits. */
static inline void fixture_orbit(struct fixture *fixture, const char *re, const char *im,
                                 double log2_disc)
{
    struct orbit_options options = {.formula = fixture->spec.formula,
                                    .log2_step = fixture->numbers.log2_step,
                                    .radius = 100 * fixture->spec.bailout,
                                    .log2_disc = log2_disc};
    assert_int_equal(orbit_bits(fixture->numbers.log2_step, fixture->spec.limit, &options.bits),
                     STATUS_OK);
    if (options.formula.step >= FORMULA_STEPS || !formula_holomorphic(&options.formula))
        options.bits += ORBIT_FOLD_BITS;
    for (long bits = options.bits; bits; bits = orbit_bits_short(&fixture->orbit)) {
        orbit_destroy(&fixture->orbit);
        options.bits = bits;
        assert_int_equal(orbit_create(&fixture->orbit, &options, re, im), STATUS_OK);
        assert_int_equal(orbit_extend(&fixture->orbit, fixture->spec.limit), STATUS_OK);
    }
}

/* With the view's centre as its reference. */
static inline struct fixture fixture_open(const struct fixture_wanted *wanted)
{
    struct fixture fixture = {.view = {0}};
    assert_int_equal(view_set(&fixture.view, wanted->re, wanted->im, wanted->zoom,
                              wanted->rotation_deg, wanted->width, wanted->height),
                     STATUS_OK);
    assert_int_equal(view_numbers(&fixture.view, &fixture.numbers), STATUS_OK);
    fixture.grid = reference_grid(&fixture.numbers, 0, 0, wanted->width, wanted->height);
    fixture.spec = (struct spec){.limit = wanted->limit,
                                 .bailout = wanted->bailout > 0 ? wanted->bailout : 1024,
                                 .planes = PLANE_MASK_COUNT | PLANE_MASK_FRACTION,
                                 .count_bytes = 4,
                                 .number = wanted->fp32 ? NUMBER_FP32 : NUMBER_FP64,
                                 .formula = wanted->formula};
    double half = log2(hypot(wanted->width, wanted->height) / 2);
    fixture_orbit(&fixture, wanted->re, wanted->im,
                  wanted->no_nucleus ? -INFINITY : fixture.numbers.log2_step + half);
    return fixture;
}

static inline void fixture_close(struct fixture *fixture)
{
    view_destroy(&fixture->view);
    orbit_destroy(&fixture->orbit);
}

static inline struct deep fixture_deep(const struct fixture *fixture,
                                       const struct deep_options *options)
{
    struct deep deep;
    assert_int_equal(deep_open(&deep, options, &fixture->orbit, &fixture->spec, &fixture->grid),
                     STATUS_OK);
    return deep;
}

enum { INSTRUCTION_SETS = 3 }; /* the first is plain C, which is everywhere */

/* NULL where this machine has not got it. */
static inline const struct deep_kernels *instruction_set(int set)
{
#ifdef __x86_64__
    if (set == 1 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &deep_kernels_avx2;
    if (set == 2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
        return &deep_kernels_avx512;
#elif defined __aarch64__
    if (set == 1)
        return &deep_kernels_neon;
#endif
    return set ? NULL : &deep_kernels_scalar;
}

/* One pixel, with its derivative, all the way. */
static inline struct pixel_state fixture_pixel(const struct fixture *fixture,
                                               const struct deep *deep, int32_t x, int32_t y)
{
    double re, im;
    pixel_c(&fixture->grid, x, y, &re, &im);
    struct pixel_state pixel = pixel_begin(&deep->common, re, im);
    enum blocks blocks = deep->options.blocks;
    pixel_on(&pixel, &deep->common, blocks, 1, deep->common.exponent != 0, INT64_MAX);
    return pixel;
}

/* How far beside the pixel lies the point that was computed: |error of z_n| / |dz_n/dc|, pixels. */
static inline double fixture_error_px(const struct fixture *fixture, const struct deep *deep,
                                      const struct pixel_state *pixel, const struct truth *truth)
{
    struct complex_f64 z = pixel_reference(&deep->common, pixel->m);
    double error = hypot(z.x + pixel->delta.x - truth->z_re, z.y + pixel->delta.y - truth->z_im);
    return exp2(log2(error) - truth->log2_dz - fixture->numbers.log2_step);
}

/* For qsort. */
static inline int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

#endif
