/* Rows of a picture as they were computed: planes and, where it has samples, the mean of their
 * light, to the last bit. Parts of a picture that are joined later (deepfield render --part).
 *
 *     head       struct rows_head
 *     text       the view, as other files hold it
 *     rows       of each all planes in their order, its light, and a checksum of both
 *
 * Numbers are those of the machine; one of another byte order has another magic. */
#ifndef RENDER_FILE_ROWS_FILE_H
#define RENDER_FILE_ROWS_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/field.h"
#include "kernels/status.h"

struct rows_head {
    uint64_t magic;
    int32_t width, height;
    uint32_t planes, count_bytes;
    uint32_t light; /* 1: rows have light */
    uint32_t text_bytes;
    uint64_t palette; /* palette_checksum of the colours that the light is made of; 0: no light */
};

#define ROWS_MAGIC UINT64_C(0x3253574f52464444) /* "DDFROWS2" */
enum { ROWS_TEXT_BYTES_MAX = 1 << 20, ROWS_SUM_BYTES = 8 };

/* Bytes of a row in the file. */
uint64_t rows_file_row_bytes(const struct rows_head *head);

/* Puts a row into `bytes`, as it is in the file. light: NULL where the head has none. */
void rows_file_pack(const struct rows_head *head, const struct field *field, int32_t row,
                    const float (*light)[3], uint8_t *bytes);

struct rows_file;

/* Opens a file, which is hostile. STATUS_NO_INPUT, STATUS_BAD_DATA, also for one that is shorter or
 * longer than its head says; STATUS_OUT_OF_MEMORY; then *file is NULL. */
enum status rows_file_open(struct rows_file **file, const char *path);

const struct rows_head *rows_file_head(const struct rows_file *file);
const char *rows_file_text(const struct rows_file *file); /* the view; borrowed */

/* Reads rows from y on, as many as `rows` is high, which has the planes of the head, and their
 * light, [height][width]; NULL where the head has none. STATUS_BAD_DATA for a checksum that is
 * another; STATUS_IO, STATUS_OUT_OF_MEMORY. */
enum status rows_file_read(struct rows_file *file, int32_t y, struct field *rows,
                           float (*light)[3]);

void rows_file_close(struct rows_file *file); /* accepts NULL */

#endif
