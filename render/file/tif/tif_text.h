/* The view inside a TIFF, behind its first header, so that the start of a file is enough to find
 * it.
 *
 * Its ImageDescription holds the same text, for other programs; but libtiff writes directories
 * last, and the readers here look at the start of a file only, which may be larger than memory.
 * Hostile input is normal.
 *
 * TIFF Revision 6.0, Aldus, 1992; the BigTIFF design of the libtiff project. */
#ifndef RENDER_FILE_TIF_TIF_TEXT_H
#define RENDER_FILE_TIF_TIF_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "render/file/png_text.h"

enum { TIF_MARK_BYTES = 128 };

/* Writes the mark before the text: a line, without a NUL; returns its length. */
size_t tif_text_mark(char mark[TIF_MARK_BYTES], const struct png_facts *facts, size_t length);

/* Does it start like a TIFF? */
bool tif_text_is_tif(const uint8_t *bytes, size_t length);

/* Finds the text like png_text_find. */
enum status tif_text_find(const uint8_t *bytes, size_t length, const char *name, char **text,
                          struct png_facts *facts);

#endif
