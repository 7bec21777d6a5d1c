/* Files that appear together: the planes of a picture, all that one run writes to a folder.
 *
 * Names cannot change all at once, so it is done in an order in which old and new files are never
 * seen side by side: all new ones are on the disk under temporary names; the old ones are renamed
 * away; the new ones get their names. A reader in between, or after a crash, finds files missing,
 * never two pictures mixed. A record lies in the folder meanwhile, from which the next run that
 * writes there finishes what a killed one has begun (file_swap.h). One file alone in a folder is
 * replaced in one step. */
#ifndef RENDER_DISK_ATOMIC_FILE_SET_H
#define RENDER_DISK_ATOMIC_FILE_SET_H

#include <stddef.h>

#include "render/disk/atomic_file.h"

struct atomic_file_set { /* zeroed: empty */
    struct atomic_file *file;
    size_t count;
};

/* Finishes the file and takes it; it is abandoned after a failure. STATUS_IO,
 * STATUS_OUT_OF_MEMORY, STATUS_STOPPED. */
enum status atomic_file_set_add(struct atomic_file_set *set, struct atomic_file *file);

/* Takes a folder that has grown. STATUS_OUT_OF_MEMORY. */
enum status atomic_file_set_add_folder(struct atomic_file_set *set, struct atomic_file *folder);

/* All files of a folder get their names, or none: then the old ones are there again. Other folders
 * are still committed. Leaves the set empty. Fails as atomic_file_place; STATUS_STOPPED. */
enum status atomic_file_set_commit(struct atomic_file_set *set);

/* Removes the files after the first `count`. */
void atomic_file_set_cut(struct atomic_file_set *set, size_t count);

/* Removes the files that have no name yet. Accepts a zeroed or committed set. */
void atomic_file_set_abandon(struct atomic_file_set *set);

#endif
