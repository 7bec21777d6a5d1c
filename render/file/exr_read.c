#include "render/file/exr_read.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <omp.h>
#include <openexr.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "render/file/exr_line.h"
#include "render/file/field_sanitize.h"

enum {
    HEAD_BYTES_FIRST = 64 << 10,
    HEAD_BYTES_MAX = 16 << 20,
    CHUNK_BYTES_MAX = 1 << 30,
    CHUNK_LEAST_BYTES = 17,  /* offset in the table, line number, size, a byte */
    DEFLATE_RATIO_MAX = 1040 /* largest ratio: deflate reaches 1:1032 */
};

struct exr_reader {
    struct exr_header header;
    struct exr_field_facts facts;
    exr_context_t context;
    int file;
    int64_t size; /* bytes of the file */
    const char *name;
    struct decoder *decoder; /* one per thread */
    int decoders;
};

struct decoder {
    exr_decode_pipeline_t pipeline;
    bool begun;
};

/* ---- header ---- */

/* Reads up to `most` bytes from `offset` on; returns their number, or -1 with errno. */
static int64_t file_read(int file, void *bytes, uint64_t most, uint64_t offset)
{
    uint64_t done = 0;
    while (done < most) {
        ssize_t some = pread(file, (char *)bytes + done, most - done, (off_t)(offset + done));
        if (some < 0 && errno == EINTR)
            continue;
        if (some < 0)
            return -1;
        if (some == 0)
            break;
        done += (uint64_t)some;
    }
    return (int64_t)done;
}

static enum status head_walk(struct exr_reader *reader, size_t most, bool *whole)
{
    uint8_t *bytes = malloc(most);
    if (!bytes)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the header of %s", reader->name);
    int64_t length = file_read(reader->file, bytes, most, 0);
    *whole = length >= 0 && (size_t)length < most;
    enum status status =
        length < 0 ? status_fail(STATUS_IO, "%s: cannot be read: %s", reader->name, strerror(errno))
                   : exr_header_read(bytes, (size_t)length, reader->name, &reader->header);
    free(bytes);
    return status;
}

/* Loads the header: first a few bytes, since most are short, and more of a long one. */
static enum status header_load(struct exr_reader *reader)
{
    enum status status = STATUS_OK;
    bool whole = false;
    for (size_t most = HEAD_BYTES_FIRST; most <= HEAD_BYTES_MAX && !whole; most *= 16) {
        status = head_walk(reader, most, &whole);
        if (status != STATUS_BAD_DATA)
            break;
    }
    return status;
}

static bool has(const struct exr_header *header, enum exr_channel channel)
{
    return header->channels & 1u << channel;
}

/* Does the count have 64 bits, both halves? Else N is read. */
static bool is_split(const struct exr_header *header)
{
    return has(header, EXR_N0) && has(header, EXR_N1);
}

static unsigned planes_of(const struct exr_header *header)
{
    unsigned planes = PLANE_MASK_COUNT;
    for (int c = 0; c < EXR_CHANNELS; c++)
        if (exr_sources[c].kind == EXR_OF_PLANE && has(header, (enum exr_channel)c))
            planes |= 1u << exr_sources[c].index;
    bool both = (planes & PLANE_MASK_DISTANCE) == PLANE_MASK_DISTANCE;
    return both ? planes : planes & ~(unsigned)PLANE_MASK_DISTANCE;
}

/* Checks that the channels have a field, of valid types. */
static enum status channels_check(const struct exr_reader *reader)
{
    static const enum exr_channel counts[] = {EXR_N, EXR_N0, EXR_N1};
    const struct exr_header *header = &reader->header;
    if (header->unreadable)
        return status_fail(STATUS_BAD_DATA,
                           "%s: this EXR %s; a field is read from single-part scan lines",
                           reader->name, header->unreadable);
    if (!has(header, EXR_N) && !is_split(header))
        return status_fail(STATUS_BAD_DATA,
                           "%s: this EXR has no channel N (or N0 and N1) of iteration counts",
                           reader->name);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (has(header, counts[i]) && header->type[counts[i]] != EXR_UINT)
            return status_fail(STATUS_BAD_DATA, "%s: channel %s is not of type UINT", reader->name,
                               exr_channel_names[counts[i]]);
    for (int c = 0; c < EXR_CHANNELS; c++)
        if (exr_sources[c].kind == EXR_OF_PLANE && has(header, (enum exr_channel)c) &&
            header->type[c] == EXR_UINT)
            return status_fail(STATUS_BAD_DATA, "%s: channel %s is of type UINT, not FLOAT",
                               reader->name, exr_channel_names[c]);
    return STATUS_OK;
}

/* Checks the size of the file before memory is allocated for the table and the pixels: the table
 * must fit, and no compression makes pixels smaller than DEFLATE_RATIO_MAX. */
static enum status size_check(const struct exr_reader *reader, uint64_t chunk_bytes)
{
    const struct exr_header *header = &reader->header;
    uint64_t chunks = (uint64_t)(header->height - 1) / (uint64_t)reader->facts.chunk_rows + 1;
    uint64_t least = chunks * CHUNK_LEAST_BYTES, pixels = chunk_bytes * chunks;
    if (header->compression <= EXR_COMPRESSION_ZIP && pixels / DEFLATE_RATIO_MAX > least)
        least = pixels / DEFLATE_RATIO_MAX;
    if ((uint64_t)reader->size < least / 2) /* the last chunk may be a short one */
        return status_fail(STATUS_BAD_DATA,
                           "%s: damaged EXR: claims %d x %d pixels, but has only %lld bytes",
                           reader->name, header->width, header->height, (long long)reader->size);
    if (chunk_bytes > CHUNK_BYTES_MAX)
        return status_fail(STATUS_TOO_LARGE,
                           "%s: %d rows of %d pixels are %llu bytes; at most %d are read at once",
                           reader->name, reader->facts.chunk_rows, header->width,
                           (unsigned long long)chunk_bytes, CHUNK_BYTES_MAX);
    return STATUS_OK;
}

/* ---- OpenEXRCore ---- */

static int64_t bytes_read(exr_const_context_t context, void *user, void *bytes, uint64_t count,
                          uint64_t offset, exr_stream_error_func_ptr_t tell)
{
    (void)context;
    (void)tell;
    return file_read(((const struct exr_reader *)user)->file, bytes, count, offset);
}

static int64_t size_read(exr_const_context_t context, void *user)
{
    (void)context;
    return ((const struct exr_reader *)user)->size;
}

static void error_ignore(exr_const_context_t context, exr_result_t code, const char *message)
{
    (void)context; /* the code comes back as a result, too */
    (void)code;
    (void)message;
}

static enum status damaged(const struct exr_reader *reader, exr_result_t result)
{
    if (result == EXR_ERR_OUT_OF_MEMORY)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory to read %s", reader->name);
    return status_fail(STATUS_BAD_DATA, "%s: damaged EXR: %s", reader->name,
                       exr_get_default_error_message(result));
}

static int32_t rows_of_compression(int compression)
{
    static const int32_t rows[] = {
        [EXR_COMPRESSION_NONE] = 1, [EXR_COMPRESSION_RLE] = 1,  [EXR_COMPRESSION_ZIPS] = 1,
        [EXR_COMPRESSION_ZIP] = 16, [EXR_COMPRESSION_PIZ] = 32, [EXR_COMPRESSION_PXR24] = 16,
        [EXR_COMPRESSION_B44] = 32, [EXR_COMPRESSION_B44A] = 32};
    return compression >= 0 && (size_t)compression < sizeof rows / sizeof *rows ? rows[compression]
                                                                                : 0;
}

static enum status context_open(struct exr_reader *reader)
{
    exr_context_initializer_t setup = EXR_DEFAULT_CONTEXT_INITIALIZER;
    setup.error_handler_fn = error_ignore;
    setup.user_data = reader;
    setup.read_fn = bytes_read;
    setup.size_fn = size_read;
    setup.flags =
        EXR_CONTEXT_FLAG_SILENT_HEADER_PARSE | EXR_CONTEXT_FLAG_DISABLE_CHUNK_RECONSTRUCTION;
    exr_result_t result = exr_start_read(&reader->context, reader->name, &setup);
    if (result != EXR_ERR_SUCCESS)
        return damaged(reader, result);
    uint64_t chunk_bytes = 0;
    result = exr_get_chunk_unpacked_size(reader->context, 0, &chunk_bytes);
    if (result != EXR_ERR_SUCCESS)
        return damaged(reader, result);
    return size_check(reader, chunk_bytes);
}

static enum status facts_find(struct exr_reader *reader)
{
    const struct exr_header *header = &reader->header;
    TRY(channels_check(reader));
    reader->facts =
        (struct exr_field_facts){.width = header->width,
                                 .height = header->height,
                                 .planes = planes_of(header),
                                 .count_bytes = is_split(header) || header->bias < 0 ? 8 : 4,
                                 .chunk_rows = rows_of_compression(header->compression)};
    if (reader->facts.chunk_rows == 0)
        return status_fail(
            STATUS_BAD_DATA,
            "%s: this EXR is compressed by method %d; DWAA, DWAB and what came after "
            "them are not read, ZIP is",
            reader->name, header->compression);
    return STATUS_OK;
}

static enum status reader_begin(struct exr_reader *reader)
{
    struct stat about;
    if (fstat(reader->file, &about) != 0)
        return status_fail(STATUS_IO, "%s: %s", reader->name, strerror(errno));
    reader->size = about.st_size;
    TRY(header_load(reader));
    TRY(facts_find(reader));
    TRY(context_open(reader));
    reader->decoders = omp_get_max_threads();
    reader->decoder = calloc((size_t)reader->decoders, sizeof *reader->decoder);
    if (!reader->decoder)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory to read %s", reader->name);
    return STATUS_OK;
}

enum status exr_reader_open(struct exr_reader **reader, int file, const char *name)
{
    *reader = calloc(1, sizeof **reader);
    if (!*reader)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory to read %s", name);
    **reader = (struct exr_reader){.file = file, .name = name};
    enum status status = reader_begin(*reader);
    if (status != STATUS_OK) {
        exr_reader_close(*reader);
        *reader = NULL;
    }
    return status;
}

void exr_reader_close(struct exr_reader *reader)
{
    if (!reader)
        return;
    for (int i = 0; reader->decoder && i < reader->decoders; i++)
        if (reader->decoder[i].begun)
            exr_decoding_destroy(reader->context, &reader->decoder[i].pipeline);
    free(reader->decoder);
    if (reader->context)
        exr_finish(&reader->context);
    exr_header_destroy(&reader->header);
    free(reader);
}

const struct exr_header *exr_reader_header(const struct exr_reader *reader)
{
    return &reader->header;
}

struct exr_field_facts exr_reader_facts(const struct exr_reader *reader)
{
    return reader->facts;
}

/* ---- pixels ---- */

/* Destination of the samples of a channel: the first, and the step to the next. NULL: none. */
static uint8_t *target(const struct field *rows, int channel, int32_t row, int32_t *step)
{
    *step = 4;
    enum plane plane = (enum plane)exr_sources[channel].index;
    if (plane == PLANE_COUNT)
        *step = rows->count_bytes;
    return rows->plane[plane] ? field_row(rows, plane, row) : NULL;
}

/* Offset of a half of a 64-bit count in memory. */
static int half_offset(bool high)
{
    return high == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) ? 4 : 0;
}

static void channel_aim(const struct exr_reader *reader, const struct field *rows, int32_t row,
                        exr_coding_channel_info_t *info)
{
    enum exr_channel channel = exr_channel_named(info->channel_name);
    bool split = is_split(&reader->header);
    bool wanted =
        channel == EXR_N ? !split
        : channel == EXR_N0 || channel == EXR_N1
            ? split
            : channel != EXR_CHANNELS && channel != EXR_R && channel != EXR_G && channel != EXR_B;
    int32_t step = 4;
    uint8_t *to = wanted ? target(rows, channel, row, &step) : NULL;
    info->decode_to_ptr = to;
    if (!to)
        return;
    if (step == 8)
        info->decode_to_ptr = to + half_offset(channel == EXR_N1);
    info->user_bytes_per_element = 4;
    info->user_data_type =
        step == 8 || channel == EXR_N ? (uint16_t)EXR_PIXEL_UINT : (uint16_t)EXR_PIXEL_FLOAT;
    info->user_pixel_stride = step;
    info->user_line_stride = step * rows->width;
}

/* Decodes the chunk that begins in row y of the picture, row `row` of the field. */
static exr_result_t chunk_decode(struct exr_reader *reader, struct decoder *decoder, int32_t y,
                                 const struct field *rows, int32_t row)
{
    exr_chunk_info_t chunk;
    exr_decode_pipeline_t *pipeline = &decoder->pipeline;
    exr_result_t result =
        exr_read_scanline_chunk_info(reader->context, 0, reader->header.y + y, &chunk);
    if (result != EXR_ERR_SUCCESS)
        return result;
    /* the library would leave old bytes, or write beside the rows */
    if (chunk.packed_size == 0 || chunk.height > rows->height - row || chunk.width != rows->width)
        return EXR_ERR_BAD_CHUNK_LEADER;
    result = decoder->begun ? exr_decoding_update(reader->context, 0, &chunk, pipeline)
                            : exr_decoding_initialize(reader->context, 0, &chunk, pipeline);
    if (result != EXR_ERR_SUCCESS)
        return result;
    decoder->begun = true;
    for (int c = 0; c < pipeline->channel_count; c++)
        channel_aim(reader, rows, row, &pipeline->channels[c]);
    result = exr_decoding_choose_default_routines(reader->context, 0, pipeline);
    return result == EXR_ERR_SUCCESS ? exr_decoding_run(reader->context, 0, pipeline) : result;
}

/* Count of a channel's value: 0 for pixels that did not escape or were not computed. */
static uint64_t count_of(uint64_t biased, uint64_t none, int64_t bias)
{
    int64_t count;
    if (biased == 0 || biased == none)
        return 0;
    if (__builtin_sub_overflow((int64_t)biased, bias, &count) || biased > INT64_MAX || count < 1)
        return 1;
    return (uint64_t)count;
}

static void counts_mend(const struct exr_reader *reader, struct field *rows, int32_t row)
{
    int64_t bias = reader->header.bias;
    void *plane = field_row(rows, PLANE_COUNT, row);
    uint64_t none = is_split(&reader->header) ? UINT64_MAX : UINT32_MAX;
    if (rows->count_bytes == 8) {
        uint64_t *count = plane;
        for (int32_t x = 0; x < rows->width; x++)
            count[x] = count_of(count[x], none, bias);
        return;
    }
    uint32_t *count = plane;
    for (int32_t x = 0; x < rows->width; x++)
        count[x] = bias                     ? (uint32_t)count_of(count[x], none, bias)
                   : count[x] == UINT32_MAX ? 0
                                            : count[x];
}

/* Converts distances to our length and sign; exact in floats. */
static void distances_mend(struct field *rows, int32_t row)
{
    const float by_x = 1 / exr_sources[EXR_DEX].factor, by_y = 1 / exr_sources[EXR_DEY].factor;
    float *dx = field_row(rows, PLANE_DISTANCE_X, row);
    float *dy = field_row(rows, PLANE_DISTANCE_Y, row);
    for (int32_t x = 0; x < rows->width; x++) {
        dx[x] *= by_x;
        dy[x] *= by_y;
    }
}

static void row_mend(const struct exr_reader *reader, struct field *rows, int32_t row)
{
    counts_mend(reader, rows, row);
    if (rows->planes & PLANE_MASK_DISTANCE)
        distances_mend(rows, row);
    field_sanitize_row(rows, row);
}

static exr_result_t chunk_read(struct exr_reader *reader, int32_t y, struct field *rows,
                               int32_t row)
{
    int32_t height = rows->height - row < reader->facts.chunk_rows ? rows->height - row
                                                                   : reader->facts.chunk_rows;
    if (rows->count_bytes == 8 && !is_split(&reader->header)) /* no high halves */
        memset(field_row(rows, PLANE_COUNT, row), 0,
               (size_t)height * (size_t)rows->width * sizeof(uint64_t));
    exr_result_t result =
        chunk_decode(reader, &reader->decoder[omp_get_thread_num()], y, rows, row);
    for (int32_t i = 0; i < height && result == EXR_ERR_SUCCESS; i++)
        row_mend(reader, rows, row + i);
    return result;
}

enum status exr_reader_rows(struct exr_reader *reader, int32_t y, struct field *rows)
{
    int32_t step = reader->facts.chunk_rows;
    exr_result_t worst = EXR_ERR_SUCCESS;
    assert(y % step == 0 && rows->stride == rows->width && rows->planes == reader->facts.planes);
    assert(rows->height % step == 0 || y + rows->height == reader->facts.height);
#pragma omp parallel for schedule(dynamic, 1) num_threads(reader->decoders)
    for (int32_t row = 0; row < rows->height; row += step) {
        exr_result_t result = chunk_read(reader, y + row, rows, row);
        if (result != EXR_ERR_SUCCESS) {
#pragma omp atomic write
            worst = result;
        }
    }
    return worst == EXR_ERR_SUCCESS ? STATUS_OK : damaged(reader, worst);
}
