/* The colours of a field. Field -> linear light -> sRGB samples. Pure, per pixel.
 *
 * The position of a pixel in the palette comes from its continuous count nu = count + fraction:
 *     curve(nu) + offset                        by a transfer curve (distribution.h)
 *     density * nu^(1/4) + offset               without one.
 * Both see one pixel and never the picture, so tiles, crops, films and re-renders match, as long as
 * they have the same curve. Among laws without a curve a logarithm keeps the bands of the whole set
 * apart but goes flat at depth: from count 3,000 to 3,300 it moves by 0.14 where the step from 10
 * to 30 moves it by 1.6. The fourth root moves by 0.18 and 0.56.
 *
 * Where orbits end at the roots of z^n = 1 and the field has phases, root k adds k / n to the
 * position, so that each basin has colours of its own.
 *
 * Where the field has the distance d as a vector, light is shaded: with u = d in units of 1/270 of
 * the picture's height, it is darkened towards the set by 1 - |u| / sqrt(u^2 + 1), so that
 * filaments thinner than a pixel are visible, and lit from the side as a relief whose slope is u /
 * sqrt(u^2 + 1).
 *
 * IEEE 754 rounds sqrt exactly and the transfer is tabulated, so a picture is the same bytes on
 * every machine. */
#ifndef RENDER_COLOUR_COLOUR_H
#define RENDER_COLOUR_COLOUR_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/colour/look.h"
#include "kernels/field.h"
#include "render/colour/blend.h"
#include "render/colour/distribution.h"
#include "render/colour/interior.h"
#include "render/colour/look_options.h"
#include "render/colour/palette.h"

struct look {
    const struct palette *palette; /* borrowed */
    /* palette runs per unit of (count + fraction)^(1/4), > 0; 0: the curve is used */
    double density;
    double offset;      /* position that is added, 0 ... 1 */
    struct curve curve; /* transfer curve, used where density is 0 */
    struct shade shade;
    int roots; /* number of roots that are coloured apart, by counts; 0: none */
    struct colour_source source;
    struct colour_layer layer; /* colours over these, from the second palette (palette_second) */
    enum interior_kind interior_kind;
    /* linear light, 0 ... 1; for INTERIOR_DISTANCE and _PERIOD, at the boundary */
    float interior[3];
};

/* Makes the look of a picture that is `height` pixels high: the whole picture, also where only a
 * part of it is coloured. A distribution with runs 0: density 1. */
void look_make(struct look *look, const struct look_options *options,
               const struct distribution *distribution, const struct palette *palette,
               int32_t height);

/* A look as kernels and devices read it (kernels/colour/); borrows the palette's table. */
struct colour_look look_tables(const struct look *look);

/* Do two looks give the same colours, whatever their palettes? */
bool look_same(const struct look *a, const struct look *b);

/* Row `y` of the field as sRGB samples: out[3 * width], 0 ... 255 or 0 ... 65535 (native byte
 * order). 8-bit rows are dithered deterministically by pixel position, so that slow gradients do
 * not band; their mean error is 0 and each sample is within 1 of the exact value (between the
 * samples of a palette 8-bit pictures interpolate sRGB values, the others linear light). 16-bit
 * samples are within 0.51 of it. Interior pixels are not dithered. A field without fractions gives
 * bands. Thread: any; many rows may be coloured at once. */
void colour_row_8(const struct look *look, const struct field *field, int32_t y, uint8_t *out);

/* Colours row `row` of the window, which is row y of the picture, from pixel x on, as colour_row_8
 * and _16. */
void colour_window_row_8(const struct look *look, const struct field *window, int32_t row,
                         int32_t x, int32_t y, uint8_t *out);
void colour_window_row_16(const struct look *look, const struct field *window, int32_t row,
                          int32_t y, uint16_t *out);

/* Pixels of one row of a picture, dx apart, the first at (x, y). */
struct colour_run {
    const void *count;          /* [length], of count_bytes */
    const float *plane[PLANES]; /* other planes, [length] each; NULL: none */
    int count_bytes;
    int32_t length;
    int32_t x, y, dx;
};

/* Row `row` of a field as a run from pixel (0, row) on, dx 1: the only code that knows which planes
 * colours come from. The caller may change x, y, dx. */
struct colour_run colour_run_of(const struct field *field, int32_t row);

/* `length` pixels of a run from its pixel `from` on. */
struct colour_run colour_run_part(const struct colour_run *run, int32_t from, int32_t length);

/* Colours these pixels as colour_row_8: out[length], 0xffRRGGBB. */
void colour_run_8(const struct look *look, const struct colour_run *run, uint32_t *out);

/* Linear light of these pixels: out[length]. */
void colour_run_light(const struct look *look, const struct colour_run *run, float (*out)[3]);

/* Linear light of pixels x ... x + length - 1 of row y of a field or window, which is a whole
 * picture. */
void colour_span_light(const struct look *look, const struct field *field, int32_t x, int32_t y,
                       int32_t length, float (*out)[3]);

/* Linear light of row `row` of a window, which is row y of the picture: out[width]. */
void colour_window_row_light(const struct look *look, const struct field *window, int32_t row,
                             int32_t y, float (*out)[3]);

/* Linear light times `scale` as 8-bit samples of the pixels x, x + 1, ... of row y, dithered:
 * out[length], 0xffRRGGBB. */
void colour_light_8(const float (*light)[3], float scale, int32_t length, int32_t x, int32_t y,
                    uint32_t *out);

/* Linear light as samples, as colour_window_row_8 and _16 make them, of row y from pixel x
 * on: out[3 * length]. */
void colour_light_row_8(const float (*light)[3], int32_t length, int32_t x, int32_t y,
                        uint8_t *out);
void colour_light_row_16(const float (*light)[3], int32_t length, uint16_t *out);

/* Means of two by two pixels of two rows: out[width halved, rounded up]. At an edge of fewer: the
 * last column of an odd width, and rows without one below (NULL). */
void colour_row_halve(const float (*above)[3], const float (*below)[3], int32_t width,
                      float (*out)[3]);

#endif
