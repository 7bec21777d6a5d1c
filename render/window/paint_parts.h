/* What the files of the painter share. */
#ifndef RENDER_WINDOW_PAINT_PARTS_H
#define RENDER_WINDOW_PAINT_PARTS_H

#include "render/window/paint.h"

static inline uint32_t *paint_row(const struct paint *paint, int32_t y)
{
    return paint->pixels + (int64_t)y * paint->stride;
}

/* `colour` over an opaque pixel, with an alpha of 0 ... 255 of its own. Each sample is rounded: the
 * sum is at most 255 * 255, and (n + 128 + (n + 128 >> 8)) >> 8 is n / 255 rounded up to there. Two
 * samples at a time, 16 bits apart. */
static inline uint32_t paint_blend(uint32_t under, uint32_t colour, unsigned alpha)
{
    const uint32_t odd = 0x00ff00ff, half = 0x00800080;
    uint32_t rb = (colour & odd) * alpha + (under & odd) * (255 - alpha) + half;
    uint32_t g = (colour >> 8 & 0xff) * alpha + (under >> 8 & 0xff) * (255 - alpha) + 128;
    rb = (rb + (rb >> 8 & odd)) >> 8 & odd;
    g = (g + (g >> 8)) >> 8 & 0xff;
    return 0xff000000u | rb | g << 8;
}

/* Cuts the box to the clip and notes that it is being drawn in. Empty, with all of it 0, if nothing
 * is left. */
struct paint_box paint_touch(struct paint *paint, struct paint_box box);

#endif
