/* Opening and writing what may keep a process waiting: a pipe that nobody reads. A stop request
 * ends the wait; a signal alone does not, since what it interrupts begins again (SA_RESTART). */
#ifndef RENDER_DISK_PIPE_H
#define RENDER_DISK_PIPE_H

#include <stdbool.h>
#include <stddef.h>

/* For writing, with more flags of open(); of a pipe that has no reader yet it waits for one. Any
 * other file is opened at once. -1 with errno; ECANCELED: `*stop`, which may be NULL; ELOOP: a link
 * of another user (folder_link_of_others); EMLINK: a regular file with a hard link. */
int pipe_open(const char *path, int flags, const volatile int *stop);

/* Called, by the thread that opens, once a pipe has been waited for a while. Set before there are
 * threads. */
void pipe_waits_hook(void (*tell)(const char *path));

/* All of the bytes, or false with errno; ECANCELED as above. */
bool pipe_write(int file, const char *bytes, size_t length, const volatile int *stop);

#endif
