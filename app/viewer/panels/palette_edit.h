/* A palette as a few stops on a ring, which can be moved, added, removed and coloured. Pure.
 *
 * Stops stand in rising order; two are never nearer than PALETTE_EDIT_GAP. The text is what
 * --palette and a place take, "#000764@0#206bcb@0.16..." (render/colour/palette_colours.h), so what
 * is edited is undone, copied and rendered as any other palette. */
#ifndef APP_VIEWER_PANELS_PALETTE_EDIT_H
#define APP_VIEWER_PANELS_PALETTE_EDIT_H

#include <stdbool.h>
#include <stddef.h>

#include "render/colour/palette.h"

enum { PALETTE_EDIT_MAX = 32, PALETTE_EDIT_LEAST = 2 };
#define PALETTE_EDIT_GAP 0.004

struct palette_edit {
    int count, selected;
    double position[PALETTE_EDIT_MAX]; /* 0 ... 1, rising */
    double rgb[PALETTE_EDIT_MAX][3];   /* sRGB values, 0 ... 1 */
};

/* Finds as few stops as come within a 32nd of the palette's values, or PALETTE_EDIT_MAX. */
void palette_edit_of(struct palette_edit *edit, const struct palette *palette);

/* Reads stops from a text; false, with nothing changed, if it has none, or too many. */
bool palette_edit_parse(struct palette_edit *edit, const char *text);

void palette_edit_text(const struct palette_edit *edit, char *text, size_t bytes);

/* Moves the selected stop, but not beyond its neighbours. */
void palette_edit_move(struct palette_edit *edit, double position);

/* Adds and selects a stop. False where there is no room for one. */
bool palette_edit_add(struct palette_edit *edit, double position, const double rgb[3]);

/* Removes the selected stop, if more than PALETTE_EDIT_LEAST are there. */
bool palette_edit_remove(struct palette_edit *edit);

#endif
