#include "kernels/deep/deep_probe.h"

#include "kernels/deep/pixel_wide.h"
#include "kernels/escape/pixel.h"

/* Blocks and steps between looks at the stop flag. */
enum { STEPS_BETWEEN_STOPS = 1 << 16 };

/* The counts of kernels made for one case are those of one that looks it up. */
static int pixel_some(struct pixel_state *pixel, const struct pixel_common *common,
                      enum blocks blocks)
{
    return pixel_on(pixel, common, blocks, 0, common->exponent != 0, STEPS_BETWEEN_STOPS);
}

static struct pixel_state pixel_all(const struct deep *deep, const struct pixel_common *common,
                                    struct complex_f64 c)
{
    const volatile int *stop = deep->options.stop;
    struct pixel_state pixel = pixel_begin(common, c.x, c.y);
    while (!pixel_some(&pixel, common, deep->options.blocks))
        if (stop && __atomic_load_n(stop, __ATOMIC_RELAXED))
            break;
    return pixel;
}

struct deep_probe deep_probe(const struct deep *deep, const struct grid *grid, int32_t x, int32_t y,
                             int64_t at)
{
    struct pixel_common common = deep->common;
    struct complex_f64 c;
    pixel_c(grid, x, y, &c.x, &c.y);
    struct pixel_state pixel = pixel_all(deep, &common, c);
    int64_t count = pixel.count;
    if (at > 0 && pixel.n != at) {
        common.limit = at; /* no block goes beyond it, so z_at is met */
        common.bailout_squared = common.direct.bailout_squared = INFINITY;
        pixel = pixel_all(deep, &common, c);
    }
    struct complex_f64 z = pixel_reference(&common, pixel.m);
    z = complex_add(z, wide_power(pixel.e), pixel.delta);
    return (struct deep_probe){count, z.x, z.y};
}
