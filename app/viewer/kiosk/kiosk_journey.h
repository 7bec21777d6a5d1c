/* A journey of the stand: a flight from a view to a place, a rest there, and for the attract loop
 * the way back, along a path as films have (render/film/film_path.h). */
#ifndef APP_VIEWER_KIOSK_KIOSK_JOURNEY_H
#define APP_VIEWER_KIOSK_KIOSK_JOURNEY_H

#include <stdbool.h>

#include "render/film/film_path.h"

struct kiosk_journey { /* zeroed: none */
    struct film_path path;
    double at_s, moved_s; /* of its own time; when it went on last */
    bool on;
};

/* From a view by way of home, where that is farther out, to another; there_s: the rest there. At
 * once: without a flight, and without the way back. */
enum kiosk_way { KIOSK_ONE_WAY, KIOSK_AND_BACK, KIOSK_AT_ONCE };
enum status kiosk_journey_begin(struct kiosk_journey *journey, const struct view *from,
                                const struct view *home, const struct view *to, double there_s,
                                enum kiosk_way way, double now_s);
void kiosk_journey_end(struct kiosk_journey *journey); /* accepts a zeroed one */

/* Its view now, at `ease` times its speed since the last time; on: false after the last one. */
enum status kiosk_journey_step(struct kiosk_journey *journey, double now_s, double ease,
                               struct view *view);

#endif
