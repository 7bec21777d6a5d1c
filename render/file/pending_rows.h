/* Rows that a growing file cannot take yet, in files beside it: an incomplete stripe, chunk or row
 * of tiles.
 *
 * They are saved at checkpoints, alternately in two files: the data of the last checkpoint but one
 * stays until the last one is synced. Rows of one group (stripe, chunk, row of tiles) are appended,
 * so that each is written once. */
#ifndef RENDER_FILE_PENDING_ROWS_H
#define RENDER_FILE_PENDING_ROWS_H

#include "render/file/sink.h"

struct pending_rows { /* zeroed: none saved */
    int32_t group, saved;
    int slot; /* 0 or 1 */
};

struct pending_mark { /* record in the state of a sink */
    uint64_t sum;
    int32_t rows;
    int32_t slot;
};

/* Saves the first `count` rows of group `group`, each of `row_bytes`. STATUS_IO,
 * STATUS_OUT_OF_MEMORY. */
enum status pending_rows_save(struct pending_rows *pending, const struct sink_request *request,
                              int32_t group, const void *rows, size_t row_bytes, int32_t count,
                              struct pending_mark *mark);

/* Loads these rows. STATUS_BAD_DATA if they are not `count` rows of that group. */
enum status pending_rows_load(struct pending_rows *pending, const struct sink_request *request,
                              int32_t group, void *rows, size_t row_bytes, int32_t count,
                              const struct pending_mark *mark);

#endif
