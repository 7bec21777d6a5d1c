/* What both libraries share. */
#include "render/deflate.h"

#include <string.h>
#include <zlib.h>

enum { STORED_MOST = 65535, STORED_HEADER_BYTES = 5 };

size_t deflate_most(size_t length)
{
    return length + STORED_HEADER_BYTES * (length / STORED_MOST + 2);
}

static uint8_t *stored_header(uint8_t *out, uint8_t last, size_t length)
{
    *out++ = last;
    *out++ = (uint8_t)length;
    *out++ = (uint8_t)(length >> 8);
    *out++ = (uint8_t)~length;
    *out++ = (uint8_t)(~length >> 8);
    return out;
}

size_t deflate_store(const uint8_t *in, size_t length, enum deflate_end end, uint8_t *out)
{
    uint8_t *at = out;
    for (size_t part; length > 0; length -= part, in += part, at += part) {
        part = length < STORED_MOST ? length : STORED_MOST;
        at = stored_header(at, end == DEFLATE_LAST && part == length, part);
        memcpy(at, in, part);
    }
    return (size_t)(at - out);
}

void zlib_header(uint8_t out[ZLIB_HEADER_BYTES])
{
    out[0] = 0x78; /* deflate, window of 32 KiB */
    out[1] = 0x01; /* fastest; makes it a multiple of 31 */
}

uint32_t deflate_adler_join(uint32_t first, uint32_t second, size_t length)
{
    return (uint32_t)adler32_combine(first, second, (z_off_t)length);
}

void bytes_set_big_endian(uint8_t out[4], uint32_t value)
{
    for (int i = 0; i < 4; i++)
        out[i] = (uint8_t)(value >> (24 - 8 * i));
}
