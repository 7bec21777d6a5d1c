/* The view inside a PNG. Walks the chunks; never decodes. Hostile input is normal here.
 *
 * Own code and not libpng, because Debian shipped twelve security fixes for libpng's reader within
 * a year, several of them in its text chunks. */
#ifndef RENDER_FILE_PNG_TEXT_H
#define RENDER_FILE_PNG_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/status.h"

#define PNG_TEXT_KEY "deepfield" /* keyword of the text chunk that holds the view */
#define PNG_COMMENT_KEY \
    "Comment" /* keyword of the chunk that holds it in pictures of Kalles Fraktaler */

enum { PNG_TEXT_BYTES_MAX = 4 << 20 };

struct png_facts {
    uint32_t width, height;
    int bits; /* bits per sample */
};

/* Finds the tEXt chunk "deepfield" before the first IDAT, or else the first one "Comment", whatever
 * its content, and copies its text to *text (NUL-ended, freed by the caller; NULL on failure).
 * Length and CRC of every chunk up to there are checked; at most 4 MiB of text. Bytes behind the
 * text are not read, so the beginning of a file suffices. STATUS_BAD_DATA: not a PNG, damaged, or
 * made by another program (which the sentence names); *facts is filled from the header as far as
 * that is valid, and zeroed otherwise. */
enum status png_text_find(const uint8_t *bytes, size_t length, const char *name, char **text,
                          struct png_facts *facts);

/* Does it start like a PNG? */
int png_text_is_png(const uint8_t *bytes, size_t length);

#endif
