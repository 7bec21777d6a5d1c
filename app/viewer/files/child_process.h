/* A run of this program as a child process: films, large pictures and thumbnails, which go on while
 * the window is used. A thread of its own starts it, reads its progress and waits for its end. */
#ifndef APP_VIEWER_FILES_CHILD_PROCESS_H
#define APP_VIEWER_FILES_CHILD_PROCESS_H

#include <stdbool.h>

#include "kernels/status.h"

struct child_process;

struct child_order {
    const char *const *words; /* words of its command line, NULL-ended, behind the program's name */
    const char *input;        /* text of its standard input; NULL: empty */
    const char *watched;      /* file whose run status tells the progress; NULL: none */
};

struct child_state {
    bool ended;
    int code;                     /* exit code once it has ended; -1: it was killed */
    double share, left_s;         /* done part of the work, seconds to its end; < 0: unknown */
    char text[STATUS_TEXT_BYTES]; /* last line of its standard error */
};

/* Starts it, with less right to processors than the window has. wake: called on the thread when the
 * state has changed. STATUS_SYSTEM, STATUS_OUT_OF_MEMORY. */
enum status child_process_start(struct child_process **child, const struct child_order *order,
                                void (*wake)(void *context), void *context);

struct child_state child_process_state(struct child_process *child);

void child_process_stop(struct child_process *child); /* asks it to end, by SIGTERM; or NULL */

/* Asks it to end and waits for that; accepts NULL. */
void child_process_close(struct child_process *child);

#endif
