/* Rows that a file cannot take yet, on the disk beside the growing file while that is so: a stripe,
 * a chunk or a row of tiles that has begun.
 *
 * They are saved at checkpoints, in two files that take turns: what the last checkpoint but one
 * needs stays until the last one is known to be on the disk. Rows of one group (stripe, chunk, row
 * of tiles) are added to, so that each is written once. */
#ifndef RENDER_FILE_PENDING_ROWS_H
#define RENDER_FILE_PENDING_ROWS_H

#include "render/file/sink.h"

struct pending_rows { /* zeroed: none saved */
    int32_t group, saved;
    int slot; /* 0 or 1 */
};

struct pending_mark { /* in the state of a sink */
    uint64_t sum;
    int32_t rows;
    int32_t slot;
};

/* Saves the rows of group `group` that are there, `count` of `row_bytes`. STATUS_IO,
 * STATUS_OUT_OF_MEMORY. */
enum status pending_rows_save(struct pending_rows *pending, const struct sink_request *request,
                              int32_t group, const void *rows, size_t row_bytes, int32_t count,
                              struct pending_mark *mark);

/* Brings them back, of which there must be `count`. STATUS_BAD_DATA if they are not the ones. */
enum status pending_rows_load(struct pending_rows *pending, const struct sink_request *request,
                              int32_t group, void *rows, size_t row_bytes, int32_t count,
                              const struct pending_mark *mark);

#endif
