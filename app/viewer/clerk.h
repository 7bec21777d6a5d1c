/* Who does what takes long, while the window goes on? One thread that does the jobs it is given, in
 * order: writing pictures, bookmarks, the history. */
#ifndef APP_VIEWER_CLERK_H
#define APP_VIEWER_CLERK_H

#include <stdbool.h>

#include "kernels/status.h"

struct clerk;

enum { CLERK_TEXT_BYTES = 512, CLERK_JOBS_MAX = 64 };

struct clerk_job {
    /* On the clerk's thread. On success it may write a sentence for the user into `text`. */
    enum status (*work)(void *context, char text[CLERK_TEXT_BYTES]);
    void (*destroy)(void *context); /* afterwards, and when it is never done; may be NULL */
    void *context;
};

struct clerk_report {
    enum status status;
    char text[CLERK_TEXT_BYTES]; /* of the job, or why it failed; "": nothing to say */
};

/* wake: called on the clerk's thread when a report is there; may be NULL. */
enum status clerk_open(struct clerk **clerk, void (*wake)(void *context), void *context);

/* Does all jobs that wait. Accepts NULL. */
void clerk_close(struct clerk *clerk);

/* Any thread; takes the context over. STATUS_SYSTEM when CLERK_JOBS_MAX jobs wait already. */
enum status clerk_give(struct clerk *clerk, const struct clerk_job *job);

/* The next report that says anything; false if there is none. */
bool clerk_report(struct clerk *clerk, struct clerk_report *report);

/* Are all jobs done? */
bool clerk_idle(struct clerk *clerk);

#endif
