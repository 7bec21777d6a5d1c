/* The chunks of a PNG. Walks them and checks their lengths and checksums; for all readers of PNGs
 * here. Hostile input is normal.
 *
 * PNG: W3C Recommendation, Portable Network Graphics (second edition), 2003, section 5. */
#ifndef RENDER_FILE_PNG_CHUNK_H
#define RENDER_FILE_PNG_CHUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/status.h"

enum { PNG_SIGNATURE_BYTES = 8 };

struct png_chunk {
    const uint8_t *type; /* 4 letters */
    const uint8_t *data; /* [length] */
    uint32_t length;
};

uint32_t png_big_endian(const uint8_t *bytes);

bool png_chunk_is(const struct png_chunk *chunk, const char *type);

/* Reads the type and the claimed length of the chunk at `offset` without checks. False at the
 * end. */
bool png_chunk_peek(const uint8_t *bytes, size_t length, size_t offset, struct png_chunk *chunk);

/* Takes the chunk at *offset, which is moved behind it. STATUS_BAD_DATA, with `name` in the
 * sentence, if it is cut off, claims more bytes than there are, or has a wrong checksum. */
enum status png_chunk_next(const uint8_t *bytes, size_t length, size_t *offset, const char *name,
                           struct png_chunk *chunk);

#endif
