/* Functions that are the same for both libraries. */
#include "render/deflate/deflate.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "render/deflate/deflate_runs.h"

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

struct packer *packers_create(int threads, size_t in_bytes, size_t out_bytes)
{
    struct packer *packers = calloc((size_t)threads, sizeof *packers);
    bool all = packers;
    for (int i = 0; all && i < threads; i++) {
        packers[i] = (struct packer){deflater_create(), malloc(in_bytes), malloc(out_bytes)};
        all = packers[i].deflater && packers[i].in && packers[i].out;
    }
    if (all)
        return packers;
    packers_destroy(packers, threads);
    return NULL;
}

void packers_destroy(struct packer *packers, int threads)
{
    for (int i = 0; packers && i < threads; i++) {
        deflater_destroy(packers[i].deflater);
        free(packers[i].in);
        free(packers[i].out);
    }
    free(packers);
}

size_t packer_piece(const struct packer *packer, int bits, const uint8_t *in, size_t length,
                    enum deflate_end end, uint8_t *out)
{
    return bits == 8 ? deflate_runs(in, length, end, out)
                     : deflate_piece(packer->deflater, in, length, end, out);
}

void zlib_header(uint8_t out[ZLIB_HEADER_BYTES])
{
    out[0] = 0x78; /* deflate, window of 32 KiB */
    out[1] = 0x01; /* flags: fastest, and a check sum that makes it a multiple of 31 */
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
