/* The search for a point (render/find/finder.h) on a thread beside the window's. One at a time;
 * only search_close waits, for some milliseconds. */
#ifndef APP_VIEWER_CORE_SEARCH_H
#define APP_VIEWER_CORE_SEARCH_H

#include <stdatomic.h>
#include <stdbool.h>

#include "render/device/background.h"
#include "render/find/finder.h"

struct search {
    struct background *thread;
    struct finder_request request; /* request of the search under way; borrows `view` */
    struct view view;              /* copy of the requested view; owned */
    int embedded;                  /* number of the finding's view that is wanted: finding_view */
    bool busy;                     /* begun, and its end not yet received by search_take */
    volatile int stop;
    atomic_bool done;
    atomic_int progress; /* 1000 stage + per mille */
    struct finding finding;
    enum status status;
    char text[STATUS_TEXT_BYTES]; /* error text of a failure */
    void (*wake)(void *context);  /* called on the thread when the search is done */
    void *context;
};

enum status search_open(struct search *search, void (*wake)(void *context), void *context);
void search_close(struct search *search); /* accepts a zeroed one; stops it */

/* Begins with a copy of the request's view; threads, stop and progress are not read. One under way
 * must have been taken. */
enum status search_begin(struct search *search, const struct finder_request *request);

void search_stop(struct search *search);

/* Has the search ended? Then status, text and finding hold until the next begin. */
bool search_take(struct search *search);

struct finder_progress search_progress(struct search *search);

#endif
