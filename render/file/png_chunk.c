#include "render/file/png_chunk.h"

#include <string.h>
#include <zlib.h>

enum { FRAME_BYTES = 12 }; /* length, type and checksum */

uint32_t png_big_endian(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
           (uint32_t)bytes[3];
}

bool png_chunk_is(const struct png_chunk *chunk, const char *type)
{
    return !memcmp(chunk->type, type, 4);
}

bool png_chunk_peek(const uint8_t *bytes, size_t length, size_t offset, struct png_chunk *chunk)
{
    if (length - offset < FRAME_BYTES)
        return false;
    const uint8_t *at = bytes + offset;
    *chunk = (struct png_chunk){.type = at + 4, .data = at + 8, .length = png_big_endian(at)};
    return true;
}

enum status png_chunk_next(const uint8_t *bytes, size_t length, size_t *offset, const char *name,
                           struct png_chunk *chunk)
{
    if (!png_chunk_peek(bytes, length, *offset, chunk))
        return status_fail(STATUS_BAD_DATA, "%s: damaged PNG: ends at byte %zu, before its end",
                           name, length);
    size_t left = length - *offset - FRAME_BYTES;
    if (chunk->length > 0x7fffffff || chunk->length > left)
        return status_fail(
            STATUS_BAD_DATA,
            "%s: damaged PNG: the chunk at byte %zu claims %u bytes, the file has %zu", name,
            *offset, (unsigned)chunk->length, left);
    uint32_t sum = (uint32_t)crc32(0, chunk->type, chunk->length + 4);
    if (sum != png_big_endian(chunk->data + chunk->length))
        return status_fail(STATUS_BAD_DATA,
                           "%s: damaged PNG: wrong checksum of the chunk at byte %zu", name,
                           *offset);
    *offset += FRAME_BYTES + (size_t)chunk->length;
    return STATUS_OK;
}
