/* What does a field look like? Field -> linear light -> sRGB samples. Pure, per pixel. */
#ifndef RENDER_COLOUR_H
#define RENDER_COLOUR_H

#include <stdint.h>

#include "kernels/field.h"
#include "render/palette.h"

struct look {
    const struct palette *palette; /* borrowed */
    double density;                /* palette runs per doubling of the continuous count, > 0 */
    double offset;                 /* start in the palette, 0 ... 1 */
    float interior[3];             /* linear light, 0 ... 1 */
};

/* "#rrggbb" (sRGB) -> linear light. STATUS_CONFIG otherwise. */
enum status colour_parse(const char *text, float rgb[3]);

/* Row `y` of the field as sRGB samples: out[3 * width], 0 ... 255 or 0 ... 65535 (native byte
 * order). 8-bit rows are dithered deterministically by pixel position, so that slow gradients do
 * not band. Thread: any; many rows may be coloured at once. */
void colour_row_8(const struct look *look, const struct field *field, int32_t y, uint8_t *out);
void colour_row_16(const struct look *look, const struct field *field, int32_t y, uint16_t *out);

#endif
