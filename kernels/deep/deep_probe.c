#include "kernels/deep/deep_probe.h"

#include "kernels/deep/formula_pixel.h"
#include "kernels/deep/rational/henon_pixel.h"
#include "kernels/deep/rational/newton_kinds.h"
#include "kernels/escape/pixel.h"
#include "kernels/stop.h"

/* Blocks and steps between polls of the stop flag: about a millisecond. */
enum { STEPS_BETWEEN_STOPS = 1 << 12 };

static struct pixel_state pixel_all(const struct deep *deep, const struct pixel_common *common,
                                    struct complex_f64 c)
{
    struct pixel_state pixel = pixel_begin(common, c.x, c.y);
    while (!pixel_on(&pixel, common, deep->options.blocks, 0, common->exponent != 0,
                     STEPS_BETWEEN_STOPS))
        if (stop_asked(deep->options.stop))
            break;
    return pixel;
}

static struct formula_pixel formula_all(const struct deep *deep,
                                        const struct formula_common *common, struct complex_f64 c)
{
    struct formula_pixel pixel = formula_begin(common, c.x, c.y);
    while (!formula_on(&pixel, common, deep->options.blocks, 0, common->shared.exponent != 0,
                       STEPS_BETWEEN_STOPS, NULL))
        if (stop_asked(deep->options.stop))
            break;
    formula_finish(&pixel, common, 0);
    return pixel;
}

static struct formula_pixel_f32 formula_late_all(const struct deep *deep,
                                                 const struct formula_common_f32 *common,
                                                 struct complex_f64 c)
{
    struct formula_pixel_f32 pixel = formula_begin_f32(common, &deep->common, c.x, c.y);
    while (!formula_on_f32(&pixel, common, deep->options.blocks, 0, 1, STEPS_BETWEEN_STOPS, NULL))
        if (stop_asked(deep->options.stop))
            break;
    formula_finish_f32(&pixel, common, 0);
    return pixel;
}

/* As late_probe. */
static struct deep_probe formula_late_probe(const struct deep *deep, struct complex_f64 c,
                                            int64_t at)
{
    struct formula_common_f32 common = *deep->formula_f32;
    struct formula_pixel_f32 pixel = formula_late_all(deep, &common, c);
    int64_t count = pixel.at.count;
    if (at > 0 && pixel.at.n != at) {
        common.shared.limit = at;
        common.shared.bailout_squared = common.shared.direct.bailout_squared = INFINITY;
        common.far = INFINITY;
        pixel = formula_late_all(deep, &common, c);
    }
    struct complex_f64 z = {0, 0};
    if (!pixel.at.direct)
        z = point_load(&deep->formula->reference[pixel.reference].z[pixel.at.m]);
    const struct complex_f64 delta = {(double)pixel.at.delta.x, (double)pixel.at.delta.y};
    z = complex_add(z, wide_power(pixel.at.e), delta);
    return (struct deep_probe){.count = count, .z_re = z.x + deep->formula->begins, .z_im = z.y};
}

static struct deep_probe formula_probe(const struct deep *deep, struct complex_f64 c, int64_t at)
{
    if (deep->formula_f32)
        return formula_late_probe(deep, c, at);
    struct formula_common common = *deep->formula;
    struct formula_pixel pixel = formula_all(deep, &common, c);
    int64_t count = pixel.at.count;
    if (at > 0 && pixel.at.n != at) {
        common.shared.limit = at;
        common.shared.bailout_squared = common.shared.direct.bailout_squared = INFINITY;
        common.far = INFINITY;
        pixel = formula_all(deep, &common, c);
    }
    struct complex_f64 z =
        pixel.at.direct ? (struct complex_f64){0, 0} : formula_point(&common, &pixel);
    z = complex_add(z, wide_power(pixel.at.e), pixel.at.delta);
    return (struct deep_probe){.count = count, .z_re = z.x + common.begins, .z_im = z.y};
}

static struct newton_pixel newton_all(const struct deep *deep, const struct newton_common *common,
                                      struct complex_f64 point)
{
    struct newton_pixel pixel = newton_kind_begin(common, point.x, point.y, common->kind);
    while (!newton_kind_on(&pixel, common, deep->options.blocks, 0, STEPS_BETWEEN_STOPS, NULL,
                           common->kind))
        if (stop_asked(deep->options.stop))
            break;
    return pixel;
}

/* z_n, however it came there; 0 where doubles do not hold it. */
static struct complex_f64 newton_at(const struct deep *deep, struct newton_common *common,
                                    struct complex_f64 point, int64_t n)
{
    common->shared.limit = n;
    common->shared.bailout_squared = INFINITY;
    struct newton_pixel pixel = newton_all(deep, common, point);
    struct complex_wide z = pixel.delta;
    if (!pixel.direct)
        z = wide_add(z, newton_point(&common->reference[pixel.reference], pixel.m).wide);
    struct complex_f64 plain = newton_double(z);
    plain.x += common->kind == KIND_MAGNET; /* whose orbits are of z - 1 */
    return plain;
}

static struct deep_probe newton_probe(const struct deep *deep, struct complex_f64 point, int64_t at)
{
    struct newton_common common = *deep->newton;
    struct newton_pixel pixel = newton_all(deep, &common, point);
    int64_t n = at > 0 ? at : pixel.n;
    struct complex_f64 z = newton_at(deep, &common, point, n);
    struct complex_f64 last = newton_at(deep, &common, point, n - 1);
    return (struct deep_probe){pixel.count, z.x, z.y, last.x, last.y};
}

static struct henon_pixel henon_all(const struct deep *deep, const struct henon_common *common,
                                    struct complex_f64 point)
{
    struct henon_pixel pixel = henon_begin(common, point.x, point.y);
    while (!henon_on(&pixel, common, deep->options.blocks, 0, STEPS_BETWEEN_STOPS))
        if (stop_asked(deep->options.stop))
            break;
    return pixel;
}

static struct deep_probe henon_probe(const struct deep *deep, struct complex_f64 point, int64_t at)
{
    struct henon_common common = *deep->henon;
    struct henon_pixel pixel = henon_all(deep, &common, point);
    int64_t count = pixel.count;
    if (at > 0 && pixel.n != at) {
        common.shared.limit = at; /* no block goes beyond it */
        common.shared.bailout_squared = INFINITY;
        pixel = henon_all(deep, &common, point);
    }
    struct complex_f64 z = complex_scale(wide_power(pixel.e), pixel.v.now);
    if (!pixel.direct)
        z = complex_add(z, 1, henon_point(&common, pixel.m));
    return (struct deep_probe){.count = count, .z_re = z.x, .z_im = z.y};
}

static struct pixel_state_f32 late_all(const struct deep *deep, const struct pixel_common_f32 *late,
                                       struct complex_f64 c)
{
    struct pixel_state_f32 pixel = late_begin(&deep->common, late, c.x, c.y);
    while (!pixel_on_f32(&pixel, late, deep->options.blocks, 0, 1, STEPS_BETWEEN_STOPS))
        if (stop_asked(deep->options.stop))
            break;
    return pixel;
}

static struct deep_probe late_probe(const struct deep *deep, struct complex_f64 c, int64_t at)
{
    struct pixel_common_f32 late = deep->late;
    struct pixel_state_f32 pixel = late_all(deep, &late, c);
    int64_t count = pixel.count;
    if (at > 0 && pixel.n != at) {
        late.limit = at;
        late.bailout_squared = late.direct.bailout_squared = INFINITY;
        pixel = late_all(deep, &late, c);
    }
    /* The point of the reference is rounded to a float for tests of z alone, not for delta. */
    struct complex_f64 z = pixel_reference(&deep->common, pixel.m);
    const struct complex_f64 delta = {(double)pixel.delta.x, (double)pixel.delta.y};
    z = complex_add(z, wide_power(pixel.e), delta);
    return (struct deep_probe){.count = count, .z_re = z.x, .z_im = z.y};
}

static struct deep_probe quadratic_probe(const struct deep *deep, struct complex_f64 c, int64_t at)
{
    if (deep->late.z)
        return late_probe(deep, c, at);
    struct pixel_common common = deep->common;
    struct pixel_state pixel = pixel_all(deep, &common, c);
    int64_t count = pixel.count;
    if (at > 0 && pixel.n != at) {
        common.limit = at; /* no block goes beyond it, so z_at is met */
        common.bailout_squared = common.direct.bailout_squared = INFINITY;
        pixel = pixel_all(deep, &common, c);
    }
    struct complex_f64 z = pixel_reference(&common, pixel.m);
    z = complex_add(z, wide_power(pixel.e), pixel.delta);
    return (struct deep_probe){.count = count, .z_re = z.x, .z_im = z.y};
}

static struct deep_probe (*const probes[DEEP_FAMILIES])(const struct deep *deep,
                                                        struct complex_f64 point, int64_t at) = {
    [DEEP_QUADRATIC] = quadratic_probe, [DEEP_LISTS] = formula_probe, [DEEP_NEWTON] = newton_probe,
    [DEEP_REBASING] = newton_probe,     [DEEP_HENON] = henon_probe,
};

struct deep_probe deep_probe(const struct deep *deep, const struct grid *grid, int32_t x, int32_t y,
                             int64_t at)
{
    struct complex_f64 point;
    pixel_c(grid, x, y, &point.x, &point.y);
    return probes[deep->family](deep, point, at);
}
