/* The colours of pixels that do not escape: one colour, one for each period, or a relief by the
 * distance inside. Linear light, pure, per pixel.
 *
 * Period p has the palette's colour at offset + p / golden ratio, so that neighbouring periods, and
 * multiples, lie far apart in the palette. The distance d to the boundary, in units of 1/270 of the
 * picture's height, goes from the interior colour, at the boundary, to the lightest colour of the
 * palette, far inside, through half of the palette: with t = sqrt(u / (u + 1)), u = d /
 * INTERIOR_DEPTH, a pixel has the part t of the light at lightest - (1 - t) / 2. A pixel whose
 * plane is missing or 0 has the interior colour. */
#ifndef RENDER_COLOUR_INTERIOR_H
#define RENDER_COLOUR_INTERIOR_H

#include <stdint.h>

#include "kernels/colour/look.h"
#include "kernels/status.h"

enum { INTERIOR_TEXT_BYTES = 24 };

/* "#rrggbb" (sRGB) -> linear light. STATUS_CONFIG otherwise. */
enum status colour_parse(const char *text, float rgb[3]);

/* "#rrggbb", "period", "distance", and the last two with ",#rrggbb": the colour at the boundary and
 * of pixels whose plane is 0; black without. STATUS_CONFIG otherwise. rgb: linear light. */
enum status interior_parse(const char *text, enum interior_kind *kind, float rgb[3]);

/* Writes the text that interior_parse reads as these. */
void interior_text(enum interior_kind kind, const float rgb[3], char text[INTERIOR_TEXT_BYTES]);

/* Planes that a kind is computed from. */
unsigned interior_planes(enum interior_kind kind);

/* Positions in the palette of n pixels, and the share of its light that they have, 0 ... 1, the
 * rest being the interior colour. values: the kind's plane; start: offset, or lightest; per_px:
 * units of distance (above) in a pixel. */
void interior_positions(enum interior_kind kind, const float *values, int n, double start,
                        float per_px, double *position, float *share);

#endif
