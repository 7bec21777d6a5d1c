/* What do the conformance suites of the list of backends share? A place to compute, the plain
 * kernel's answer, and the rows that can run here. */
#ifndef TESTS_KERNELS_BACKEND_ROWS_H
#define TESTS_KERNELS_BACKEND_ROWS_H

#include "tests/support/check.h"

#include <stdio.h>
#include <string.h>

#include "kernels/backend.h"
#include "kernels/escape/attractor.h"
#include "tests/kernels/plain_pixel.h"
#include "kernels/escape/distance.h"
#include "kernels/escape/orbit_sums.h"
#include "kernels/escape/phase.h"
#include "kernels/escape/pixel.h"
#include "kernels/formula/rational_end.h"

struct place {
    const char *name;
    double re, im, height, angle_rad;
    int32_t width, height_px;
    int64_t limit;
    double bailout;
};

static inline struct grid grid_of(const struct place *place)
{
    double step = place->height / place->height_px;
    return (struct grid){.centre_re = place->re,
                         .centre_im = place->im,
                         .centre_re_lo = 1e-18,
                         .centre_im_lo = -1e-18,
                         .step_re = step * cos(place->angle_rad),
                         .step_im = step * sin(place->angle_rad),
                         /* some of all are stretched, and mirrored */
                         .down_x = place->height_px % 3 ? 0 : 0.375,
                         .down_y =
                             (place->height_px % 3 ? 1 : 0.75) * (place->height_px % 2 ? -1 : 1),
                         .half_width = place->width / 2.0,
                         .half_height = place->height_px / 2.0,
                         .width = place->width,
                         .height = place->height_px};
}

/* Any formula, in fp64; the norm is |z_count|^2 in whole. */
static inline double plain_formula(const struct spec *spec, double x, double y, double cx,
                                   double cy, int64_t *count)
{
    for (*count = 1; *count <= spec->limit; ++*count) {
        formula_iterate(&spec->formula, *count - 1, &x, &y, cx, cy);
        double norm = fma(x, x, y * y);
        if (!(norm <= spec->bailout * spec->bailout))
            return norm;
    }
    *count = 0;
    return 0;
}

/* A formula that divides or converges. */
struct plain_rational {
    int64_t count;
    struct rational_values values;
};

static inline struct plain_rational plain_rational(const struct spec *spec, const struct grid *grid,
                                                   double re, double im)
{
    const struct formula *formula = &spec->formula;
    const struct rational_kind *kind = rational_kind(formula);
    struct rational_begin begin = rational_begin(formula, re, im);
    struct rational_slope s = {begin.z, formula->plane == DYNAMIC_PLANE, 0, 0, 0};
    double before = rational_before(&kind->rule, begin.z.x, begin.z.y), x, y;
    for (int64_t n = 1; n <= spec->limit; n++) {
        kind->slope(&s, begin.cx, begin.cy, formula->plane == PARAMETER_PLANE);
        enum rational_over over = rational_over(&kind->rule, &s.z, spec->bailout);
        if (over == OVER_FAR || over == OVER_NEAR)
            return (struct plain_rational){n, rational_values(&kind->rule, over, &s, before,
                                                              begin.cx, begin.cy, spec->bailout,
                                                              grid->step_re, grid->step_im, 1)};
        rational_rest(&kind->rule, &s.z, &x, &y);
        before = fma(x, x, y * y);
    }
    return (struct plain_rational){0, {0, {0, 0}, 0}};
}

static inline struct plain_pixel plain(const struct spec *spec, double re, double im)
{
    const struct formula *formula = &spec->formula;
    if (formula_rational(formula)) {
        struct plain_rational is =
            plain_rational(spec, &(struct grid){.step_re = 1, .down_y = 1}, re, im);
        return (struct plain_pixel){is.count, is.values.fraction};
    }
    int julia = formula->plane == DYNAMIC_PLANE;
    double x = julia ? re : 0, y = julia ? im : 0;
    double cx = julia ? formula->c_re : re, cy = julia ? formula->c_im : im;
    if (!formula_quadratic(formula)) {
        struct plain_pixel pixel = {0, 0};
        double norm = plain_formula(spec, x, y, cx, cy, &pixel.count);
        if (pixel.count) {
            double base = formula_fraction_base(formula, pixel.count, spec->bailout);
            pixel.norm = fraction_of_degree(norm, fraction_scale(spec->bailout, base));
        }
        return pixel;
    }
    if (spec->number == NUMBER_FP64)
        return plain_orbit_f64x1(x, y, cx, cy, spec->limit, spec->bailout);
    if (spec->number == NUMBER_DS)
        return plain_orbit_ds(x, y, cx, cy, spec->limit, spec->bailout);
    return plain_orbit_f32x1((float)x, (float)y, (float)cx, (float)cy, spec->limit,
                             (float)spec->bailout);
}

/* Instructions for fma() where the processor has them: the C library's function takes several times
 * as long, for the same bits. */
#if defined __x86_64__ && defined __GNUC__ && !defined __clang__ && !defined __SANITIZE_ADDRESS__
#define FMA_CLONES __attribute__((flatten, target_clones("fma", "default")))
#else
#define FMA_CLONES
#endif

/* What the plain kernel says of each pixel of a grid; the caller frees it. */
FMA_CLONES static inline struct plain_pixel *plain_pixels(const struct spec *spec,
                                                          const struct grid *grid)
{
    struct plain_pixel *pixels = calloc((size_t)grid->width * (size_t)grid->height, sizeof *pixels);
    assert_non_null(pixels);
    for (int32_t y = 0; y < grid->height; y++)
        for (int32_t x = 0; x < grid->width; x++) {
            double re, im;
            pixel_c(grid, grid->x + x, grid->y + y, &re, &im);
            pixels[(size_t)y * (size_t)grid->width + (size_t)x] = plain(spec, re, im);
        }
    return pixels;
}

static inline void compare_pixels(const char *row, const struct place *place,
                                  const struct spec *spec, const struct plain_pixel *wanted,
                                  const struct field *field)
{
    double offset = fraction_offset(spec->bailout);
    size_t pixels = (size_t)field->width * (size_t)field->height;
    const float *got = field->plane[PLANE_FRACTION];
    for (size_t i = 0; i < pixels; i++) {
        float fraction = formula_quadratic(&spec->formula) ? fraction_of(wanted[i].norm, offset)
                                                           : wanted[i].norm;
        if (field_count_at(field, i) != (uint64_t)wanted[i].count ||
            (got && memcmp(&got[i], &fraction, sizeof fraction)))
            fail_msg("%s, %s, number %d, pixel %zu: count %llu, plain %lld", row, place->name,
                     (int)spec->number, i, (unsigned long long)field_count_at(field, i),
                     (long long)wanted[i].count);
    }
}

struct plain_end {
    struct distance distance;
    float phase, period, inside;
    struct orbit_values orbit;
};

/* Sums along the orbit of z^2 + c, step by step. */
static inline struct orbit_values plain_sums(const struct spec *spec, double zx, double zy,
                                             double cx, double cy, int64_t count)
{
    const struct f64x1_orbit_rule rule = f64x1_orbit_rule_of(spec);
    struct f64x1_orbit_sums sums = orbit_sums_begin();
    double c_abs = sqrt(fma(cx, cx, cy * cy));
    for (int64_t n = 0; n < count; n++) {
        struct f64x1_orbit_bounds bounds = f64x1_orbit_square(&rule, zx, zy, cx, cy, c_abs);
        QUADRATIC_STEP(f64x1, zx, zy, cx, cy);
        f64x1_orbit_add(&sums, &rule, bounds, zx, zy);
    }
    float norm = (float)QUADRATIC_NORM(f64x1, zx, zy);
    return orbit_values_of(&sums, count, spec->formula.plane == DYNAMIC_PLANE,
                           fraction_of(norm, fraction_offset(spec->bailout)));
}

/* The same for any list. */
static inline struct orbit_values plain_list_sums(const struct spec *spec, double zx, double zy,
                                                  double cx, double cy, int64_t count)
{
    const struct formula *formula = &spec->formula;
    const struct f64x1_orbit_rule rule = f64x1_orbit_rule_of(spec);
    struct f64x1_orbit_sums sums = orbit_sums_begin();
    double c_abs = sqrt(fma(cx, cx, cy * cy));
    for (int64_t n = 0; n < count; n++) {
        double wx = zx, wy = zy;
        formula_iterate(formula, n, &wx, &wy, 0, 0);
        double w_abs = sqrt(fma(wx, wx, wy * wy));
        struct f64x1_orbit_bounds bounds = f64x1_orbit_bounds_of(wx, wy, w_abs, cx, cy, c_abs);
        formula_iterate(formula, n, &zx, &zy, cx, cy);
        f64x1_orbit_add(&sums, &rule, bounds, zx, zy);
    }
    double base = formula_fraction_base(formula, count, spec->bailout);
    double fraction = fraction_of_degree(fma(zx, zx, zy * zy), fraction_scale(spec->bailout, base));
    return orbit_values_of(&sums, count, formula->plane == DYNAMIC_PLANE, fraction);
}

/* The same for any formula. */
static inline struct plain_end plain_formula_end(const struct spec *spec, const struct grid *grid,
                                                 double x, double y, int64_t count)
{
    const struct formula *formula = &spec->formula;
    int julia = formula->plane == DYNAMIC_PLANE;
    double cx = julia ? formula->c_re : x, cy = julia ? formula->c_im : y;
    struct formula_slope s = {julia ? x : 0, julia ? y : 0, julia, 0, 0, julia};
    for (int64_t n = 0; n < count; n++)
        formula_iterate_slope(formula, n, &s, cx, cy, !julia);
    double u = s.x_right, v = s.y_right;
    if (!formula_holomorphic(formula))
        distance_slope(s.x, s.y, s.x_up, s.y_up, &u, &v);
    struct plain_end end = {.phase = 0};
    if (count) {
        end.distance = distance_of(s.x, s.y, fma(u, grid->step_re, -(v * grid->step_im)),
                                   fma(u, grid->step_im, v * grid->step_re), 0);
        end.phase = phase_of(s.x, s.y);
        if (spec->planes & PLANE_MASK_ORBIT)
            end.orbit = plain_list_sums(spec, julia ? x : 0, julia ? y : 0, cx, cy, count);
    }
    return end;
}

/* z and dz step by step to the count, the plain way. */
static inline struct plain_end plain_end(const struct spec *spec, const struct grid *grid,
                                         int32_t x, int32_t y, int64_t count)
{
    const struct formula *formula = &spec->formula;
    int julia = formula->plane == DYNAMIC_PLANE;
    struct plain_end end = {.phase = 0};
    double re, im, u = julia, v = 0;
    pixel_c(grid, grid->x + x, grid->y + y, &re, &im);
    if (formula_rational(formula)) {
        struct rational_values values = plain_rational(spec, grid, re, im).values;
        return (struct plain_end){.distance = values.distance, .phase = values.phase};
    }
    if (!formula_quadratic(formula))
        return plain_formula_end(spec, grid, re, im, count);
    double cx = julia ? formula->c_re : re, cy = julia ? formula->c_im : im;
    double zx = julia ? re : 0, zy = julia ? im : 0;
    if (count && spec->planes & PLANE_MASK_ORBIT)
        end.orbit = plain_sums(spec, zx, zy, cx, cy, count);
    for (int64_t n = 0; n < count; n++) {
        double ux = fma(2 * zx, u, fma(-2 * zy, v, !julia)), x2 = fma(-zy, zy, cx);
        v = fma(2 * zx, v, 2 * zy * u);
        u = ux;
        zy = fma(2 * zx, zy, cy);
        zx = fma(zx, zx, x2);
    }
    if (!count) {
        struct attractor found = attractor_of(cx, cy, spec->limit);
        end.period = (float)found.period;
        if (found.period && !julia)
            end.inside = attractor_px(found.distance, grid);
        return end;
    }
    end.distance = distance_of(zx, zy, fma(u, grid->step_re, -(v * grid->step_im)),
                               fma(u, grid->step_im, v * grid->step_re), 0);
    end.phase = phase_of(zx, zy);
    return end;
}

/* Of each pixel of a grid, where `spec` wants more than fractions, else NULL; the caller frees it.
 */
FMA_CLONES static inline struct plain_end *
plain_ends(const struct spec *spec, const struct grid *grid, const struct plain_pixel *pixels)
{
    if (!(spec->planes & (PLANE_MASK_END | PLANE_MASK_ORBIT | PLANE_MASK_ATTRACTOR)))
        return NULL;
    struct plain_end *ends = calloc((size_t)grid->width * (size_t)grid->height, sizeof *ends);
    assert_non_null(ends);
    for (int32_t y = 0; y < grid->height; y++)
        for (int32_t x = 0; x < grid->width; x++) {
            size_t i = (size_t)y * (size_t)grid->width + (size_t)x;
            ends[i] = plain_end(spec, grid, x, y, pixels[i].count);
            ends[i].distance = distance_in_image(grid, ends[i].distance);
        }
    return ends;
}

static inline void compare_ends(const char *row, const struct place *place,
                                const struct plain_end *wanted, const struct field *field)
{
    size_t pixels = (size_t)field->width * (size_t)field->height;
    for (size_t i = 0; wanted && i < pixels; i++) {
        float want[PLANES] = {[PLANE_DISTANCE_X] = wanted[i].distance.x,
                              [PLANE_DISTANCE_Y] = wanted[i].distance.y,
                              [PLANE_PHASE] = wanted[i].phase,
                              [PLANE_PERIOD] = wanted[i].period,
                              [PLANE_INSIDE] = wanted[i].inside};
        memcpy(&want[PLANE_STRIPE], wanted[i].orbit.of, sizeof wanted[i].orbit.of);
        for (int p = PLANE_DISTANCE_X; p < PLANES; p++) {
            const float *got = field->plane[p];
            if (got && memcmp(&got[i], &want[p], sizeof *got))
                fail_msg("%s, %s, pixel %zu: %s %.9g, plain %.9g", row, place->name, i,
                         plane_kinds[p].name, (double)got[i], (double)want[p]);
        }
    }
}

static inline void compare_with_plain(const char *row, const struct place *place,
                                      const struct spec *spec, const struct grid *grid,
                                      const struct field *field)
{
    struct plain_pixel *wanted = plain_pixels(spec, grid);
    compare_pixels(row, place, spec, wanted, field);
    struct plain_end *ends = plain_ends(spec, grid, wanted);
    compare_ends(row, place, ends, field);
    free(ends);
    free(wanted);
}

/* The picture in interleaved tiles, every `parts`-th band in one, written through windows. */
static inline void compare_interleaved(const char *row, const struct place *place,
                                       const struct spec *spec, int32_t parts)
{
    struct backend *backend;
    struct backend_work work = {0};
    struct grid grid = grid_of(place);
    struct field whole;
    assert_int_equal(backend_open(&backend, row, &(struct backend_options){.threads = 2}),
                     STATUS_OK);
    assert_int_equal(field_create(&whole, grid.width, grid.height, spec->planes, spec->count_bytes),
                     STATUS_OK);
    for (int32_t k = 0; k < parts; k++) {
        struct grid part = grid;
        int32_t step = parts * GRID_BAND, left = grid.height - k * GRID_BAND;
        part.y = k * GRID_BAND;
        part.band = GRID_BAND;
        part.band_step = step;
        part.height = left / step * GRID_BAND;
        part.height += left % step < GRID_BAND ? left % step : GRID_BAND;
        struct field window =
            field_interleaved(&whole, part.y, part.height, part.band, part.band_step);
        assert_int_equal(backend_compute(backend, spec, &part, &window, &work), STATUS_OK);
    }
    compare_with_plain(row, place, spec, &grid, &whole);
    field_destroy(&whole);
    backend_close(backend);
}

/* The row computes `spec` on the place's grid and is held against the plain kernel. */
static inline void run_row(const char *row, const struct place *place, const struct spec *spec,
                           int threads, const struct plain_pixel *wanted,
                           const struct plain_end *ends)
{
    struct grid grid = grid_of(place);
    struct backend *backend;
    struct field field;
    struct backend_work work = {0};
    struct backend_options options = {.threads = threads};
    assert_int_equal(backend_open(&backend, row, &options), STATUS_OK);
    assert_int_equal(backend_threads(backend), threads);
    assert_int_equal(field_create(&field, grid.width, grid.height, spec->planes, spec->count_bytes),
                     STATUS_OK);
    memset(field.base, 0xa5,
           (size_t)grid.width * (size_t)grid.height *
               planes_bytes(spec->planes, spec->count_bytes));
    assert_int_equal(backend_compute(backend, spec, &grid, &field, &work), STATUS_OK);
    compare_pixels(row, place, spec, wanted, &field);
    compare_ends(row, place, ends, &field);
    assert_true(work.busy_s > 0);
    field_destroy(&field);
    backend_close(backend);
}

/* Rows that compute on a device of their own are a test case of their own, which can be skipped. */
static enum { ROWS_OF_CPU, ROWS_OF_DEVICES } rows_tested;

static inline const char *row_available(int number)
{
    const struct backend_kind *kind = backend_kinds[number];
    bool tested = (kind->memory != NULL) == (rows_tested == ROWS_OF_DEVICES);
    return tested && kind->devices() ? kind->name : NULL;
}

#define EACH_AVAILABLE_ROW(row)                      \
    for (int k_ = 0; k_ < backend_kinds_count; k_++) \
        for (const char *row = row_available(k_); row; row = NULL)

/* Every row that can run here; short-cuts change nothing of what the plain kernel says, so with and
 * without them if `spec` has them on and `both` is true. */
static inline void run_rows(const struct place *place, const struct spec *spec, int threads,
                            bool both)
{
    struct grid grid = grid_of(place);
    struct plain_pixel *wanted = plain_pixels(spec, &grid);
    struct plain_end *ends = plain_ends(spec, &grid, wanted);
    struct spec without = *spec;
    without.shortcuts = SHORTCUTS_OFF;
    EACH_AVAILABLE_ROW(row)
    {
        run_row(row, place, spec, threads, wanted, ends);
        if (both)
            run_row(row, place, &without, threads, wanted, ends);
    }
    free(ends);
    free(wanted);
}

static inline void run_place(const struct place *place, enum number number, int threads,
                             enum shortcuts shortcuts, unsigned planes, int count_bytes)
{
    struct spec spec = {.limit = place->limit,
                        .bailout = place->bailout,
                        .planes = planes,
                        .count_bytes = count_bytes,
                        .number = number,
                        .shortcuts = shortcuts};
    run_rows(place, &spec, threads, false);
}

static inline const char *first_row(void)
{
    EACH_AVAILABLE_ROW(row)
    return row;
    return NULL;
}

enum { SKIPPED = 77 }; /* CTest takes this exit code as "skipped" */

/* Reads the arguments of a suite's program: none, or "gpu". Is there a row to test? */
static inline bool rows_choose(int argc, char **argv)
{
    rows_tested = argc > 1 && !strcmp(argv[1], "gpu") ? ROWS_OF_DEVICES : ROWS_OF_CPU;
    return first_row();
}

#endif
