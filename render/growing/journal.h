/* The journal of a picture that is being computed: a folder beside its file, `FILE.deepfield`, from
 * which an interrupted run goes on.
 *
 *     identity       all that decides the pixels and the files, as lines of text
 *     command        the words of the command line, for `deepfield resume`
 *     state          how many rows are in the files, and what the files need to go on after them
 *     tiles, records pixels of the strip in work (render/growing/tile_log.h)
 *
 * and the files that grow. `state` is replaced as a whole and has a checksum; all of it is on the
 * disk before it counts. A lock says that a run lives, so two never write to one journal. A picture
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
    const char *target; /* the file */
    enum overwrite overwrite;
    const char *identity; /* lines, "key = value" */
    const char *command;  /* words, each with a final 0; ... */
    size_t command_bytes; /* ... all of them */
};

/* Looks for what an interrupted run has left of this target; makes nothing yet. Fails with
 * STATUS_BAD_DATA, naming the first line that differs, when that was another picture; with
 * STATUS_CANNOT_CREATE when another run is writing to it; STATUS_IO, STATUS_OUT_OF_MEMORY. */
enum status journal_open(struct journal **journal, const struct journal_options *options);

/* What was left of an interrupted run. */
struct journal_left {
    int32_t rows;       /* that are in the files */
    int32_t strip_rows; /* that were computed at a time; 0: nothing was left */
    uint32_t tiles;     /* of the next strip */
    const void *state;  /* as journal_checkpoint got it; NULL: the files had not begun; borrowed */
    size_t bytes;
};
struct journal_left journal_left(const struct journal *journal);

/* Makes the folder, if it is not there; from now on a killed run leaves something. strip_rows: as
 * in journal_left. STATUS_CANNOT_CREATE, also for a folder that another run has made since
 * journal_open, or that is no journal: neither is touched, also not later; STATUS_IO. */
enum status journal_begin(struct journal *journal, int32_t strip_rows);
bool journal_begun(const struct journal *journal);

/* After journal_begin has failed: does another run write the target, or has it, so that this one
 * cannot give its file that name? */
bool journal_is_late(const struct journal *journal);

/* The folder, for files that grow. */
const char *journal_folder(const struct journal *journal);

/* Is it on the disk, under its name? Somebody may have removed it. */
bool journal_is_there(const struct journal *journal);

/* The files have so many rows, and are on the disk; they can go on after them with `state`. Tiles
 * of rows before are forgotten. STATUS_IO. */
enum status journal_checkpoint(struct journal *journal, int32_t rows, const void *state,
                               size_t bytes);

/* The state of the last checkpoint, read again; to be freed by the caller. NULL: there is none. */
void *journal_state(const struct journal *journal, size_t *bytes);

/* Tiles of the strip after the rows of the last checkpoint. */
struct tile_log *journal_tiles(struct journal *journal);

/* The files have their names: removes the folder. */
void journal_remove(struct journal *journal);

/* Leaves the folder, if there is one, with everything on the disk. Accepts NULL. */
void journal_close(struct journal *journal);

#endif
