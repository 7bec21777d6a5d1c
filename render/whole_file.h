/* How does a file appear whole or not at all?
 *
 * Written under the name `.name.PID.part` in the same folder, flushed, synced, renamed, the folder
 * synced. A symbolic link to a file stays, and the file it points to is replaced. A target that is
 * there and is no regular file (a device, a pipe) is written to directly: it has no old content to
 * keep, needs no --force, and cannot be renamed over. A process that is killed leaves its .part
 * file behind. */
#ifndef RENDER_WHOLE_FILE_H
#define RENDER_WHOLE_FILE_H

#include <stdio.h>

#include "kernels/status.h"

enum overwrite { OVERWRITE_NO, OVERWRITE_YES };

struct whole_file {
    FILE *stream;    /* write here */
    char *path;      /* final name, links followed; owned */
    char *temporary; /* name while unfinished, in the same folder; owned; NULL for a device */
    enum overwrite overwrite;
};

/* Could the file be written? Tries by making and removing the temporary file, since permission bits
 * do not tell (root, read-only disks, /proc). STATUS_CANNOT_CREATE with the reason. */
enum status whole_file_check(const char *path, enum overwrite overwrite);

/* Creates the temporary file. STATUS_CANNOT_CREATE with the system's reason, also when the file is
 * there and `overwrite` says no. Blocks on a pipe until somebody reads. */
enum status whole_file_open(struct whole_file *file, const char *path, enum overwrite overwrite);

/* Flush, sync, close, rename (without replacing unless overwrite), sync the folder; every return
 * code checked. On failure the temporary file is gone and the old file, if any, untouched (but the
 * new file is in place when only the sync of the folder failed).
 * STATUS_IO, or STATUS_CANNOT_CREATE when the name has been taken meanwhile. */
enum status whole_file_commit(struct whole_file *file);

/* Removes the temporary file. Accepts a zeroed or committed one. */
void whole_file_abandon(struct whole_file *file);

#endif
