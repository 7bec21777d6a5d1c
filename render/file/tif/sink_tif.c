/* The coloured picture as TIFF: tiles, deflate with horizontal differences, BigTIFF where 4 GiB may
 * not be enough. The colours are sRGB, with its profile.
 *
 * libtiff writes headers and directories; tiles are compressed here, by all threads. */
#include <errno.h>
#include <fcntl.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiffio.h>
#include <unistd.h>
#include <xxhash.h>

#include "render/colour/icc_srgb.h"
#include "render/deflate/deflate.h"
#include "render/disk/folder.h"
#include "render/disk/file_bytes.h"
#include "render/file/pending_rows.h"
#include "render/file/sink.h"
#include "render/file/tif/tif_image.h"
#include "render/file/tif/tif_overviews.h"
#include "render/file/tif/tif_text.h"

enum {
    /* most bytes of kept rows; tiles of wider pictures are less high */
    TILE_ROW_BYTES_MOST = 1 << 27,
    TILE_OVERHEAD_BYTES = 32,      /* offset and length in the directory of a BigTIFF */
    CLASSIC_BYTES_MOST = INT32_MAX /* largest classic TIFF: some readers take offsets as signed */
};

struct tif {
    const struct sink_request *request;
    struct atomic_file file;
    TIFF *tiff;
    char reason[STATUS_TEXT_BYTES / 2]; /* error text of libtiff */
    struct tif_shape shape;
    int32_t y, kept; /* y: first row of the tiles; kept: rows of them that are here */
    size_t row_bytes, pixel_bytes;
    uint8_t *samples; /* [tile_rows][row_bytes] */
    int threads;
    struct packer *packer; /* [threads] */
    struct pending_rows saved;
    FILE *sizes; /* sizes of the tiles, uint32_t each, if the file grows; their offsets follow from
                    them */
    uint64_t size_sum;    /* sum of all sizes */
    FILE *part;           /* stream that tiles go to instead of libtiff */
    bool replay;          /* the bytes that libtiff writes are in the file already */
    uint64_t offset, end; /* present offset of such a write, and end of the replayed bytes */
};

static const char sizes_suffix[] = ".sizes";

struct tif_mark {
    uint64_t length, size_sum;
    struct pending_mark saved;
};

/* ---- sizes ---- */

static struct tif_shape shape_of(const struct sink_request *request)
{
    uint64_t row_bytes = (uint64_t)request->field->width * tif_pixel_bytes(request->bits);
    int32_t rows = TIF_TILE_PX;
    while (rows > TIF_TILE_PX_LEAST && row_bytes * (uint64_t)rows > TILE_ROW_BYTES_MOST)
        rows /= 2;
    return (struct tif_shape){request->field->width, request->field->height, rows, request->bits};
}

static int32_t tile_rows_of(const struct sink_request *request)
{
    return shape_of(request).tile_rows;
}

static uint64_t tif_bytes_max(const struct sink_request *request)
{
    const struct tif_shape shape = shape_of(request);
    uint64_t tiles = (uint64_t)tif_tiles_across(&shape) * tif_tiles_down(&shape);
    uint64_t each = tif_tile_most(&shape) + TILE_OVERHEAD_BYTES;
    uint64_t text = request->view_text ? 2 * strlen(request->view_text) : 0, all;
    if (__builtin_mul_overflow(tiles, each, &all) ||
        __builtin_add_overflow(all, tif_overviews_bytes_most(request, &shape), &all) ||
        all > UINT64_MAX / 2)
        return UINT64_MAX;
    return all + text + (request->title ? strlen(request->title) : 0) + ICC_SRGB_BYTES + 4096;
}

/* ---- libtiff ---- */

__attribute__((format(printf, 4, 0))) static int said(TIFF *tiff, void *context, const char *module,
                                                      const char *format, va_list words)
{
    struct tif *tif = context;
    (void)tiff;
    (void)module;
    vsnprintf(tif->reason, sizeof tif->reason, format, words);
    return 1; /* other handlers are not called */
}

static int hushed(TIFF *tiff, void *context, const char *module, const char *format, va_list words)
{
    (void)tiff, (void)context, (void)module, (void)format, (void)words;
    return 1;
}

/* Reads what libtiff has written: the directory before, to link the next one. */
static tmsize_t file_read(thandle_t context, void *to, tmsize_t length)
{
    struct tif *tif = context;
    off_t offset = tif->replay ? -1 : ftello(tif->file.stream);
    return offset >= 0 && fflush(tif->file.stream) == 0 &&
                   file_bytes_get(fileno(tif->file.stream), to, (size_t)length, offset) &&
                   fseeko(tif->file.stream, offset + length, SEEK_SET) == 0
               ? length
               : 0;
}

static tmsize_t file_write(thandle_t context, void *from, tmsize_t length)
{
    struct tif *tif = context;
    if (tif->replay) {
        tif->offset += (uint64_t)length;
        tif->end = tif->offset > tif->end ? tif->offset : tif->end;
        return length;
    }
    return (tmsize_t)fwrite(from, 1, (size_t)length, tif->file.stream);
}

static toff_t file_seek(thandle_t context, toff_t offset, int from)
{
    struct tif *tif = context;
    if (tif->replay) {
        tif->offset =
            from == SEEK_SET ? offset : (from == SEEK_CUR ? tif->offset : tif->end) + offset;
        return tif->offset;
    }
    return fseeko(tif->file.stream, (off_t)offset, from) == 0 ? (toff_t)ftello(tif->file.stream)
                                                              : (toff_t)-1;
}

static int file_close(thandle_t context)
{
    (void)context; /* the whole file does */
    return 0;
}

static toff_t file_size(thandle_t context)
{
    toff_t size = file_seek(context, 0, SEEK_END);
    return size == (toff_t)-1 ? 0 : size;
}

/* Reports a failure of libtiff. libtiff 4.5 goes on after it ran out of memory and later
 * dereferences what is missing, so it is not called again. */
static enum status tif_failed(struct tif *tif, int reason)
{
    if (errno == ENOMEM) {
        tif->tiff = NULL;
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory to write %s", tif->request->path);
    }
    TRY(sink_stopped(tif->request));
    return status_fail(STATUS_IO, "cannot write %s: %s", tif->request->path,
                       reason         ? strerror(reason)
                       : *tif->reason ? tif->reason
                                      : "libtiff gives no reason");
}

static enum status tiff_open(struct tif *tif)
{
    bool big = tif_bytes_max(tif->request) > CLASSIC_BYTES_MOST;
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (options) {
        TIFFOpenOptionsSetErrorHandlerExtR(options, said, tif);
        TIFFOpenOptionsSetWarningHandlerExtR(options, hushed, NULL);
        errno = 0;
        tif->tiff =
            TIFFClientOpenExt(tif->request->path, big ? "w8" : "w4", tif, file_read, file_write,
                              file_seek, file_close, file_size, NULL, NULL, options);
        TIFFOpenOptionsFree(options);
    }
    return tif->tiff && errno != ENOMEM ? STATUS_OK : tif_failed(tif, errno);
}

/* Writes the view behind the header that libtiff has just written. */
static enum status view_write(struct tif *tif)
{
    const struct sink_request *request = tif->request;
    const struct png_facts facts = {(uint32_t)request->field->width,
                                    (uint32_t)request->field->height, request->bits};
    size_t length = request->view_text ? strlen(request->view_text) : 0;
    char mark[TIF_MARK_BYTES];
    errno = 0;
    if (length == 0)
        return STATUS_OK;
    size_t marked = tif_text_mark(mark, &facts, length);
    if (file_write(tif, mark, (tmsize_t)marked) != (tmsize_t)marked ||
        file_write(tif, (void *)(uintptr_t)request->view_text, (tmsize_t)length) !=
            (tmsize_t)length)
        return tif_failed(tif, errno);
    return STATUS_OK;
}

static enum status tags_set(struct tif *tif)
{
    const struct sink_request *request = tif->request;
    TIFF *tiff = tif->tiff;
    uint8_t profile[ICC_SRGB_BYTES];
    bool sized = request->dpi > 0; /* else pixels are square, and of no size */
    icc_srgb_make(profile);
    errno = 0;
    bool good = tif_shape_set(tiff, &tif->shape) &&
                TIFFSetField(tiff, TIFFTAG_RESOLUTIONUNIT, sized ? RESUNIT_INCH : RESUNIT_NONE) &&
                TIFFSetField(tiff, TIFFTAG_XRESOLUTION, sized ? request->dpi : 1.0) &&
                TIFFSetField(tiff, TIFFTAG_YRESOLUTION, sized ? request->dpi : 1.0) &&
                TIFFSetField(tiff, TIFFTAG_ICCPROFILE, (uint32_t)sizeof profile, profile) &&
                TIFFSetField(tiff, TIFFTAG_SOFTWARE, "deepfield");
    if (good && request->title && *request->title)
        good = TIFFSetField(tiff, TIFFTAG_DOCUMENTNAME, request->title);
    if (good && request->view_text)
        good = TIFFSetField(tiff, TIFFTAG_IMAGEDESCRIPTION, request->view_text);
    return good && errno != ENOMEM ? STATUS_OK : tif_failed(tif, 0);
}

/* ---- tiles ---- */

static size_t tile_pack(const struct tif *tif, const struct packer *packer, uint32_t column)
{
    size_t across = (size_t)TIF_TILE_PX * tif->pixel_bytes, from = column * across;
    size_t there = tif->row_bytes - from < across ? tif->row_bytes - from : across;
    return tif_tile_pack(packer, &tif->shape, tif->samples + from, tif->row_bytes, there,
                         tif->kept);
}

static bool tile_write(const struct tif *tif, uint32_t number, void *bytes, size_t length)
{
    if (tif->part)
        return fwrite(bytes, 1, length, tif->part) == length;
    return TIFFWriteRawTile(tif->tiff, number, bytes, (tmsize_t)length) >= 0;
}

/* Notes the size of a tile, in the order of the tiles. */
static bool size_note(struct tif *tif, size_t length)
{
    uint32_t size = (uint32_t)length;
    tif->size_sum = XXH3_64bits_withSeed(&size, sizeof size, tif->size_sum);
    return !tif->sizes || fwrite(&size, sizeof size, 1, tif->sizes) == 1;
}

/* Writes the tiles of the rows that are kept. */
static enum status tiles_write(struct tif *tif)
{
    uint32_t across = tif_tiles_across(&tif->shape);
    uint32_t first = (uint32_t)(tif->y / tif->shape.tile_rows) * across;
    int reason = 0;
    bool failed = false;
#pragma omp parallel for ordered schedule(dynamic, 1) num_threads(tif->threads)
    for (uint32_t column = 0; column < across; column++) {
        const struct packer *packer = &tif->packer[omp_get_thread_num()];
        size_t length = tile_pack(tif, packer, column);
#pragma omp ordered
        {
            errno = 0;
            if (!failed && !atomic_file_stopped(&tif->file) &&
                (!tile_write(tif, first + column, packer->out, length) ||
                 !size_note(tif, length))) {
                failed = true;
                reason = errno;
            }
        }
    }
    TRY(sink_stopped(tif->request));
    return failed ? tif_failed(tif, reason) : STATUS_OK;
}

static enum status tif_rows(void *state, const struct sink_rows *rows)
{
    struct tif *tif = state;
    int32_t left = rows->height, height = tif->request->field->height, taken = 0;
    for (int32_t count; left > 0; left -= count, taken += count) {
        int32_t room = tif->shape.tile_rows - tif->kept;
        count = left < room ? left : room;
#pragma omp parallel for schedule(dynamic, 8) num_threads(tif->threads)
        for (int32_t row = 0; row < count; row++)
            sink_colour_row(tif->request, rows, taken + row,
                            tif->samples + (size_t)(tif->kept + row) * tif->row_bytes);
        tif->kept += count;
        if (tif->kept < tif->shape.tile_rows && tif->y + tif->kept < height)
            continue;
        TRY(tiles_write(tif));
        tif->y += tif->kept;
        tif->kept = 0;
    }
    return STATUS_OK;
}

/* ---- beginning and end ---- */

static bool memory_take(struct tif *tif)
{
    tif->samples = malloc((size_t)tif->shape.tile_rows * tif->row_bytes);
    tif->packer =
        packers_create(tif->threads, tif_tile_bytes(&tif->shape), tif_tile_most(&tif->shape));
    return tif->samples && tif->packer;
}

static enum status sizes_open(struct tif *tif)
{
    enum sink_side_use use = tif->replay ? SINK_SIDE_THERE : SINK_SIDE_NEW;
    if (!tif->request->growing_folder)
        return STATUS_OK;
    int file = sink_side_open(tif->request, sizes_suffix, use);
    tif->sizes = file >= 0 ? fdopen(file, tif->replay ? "r+b" : "w+b") : NULL;
    if (tif->sizes)
        return STATUS_OK;
    int reason = errno;
    if (file >= 0)
        close(file);
    return status_fail(tif->replay ? STATUS_BAD_DATA : STATUS_CANNOT_CREATE,
                       "cannot open %s.sizes in %s: %s", tif->request->path,
                       tif->request->growing_folder, folder_reason(reason));
}

static struct tif tif_of(const struct sink_request *request)
{
    struct tif tif = {.request = request,
                      .shape = shape_of(request),
                      .pixel_bytes = tif_pixel_bytes(request->bits),
                      .threads = omp_get_max_threads()};
    uint32_t across = tif_tiles_across(&tif.shape);
    tif.threads = across < (uint32_t)tif.threads ? (int)across : tif.threads;
    tif.row_bytes = (size_t)request->field->width * tif.pixel_bytes;
    return tif;
}

/* Opens libtiff on a new file, or on one to resume. */
static enum status tif_open(struct tif *tif, const struct sink_request *request,
                            const uint64_t *length)
{
    *tif = tif_of(request);
    tif->replay = length != NULL;
    TRY(sink_file_open(&tif->file, request, request->path, length));
    TRY(sizes_open(tif));
    if (!memory_take(tif))
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory to write %s", request->path);
    TRY(tiff_open(tif));
    TRY(view_write(tif));
    return tags_set(tif);
}

static enum status tif_begin(void *state, const struct sink_request *request)
{
    return tif_open(state, request, NULL);
}

/* ---- going on ---- */

static enum status tif_checkpoint(void *state, void *marked)
{
    struct tif *tif = state;
    struct tif_mark *mark = marked;
    errno = 0;
    if (tif->sizes &&
        (fflush(tif->sizes) != 0 || TEMP_FAILURE_RETRY(fdatasync(fileno(tif->sizes))) != 0))
        return tif_failed(tif, errno);
    TRY(pending_rows_save(&tif->saved, tif->request, tif->y / tif->shape.tile_rows, tif->samples,
                          tif->row_bytes, tif->kept, &mark->saved));
    mark->size_sum = tif->size_sum;
    if (fseeko(tif->file.stream, 0, SEEK_END) != 0)
        return tif_failed(tif, errno);
    return atomic_file_checkpoint(&tif->file, &mark->length);
}

static enum status place_wrong(const struct tif *tif)
{
    return status_fail(STATUS_BAD_DATA,
                       "cannot go on with %s: its tiles end before row %d; begin anew",
                       tif->request->path, tif->y + tif->kept);
}

/* Number of tiles that begin above row y. */
static uint64_t tiles_before(const struct tif_shape *shape, int32_t y)
{
    const struct tif_shape above = {shape->width, y, shape->tile_rows, shape->bits};
    return (uint64_t)tif_tiles_across(&above) * tif_tiles_down(&above);
}

/* Replays the tiles of `rows` rows from row y on to libtiff, so that it knows their offsets; the
 * file ends at `end` then. It is given bytes that it only seems to write. */
static enum status tiles_replay(struct tif *tif, int32_t y, int32_t rows, uint64_t end)
{
    uint64_t first = tiles_before(&tif->shape, y), behind = tiles_before(&tif->shape, y + rows);
    size_t most = tif_tile_most(&tif->shape);
    for (uint64_t tile = first; tile < behind; tile++) {
        uint32_t size;
        if (!file_bytes_get(fileno(tif->sizes), &size, sizeof size, (off_t)(tile * sizeof size)) ||
            size == 0 || size > most || tif->end + size > end)
            return place_wrong(tif);
        if (TIFFWriteRawTile(tif->tiff, (uint32_t)tile, tif->packer[0].out, (tmsize_t)size) < 0)
            return tif_failed(tif, 0);
        tif->size_sum = XXH3_64bits_withSeed(&size, sizeof size, tif->size_sum);
    }
    errno = 0;
    if (fseeko(tif->sizes, (off_t)(behind * sizeof(uint32_t)), SEEK_SET) != 0)
        return tif_failed(tif, errno);
    return tif->end == end ? STATUS_OK : place_wrong(tif);
}

static enum status tif_resume(void *state, const struct sink_request *request, const void *marked,
                              int32_t y)
{
    struct tif *tif = state;
    const struct tif_mark *mark = marked;
    int32_t begun = y == request->field->height ? 0 : y % tile_rows_of(request);
    TRY(tif_open(tif, request, &mark->length));
    tif->y = y - begun;
    tif->kept = begun;
    memset(tif->packer[0].out, 0, tif_tile_most(&tif->shape));
    TRY(tiles_replay(tif, 0, tif->y, mark->length));
    if (tif->size_sum != mark->size_sum)
        return place_wrong(tif);
    tif->replay = false;
    if (fseeko(tif->file.stream, 0, SEEK_END) != 0)
        return tif_failed(tif, errno);
    return pending_rows_load(&tif->saved, request, tif->y / tif->shape.tile_rows, tif->samples,
                             tif->row_bytes, begun, &mark->saved);
}

/* ---- rows from other processes --------------------------------------------------------------- */

/* Writes the tiles and, behind them, their sizes, which go to the file of sizes. */
static enum status part_write(const struct sink_request *request, const struct sink_rows *rows,
                              FILE *stream, uint32_t *sizes_bytes)
{
    struct tif tif = tif_of(request);
    char *sizes = NULL;
    size_t length = 0;
    tif.part = stream;
    tif.y = rows->y;
    tif.sizes = open_memstream(&sizes, &length);
    enum status status = STATUS_OK;
    if (memory_take(&tif) && tif.sizes)
        status = tif_rows(&tif, rows);
    else
        status = status_fail(STATUS_OUT_OF_MEMORY, "no memory to write %s", request->path);
    bool good = tif.sizes && fclose(tif.sizes) == 0;
    if (status == STATUS_OK && !(good && fwrite(sizes, 1, length, stream) == length))
        status = status_fail(STATUS_OUT_OF_MEMORY, "no memory to write %s", request->path);
    *sizes_bytes = (uint32_t)length;
    packers_destroy(tif.packer, tif.threads);
    free(tif.samples);
    free(sizes);
    return status;
}

static enum status tif_part(const struct sink_request *request, const struct sink_rows *rows,
                            struct sink_part *part)
{
    const struct tif_shape shape = shape_of(request);
    TRY(sink_part_stream(request, rows, part, part_write));
    uint32_t sizes = part->sum;
    part->sum = 0;
    part->length -= sizes;
    part->range[0].length = part->length;
    part->range[part->ranges++] =
        (struct byte_range){.side = sizes_suffix,
                            .offset = tiles_before(&shape, rows->y) * sizeof(uint32_t),
                            .bytes = (const char *)part->made + part->length,
                            .length = sizes};
    return STATUS_OK;
}

static enum status tif_part_begin(void *state, uint64_t *offset)
{
    struct tif *tif = state;
    if (tif->kept > 0)
        return status_fail(STATUS_CANNOT_CREATE, "%s is not between two rows of tiles",
                           tif->request->path);
    errno = 0;
    if (fflush(tif->sizes) != 0 || fseeko(tif->file.stream, 0, SEEK_END) != 0)
        return tif_failed(tif, errno);
    TRY(atomic_file_checkpoint(&tif->file, offset));
    tif->end = *offset;
    memset(tif->packer[0].out, 0, tif_tile_most(&tif->shape));
    return STATUS_OK;
}

static enum status tif_part_add(void *state, int32_t rows, uint64_t length, uint32_t sum)
{
    struct tif *tif = state;
    int file = fileno(tif->file.stream), sizes = fileno(tif->sizes);
    (void)sum;
    errno = 0;
    if (!file_bytes_lock(file, true, 0, 0) || !file_bytes_lock(sizes, true, 0, 0))
        return tif_failed(tif, errno);
    tif->replay = true;
    enum status status = tiles_replay(tif, tif->y, rows, tif->end + length);
    tif->replay = false;
    tif->y += rows;
    bool good = fseeko(tif->file.stream, 0, SEEK_END) == 0 && file_bytes_lock(sizes, false, 0, 0) &&
                file_bytes_lock(file, false, 0, 0);
    return status == STATUS_OK && !good ? tif_failed(tif, errno) : status;
}

static enum status tif_end(void *state, struct atomic_file_set *set)
{
    struct tif *tif = state;
    const struct tif_overviews overviews = {.tiff = tif->tiff,
                                            .stream = tif->file.stream,
                                            .request = tif->request,
                                            .shape = tif->shape,
                                            .threads = tif->threads,
                                            .packer = tif->packer};
    if (!tif_overviews_write(&overviews))
        return tif_failed(tif, errno);
    TIFFClose(tif->tiff);
    tif->tiff = NULL;
    return atomic_file_set_add(set, &tif->file);
}

static void tif_close(void *state)
{
    struct tif *tif = state;
    tif->replay = true; /* libtiff writes a directory also now; a resumed sink writes it again */
    if (tif->tiff)
        TIFFClose(tif->tiff);
    if (tif->sizes)
        fclose(tif->sizes);
    packers_destroy(tif->packer, tif->threads);
    free(tif->samples);
    atomic_file_abandon(&tif->file);
}

extern const struct sink_kind sink_tif;
const struct sink_kind sink_tif = {
    .name = "tif",
    .suffix = ".tif",
    .other_suffix = ".tiff",
    .summary = "the coloured picture in tiles, 8 or 16 bit, also beyond 4 GB",
    .bits_least = 8,
    .bits_most = 16,
    .coloured = true,
    .overviews = true,
    .positions = true,
    .file = sink_file_alone,
    .bytes_max = tif_bytes_max,
    .state_bytes = sizeof(struct tif),
    .mark_bytes = sizeof(struct tif_mark),
    .checkpoint = tif_checkpoint,
    .resume = tif_resume,
    .begin = tif_begin,
    .rows = tif_rows,
    .part_rows = tile_rows_of,
    .part_make = tif_part,
    .part_begin = tif_part_begin,
    .part_add = tif_part_add,
    .end = tif_end,
    .close = tif_close,
};
