/* The journal of a picture that is being computed: a folder beside its file, `FILE.deepfield`, from
 * which an interrupted run is resumed.
 *
 *     identity       all that decides the pixels and the files, as lines of text
 *     command        the words of the command line, for `deepfield resume`
 *     state          how many rows are in the files, and what the files need to go on after them
 *     tiles, records pixels of the strip in work (render/growing/tile_log.h)
 *
 * and the files that grow. `state` is replaced as a whole and has a checksum; all of it is synced
 * before it counts. A lock shows that a run is alive, so two never write to one journal. A picture
 * of a second or two never gets one. */
#ifndef RENDER_GROWING_JOURNAL_H
#define RENDER_GROWING_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "render/disk/atomic_file.h"
#include "render/growing/tile_log.h"

struct journal;

#define JOURNAL_SUFFIX ".deepfield"

struct journal_options {
    const char *target; /* path of the picture's file */
    enum overwrite overwrite;
    const char *identity; /* lines, "key = value" */
    const char *command;  /* words of the command line, each with a final 0 */
    size_t command_bytes; /* bytes of all words */
};

/* Reads what an interrupted run has left of this target; makes nothing yet. Fails with
 * STATUS_BAD_DATA, naming the first line that differs, when that run computed another picture; with
 * STATUS_CANNOT_CREATE when another run is writing to it; STATUS_IO, STATUS_OUT_OF_MEMORY. */
enum status journal_open(struct journal **journal, const struct journal_options *options);

/* State of an interrupted run. */
struct journal_left {
    int32_t rows;       /* rows that are in the files */
    int32_t strip_rows; /* rows computed at a time; 0: no interrupted run */
    uint32_t tiles;     /* tiles of the next strip */
    /* state passed to journal_checkpoint; NULL: the files had not begun; borrowed */
    const void *state;
    size_t bytes;
};
struct journal_left journal_left(const struct journal *journal);

/* Makes the folder, if it is not there; from now on a killed run can be resumed. strip_rows: as in
 * journal_left. STATUS_CANNOT_CREATE, also for a folder that another run has made since
 * journal_open, or that is no journal: such a folder is never touched; STATUS_IO. */
enum status journal_begin(struct journal *journal, int32_t strip_rows);
bool journal_begun(const struct journal *journal);

/* After a failure of journal_begin: is another run writing the target, or has it written it, so
 * that this run cannot name its file so? */
bool journal_is_late(const struct journal *journal);

/* Path of the folder, for files that grow. */
const char *journal_folder(const struct journal *journal);

/* Is the folder still there under its name? It may have been removed. */
bool journal_is_there(const struct journal *journal);

/* Notes that the files have so many rows, are synced, and can be continued with `state`. Tiles of
 * earlier rows are removed. STATUS_IO. */
enum status journal_checkpoint(struct journal *journal, int32_t rows, const void *state,
                               size_t bytes);

/* Reads the state of the last checkpoint again; to be freed by the caller. NULL: there is none. */
void *journal_state(const struct journal *journal, size_t *bytes);

/* Tile log of the strip after the rows of the last checkpoint. */
struct tile_log *journal_tiles(struct journal *journal);

/* Removes the folder, when the files have their names. */
void journal_remove(struct journal *journal);

/* Closes the journal; the folder, if there is one, stays, synced. Accepts NULL. */
void journal_close(struct journal *journal);

#endif
