#include "render/picture_files.h"

#include <stdio.h>
#include <stdlib.h>

struct picture_file {
    struct sink *sink;
    bool failed;
};

/* What ends this file. All that ends is the picture, where nothing is left to write or somebody
 * wants it to stop. */
static enum status file_failed(struct picture_files *files, struct picture_file *file,
                               enum status status)
{
    size_t alive = 0;
    file->failed = true;
    if (files->failure == STATUS_OK) {
        files->failure = status;
        snprintf(files->why, sizeof files->why, "%s", status_text());
    }
    for (size_t i = 0; i < files->count; i++)
        alive += !files->file[i].failed;
    return alive && status != STATUS_STOPPED ? STATUS_OK : status;
}

enum status picture_files_open(struct picture_files *files, const struct sink_request *orders,
                               size_t count)
{
    *files = (struct picture_files){.file = calloc(count, sizeof *files->file), .count = count};
    if (!files->file)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a list of %zu files", count);
    for (size_t i = 0; i < count; i++) {
        enum status status = sink_begin(&files->file[i].sink, &orders[i]);
        if (status != STATUS_OK)
            TRY(file_failed(files, &files->file[i], status));
    }
    return STATUS_OK;
}

enum status picture_files_add(struct picture_files *files, int32_t y, const struct field *field,
                              const float (*light)[3])
{
    struct sink_rows rows = {.y = y, .height = field->height, .field = *field, .light = light};
    for (size_t i = 0; i < files->count; i++) {
        struct picture_file *file = &files->file[i];
        enum status status = file->failed ? STATUS_OK : sink_add(file->sink, &rows);
        if (status != STATUS_OK)
            TRY(file_failed(files, file, status));
    }
    return STATUS_OK;
}

enum status picture_files_end(struct picture_files *files, struct atomic_file_set *set)
{
    for (size_t i = 0; i < files->count; i++) {
        struct picture_file *file = &files->file[i];
        size_t before = set->count;
        enum status status = file->failed ? STATUS_OK : sink_end(file->sink, set);
        if (status == STATUS_OK)
            continue;
        atomic_file_set_cut(set, before);
        TRY(file_failed(files, file, status));
    }
    return STATUS_OK;
}

enum status picture_files_verdict(const struct picture_files *files)
{
    size_t failed = 0;
    for (size_t i = 0; i < files->count; i++)
        failed += files->file[i].failed;
    if (failed == 0)
        return STATUS_OK;
    bool others = failed < files->count;
    return status_fail(files->failure, others ? "%.900s; the other files are complete" : "%.900s",
                       files->why);
}

void picture_files_close(struct picture_files *files)
{
    for (size_t i = 0; files->file && i < files->count; i++)
        sink_destroy(files->file[i].sink);
    free(files->file);
    *files = (struct picture_files){.file = NULL};
}
