#include "app/viewer/input/view_track.h"

#include <math.h>
#include <string.h>

#define STEADY 1e-9    /* least change of a placement that is a zoom or rotation */
#define PIVOT_MOST 1e6 /* pixels: a motion about a point that is farther away is a pan */

enum status view_track_note(struct view_track *track, const struct view *view, double now_s)
{
    struct view_track_sight *last = track->count ? &track->sight[track->count - 1] : NULL;
    if (last && (last->view.width != view->width || last->view.height != view->height))
        view_track_forget(track);
    else if (last && now_s - last->time_s < VIEW_TRACK_APART_S)
        return STATUS_OK;
    if (track->count == VIEW_TRACK_SIGHTS) {
        struct view_track_sight oldest = track->sight[0];
        memmove(track->sight, track->sight + 1, (VIEW_TRACK_SIGHTS - 1) * sizeof *track->sight);
        track->sight[--track->count] = oldest; /* its texts are used again */
    }
    TRY(view_copy(&track->sight[track->count].view, view));
    track->sight[track->count++].time_s = now_s;
    return STATUS_OK;
}

void view_track_forget(struct view_track *track)
{
    for (int i = 0; i < VIEW_TRACK_SIGHTS; i++)
        view_destroy(&track->sight[i].view);
    *track = (struct view_track){.count = 0};
}

/* The motion of a placement that is repeated `times` times, for a picture of this size:
 * new = scale R(angle) old + d about the middles has the fixed point (1 - scale R)^-1 d. */
static struct view_motion placement_power(const struct placement *placement, double times,
                                          double width, double height)
{
    double c = placement->scale * cos(placement->angle_rad);
    double s = placement->scale * sin(placement->angle_rad);
    double whole = (1 - c) * (1 - c) + s * s;
    struct view_motion pan = motion_pan(placement->dx_px * times, placement->dy_px * times);
    if (!(placement->scale > 0) || !isfinite(whole) || !(whole > STEADY * STEADY))
        return pan;
    double x = ((1 - c) * placement->dx_px - s * placement->dy_px) / whole;
    double y = (s * placement->dx_px + (1 - c) * placement->dy_px) / whole;
    if (!(hypot(x, y) < PIVOT_MOST))
        return pan;
    struct view_motion motion =
        motion_zoom(pow(placement->scale, times), width / 2 + x, height / 2 + y);
    motion.turn_deg = placement->angle_rad * times * (180 / M_PI);
    return motion;
}

enum status view_track_ahead(const struct view_track *track, const struct view *view, double now_s,
                             double lead_s, struct view_motion *motion, double *log2_speed)
{
    *motion = motion_pan(0, 0);
    *log2_speed = 0;
    const struct view_track_sight *first = &track->sight[0];
    double known_s = track->count ? now_s - first->time_s : 0;
    if (!(known_s >= VIEW_TRACK_LEAST_S))
        return STATUS_OK;
    struct placement placement;
    TRY(view_placement(&first->view, view, &placement));
    if (placement.scale > 0)
        *log2_speed = log2(placement.scale) / known_s;
    *motion = placement_power(&placement, lead_s / known_s, view->width, view->height);
    return STATUS_OK;
}
