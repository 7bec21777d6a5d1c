#include "render/file/png_writer.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "render/deflate/deflate.h"

enum {
    STRIPE_BYTES = 256 << 10, /* bytes of samples of a stripe, unless one row has more: fits the L2
                                 cache with its compressed bytes */
    /* stripes of a thread in a batch, so that threads seldom wait for its end */
    STRIPES_A_THREAD = 4,
    BATCH_BYTES_MOST = 64 << 20, /* largest batch, where rows are long */
    CHUNK_FRAME_BYTES = 12,      /* length, type, checksum */
    CHUNK_HEAD_BYTES = 8         /* bytes of the frame before the data */
};

/* Filters. CPU time on one core of a Xeon at 2.5 GHz in ms, and size in MB; 3840 x 2160, stripes of
 * 256 KiB. The filters alone take 14 to 18 ms, Paeth 50.
 *
 * 8 bits, sum of whole-set, seahorse, kf-1e50 and kf-5e113:
 *
 *              deflate_runs    ISA-L 2.30, level 0, codes of 1/8
 *     Sub      141, 46.8       338, 48.1
 *     Up       141, 47.3       340, 48.5
 *     Average  138, 45.4       338, 47.1
 *     Paeth    141, 45.4       341, 48.1
 *
 * zlib 1.2.13 at level 1 took 1857, 50.2 with Sub.
 *
 * 16 bits, whole-set and seahorse; high and low bytes alternate, so that codes of single bytes fit
 * neither:
 *
 *     Up       138, 66.4       347, 55.3
 *
 * libdeflate cannot end a piece at a byte. */
enum filter { FILTER_SUB = 1, FILTER_UP = 2, FILTER_AVERAGE = 3 };

struct stripe { /* stripe that has become chunks */
    size_t bytes;
    size_t filtered;
    uint32_t adler;
};

struct png_writer {
    struct atomic_file *file;
    struct png_shape shape;
    size_t pixel_bytes, row_bytes; /* bytes of a pixel, and of a row without its filter */
    int32_t stripe_rows, batch_rows;
    int32_t batch, y; /* first row of the batch, next row */
    uint8_t *samples; /* samples of the batch */
    int threads;
    struct packer *packer; /* [threads] */
    uint32_t adler;
    bool part;  /* writes a part of a file: nothing follows its rows */
    int failed; /* errno of a failed write */
};

/* ---- sizes ---- */

static size_t row_bytes_of(const struct png_shape *shape)
{
    return (size_t)shape->width * 3 * (size_t)(shape->bits / 8);
}

/* Most bytes of the file. A filter byte per row; stored blocks and chunks add less than a
 * thousandth. */
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

int32_t png_part_rows(const struct png_shape *shape)
{
    size_t stripe = 1 + STRIPE_BYTES / (row_bytes_of(shape) + 1);
    return (int32_t)size_least((size_t)shape->height, stripe);
}

static void stripes_choose(struct png_writer *writer)
{
    size_t rows = (size_t)writer->shape.height;
    size_t stripe = (size_t)png_part_rows(&writer->shape);
    size_t stripes = (rows + stripe - 1) / stripe;
    size_t most = omp_in_parallel() ? 1 : (size_t)omp_get_max_threads();
    size_t threads = size_least(most, stripes);
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

/* Closes a chunk around `length` bytes at chunk + CHUNK_HEAD_BYTES; returns the whole length. */
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
    const struct atomic_file *file = writer->file;
    if (atomic_file_stopped(file))
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

/* Writes a note. tEXt is Latin-1, iTXt is UTF-8 and has four more fields, all empty here. */
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

/* Writes gamma and colours of sRGB, times 100,000, for readers without sRGB chunks: white, red,
 * green, blue, each x and y. */
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

/* Writes the resolution, in pixels per metre. */
static enum status resolution_write(const struct png_writer *writer)
{
    uint8_t density[9] = {[8] = 1 /* metre */};
    if (!(writer->shape.dpi > 0))
        return STATUS_OK;
    for (int i = 0; i < 2; i++)
        bytes_set_big_endian(density + 4 * i, (uint32_t)lround(writer->shape.dpi / 0.0254));
    return chunk_write(writer, "pHYs", density, sizeof density);
}

/* Writes the head. Text stands before the pixels, so that only the start of a file is read for the
 * view. */
static enum status head_write(const struct png_writer *writer, const struct png_note *notes)
{
    uint8_t header[13] = {[8] = (uint8_t)writer->shape.bits, [9] = 2 /* RGB */};
    bytes_set_big_endian(header, (uint32_t)writer->shape.width);
    bytes_set_big_endian(header + 4, (uint32_t)writer->shape.height);
    TRY(bytes_write(writer, "\x89PNG\r\n\x1a\n", 8));
    TRY(chunk_write(writer, "IHDR", header, sizeof header));
    TRY(colour_space_write(writer));
    TRY(resolution_write(writer));
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

/* Differences row - before, byte by byte; `before` is the pixel to the left or the row above. */
static void differences(const uint8_t *restrict row, const uint8_t *restrict before, size_t bytes,
                        uint8_t *restrict out)
{
    for (size_t i = 0; i < bytes; i++)
        out[i] = (uint8_t)(row[i] - before[i]);
}

/* Differences to the mean of the pixel to the left and the row above, byte by byte. */
static void differences_to_mean(const uint8_t *restrict row, const uint8_t *restrict left,
                                const uint8_t *restrict above, size_t bytes, uint8_t *restrict out)
{
    for (size_t i = 0; i < bytes; i++) /* (left + above) / 2 in 8 bits */
        out[i] = (uint8_t)(row[i] - ((left[i] & above[i]) + ((left[i] ^ above[i]) >> 1)));
}

static void row_filter(const uint8_t *row, size_t bytes, size_t pixel, enum filter filter,
                       uint8_t *out)
{
    static const uint8_t none[2 * 3]; /* pixel to the left of the first one */
    const uint8_t *above = row - bytes;
    *out++ = (uint8_t)filter;
    if (filter == FILTER_UP) {
        differences(row, above, bytes, out);
    } else if (filter == FILTER_SUB) {
        differences(row, none, pixel, out);
        differences(row + pixel, row, bytes - pixel, out + pixel);
    } else {
        differences_to_mean(row, none, above, pixel, out);
        differences_to_mean(row + pixel, row, above + pixel, bytes - pixel, out + pixel);
    }
}

/* Filters a stripe. Its first row has no row above, since that may not be computed yet. */
static void stripe_filter(const struct png_writer *writer, const uint8_t *samples, int32_t rows,
                          uint8_t *out)
{
    size_t bytes = writer->row_bytes;
    enum filter filter = writer->shape.bits == 16 ? FILTER_UP : FILTER_AVERAGE;
    for (int32_t i = 0; i < rows; i++)
        row_filter(samples + (size_t)i * bytes, bytes, writer->pixel_bytes, i ? filter : FILTER_SUB,
                   out + (size_t)i * (bytes + 1));
}

/* Packs a stripe into chunks, without the stream's checksum. */
static struct stripe stripe_pack(const struct png_writer *writer, const struct packer *packer,
                                 int32_t first, int32_t rows)
{
    size_t length = (size_t)rows * (writer->row_bytes + 1), done = 0;
    struct stripe stripe = {.filtered = length};
    stripe_filter(writer, writer->samples + (size_t)(first - writer->batch) * writer->row_bytes,
                  rows, packer->in);
    while (done < length) {
        uint8_t *chunk = packer->out + stripe.bytes, *data = chunk + CHUNK_HEAD_BYTES;
        size_t part = size_least(length - done, DEFLATE_PIECE_MAX), used = 0;
        bool last = first + rows == writer->shape.height && done + part == length;
        if (first == 0 && done == 0) {
            zlib_header(data);
            used = ZLIB_HEADER_BYTES;
        }
        used += packer_piece(packer, writer->shape.bits, packer->in + done, part,
                             last ? DEFLATE_LAST : DEFLATE_MORE, data + used);
        stripe.bytes += chunk_close(chunk, "IDAT", used);
        done += part;
    }
    stripe.adler = deflate_adler(1, packer->in, length);
    return stripe;
}

/* Writes a stripe; called in their order. */
static void stripe_write(struct png_writer *writer, const struct packer *packer,
                         const struct stripe *stripe)
{
    const struct atomic_file *file = writer->file;
    if (writer->failed || atomic_file_stopped(file))
        return;
    errno = 0;
    if (fwrite(packer->out, 1, stripe->bytes, file->stream) != stripe->bytes)
        writer->failed = errno ? errno : EIO;
    writer->adler = deflate_adler_join(writer->adler, stripe->adler, stripe->filtered);
}

/* Makes rows; rows->row(0) is row `first` of the picture. */
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

/* Makes the rows up to `to`; the stripes of a complete batch then become chunks. */
static void batch_run(struct png_writer *writer, const struct png_rows *rows, int32_t rows_first,
                      int32_t to, int32_t batch_end)
{
    int32_t height = writer->stripe_rows, y = writer->y;
    bool whole = to == batch_end;
    int32_t begin = whole ? 0 : (y - writer->batch) / height;
    int32_t end = (to - writer->batch + height - 1) / height;
#pragma omp parallel for ordered schedule(dynamic, 1) num_threads(writer->threads)
    for (int32_t i = begin; i < end; i++) {
        const struct packer *packer = &writer->packer[omp_get_thread_num()];
        int32_t first = writer->batch + i * height;
        int32_t last = to - first < height ? to : first + height;
        struct stripe stripe;
        stripe_rows_make(writer, rows, rows_first, first > y ? first : y, last);
        if (whole)
            stripe = stripe_pack(writer, packer, first, last - first);
#pragma omp ordered
        if (whole)
            stripe_write(writer, packer, &stripe);
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
        if (writer->failed || atomic_file_stopped(writer->file))
            return write_failed(writer, writer->failed);
        writer->batch = to == batch_end ? to : writer->batch;
        writer->y = to;
    }
    return end == height && !writer->part ? tail_write(writer) : STATUS_OK;
}

/* ---- positions ---- */

static struct png_pending pending_of(const struct png_writer *writer)
{
    return (struct png_pending){writer->samples, writer->row_bytes, writer->y - writer->batch};
}

enum status png_writer_flush(struct png_writer *writer, struct png_position *position,
                             struct png_pending *pending)
{
    const struct png_rows none = {0}; /* all rows are there */
    int32_t stripes = (writer->y - writer->batch) / writer->stripe_rows;
    int32_t to = writer->batch + stripes * writer->stripe_rows;
    batch_run(writer, &none, writer->y, to, to);
    if (writer->failed || atomic_file_stopped(writer->file))
        return write_failed(writer, writer->failed);
    size_t done = (size_t)(to - writer->batch) * writer->row_bytes;
    memmove(writer->samples, writer->samples + done, (size_t)(writer->y - to) * writer->row_bytes);
    writer->batch = to;
    *pending = pending_of(writer);
    *position = (struct png_position){to, writer->adler};
    return STATUS_OK;
}

/* ---- rows apart ---- */

enum status png_part_make(const struct png_shape *shape, const char *name, int32_t first,
                          const struct png_rows *rows, FILE *stream, uint32_t *adler)
{
    const struct png_position begin = {first, 1};
    struct atomic_file file = {
        .stream = stream, .path = (char *)(uintptr_t)name, .folder = -1, .file = -1};
    struct png_writer *writer;
    struct png_position end = begin;
    struct png_pending pending;
    enum status status = png_writer_resume(&writer, &file, shape, &begin, first, &pending);
    if (status == STATUS_OK) {
        writer->part = true;
        status = png_writer_add(writer, rows);
    }
    if (status == STATUS_OK)
        status = png_writer_flush(writer, &end, &pending);
    png_writer_destroy(writer);
    assert(status != STATUS_OK || end.first == first + rows->count);
    *adler = end.adler;
    return status;
}

bool png_writer_is_between(const struct png_writer *writer)
{
    return writer->y == writer->batch && writer->y % writer->stripe_rows == 0;
}

enum status png_writer_skip(struct png_writer *writer, int32_t rows, uint64_t bytes, uint32_t adler)
{
    size_t filtered = (size_t)rows * (writer->row_bytes + 1);
    assert(png_writer_is_between(writer));
    if (fseeko(writer->file->stream, (off_t)bytes, SEEK_CUR) != 0)
        return write_failed(writer, errno);
    writer->adler = deflate_adler_join(writer->adler, adler, filtered);
    writer->y += rows;
    writer->batch = writer->y;
    return writer->y == writer->shape.height ? tail_write(writer) : STATUS_OK;
}

/* ---- creation ---- */

static bool memory_take(struct png_writer *writer)
{
    writer->samples = malloc((size_t)writer->batch_rows * writer->row_bytes);
    writer->packer = packers_create(writer->threads, filtered_most(writer), packed_most(writer));
    return writer->samples && writer->packer;
}

static enum status writer_create(struct png_writer **created, struct atomic_file *file,
                                 const struct png_shape *shape)
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
    if (writer && memory_take(writer))
        return STATUS_OK;
    return status_fail(STATUS_OUT_OF_MEMORY, "no memory to write %s", file->path);
}

enum status png_writer_create(struct png_writer **writer, struct atomic_file *file,
                              const struct png_shape *shape, const struct png_note *notes)
{
    TRY(writer_create(writer, file, shape));
    return head_write(*writer, notes);
}

enum status png_writer_resume(struct png_writer **created, struct atomic_file *file,
                              const struct png_shape *shape, const struct png_position *position,
                              int32_t y, struct png_pending *pending)
{
    TRY(writer_create(created, file, shape));
    struct png_writer *writer = *created;
    bool fits =
        position->first == y ||
        (position->first < y && y - position->first < writer->stripe_rows && y < shape->height);
    if (position->first < 0 || !fits ||
        (position->first % writer->stripe_rows != 0 && position->first != shape->height))
        return status_fail(STATUS_BAD_DATA,
                           "cannot go on with %s: what was noted of it is damaged; begin anew",
                           file->path);
    writer->batch = position->first;
    writer->y = y;
    writer->adler = position->adler;
    *pending = pending_of(writer);
    return STATUS_OK;
}

void png_writer_destroy(struct png_writer *writer)
{
    if (!writer)
        return;
    packers_destroy(writer->packer, writer->threads);
    free(writer->samples);
    free(writer);
}
