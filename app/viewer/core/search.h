/* The search for a point (deepfield_find) on a thread beside the window's, in a world of its own.
 * One at a time; only search_close waits, for some milliseconds. */
#ifndef APP_VIEWER_CORE_SEARCH_H
#define APP_VIEWER_CORE_SEARCH_H

#include <stdatomic.h>
#include <stdbool.h>

#include "include/deepfield/deepfield.h"
#include "library/settings/place_text.h"
#include "render/device/background.h"

struct search_request {
    const struct place *place; /* with the limit of the periods; borrowed */
    double x0, y0, x1, y1;     /* box in the pixels of its view, at least one high and wide */
    bool misiurewicz;          /* a Misiurewicz point; else a nucleus */
    bool embedded;             /* the view shows an embedded Julia set about it */
};

enum search_stage { SEARCH_AT_ORBIT, SEARCH_AT_POINT, SEARCH_AT_NEWTON };

/* The point that was found, and the view that shows it. */
struct search_found {
    int64_t period, preperiod;
    bool disc; /* a component that grows on another one */
    double log10_size, log10_multiplier;
    struct view view; /* view of the searched size; owned */
};

struct search {
    struct background *thread;
    deepfield_world *world; /* world of the thread */
    struct place place;     /* place of the search under way; owned view */
    char box[128];
    bool misiurewicz, embedded;
    bool busy;         /* begun, and its end not yet received by search_take */
    volatile int stop; /* the world's */
    atomic_bool done;
    atomic_int progress; /* 1000 stage + per mille */
    struct search_found found;
    enum status status;
    char text[STATUS_TEXT_BYTES]; /* error text of a failure */
    void (*wake)(void *context);  /* called on the thread when the search is done */
    void *context;
};

enum status search_open(struct search *search, void (*wake)(void *context), void *context);
void search_close(struct search *search); /* accepts a zeroed one; stops it */

/* Begins, with a copy of the place. One under way must have been taken. */
enum status search_begin(struct search *search, const struct search_request *request);

/* Stops the search under way, which then ends with STATUS_STOPPED. */
void search_stop(struct search *search);

/* Has the search ended? Its result stays until the next search_begin. */
bool search_take(struct search *search);

struct search_progress {
    enum search_stage stage;
    double part; /* done part of the stage, 0 ... 1 */
};
struct search_progress search_progress(struct search *search);

#endif
