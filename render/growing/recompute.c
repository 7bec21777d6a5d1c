#include "render/growing/recompute.h"

#include "kernels/deep/deep_probe.h"
#include "kernels/formula/rational_end.h"
#include "kernels/escape/lanes_ds.h"
#include "kernels/escape/quadratic.h"
#include "kernels/escape/pixel.h"

/* Direct iteration. A state that returns bit for bit never escapes (found by Brent's method). of,
 * value: a real of a double, and a double of a real. */
#define ITERATE(p, real, of, value, square, STEP, NORM)                                 \
    static struct recomputed iterate_##p(const struct spec *spec, double re, double im, \
                                         int64_t at)                                    \
    {                                                                                   \
        struct recomputed pixel = {0};                                                  \
        const struct formula *formula = &spec->formula;                                 \
        int julia = formula->plane == DYNAMIC_PLANE;                                    \
        real x = of(julia ? re : 0), y = of(julia ? im : 0), kept_x = x, kept_y = y;    \
        real cx = of(julia ? formula->c_re : re), cy = of(julia ? formula->c_im : im);  \
        real bailout_squared = square(spec->bailout);                                   \
        int64_t keep_at = 64, most = spec->limit;                                       \
        for (int64_t n = 1; n <= most; n++) {                                           \
            STEP(p, x, y, cx, cy);                                                      \
            if (n == at) {                                                              \
                pixel.z_re = value(x);                                                  \
                pixel.z_im = value(y);                                                  \
            }                                                                           \
            if (!pixel.count && !p##_le(NORM(p, x, y), bailout_squared)) {              \
                pixel.count = n;                                                        \
                most = at;                                                              \
            }                                                                           \
            if (n > at && p##_eq(x, kept_x) && p##_eq(y, kept_y))                       \
                break;                                                                  \
            if (n == keep_at) {                                                         \
                kept_x = x;                                                             \
                kept_y = y;                                                             \
                keep_at *= 2;                                                           \
            }                                                                           \
        }                                                                               \
        return pixel;                                                                   \
    }

#define SQUARE_F64(bailout) ((bailout) * (bailout))
#define SQUARE_F32(bailout) ((float)(bailout) * (float)(bailout))
#define STEP_DS(p, x, y, cx, cy) p##_step(&(x), &(y), cx, cy)
#define NORM_DS(p, x, y) p##_norm(x, y)
ITERATE(f64x1, double, (double), (double), SQUARE_F64, QUADRATIC_STEP, QUADRATIC_NORM)
ITERATE(f32x1, float, (float), (double), SQUARE_F32, QUADRATIC_STEP, QUADRATIC_NORM)
ITERATE(ds32x1, struct ds32x1, ds_of, ds_value, ds_bailout_squared, STEP_DS, NORM_DS)

static struct recomputed iterate_quadratic(const struct spec *spec, double re, double im,
                                           int64_t at)
{
    switch (spec->number) {
    case NUMBER_FP32:
        return iterate_f32x1(spec, re, im, at);
    case NUMBER_DS:
        return iterate_ds32x1(spec, re, im, at);
    default:
        return iterate_f64x1(spec, re, im, at);
    }
}

/* Iterates lists of operations: a state is z and the phase. */
static struct recomputed iterate_formula(const struct spec *spec, double re, double im, int64_t at)
{
    struct recomputed pixel = {0};
    const struct formula *formula = &spec->formula;
    bool julia = formula->plane == DYNAMIC_PLANE;
    double x = julia ? re : 0, y = julia ? im : 0, kept_x = x, kept_y = y;
    double cx = julia ? formula->c_re : re, cy = julia ? formula->c_im : im;
    int64_t keep_at = 64, kept_at = 0, most = spec->limit;
    for (int64_t n = 1; n <= most; n++) {
        formula_iterate(formula, n - 1, &x, &y, cx, cy);
        if (n == at) {
            pixel.z_re = x;
            pixel.z_im = y;
        }
        if (!pixel.count && !(fma(x, x, y * y) <= spec->bailout * spec->bailout)) {
            pixel.count = n;
            most = at;
        }
        if (n > at && x == kept_x && y == kept_y && (n - kept_at) % formula_phases(formula) == 0)
            break;
        if (n == keep_at) {
            kept_x = x;
            kept_y = y;
            kept_at = n;
            keep_at *= 2;
        }
    }
    return pixel;
}

/* Iterates a formula that divides or converges: a state is z_n and z_(n-1). */
static struct recomputed iterate_rational(const struct spec *spec, double re, double im, int64_t at)
{
    struct recomputed pixel = {0};
    const struct rational_kind *kind = rational_kind(&spec->formula);
    struct rational_begin begin = rational_begin(&spec->formula, re, im);
    struct rational_state z = begin.z, kept = z;
    int64_t keep_at = 64, most = spec->limit;
    for (int64_t n = 1; n <= most; n++) {
        kind->step(&z, begin.cx, begin.cy);
        if (n == at)
            pixel = (struct recomputed){pixel.count, z.x, z.y, z.last_x, z.last_y};
        enum rational_over over =
            pixel.count ? OVER_NOT : rational_over(&kind->rule, &z, spec->bailout);
        if (over == OVER_NEVER)
            break;
        if (over != OVER_NOT) {
            pixel.count = n;
            most = at;
        }
        if (n > at && z.x == kept.x && z.y == kept.y && z.last_x == kept.last_x &&
            z.last_y == kept.last_y)
            break;
        if (n == keep_at) {
            kept = z;
            keep_at *= 2;
        }
    }
    return pixel;
}

static struct recomputed (*const iterate[FORMULA_FAMILIES])(const struct spec *spec, double re,
                                                            double im, int64_t at) = {
    [FAMILY_QUADRATIC] = iterate_quadratic,
    [FAMILY_LISTS] = iterate_formula,
    [FAMILY_RATIONAL] = iterate_rational,
};

static struct recomputed pixel_direct(const struct recompute *picture, int32_t x, int32_t y,
                                      int64_t at)
{
    struct grid grid = view_grid(&picture->numbers, x, y, 1, 1);
    double re, im;
    pixel_c(&grid, x, y, &re, &im);
    return iterate[formula_family(&picture->spec.formula)](&picture->spec, re, im, at);
}

static struct recomputed pixel_deep(const struct recompute *picture, int32_t x, int32_t y,
                                    int64_t at)
{
    struct grid grid = reference_grid(&picture->numbers, x, y, 1, 1);
    struct deep_probe probe = deep_probe(&picture->deep, &grid, x, y, at);
    return (struct recomputed){probe.count, probe.z_re, probe.z_im, probe.last_re, probe.last_im};
}

enum status recompute_open(struct recompute *picture, const struct view *view,
                           const struct spec *spec, enum method method,
                           const struct kept_reference *kept, const volatile int *stop)
{
    *picture = (struct recompute){.spec = *spec, .pixel = pixel_direct};
    TRY(view_numbers(view, &picture->numbers));
    if (method == METHOD_DIRECT)
        return STATUS_OK;
    struct reference_hooks hooks = {.stop = stop};
    picture->pixel = pixel_deep;
    return reference_deep(&kept->reference, &picture->deep, &picture->numbers, spec, &kept->request,
                          &hooks);
}

struct recomputed recompute_pixel(const struct recompute *picture, int32_t x, int32_t y, int64_t at)
{
    return picture->pixel(picture, x, y, at);
}

void recompute_close(struct recompute *picture)
{
    deep_close(&picture->deep);
    *picture = (struct recompute){0};
}
