/* The next pictures of several, made ready while others are computed: views and settings are read,
 * plans and reference orbits made, complete files found. Each picture is the same with and without.
 *
 * Its threads read files and compute; they neither print nor call MPI. */
#ifndef LIBRARY_OUTPUT_PICTURE_AHEAD_H
#define LIBRARY_OUTPUT_PICTURE_AHEAD_H

#include <pthread.h>
#include <stdbool.h>

#include "library/settings/output_settings.h"
#include "render/device/renderer.h"

enum { AHEAD_MOST = 8 };

struct picture_ahead {
    const struct renderer *renderer; /* NULL: nothing was begun */
    /* Makes the request, on the thread of the picture; NULL: it was given. */
    enum status (*load)(void *context, struct output_request *request);
    void *context;
    bool no_orbit; /* the picture is not computed, or makes its own */
    struct output_request request;
    struct picture_settings settings;
    struct reference reference;     /* reference of perturbation; without an orbit: none was made */
    bool tried;                     /* the settings were made, or have failed */
    bool was_there;                 /* all files of the picture are complete */
    enum status status;             /* why the picture cannot be made */
    char why[STATUS_TEXT_BYTES];    /* sentence of that */
    struct reference_progress seen; /* progress of the orbit, by __atomic builtins */
    pthread_t thread;
    bool runs; /* the thread was started, and not joined */
};

/* Number of pictures to make ready at once, from 1 to AHEAD_MOST. */
int picture_ahead_count(const struct renderer *renderer);

/* Begins to make the picture ready whose first members the caller has set, all others being zero.
 * It stays where it is until picture_ahead_close. Where no thread can be started it is done by
 * picture_ahead_take. */
void picture_ahead_begin(struct picture_ahead *ahead);

/* Waits for so long, at most, without taking it. false: it is not ready, and *seen says how far its
 * orbit is; most 0: it has not begun. */
bool picture_ahead_wait(struct picture_ahead *ahead, double seconds,
                        struct reference_progress *seen);

/* Waits until it is ready. STATUS_OK, or why the picture cannot be made. */
enum status picture_ahead_take(struct picture_ahead *ahead);

void picture_ahead_close(struct picture_ahead *ahead); /* accepts a zeroed one */

#endif
