/* The colour at a position of a palette, from its table, as the colours of pixels are. */
#ifndef TESTS_SUPPORT_PALETTE_SAMPLE_H
#define TESTS_SUPPORT_PALETTE_SAMPLE_H

#include <math.h>

#include "render/colour/palette.h"

static inline void palette_sample(const struct palette *palette, double position, float rgb[3])
{
    double turn = position - floor(position);
    if (!(turn >= 0 && turn < 1)) /* not a number, or the difference rounded up to 1 */
        turn = 0;
    double place = turn * PALETTE_SAMPLES;
    int index = (int)place;
    float part = (float)(place - index);
    const float *a = palette_table(palette)[index], *b = palette_table(palette)[index + 1];
    for (int channel = 0; channel < 3; channel++)
        rgb[channel] = a[channel] + part * (b[channel] - a[channel]);
}

#endif
