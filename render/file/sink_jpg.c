/* The coloured picture as JPEG, colours at full resolution, because these pictures have thin
 * coloured lines.
 *
 * Each stripe of 8 rows is compressed alone and ends with a restart marker, which resets what a
 * decoder keeps from stripe to stripe: so threads and processes compress stripes apart, and a file
 * grows and goes on like others. Huffman tables are those of annex K, since better ones need the
 * whole picture.
 *
 * ITU-T T.81 (1992); ITU-T T.871 (JFIF, 2011); ICC.1:2001-04, annex B.4. */
#include <errno.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <turbojpeg.h>

#include "render/colour/icc_srgb.h"
#include "render/disk/file_bytes.h"
#include "render/file/jpg_text.h"
#include "render/file/pending_rows.h"
#include "render/file/sink.h"

enum {
    STRIPE_ROWS = 8, /* rows of a block */
    PIXEL_BYTES = 3,
    SIDE_MAX = 65500, /* limit of libjpeg */
    QUALITY = 90,     /* where none is given */
    STRIPES_A_THREAD = 4,
    RESTARTS = 8, /* numbers of restart markers go round */
    HEAD_BYTES = 4096 + ICC_SRGB_BYTES,
    QUANTIZATION = 0xdb,
    FRAME = 0xc0,
    HUFFMAN = 0xc4,
    RESTART_INTERVAL = 0xdd,
    RESTART = 0xd0,
    SCAN = 0xda,
    APPLICATION = 0xe0
};

struct jpg {
    struct sink_request request; /* copy with 8 bits */
    struct atomic_file file;
    FILE *stream; /* stream of the file, or of a part */
    size_t row_bytes;
    int32_t batch_rows;
    int32_t y, kept;  /* y: first row that is not written; kept: rows from there on */
    uint8_t *samples; /* [batch_rows][row_bytes] */
    int threads;
    struct jpg_encoder {
        tjhandle handle;
        unsigned char *out; /* [stripe_most] */
    } * encoder;            /* [threads] */
    struct pending_rows saved;
};

struct jpg_mark {
    uint64_t length;
    struct pending_mark saved;
};

/* ---- sizes ---- */

static unsigned long stripe_most(int32_t width)
{
    return tjBufSize(width, STRIPE_ROWS, TJSAMP_444);
}

static uint64_t text_bytes(const char *text)
{
    return text ? strlen(text) : 0;
}

static uint64_t jpg_bytes_max(const struct sink_request *request)
{
    uint64_t stripes = ((uint64_t)request->field->height + STRIPE_ROWS - 1) / STRIPE_ROWS;
    int32_t width = request->field->width < SIDE_MAX ? request->field->width : SIDE_MAX;
    return stripes * stripe_most(width) + 2 * text_bytes(request->view_text) + HEAD_BYTES;
}

static enum status jpg_check(const struct sink_request *request)
{
    int32_t width = request->field->width, height = request->field->height;
    if (width <= SIDE_MAX && height <= SIDE_MAX)
        return STATUS_OK;
    return status_fail(STATUS_TOO_LARGE,
                       "%s: %d x %d pixels; a JPEG has at most %d on a side: choose a smaller "
                       "--size, or .png, .tif or .dzi",
                       request->path, width, height, SIDE_MAX);
}

/* ---- memory ---- */

static void encoders_destroy(struct jpg *jpg)
{
    for (int i = 0; jpg->encoder && i < jpg->threads; i++) {
        if (jpg->encoder[i].handle)
            tjDestroy(jpg->encoder[i].handle);
        free(jpg->encoder[i].out);
    }
    free(jpg->encoder);
    free(jpg->samples);
}

static enum status memory_fail(const struct jpg *jpg)
{
    return status_fail(STATUS_OUT_OF_MEMORY, "no memory to write %s", jpg->request.path);
}

static enum status jpg_create(struct jpg *jpg, const struct sink_request *request)
{
    *jpg = (struct jpg){.request = *request,
                        .row_bytes = (size_t)request->field->width * PIXEL_BYTES,
                        .threads = omp_in_parallel() ? 1 : omp_get_max_threads()};
    jpg->request.bits = 8;
    TRY(jpg_check(request));
    int32_t stripes = (request->field->height - 1) / STRIPE_ROWS + 1;
    jpg->threads = jpg->threads < stripes ? jpg->threads : stripes;
    stripes = stripes < jpg->threads * STRIPES_A_THREAD ? stripes : jpg->threads * STRIPES_A_THREAD;
    jpg->batch_rows = stripes * STRIPE_ROWS;
    jpg->samples = malloc((size_t)jpg->batch_rows * jpg->row_bytes);
    jpg->encoder = calloc((size_t)jpg->threads, sizeof *jpg->encoder);
    bool good = jpg->samples && jpg->encoder;
    for (int i = 0; good && i < jpg->threads; i++) {
        jpg->encoder[i].handle = tjInitCompress();
        jpg->encoder[i].out = malloc(stripe_most(request->field->width));
        good = jpg->encoder[i].handle && jpg->encoder[i].out;
    }
    return good ? STATUS_OK : memory_fail(jpg);
}

static enum status write_fail(const struct jpg *jpg, int reason)
{
    TRY(sink_stopped(&jpg->request));
    return status_fail(STATUS_IO, "cannot write %s: %s", jpg->request.path, strerror(reason));
}

/* ---- stripes ---- */

/* Compresses rows to a JPEG of their own in encoder->out; 0: no memory. */
static unsigned long rows_encode(const struct jpg *jpg, const struct jpg_encoder *encoder,
                                 const uint8_t *rows, int32_t count)
{
    unsigned char *out = encoder->out;
    unsigned long length = stripe_most(jpg->request.field->width);
    int quality = jpg->request.quality ? jpg->request.quality : QUALITY;
    bool good = tjCompress2(encoder->handle, rows, jpg->request.field->width, (int)jpg->row_bytes,
                            count, TJPF_RGB, &out, &length, TJSAMP_444, quality,
                            TJFLAG_ACCURATEDCT | TJFLAG_NOREALLOC) == 0;
    return good ? length : 0;
}

/* Offset of the compressed pixels, behind the head of the scan; 0: there are none. */
static size_t pixels_offset(const unsigned char *out, size_t length)
{
    struct jpg_segment segment = {0};
    size_t offset = 2;
    while (segment.marker != SCAN)
        if (!jpg_segment_next(out, length, &offset, &segment))
            return 0;
    return offset;
}

/* Writes a stripe without its head and end, behind the restart marker of the stripe before. */
static bool stripe_write(const struct jpg *jpg, const unsigned char *out, size_t length, int32_t y)
{
    const uint8_t restart[2] = {0xff,
                                (uint8_t)(RESTART + (y / STRIPE_ROWS + RESTARTS - 1) % RESTARTS)};
    size_t from = pixels_offset(out, length);
    errno = 0;
    return (y == 0 || fwrite(restart, 1, sizeof restart, jpg->stream) == sizeof restart) &&
           fwrite(out + from, 1, length - 2 - from, jpg->stream) == length - 2 - from;
}

/* Compresses and writes the first `count` of the kept rows. */
static enum status stripes_write(struct jpg *jpg, int32_t count)
{
    int32_t stripes = (count + STRIPE_ROWS - 1) / STRIPE_ROWS;
    bool memory = true, failed = false;
    int reason = 0;
#pragma omp parallel for ordered schedule(dynamic, 1) num_threads(jpg->threads)
    for (int32_t i = 0; i < stripes; i++) {
        const struct jpg_encoder *encoder = &jpg->encoder[omp_get_thread_num()];
        int32_t row = i * STRIPE_ROWS, left = count - row;
        unsigned long length =
            rows_encode(jpg, encoder, jpg->samples + (size_t)row * jpg->row_bytes,
                        left < STRIPE_ROWS ? left : STRIPE_ROWS);
#pragma omp ordered
        {
            memory = memory && length > 0;
            if (memory && !failed && sink_stopped(&jpg->request) == STATUS_OK &&
                !stripe_write(jpg, encoder->out, length, jpg->y + row)) {
                failed = true;
                reason = errno;
            }
        }
    }
    if (!memory)
        return memory_fail(jpg);
    TRY(sink_stopped(&jpg->request));
    if (failed)
        return write_fail(jpg, reason);
    jpg->y += count;
    jpg->kept -= count;
    memmove(jpg->samples, jpg->samples + (size_t)count * jpg->row_bytes,
            (size_t)jpg->kept * jpg->row_bytes);
    return STATUS_OK;
}

static enum status end_write(const struct jpg *jpg)
{
    errno = 0;
    return fwrite("\xff\xd9", 1, 2, jpg->stream) == 2 ? STATUS_OK : write_fail(jpg, errno);
}

/* Adds rows; of a part rows->y is its first. */
static enum status rows_add(struct jpg *jpg, const struct sink_rows *rows)
{
    int32_t height = jpg->request.field->height, taken = 0;
    for (int32_t count; taken < rows->height; taken += count) {
        int32_t room = jpg->batch_rows - jpg->kept, left = rows->height - taken;
        count = left < room ? left : room;
#pragma omp parallel for schedule(dynamic, 4) num_threads(jpg->threads)
        for (int32_t row = 0; row < count; row++)
            sink_colour_row(&jpg->request, rows, taken + row,
                            jpg->samples + (size_t)(jpg->kept + row) * jpg->row_bytes);
        jpg->kept += count;
        if (jpg->kept == jpg->batch_rows || jpg->y + jpg->kept == height)
            TRY(stripes_write(jpg, jpg->kept));
    }
    return STATUS_OK;
}

static enum status jpg_rows(void *state, const struct sink_rows *rows)
{
    struct jpg *jpg = state;
    TRY(rows_add(jpg, rows));
    return jpg->y == jpg->request.field->height ? end_write(jpg) : STATUS_OK;
}

/* ---- head ---- */

static bool application_write(const struct jpg *jpg)
{
    long dpi = lround(jpg->request.dpi);
    const uint8_t jfif[14] = {'J',
                              'F',
                              'I',
                              'F',
                              0,
                              1,
                              1,
                              dpi > 0, /* per inch; else the ratio of the sides of a pixel */
                              (uint8_t)((dpi > 0 ? dpi : 1) >> 8),
                              (uint8_t)(dpi > 0 ? dpi : 1),
                              (uint8_t)((dpi > 0 ? dpi : 1) >> 8),
                              (uint8_t)(dpi > 0 ? dpi : 1)};
    enum { ICC_HEAD_BYTES = 14 };
    uint8_t profile[ICC_HEAD_BYTES + ICC_SRGB_BYTES];
    memcpy(profile, "ICC_PROFILE\0\1\1", ICC_HEAD_BYTES);
    icc_srgb_make(profile + ICC_HEAD_BYTES);
    return jpg_segment_write(jpg->stream, APPLICATION, jfif, sizeof jfif) &&
           jpg_segment_write(jpg->stream, APPLICATION + 2, profile, sizeof profile);
}

/* Writes a segment of the head of a stripe as one of the picture. */
static bool table_write(const struct jpg *jpg, const struct jpg_segment *segment)
{
    int32_t width = jpg->request.field->width, height = jpg->request.field->height;
    uint8_t data[256];
    int blocks = (width - 1) / STRIPE_ROWS + 1;
    const uint8_t interval[2] = {(uint8_t)(blocks >> 8), (uint8_t)blocks};
    if (segment->length > sizeof data)
        return false;
    memcpy(data, segment->data, segment->length);
    if (segment->marker == FRAME) {
        data[1] = (uint8_t)(height >> 8);
        data[2] = (uint8_t)height;
    }
    bool ours = segment->marker == QUANTIZATION || segment->marker == FRAME ||
                segment->marker == HUFFMAN || segment->marker == SCAN;
    return (segment->marker != SCAN ||
            jpg_segment_write(jpg->stream, RESTART_INTERVAL, interval, sizeof interval)) &&
           (!ours || jpg_segment_write(jpg->stream, segment->marker, data, segment->length));
}

/* Writes the head. Its tables are those of a stripe, whose samples do not matter. */
static enum status head_write(const struct jpg *jpg)
{
    struct jpg_segment segment = {0};
    size_t offset = 2;
    memset(jpg->samples, 0, jpg->row_bytes);
    unsigned long length = rows_encode(jpg, jpg->encoder, jpg->samples, 1);
    if (length == 0)
        return memory_fail(jpg);
    errno = 0;
    bool good = fwrite("\xff\xd8", 1, 2, jpg->stream) == 2 && application_write(jpg) &&
                (!jpg->request.view_text || jpg_text_write(jpg->stream, jpg->request.view_text));
    while (good && segment.marker != SCAN)
        good = jpg_segment_next(jpg->encoder->out, length, &offset, &segment) &&
               table_write(jpg, &segment);
    return good ? STATUS_OK : write_fail(jpg, errno);
}

static enum status jpg_begin(void *state, const struct sink_request *request)
{
    struct jpg *jpg = state;
    TRY(jpg_create(jpg, request));
    TRY(sink_file_open(&jpg->file, request, request->path, NULL));
    jpg->stream = jpg->file.stream;
    return head_write(jpg);
}

static enum status jpg_end(void *state, struct atomic_file_set *set)
{
    struct jpg *jpg = state;
    return atomic_file_set_add(set, &jpg->file);
}

/* ---- going on ---- */

static enum status jpg_checkpoint(void *state, void *marked)
{
    struct jpg *jpg = state;
    struct jpg_mark *mark = marked;
    TRY(stripes_write(jpg, jpg->kept - jpg->kept % STRIPE_ROWS));
    TRY(pending_rows_save(&jpg->saved, &jpg->request, jpg->y, jpg->samples, jpg->row_bytes,
                          jpg->kept, &mark->saved));
    return atomic_file_checkpoint(&jpg->file, &mark->length);
}

static enum status jpg_resume(void *state, const struct sink_request *request, const void *marked,
                              int32_t y)
{
    struct jpg *jpg = state;
    const struct jpg_mark *mark = marked;
    TRY(jpg_create(jpg, request));
    TRY(sink_file_open(&jpg->file, request, request->path, &mark->length));
    jpg->stream = jpg->file.stream;
    jpg->kept = y == request->field->height ? 0 : y % STRIPE_ROWS;
    jpg->y = y - jpg->kept;
    return pending_rows_load(&jpg->saved, request, jpg->y, jpg->samples, jpg->row_bytes, jpg->kept,
                             &mark->saved);
}

/* ---- rows from other processes ---- */

static int32_t jpg_part_rows(const struct sink_request *request)
{
    return request->field->height < STRIPE_ROWS ? request->field->height : STRIPE_ROWS;
}

static enum status part_write(const struct sink_request *request, const struct sink_rows *rows,
                              FILE *stream, uint32_t *sum)
{
    struct jpg jpg;
    enum status status = jpg_create(&jpg, request);
    jpg.stream = stream;
    jpg.y = rows->y;
    *sum = 0;
    if (status == STATUS_OK)
        status = rows_add(&jpg, rows);
    if (status == STATUS_OK)
        status = stripes_write(&jpg, jpg.kept);
    encoders_destroy(&jpg);
    return status;
}

static enum status jpg_part(const struct sink_request *request, const struct sink_rows *rows,
                            struct sink_part *part)
{
    return sink_part_stream(request, rows, part, part_write);
}

static enum status jpg_part_begin(void *state, uint64_t *offset)
{
    struct jpg *jpg = state;
    TRY(stripes_write(jpg, jpg->kept - jpg->kept % STRIPE_ROWS));
    if (jpg->kept > 0)
        return status_fail(STATUS_CANNOT_CREATE, "%s is not between two stripes", jpg->file.path);
    return atomic_file_checkpoint(&jpg->file, offset);
}

static enum status jpg_part_add(void *state, int32_t rows, uint64_t length, uint32_t sum)
{
    struct jpg *jpg = state;
    int file = fileno(jpg->file.stream);
    (void)sum;
    errno = 0;
    if (fseeko(jpg->file.stream, (off_t)length, SEEK_CUR) != 0)
        return write_fail(jpg, errno);
    jpg->y += rows;
    if (jpg->y == jpg->request.field->height)
        TRY(end_write(jpg));
    bool good = file_bytes_lock(file, true, 0, 0) && fflush(jpg->file.stream) == 0 &&
                file_bytes_lock(file, false, 0, 0);
    return good ? STATUS_OK : write_fail(jpg, errno);
}

static void jpg_close(void *state)
{
    struct jpg *jpg = state;
    encoders_destroy(jpg);
    atomic_file_abandon(&jpg->file);
}

extern const struct sink_kind sink_jpg;
const struct sink_kind sink_jpg = {
    .name = "jpg",
    .suffix = ".jpg",
    .other_suffix = ".jpeg",
    .summary = "the coloured picture as JPEG, 8 bit, with the view inside",
    .bits_least = 8,
    .bits_most = 8,
    .coloured = true,
    .quality = true,
    .file = sink_file_alone,
    .check = jpg_check,
    .bytes_max = jpg_bytes_max,
    .state_bytes = sizeof(struct jpg),
    .mark_bytes = sizeof(struct jpg_mark),
    .checkpoint = jpg_checkpoint,
    .resume = jpg_resume,
    .begin = jpg_begin,
    .rows = jpg_rows,
    .part_rows = jpg_part_rows,
    .part_make = jpg_part,
    .part_begin = jpg_part_begin,
    .part_add = jpg_part_add,
    .end = jpg_end,
    .close = jpg_close,
};
