/* A program that is fed through a pipe: ffmpeg. Started without a shell, in a process group of its
 * own, so that a Ctrl-C of the terminal does not reach it. */
#ifndef RENDER_FILM_FILM_PROCESS_H
#define RENDER_FILM_FILM_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "kernels/status.h"

struct film_process {
    const char *name; /* borrowed */
    pid_t pid;        /* 0: none */
    int in;           /* its standard input; -1: closed */
    int errors;       /* a memory file that has its standard error */
};

/* arguments: ends with NULL; [0] is looked for in PATH. STATUS_NO_DEVICE where there is none. */
enum status film_process_start(struct film_process *process, const char *const *arguments);

/* Who writes must ignore SIGPIPE. STATUS_IO, with the last line of what it has said. */
enum status film_process_write(struct film_process *process, const void *bytes, size_t length);

/* Ends its input, and waits for its end. STATUS_IO as above unless it ends with 0. */
enum status film_process_finish(struct film_process *process);

/* Kills it. Accepts a zeroed or finished one. */
void film_process_kill(struct film_process *process);

#endif
