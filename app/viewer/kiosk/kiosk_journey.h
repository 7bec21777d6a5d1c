/* A journey of the stand: a flight from a view to a place, a rest there, and for the attract loop
 * the way back, along a path as films have (render/motion/film_path.h). */
#ifndef APP_VIEWER_KIOSK_KIOSK_JOURNEY_H
#define APP_VIEWER_KIOSK_KIOSK_JOURNEY_H

#include <stdbool.h>

#include "render/motion/film_path.h"

struct kiosk_journey { /* zeroed: none */
    struct film_path path;
    double at_s, moved_s; /* time of the journey, which has its own clock; time of the last step */
    bool on;
};

/* Begins a flight from a view by way of home, where that is farther out, to another; there_s: the
 * rest there. KIOSK_AT_ONCE: without a flight, and without the way back. */
enum kiosk_way { KIOSK_ONE_WAY, KIOSK_AND_BACK, KIOSK_AT_ONCE };
enum status kiosk_journey_begin(struct kiosk_journey *journey, const struct view *from,
                                const struct view *home, const struct view *to, double there_s,
                                enum kiosk_way way, double now_s);
void kiosk_journey_end(struct kiosk_journey *journey); /* accepts a zeroed one */

/* The view now, at `ease` times the speed since the last step; journey->on is false after the last
 * view. */
enum status kiosk_journey_step(struct kiosk_journey *journey, double now_s, double ease,
                               struct view *view);

#endif
