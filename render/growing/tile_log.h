/* The tiles of a strip that is being computed, on disk: their pixels in one file, a record for each
 * in another. Tiles of a killed run need not be computed again.
 *
 * A thread syncs both every second. Every record has a checksum of itself and one of its pixels:
 * damage by a power failure or a bad disk costs one tile only. */
#ifndef RENDER_GROWING_TILE_LOG_H
#define RENDER_GROWING_TILE_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "decomposition/schedule/tile.h"
#include "kernels/field.h"
#include "kernels/status.h"

struct tile_log;

/* Pixels of a job: the strip, and the job within it. */
struct tile_log_job {
    int32_t y, height; /* first wanted row of the picture; number of computed rows */
    uint64_t job;
};

/* Opens or creates both files in the folder, and reads the records. STATUS_IO,
 * STATUS_OUT_OF_MEMORY, STATUS_SYSTEM. */
enum status tile_log_open(struct tile_log **log, int folder, const char *path);

/* Number of records of the strip that begins in row y. */
uint32_t tile_log_count(const struct tile_log *log, int32_t y);

/* Copies the tiles of this job into `field`, the whole frame of the job, and sets known[i] for
 * those of `tiles` that are complete then, even if the tiles were cut in another way before.
 * STATUS_OUT_OF_MEMORY. */
enum status tile_log_restore(struct tile_log *log, const struct tile_log_job *job,
                             const struct tile *tiles, uint32_t count, struct field *field,
                             bool *known);

/* Adds a tile, which is in `field` and stays there until another job begins. It is only noted while
 * `writes` is false; when it is true, tiles of the same job noted before are written as well.
 * STATUS_IO, for example on a full disk; STATUS_OUT_OF_MEMORY. */
enum status tile_log_add(struct tile_log *log, const struct tile_log_job *job,
                         const struct tile *tile, const struct field *field, bool writes);

/* Removes all tiles, when a strip is finished. */
enum status tile_log_clear(struct tile_log *log);

/* Syncs the files and closes them. Accepts NULL. */
void tile_log_close(struct tile_log *log);

#endif
