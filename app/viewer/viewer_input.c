#include "app/viewer/viewer_input.h"

#include <math.h>
#include <string.h>

#include "app/viewer/core/viewer_action.h"
#include "app/viewer/core/viewer_autopilot.h"
#include "app/viewer/core/viewer_files.h"
#include "app/viewer/core/viewer_ranks.h"
#include "app/viewer/core/viewer_tour.h"
#include "app/viewer/panels/viewer_panel.h"
#include "app/viewer/viewer_kiosk.h"
#include "app/viewer/viewer_remote.h"
#include "decomposition/thread/clock.h"

#define STALL_S 0.06 /* input that came so much later is none of the same step */

void viewer_history_poll(struct viewer *viewer, double now_s)
{
    double due_s = viewer->unkept_s + THROTTLE_REST_S;
    if (!(viewer->unkept_s > 0) || viewer_moves(viewer))
        return;
    if (now_s < due_s) {
        viewer->wake_s = fmin(viewer->wake_s, due_s);
        return;
    }
    viewer_history_keep(viewer);
    viewer->unkept_s = 0;
}

enum status viewer_fit(struct viewer *viewer)
{
    int32_t width, height;
    window_size(viewer->window, &width, &height);
    const struct view_range range = viewer_range(viewer);
    TRY(view_resize(&viewer->place.view, &range, width, height));
    TRY(compositor_resize(&viewer->compositor, width, height));
    viewer->figures->width = width;
    viewer->figures->height = height;
    viewer->drawn = (struct paint_box){0, 0, width, height};
    viewer->pointer_x = width / 2.0;
    viewer->pointer_y = height / 2.0;
    viewer_view_changed(viewer, clock_s());
    return STATUS_OK;
}

/* An input that something on the screen may answer. */
static void stamp(struct viewer *viewer, const struct input_event *event)
{
    if (viewer->stamps < VIEWER_STAMPS)
        viewer->stamp[viewer->stamps] = event->time_s;
    viewer->stamps++;
    if (!(viewer->input_s > 0))
        viewer->input_s = event->time_s;
}

/* A hand that moves is answered by the next frame, unless nothing moves with it: at the deepest
 * zoom, say. What nothing on the screen answers is no reaction. */
static void stamps_drop(struct viewer *viewer, double until_s)
{
    int kept = 0, count = viewer->stamps < VIEWER_STAMPS ? viewer->stamps : VIEWER_STAMPS;
    for (int i = 0; i < count; i++)
        if (viewer->stamp[i] > until_s)
            viewer->stamp[kept++] = viewer->stamp[i];
    viewer->stamps = kept;
    if (!kept)
        viewer->input_s = viewer->throttle.view_is_new ? viewer->input_s : 0;
}

static bool is_of_hand(const struct input_event *event)
{
    switch (event->kind) {
    case INPUT_WAKE:
    case INPUT_QUIT:
    case INPUT_FOCUS_GAINED:
    case INPUT_PAD_ADDED:
    case INPUT_PAD_REMOVED:
        return false;
    default:
        return true;
    }
}

/* Does a hand take the picture from what moves it? A key that changes its colours, or what is shown
 * over it, does not. */
static bool takes_over(const struct viewer *viewer, const struct input_event *event)
{
    struct binding key = {.kind = BINDING_KEY, .modifiers = event->modifiers, .code = event->key};
    struct binding button = {.kind = BINDING_PAD_BUTTON, .code = event->pad_button};
    switch (event->kind) {
    case INPUT_BUTTON_DOWN:
    case INPUT_WHEEL:
    case INPUT_FINGER_DOWN:
        return true;
    case INPUT_PAD_AXIS:
        return fabs(event->value) > GESTURE_DEAD_ZONE;
    case INPUT_PAD_DOWN:
        return action_moves(actions_find(&viewer->actions, &button));
    case INPUT_KEY_DOWN:
        return action_moves(actions_find(&viewer->actions, &key));
    default:
        return false;
    }
}

/* What a file or a text that was dropped into the window says. */
static void drop(struct viewer *viewer, const struct input_event *event)
{
    if (!event->dropped)
        return;
    if (event->kind == INPUT_DROP_FILE)
        viewer_file_open(viewer, event->dropped);
    else
        viewer_set_place(viewer, event->dropped, strlen(event->dropped), "the dropped text",
                         PLACE_GIVEN);
}

/* Adds the place before a pause of the hand to the history. Where the loop stalled, as behind a
 * slow disk, input of seconds waits, and would be undone together with what came after the pause.
 */
static enum status catch_up(struct viewer *viewer, double time_s)
{
    if (time_s < viewer->stepped_s + STALL_S)
        return STATUS_OK;
    TRY(viewer_steps(viewer, time_s));
    viewer->unkept_s = fmin(viewer->unkept_s, time_s); /* not when the loop came to it */
    viewer_history_poll(viewer, time_s);
    return STATUS_OK;
}

/* Obeys a press on the chart of the ranks. */
static bool ranks_take(struct viewer *viewer, const struct input_event *event)
{
    struct paint above = *window_paint(viewer->window);
    bool press = event->kind == INPUT_FINGER_DOWN ||
                 (event->kind == INPUT_BUTTON_DOWN && event->button == INPUT_LEFT);
    above.height = viewer_kiosk_height(viewer, &above);
    return press && viewer_ranks_press(viewer, &above, event->x, event->y);
}

enum status viewer_take(struct viewer *viewer, const struct input_event *event)
{
    viewer_remote_touched(viewer, event);
    if (is_of_hand(event)) {
        TRY(catch_up(viewer, event->time_s));
        viewer->figures->events++;
        if (viewer->panel == PANEL_NONE && hints_event(&viewer->hints, event))
            viewer_hints_keep(viewer);
        stamp(viewer, event);
    }
    if (event->kind == INPUT_MOVE || event->kind == INPUT_WHEEL ||
        event->kind == INPUT_BUTTON_DOWN) {
        viewer->pointer_x = event->x;
        viewer->pointer_y = event->y;
        viewer_insets_ask(viewer);
    }
    bool taken = false;
    if (viewer->kiosk)
        TRY(viewer_kiosk_take(viewer, event, &taken));
    if (taken)
        return STATUS_OK;
    switch (event->kind) {
    case INPUT_QUIT:
        viewer->ends = true;
        return STATUS_OK;
    case INPUT_RESIZE:
        gesture_take(viewer->gesture, event);
        return viewer_fit(viewer);
    case INPUT_DROP_FILE:
    case INPUT_DROP_TEXT:
        drop(viewer, event);
        return STATUS_OK;
    case INPUT_WAKE:
        return STATUS_OK;
    default:
        if (!viewer_panel_take(viewer, event) && !ranks_take(viewer, event)) {
            if (takes_over(viewer, event)) {
                viewer_tour_touch(viewer);
                viewer_autopilot_end(viewer);
            }
            gesture_take(viewer->gesture, event);
        }
        return STATUS_OK;
    }
}

static void stops_tell(struct viewer *viewer, unsigned stops)
{
    if (stops & VIEW_STOP_IN)
        viewer_tell(viewer, NOTICE_INFO, STRING_SAY_DEEPEST);
    if (stops & VIEW_STOP_OUT)
        viewer_tell(viewer, NOTICE_INFO, STRING_SAY_WIDEST);
}

enum status viewer_motion(struct viewer *viewer, const struct view_motion *step, double now_s)
{
    unsigned stops = 0;
    const struct view_range range = viewer_range(viewer);
    TRY(view_move(&viewer->place.view, &range, step, &stops));
    *viewer->place.title = '\0'; /* it was the name of where we come from */
    stops_tell(viewer, stops);
    if (viewer->place.limit_ends && step->factor > 1)
        viewer->place.limit = 0; /* it was enough for where we come from */
    viewer_view_changed(viewer, now_s);
    return STATUS_OK;
}

/* Motions and actions of the hand until now. */
static enum status steps_take(struct viewer *viewer, double now_s)
{
    struct gesture_result result;
    while (gesture_next(viewer->gesture, now_s, &result)) {
        if (result.kind == GESTURE_ACTION)
            TRY(viewer_action(viewer, result.action, result.x, result.y));
        else
            TRY(viewer_motion(viewer, &result.step, now_s));
    }
    return STATUS_OK;
}

enum status viewer_steps(struct viewer *viewer, double now_s)
{
    struct gesture_marks before, marks;
    viewer->stepped_s = now_s;
    gesture_ease(viewer->gesture, 1 - viewer->slowed);
    gesture_marks(viewer->gesture, &before);
    viewer_motion_end(viewer, steps_take(viewer, now_s));
    if (viewer_moves(viewer))
        TRY(view_track_note(&viewer->track, &viewer->place.view, now_s));
    else if (viewer->track.count)
        view_track_forget(&viewer->track);
    gesture_marks(viewer->gesture, &marks);
    if (marks.flies && hints_flight(&viewer->hints, now_s))
        viewer_hints_keep(viewer);
    if (marks.box || marks.reticle || before.box || before.reticle || before.hold != marks.hold)
        viewer->overlay_stale = true;
    if (viewer->compositor.rough && !marks.held && !marks.moving && !viewer->stamps)
        viewer->picture_stale = true; /* now there is time for all pixels of it */
    double wait_s = gesture_wait_s(viewer->gesture, now_s);
    viewer->wake_s = fmin(viewer->wake_s, now_s + fmax(wait_s, VIEWER_GLIDE_S));
    if (!viewer->picture_stale && !viewer->overlay_stale)
        stamps_drop(viewer, wait_s > 0 ? INFINITY : now_s - 2 * VIEWER_GLIDE_S);
    return STATUS_OK;
}
