/* Level 1 of zlib, where there is no ISA-L: about seven times as slow. */
#include <stdbool.h>
#include <stdlib.h>
#include <zlib.h>

#include "render/deflate/deflate.h"

struct deflater {
    z_stream stream;
};

struct deflater *deflater_create(void)
{
    struct deflater *deflater = calloc(1, sizeof *deflater);
    /* A negative window: no header and no sum. */
    if (deflater && deflateInit2(&deflater->stream, 1, Z_DEFLATED, -MAX_WBITS, MAX_MEM_LEVEL,
                                 Z_DEFAULT_STRATEGY) == Z_OK)
        return deflater;
    free(deflater);
    return NULL;
}

void deflater_destroy(struct deflater *deflater)
{
    if (deflater)
        deflateEnd(&deflater->stream);
    free(deflater);
}

size_t deflate_piece(struct deflater *deflater, const uint8_t *in, size_t length,
                     enum deflate_end end, uint8_t *out)
{
    z_stream *stream = &deflater->stream;
    deflateReset(stream);
    stream->next_in = (Bytef *)(uintptr_t)in; /* zlib only reads it */
    stream->avail_in = (uInt)length;
    stream->next_out = out;
    stream->avail_out = (uInt)deflate_most(length);
    int said = deflate(stream, end == DEFLATE_LAST ? Z_FINISH : Z_SYNC_FLUSH);
    bool ended = end == DEFLATE_LAST ? said == Z_STREAM_END
                                     : said == Z_OK && stream->avail_in == 0 && stream->avail_out;
    return ended ? stream->total_out : deflate_store(in, length, end, out);
}

uint32_t deflate_adler(uint32_t sum, const uint8_t *bytes, size_t length)
{
    return (uint32_t)adler32_z(sum, bytes, length);
}

uint32_t deflate_crc(uint32_t sum, const uint8_t *bytes, size_t length)
{
    return (uint32_t)crc32_z(sum, bytes, length);
}
