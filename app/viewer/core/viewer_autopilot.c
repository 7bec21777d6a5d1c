#include "app/viewer/core/viewer_autopilot.h"

#include <math.h>

#include "app/viewer/core/viewer_film.h"
#include "decomposition/thread/clock.h"

#define LOG2_MOST 50.0 /* 1e15: farther in pictures of two cores take too long for a flight */
#define PERIOD_S 0.12  /* from one picture to the next and until it is seen, at full speed */
#define PACE_LEAST 0.25
#define STEP_MOST_S 0.1 /* a machine that was held up does not jump */

static enum status log2_zoom(const struct view *view, double *log2_zoom)
{
    struct view_numbers numbers;
    TRY(view_numbers(view, &numbers));
    *log2_zoom = view_log10_zoom(&numbers) * log2(10);
    return STATUS_OK;
}

/* Begins at the view that is seen, by another seed each time. */
static void flight_begin(struct viewer *viewer)
{
    gesture_cancel(viewer->gesture);
    viewer->autopilot =
        autopilot_begin(++viewer->seed, log2(viewer_range(viewer).home_zoom) + 0.01, LOG2_MOST);
    viewer->autopilots = true;
    viewer->piloted_s = clock_s();
    viewer->shown.cycling = false;
    viewer_tell(viewer, NOTICE_INFO, STRING_SAY_AUTOPILOT);
}

void viewer_autopilot_end(struct viewer *viewer)
{
    viewer->autopilots = false;
    viewer->film->previews = false;
}

enum status viewer_autopilot_toggle(struct viewer *viewer)
{
    if (viewer->autopilots)
        viewer_autopilot_end(viewer);
    else if (viewer->options->reduced_motion)
        viewer_tell(viewer, NOTICE_INFO, STRING_SAY_STILL);
    else
        flight_begin(viewer);
    return STATUS_OK;
}

/* The survey is of the picture's view, which is not where the flight is by now: the target is
 * carried there and back. */
static enum status decide(struct viewer *viewer)
{
    struct autopilot *autopilot = &viewer->autopilot;
    const struct view *of = &viewer->compositor.base_sight.view, *now = &viewer->place.view;
    const struct survey *survey = &viewer->measured.survey;
    struct placement at;
    double log2_now;
    if (!of->re || viewer->compositor.base.picture != viewer->state.picture || !survey->columns)
        return STATUS_OK;
    TRY(view_placement(of, now, &at));
    TRY(log2_zoom(now, &log2_now));
    if (!(at.scale > 0.1 && at.scale < 10)) /* the survey is from before a jump */
        return STATUS_OK;
    viewer->surveyed = viewer->state.measured;
    double x = at.dx_px / now->height, y = at.dy_px / now->height;
    autopilot->target_x = (autopilot->target_x - x) / at.scale;
    autopilot->target_y = (autopilot->target_y - y) / at.scale;
    autopilot_decide(autopilot, survey, log2_now);
    autopilot->target_x = autopilot->target_x * at.scale + x;
    autopilot->target_y = autopilot->target_y * at.scale + y;
    return STATUS_OK;
}

/* Speed of the flight: slower where pictures take long, along the same path, so that they are new.
 */
static double pace(const struct viewer *viewer)
{
    double period_s = viewer->cover_s + viewer->period_s;
    double pace = fmin(fmax(PERIOD_S / fmax(period_s, 1e-3), PACE_LEAST), 1);
    return pace * viewer->hurry * (1 - viewer->slowed);
}

enum status viewer_autopilot_step(struct viewer *viewer, double now_s)
{
    struct autopilot *autopilot = &viewer->autopilot;
    struct view *view = &viewer->place.view;
    double elapsed_s = fmin(fmax(now_s - viewer->piloted_s, 0), STEP_MOST_S) * pace(viewer);
    unsigned stops = 0;
    double log2_now;
    viewer->piloted_s = now_s;
    if (!viewer->autopilots)
        return STATUS_OK;
    if (autopilot_is_due(autopilot) && viewer->state.measured != viewer->surveyed)
        TRY(decide(viewer));
    struct view_motion motion = autopilot_step(autopilot, elapsed_s, view->width, view->height);
    const struct view_range range = viewer_range(viewer);
    TRY(view_move(view, &range, &motion, &stops));
    if (stops) {
        TRY(log2_zoom(view, &log2_now));
        autopilot_stopped(autopilot, stops, log2_now);
    }
    viewer->place.limit = viewer->place.limit_ends ? 0 : viewer->place.limit;
    *viewer->place.title = '\0';
    viewer_view_changed(viewer, now_s);
    viewer->wake_s = fmin(viewer->wake_s, now_s + VIEWER_GLIDE_S);
    return STATUS_OK;
}
