#include "app/viewer/core/viewer_tour.h"

#include <math.h>

#include "app/viewer/core/viewer_film.h"
#include "app/viewer/overlays/style.h"
#include "decomposition/thread/clock.h"

#define REPEAT_S 1.5 /* time that a picture is shown before it is computed again */

/* ---- what is shown besides the picture ---- */

static void shown_set(struct viewer *viewer, bool tiles, int workers)
{
    viewer->shown.tiles = tiles && viewer_owners_poll(viewer) == STATUS_OK;
    viewer->shown.times = tiles && viewer->state.workers > 1;
    viewer->workers = workers;
    viewer->overlay_stale = true;
}

/* ---- from stop to stop ---- */

enum status viewer_tour_begin(struct viewer *viewer, const struct tour *tour)
{
    gesture_cancel(viewer->gesture);
    viewer->autopilots = viewer->film->previews = false;
    viewer->tour_touched = false;
    viewer->toured_s = clock_s();
    viewer->repeat_s = 0;
    return viewer_forgive(viewer, tour_begin(&viewer->tour, tour, &viewer->place));
}

void viewer_tour_end(struct viewer *viewer)
{
    if (!viewer_tour_plays(viewer))
        return;
    tour_end(&viewer->tour);
    shown_set(viewer, false, 0);
}

bool viewer_tour_plays(const struct viewer *viewer)
{
    return tour_at(&viewer->tour) != NULL;
}

bool viewer_tour_is_at_end(const struct viewer *viewer)
{
    return viewer_tour_plays(viewer) && tour_is_at_end(&viewer->tour);
}

enum status viewer_tour_go(struct viewer *viewer, int by)
{
    if (!viewer_tour_plays(viewer))
        return STATUS_OK;
    gesture_cancel(viewer->gesture);
    viewer->tour_touched = false;
    viewer->overlay_stale = true;
    return viewer_forgive(viewer, tour_go(&viewer->tour, by, &viewer->place));
}

enum status viewer_tour_pause(struct viewer *viewer)
{
    struct tour_play *play = &viewer->tour;
    viewer->overlay_stale = true;
    if (tour_is_at_end(play))
        return STATUS_OK;
    if (!play->paused) {
        play->paused = true;
        return STATUS_OK;
    }
    play->paused = false;
    viewer->toured_s = clock_s();
    if (!viewer->tour_touched)
        return STATUS_OK;
    viewer->tour_touched = false;
    return viewer_tour_go(viewer, 0);
}

void viewer_tour_touch(struct viewer *viewer)
{
    if (tour_is_at_end(&viewer->tour)) {
        viewer_tour_end(viewer); /* its last text is of where one was */
        return;
    }
    viewer->tour.paused = viewer->tour_touched = true;
    viewer->overlay_stale = true;
}

/* The stop's colours are those of the flight to it. */
static void stop_begin(struct viewer *viewer, const struct distribution *before, bool cut)
{
    const struct tour_stop *stop = tour_at(&viewer->tour);
    viewer_colours_renew(viewer, before, cut);
    viewer->shown.cycling = false;
    viewer->repeat_s = 0;
    shown_set(viewer, stop->tiles, stop->workers);
    viewer->again += stop->repeats; /* by those who are to compute it now */
    viewer_insets_ask(viewer);
}

/* A finished picture is computed again, for whoever wants to see how. */
static void stop_repeat(struct viewer *viewer, double now_s)
{
    if (!viewer_settled(viewer)) {
        viewer->repeat_s = 0;
        return;
    }
    if (!(viewer->repeat_s > 0))
        viewer->repeat_s = now_s;
    if (now_s - viewer->repeat_s >= REPEAT_S) {
        viewer->repeat_s = 0;
        viewer_repeat(viewer, now_s);
    }
    viewer->wake_s = fmin(viewer->wake_s, now_s + REPEAT_S / 4);
}

enum status viewer_tour_step(struct viewer *viewer, double now_s)
{
    struct tour_play *play = &viewer->tour;
    double elapsed_s = fmin(fmax(now_s - viewer->toured_s, 0), TOUR_STEP_MOST_S);
    viewer->toured_s = now_s;
    if (tour_is_at_end(play) || play->paused)
        return STATUS_OK;
    struct distribution before = viewer->place.distribution;
    const struct tour_stop *stop = tour_at(play);
    bool is_new = play->is_new, moved;
    bool cut = stop->flight_s <= 0 || !formula_same(&viewer->place.formula, &stop->place.formula);
    if (viewer->options->reduced_motion && play->phase == TOUR_FLIES)
        elapsed_s = TOUR_SECONDS_MOST; /* it is there at once */
    elapsed_s *= viewer->hurry * (1 - viewer->slowed);
    /* A stop to which nothing leads is no reason to end: it is there at once. */
    TRY(viewer_forgive(viewer, tour_step(play, elapsed_s, &viewer->place, &moved)));
    if (is_new)
        stop_begin(viewer, &before, cut);
    if (moved)
        viewer_view_changed(viewer, now_s);
    if (play->phase == TOUR_DWELLS && tour_at(play)->repeats)
        stop_repeat(viewer, now_s);
    double left_s = tour_at(play)->dwell_s - play->phase_s;
    bool flies = play->phase == TOUR_FLIES;
    viewer->wake_s =
        fmin(viewer->wake_s, now_s + fmax(flies ? 0 : left_s / viewer->hurry, VIEWER_GLIDE_S));
    return STATUS_OK;
}

/* ---- its text ---- */

const char *viewer_tour_caption(const struct viewer *viewer)
{
    const struct tour_stop *stop = tour_at(&viewer->tour);
    return stop ? tour_text(stop->text, language_codes[language_used()]) : "";
}

double viewer_tour_draw(const struct viewer *viewer, struct paint *paint)
{
    const struct tour_stop *stop = tour_at(&viewer->tour);
    char where[64];
    if (!stop)
        return INFINITY;
    const char *text = viewer_tour_caption(viewer);
    if (!*text)
        return INFINITY;
    snprintf(where, sizeof where, "%s%zu / %zu", viewer->tour.paused ? "II  " : "",
             viewer->tour.stop + 1, viewer->tour.tour->stops);
    return overlay_caption(paint, text, where) - STYLE_GAP;
}
