/* The field and its colours in linear light, for compositors and other fractal programs. */
#include "render/file/sink.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/file/exr_write.h"
#include "render/disk/file_bytes.h"
#include "render/disk/memory.h"
#include "render/file/pending_rows.h"
#include "render/view/description.h"

enum { LIGHT_BYTES = 32 << 20 }; /* most bytes of rows written at once */

struct exr {
    const struct sink_request *request;
    struct atomic_file file;
    struct exr_writer *writer;
    float (*light)[3];  /* [light_rows][width]; NULL: not needed yet */
    int32_t light_rows; /* rows written at once */
    int32_t y;          /* next row */
    struct pending_rows pending;
};

struct exr_mark {
    struct exr_position position;
    struct pending_mark pending;
};

static struct exr_shape shape_of(const struct sink_request *request)
{
    const struct field *field = request->field;
    return (struct exr_shape){
        .width = field->width,
        .height = field->height,
        .planes = field->planes,
        .count_bytes = field->count_bytes,
        .colour = request->bits == 32 ? EXR_FLOAT : EXR_HALF,
        .limit = request->picture ? request->picture->spec.limit : 0,
        .memory_bytes = request->memory_bytes,
        .dpi = request->dpi,
        .text = {[EXR_TEXT_INI] = request->view_text, [EXR_TEXT_KFR] = request->kfr_text}};
}

static uint64_t exr_request_bytes(const struct sink_request *request)
{
    struct exr_shape shape = shape_of(request);
    return exr_bytes_max(&shape);
}

static enum status exr_check(const struct sink_request *request)
{
    struct exr_shape shape = shape_of(request);
    uint64_t most = request->memory_most;
    TRY(exr_shape_check(&shape, request->path));
    uint64_t least =
        exr_memory_least(&shape) + (uint64_t)shape.width * sizeof(float[3]) * EXR_CHUNK_ROWS;
    if (!most || least <= most)
        return STATUS_OK;
    return status_fail(STATUS_TOO_LARGE,
                       "%s: 16 rows of %d pixels take %.3f GiB until they are compressed, and %.3f "
                       "are left beside the picture; choose fewer --planes, a smaller --size or "
                       "more --memory",
                       request->path, shape.width, (double)least / 0x1p30, (double)most / 0x1p30);
}

static void light_rows_choose(struct exr *exr, struct exr_shape shape)
{
    /* whole chunks, as many as fit: of more than the threads take at once the stop flag waits */
    uint64_t room = shape.memory_bytes / 4;
    size_t bytes = room && room < LIGHT_BYTES ? room : LIGHT_BYTES;
    size_t chunks = bytes / ((size_t)shape.width * sizeof *exr->light * EXR_CHUNK_ROWS);
    exr->light_rows = (int32_t)(chunks ? chunks : 1) * EXR_CHUNK_ROWS;
    if (exr->light_rows > exr_rows_at_once())
        exr->light_rows = exr_rows_at_once();
    if (exr->light_rows > shape.height)
        exr->light_rows = shape.height;
}

static enum status exr_begin(void *state, const struct sink_request *request)
{
    struct exr *exr = state;
    struct exr_shape shape = shape_of(request);
    exr->request = request;
    light_rows_choose(exr, shape);
    TRY(sink_file_open(&exr->file, request, request->path, NULL));
    return exr_writer_open(&exr->writer, &shape, fileno(exr->file.stream), request->path);
}

static enum status light_room_create(struct exr *exr)
{
    size_t width = (size_t)exr->request->field->width;
    exr->light = memory_large((size_t)exr->light_rows * width * sizeof *exr->light);
    if (!exr->light)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory to write %s", exr->request->path);
    return STATUS_OK;
}

static void rows_colour(const struct exr *exr, const struct field *rows, int32_t y)
{
    size_t width = (size_t)rows->width;
#pragma omp parallel for schedule(dynamic, 4)
    for (int32_t i = 0; i < rows->height; i++)
        colour_window_row_light(exr->request->look, rows, i, y + i, exr->light + (size_t)i * width);
}

static enum status exr_rows(void *state, const struct sink_rows *rows)
{
    struct exr *exr = state;
    const struct field *field = &rows->field;
    if (!rows->light && !exr->light)
        TRY(light_room_create(exr));
    for (int32_t row = 0; row < rows->height; row += exr->light_rows) {
        int32_t left = rows->height - row;
        struct field some = field_window(field, 0, row, field->width,
                                         left < exr->light_rows ? left : exr->light_rows);
        const float(*light)[3] = (const float(*)[3])exr->light;
        TRY(sink_stopped(exr->request));
        if (rows->light)
            light = rows->light + (size_t)row * (size_t)field->width;
        else
            rows_colour(exr, &some, rows->y + row);
        TRY(exr_writer_rows(exr->writer, &some, light));
    }
    exr->y = rows->y + rows->height;
    return STATUS_OK;
}

static int32_t exr_part_rows(const struct sink_request *request)
{
    (void)request;
    return EXR_CHUNK_ROWS;
}

static enum status exr_part_write(const struct sink_request *request, const struct sink_rows *rows,
                                  FILE *stream, uint32_t *sum)
{
    const struct exr_shape shape = shape_of(request);
    struct exr exr = {.request = request};
    (void)sum;
    light_rows_choose(&exr, shape);
    enum status status = exr_writer_open_part(&exr.writer, &shape, request->path, rows->y, stream);
    if (status == STATUS_OK)
        status = exr_rows(&exr, rows);
    exr_writer_destroy(exr.writer);
    free(exr.light);
    return status;
}

static enum status exr_part(const struct sink_request *request, const struct sink_rows *rows,
                            struct sink_part *part)
{
    return sink_part_stream(request, rows, part, exr_part_write);
}

static enum status exr_part_begin(void *state, uint64_t *offset)
{
    struct exr *exr = state;
    uint64_t length; /* the writer has its own offsets */
    TRY(exr_writer_end(exr->writer, offset));
    return atomic_file_checkpoint(&exr->file, &length);
}

static enum status exr_part_add(void *state, int32_t rows, uint64_t length, uint32_t sum)
{
    struct exr *exr = state;
    int file = fileno(exr->file.stream);
    (void)sum;
    if (!file_bytes_lock(file, true, 0, 0))
        return status_fail(STATUS_IO, "cannot read %s: %s", exr->file.path, strerror(errno));
    enum status status = exr_writer_skip(exr->writer, rows, length);
    (void)file_bytes_lock(file, false, 0, 0);
    exr->y += rows;
    return status;
}

static enum status exr_checkpoint(void *state, void *marked)
{
    struct exr *exr = state;
    struct exr_mark *mark = marked;
    struct exr_pending lines;
    uint64_t length; /* the writer has its own offsets */
    exr_writer_position(exr->writer, &mark->position, &lines);
    TRY(pending_rows_save(&exr->pending, exr->request, exr->y / EXR_CHUNK_ROWS, lines.at,
                          lines.line_bytes, lines.count, &mark->pending));
    return atomic_file_checkpoint(&exr->file, &length);
}

static enum status exr_resume(void *state, const struct sink_request *request, const void *marked,
                              int32_t y)
{
    struct exr *exr = state;
    const struct exr_mark *mark = marked;
    struct exr_shape shape = shape_of(request);
    struct exr_pending lines;
    exr->request = request;
    exr->y = y;
    light_rows_choose(exr, shape);
    TRY(sink_file_open(&exr->file, request, request->path, &mark->position.length));
    TRY(exr_writer_resume(&exr->writer, &shape, exr->file.file, request->path, &mark->position, y,
                          &lines));
    return pending_rows_load(&exr->pending, request, y / EXR_CHUNK_ROWS, lines.at, lines.line_bytes,
                             lines.count, &mark->pending);
}

static enum status exr_end(void *state, struct atomic_file_set *set)
{
    struct exr *exr = state;
    TRY(exr_writer_finish(exr->writer));
    return atomic_file_set_add(set, &exr->file);
}

static void exr_close(void *state)
{
    struct exr *exr = state;
    exr_writer_destroy(exr->writer);
    atomic_file_abandon(&exr->file);
    free(exr->light);
}

extern const struct sink_kind sink_exr;
const struct sink_kind sink_exr = {
    .name = "exr",
    .suffix = ".exr",
    .summary = "linear light and the numbers, 16 or 32 bit, with the view inside",
    .bits_least = 16,
    .bits_most = 32,
    .coloured = true,
    .positions = true,
    .file = sink_file_alone,
    .check = exr_check,
    .bytes_max = exr_request_bytes,
    .state_bytes = sizeof(struct exr),
    .mark_bytes = sizeof(struct exr_mark),
    .checkpoint = exr_checkpoint,
    .resume = exr_resume,
    .begin = exr_begin,
    .rows = exr_rows,
    .part_rows = exr_part_rows,
    .part_make = exr_part,
    .part_begin = exr_part_begin,
    .part_add = exr_part_add,
    .end = exr_end,
    .close = exr_close,
};
