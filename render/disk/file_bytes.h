/* Bytes at a place of an open file: all of them or none. */
#ifndef RENDER_DISK_FILE_BYTES_H
#define RENDER_DISK_FILE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* False with errno. */
bool file_bytes_put(int file, const void *bytes, size_t length, off_t place);

/* False with errno; ENODATA if the file ends before. */
bool file_bytes_get(int file, void *bytes, size_t length, off_t place);

/* Closes it, unless it is < 0, in which case `good` is false. Is all well, also what only closing
 * tells? Else false with the errno of what failed first. */
bool file_bytes_close(int file, bool good);

/* Locks bytes of the file, or unlocks them; length 0: all behind. A lock brings what other machines
 * have written to this one, where they share a disk by NFS, and unlocking brings this one's to
 * them. Waits for it. False with errno. */
bool file_bytes_lock(int file, bool locks, off_t place, size_t length);

#endif
