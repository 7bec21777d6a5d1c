/* Which view is inside this PNG? Walks the chunks; never decodes. Hostile input is normal here. */
#ifndef RENDER_PNG_TEXT_H
#define RENDER_PNG_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/status.h"

struct png_facts {
    uint32_t width, height;
    int bits; /* per sample */
};

/* Finds the tEXt chunk "deepfield" before the first IDAT and copies its text to *text (NUL-ended,
 * freed by the caller). Every chunk's length and CRC are checked; at most 4 MiB of text.
 * STATUS_BAD_DATA: not a PNG, damaged, or made by another program (says which). */
enum status png_text_find(const uint8_t *bytes, size_t length, const char *name, char **text,
                          struct png_facts *facts);

/* Does it start like a PNG? */
int png_text_is_png(const uint8_t *bytes, size_t length);

#endif
