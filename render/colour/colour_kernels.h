/* The inner loops of colouring, compiled for several instruction sets, all with the same bits: see
 * colour_body.h. For colour*.c only. */
#ifndef RENDER_COLOUR_COLOUR_KERNELS_H
#define RENDER_COLOUR_COLOUR_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "render/colour/samples.h"

enum { COLOUR_BLOCK = 256 }; /* pixels at once: 10 kB of positions and colours, stays in L1 */

/* The transfer function: straight lines between SEGMENTS points per octave: the curve bends by 0.24
 * of its value there, so the error is below 65535 * 0.24 / (8 * 1024^2) = 0.002 of a 16-bit step.
 * Below 2^-9, where the curve is itself straight up to 0.0031308, one segment reaches down to 0. */
enum {
    TRANSFER_OCTAVES = 9,
    TRANSFER_SEGMENTS = 1024,
    TRANSFER_ENTRIES = TRANSFER_OCTAVES * TRANSFER_SEGMENTS + 1,
    TRANSFER_SHIFT = 23 - 10 /* SEGMENTS = 2^10 */
};
#define TRANSFER_FIRST ((127 - TRANSFER_OCTAVES) << 23) /* bits of 2^-OCTAVES as a float */
#define TRANSFER_BELOW 12.92f                           /* slope of the straight part */

struct transfer_point {
    float value, rise; /* sRGB value of light i; rise to that of i + 1 */
};

/* Pixels of a block, for its dither: x, x + dx, ... of row y. */
struct dither_pixels {
    uint32_t x, dx, y;
};

/* Lines of light and of the mean, as light_add_lines has them; all in values, 3 a pixel. */
struct colour_lines {
    const float *own, *other;
    float *mean;
    ptrdiff_t stride, mean_stride;
    int32_t count, length; /* number of lines, and length of each */
};

/* Arrays of n are COLOUR_BLOCK long, but for those of fields, `out` and the mean: elements behind n
 * are read and written too. */
struct colour_kernels {
    /* Continuous counts of n samples; 1 where the count is 0. */
    void (*continuous_32)(const uint32_t *count, const float *fraction, int n, double *nu);
    void (*continuous_64)(const uint64_t *count, const float *fraction, int n, double *nu);
    /* Positions in the palette by density. */
    void (*law)(double density, double offset, const double *nu, int n, double *position);
    /* Positions in the palette by a curve. */
    void (*curve)(const struct curve *curve, double offset, const double *nu, int n,
                  double *position);
    /* Linear light at positions in a palette's table, red, green, blue, 0. */
    void (*light)(const float (*table)[4], const double *position, int n, float (*light)[4]);
    /* Colours at positions in a table of sRGB values, 0 ... 255, dithered: 0xffRRGGBB. */
    void (*colours)(const float (*table)[4], const double *position, int n,
                    const struct dither_pixels *pixels, uint32_t *out);
    /* Shades light in place by distances in pixels. */
    void (*shade)(const struct shade *shade, const float *dx, const float *dy, int n,
                  float (*light)[4]);
    /* Encodes light as sRGB values, dithered. */
    void (*encode)(const struct transfer_point *transfer, const float (*light)[4], int n,
                   const struct dither_pixels *pixels, uint32_t *out);
    /* Adds a sample, not the first, to the mean of those before it. */
    void (*average)(const struct sample_share *share, const struct colour_lines *lines);
};

/* Kernels for the widest instruction set of this machine. */
const struct colour_kernels *colour_kernels_best(void);

extern const struct colour_kernels colour_kernels_plain;
#ifdef __x86_64__
extern const struct colour_kernels colour_kernels_avx2, colour_kernels_avx512;
#endif

#endif
