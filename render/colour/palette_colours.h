/* A palette given by its colours alone, as text without a file: "#000764#206bcb#edffff", evenly
 * along a ring, or "#000764@0#206bcb@0.16#edffff@0.42", each at its position on it. So a picture
 * whose colours came from a file of another program, or from the palette editor, has them in its
 * own view. */
#ifndef RENDER_COLOUR_PALETTE_COLOURS_H
#define RENDER_COLOUR_PALETTE_COLOURS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "render/colour/palette.h"

/* Most colours of any file that is read here: a location of Kalles Fraktaler. */
enum { PALETTE_COLOURS_MAX = 1024, PALETTE_COLOURS_BYTES = 7 * PALETTE_COLOURS_MAX + 1 };

bool palette_is_colours(const char *name); /* begins with # */

struct palette_ring {
    int count;
    uint8_t rgb[PALETTE_COLOURS_MAX][3];
    double position[PALETTE_COLOURS_MAX]; /* positions, 0 <= position < 1, rising */
    bool placed;                          /* the text gives positions; else they are even */
};

/* Reads the text. STATUS_BAD_DATA as palette_of_colours. */
enum status palette_ring_parse(struct palette_ring *ring, const char *text);

/* Makes a palette of two colours or more, all with positions (0 <= position < 1, each greater than
 * the one before by 0.001 or more) or none; blanks and commas between them are ignored.
 * STATUS_BAD_DATA with the position of the error. The caller destroys *palette. */
enum status palette_of_colours(struct palette **palette, const char *colours);

/* The text of a ring of 1 to PALETTE_COLOURS_MAX colours in sRGB; a single colour is written
 * twice. */
void palette_colours_text(char text[PALETTE_COLOURS_BYTES], const uint8_t (*rgb)[3], size_t count);

#endif
