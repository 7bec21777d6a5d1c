/* The count of one pixel by direct iteration, the plain way: every step tested, no short-cuts.
 *
 * This is the definition that every faster kernel is held against, bit for bit. */
#ifndef TESTS_KERNELS_PLAIN_PIXEL_H
#define TESTS_KERNELS_PLAIN_PIXEL_H

#include "kernels/escape/lanes_ds.h"
#include "kernels/escape/quadratic.h"

struct plain_pixel {
    int64_t count; /* smallest n >= 1 with |z_n| > R; 0: not escaped within the limit */
    float norm;    /* |z_count|^2 rounded to fp32; 0 if not escaped */
};

/* plain_orbit_*: from z_0 = (x, y); plain_pixel_*: from 0. */
#define PLAIN_PIXEL(p, real)                                                                      \
    ESCAPE_FN struct plain_pixel plain_orbit_##p(real x, real y, real cx, real cy, int64_t limit, \
                                                 real bailout)                                    \
    {                                                                                             \
        struct plain_pixel pixel = {0, 0.0f};                                                     \
        real bailout_squared = bailout * bailout;                                                 \
        for (int64_t n = 1; n <= limit && n > 0; n++) {                                           \
            QUADRATIC_STEP(p, x, y, cx, cy);                                                      \
            real norm = QUADRATIC_NORM(p, x, y);                                                  \
            if (!p##_le(norm, bailout_squared)) {                                                 \
                pixel.count = n;                                                                  \
                pixel.norm = (float)norm;                                                         \
                break;                                                                            \
            }                                                                                     \
        }                                                                                         \
        return pixel;                                                                             \
    }                                                                                             \
    ESCAPE_FN struct plain_pixel plain_pixel_##p(real cx, real cy, int64_t limit, real bailout)   \
    {                                                                                             \
        return plain_orbit_##p(0, 0, cx, cy, limit, bailout);                                     \
    }

PLAIN_PIXEL(f64x1, double)
PLAIN_PIXEL(f32x1, float)

#undef PLAIN_PIXEL

/* In double-single, from z_0 = (x, y), all of which are doubles. */
ESCAPE_FN struct plain_pixel plain_orbit_ds(double x, double y, double cx, double cy, int64_t limit,
                                            double bailout)
{
    struct plain_pixel pixel = {0, 0.0f};
    struct ds32x1 re = ds_of(x), im = ds_of(y), most = ds_bailout_squared(bailout);
    for (int64_t n = 1; n <= limit && n > 0; n++) {
        ds32x1_step(&re, &im, ds_of(cx), ds_of(cy));
        struct ds32x1 norm = ds32x1_norm(re, im);
        if (!ds32x1_le(norm, most)) {
            pixel.count = n;
            pixel.norm = norm.hi;
            break;
        }
    }
    return pixel;
}

#endif
