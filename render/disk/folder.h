/* Folders as descriptors, and files by their names in them.
 *
 * Others may write where a picture goes: /tmp, a folder of a group. What a run keeps beside its
 * files is therefore in folders of its own, and everything in them is opened by a name of one part
 * in a folder that is open. A folder of our own (folder_open_own) is of this user, no link, and
 * closed to the writing of others. A file in a folder is taken (folder_file_open) if it is a
 * regular one that belongs to whom the folder belongs and, if it is to be written to, has no other
 * name: no link, pipe, device or hard link is followed, waited for or written to. What is written
 * anew replaces the name.
 *
 * Failures are -1, NULL or false with errno, for which folder_reason has the words. */
#ifndef RENDER_DISK_FOLDER_H
#define RENDER_DISK_FOLDER_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* ---- folders ---- */

/* One that the user names; links are followed. One that may be written but not read is of use,
 * too. */
int folder_open(const char *path);

/* The same, but ELOOP: a link of another user (folder_link_of_others). */
int folder_open_chosen(const char *path);

/* That, and it must be of this user. EPERM. */
int folder_open_of_user(const char *path);

/* Makes one that the user names; good, too, if it is there. -1. */
int folder_make_path(const char *path);

/* The folder that the last part of the path is in, and that part (in `path`). */
int folder_above(const char *path, const char **name);

/* One that we have named. ELOOP: it is a link; EPERM: it belongs to another user. Where others may
 * write to it, it is closed to them; a disk without modes keeps it open. */
int folder_open_own(const char *path);

/* One in a folder. ELOOP, EPERM. */
int folder_open_in(int folder, const char *name);

/* Makes one there, and opens it. EEXIST. */
int folder_make(int folder, const char *name, mode_t mode);

/* Makes the folder `path`, of our own, with an empty file `lock` in it that is locked (flock):
 * others see both or neither. An empty folder in its place is replaced. The descriptor of the
 * folder, *locked that of the file; EEXIST or ENOTEMPTY for a folder that has something in it. */
int folder_make_locked(const char *path, const char *lock, int *locked);

/* Has this file or folder, which is open, that name in the folder? */
bool folder_is_named(int folder, const char *name, int open);

/* What is in it, for closedir(); the folder stays open. */
DIR *folder_list(int folder);
DIR *folder_list_path(const char *path); /* of one that the user names */

/* fsync of a file or folder; 0 also where there is nothing to sync. */
int folder_sync(int descriptor);

/* Excludes other runs of this host while names change; close() gives it back. Waits up to
 * `wait_s`. -1 with EWOULDBLOCK: another run has it; ECANCELED: *stop; else: no locks here. */
int folder_lock(int folder, int wait_s, const volatile int *stop);

/* ---- files ---- */

/* Opens one to be read that the user names, whatever it is; a pipe is not waited for. */
int folder_input(const char *path);

/* Opens a file that is there. access: O_RDONLY, O_WRONLY or O_RDWR, perhaps O_APPEND. ELOOP, ENXIO,
 * EMLINK, EPERM: not one to be taken. */
int folder_file_open(int folder, const char *name, int access);

/* A new one, for reading and writing; a file, link or pipe of that name goes. */
int folder_file_create(int folder, const char *name, mode_t mode);

/* Opens the file for reading and writing, or makes it where there is none. */
int folder_file_take(int folder, const char *name);

/* All of a file, with a 0 behind it; for free(). EFBIG: it has more than `most` bytes. */
char *folder_file_read(int folder, const char *name, uint64_t most, size_t *length);

struct folder_piece {
    const void *bytes;
    size_t length;
};

enum folder_sync { FOLDER_UNSYNCED, FOLDER_SYNCED };

/* Gives the name to a new file of these pieces, which others see whole; it takes the place of what
 * has the name. Grows as a temporary (temporary_file.h). */
bool folder_file_put(int folder, const char *name, const struct folder_piece *piece, size_t count,
                     enum folder_sync sync);

/* ---- names ---- */

/* Renames without replacing: EEXIST. Where a disk has neither that nor hard links, a file that
 * appears in that moment is replaced. */
int folder_rename_new(int folder, const char *from, const char *to);

/* Removes the name of a file that the user names. */
int folder_path_remove(const char *path);

/* Removes a file, or a folder with all that is in it; links are removed, not followed. */
int folder_remove(int folder, const char *name);

/* The same of the folder `path`, which others see whole or not at all. ESTALE: it is another one
 * than `open` by now. */
int folder_discard(const char *path, int open);

/* Is the path itself a symbolic link of another user than this one and the owner of its folder? In
 * a folder of many it would lead the run into a file of whom it wants. */
bool folder_link_of_others(const char *path);

/* What errno means of a folder or a file: "it is a link". */
const char *folder_reason(int reason);

#endif
