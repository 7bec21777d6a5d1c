/* What does a field look like? Field -> linear light -> sRGB samples. Pure, per pixel.
 *
 * The place of a pixel in the palette is
 *     density * (count + fraction)^(1/4) + offset.
 * It sees one pixel and never the picture, so tiles, crops, films and re-renders match. A logarithm
 * keeps the bands of the whole set apart but goes flat at depth: from count 3,000 to 3,300 it moves
 * by 0.14 where the step from 10 to 30 moves it by 1.6. The fourth root moves by 0.18 and 0.56, so
 * one density serves both. IEEE 754 rounds sqrt exactly and the transfer is tabulated, so a picture
 * is the same bytes on every machine. */
#ifndef RENDER_COLOUR_H
#define RENDER_COLOUR_H

#include <stdint.h>

#include "kernels/field.h"
#include "render/palette.h"

struct look {
    const struct palette *palette; /* borrowed */
    double density;                /* palette runs per unit of (count + fraction)^(1/4), > 0 */
    double offset;                 /* start in the palette, 0 ... 1 */
    float interior[3];             /* linear light, 0 ... 1 */
};

/* "#rrggbb" (sRGB) -> linear light. STATUS_CONFIG otherwise. */
enum status colour_parse(const char *text, float rgb[3]);

/* Place of a continuous count in the palette. */
double colour_position(const struct look *look, double continuous_count);

/* Row `y` of the field as sRGB samples: out[3 * width], 0 ... 255 or 0 ... 65535 (native byte
 * order). 8-bit rows are dithered deterministically by pixel position, so that slow gradients do
 * not band; their mean error is 0 and each sample is within 1 of the exact value (between the
 * samples of a palette values run straight in 8-bit pictures, lights in the others). 16-bit samples
 * are within 0.51 of it. Interior pixels are not dithered. A field without fractions gives bands.
 * Thread: any; many rows may be coloured at once. */
void colour_row_8(const struct look *look, const struct field *field, int32_t y, uint8_t *out);
void colour_row_16(const struct look *look, const struct field *field, int32_t y, uint16_t *out);

/* The same where row `row` of the window is row y of the picture. */
void colour_window_row_8(const struct look *look, const struct field *window, int32_t row,
                         int32_t y, uint8_t *out);
void colour_window_row_16(const struct look *look, const struct field *window, int32_t row,
                          int32_t y, uint16_t *out);

/* Pixels of one row of a picture, dx apart, the first at (x, y). */
struct colour_run {
    const void *count;     /* [length], of count_bytes */
    const float *fraction; /* [length]; NULL: none */
    int count_bytes;
    int32_t length;
    int32_t x, y, dx;
};

/* As colour_row_8 at these pixels: out[length], 0xffRRGGBB. */
void colour_run_8(const struct look *look, const struct colour_run *run, uint32_t *out);

/* The same before it is encoded: linear light, out[length]. */
void colour_run_light(const struct look *look, const struct colour_run *run, float (*out)[3]);

/* The same for pixels x ... x + length - 1 of row y of a field or window, which is a whole picture.
 */
void colour_span_light(const struct look *look, const struct field *field, int32_t x, int32_t y,
                       int32_t length, float (*out)[3]);

/* Linear light times `scale` as 8-bit samples of the pixels x, x + 1, ... of row y, dithered:
 * out[length], 0xffRRGGBB. */
void colour_light_8(const float (*light)[3], float scale, int32_t length, int32_t x, int32_t y,
                    uint32_t *out);

/* Linear light as samples, as colour_row_8 and colour_row_16 make them, of row y from its first
 * pixel on: out[3 * length]. */
void colour_light_row_8(const float (*light)[3], int32_t length, int32_t y, uint8_t *out);
void colour_light_row_16(const float (*light)[3], int32_t length, uint16_t *out);

#endif
