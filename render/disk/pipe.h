/* Opening and writing of files that may block a process: a pipe without a reader. A stop request
 * ends the wait; a signal alone does not, since an interrupted call begins again (SA_RESTART). */
#ifndef RENDER_DISK_PIPE_H
#define RENDER_DISK_PIPE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* Opens for writing, with more flags of open(); waits for the reader of a pipe. Any other file is
 * opened at once. -1 with errno; ECANCELED: *stop is set (stop may be NULL); ELOOP: a link of
 * another user (folder_link_of_others); EMLINK: a regular file with a hard link. */
int pipe_open(const char *path, int flags, const volatile int *stop);

/* Sets the function that the opening thread calls once after it has waited for a pipe for a while.
 * Of the whole process. */
void pipe_waits_hook(void (*tell)(const char *path));

/* Between these, a write of this thread to a pipe without a reader fails with EPIPE and sends no
 * SIGPIPE, which would end the process of a caller that has not ignored it. */
struct pipe_hold {
    sigset_t before; /* signals that the thread has blocked */
    bool pending;    /* there was one before */
};
void pipe_hold_begin(struct pipe_hold *hold);
void pipe_hold_end(const struct pipe_hold *hold); /* keeps errno */

/* Writes all of the bytes, or returns false with errno; ECANCELED as above, EPIPE without a signal.
 */
bool pipe_write(int file, const char *bytes, size_t length, const volatile int *stop);

#endif
