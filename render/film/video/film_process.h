/* A program that is fed through a pipe: ffmpeg. Started without a shell, in a process group of its
 * own, so that a Ctrl-C of the terminal does not reach it. */
#ifndef RENDER_FILM_VIDEO_FILM_PROCESS_H
#define RENDER_FILM_VIDEO_FILM_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "kernels/status.h"

struct film_process {
    const char *name;         /* borrowed */
    pid_t pid;                /* 0: none */
    int in;                   /* its standard input; -1: closed */
    int errors;               /* a memory file that has its standard error */
    const volatile int *stop; /* borrowed; may be NULL */
    double quiet_s;           /* it may wait so long without computing or taking a byte */
};

/* arguments: ends with NULL; [0] is looked for in PATH. It works in the folder, a descriptor; -1:
 * in ours. STATUS_NO_DEVICE where there is no such program. */
enum status film_process_start(struct film_process *process, const char *const *arguments,
                               int folder, const volatile int *stop);

/* Who writes must ignore SIGPIPE. STATUS_IO, with the last line of what it has said, or when it
 * hangs, which kills it. After a request to stop it has 2 s without a sign of life and 10 s in all;
 * then it is killed: STATUS_STOPPED. */
enum status film_process_write(struct film_process *process, const void *bytes, size_t length);

/* Ends its input, and waits for its end. Fails as above, and unless it ends with 0. */
enum status film_process_finish(struct film_process *process);

/* Kills it. Accepts a zeroed or finished one. */
void film_process_kill(struct film_process *process);

#endif
