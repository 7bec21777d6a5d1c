/* ISA-L's igzip. Levels 1 and 2 (of 2.30) are left out: their bytes depend on the address of the
 * stream, for one piece in a hundred. */
#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "render/deflate.h"

struct deflater {
    struct isal_zstream stream;
    uint32_t level;
    uint8_t memory[ISAL_DEF_LVL3_DEFAULT];
};

struct deflater *deflater_create(enum deflate_effort effort)
{
    struct deflater *deflater = malloc(sizeof *deflater);
    if (deflater)
        deflater->level = effort == DEFLATE_FAST ? 0 : 3;
    return deflater;
}

void deflater_destroy(struct deflater *deflater)
{
    free(deflater);
}

size_t deflate_piece(struct deflater *deflater, const uint8_t *in, size_t length,
                     enum deflate_end end, uint8_t *out)
{
    struct isal_zstream *stream = &deflater->stream;
    size_t most = deflate_most(length);
    /* isal_deflate_init leaves some members as they were. */
    memset(stream, 0, sizeof *stream);
    isal_deflate_init(stream);
    stream->level = deflater->level;
    stream->level_buf = deflater->memory;
    stream->level_buf_size = sizeof deflater->memory;
    stream->flush = end == DEFLATE_LAST ? NO_FLUSH : SYNC_FLUSH;
    stream->end_of_stream = end == DEFLATE_LAST;
    stream->next_in = (uint8_t *)(uintptr_t)in; /* it is only read */
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
