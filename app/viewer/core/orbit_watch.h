/* The orbit of the point under the pointer and external rays, computed on a thread of their own.
 * The newest point wins; only orbit_watch_close waits, for some milliseconds. */
#ifndef APP_VIEWER_CORE_ORBIT_WATCH_H
#define APP_VIEWER_CORE_ORBIT_WATCH_H

#include <stdatomic.h>
#include <stdbool.h>

#include "render/device/background.h"
#include "render/reference/point_orbit.h"

enum { ORBIT_RAY_PERIODS = 5, ORBIT_RAYS_MOST = 31 }; /* k / (2^p - 1) */

struct orbit_watch {
    struct background *thread;
    struct point_orbit_request request; /* the request under way; its view is `view` */
    struct view view;                   /* owned */
    bool busy;
    volatile int stop;
    atomic_bool done;
    enum status status;
    int period, rays_made;              /* period of the wanted rays; how many are made */
    struct point_orbit *making, *orbit; /* orbit under way; the newest finished one; owned */
    struct ray *rays;                   /* [ORBIT_RAYS_MOST], owned */
    bool there;                         /* is `orbit` one? */
    struct view seen;                   /* view of `orbit`; owned */
    double seen_x, seen_y;              /* pixel position of `orbit` in that view */
    void (*wake)(void *context);
    void *context;
};

enum status orbit_watch_open(struct orbit_watch *watch, void (*wake)(void *context), void *context);
void orbit_watch_close(struct orbit_watch *watch); /* accepts a zeroed one */

/* Requests this orbit; called in each round of the loop. period: that of the rays, 0: none. Returns
 * whether there is something new. */
bool orbit_watch_poll(struct orbit_watch *watch, const struct point_orbit_request *wanted,
                      int period);

#endif
