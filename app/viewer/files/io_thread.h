/* The I/O thread, for jobs that would keep the window waiting, in order: writing pictures,
 * bookmarks, the history. */
#ifndef APP_VIEWER_FILES_IO_THREAD_H
#define APP_VIEWER_FILES_IO_THREAD_H

#include <stdbool.h>

#include "kernels/status.h"

struct io_thread;

enum { IO_THREAD_TEXT_BYTES = 512, IO_THREAD_JOBS_MAX = 64 };

struct io_thread_job {
    /* Runs on the I/O thread. On success it may write a sentence for the user into `text`. */
    enum status (*work)(void *context, char text[IO_THREAD_TEXT_BYTES]);
    void (*destroy)(void *context); /* called after `work`, or instead of it; may be NULL */
    void *context;
};

struct io_thread_report {
    enum status status;
    char text[IO_THREAD_TEXT_BYTES]; /* result of the job, or why it failed; "": none */
};

/* wake: called on the I/O thread when a report is there; may be NULL. */
enum status io_thread_open(struct io_thread **io_thread, void (*wake)(void *context),
                           void *context);

/* Ends the thread after all waiting jobs are done. No job may follow; reports can still be read. */
void io_thread_finish(struct io_thread *io_thread);
void io_thread_close(struct io_thread *io_thread); /* finishes it first; accepts NULL */

/* Any thread; takes the context over. STATUS_SYSTEM when IO_THREAD_JOBS_MAX jobs wait already. */
enum status io_thread_give(struct io_thread *io_thread, const struct io_thread_job *job);

/* The next report that has a text; false if there is none. */
bool io_thread_report(struct io_thread *io_thread, struct io_thread_report *report);

/* Are all jobs done? */
bool io_thread_idle(struct io_thread *io_thread);

#endif
