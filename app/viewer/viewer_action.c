#include "app/viewer/viewer_action.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/viewer/style.h"
#include "app/viewer/viewer_files.h"
#include "decomposition/clock.h"

/* ---- places: requests that bring the view, or what is iterated, somewhere else ---- */

/* All of the set of the formula that is seen. */
static enum status set_show(struct viewer *viewer)
{
    struct view *view = &viewer->place.view;
    gesture_cancel(viewer->gesture);
    TRY(view_home(view, viewer_range(viewer), view->width, view->height));
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
    TRY(set_show(viewer));
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
    struct view_motion step =
        motion_turn(-view->rotation_deg, view->width / 2.0, view->height / 2.0);
    TRY(view_move(view, viewer_range(viewer), &step, NULL));
    viewer_view_changed(viewer, clock_s());
    return STATUS_OK;
}

/* ---- the Julia set of a point, and back ---- */

static enum status julia_enter(struct viewer *viewer, double x, double y)
{
    struct place *place = &viewer->place;
    struct formula julia = {.plane = DYNAMIC_PLANE};
    TRY(view_point(&place->view, x, y, &julia.c_re, &julia.c_im));
    enum status status = formula_check(&julia, place->bailout);
    if (status != STATUS_OK)
        return viewer_forgive(viewer, status);
    place->formula = julia;
    place->limit = 0;
    return set_show(viewer);
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
        if (status == STATUS_OK && place->formula.plane == PARAMETER_PLANE)
            return STATUS_OK;
    }
    place->limit = viewer->place.limit;
    return view_home(&place->view, &range_parameter_plane, place->view.width, place->view.height);
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
    TRY(viewer->place.formula.plane == DYNAMIC_PLANE ? julia_leave(viewer)
                                                     : julia_enter(viewer, x, y));
    viewer_insets_ask(viewer);
    return STATUS_OK;
}

static enum status info(struct viewer *viewer, double x, double y)
{
    double re, im;
    TRY(view_point(&viewer->place.view, x, y, &re, &im));
    viewer_say(viewer, NOTICE_NEWS, "the point here: %.17g %+.17g i", re, im);
    return STATUS_OK;
}

static enum status viewer_place_action(struct viewer *viewer, enum action action, double x,
                                       double y)
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

/* ---- colours, iterations and what is shown ---- */

#define DENSITY_STEP 1.189207115002721 /* 2^(1/4) */
#define DENSITY_LEAST 1e-3
#define DENSITY_MOST 1e3
#define OFFSET_STEP 0.02
#define CONTRAST_STEP 0.1
#define RELIEF_STEP 0.1
#define CYCLES_PER_S 0.1 /* through the palette: a fifth of what may flash (WCAG 2.3.1) */
#define UI_STEP 0.25

/* ---- colours ---- */

static void palette_step(struct viewer *viewer, int step)
{
    char names[sizeof viewer->palettes], *rest = names, *name, *list[256];
    int count = 0, now = -1;
    snprintf(names, sizeof names, "%s", viewer->palettes);
    while (count < 256 && (name = strsep(&rest, ","))) {
        name += strspn(name, " ");
        if (!strcmp(name, viewer->place.palette))
            now = count;
        list[count++] = name;
    }
    if (!count)
        return;
    snprintf(viewer->place.palette, sizeof viewer->place.palette, "%s",
             list[((now < 0 && step < 0 ? 0 : now) + step + count) % count]);
    viewer_say(viewer, NOTICE_NEWS, "palette %s", viewer->place.palette);
    viewer_look_changed(viewer);
}

static void density_step(struct viewer *viewer, double factor)
{
    const struct distribution *measured = &viewer->place.distribution;
    struct look_options *look = &viewer->place.look;
    double *value = look->density > 0 ? &look->density : &look->runs;
    if (!(*value > 0))
        *value = measured->runs > 0 ? measured->runs : 1;
    *value = fmin(fmax(*value * factor, DENSITY_LEAST), DENSITY_MOST);
    viewer_look_changed(viewer);
}

static void offset_step(struct viewer *viewer, double step)
{
    double offset = viewer->place.look.offset + step;
    viewer->place.look.offset = offset - floor(offset);
    viewer_look_changed(viewer);
}

/* One step more or less, to a tenth. */
static double stepped(double value, double step)
{
    return fmin(fmax(round((value + step) * 10) / 10, 0), 1);
}

static void contrast_step(struct viewer *viewer, double step)
{
    struct look_options *look = &viewer->place.look;
    look->contrast = stepped(look->contrast, step);
    viewer_say(viewer, NOTICE_NEWS,
               look->density > 0 ? "contrast %.1f, of automatic density only" : "contrast %.1f",
               look->contrast);
    viewer_look_changed(viewer);
}

/* A relief that somebody asks for is worth computing distances. */
static void relief_step(struct viewer *viewer, double step)
{
    struct look_options *look = &viewer->place.look;
    bool shown = viewer->state.planes & PLANE_MASK_DISTANCE;
    enum live_distances before = place_distances(&viewer->place);
    look->relief = stepped(look->relief_auto && !shown ? 0 : look->relief, step);
    look->relief_auto = false;
    viewer_say(viewer, NOTICE_NEWS, "relief %.1f", look->relief);
    if (place_distances(&viewer->place) != before)
        viewer_view_changed(viewer, clock_s());
    viewer_look_changed(viewer);
}

/* Which pictures like this one have one colour inside, whatever is requested? NULL: none. */
static const char *interior_kept(const struct viewer *viewer)
{
    const struct place *place = &viewer->place;
    bool julia = place->formula.plane == DYNAMIC_PLANE;
    if (place->look.interior_kind == INTERIOR_COLOUR)
        return NULL;
    if (viewer->state.deep)
        return "deep views keep one colour";
    return julia && place->look.interior_kind == INTERIOR_DISTANCE ? "Julia sets keep one colour"
                                                                   : NULL;
}

static void interior_next(struct viewer *viewer)
{
    static const char *const news[INTERIOR_KINDS] = {
        [INTERIOR_COLOUR] = "inside: one colour",
        [INTERIOR_PERIOD] = "inside: a colour for each period",
        [INTERIOR_DISTANCE] = "inside: by distance",
    };
    struct look_options *look = &viewer->place.look;
    look->interior_kind = (enum interior_kind)((look->interior_kind + 1) % INTERIOR_KINDS);
    const char *kept = interior_kept(viewer);
    viewer_say(viewer, NOTICE_NEWS, "%s%s%s", news[look->interior_kind], kept ? "; " : "",
               kept ? kept : "");
    viewer_view_changed(viewer, clock_s());
    viewer_look_changed(viewer);
}

/* Colours that a hand has chosen are a step of the history; those that flow are none. */
static void look_taken(struct viewer *viewer)
{
    viewer->unkept_s = clock_s();
    viewer_insets_ask(viewer);
}

static void cycle_toggle(struct viewer *viewer)
{
    if (viewer->options->reduced_motion) {
        viewer_say(viewer, NOTICE_NEWS, "reduced motion: colours do not flow");
        return;
    }
    viewer->cycling = !viewer->cycling;
    viewer->cycled_s = clock_s();
    viewer->overlay_stale = true;
}

void viewer_cycle(struct viewer *viewer, double now_s)
{
    if (!viewer->cycling)
        return;
    if (now_s - viewer->cycled_s >= THROTTLE_LOOK_S) {
        /* After a pause, as of a machine that slept, it goes on from where it was. */
        offset_step(viewer, CYCLES_PER_S * fmin(now_s - viewer->cycled_s, 0.1));
        viewer->cycled_s = now_s;
    }
    viewer->wake_s = fmin(viewer->wake_s, viewer->cycled_s + THROTTLE_LOOK_S);
}

/* ---- iterations ---- */

static void limit_set(struct viewer *viewer, int64_t limit)
{
    char text[STYLE_NUMBER_BYTES];
    viewer->place.limit = limit;
    viewer->place.limit_ends = false;
    if (limit)
        viewer_say(viewer, NOTICE_NEWS, "at most %s iterations", style_number((double)limit, text));
    else
        viewer_say(viewer, NOTICE_NEWS, "as many iterations as it takes");
    viewer_view_changed(viewer, clock_s());
}

static void limit_step(struct viewer *viewer, enum action action)
{
    int64_t now = viewer->place.limit ? viewer->place.limit : viewer->state.limit;
    if (now < 1)
        now = 1000;
    if (action == ACTION_LIMIT_MORE)
        limit_set(viewer, now <= SPEC_LIMIT_MAX / 2 ? 2 * now : SPEC_LIMIT_MAX);
    else
        limit_set(viewer, now > 1 ? now / 2 : 1);
}

/* ---- what is shown ---- */

static void ui_scale_step(struct viewer *viewer, double step)
{
    struct gesture_settings settings = viewer_gesture_settings(viewer);
    window_set_ui_scale(viewer->window, window_ui_scale(viewer->window) + step);
    settings.scale = window_ui_scale(viewer->window);
    gesture_settings(viewer->gesture, &settings);
    viewer_say(viewer, NOTICE_NEWS, "text at %.4g times its size", settings.scale);
    viewer_insets_ask(viewer);
}

static void toggle(struct viewer *viewer, bool *what)
{
    *what = !*what;
    viewer->overlay_stale = true;
    viewer_insets_ask(viewer);
}

static void tiles_toggle(struct viewer *viewer)
{
    toggle(viewer, &viewer->tiles);
    if (viewer->tiles && live_who(viewer->live, &viewer->owners) != STATUS_OK)
        viewer->tiles = false;
}

static void panel_open(struct viewer *viewer, enum panel panel)
{
    bool was = viewer->panel == panel;
    viewer_panel_close(viewer);
    viewer->panel = was ? PANEL_NONE : panel;
    viewer->help.first = 0;
    viewer->overlay_stale = true;
    gesture_cancel(viewer->gesture);
}

static void entry_ask(struct viewer *viewer, enum entry_for what)
{
    static const char *const titles[] = {
        [ENTRY_GO_TO] = "Go to: re im zoom, or paste a place; Enter goes, Escape closes",
        [ENTRY_OPEN_FILE] = "Open which file? A view, a .kfr or a picture of deepfield",
        [ENTRY_PRINT] = "A picture of which size? 7680x4320, 4k, ..."};
    panel_open(viewer, PANEL_ENTRY);
    window_set_typing(viewer->window, viewer->panel == PANEL_ENTRY);
    viewer->entry_for = what;
    entry_open(&viewer->entry, titles[what], NULL);
}

/* The top thing first; never the program. */
static void escape(struct viewer *viewer)
{
    viewer->overlay_stale = true;
    if (viewer_panel_close(viewer))
        return;
    if (viewer->cycling) {
        viewer->cycling = false;
        return;
    }
    if (viewer->print_width || viewer->picture_wanted) {
        viewer->print_width = viewer->print_height = 0;
        viewer->picture_wanted = false;
        viewer_say(viewer, NOTICE_NEWS, "no picture is written");
        if (viewer->print_serial)
            viewer_view_changed(viewer, clock_s());
        return;
    }
    bool settled = viewer_settled(viewer);
    if (settled && notice_close(&viewer->notices))
        return;
    gesture_cancel(viewer->gesture);
    if (!settled)
        viewer_say(viewer, NOTICE_NEWS, "stopped; any move goes on");
    live_stop(viewer->live);
}

/* ---- the table ---- */

/* Colours and iterations; false: it is none of these. */
static bool action_picture(struct viewer *viewer, enum action action)
{
    switch (action) {
    case ACTION_PALETTE_NEXT:
    case ACTION_PALETTE_PREVIOUS:
        palette_step(viewer, action == ACTION_PALETTE_NEXT ? 1 : -1);
        look_taken(viewer);
        return true;
    case ACTION_DENSITY_MORE:
    case ACTION_DENSITY_LESS:
        density_step(viewer, action == ACTION_DENSITY_MORE ? DENSITY_STEP : 1 / DENSITY_STEP);
        look_taken(viewer);
        return true;
    case ACTION_OFFSET_MORE:
    case ACTION_OFFSET_LESS:
        offset_step(viewer, action == ACTION_OFFSET_MORE ? OFFSET_STEP : -OFFSET_STEP);
        look_taken(viewer);
        return true;
    case ACTION_CONTRAST_MORE:
    case ACTION_CONTRAST_LESS:
        contrast_step(viewer, action == ACTION_CONTRAST_MORE ? CONTRAST_STEP : -CONTRAST_STEP);
        look_taken(viewer);
        return true;
    case ACTION_RELIEF_MORE:
    case ACTION_RELIEF_LESS:
        relief_step(viewer, action == ACTION_RELIEF_MORE ? RELIEF_STEP : -RELIEF_STEP);
        look_taken(viewer);
        return true;
    case ACTION_INTERIOR:
        interior_next(viewer);
        look_taken(viewer);
        return true;
    case ACTION_CYCLE:
        cycle_toggle(viewer);
        return true;
    case ACTION_LIMIT_MORE:
    case ACTION_LIMIT_LESS:
        limit_step(viewer, action);
        return true;
    case ACTION_LIMIT_AUTO:
        limit_set(viewer, 0);
        return true;
    case ACTION_RENDER_AGAIN:
        viewer->again++;
        viewer_view_changed(viewer, clock_s());
        return true;
    case ACTION_PICTURE:
        viewer_picture(viewer, "");
        return true;
    default:
        return false;
    }
}

static bool action_shown(struct viewer *viewer, enum action action)
{
    enum window_screen screen = window_screen(viewer->window);
    switch (action) {
    case ACTION_JULIA_INSET:
        toggle(viewer, &viewer->julia_inset);
        return true;
    case ACTION_MINIMAP:
        toggle(viewer, &viewer->minimap);
        return true;
    case ACTION_HIDE:
        toggle(viewer, &viewer->hidden);
        return true;
    case ACTION_TILES:
        tiles_toggle(viewer);
        return true;
    case ACTION_HUD:
        viewer->hud = (viewer->hud + 1) % HUD_LEVELS;
        viewer->overlay_stale = true;
        return true;
    case ACTION_HELP:
        panel_open(viewer, PANEL_HELP);
        return true;
    case ACTION_GO_TO:
        entry_ask(viewer, ENTRY_GO_TO);
        return true;
    case ACTION_OPEN:
        entry_ask(viewer, ENTRY_OPEN_FILE);
        return true;
    case ACTION_PRINT:
        entry_ask(viewer, ENTRY_PRINT);
        return true;
    case ACTION_FULLSCREEN:
        window_set_screen(viewer->window,
                          screen == WINDOW_NORMAL ? WINDOW_FULLSCREEN : WINDOW_NORMAL);
        return true;
    case ACTION_LARGER:
    case ACTION_SMALLER:
        ui_scale_step(viewer, action == ACTION_LARGER ? UI_STEP : -UI_STEP);
        return true;
    case ACTION_ESCAPE:
        escape(viewer);
        return true;
    case ACTION_QUIT:
        viewer->ends = true;
        return true;
    default:
        return false;
    }
}

enum status viewer_action(struct viewer *viewer, enum action action, double x, double y)
{
    if (action_shown(viewer, action) || action_picture(viewer, action))
        return STATUS_OK;
    return viewer_place_action(viewer, action, x, y);
}
