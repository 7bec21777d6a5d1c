/* The points of a pixel at which the field is computed, and the mean of their colours.
 *
 * Sample s is the whole field with its grid moved by sample_offset(s): the same for all pixels, so
 * that the samples of a picture are a dense, even set of points of the plane, and a pixel uses
 * those of its neighbours as well. Its colour is the mean of all samples within 1 px in each
 * direction, in linear light, with the weight
 *     w(x, y) = f(x) f(y),   f(t) = 1 - |t|.
 * So every sample has the same share, exactly, between the two pixels that it lies between in each
 * direction. The transform of f is zero at all whole numbers of cycles per pixel, where aliases
 * become slow moire; it keeps 0.41 at half a cycle, and at most 0.05 of all beyond 1. As the
 * weights of N samples reach 4 N points, the mean has the variance of 2.25 N independent ones.
 *
 * Positions are Roberts' sequence R2 (The unreasonable effectiveness of quasirandom sequences,
 * 2018) beginning at the pixel's centre: evenly spread for any number of samples, so a picture
 * becomes better with each and none is computed twice. Positions are multiples of 2^-12 px, so a
 * moved grid is exact and gives the same bits however it is cut. */
#ifndef RENDER_COLOUR_SAMPLES_H
#define RENDER_COLOUR_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/colour/look.h"
#include "kernels/field.h"
#include "kernels/grid.h"
#include "render/colour/colour.h"

/* Numbers of samples. SAMPLES_AUTO: SAMPLES_AUTO_LEAST everywhere, and up to SAMPLES_AUTO_MOST
 * where their colours differ (render/colour/refine.h). */
enum { SAMPLES_MOST = 1024, SAMPLES_AUTO = -1, SAMPLES_AUTO_LEAST = 4, SAMPLES_AUTO_MOST = 16 };
enum { SAMPLES_AT_ONCE = COLOUR_SAMPLES }; /* most samples that one job computes */

/* Most samples that a pixel can get; `samples` 0, as in a zeroed struct, is 1. */
int samples_most(int samples);

/* Offset of sample number `sample`, 0 ... SAMPLES_MOST - 1, from the centre of its pixel: px, each
 * in [-1/2, 1/2); number 0 is the centre. */
struct sample_offset {
    double x, y;
};
struct sample_offset sample_offset(int sample);

/* Moves a grid from the pixels' centres to a sample. Exact for pictures below 2^30 pixels across.
 */
void sample_move(struct grid *grid, int sample);

/* The mean of the samples so far. */
struct light {
    int32_t width, height;
    float (*mean)[3];         /* [height][width], linear light */
    const volatile int *stop; /* non-zero: samples are passed over, and the mean is useless; NULL */
};

enum { LIGHT_PIXEL_BYTES = 12 };

enum status light_create(struct light *light, int32_t width, int32_t height);
void light_destroy(struct light *light); /* accepts a zeroed one */

struct light_rect {
    int32_t x, y, width, height; /* pixels of the picture */
};

struct sample_share sample_share(int sample);

/* Adds a sample to the mean of these pixels, which must have all samples before it. `field`: that
 * sample of the whole picture; it is read up to a pixel around the rectangle. Beyond the picture's
 * edge colours are those at the edge. A colour that all samples have is the mean, bit for bit.
 * Thread: any, for disjoint rectangles. */
void light_add(struct light *light, const struct look *look, const struct field *field,
               const struct sample_share *share, struct light_rect rectangle);

/* Adds a sample to a rectangle whose colours are computed, in lines of `stride` pixels: `own` the
 * first of its pixels and `other` that of the line at share->to_y, with one more beside each line
 * at share->to_x. */
void light_add_lines(struct light *light, const struct sample_share *share, const float (*own)[3],
                     const float (*other)[3], int32_t stride, struct light_rect rectangle);

/* Adds to the whole picture samples `sample`, sample + 1, ..., each with a field of its own, by so
 * many threads. */
void light_add_all(struct light *light, const struct look *look, const struct field *fields,
                   int sample, int samples, int threads);

#endif
