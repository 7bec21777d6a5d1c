/* ICC profile of sRGB, for kinds of files that name their colours by a profile.
 *
 * Version 2 with sampled curves, which all readers know. Computed here from the primaries.
 *
 * ICC.1:2001-04, File Format for Color Profiles; IEC 61966-2-1:1999 (primaries, white, curve);
 * K. M. Lam, Metamerism and colour constancy, 1985 (Bradford adaptation). */
#ifndef RENDER_COLOUR_ICC_SRGB_H
#define RENDER_COLOUR_ICC_SRGB_H

#include <stdint.h>

enum {
    ICC_CURVE_SAMPLES = 1024,
    ICC_TAGS = 9,
    ICC_DESCRIPTION_AT = 128 + 4 + 12 * ICC_TAGS,
    ICC_COPYRIGHT_AT = ICC_DESCRIPTION_AT + 96,
    ICC_WHITE_AT = ICC_COPYRIGHT_AT + 24,
    ICC_PRIMARIES_AT = ICC_WHITE_AT + 20,
    ICC_CURVE_AT = ICC_PRIMARIES_AT + 3 * 20,
    ICC_SRGB_BYTES = ICC_CURVE_AT + 12 + 2 * ICC_CURVE_SAMPLES
};

/* Writes the profile; the same bytes at every call. */
void icc_srgb_make(uint8_t profile[ICC_SRGB_BYTES]);

#endif
