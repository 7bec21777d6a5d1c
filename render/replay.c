#include "render/replay.h"

#include "kernels/deep/deep_probe.h"
#include "kernels/escape/quadratic.h"
#include "kernels/escape/pixel.h"

/* Direct iteration. A state that comes back bit for bit never escapes (Brent's method finds it). */
#define REPLAY(p, real)                                                                         \
    static struct replay iterate_##p(const struct spec *spec, double re, double im, int64_t at) \
    {                                                                                           \
        struct replay replay = {0, 0, 0};                                                       \
        const struct formula *formula = &spec->formula;                                         \
        int julia = formula->plane == DYNAMIC_PLANE;                                            \
        real x = julia ? (real)re : 0, y = julia ? (real)im : 0, kept_x = x, kept_y = y;        \
        real cx = (real)(julia ? formula->c_re : re), cy = (real)(julia ? formula->c_im : im);  \
        real bailout = (real)spec->bailout;                                                     \
        int64_t keep_at = 64, most = spec->limit;                                               \
        for (int64_t n = 1; n <= most; n++) {                                                   \
            QUADRATIC_STEP(p, x, y, cx, cy);                                                    \
            if (n == at) {                                                                      \
                replay.z_re = (double)x;                                                        \
                replay.z_im = (double)y;                                                        \
            }                                                                                   \
            if (!replay.count && !(QUADRATIC_NORM(p, x, y) <= bailout * bailout)) {             \
                replay.count = n;                                                               \
                most = at;                                                                      \
            }                                                                                   \
            if (n > at && x == kept_x && y == kept_y)                                           \
                break;                                                                          \
            if (n == keep_at) {                                                                 \
                kept_x = x;                                                                     \
                kept_y = y;                                                                     \
                keep_at *= 2;                                                                   \
            }                                                                                   \
        }                                                                                       \
        return replay;                                                                          \
    }

REPLAY(f64x1, double)
REPLAY(f32x1, float)

static struct replay pixel_fp64(const struct replayer *replayer, int32_t x, int32_t y, int64_t at)
{
    struct grid grid = view_grid(&replayer->numbers, x, y, 1, 1);
    double re, im;
    pixel_c(&grid, x, y, &re, &im);
    return iterate_f64x1(&replayer->spec, re, im, at);
}

static struct replay pixel_fp32(const struct replayer *replayer, int32_t x, int32_t y, int64_t at)
{
    struct grid grid = view_grid(&replayer->numbers, x, y, 1, 1);
    double re, im;
    pixel_c(&grid, x, y, &re, &im);
    return iterate_f32x1(&replayer->spec, re, im, at);
}

static struct replay pixel_deep(const struct replayer *replayer, int32_t x, int32_t y, int64_t at)
{
    struct grid grid = reference_grid(&replayer->numbers, x, y, 1, 1);
    struct deep_probe probe = deep_probe(&replayer->deep, &grid, x, y, at);
    return (struct replay){probe.count, probe.z_re, probe.z_im};
}

enum status replayer_open(struct replayer *replayer, const struct view *view,
                          const struct spec *spec, const struct plan *plan, enum blocks blocks,
                          const struct world *world, const volatile int *stop)
{
    *replayer = (struct replayer){.spec = *spec,
                                  .pixel = spec->number == NUMBER_FP64 ? pixel_fp64 : pixel_fp32};
    TRY(view_numbers(view, &replayer->numbers));
    if (plan->method == METHOD_DIRECT)
        return STATUS_OK;
    replayer->pixel = pixel_deep;
    struct reference_wish wish = {.accuracy_px = plan->accuracy_px, .blocks = blocks};
    struct reference_hooks hooks = {.stop = stop};
    TRY(reference_make(&replayer->reference, view, &replayer->numbers, spec, world, NULL, &hooks));
    TRY(reference_settle(&replayer->reference, &replayer->numbers, spec, &wish, &hooks));
    return reference_deep(&replayer->reference, &replayer->deep, &replayer->numbers, spec, &wish,
                          &hooks);
}

struct replay replay_pixel(const struct replayer *replayer, int32_t x, int32_t y, int64_t at)
{
    return replayer->pixel(replayer, x, y, at);
}

void replayer_close(struct replayer *replayer)
{
    deep_close(&replayer->deep);
    reference_close(&replayer->reference);
    *replayer = (struct replayer){0};
}
