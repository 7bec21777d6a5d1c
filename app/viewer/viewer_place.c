/* Requests that bring the view, or what is iterated, somewhere else; and those about places. */
#include <stdlib.h>
#include <string.h>

#include "app/viewer/viewer_parts.h"
#include "decomposition/clock.h"

/* All of it or nothing: a place that cannot be shown leaves the old one on the screen. What the
 * text does not say is as if `deepfield view` had been called with it; the history says all but an
 * automatic limit. */
static enum status place_take(struct viewer *viewer, const char *text, size_t length,
                              const char *name, enum place_source source)
{
    struct place fresh = {0};
    TRY(place_copy(&fresh, viewer->options->unsaid));
    fresh.view.width = viewer->place.view.width;
    fresh.view.height = viewer->place.view.height;
    if (source == PLACE_KEPT)
        fresh.limit = 0;
    enum status status = place_text_read(&fresh, text, length, name);
    if (status == STATUS_OK)
        status = place_check(&fresh);
    if (status != STATUS_OK) {
        place_destroy(&fresh);
        return status;
    }
    viewer->density = (struct automatic_density){.seen = viewer->density.seen, .soon = true};
    if (!(fresh.distribution.runs > 0)) /* until it is measured */
        fresh.distribution = viewer->place.distribution;
    place_destroy(&viewer->place);
    viewer->place = fresh;
    return STATUS_OK;
}

bool viewer_set_place(struct viewer *viewer, const char *text, size_t length, const char *name,
                      enum place_source source)
{
    if (place_take(viewer, text, length, name, source) != STATUS_OK) {
        viewer_say(viewer, NOTICE_ALARM, "%s", status_text());
        return false;
    }
    viewer->cycling &= source == PLACE_KEPT; /* else its colours are those that it says */
    gesture_cancel(viewer->gesture);
    viewer_view_changed(viewer, clock_s());
    viewer_look_changed(viewer);
    viewer_insets_ask(viewer);
    return true;
}

/* With the limit that was found, if it is automatic: where the text is rendered nobody looks for
 * one. */
enum status viewer_place_text(struct viewer *viewer, char **text)
{
    int64_t limit = viewer->place.limit;
    if (!limit && viewer_settled(viewer))
        viewer->place.limit = viewer->state.limit;
    enum status status = place_text_write(&viewer->place, text);
    viewer->place.limit = limit;
    return status;
}

/* All of the set of the formula that is seen. */
static enum status whole_set(struct viewer *viewer)
{
    struct view *view = &viewer->place.view;
    gesture_cancel(viewer->gesture);
    TRY(steer_home(view, viewer_range(viewer), view->width, view->height));
    viewer_view_changed(viewer, clock_s());
    return STATUS_OK;
}

static struct viewer_shown shown_now(const struct viewer *viewer)
{
    return (struct viewer_shown){viewer->hud,   viewer->cycling, viewer->hidden,
                                 viewer->tiles, viewer->minimap, viewer->julia_inset};
}

static void shown_set(struct viewer *viewer, const struct viewer_shown *shown)
{
    viewer->hud = shown->hud;
    viewer->cycling = shown->cycling;
    viewer->hidden = shown->hidden;
    viewer->tiles = shown->tiles;
    viewer->minimap = shown->minimap;
    viewer->julia_inset = shown->julia_inset;
    viewer->cycled_s = clock_s();
    viewer->overlay_stale = true;
}

/* All as it is when the viewer is opened: the whole set, its colours and what is shown over them,
 * whatever keys a hand or a cat has pressed. One step to undo. */
static enum status home(struct viewer *viewer)
{
    struct place *place = &viewer->place;
    int32_t width = place->view.width, height = place->view.height;
    viewer_history_keep(viewer);
    viewer->home_shown = shown_now(viewer);
    size_t before = history_before(viewer->history);
    TRY(place_copy(place, viewer->options->home));
    place->view.width = width;
    place->view.height = height;
    TRY(whole_set(viewer));
    shown_set(viewer, &(struct viewer_shown){.hud = HUD_SHORT});
    viewer_look_changed(viewer);
    viewer_insets_ask(viewer);
    viewer_history_keep(viewer);
    viewer->home_step = history_before(viewer->history);
    viewer->home_was = viewer->home_step == before ? HOME_WAS_SHOWN : HOME_WAS_ELSEWHERE;
    return STATUS_OK;
}

/* Undo of Home brings back what was shown, too. Has it been all that there is to undo? */
static bool home_undo(struct viewer *viewer)
{
    enum viewer_home was = viewer->home_was;
    if (was == HOME_WAS_NOTHING || history_before(viewer->history) != viewer->home_step)
        return false;
    viewer->home_was = HOME_WAS_NOTHING;
    shown_set(viewer, &viewer->home_shown);
    viewer_insets_ask(viewer);
    return was == HOME_WAS_SHOWN;
}

/* Undo goes back from what is seen now, whether it has settled or not. */
static enum status step_in_history(struct viewer *viewer, enum action action)
{
    const char *text;
    if (action == ACTION_UNDO) {
        viewer_history_keep(viewer);
        if (home_undo(viewer))
            return STATUS_OK;
        text = history_undo(viewer->history);
    } else
        text = history_redo(viewer->history);
    if (text)
        viewer_set_place(viewer, text, strlen(text), "the history", PLACE_KEPT);
    else
        viewer_say(viewer, NOTICE_NEWS, "nothing to %s", action == ACTION_UNDO ? "undo" : "redo");
    return STATUS_OK;
}

static enum status copy(struct viewer *viewer)
{
    char *text = NULL;
    enum status status = viewer_place_text(viewer, &text);
    if (status == STATUS_OK)
        status = window_set_clipboard(viewer->window, text);
    if (status == STATUS_OK)
        viewer_say(viewer, NOTICE_NEWS, "the place is in the clipboard");
    free(text);
    return viewer_forgive(viewer, status);
}

static void paste(struct viewer *viewer)
{
    char *text = window_clipboard(viewer->window);
    if (text && *text)
        viewer_set_place(viewer, text, strlen(text), "the clipboard", PLACE_GIVEN);
    else
        viewer_say(viewer, NOTICE_NEWS, "the clipboard has no text");
    free(text);
}

static enum status upright(struct viewer *viewer)
{
    struct view *view = &viewer->place.view;
    struct steer_step step = steer_turn(-view->rotation_deg, view->width / 2.0, view->height / 2.0);
    TRY(steer_move(view, viewer_range(viewer), &step, NULL));
    viewer_view_changed(viewer, clock_s());
    return STATUS_OK;
}

/* ---- the Julia set of a point, and back ---- */

static enum status julia_enter(struct viewer *viewer, double x, double y)
{
    struct place *place = &viewer->place;
    struct formula julia = {.kind = FORMULA_JULIA};
    TRY(steer_point(&place->view, x, y, &julia.c_re, &julia.c_im));
    enum status status = formula_check(&julia, place->bailout);
    if (status != STATUS_OK)
        return viewer_forgive(viewer, status);
    place->formula = julia;
    place->limit = 0;
    return whole_set(viewer);
}

/* Where one looked at the Mandelbrot set last, in *place of place_create; home if nowhere. Undone
 * or before a restart, the history knows. */
static enum status mandelbrot_find(const struct viewer *viewer, struct place *place)
{
    const char *text;
    for (size_t steps = 1; (text = history_ago(viewer->history, steps)); steps++) {
        place->limit = 0;
        enum status status = place_text_read(place, text, strlen(text), "the history");
        if (status == STATUS_OUT_OF_MEMORY)
            return status;
        if (status == STATUS_OK && place->formula.kind == FORMULA_MANDELBROT)
            return STATUS_OK;
    }
    place->limit = viewer->place.limit;
    return steer_home(&place->view, &steer_mandelbrot, place->view.width, place->view.height);
}

static enum status julia_leave(struct viewer *viewer)
{
    struct place *place = &viewer->place, before = {0};
    int32_t width = place->view.width, height = place->view.height;
    enum status status = place_create(&before, width, height);
    if (status == STATUS_OK)
        status = mandelbrot_find(viewer, &before);
    if (status == STATUS_OK)
        status = view_set(&place->view, before.view.re, before.view.im, before.view.zoom,
                          before.view.rotation_deg, width, height);
    place->limit = before.limit;
    place->limit_ends = before.limit_ends;
    place->formula = (struct formula){0};
    place_destroy(&before);
    gesture_cancel(viewer->gesture);
    viewer_view_changed(viewer, clock_s());
    return status;
}

static enum status julia(struct viewer *viewer, double x, double y)
{
    viewer_history_keep(viewer);
    TRY(viewer->place.formula.kind == FORMULA_JULIA ? julia_leave(viewer)
                                                    : julia_enter(viewer, x, y));
    viewer_insets_ask(viewer);
    return STATUS_OK;
}

static enum status info(struct viewer *viewer, double x, double y)
{
    double re, im;
    TRY(steer_point(&viewer->place.view, x, y, &re, &im));
    viewer_say(viewer, NOTICE_NEWS, "the point here: %.17g %+.17g i", re, im);
    return STATUS_OK;
}

enum status viewer_place_action(struct viewer *viewer, enum action action, double x, double y)
{
    switch (action) {
    case ACTION_UPRIGHT:
        return upright(viewer);
    case ACTION_HOME:
        return home(viewer);
    case ACTION_UNDO:
    case ACTION_REDO:
        return step_in_history(viewer, action);
    case ACTION_COPY:
        return copy(viewer);
    case ACTION_PASTE:
        paste(viewer);
        return STATUS_OK;
    case ACTION_JULIA:
        return julia(viewer, x, y);
    case ACTION_INFO:
        return info(viewer, x, y);
    case ACTION_BOOKMARK_ADD:
        viewer_bookmark_add(viewer);
        return STATUS_OK;
    case ACTION_BOOKMARK_LIST:
        if (viewer->panel == PANEL_BOOKMARKS)
            viewer_panel_close(viewer);
        else
            viewer_bookmarks_load(viewer);
        return STATUS_OK;
    case ACTION_BOOKMARK_NEXT:
    case ACTION_BOOKMARK_PREVIOUS:
        viewer_bookmark_go(viewer, action == ACTION_BOOKMARK_NEXT ? 1 : -1);
        return STATUS_OK;
    case ACTION_SAVE:
        viewer_place_save(viewer);
        return STATUS_OK;
    default:
        return STATUS_OK;
    }
}
