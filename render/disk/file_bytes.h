/* Bytes at an offset of an open file: all of them or an error. */
#ifndef RENDER_DISK_FILE_BYTES_H
#define RENDER_DISK_FILE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Writes them. False with errno. */
bool file_bytes_put(int file, const void *bytes, size_t length, off_t offset);

/* Reads them. False with errno; ENODATA if the file ends before. */
bool file_bytes_get(int file, void *bytes, size_t length, off_t offset);

/* Reads all of a regular file and appends a 0; the caller frees it. NULL with errno; EFBIG: it has
 * more than `most` bytes, *length of them; EINVAL: it is not regular. */
char *file_bytes_all(int file, uint64_t most, size_t *length);

/* Reads the last line that is not empty, cut to `bytes`; of one longer than a KiB its end. "" if
 * there is none. */
void file_last_line(int file, char *text, size_t bytes);

/* Closes the file, unless it is < 0, in which case `good` is false. True if `good` and the close
 * succeeded; else false with the errno of what failed first. */
bool file_bytes_close(int file, bool good);

/* Locks bytes of the file, or unlocks them; length 0: up to its end and beyond. Where machines
 * share a disk by NFS, locking makes the writes of others visible here, and unlocking makes this
 * machine's visible to them. Waits for the lock. False with errno. */
bool file_bytes_lock(int file, bool locks, off_t offset, size_t length);

#endif
