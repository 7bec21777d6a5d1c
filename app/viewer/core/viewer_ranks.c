#include "app/viewer/core/viewer_ranks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/viewer/core/viewer_tour.h"
#include "app/viewer/overlays/style.h"
#include "decomposition/thread/clock.h"

#define AGAIN_S 1.5 /* most time that a finished picture is shown before it is computed again */
#define AGAIN_LEAST_S 0.3 /* the least; in between as long as it takes to compute */
#define SPARKS_S 0.033    /* time between frames of the chart while parts travel */
#define COLUMNS_S 0.1     /* the same while none do */

/* ---- who computes ---- */

static bool is_out(const struct viewer *viewer, int worker)
{
    return rank_set_is_out(&viewer->ranks.set, worker);
}

static void out_set(struct viewer *viewer, int worker, bool out)
{
    rank_set_put(&viewer->ranks.set, worker, out);
}

int viewer_ranks_out(const struct viewer *viewer)
{
    int out = 0;
    for (int w = 0; w < viewer->state.workers; w++)
        out += is_out(viewer, w);
    return out;
}

/* Asks for the picture by other workers: what is computed goes on, and once it is finished it is
 * computed again, which shows what they are worth. */
static void sets_ask(struct viewer *viewer)
{
    char computing[STYLE_NUMBER_BYTES], all[STYLE_NUMBER_BYTES];
    int workers = viewer->state.workers, out = viewer_ranks_out(viewer);
    if (out == 0)
        viewer->ranks.devices = RANKS_ALL;
    snprintf(computing, sizeof computing, "%d", workers - out);
    snprintf(all, sizeof all, "%d", workers);
    viewer_look_changed(viewer);
    viewer->ranks.again = true;
    if (!viewer->shown.times)
        viewer_tell_of(viewer, NOTICE_INFO, STRING_RANKS_COMPUTE, computing, all);
}

void viewer_ranks_step(struct viewer *viewer, int by)
{
    int workers = viewer->state.workers;
    bool change = by > 0 ? viewer_ranks_out(viewer) > 0 : viewer_ranks_out(viewer) + 1 < workers;
    for (int w = by > 0 ? 0 : workers - 1; change && w >= 0 && w < workers; w += by)
        if (is_out(viewer, w) == (by > 0)) {
            out_set(viewer, w, by < 0);
            break;
        }
    sets_ask(viewer);
}

void viewer_ranks_set(struct viewer *viewer, int count)
{
    for (int w = 0; w < viewer->state.workers; w++)
        out_set(viewer, w, count > 0 && w >= count);
    sets_ask(viewer);
}

void viewer_ranks_toggle(struct viewer *viewer, int worker)
{
    bool out = is_out(viewer, worker);
    if (!out && viewer_ranks_out(viewer) + 1 >= viewer->state.workers)
        return;
    out_set(viewer, worker, !out);
    sets_ask(viewer);
}

/* Is a worker one that Alt+Z leaves out now? */
static bool is_other_kind(const void *owner, int worker)
{
    const struct viewer *viewer = owner;
    enum ranks_devices devices = viewer->ranks.devices;
    return devices != RANKS_ALL && viewer->state.load[worker].gpu != (devices == RANKS_GPUS);
}

void viewer_ranks_devices(struct viewer *viewer)
{
    static const enum string names[] = {[RANKS_ALL] = STRING_RANKS_ALL,
                                        [RANKS_GPUS] = STRING_RANKS_GPUS,
                                        [RANKS_CORES] = STRING_RANKS_CORES};
    const deepfield_live_state *state = &viewer->state;
    int gpus = 0, alive = 0;
    for (int w = 0; w < state->workers; w++) {
        alive += state->worker[w].alive;
        gpus += state->worker[w].alive && state->load[w].gpu;
    }
    bool alike = gpus == 0 || gpus == alive;
    if (alike && viewer->ranks.devices == RANKS_ALL) {
        viewer_tell(viewer, NOTICE_INFO, STRING_RANKS_ALIKE);
        return;
    }
    enum ranks_devices next = alike ? RANKS_ALL : (viewer->ranks.devices + 1) % RANKS_DEVICES;
    viewer->ranks.devices = next;
    for (int w = 0; w < state->workers; w++)
        out_set(viewer, w, is_other_kind(viewer, w));
    sets_ask(viewer);
    viewer_tell(viewer, NOTICE_INFO, names[next]);
}

void viewer_ranks_reset(struct viewer *viewer)
{
    memset(viewer->ranks.set.out, 0, sizeof viewer->ranks.set.out);
    viewer->ranks.devices = RANKS_ALL;
    viewer->ranks.again = false;
    viewer_look_changed(viewer);
}

/* ---- their times ---- */

void viewer_ranks_tell(struct viewer *viewer)
{
    if (!viewer->state.load)
        return;
    if (rank_set_arrivals(&viewer->ranks.set, &viewer->state, is_other_kind, viewer))
        viewer_look_changed(viewer);
    rank_times_add(&viewer->ranks.times, &viewer->state, clock_s());
}

static bool is_shown(const struct viewer *viewer)
{
    return viewer->shown.times && !viewer->shown.hidden && viewer->panel == PANEL_NONE &&
           viewer->ranks.times.rows > 0;
}

/* Is the picture to be computed again for who watches the ranks? */
static bool repeats(const struct viewer *viewer)
{
    return is_shown(viewer) && viewer_settled(viewer) && !viewer_moves(viewer) &&
           !viewer_tour_plays(viewer) && !viewer->shown.cycling && !viewer->print_width &&
           !viewer->picture_wanted && !viewer->options->reduced_motion;
}

void viewer_ranks_turn(struct viewer *viewer, double now_s)
{
    struct viewer_ranks *ranks = &viewer->ranks;
    if (ranks->again && viewer_settled(viewer) && !viewer_moves(viewer)) {
        ranks->again = false;
        viewer_repeat(viewer, now_s);
    }
    if (!is_shown(viewer))
        return;
    double due_s = viewer->presented_s + (ranks->sparks ? SPARKS_S : COLUMNS_S);
    viewer->overlay_stale |= now_s >= due_s;
    viewer->wake_s = fmin(viewer->wake_s, fmax(due_s, now_s));
    if (!repeats(viewer)) {
        ranks->repeat_s = 0;
        return;
    }
    if (!(ranks->repeat_s > 0))
        ranks->repeat_s = now_s + fmin(fmax(viewer->state.picture_s, AGAIN_LEAST_S), AGAIN_S);
    viewer->wake_s = fmin(viewer->wake_s, ranks->repeat_s);
    if (now_s < ranks->repeat_s)
        return;
    ranks->repeat_s = 0;
    viewer_repeat(viewer, now_s);
}

/* Arguments of the chart as it is drawn now. */
static struct overlay_times shown_of(const struct viewer *viewer)
{
    return (struct overlay_times){
        .times = &viewer->ranks.times, .state = &viewer->state, .now_s = clock_s()};
}

double viewer_ranks_room(const struct viewer *viewer, const struct paint *paint)
{
    double high = paint_units(paint, paint->height);
    return is_shown(viewer) ? high - overlay_times_height(paint, &viewer->ranks.times) : high;
}

void viewer_ranks_draw(struct viewer *viewer, struct paint *paint)
{
    struct overlay_times shown = shown_of(viewer);
    viewer->ranks.sparks = false;
    if (!is_shown(viewer))
        return;
    rank_times_add(&viewer->ranks.times, &viewer->state, shown.now_s); /* columns go on at rest */
    shown.sparks = !viewer_moves(viewer) && !viewer->options->reduced_motion &&
                   viewer->state.width == viewer->place.view.width;
    viewer->ranks.sparks = overlay_times(paint, &shown);
}

bool viewer_ranks_press(struct viewer *viewer, const struct paint *paint, double x, double y)
{
    int first, end, what = OVERLAY_TIMES_BESIDE;
    if (is_shown(viewer))
        what = overlay_times_at(paint, &viewer->ranks.times, x, y);
    if (what == OVERLAY_TIMES_MORE || what == OVERLAY_TIMES_LESS)
        viewer_ranks_step(viewer, what == OVERLAY_TIMES_MORE ? 1 : -1);
    if (what >= 0) {
        rank_times_workers(&viewer->ranks.times, what, &first, &end);
        for (int w = first; w < end; w++)
            viewer_ranks_toggle(viewer, w);
    }
    return what != OVERLAY_TIMES_BESIDE;
}
