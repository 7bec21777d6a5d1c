/* The files of a picture, written strip by strip as it is computed. All of them take the same rows;
 * one that fails does not cost the others what they have. */
#ifndef RENDER_PICTURE_FILES_H
#define RENDER_PICTURE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "render/picture.h"
#include "render/sink.h"

struct picture_file; /* one of them */

struct picture_files { /* zeroed: closed */
    struct picture_file *file;
    size_t count;
    enum status failure;         /* the first, */
    char why[STATUS_TEXT_BYTES]; /* with this sentence */
};

/* What the orders point to is borrowed until picture_files_close. A file that cannot be begun has
 * failed. STATUS_OUT_OF_MEMORY; STATUS_STOPPED; else the failure, when all have failed. */
enum status picture_files_open(struct picture_files *files, const struct sink_request *orders,
                               size_t count);

/* The next rows. Fails as picture_files_open does. */
enum status picture_files_add(struct picture_files *files, int32_t y, const struct field *field,
                              const float (*light)[3]);

/* After the last row: the files of the set, which have no names yet, though some may have failed:
 * see picture_files_verdict. */
enum status picture_files_end(struct picture_files *files, struct atomic_file_set *set);

/* When the files have their names: the first failure of a file. */
enum status picture_files_verdict(const struct picture_files *files);

/* Removes what has not ended. Accepts a zeroed one. */
void picture_files_close(struct picture_files *files);

#endif
