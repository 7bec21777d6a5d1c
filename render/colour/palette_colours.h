/* A palette that is said by its colours alone, as text without a file: "#000764#206bcb#edffff",
 * evenly along a ring, or "#000764@0#206bcb@0.16#edffff@0.42", each at its place on it. So a
 * picture that took its colours from a file of another program, or from the palette editor, has
 * them in its own view. */
#ifndef RENDER_COLOUR_PALETTE_COLOURS_H
#define RENDER_COLOUR_PALETTE_COLOURS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "render/colour/palette.h"

/* As many as any file that is read here has: a place of Kalles Fraktaler. */
enum { PALETTE_COLOURS_MAX = 1024, PALETTE_COLOURS_BYTES = 7 * PALETTE_COLOURS_MAX + 1 };

bool palette_is_colours(const char *name); /* begins with # */

struct palette_ring {
    int count;
    uint8_t rgb[PALETTE_COLOURS_MAX][3];
    double place[PALETTE_COLOURS_MAX]; /* 0 <= place < 1, rising */
    bool placed;                       /* by the text; else evenly */
};

/* What the text says. STATUS_BAD_DATA as palette_of_colours. */
enum status palette_ring_parse(struct palette_ring *ring, const char *text);

/* Two colours or more, all with places (0 <= place < 1, each greater than the one before by 0.001
 * or more) or none; blanks and commas between them are nobody's. STATUS_BAD_DATA with the
 * offending place. The caller destroys *palette. */
enum status palette_of_colours(struct palette **palette, const char *colours);

/* The text of a ring of 1 to PALETTE_COLOURS_MAX colours in sRGB; one is said twice. */
void palette_colours_text(char text[PALETTE_COLOURS_BYTES], const uint8_t (*rgb)[3], size_t count);

#endif
