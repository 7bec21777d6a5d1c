/* The motion of a view, and where it will be if it goes on like that: a flight requests the picture
 * of the view that will be seen when the picture is there. Pure. */
#ifndef APP_VIEWER_INPUT_VIEW_TRACK_H
#define APP_VIEWER_INPUT_VIEW_TRACK_H

#include "kernels/status.h"
#include "render/view/view_motion.h"

enum { VIEW_TRACK_SIGHTS = 4 };

#define VIEW_TRACK_LEAST_S 0.02  /* time after which a motion is known */
#define VIEW_TRACK_APART_S 0.015 /* least time between the views that are kept */

struct view_track { /* zeroed: no views */
    struct view_track_sight {
        struct view view;
        double time_s;
    } sight[VIEW_TRACK_SIGHTS]; /* oldest first */
    int count;
};

/* Adds the view at a time; before one of another size, or that jumped, call view_track_forget. */
enum status view_track_note(struct view_track *track, const struct view *view, double now_s);

void view_track_forget(struct view_track *track); /* frees what it has */

/* Motion of `view`, which is that of now_s, during the next `lead_s` seconds; motion_pan(0, 0)
 * where that is not known. *log2_speed: doublings of the zoom a second. */
enum status view_track_ahead(const struct view_track *track, const struct view *view, double now_s,
                             double lead_s, struct view_motion *motion, double *log2_speed);

#endif
