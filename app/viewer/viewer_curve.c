/* Automatic density in the window. While a hand moves the colours stay as they are: each view's own
 * would flicker. When its picture has settled they glide to those that the picture has in a file.
 */
#include <math.h>

#include "app/viewer/viewer_parts.h"

#define GLIDE_S 0.4 /* from one distribution to the next */

static void curve_set(struct viewer *viewer, struct distribution distribution)
{
    viewer->place.distribution = distribution;
    if (!(viewer->place.look.density > 0))
        viewer_look_changed(viewer);
}

static void curve_glide(struct viewer *viewer, double now_s)
{
    struct viewer_curve *curve = &viewer->curve;
    double part = fmin((now_s - curve->begun_s) / GLIDE_S, 1);
    if (part < 1 && now_s - curve->stepped_s < THROTTLE_LOOK_S) {
        viewer->wake_s = fmin(viewer->wake_s, curve->stepped_s + THROTTLE_LOOK_S);
        return;
    }
    curve->stepped_s = now_s;
    curve->glides = part < 1;
    curve_set(viewer, distribution_between(&curve->from, &curve->to, part * part * (3 - 2 * part)));
    viewer->wake_s = fmin(viewer->wake_s, now_s + THROTTLE_LOOK_S);
}

/* Something new was measured, of the picture that is wanted. */
static void curve_take(struct viewer *viewer, double now_s)
{
    struct viewer_curve *curve = &viewer->curve;
    struct distribution now = viewer->place.distribution;
    const struct live_state *state = &viewer->state;
    if (!(state->distribution.runs > 0)) {
        curve->seen = state->measured;
        return;
    }
    bool fixed = viewer->place.look.density > 0;
    if (curve->soon || fixed || !(now.runs > 0)) {
        curve->seen = state->measured;
        curve->soon = false;
        curve_set(viewer, state->distribution);
    } else if (state->settled) {
        curve->seen = state->measured;
        curve->glides = !distribution_same(&now, &state->distribution);
        curve->from = now;
        curve->to = state->distribution;
        curve->begun_s = viewer->options->reduced_motion ? now_s - GLIDE_S : now_s;
    }
}

void viewer_curve(struct viewer *viewer, double now_s)
{
    struct viewer_curve *curve = &viewer->curve;
    bool wanted = viewer->state.serial >= viewer->view_serial && !viewer->print_serial &&
                  !viewer->throttle.view_is_new;
    if (viewer_moves(viewer) || viewer->throttle.view_is_new) {
        if (curve->glides)
            curve->seen = UINT64_MAX; /* to be taken again: the same picture may settle */
        curve->glides = false;
    } else if (wanted && viewer->state.measured != curve->seen)
        curve_take(viewer, now_s);
    if (curve->glides)
        curve_glide(viewer, now_s);
}
