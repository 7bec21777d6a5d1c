/* A file that appears whole or not at all.
 *
 * It is written without a name where the disk can do that (O_TMPFILE), elsewhere under the name of
 * a temporary in the same folder (temporary_file.h), flushed, synced, named, and the folder synced.
 * A process that is killed leaves nothing, or a temporary that the next process to write there
 * removes; several files that belong together are named by atomic_file_set.h.
 *
 * A file that takes long can grow under a name instead, in a folder that stays after a kill;
 * another process continues it from any offset up to which it was synced (atomic_file_checkpoint).
 *
 * A symbolic link to a file stays, and the file it points to is replaced, unless the link belongs
 * to a user who is neither this one nor the owner of its folder; atomic_file_open_in follows none.
 * A target that exists and is no regular file (a device, a pipe), and standard output whatever it
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
    char *temporary;  /* name while unfinished; owned; NULL: without a name, as a device is.
                         FOLDER/NAME: the file grows there, and stays there when it is abandoned */
    char *scratch;    /* folder beside the file that is removed in the end; owned; NULL: none */
    int folder, file; /* descriptors; folder is -1 for a device */
    enum overwrite overwrite;
    const volatile int *stop; /* non-zero: blocking calls give up; may be NULL */
};

/* Could the file be written? Tries by making and removing the temporary file, since permission bits
 * do not tell (root, read-only disks, /proc). STATUS_CANNOT_CREATE with the reason. */
enum status atomic_file_check(const char *path, enum overwrite overwrite);

/* Removes what dead processes have left in the folder, then creates the temporary file.
 * STATUS_CANNOT_CREATE with the system's reason, also when the file exists and `overwrite` is
 * OVERWRITE_NO. Blocks on a pipe until there is a reader, as its writes do; STATUS_STOPPED. */
enum status atomic_file_open(struct atomic_file *file, const char *path, enum overwrite overwrite,
                             const volatile int *stop);

/* Growth of a file: where it grows, and from its beginning or from a checkpoint. */
struct growth {
    const char *folder; /* folder of our own (folder.h) on the disk of the file, which has the last
                           part of its path as its name there */
    bool resumes;       /* the file exists; bytes beyond `length` are cut off */
    uint64_t length;
};

/* Opens like atomic_file_open a file that grows; a device or a pipe does not grow. With `resumes`,
 * fails with STATUS_BAD_DATA where the file is missing or shorter than `length`. */
enum status atomic_file_grow(struct atomic_file *file, const char *path, enum overwrite overwrite,
                             const volatile int *stop, const struct growth *growth);

/* Opens a folder that grows there, to be filled by the caller: *grown, which the caller closes. On
 * commit it replaces a folder of that name. */
enum status atomic_folder_grow(struct atomic_file *file, const char *path, enum overwrite overwrite,
                               const struct growth *growth, int *grown);

/* Syncs all that was written; *length is the length of the file. STATUS_IO; STATUS_CANNOT_CREATE
 * where the file does not grow. */
enum status atomic_file_checkpoint(struct atomic_file *file, uint64_t *length);

/* Inode number, which identifies the file on its disk; 0 where there is none. */
uint64_t atomic_file_id(const char *path);

/* Finishes what dead processes have begun in the folder of `path`, and removes what they left. */
void atomic_file_clear(const char *path);

/* Opens like atomic_file_open a name in an open folder; an existing file of that name is replaced.
 * `path` is for messages. */
enum status atomic_file_open_in(struct atomic_file *file, int folder, const char *path);

/* Has a stop been requested? */
bool atomic_file_stopped(const struct atomic_file *file);

/* Flushes, syncs and closes the stream; checks every return code. STATUS_IO; STATUS_STOPPED. */
enum status atomic_file_finish(struct atomic_file *file);

/* Gives a finished file its name (without replacing unless overwrite), syncs the folder.
 * STATUS_IO, or STATUS_CANNOT_CREATE when the name has been taken meanwhile. */
enum status atomic_file_place(struct atomic_file *file);

/* Gives a temporary name to a file that has none yet, so that a record can list it. A device gets
 * none. */
enum status atomic_file_name(struct atomic_file *file);

/* Finishes and places it. On failure the temporary file is gone and the old file, if any, untouched
 * (but the new file is in place when only the sync of the folder failed). */
enum status atomic_file_commit(struct atomic_file *file);

/* Removes the temporary file, unless it grows. Accepts a zeroed or committed one. */
void atomic_file_abandon(struct atomic_file *file);

/* Would writing to one of the paths undo writing to the other? Links are followed. */
bool atomic_file_same(const char *path, const char *other);

/* Is the path where standard output goes, unless that is a device such as /dev/null? */
bool atomic_file_is_stdout(const char *path);

#endif
