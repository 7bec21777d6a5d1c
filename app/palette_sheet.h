/* A picture of many palettes: a row for each, with its name, its mark and once through its colours.
 *
 * The words need the libraries of the viewer's text; without them the strips stand in the order of
 * the rows, and the sheet says so. */
#ifndef APP_PALETTE_SHEET_H
#define APP_PALETTE_SHEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "render/palette.h"
#include "render/atomic_file.h"
#include "render/window/paint.h"

struct palette_sheet {
    uint32_t *pixels;          /* owned */
    struct paint_fonts *fonts; /* owned; NULL: no words */
    struct paint paint;
    size_t rows;
};

/* An empty sheet of so many rows. The text's font is the file `font`. STATUS_TOO_LARGE for more
 * than PALETTE_SHEET_ROWS, STATUS_OUT_OF_MEMORY; a font that cannot be used is no failure. */
enum { PALETTE_SHEET_ROWS = 2000 };
enum status palette_sheet_open(struct palette_sheet *sheet, size_t rows, const char *font);

void palette_sheet_row(struct palette_sheet *sheet, size_t row, const struct palette *palette,
                       const char *name, const char *summary);

/* As a PNG. Fails as capture_write. */
enum status palette_sheet_write(const struct palette_sheet *sheet, const char *path,
                                enum overwrite overwrite);

void palette_sheet_close(struct palette_sheet *sheet); /* accepts a zeroed one */

#endif
