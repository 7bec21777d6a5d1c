/* The coloured picture as PNG. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "render/disk/file_bytes.h"
#include "render/file/pending_rows.h"
#include "render/file/png_text.h"
#include "render/file/png_writer.h"
#include "render/file/sink.h"

struct png {
    const struct sink_request *request;
    struct atomic_file file;
    struct png_writer *writer;
    struct pending_rows pending;
};

struct png_mark {
    uint64_t length;
    struct png_position position;
    struct pending_mark pending;
};

static struct png_shape shape_of(const struct sink_request *request)
{
    return (struct png_shape){request->field->width, request->field->height, request->bits,
                              request->dpi};
}

static uint64_t png_bytes_max(const struct sink_request *request)
{
    struct png_shape shape = shape_of(request);
    return png_bytes_most(&shape, (request->view_text ? strlen(request->view_text) : 0) +
                                      (request->title ? strlen(request->title) : 0));
}

static enum status png_begin(void *state, const struct sink_request *request)
{
    struct png *png = state;
    const struct png_shape shape = shape_of(request);
    const struct png_note notes[] = {{"Software", "deepfield"},
                                     {"Title", request->title},
                                     {PNG_TEXT_KEY, request->view_text},
                                     {0}};
    png->request = request;
    TRY(sink_file_open(&png->file, request, request->path, NULL));
    return png_writer_create(&png->writer, &png->file, &shape, notes);
}

struct coloured {
    const struct sink_request *request;
    const struct sink_rows *rows;
};

static void row_colour(const void *context, int32_t row, void *samples)
{
    const struct coloured *coloured = context;
    sink_colour_row(coloured->request, coloured->rows, row, samples);
}

static enum status png_rows(void *state, const struct sink_rows *rows)
{
    struct png *png = state;
    const struct coloured coloured = {png->request, rows};
    const struct png_rows added = {row_colour, &coloured, rows->height};
    return png_writer_add(png->writer, &added);
}

static int32_t png_part_rows_of(const struct sink_request *request)
{
    struct png_shape shape = shape_of(request);
    return png_part_rows(&shape);
}

static enum status png_part_write(const struct sink_request *request, const struct sink_rows *rows,
                                  FILE *stream, uint32_t *sum)
{
    const struct png_shape shape = shape_of(request);
    const struct coloured coloured = {request, rows};
    const struct png_rows added = {row_colour, &coloured, rows->height};
    return png_part_make(&shape, request->path, rows->y, &added, stream, sum);
}

static enum status png_part(const struct sink_request *request, const struct sink_rows *rows,
                            struct sink_part *part)
{
    return sink_part_stream(request, rows, part, png_part_write);
}

static enum status png_part_begin(void *state, uint64_t *offset)
{
    struct png *png = state;
    if (!png_writer_is_between(png->writer))
        return status_fail(STATUS_CANNOT_CREATE, "%s is not between two stripes", png->file.path);
    return atomic_file_checkpoint(&png->file, offset);
}

static enum status png_part_add(void *state, int32_t rows, uint64_t length, uint32_t sum)
{
    struct png *png = state;
    int file = fileno(png->file.stream);
    TRY(png_writer_skip(png->writer, rows, length, sum));
    bool good = file_bytes_lock(file, true, 0, 0) && fflush(png->file.stream) == 0 &&
                file_bytes_lock(file, false, 0, 0);
    if (good)
        return STATUS_OK;
    return status_fail(STATUS_IO, "cannot write %s: %s", png->file.path, strerror(errno));
}

static enum status png_end(void *state, struct atomic_file_set *set)
{
    struct png *png = state;
    return atomic_file_set_add(set, &png->file);
}

static enum status png_checkpoint(void *state, void *marked)
{
    struct png *png = state;
    struct png_mark *mark = marked;
    struct png_pending rows;
    TRY(png_writer_flush(png->writer, &mark->position, &rows));
    TRY(pending_rows_save(&png->pending, png->request, mark->position.first, rows.at,
                          rows.row_bytes, rows.count, &mark->pending));
    return atomic_file_checkpoint(&png->file, &mark->length);
}

static enum status png_resume(void *state, const struct sink_request *request, const void *marked,
                              int32_t y)
{
    struct png *png = state;
    const struct png_mark *mark = marked;
    const struct png_shape shape = shape_of(request);
    struct png_pending rows;
    png->request = request;
    TRY(sink_file_open(&png->file, request, request->path, &mark->length));
    TRY(png_writer_resume(&png->writer, &png->file, &shape, &mark->position, y, &rows));
    return pending_rows_load(&png->pending, request, mark->position.first, rows.at, rows.row_bytes,
                             rows.count, &mark->pending);
}

static void png_close(void *state)
{
    struct png *png = state;
    png_writer_destroy(png->writer);
    atomic_file_abandon(&png->file);
}

extern const struct sink_kind sink_png;
const struct sink_kind sink_png = {
    .name = "png",
    .suffix = ".png",
    .summary = "the coloured picture, 8 or 16 bit, with the view inside",
    .bits_least = 8,
    .bits_most = 16,
    .coloured = true,
    .file = sink_file_alone,
    .bytes_max = png_bytes_max,
    .state_bytes = sizeof(struct png),
    .mark_bytes = sizeof(struct png_mark),
    .checkpoint = png_checkpoint,
    .resume = png_resume,
    .begin = png_begin,
    .rows = png_rows,
    .part_rows = png_part_rows_of,
    .part_make = png_part,
    .part_begin = png_part_begin,
    .part_add = png_part_add,
    .end = png_end,
    .close = png_close,
};
