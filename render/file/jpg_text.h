/* The view inside a JPEG, in comments before its pixels.
 *
 * A segment holds 65,533 bytes, so a long view is in several, each with a line that numbers it.
 * Hostile input is normal: segments are walked, nothing is decoded.
 *
 * ITU-T T.81 (1992), annex B. */
#ifndef RENDER_FILE_JPG_TEXT_H
#define RENDER_FILE_JPG_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "render/file/png_text.h"

enum { JPG_SEGMENT_BYTES_MAX = 65533 };

/* Does it start like a JPEG? */
bool jpg_text_is_jpg(const uint8_t *bytes, size_t length);

/* Writes a segment of at most JPG_SEGMENT_BYTES_MAX bytes; false if the stream fails. */
bool jpg_segment_write(FILE *stream, int marker, const void *bytes, size_t length);

/* Writes the comments with the text, up to PNG_TEXT_BYTES_MAX; false if the stream fails. */
bool jpg_text_write(FILE *stream, const char *text);

/* Takes the segment at *offset, which is moved behind it. False where no whole one is. */
struct jpg_segment {
    int marker;          /* 0xd8 ... 0xfe */
    const uint8_t *data; /* [length] */
    size_t length;
};
bool jpg_segment_next(const uint8_t *bytes, size_t length, size_t *offset,
                      struct jpg_segment *segment);

/* Finds the text like png_text_find. */
enum status jpg_text_find(const uint8_t *bytes, size_t length, const char *name, char **text,
                          struct png_facts *facts);

#endif
