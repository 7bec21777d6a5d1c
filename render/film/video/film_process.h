/* A program that reads from a pipe: ffmpeg. Started without a shell, in a process group of its own,
 * so that a Ctrl-C of the terminal does not reach it. */
#ifndef RENDER_FILM_VIDEO_FILM_PROCESS_H
#define RENDER_FILM_VIDEO_FILM_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "kernels/status.h"

struct film_process {
    const char *name;         /* borrowed */
    pid_t pid;                /* process; 0: none */
    int in;                   /* pipe to its standard input; -1: closed */
    int errors;               /* memory file with its standard error */
    const volatile int *stop; /* borrowed; may be NULL */
    double quiet_s;           /* longest time without computing or reading a byte */
};

/* Starts it. arguments: ends with NULL; [0] is searched in PATH. folder: descriptor of its working
 * folder; -1: ours. STATUS_NO_DEVICE where there is no such program. */
enum status film_process_start(struct film_process *process, const char *const *arguments,
                               int folder, const volatile int *stop);

/* Writes to it; the caller must ignore SIGPIPE. STATUS_IO, with the last line of its standard
 * error, or when it hangs, which kills it. After a stop request it has 2 s without activity and 10
 * s in all; then it is killed: STATUS_STOPPED. */
enum status film_process_write(struct film_process *process, const void *bytes, size_t length);

/* Closes its input, and waits for its end. Fails as above, and unless its exit code is 0. */
enum status film_process_finish(struct film_process *process);

/* Kills it. Accepts a zeroed or finished one. */
void film_process_kill(struct film_process *process);

#endif
