/* Folders as descriptors, and files by their names in them.
 *
 * Other users may write where a picture is written: /tmp, a folder of a group. A run therefore
 * keeps its own data in folders of its own, and everything in them is opened by a name of one part
 * in a folder that is open. A folder of our own (folder_open_own) is of this user, no link, and
 * closed to the writing of others. A file in a folder is taken (folder_file_open) if it is a
 * regular file that belongs to the owner of the folder and, if it is to be written to, has no other
 * name: no link, pipe, device or hard link is followed, waited for or written to. A new file
 * replaces the name.
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

/* Opens a folder that the user names; links are followed. A folder that may be written but not read
 * is opened, too. */
int folder_open(const char *path);

/* Opens like folder_open, but fails with ELOOP on a link of another user
 * (folder_link_of_others). */
int folder_open_chosen(const char *path);

/* Opens like folder_open_chosen a folder that must belong to this user. EPERM. */
int folder_open_of_user(const char *path);

/* Makes a folder that the user names; succeeds if it exists. 0 or -1. */
int folder_make_path(const char *path);

/* Opens the folder that contains the last part of the path; *name is that part (in `path`). */
int folder_above(const char *path, const char **name);

/* Opens a folder that we have named. ELOOP: it is a link; EPERM: it belongs to another user. Write
 * permission of others is removed; a disk without modes keeps it. */
int folder_open_own(const char *path);

/* Opens a folder of our own in an open folder. ELOOP, EPERM. */
int folder_open_in(int folder, const char *name);

/* Makes a folder in an open folder, and opens it. EEXIST. */
int folder_make(int folder, const char *name, mode_t mode);

/* Makes the folder `path`, of our own, with an empty file `lock` in it that is locked (flock):
 * others see both or neither. An empty folder of that name is replaced. Returns the descriptor of
 * the folder; *locked is that of the file. EEXIST or ENOTEMPTY for a folder that is not empty. */
int folder_make_locked(const char *path, const char *lock, int *locked);

/* Does this open file or folder have that name in the folder? */
bool folder_is_named(int folder, const char *name, int open);

/* Lists the entries of an open folder, which stays open; the caller calls closedir(). */
DIR *folder_list(int folder);
DIR *folder_list_path(const char *path); /* lists a folder that the user names */

/* Syncs a file or folder (fsync); 0 also where there is nothing to sync. */
int folder_sync(int descriptor);

/* Excludes other runs of this host while names change; close() releases the lock. Waits up to
 * `wait_s`. -1 with EWOULDBLOCK: another run has it; ECANCELED: *stop; else: no locks here. */
int folder_lock(int folder, int wait_s, const volatile int *stop);

/* ---- files ---- */

/* Opens for reading a file that the user names, of any kind; does not wait for the writer of a
 * pipe. */
int folder_input(const char *path);

/* Opens an existing file. access: O_RDONLY, O_WRONLY or O_RDWR, perhaps O_APPEND. ELOOP, ENXIO,
 * EMLINK, EPERM: not a file of our own. */
int folder_file_open(int folder, const char *name, int access);

/* Creates a file for reading and writing; a file, link or pipe of that name is replaced. */
int folder_file_create(int folder, const char *name, mode_t mode);

/* Opens the file for reading and writing, or creates it where there is none. */
int folder_file_take(int folder, const char *name);

/* Reads all of a file and appends a 0; the caller frees it. EFBIG: the file has more than `most`
 * bytes. */
char *folder_file_read(int folder, const char *name, uint64_t most, size_t *length);

/* Bytes of a new file, which is written from an array of them. */
struct folder_bytes {
    const void *bytes;
    size_t length;
};

enum folder_sync { FOLDER_UNSYNCED, FOLDER_SYNCED };

/* Writes `count` parts to a new file of that name, which others see whole; an existing file is
 * replaced. Written as a temporary (temporary_file.h). */
bool folder_file_put(int folder, const char *name, const struct folder_bytes *part, size_t count,
                     enum folder_sync sync);

/* ---- names ---- */

/* Renames without replacing: EEXIST. Where a disk supports neither this nor hard links, a file that
 * appears at that moment is replaced. */
int folder_rename_new(int folder, const char *from, const char *to);

/* Removes a file that the user names. */
int folder_path_remove(const char *path);

/* Removes a file, or a folder with all that is in it; links are removed, not followed. */
int folder_remove(int folder, const char *name);

/* Removes the folder `path`, which others see whole or not at all. ESTALE: the path is another
 * folder than `open` by now. */
int folder_discard(const char *path, int open);

/* Is the path itself a symbolic link of a user who is neither this one nor the owner of its folder?
 * In a folder of many users it could lead the run into anybody's file. */
bool folder_link_of_others(const char *path);

/* Words for the errno of a call of this file: "it is a link". */
const char *folder_reason(int reason);

#endif
