/* The view inside a WebP: a property of an XMP packet in a chunk before the pixels.
 *
 * The container lets metadata stand there, and the start of a file is enough to find it. Hostile
 * input is normal: chunks are walked, nothing is decoded, and no XML is parsed beyond the property
 * in the form that is written here.
 *
 * RFC 9649 (WebP, 2024); ISO 16684-1 (XMP). */
#ifndef RENDER_FILE_WEBP_TEXT_H
#define RENDER_FILE_WEBP_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "render/file/png_text.h"

/* Does it start like a WebP? */
bool webp_text_is_webp(const uint8_t *bytes, size_t length);

/* Writes a chunk, with the byte that makes its length even; false if the stream fails. */
bool webp_chunk_write(FILE *stream, const char name[4], const void *bytes, size_t length);

/* Packet with the text, up to PNG_TEXT_BYTES_MAX, and the resolution in print, 0: none; to be
 * freed; NULL without memory. */
char *webp_text_packet(const char *text, double dpi, size_t *length);

/* Finds the text like png_text_find. */
enum status webp_text_find(const uint8_t *bytes, size_t length, const char *name, char **text,
                           struct png_facts *facts);

#endif
