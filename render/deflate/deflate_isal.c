/* ISA-L's igzip at level 0, with Huffman codes made for each piece from a part in its middle: as
 * small as level 3, in hardly more time than with its default codes (render/file/png_writer.c has
 * figures). Levels 1 and 2 (of 2.30) are left out: their bytes depend on the address of the stream,
 * for one piece in a hundred. */
#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "render/deflate/deflate.h"

enum { PART = 8, PART_BYTES_LEAST = 16 << 10 };

struct deflater {
    struct isal_zstream stream;
    struct isal_huff_histogram histogram;
    struct isal_hufftables codes;
};

struct deflater *deflater_create(void)
{
    return malloc(sizeof(struct deflater));
}

void deflater_destroy(struct deflater *deflater)
{
    free(deflater);
}

/* Makes the codes from one part: in each of several the histogram would begin without matches. */
static bool codes_make(struct deflater *deflater, const uint8_t *in, size_t length)
{
    size_t part = length / PART > PART_BYTES_LEAST ? length / PART : PART_BYTES_LEAST;
    part = part < length ? part : length;
    memset(&deflater->histogram, 0, sizeof deflater->histogram);
    isal_update_histogram((uint8_t *)(uintptr_t)(in + (length - part) / 2), (int)part,
                          &deflater->histogram);
    return isal_create_hufftables(&deflater->codes, &deflater->histogram) == 0 &&
           isal_deflate_set_hufftables(&deflater->stream, &deflater->codes,
                                       IGZIP_HUFFTABLE_CUSTOM) == COMP_OK;
}

size_t deflate_piece(struct deflater *deflater, const uint8_t *in, size_t length,
                     enum deflate_end end, uint8_t *out)
{
    struct isal_zstream *stream = &deflater->stream;
    size_t most = deflate_most(length);
    /* isal_deflate_init leaves some members as they were. */
    memset(stream, 0, sizeof *stream);
    isal_deflate_init(stream);
    if (!codes_make(deflater, in, length))
        return deflate_store(in, length, end, out);
    stream->flush = end == DEFLATE_LAST ? NO_FLUSH : SYNC_FLUSH;
    stream->end_of_stream = end == DEFLATE_LAST;
    stream->next_in = (uint8_t *)(uintptr_t)in; /* ISA-L only reads it */
    stream->avail_in = (uint32_t)length;
    stream->next_out = out;
    stream->avail_out = (uint32_t)most;
    int failed = isal_deflate(stream);
    bool ended = end == DEFLATE_LAST ? stream->internal_state.state == ZSTATE_END
                                     : stream->avail_in == 0 && stream->avail_out > 0;
    return failed || !ended ? deflate_store(in, length, end, out) : stream->total_out;
}

uint32_t deflate_adler(uint32_t sum, const uint8_t *bytes, size_t length)
{
    return isal_adler32(sum, bytes, length);
}

uint32_t deflate_crc(uint32_t sum, const uint8_t *bytes, size_t length)
{
    return crc32_gzip_refl(sum, bytes, length);
}
