/* A file that appears whole or not at all.
 *
 * It is written without a name where the disk can do that (O_TMPFILE), elsewhere under that of a
 * temporary in the same folder (temporary_file.h), flushed, synced, named, and the folder synced. A
 * process that is killed leaves nothing, or a temporary that the next one removes which writes
 * there; several files that belong together are named by atomic_file_set.h.
 *
 * One that takes long can grow under a name instead, in a folder that stays after a kill; another
 * process goes on with it from any place up to which it was synced (atomic_file_checkpoint).
 *
 * A symbolic link to a file stays, and the file it points to is replaced, unless the link is of
 * another user than this one and the owner of its folder; atomic_file_open_in follows none. A
 * target that is there and is no regular file (a device, a pipe), and standard output whatever it
 * is, is written to directly: it has no old content to keep, needs no --force, and cannot be
 * renamed over. */
#ifndef RENDER_DISK_ATOMIC_FILE_H
#define RENDER_DISK_ATOMIC_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "kernels/status.h"

enum overwrite { OVERWRITE_NO, OVERWRITE_YES };

struct atomic_file {  /* stays where it is while its stream is open */
    FILE *stream;     /* write here */
    char *path;       /* final name, links followed; owned; NULL: the rest is not valid */
    char *name;       /* its last part */
    char *temporary;  /* name while unfinished; owned; NULL: it has none, as a device. FOLDER/NAME:
                         it grows there, and stays there when it is abandoned */
    char *scratch;    /* a folder beside it that is removed in the end; owned; NULL: none */
    int folder, file; /* descriptors; folder is -1 for a device */
    enum overwrite overwrite;
    const volatile int *stop; /* non-zero: give up what blocks; may be NULL */
};

/* Could the file be written? Tries by making and removing the temporary file, since permission bits
 * do not tell (root, read-only disks, /proc). STATUS_CANNOT_CREATE with the reason. */
enum status atomic_file_check(const char *path, enum overwrite overwrite);

/* Removes what dead processes have left in the folder, then creates the temporary file.
 * STATUS_CANNOT_CREATE with the system's reason, also when the file is there and `overwrite` says
 * no. Blocks on a pipe until somebody reads, as its writes do; STATUS_STOPPED. */
enum status atomic_file_open(struct atomic_file *file, const char *path, enum overwrite overwrite,
                             const volatile int *stop);

/* Where a file grows, and whether it does so from its beginning. */
struct growth {
    const char *folder; /* of our own (folder.h), on the disk of the file; in that, it has the last
                           part of its path */
    bool resumes;       /* the file is there; what it has beyond `length` is cut off */
    uint64_t length;
};

/* As atomic_file_open. Where the target is a device or a pipe it is that. If it goes on:
 * STATUS_BAD_DATA where the file is missing or shorter. */
enum status atomic_file_grow(struct atomic_file *file, const char *path, enum overwrite overwrite,
                             const volatile int *stop, const struct growth *growth);

/* A folder that grows there, to be filled by the caller: *grown, to be closed. It replaces a folder
 * of that name. */
enum status atomic_folder_grow(struct atomic_file *file, const char *path, enum overwrite overwrite,
                               const struct growth *growth, int *grown);

/* Brings all that was written to the disk; how long the file is. STATUS_IO; STATUS_CANNOT_CREATE
 * where it does not grow. */
enum status atomic_file_checkpoint(struct atomic_file *file, uint64_t *length);

/* Which file it is, on its disk: 0 where there is none. */
uint64_t atomic_file_id(const char *path);

/* Finishes what dead processes have begun in the folder of `path`, and removes what they left. */
void atomic_file_clear(const char *path);

/* The same for a name in a folder that is open, whatever has the name: that is replaced. `path` is
 * for messages. */
enum status atomic_file_open_in(struct atomic_file *file, int folder, const char *path);

/* Has somebody asked to stop? */
bool atomic_file_stopped(const struct atomic_file *file);

/* Flush, sync, close the stream; every return code checked. STATUS_IO; STATUS_STOPPED. */
enum status atomic_file_finish(struct atomic_file *file);

/* Gives a finished file its name (without replacing unless overwrite), syncs the folder.
 * STATUS_IO, or STATUS_CANNOT_CREATE when the name has been taken meanwhile. */
enum status atomic_file_place(struct atomic_file *file);

/* A name for a file that has none yet, so that a record can have it. A device gets none. */
enum status atomic_file_name(struct atomic_file *file);

/* Finishes and places it. On failure the temporary file is gone and the old file, if any, untouched
 * (but the new file is in place when only the sync of the folder failed). */
enum status atomic_file_commit(struct atomic_file *file);

/* Removes the temporary file, unless it grows. Accepts a zeroed or committed one. */
void atomic_file_abandon(struct atomic_file *file);

/* Would writing to one of the paths undo writing to the other? Links are followed. */
bool atomic_file_same(const char *path, const char *other);

/* Is it where standard output goes, unless that is a device as /dev/null? */
bool atomic_file_is_stdout(const char *path);

#endif
