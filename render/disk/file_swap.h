/* Swap of files and folders of one folder, which get their names together, and recovery of a swap
 * that was interrupted.
 *
 * 1. A record lists the temporaries, their names, and the names for the old files.
 * 2. The old files are renamed away.
 * 3. The new files get their names.
 * 4. The old files are removed.
 * 5. The record is removed.
 *
 * A record that is found later is finished; or, where another file has taken one of the names,
 * undone. An old file is removed only where the new one has its name. One that cannot get its name
 * back becomes visible as NAME.HOST.PID.TIME.old. To be used under folder_lock. */
#ifndef RENDER_DISK_FILE_SWAP_H
#define RENDER_DISK_FILE_SWAP_H

#include <stdbool.h>
#include <stddef.h>

#include "render/disk/temporary_file.h"

typedef char file_id[96]; /* inode, time and size; "": no file */

struct swap_file {
    const char *name, *temporary; /* set by the caller; borrowed. A temporary "FOLDER/NAME" has
                                     grown there, and goes back there instead of being removed */
    bool replaces;                /* set by the caller */
    char old[TEMPORARY_NAME_BYTES];
    file_id new_id, old_id;
};

struct file_swap {
    int folder;             /* set by the caller, with the files */
    struct swap_file *file; /* borrowed */
    size_t count;
    bool recovering; /* a record of a dead process */
    size_t failed;   /* index of the file that an error concerns */
    int record;
    char record_name[TEMPORARY_NAME_BYTES];
};

/* Step 1. -1 with errno; EEXIST, EISDIR. Nothing is left then. */
int file_swap_begin(struct file_swap *swap);

/* Steps 2 and 3. -1 with errno: to be undone. */
int file_swap_place(struct file_swap *swap);

/* Steps 4 and 5, after success. */
void file_swap_end(struct file_swap *swap);

/* Steps 3, 2 and 1 backwards. False: some old file stays away, and so does the record. */
bool file_swap_undo(struct file_swap *swap);

enum swap_outcome {
    SWAP_NOTHING, /* a live process's, or nothing had begun */
    SWAP_FINISHED,
    SWAP_UNDONE,
    SWAP_STUCK /* the record and what it names stay */
};

/* Finishes or undoes what a dead process has begun. first[]: the name of its first file. */
enum swap_outcome file_swap_recover(int folder, const char *record,
                                    char first[TEMPORARY_NAME_BYTES]);

#endif
