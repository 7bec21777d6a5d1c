#include "render/png_writer.h"

#include <errno.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "render/deflate.h"

enum {
    STRIPE_BYTES = 256 << 10,    /* of samples, or one row: with what they become in the L2 cache */
    STRIPES_A_THREAD = 4,        /* of a batch, so that threads seldom wait for its end */
    BATCH_BYTES_MOST = 64 << 20, /* if rows are long */
    CHUNK_FRAME_BYTES = 12,      /* length, type, checksum */
    CHUNK_HEAD_BYTES = 8         /* of which before the data */
};

/* CPU time on one core of a Xeon at 2.5 GHz, 3840 x 2160, stripes of 256 KiB, the least of three,
 * in ms and MB; 8 bit: sum of whole-set, seahorse, kf-1e50 and kf-5e113, 16 bit: without the last.
 * Codes: Huffman codes made for each stripe from all of it or from a part in its middle.
 *                    ISA-L 2.30, level 0, with codes                level 3      zlib 1.2.13, 1
 *                    its own      of all      of 1/8     of 1/16
 *     8 bit:  Sub    311, 58.3    585, 47.9   357, 48.1  340, 48.3  616, 47.7    1857, 50.2
 *             Up     307, 58.6    584, 48.4   367, 48.5             612, 48.2    1986, 50.6
 *             Paeth                           357, 48.1
 *     16 bit: Sub    500, 128.0   938, 100.0  569, 100.3 538, 102.2 919, 97.5    3752, 102.4
 *             Up     505, 120.8   900, 94.9   554, 95.2             917, 94.7    3646, 98.2
 * Average is another 2 % smaller at 8 bit, and takes 5 % longer to filter. libdeflate cannot end a
 * piece at a byte. */
enum filter { FILTER_SUB = 1, FILTER_UP = 2 };

struct worker {
    struct deflater *deflater;
    uint8_t *filtered, *packed;
};

struct stripe { /* one that has become chunks */
    size_t bytes;
    size_t filtered;
    uint32_t adler;
};

struct png_writer {
    struct whole_file *file;
    struct png_shape shape;
    size_t pixel_bytes, row_bytes; /* of a row without its filter */
    int32_t stripe_rows, batch_rows;
    int32_t batch, y; /* first row of the batch, next row */
    uint8_t *samples; /* of the batch */
    int threads;
    struct worker *worker; /* [threads] */
    uint32_t adler;
    int failed; /* errno of a write */
};

/* ---- sizes ---- */

static size_t row_bytes_of(const struct png_shape *shape)
{
    return (size_t)shape->width * 3 * (size_t)(shape->bits / 8);
}

/* A filter byte a row; stored blocks and chunks add less than a thousandth. */
uint64_t png_bytes_most(const struct png_shape *shape, uint64_t note_bytes)
{
    uint64_t raw;
    if (__builtin_mul_overflow((uint64_t)row_bytes_of(shape) + 1, (uint64_t)shape->height, &raw) ||
        raw > UINT64_MAX / 2)
        return UINT64_MAX;
    return raw + raw / 1000 + note_bytes + 4096;
}

static size_t size_least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static void stripes_choose(struct png_writer *writer)
{
    size_t rows = (size_t)writer->shape.height;
    size_t stripe = size_least(rows, 1 + STRIPE_BYTES / (writer->row_bytes + 1));
    size_t stripes = (rows + stripe - 1) / stripe;
    size_t threads = size_least((size_t)omp_get_max_threads(), stripes);
    size_t fit = 1 + BATCH_BYTES_MOST / (stripe * writer->row_bytes);
    threads = size_least(threads, fit);
    stripes = size_least(size_least(stripes, threads * STRIPES_A_THREAD), fit);
    writer->threads = (int)threads;
    writer->stripe_rows = (int32_t)stripe;
    writer->batch_rows = (int32_t)size_least(rows, stripes * stripe);
}

static size_t filtered_most(const struct png_writer *writer)
{
    return (size_t)writer->stripe_rows * (writer->row_bytes + 1);
}

static size_t packed_most(const struct png_writer *writer)
{
    size_t filtered = filtered_most(writer);
    size_t chunks = 1 + filtered / DEFLATE_PIECE_MAX;
    return chunks * (CHUNK_FRAME_BYTES + deflate_most(0)) + deflate_most(filtered) +
           ZLIB_HEADER_BYTES;
}

/* ---- chunks ---- */

/* Around `length` bytes that stand at chunk + CHUNK_HEAD_BYTES; the whole length. */
static size_t chunk_close(uint8_t *chunk, const char *type, size_t length)
{
    bytes_set_big_endian(chunk, (uint32_t)length);
    memcpy(chunk + 4, type, 4);
    uint32_t crc = deflate_crc(0, chunk + 4, length + 4);
    bytes_set_big_endian(chunk + CHUNK_HEAD_BYTES + length, crc);
    return length + CHUNK_FRAME_BYTES;
}

static enum status write_failed(const struct png_writer *writer, int reason)
{
    const struct whole_file *file = writer->file;
    if (whole_file_stopped(file))
        return status_fail(STATUS_STOPPED, "stopped on request while writing %s", file->path);
    return status_fail(STATUS_IO, "cannot write %s: %s", file->path, strerror(reason));
}

static enum status bytes_write(const struct png_writer *writer, const void *bytes, size_t length)
{
    return fwrite(bytes, 1, length, writer->file->stream) == length ? STATUS_OK
                                                                    : write_failed(writer, errno);
}

static enum status chunk_write(const struct png_writer *writer, const char *type, const void *data,
                               size_t length)
{
    uint8_t *chunk = malloc(length + CHUNK_FRAME_BYTES);
    if (!chunk)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory to write %s", writer->file->path);
    memcpy(chunk + CHUNK_HEAD_BYTES, data, length);
    enum status status = bytes_write(writer, chunk, chunk_close(chunk, type, length));
    free(chunk);
    return status;
}

/* tEXt is Latin-1, iTXt is UTF-8 and has four fields more, all empty here. */
static enum status note_write(const struct png_writer *writer, const struct png_note *note)
{
    bool ascii = true;
    for (const char *c = note->text; *c; c++)
        ascii = ascii && (unsigned char)*c < 128;
    size_t key = strlen(note->key) + 1, text = strlen(note->text), between = ascii ? 0 : 4;
    uint8_t *data = calloc(1, key + between + text);
    if (!data)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory to write %s", writer->file->path);
    memcpy(data, note->key, key);
    memcpy(data + key + between, note->text, text);
    enum status status = chunk_write(writer, ascii ? "tEXt" : "iTXt", data, key + between + text);
    free(data);
    return status;
}

/* The gamma and the colours of sRGB, times 100,000, for readers that do not know the name: white,
 * red, green, blue, each x and y. */
static enum status colour_space_write(const struct png_writer *writer)
{
    static const uint32_t primaries[8] = {31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000};
    uint8_t gamma[4], perceptual = 0, chromaticities[32];
    bytes_set_big_endian(gamma, 45455);
    for (int i = 0; i < 8; i++)
        bytes_set_big_endian(chromaticities + (size_t)4 * (size_t)i, primaries[i]);
    TRY(chunk_write(writer, "gAMA", gamma, sizeof gamma));
    TRY(chunk_write(writer, "sRGB", &perceptual, 1));
    return chunk_write(writer, "cHRM", chromaticities, sizeof chromaticities);
}

/* Text stands before the pixels, so that finding the view reads the start of a file only. */
static enum status head_write(const struct png_writer *writer, const struct png_note *notes)
{
    uint8_t header[13] = {[8] = (uint8_t)writer->shape.bits, [9] = 2 /* RGB */};
    bytes_set_big_endian(header, (uint32_t)writer->shape.width);
    bytes_set_big_endian(header + 4, (uint32_t)writer->shape.height);
    TRY(bytes_write(writer, "\x89PNG\r\n\x1a\n", 8));
    TRY(chunk_write(writer, "IHDR", header, sizeof header));
    TRY(colour_space_write(writer));
    for (; notes->key; notes++)
        if (notes->text && *notes->text)
            TRY(note_write(writer, notes));
    return STATUS_OK;
}

/* ---- stripes ---- */

static void samples_swap(uint8_t *samples, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += 2) {
        uint8_t first = samples[i];
        samples[i] = samples[i + 1];
        samples[i + 1] = first;
    }
}

/* row - before, byte by byte; `before` is the pixel to the left or the row above. */
static void differences(const uint8_t *restrict row, const uint8_t *restrict before, size_t bytes,
                        uint8_t *restrict out)
{
    for (size_t i = 0; i < bytes; i++)
        out[i] = (uint8_t)(row[i] - before[i]);
}

/* The first row of a stripe knows no row above, since that may not be there yet. */
static void stripe_filter(const struct png_writer *writer, const uint8_t *samples, int32_t rows,
                          uint8_t *out)
{
    size_t bytes = writer->row_bytes, pixel = writer->pixel_bytes;
    for (int32_t i = 0; i < rows; i++, samples += bytes, out += bytes + 1) {
        bool up = writer->shape.bits == 16 && i > 0;
        out[0] = up ? FILTER_UP : FILTER_SUB;
        if (up) {
            differences(samples, samples - bytes, bytes, out + 1);
        } else {
            memcpy(out + 1, samples, pixel);
            differences(samples + pixel, samples, bytes - pixel, out + 1 + pixel);
        }
    }
}

/* The chunks of a stripe, without the stream's sum. */
static struct stripe stripe_pack(const struct png_writer *writer, const struct worker *worker,
                                 int32_t first, int32_t rows)
{
    size_t length = (size_t)rows * (writer->row_bytes + 1), done = 0;
    struct stripe stripe = {.filtered = length};
    stripe_filter(writer, writer->samples + (size_t)(first - writer->batch) * writer->row_bytes,
                  rows, worker->filtered);
    while (done < length) {
        uint8_t *chunk = worker->packed + stripe.bytes, *data = chunk + CHUNK_HEAD_BYTES;
        size_t part = size_least(length - done, DEFLATE_PIECE_MAX), used = 0;
        bool last = first + rows == writer->shape.height && done + part == length;
        if (first == 0 && done == 0) {
            zlib_header(data);
            used = ZLIB_HEADER_BYTES;
        }
        used += deflate_piece(worker->deflater, worker->filtered + done, part,
                              last ? DEFLATE_LAST : DEFLATE_MORE, data + used);
        stripe.bytes += chunk_close(chunk, "IDAT", used);
        done += part;
    }
    stripe.adler = deflate_adler(1, worker->filtered, length);
    return stripe;
}

/* In the order of the stripes. */
static void stripe_write(struct png_writer *writer, const struct worker *worker,
                         const struct stripe *stripe)
{
    const struct whole_file *file = writer->file;
    if (writer->failed || whole_file_stopped(file))
        return;
    errno = 0;
    if (fwrite(worker->packed, 1, stripe->bytes, file->stream) != stripe->bytes)
        writer->failed = errno ? errno : EIO;
    writer->adler = deflate_adler_join(writer->adler, stripe->adler, stripe->filtered);
}

/* rows->row(0) is row `first` of the picture. */
static void stripe_rows_make(const struct png_writer *writer, const struct png_rows *rows,
                             int32_t first, int32_t from, int32_t to)
{
    for (int32_t y = from; y < to; y++) {
        uint8_t *samples = writer->samples + (size_t)(y - writer->batch) * writer->row_bytes;
        rows->row(rows->context, y - first, samples);
        if (writer->shape.bits == 16 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
            samples_swap(samples, writer->row_bytes);
    }
}

/* ---- batches ---- */

/* Makes the rows up to `to`; the stripes of a batch that is whole then become chunks. */
static void batch_run(struct png_writer *writer, const struct png_rows *rows, int32_t rows_first,
                      int32_t to, int32_t batch_end)
{
    int32_t height = writer->stripe_rows, y = writer->y;
    bool whole = to == batch_end;
    int32_t begin = whole ? 0 : (y - writer->batch) / height;
    int32_t end = (to - writer->batch + height - 1) / height;
#pragma omp parallel for ordered schedule(dynamic, 1) num_threads(writer->threads)
    for (int32_t i = begin; i < end; i++) {
        const struct worker *worker = &writer->worker[omp_get_thread_num()];
        int32_t first = writer->batch + i * height;
        int32_t last = to - first < height ? to : first + height;
        struct stripe stripe;
        stripe_rows_make(writer, rows, rows_first, first > y ? first : y, last);
        if (whole)
            stripe = stripe_pack(writer, worker, first, last - first);
#pragma omp ordered
        if (whole)
            stripe_write(writer, worker, &stripe);
    }
}

static enum status tail_write(const struct png_writer *writer)
{
    uint8_t sum[ZLIB_SUM_BYTES];
    bytes_set_big_endian(sum, writer->adler);
    TRY(chunk_write(writer, "IDAT", sum, sizeof sum));
    return chunk_write(writer, "IEND", "", 0);
}

enum status png_writer_add(struct png_writer *writer, const struct png_rows *rows)
{
    int32_t first = writer->y, end = first + rows->count, height = writer->shape.height;
    while (writer->y < end) {
        int32_t batch_left = height - writer->batch;
        int32_t batch_end =
            writer->batch + (batch_left < writer->batch_rows ? batch_left : writer->batch_rows);
        int32_t to = end < batch_end ? end : batch_end;
        batch_run(writer, rows, first, to, batch_end);
        if (writer->failed || whole_file_stopped(writer->file))
            return write_failed(writer, writer->failed);
        writer->batch = to == batch_end ? to : writer->batch;
        writer->y = to;
    }
    return end == height ? tail_write(writer) : STATUS_OK;
}

/* ---- creation ---- */

static bool memory_take(struct png_writer *writer)
{
    writer->samples = malloc((size_t)writer->batch_rows * writer->row_bytes);
    writer->worker = calloc((size_t)writer->threads, sizeof *writer->worker);
    bool all = writer->samples && writer->worker;
    for (int i = 0; all && i < writer->threads; i++) {
        struct worker *worker = &writer->worker[i];
        worker->deflater = deflater_create();
        worker->filtered = malloc(filtered_most(writer));
        worker->packed = malloc(packed_most(writer));
        all = worker->deflater && worker->filtered && worker->packed;
    }
    return all;
}

enum status png_writer_create(struct png_writer **created, struct whole_file *file,
                              const struct png_shape *shape, const struct png_note *notes)
{
    struct png_writer *writer = *created = calloc(1, sizeof *writer);
    if (writer) {
        *writer = (struct png_writer){.file = file,
                                      .shape = *shape,
                                      .pixel_bytes = (size_t)shape->bits / 8 * 3,
                                      .row_bytes = row_bytes_of(shape),
                                      .adler = 1};
        stripes_choose(writer);
    }
    if (!writer || !memory_take(writer))
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory to write %s", file->path);
    return head_write(writer, notes);
}

void png_writer_destroy(struct png_writer *writer)
{
    if (!writer)
        return;
    for (int i = 0; writer->worker && i < writer->threads; i++) {
        deflater_destroy(writer->worker[i].deflater);
        free(writer->worker[i].filtered);
        free(writer->worker[i].packed);
    }
    free(writer->worker);
    free(writer->samples);
    free(writer);
}
