/* OpenEXRCore writes the header, the chunks and their table. The lines of a chunk are put together
 * and compressed here: the library's own pipeline (3.1) converts pixels under a lock that all
 * threads share, and copies them once more. */
#include "render/file/exr_write.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <omp.h>
#include <openexr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "render/disk/file_bytes.h"
#include "render/deflate/deflate.h"

enum {
    SLOTS_PER_THREAD = 4,
    SLOTS_BYTES_MAX = 256 << 20, /* most memory of the slots, unless one alone takes more */
    CHUNK_BYTES_MAX = INT_MAX / 2,
    CHUNK_HEAD_BYTES = 8 /* line number and size */
};

struct chunk_slot {   /* one chunk in flight */
    uint8_t *lines;   /* lines as in the file, channel by channel within each line */
    uint8_t *ordered; /* bytes in the order in which they are compressed */
    uint8_t *packed;  /* compressed */
    size_t packed_bytes;
    bool stored; /* compression would not make it smaller */
};

struct exr_writer {
    struct exr_shape shape;
    size_t line_bytes;
    exr_context_t context;
    FILE *chunks;     /* stream that a part is written to, instead of a context */
    int file, reason; /* errno of the write that failed */
    const char *name;
    struct chunk_slot *slot;    /* [slots] */
    struct deflater **deflater; /* [threads] */
    int slots, threads;
    int32_t y;      /* next row */
    uint64_t there; /* end of the bytes that the library writes and the file has already */
    uint64_t chunks_from, end; /* offsets in the file; chunks_from: 0 before the first chunk */
};

/* ---- sizes ---- */

static uint64_t texts_bytes(const struct exr_shape *shape)
{
    uint64_t bytes = 0;
    for (int i = 0; i < EXR_TEXTS; i++)
        bytes += shape->text[i] ? strlen(shape->text[i]) : 0;
    return bytes;
}

/* Bytes of the header, the table, and chunks that could not be compressed, each behind its line
 * number and size. */
uint64_t exr_bytes_max(const struct exr_shape *shape)
{
    uint64_t bytes, chunks = (uint64_t)(shape->height - 1) / EXR_CHUNK_ROWS + 1;
    if (__builtin_mul_overflow(exr_line_bytes(shape), (uint64_t)shape->height, &bytes) ||
        bytes > UINT64_MAX / 2)
        return UINT64_MAX;
    return bytes + chunks * 16 + texts_bytes(shape) + 4096;
}

/* ---- chunks ---- */

/* Compresses to a zlib stream, unless that is no shorter. */
static void slot_pack(struct chunk_slot *slot, struct deflater *deflater, size_t bytes)
{
    exr_lines_order(slot->lines, bytes, slot->ordered);
    zlib_header(slot->packed);
    size_t packed = ZLIB_HEADER_BYTES;
    packed += deflate_piece(deflater, slot->ordered, bytes, DEFLATE_LAST, slot->packed + packed);
    bytes_set_big_endian(slot->packed + packed, deflate_adler(1, slot->ordered, bytes));
    packed += ZLIB_SUM_BYTES;
    slot->stored = packed >= bytes;
    slot->packed_bytes = slot->stored ? bytes : packed;
}

static int32_t smaller(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

/* Number of rows from y to the end of its chunk. */
static int32_t chunk_left(const struct exr_writer *writer, int32_t y)
{
    return smaller(writer->shape.height - y, EXR_CHUNK_ROWS - y % EXR_CHUNK_ROWS);
}

/* Puts rows into the chunk that row y is in; compresses it when it is full. */
static void slot_fill(const struct exr_writer *writer, struct chunk_slot *slot,
                      const struct field *rows, const float (*light)[3], int32_t from,
                      int32_t count, int32_t y)
{
    struct deflater *deflater = writer->deflater[omp_get_thread_num()];
    size_t width = (size_t)writer->shape.width;
    for (int32_t i = 0; i < count; i++) {
        uint8_t *line = slot->lines + (size_t)((y + i) % EXR_CHUNK_ROWS) * writer->line_bytes;
        exr_line_put(&writer->shape, rows, from + i, light + (size_t)(from + i) * width, line);
    }
    int32_t end = (y + count - 1) % EXR_CHUNK_ROWS + 1;
    if (count == chunk_left(writer, y))
        slot_pack(slot, deflater, (size_t)end * writer->line_bytes);
}

static enum status write_fail(const struct exr_writer *writer, exr_result_t result)
{
    if (result == EXR_ERR_OUT_OF_MEMORY)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory to write %s", writer->name);
    return status_fail(STATUS_IO, "cannot write %s: %s", writer->name,
                       writer->reason ? strerror(writer->reason)
                                      : exr_get_default_error_message(result));
}

/* Appends a chunk: little-endian line number and size, then the bytes. */
static enum status slot_append(const struct exr_writer *writer, const struct chunk_slot *slot,
                               int32_t y)
{
    uint8_t head[CHUNK_HEAD_BYTES];
    uint32_t number[2] = {(uint32_t)(y - y % EXR_CHUNK_ROWS), (uint32_t)slot->packed_bytes};
    for (int i = 0; i < CHUNK_HEAD_BYTES; i++)
        head[i] = (uint8_t)(number[i / 4] >> 8 * (i % 4));
    bool good = fwrite(head, sizeof head, 1, writer->chunks) == 1 &&
                fwrite(slot->stored ? slot->lines : slot->packed, slot->packed_bytes, 1,
                       writer->chunks) == 1;
    return good ? STATUS_OK
                : status_fail(STATUS_OUT_OF_MEMORY, "no memory to write %s", writer->name);
}

static enum status slot_write(struct exr_writer *writer, const struct chunk_slot *slot, int32_t y)
{
    if (writer->chunks)
        return slot_append(writer, slot, y);
    exr_result_t result =
        exr_write_scanline_chunk(writer->context, 0, y - y % EXR_CHUNK_ROWS,
                                 slot->stored ? slot->lines : slot->packed, slot->packed_bytes);
    if (!writer->chunks_from)
        writer->chunks_from = writer->end - slot->packed_bytes - CHUNK_HEAD_BYTES;
    return result == EXR_ERR_SUCCESS ? STATUS_OK : write_fail(writer, result);
}

/* Writes rows from `from` on, as many chunks as there are slots. The first chunk may have begun
 * before, the last may go on in the next rows: it is kept as the first slot. */
static enum status batch_write(struct exr_writer *writer, const struct field *rows,
                               const float (*light)[3], int32_t *from)
{
    int32_t first = chunk_left(writer, writer->y), left = rows->height - *from;
    int32_t beyond = left > first ? (left - first - 1) / EXR_CHUNK_ROWS + 1 : 0;
    int chunks = smaller(writer->slots, 1 + beyond);
    int32_t y = writer->y, begin = *from;
#pragma omp parallel for schedule(dynamic, 1) num_threads(writer->threads)
    for (int i = 0; i < chunks; i++) {
        int32_t skip = i ? first + (i - 1) * EXR_CHUNK_ROWS : 0;
        int32_t count = smaller(left - skip, chunk_left(writer, y + skip));
        slot_fill(writer, &writer->slot[i], rows, light, begin + skip, count, y + skip);
    }
    for (int i = 0; i < chunks; i++) {
        int32_t most = chunk_left(writer, writer->y);
        int32_t count = smaller(rows->height - *from, most);
        if (count == most)
            TRY(slot_write(writer, &writer->slot[i], writer->y));
        else if (i) {
            struct chunk_slot begun = writer->slot[i];
            writer->slot[i] = writer->slot[0];
            writer->slot[0] = begun;
        }
        writer->y += count;
        *from += count;
    }
    return STATUS_OK;
}

enum status exr_writer_rows(struct exr_writer *writer, const struct field *rows,
                            const float (*light)[3])
{
    assert(rows->width == writer->shape.width);
    assert(rows->height <= writer->shape.height - writer->y);
    for (int32_t from = 0; from < rows->height;)
        TRY(batch_write(writer, rows, light, &from));
    return STATUS_OK;
}

/* ---- the file ---- */

static int64_t bytes_write(exr_const_context_t context, void *user, const void *bytes,
                           uint64_t count, uint64_t offset, exr_stream_error_func_ptr_t tell)
{
    (void)context;
    (void)tell;
    struct exr_writer *writer = user;
    writer->end = offset + count > writer->end ? offset + count : writer->end;
    if (offset >= writer->there)
        return (int64_t)count;
    if (!file_bytes_put(writer->file, bytes, (size_t)count, (off_t)offset)) {
        writer->reason = errno;
        return -1;
    }
    return (int64_t)count;
}

static void error_ignore(exr_const_context_t context, exr_result_t code, const char *message)
{
    (void)context; /* the code comes back as a result, too */
    (void)code;
    (void)message;
}

static exr_result_t limit_put(exr_context_t context, int64_t limit)
{
    char text[24];
    if (limit <= INT_MAX)
        return exr_attr_set_int(context, 0, "Iterations", (int32_t)limit);
    snprintf(text, sizeof text, "%lld", (long long)limit);
    return exr_attr_set_string(context, 0, "Iterations", text);
}

#define PUT(call)                        \
    do {                                 \
        exr_result_t put_result_ = call; \
        if (put_result_ != 0)            \
            return put_result_;          \
    } while (0)

static exr_result_t header_put(const struct exr_writer *writer)
{
    static const exr_pixel_type_t types[EXR_TYPES] = {
        [EXR_UINT] = EXR_PIXEL_UINT, [EXR_HALF] = EXR_PIXEL_HALF, [EXR_FLOAT] = EXR_PIXEL_FLOAT};
    static const exr_attr_chromaticities_t srgb = {0.64f, 0.33f, 0.30f,   0.60f,
                                                   0.15f, 0.06f, 0.3127f, 0.3290f};
    const struct exr_shape *shape = &writer->shape;
    exr_context_t context = writer->context;
    int part;
    PUT(exr_add_part(context, "", EXR_STORAGE_SCANLINE, &part));
    PUT(exr_initialize_required_attr_simple(context, 0, shape->width, shape->height,
                                            EXR_COMPRESSION_ZIP));
    for (int c = 0; c < EXR_CHANNELS; c++)
        if (exr_line_channels(shape) & 1u << c)
            PUT(exr_add_channel(context, 0, exr_channel_names[c], types[exr_line_type(shape, c)],
                                EXR_PERCEPTUALLY_LOGARITHMIC, 1, 1));
    PUT(exr_attr_set_chromaticities(context, 0, "chromaticities", &srgb));
    if (shape->dpi > 0)
        PUT(exr_attr_set_float(context, 0, "xDensity", (float)shape->dpi));
    if (shape->planes & PLANE_MASK_COUNT)
        PUT(exr_attr_set_int(context, 0, "IterationsBias", 0));
    if (shape->limit > 0)
        PUT(limit_put(context, shape->limit));
    for (int i = 0; i < EXR_TEXTS; i++)
        if (shape->text[i])
            PUT(exr_attr_set_string(context, 0, exr_text_names[i], shape->text[i]));
    return exr_write_header(context);
}

int32_t exr_rows_at_once(void)
{
    return SLOTS_PER_THREAD / 2 * omp_get_max_threads() * EXR_CHUNK_ROWS;
}

/* Creates the slots, no more than there are chunks. */
static enum status slots_create(struct exr_writer *writer)
{
    size_t bytes = writer->line_bytes * EXR_CHUNK_ROWS, packed = deflate_most(bytes);
    uint64_t room = writer->shape.memory_bytes;
    size_t most = (room && room < SLOTS_BYTES_MAX ? room : SLOTS_BYTES_MAX) / (2 * bytes + packed);
    int chunks = (writer->shape.height - 1) / EXR_CHUNK_ROWS + 1;
    int wanted = smaller(SLOTS_PER_THREAD * omp_get_max_threads(), chunks);
    writer->slots = most < 1 ? 1 : most < (size_t)wanted ? (int)most : wanted;
    writer->slot = calloc((size_t)writer->slots, sizeof *writer->slot);
    for (int i = 0; writer->slot && i < writer->slots; i++) {
        struct chunk_slot *slot = &writer->slot[i];
        slot->lines = malloc(2 * bytes + packed + ZLIB_HEADER_BYTES + ZLIB_SUM_BYTES);
        if (!slot->lines)
            break;
        slot->ordered = slot->lines + bytes;
        slot->packed = slot->ordered + bytes;
    }
    writer->threads = smaller(omp_get_max_threads(), writer->slots);
    writer->deflater = calloc((size_t)writer->threads, sizeof(struct deflater *));
    bool all = writer->slot && writer->slot[writer->slots - 1].lines && writer->deflater;
    for (int i = 0; all && i < writer->threads; i++)
        all = (writer->deflater[i] = deflater_create());
    if (!all)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory to write %s", writer->name);
    return STATUS_OK;
}

uint64_t exr_memory_least(const struct exr_shape *shape)
{
    size_t bytes = (size_t)exr_line_bytes(shape) * EXR_CHUNK_ROWS;
    return 2 * (uint64_t)bytes + deflate_most(bytes);
}

enum status exr_shape_check(const struct exr_shape *shape, const char *name)
{
    uint64_t chunk = exr_line_bytes(shape) * EXR_CHUNK_ROWS;
    if (chunk > CHUNK_BYTES_MAX)
        return status_fail(STATUS_TOO_LARGE,
                           "%s: 16 rows of %d pixels are %llu bytes; an EXR holds %d at most", name,
                           shape->width, (unsigned long long)chunk, CHUNK_BYTES_MAX);
    return STATUS_OK;
}

static enum status context_open(struct exr_writer *writer)
{
    exr_context_initializer_t setup = EXR_DEFAULT_CONTEXT_INITIALIZER;
    setup.error_handler_fn = error_ignore;
    setup.user_data = writer;
    setup.write_fn = bytes_write;
    exr_result_t result =
        exr_start_write(&writer->context, writer->name, EXR_WRITE_FILE_DIRECTLY, &setup);
    if (result == EXR_ERR_SUCCESS)
        result = header_put(writer);
    return result == EXR_ERR_SUCCESS ? STATUS_OK : write_fail(writer, result);
}

static enum status writer_open(struct exr_writer **writer, const struct exr_writer *as)
{
    *writer = NULL;
    TRY(exr_shape_check(&as->shape, as->name));
    struct exr_writer *made = malloc(sizeof *made);
    if (!made)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory to write %s", as->name);
    *made = *as;
    made->line_bytes = (size_t)exr_line_bytes(&as->shape);
    enum status status = slots_create(made);
    if (status == STATUS_OK && !made->chunks)
        status = context_open(made);
    memset(made->shape.text, 0, sizeof made->shape.text);
    if (status == STATUS_OK)
        *writer = made;
    else
        exr_writer_destroy(made);
    return status;
}

enum status exr_writer_open(struct exr_writer **writer, const struct exr_shape *shape, int file,
                            const char *name)
{
    const struct exr_writer as = {.shape = *shape, .file = file, .name = name, .there = UINT64_MAX};
    return writer_open(writer, &as);
}

enum status exr_writer_open_part(struct exr_writer **writer, const struct exr_shape *shape,
                                 const char *name, int32_t y, FILE *stream)
{
    const struct exr_writer as = {.shape = *shape, .name = name, .y = y, .chunks = stream};
    assert(y % EXR_CHUNK_ROWS == 0);
    return writer_open(writer, &as);
}

/* ---- going on ---- */

void exr_writer_position(const struct exr_writer *writer, struct exr_position *position,
                         struct exr_pending *pending)
{
    *position = (struct exr_position){writer->chunks_from, writer->end};
    *pending =
        (struct exr_pending){writer->slot[0].lines, writer->line_bytes,
                             writer->y == writer->shape.height ? 0 : writer->y % EXR_CHUNK_ROWS};
}

static enum status place_wrong(const struct exr_writer *writer)
{
    return status_fail(STATUS_BAD_DATA,
                       "cannot go on with %s: its chunks end before row %d; begin anew",
                       writer->name, writer->y);
}

/* Size of the chunk at `offset`: little-endian line number and size, then the bytes. */
static int64_t chunk_size(const struct exr_writer *writer, uint64_t offset, int32_t y)
{
    uint8_t head[CHUNK_HEAD_BYTES];
    uint32_t number[2] = {0, 0};
    if (!file_bytes_get(writer->file, head, sizeof head, (off_t)offset))
        return -1;
    for (int i = 0; i < CHUNK_HEAD_BYTES; i++)
        number[i / 4] |= (uint32_t)head[i] << 8 * (i % 4);
    int64_t most = (int64_t)(writer->line_bytes * EXR_CHUNK_ROWS);
    bool good = number[0] == (uint32_t)y && number[1] > 0 && number[1] <= most;
    return good ? (int64_t)number[1] : -1;
}

/* Replays the chunks of the file to the library, so that it knows their offsets. */
static enum status chunks_replay(struct exr_writer *writer, uint64_t offset, uint64_t end,
                                 int32_t rows)
{
    struct chunk_slot slot = writer->slot[0];
    slot.stored = true; /* `lines` has room for every size of a chunk */
    for (; writer->y < rows; writer->y += chunk_left(writer, writer->y)) {
        int64_t size = chunk_size(writer, offset, writer->y);
        if (size < 0 || offset + (uint64_t)size + CHUNK_HEAD_BYTES > end)
            return place_wrong(writer);
        slot.packed_bytes = (size_t)size;
        TRY(slot_write(writer, &slot, writer->y));
        offset += (uint64_t)size + CHUNK_HEAD_BYTES;
        if (writer->end != offset)
            return place_wrong(writer);
    }
    return STATUS_OK;
}

enum status exr_writer_resume(struct exr_writer **created, const struct exr_shape *shape, int file,
                              const char *name, const struct exr_position *position, int32_t y,
                              struct exr_pending *pending)
{
    const struct exr_writer as = {.shape = *shape, .file = file, .name = name, .there = 0};
    TRY(writer_open(created, &as));
    struct exr_writer *writer = *created;
    int32_t begun = y == shape->height ? 0 : y % EXR_CHUNK_ROWS;
    TRY(chunks_replay(writer, position->chunks_from, position->length, y - begun));
    if (writer->end != position->length || writer->chunks_from != position->chunks_from)
        return place_wrong(writer);
    writer->there = UINT64_MAX;
    writer->y = y;
    struct exr_position same;
    exr_writer_position(writer, &same, pending);
    return STATUS_OK;
}

/* Offset of the next chunk; before the first one it is behind the table. */
static uint64_t next_chunk(const struct exr_writer *writer)
{
    uint64_t chunks = (uint64_t)(writer->shape.height - 1) / EXR_CHUNK_ROWS + 1;
    return writer->chunks_from ? writer->end : writer->end + chunks * sizeof(uint64_t);
}

enum status exr_writer_end(const struct exr_writer *writer, uint64_t *end)
{
    *end = next_chunk(writer);
    if (writer->y % EXR_CHUNK_ROWS == 0)
        return STATUS_OK;
    return status_fail(STATUS_CANNOT_CREATE, "%s is not between two chunks", writer->name);
}

enum status exr_writer_skip(struct exr_writer *writer, int32_t rows, uint64_t length)
{
    uint64_t from = next_chunk(writer), end = from + length;
    writer->there = from; /* behind the table, which is written with the last chunk */
    enum status status = chunks_replay(writer, from, end, writer->y + rows);
    writer->there = UINT64_MAX;
    if (status == STATUS_OK && writer->end != end)
        status = place_wrong(writer);
    return status;
}

enum status exr_writer_finish(struct exr_writer *writer)
{
    assert(writer->y == writer->shape.height);
    exr_result_t result = exr_finish(&writer->context);
    writer->context = NULL;
    return result == EXR_ERR_SUCCESS && !writer->reason ? STATUS_OK : write_fail(writer, result);
}

void exr_writer_destroy(struct exr_writer *writer)
{
    if (!writer)
        return;
    writer->there = 0; /* the library writes its table also now; a resumed writer writes it again */
    if (writer->context)
        exr_finish(&writer->context);
    for (int i = 0; writer->slot && i < writer->slots; i++)
        free(writer->slot[i].lines);
    for (int i = 0; writer->deflater && i < writer->threads; i++)
        deflater_destroy(writer->deflater[i]);
    free(writer->deflater);
    free(writer->slot);
    free(writer);
}
