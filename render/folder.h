/* A folder that files are written to, as a descriptor: what not every disk can do. */
#ifndef RENDER_FOLDER_H
#define RENDER_FOLDER_H

/* fsync of a file or folder; 0 also where there is nothing to sync. */
int folder_sync(int descriptor);

/* Renames without replacing: EEXIST. Where a disk has neither that nor hard links, a file that
 * appears in that moment is replaced. */
int folder_rename_new(int folder, const char *from, const char *to);

/* Removes a file, or a folder with all that is in it; links are removed, not followed. -1 with
 * errno. */
int folder_remove(int folder, const char *name);

/* Excludes other runs of this host while names change; close() gives it back. Waits up to
 * `wait_s`. -1 with EWOULDBLOCK: another run has it; ECANCELED: *stop; else: no locks here. */
int folder_lock(int folder, int wait_s, const volatile int *stop);

#endif
