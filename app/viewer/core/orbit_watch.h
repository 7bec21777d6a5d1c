/* The orbit of the point under the pointer and external rays, computed on a thread of their own, in
 * a world of its own. The newest point wins; only orbit_watch_close waits, for some milliseconds.
 */
#ifndef APP_VIEWER_CORE_ORBIT_WATCH_H
#define APP_VIEWER_CORE_ORBIT_WATCH_H

#include <stdatomic.h>
#include <stdbool.h>

#include "app/viewer/overlays/overlay.h"
#include "include/deepfield/deepfield.h"
#include "library/settings/place_text.h"
#include "render/device/background.h"

enum { ORBIT_RAY_PERIODS = 5, ORBIT_RAYS_MOST = 31 }; /* k / (2^p - 1) */

struct orbit_watch {
    struct background *thread;
    deepfield_world *world; /* world of the thread */
    struct place place;     /* place of the request under way; owned view */
    double x, y;            /* its position in the view, pixels */
    bool busy;
    volatile int stop; /* the world's */
    atomic_bool done;
    enum status status;
    int period, rays_made;               /* period of the wanted rays; how many are made */
    struct overlay_path *making, *orbit; /* orbit under way; the newest finished one; owned */
    struct overlay_ray *rays;            /* [ORBIT_RAYS_MOST], owned */
    bool there;                          /* is `orbit` one? */
    struct view seen;                    /* view of `orbit`; owned */
    void (*wake)(void *context);
    void *context;
};

enum status orbit_watch_open(struct orbit_watch *watch, void (*wake)(void *context), void *context);
void orbit_watch_close(struct orbit_watch *watch); /* accepts a zeroed one */

/* Requests the orbit of a position; called in each round of the loop. period: that of the rays, 0:
 * none. Returns whether there is something new. */
bool orbit_watch_poll(struct orbit_watch *watch, const struct place *place, double x, double y,
                      int period);

#endif
