#include "app/viewer/kiosk/kiosk_journey.h"

#include <math.h>

#define OCTAVES_PER_S 1.6
#define LEAST_S 2.0
#define PAUSE_S 0.1 /* a machine that slept goes on from where it was */

static enum status keyframe_add(struct film_path *path, const struct view *view, double after_s)
{
    struct film_keyframe keyframe = {.re = view->re,
                                     .im = view->im,
                                     .zoom = view->zoom,
                                     .rotation_deg = view->rotation_deg,
                                     .relief = NAN,
                                     .ease_s = FILM_EASE_S};
    if (path->count)
        keyframe.time_s = path->keyframe[path->count - 1].time_s + after_s;
    return film_path_add(path, &keyframe);
}

/* Adds a flight as long as its zoom takes. */
static enum status flight_add(struct film_path *path, const struct view *to)
{
    TRY(keyframe_add(path, to, LEAST_S));
    struct film_keyframe *last = &path->keyframe[path->count - 1];
    if (path->count < 2)
        return STATUS_OK;
    double octaves = fabs(last->log2_zoom - last[-1].log2_zoom);
    last->time_s = last[-1].time_s + fmax(octaves / OCTAVES_PER_S, LEAST_S);
    return STATUS_OK;
}

static enum status keyframes_add(struct film_path *path, const struct view *from,
                                 const struct view *home, const struct view *to, double there_s,
                                 enum kiosk_way way)
{
    if (way == KIOSK_AT_ONCE) {
        TRY(keyframe_add(path, to, 0));
        return keyframe_add(path, to, there_s);
    }
    TRY(flight_add(path, from));
    TRY(flight_add(path, home));
    struct film_keyframe *last = &path->keyframe[path->count - 1];
    bool at_home = last->log2_zoom >= last[-1].log2_zoom - 1; /* it would lead farther in */
    if (at_home) { /* or nowhere: there is no time between */
        film_path_destroy(path);
        *path = (struct film_path){.count = 0};
        TRY(flight_add(path, from));
    }
    TRY(flight_add(path, to));
    TRY(keyframe_add(path, to, there_s));
    return way == KIOSK_AND_BACK ? flight_add(path, home) : STATUS_OK;
}

enum status kiosk_journey_begin(struct kiosk_journey *journey, const struct view *from,
                                const struct view *home, const struct view *to, double there_s,
                                enum kiosk_way way, double now_s)
{
    kiosk_journey_end(journey);
    enum status status = keyframes_add(&journey->path, from, home, to, there_s, way);
    journey->path.shape = to->shape;
    journey->on = status == STATUS_OK;
    journey->moved_s = now_s;
    return status;
}

void kiosk_journey_end(struct kiosk_journey *journey)
{
    film_path_destroy(&journey->path);
    *journey = (struct kiosk_journey){.on = false};
}

enum status kiosk_journey_step(struct kiosk_journey *journey, double now_s, double ease,
                               struct view *view)
{
    journey->at_s += ease * fmin(fmax(now_s - journey->moved_s, 0), PAUSE_S);
    journey->moved_s = now_s;
    TRY(film_path_view(&journey->path, journey->at_s, view->width, view->height, view));
    journey->on = journey->at_s < film_path_seconds(&journey->path);
    return STATUS_OK;
}
