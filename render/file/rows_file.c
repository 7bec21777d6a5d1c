#include "render/file/rows_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "render/colour/colour.h"
#include "render/colour/samples.h"
#include "render/disk/file_bytes.h"
#include "render/disk/folder.h"
#include "render/file/sink.h"
#include "render/view/description.h"

struct rows_file {
    char *path, *text;
    struct rows_head head;
    int file;
};

static size_t plane_row_bytes(const struct rows_head *head, int plane)
{
    return (size_t)head->width *
           element_bytes(plane_element((enum plane)plane, (int)head->count_bytes));
}

uint64_t rows_file_row_bytes(const struct rows_head *head)
{
    uint64_t bytes = ROWS_SUM_BYTES;
    for (int p = 0; p < PLANES; p++)
        if (head->planes & 1u << p)
            bytes += plane_row_bytes(head, p);
    return bytes + (head->light ? (uint64_t)head->width * 3 * sizeof(float) : 0);
}

void rows_file_pack(const struct rows_head *head, const struct field *field, int32_t row,
                    const float (*light)[3], uint8_t *bytes)
{
    uint8_t *at = bytes;
    for (int p = 0; p < PLANES; p++)
        if (head->planes & 1u << p) {
            memcpy(at, field_row(field, (enum plane)p, row), plane_row_bytes(head, p));
            at += plane_row_bytes(head, p);
        }
    if (head->light) {
        memcpy(at, light, (size_t)head->width * sizeof *light);
        at += (size_t)head->width * sizeof *light;
    }
    uint64_t sum = XXH3_64bits(bytes, (size_t)(at - bytes));
    memcpy(at, &sum, sizeof sum);
}

/* ---- reading ---- */

static enum status damaged(const struct rows_file *file, const char *what)
{
    return status_fail(STATUS_BAD_DATA, "%s: %s; make this part again, with --force", file->path,
                       what);
}

static enum status head_check(const struct rows_file *file, uint64_t length)
{
    const struct rows_head *head = &file->head;
    const unsigned all = (1u << PLANES) - 1;
    if (head->magic != ROWS_MAGIC)
        return damaged(file, "it is no part of a picture, or of a machine of another byte order");
    if (head->width < 1 || head->height < 1 || !head->planes || head->planes & ~all ||
        (head->count_bytes != 4 && head->count_bytes != 8) || head->light > 1 ||
        head->text_bytes > ROWS_TEXT_BYTES_MAX)
        return damaged(file, "its head is damaged");
    uint64_t bytes, rows = rows_file_row_bytes(head);
    if (__builtin_mul_overflow(rows, (uint64_t)head->height, &bytes) ||
        __builtin_add_overflow(bytes, sizeof *head + head->text_bytes, &bytes) || bytes != length)
        return damaged(file, "it is not as long as its head says");
    return STATUS_OK;
}

static enum status read_failed(const struct rows_file *file)
{
    return status_fail(STATUS_IO, "cannot read %s: %s", file->path, strerror(errno));
}

static enum status head_read(struct rows_file *file)
{
    struct stat about;
    file->file = folder_input(file->path);
    if (file->file < 0)
        return status_fail(STATUS_NO_INPUT, "%s: %s", file->path, strerror(errno));
    if (fstat(file->file, &about) != 0 || !S_ISREG(about.st_mode))
        return damaged(file, "it is no regular file");
    if (!file_bytes_get(file->file, &file->head, sizeof file->head, 0))
        return damaged(file, "it has no head");
    TRY(head_check(file, (uint64_t)about.st_size));
    file->text = calloc(1, (size_t)file->head.text_bytes + 1);
    if (!file->text)
        return status_fail(STATUS_OUT_OF_MEMORY, "%s: no memory to read it", file->path);
    if (!file_bytes_get(file->file, file->text, file->head.text_bytes, sizeof file->head))
        return read_failed(file);
    return STATUS_OK;
}

enum status rows_file_open(struct rows_file **out, const char *path)
{
    struct rows_file *file = *out = calloc(1, sizeof *file);
    enum status status = STATUS_OK;
    if (file)
        file->file = -1;
    if (!file || !(file->path = strdup(path)))
        status = status_fail(STATUS_OUT_OF_MEMORY, "%s: no memory to read it", path);
    else
        status = head_read(file);
    if (status == STATUS_OK)
        return STATUS_OK;
    rows_file_close(file);
    *out = NULL;
    return status;
}

const struct rows_head *rows_file_head(const struct rows_file *file)
{
    return &file->head;
}

const char *rows_file_text(const struct rows_file *file)
{
    return file->text;
}

static bool row_unpack(const struct rows_head *head, const uint8_t *bytes, struct field *rows,
                       int32_t row, float (*light)[3])
{
    size_t length = (size_t)rows_file_row_bytes(head) - ROWS_SUM_BYTES;
    uint64_t sum;
    memcpy(&sum, bytes + length, sizeof sum);
    if (XXH3_64bits(bytes, length) != sum)
        return false;
    for (int p = 0; p < PLANES; p++)
        if (head->planes & 1u << p) {
            memcpy(field_row(rows, (enum plane)p, row), bytes, plane_row_bytes(head, p));
            bytes += plane_row_bytes(head, p);
        }
    if (head->light)
        memcpy(light, bytes, (size_t)head->width * sizeof *light);
    return true;
}

enum status rows_file_read(struct rows_file *file, int32_t y, struct field *rows, float (*light)[3])
{
    const struct rows_head *head = &file->head;
    size_t row_bytes = (size_t)rows_file_row_bytes(head), width = (size_t)head->width;
    uint64_t offset = sizeof *head + head->text_bytes + (uint64_t)y * row_bytes;
    uint8_t *bytes = malloc(row_bytes * (size_t)rows->height);
    enum status status = STATUS_OK;
    if (!bytes)
        return status_fail(STATUS_OUT_OF_MEMORY, "%s: no memory for its rows", file->path);
    if (!file_bytes_get(file->file, bytes, row_bytes * (size_t)rows->height, (off_t)offset))
        status = read_failed(file);
    for (int32_t row = 0; status == STATUS_OK && row < rows->height; row++)
        if (!row_unpack(head, bytes + row_bytes * (size_t)row, rows, row,
                        light ? light + width * (size_t)row : NULL))
            status = damaged(file, "its rows are damaged");
    free(bytes);
    return status;
}

void rows_file_close(struct rows_file *file)
{
    if (!file)
        return;
    if (file->file >= 0)
        close(file->file);
    free(file->text);
    free(file->path);
    free(file);
}

/* ---- the kind of file ---- */

struct rows_sink {
    const struct sink_request *request;
    struct rows_head head;
    struct atomic_file file;
    uint8_t *row; /* bytes of one; owned */
};

static struct rows_head head_of(const struct sink_request *request)
{
    const struct field *field = request->field;
    bool light = request->picture && samples_most(request->picture->samples) > 1;
    const struct palette *palette = request->look ? request->look->palette : NULL;
    return (struct rows_head){.magic = ROWS_MAGIC,
                              .width = field->width,
                              .height = field->height,
                              .planes = field->planes,
                              .count_bytes = (uint32_t)field->count_bytes,
                              .light = light,
                              .text_bytes =
                                  request->view_text ? (uint32_t)strlen(request->view_text) : 0,
                              .palette = light && palette ? palette_checksum(palette) : 0};
}

static uint64_t begin_bytes(const struct rows_head *head)
{
    return sizeof *head + head->text_bytes;
}

static uint64_t rows_bytes_max(const struct sink_request *request)
{
    struct rows_head head = head_of(request);
    uint64_t bytes;
    if (__builtin_mul_overflow(rows_file_row_bytes(&head), (uint64_t)head.height, &bytes) ||
        __builtin_add_overflow(bytes, begin_bytes(&head), &bytes))
        return UINT64_MAX;
    return bytes;
}

static enum status bytes_write(const struct rows_sink *rows, const void *bytes, size_t length)
{
    if (fwrite(bytes, 1, length, rows->file.stream) == length)
        return STATUS_OK;
    int reason = errno;
    TRY(sink_stopped(rows->request)); /* a pipe that blocked */
    return status_fail(STATUS_IO, "cannot write %s: %s", rows->file.path, strerror(reason));
}

/* Opens the file; length: NULL, or bytes of it that an interrupted run has left. */
static enum status rows_open(struct rows_sink *rows, const struct sink_request *request,
                             const uint64_t *length)
{
    rows->request = request;
    rows->head = head_of(request);
    rows->row = malloc((size_t)rows_file_row_bytes(&rows->head));
    if (!rows->row)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory to write %s", request->path);
    return sink_file_open(&rows->file, request, request->path, length);
}

static enum status rows_begin(void *state, const struct sink_request *request)
{
    struct rows_sink *rows = state;
    TRY(rows_open(rows, request, NULL));
    TRY(bytes_write(rows, &rows->head, sizeof rows->head));
    return bytes_write(rows, request->view_text, rows->head.text_bytes);
}

static enum status rows_rows(void *state, const struct sink_rows *added)
{
    struct rows_sink *rows = state;
    size_t width = (size_t)rows->head.width;
    if (rows->head.light && !added->light)
        return status_fail(STATUS_INTERNAL, "samples without their light");
    for (int32_t row = 0; row < added->height; row++) {
        const float(*light)[3] = rows->head.light ? added->light + width * (size_t)row : NULL;
        TRY(sink_stopped(rows->request));
        rows_file_pack(&rows->head, &added->field, row, light, rows->row);
        TRY(bytes_write(rows, rows->row, (size_t)rows_file_row_bytes(&rows->head)));
    }
    return STATUS_OK;
}

static enum status rows_end(void *state, struct atomic_file_set *set)
{
    struct rows_sink *rows = state;
    return atomic_file_set_add(set, &rows->file);
}

static enum status rows_checkpoint(void *state, void *mark)
{
    struct rows_sink *rows = state;
    uint64_t length; /* follows from the rows */
    (void)mark;
    return atomic_file_checkpoint(&rows->file, &length);
}

static enum status rows_resume(void *state, const struct sink_request *request, const void *mark,
                               int32_t y)
{
    struct rows_sink *rows = state;
    struct rows_head head = head_of(request);
    uint64_t length = begin_bytes(&head) + (uint64_t)y * rows_file_row_bytes(&head);
    (void)mark;
    return rows_open(rows, request, &length);
}

static void rows_close(void *state)
{
    struct rows_sink *rows = state;
    atomic_file_abandon(&rows->file);
    free(rows->row);
}

const struct sink_kind sink_rows_file = {
    .name = "rows",
    .suffix = ".rows",
    .summary = "numbers and light of a --part, until it is joined",
    .partial = true,
    .file = sink_file_alone,
    .bytes_max = rows_bytes_max,
    .state_bytes = sizeof(struct rows_sink),
    .begin = rows_begin,
    .rows = rows_rows,
    .end = rows_end,
    .checkpoint = rows_checkpoint,
    .resume = rows_resume,
    .close = rows_close,
};
