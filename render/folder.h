/* A folder that files are written to, as a descriptor: what not every disk can do. */
#ifndef RENDER_FOLDER_H
#define RENDER_FOLDER_H

/* fsync of a file or folder; 0 also where there is nothing to sync. */
int folder_sync(int descriptor);

/* Renames without replacing: EEXIST. Where a disk has neither that nor hard links, a file that
 * appears in that moment is replaced. */
int folder_rename_new(int folder, const char *from, const char *to);

/* Makes the folder `path` with an empty file `lock` in it that is locked (flock): others see both
 * or neither. An empty folder in its place is replaced. The descriptor of the folder, *locked that
 * of the file; -1 with errno: EEXIST or ENOTEMPTY for a folder that has something in it. */
int folder_make_locked(const char *path, const char *lock, int *locked);

/* Removes a file, or a folder with all that is in it; links are removed, not followed. -1 with
 * errno. */
int folder_remove(int folder, const char *name);

/* The same of the folder `path`, which others see whole or not at all. */
int folder_discard(const char *path);

/* Excludes other runs of this host while names change; close() gives it back. Waits up to
 * `wait_s`. -1 with EWOULDBLOCK: another run has it; ECANCELED: *stop; else: no locks here. */
int folder_lock(int folder, int wait_s, const volatile int *stop);

#endif
