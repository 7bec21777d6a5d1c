#include "app/viewer/core/viewer_action.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/viewer/core/viewer_autopilot.h"
#include "app/viewer/core/viewer_files.h"
#include "app/viewer/core/viewer_film.h"
#include "app/viewer/core/viewer_find.h"
#include "app/viewer/core/viewer_ranks.h"
#include "app/viewer/core/viewer_tour.h"
#include "app/viewer/kiosk/kiosk.h"
#include "app/viewer/overlays/style.h"
#include "decomposition/thread/clock.h"
#include "kernels/formula_text.h"
#include "library/settings/look_step.h"
#include "render/colour/palette.h"

#define STRETCH_STEP 1.1 /* factor of a key */

/* ---- places: actions that change the view or the formula ---- */

/* Shows all of the set of the formula that is seen. */
static enum status set_show(struct viewer *viewer)
{
    struct view *view = &viewer->place.view;
    gesture_cancel(viewer->gesture);
    TRY(view_home(view, view_range_of(&viewer->place.formula), view->width, view->height));
    viewer_view_changed(viewer, clock_s());
    return STATUS_OK;
}

static void shown_set(struct viewer *viewer, const struct viewer_shown *shown)
{
    viewer->shown = *shown;
    viewer->cycled_s = clock_s();
    viewer->overlay_stale = true;
}

/* Restores the state of the start: the whole set, its colours and the overlays, whatever keys a
 * hand or a cat has pressed. One step to undo. */
static enum status home(struct viewer *viewer)
{
    struct place *place = &viewer->place;
    int32_t width = place->view.width, height = place->view.height;
    viewer_history_keep(viewer);
    viewer->home_shown = viewer->shown;
    size_t before = history_before(viewer->history);
    struct distribution colours = place->distribution;
    TRY(place_copy(place, viewer->options->home));
    place->view.width = width;
    place->view.height = height;
    TRY(set_show(viewer));
    shown_set(viewer, &(struct viewer_shown){.hud = viewer->kiosk ? HUD_NOTHING : HUD_SHORT});
    viewer_ranks_reset(viewer);
    viewer_colours_renew(viewer, &colours, true);
    viewer_insets_ask(viewer);
    viewer_history_keep(viewer);
    viewer->home_step = history_before(viewer->history);
    viewer->home_was = viewer->home_step == before ? HOME_WAS_SHOWN : HOME_WAS_ELSEWHERE;
    return STATUS_OK;
}

/* Restores the overlays when Home is undone. True: there is nothing else to undo. */
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

static void history_go(struct viewer *viewer, const char *text, enum string nothing)
{
    if (text)
        viewer_set_place(viewer, text, strlen(text), "the history", PLACE_KEPT);
    else
        viewer_tell(viewer, NOTICE_INFO, nothing);
}

/* Goes back from what is seen now, whether it has settled or not. */
static void undo(struct viewer *viewer)
{
    viewer_history_keep(viewer);
    if (!home_undo(viewer))
        history_go(viewer, history_undo(viewer->history), STRING_SAY_NO_UNDO);
}

static void redo(struct viewer *viewer)
{
    history_go(viewer, history_redo(viewer->history), STRING_SAY_NO_REDO);
}

static enum status copy(struct viewer *viewer)
{
    char *text = NULL;
    enum status status = viewer_place_text(viewer, &text);
    if (status == STATUS_OK)
        status = window_set_clipboard(viewer->window, text);
    if (status == STATUS_OK)
        viewer_tell(viewer, NOTICE_INFO, STRING_SAY_COPIED);
    free(text);
    return viewer_forgive(viewer, status);
}

static void paste(struct viewer *viewer)
{
    char *text = window_clipboard(viewer->window);
    if (text && *text)
        viewer_set_place(viewer, text, strlen(text), "the clipboard", PLACE_GIVEN);
    else
        viewer_tell(viewer, NOTICE_INFO, STRING_SAY_NO_TEXT);
    free(text);
}

static enum status upright(struct viewer *viewer)
{
    struct view *view = &viewer->place.view;
    struct view_motion step =
        motion_turn(view->shape.mirrored ? view->rotation_deg : -view->rotation_deg,
                    view->width / 2.0, view->height / 2.0);
    const struct view_range range = viewer_range(viewer);
    TRY(view_move(view, &range, &step, NULL));
    viewer_view_changed(viewer, clock_s());
    return STATUS_OK;
}

static enum status shape_changed(struct viewer *viewer)
{
    gesture_cancel(viewer->gesture);
    viewer_view_changed(viewer, clock_s());
    viewer_insets_ask(viewer);
    return STATUS_OK;
}

static enum status mirror(struct viewer *viewer)
{
    viewer->place.view.shape.mirrored = !viewer->place.view.shape.mirrored;
    return shape_changed(viewer);
}

static enum status stretch_step(struct viewer *viewer, int by)
{
    struct view *view = &viewer->place.view;
    double factor = by > 0 ? STRETCH_STEP : 1 / STRETCH_STEP;
    enum status status = view_shape_widen(&view->shape, &view->rotation_deg, factor);
    return status == STATUS_OK ? shape_changed(viewer) : viewer_forgive(viewer, status);
}

static enum status unstretch(struct viewer *viewer)
{
    struct view_shape *shape = &viewer->place.view.shape;
    *shape = (struct view_shape){.mirrored = shape->mirrored};
    return shape_changed(viewer);
}

/* ---- the Julia set of a point, and back ---- */

static enum status julia_enter(struct viewer *viewer, double x, double y)
{
    struct place *place = &viewer->place;
    struct formula julia = formula_in(&place->formula, DYNAMIC_PLANE);
    TRY(view_point(&place->view, x, y, &julia.c_re, &julia.c_im));
    enum status status = formula_check(&julia, place->bailout);
    if (status != STATUS_OK)
        return viewer_forgive(viewer, status);
    int64_t mirrored = place->view.shape.mirrored;
    place->formula = julia;
    place->limit = 0;
    status = set_show(viewer);
    place->view.shape.mirrored = mirrored;
    return status;
}

/* Finds in the history the last place in the plane of c, or home if there is none; *place is of
 * place_create. */
static enum status mandelbrot_find(const struct viewer *viewer, struct place *place)
{
    const struct formula of_c = formula_in(&viewer->place.formula, PARAMETER_PLANE);
    const char *text;
    for (size_t steps = 1; (text = history_ago(viewer->history, steps)); steps++) {
        place->limit = 0;
        enum status status = place_text_read(place, text, strlen(text), "the history");
        if (status == STATUS_OUT_OF_MEMORY)
            return status;
        if (status == STATUS_OK && formula_same(&place->formula, &of_c))
            return STATUS_OK;
    }
    place->limit = viewer->place.limit;
    return view_home(&place->view, view_range_of(&of_c), place->view.width, place->view.height);
}

static enum status julia_leave(struct viewer *viewer)
{
    struct place *place = &viewer->place, before = {0};
    int32_t width = place->view.width, height = place->view.height;
    enum status status = place_create(&before, width, height);
    if (status == STATUS_OK)
        status = mandelbrot_find(viewer, &before);
    place->view.shape = before.view.shape;
    if (status == STATUS_OK)
        status = view_set(&place->view, before.view.re, before.view.im, before.view.zoom,
                          before.view.rotation_deg, width, height);
    place->limit = before.limit;
    place->limit_ends = before.limit_ends;
    place->formula = formula_in(&place->formula, PARAMETER_PLANE);
    place_destroy(&before);
    gesture_cancel(viewer->gesture);
    viewer_view_changed(viewer, clock_s());
    return status;
}

static enum status julia(struct viewer *viewer, double x, double y)
{
    const struct formula of_c = formula_in(&viewer->place.formula, PARAMETER_PLANE);
    enum status status = formula_check(&of_c, viewer->place.bailout);
    if (status != STATUS_OK)
        return viewer_forgive(viewer, status);
    viewer_history_keep(viewer);
    TRY(viewer->place.formula.plane == DYNAMIC_PLANE ? julia_leave(viewer)
                                                     : julia_enter(viewer, x, y));
    viewer_insets_ask(viewer);
    return STATUS_OK;
}

enum status viewer_formula_use(struct viewer *viewer, const struct formula *formula)
{
    struct place *place = &viewer->place;
    struct formula framed = *formula;
    char says[FORMULA_TEXT_BYTES];
    double bailout;
    if (place->formula.plane == DYNAMIC_PLANE && formula_has_c(formula)) {
        framed = formula_in(formula, DYNAMIC_PLANE);
        framed.c_re = place->formula.c_re;
        framed.c_im = place->formula.c_im;
    }
    TRY(formula_bailout_near(&framed, place->bailout, &bailout));
    TRY(formula_check(&framed, bailout));
    viewer_history_keep(viewer);
    place->formula = framed;
    place->look.roots = formula_roots(&framed);
    place->bailout = bailout;
    place->limit = 0;
    TRY(set_show(viewer));
    viewer_tell_of(viewer, NOTICE_INFO, STRING_SAY_FORMULA, formula_name(&framed),
                   formula_says(&framed, says));
    viewer_insets_ask(viewer);
    return STATUS_OK;
}

static enum status formula_step(struct viewer *viewer, int by)
{
    int step = (int)viewer->place.formula.step + by + FORMULA_ROWS;
    if (viewer->place.formula.step == STEP_OWN) /* before the first and behind the last */
        step = by > 0 ? 0 : FORMULA_ROWS - 1;
    struct formula formula = formula_of_step((enum formula_step)(step % FORMULA_ROWS));
    return viewer_formula_use(viewer, &formula);
}

static enum status info(struct viewer *viewer, double x, double y)
{
    double re, im;
    char point[80];
    TRY(view_point(&viewer->place.view, x, y, &re, &im));
    snprintf(point, sizeof point, "%.17g %+.17g", re, im);
    viewer_tell_of(viewer, NOTICE_INFO, STRING_SAY_POINT, point);
    return STATUS_OK;
}

static void bookmark_list(struct viewer *viewer)
{
    if (viewer->panel == PANEL_BOOKMARKS)
        viewer_panel_close(viewer);
    else
        viewer_bookmarks_load(viewer);
}

/* ---- what moves by itself ---- */

static enum status play(struct viewer *viewer)
{
    if (viewer_tour_plays(viewer) && !viewer_tour_is_at_end(viewer))
        return viewer_tour_pause(viewer);
    viewer_tour_end(viewer); /* its last text is not about where the autopilot goes */
    return viewer_autopilot_toggle(viewer);
}

/* ---- colours, iterations and what is shown ---- */

#define UI_STEP 0.25

/* ---- colours ---- */

void viewer_palette_first(const struct viewer *viewer, char name[OPTION_PALETTE_MAX + 1])
{
    const char *text = viewer->place.palette, *plus = palette_plus(text);
    snprintf(name, OPTION_PALETTE_MAX + 1, "%.*s", (int)(plus ? plus - text : (int)strlen(text)),
             text);
}

void viewer_palette_set(struct viewer *viewer, enum palette_of which, const char *name)
{
    char first[OPTION_PALETTE_MAX + 1], both[2 * OPTION_PALETTE_MAX + 2];
    const char *plus = palette_plus(viewer->place.palette);
    viewer_palette_first(viewer, first);
    if (which == PALETTE_OF_LAYER)
        snprintf(both, sizeof both, "%s%s%s", first, *name ? "+" : "", name);
    else
        snprintf(both, sizeof both, "%s%s", name, plus && !palette_plus(name) ? plus : "");
    if (strlen(both) <= OPTION_PALETTE_MAX)
        memcpy(viewer->place.palette, both, strlen(both) + 1);
    else
        viewer_tell(viewer, NOTICE_ALARM, STRING_SAY_PALETTES_LONG);
}

bool viewer_palette_is(const struct viewer *viewer, const char *name)
{
    char first[OPTION_PALETTE_MAX + 1];
    viewer_palette_first(viewer, first);
    size_t length = palette_name_length(first);
    return strlen(name) == length && !strncmp(name, first, length);
}

static void palette_step(struct viewer *viewer, int step)
{
    char names[sizeof viewer->palettes], *rest = names, *name, *list[256];
    int count = 0, now = -1;
    snprintf(names, sizeof names, "%s", viewer->palettes);
    while (count < 256 && (name = strsep(&rest, ","))) {
        name += strspn(name, " ");
        if (viewer_palette_is(viewer, name))
            now = count;
        list[count++] = name;
    }
    if (!count)
        return;
    viewer_palette_set(viewer, PALETTE_OF_COUNTS,
                       list[((now < 0 && step < 0 ? 0 : now) + step + count) % count]);
    viewer_tell_of(viewer, NOTICE_INFO, STRING_HUD_PALETTE, viewer->place.palette);
    viewer_look_changed(viewer);
}

static void look_change(struct viewer *viewer, enum look_step step, int by)
{
    const struct look_seen seen = {.runs = viewer->place.distribution.runs,
                                   .shaded = viewer->state.planes & PLANE_MASK_DISTANCE};
    look_step(&viewer->place.look, step, by, &seen);
    viewer_look_changed(viewer);
}

static void density_step(struct viewer *viewer, int step)
{
    look_change(viewer, LOOK_STEP_DENSITY, step);
}

static void offset_step(struct viewer *viewer, int step)
{
    look_change(viewer, LOOK_STEP_OFFSET, step);
}

static void contrast_step(struct viewer *viewer, int step)
{
    const struct look_options *look = &viewer->place.look;
    look_change(viewer, LOOK_STEP_CONTRAST, step);
    char value[16];
    snprintf(value, sizeof value, "%.1f", look->contrast);
    viewer_tell_of(viewer, NOTICE_INFO,
                   look->density > 0 ? STRING_SAY_CONTRAST_AUTOMATIC : STRING_SAY_CONTRAST, value);
}

/* Changes the relief; distances are computed for it if they are not there. */
static void relief_step(struct viewer *viewer, int step)
{
    enum live_distances before = place_distances(&viewer->place);
    look_change(viewer, LOOK_STEP_RELIEF, step);
    char value[16];
    snprintf(value, sizeof value, "%.1f", viewer->place.look.relief);
    viewer_tell_of(viewer, NOTICE_INFO, STRING_SAY_RELIEF, value);
    if (place_distances(&viewer->place) != before)
        viewer_view_changed(viewer, clock_s());
}

/* The sentence about pictures like this one that have one colour inside, whatever is requested. */
static enum string interior_kept(const struct viewer *viewer)
{
    const struct place *place = &viewer->place;
    bool julia = place->formula.plane == DYNAMIC_PLANE;
    if (place->look.interior_kind == INTERIOR_COLOUR)
        return STRING_SAY_INSIDE;
    if (viewer->state.deep)
        return STRING_SAY_INSIDE_DEEP;
    if (!formula_quadratic(&place->formula))
        return STRING_SAY_INSIDE_FORMULA;
    return julia && place->look.interior_kind == INTERIOR_DISTANCE ? STRING_SAY_INSIDE_JULIA
                                                                   : STRING_SAY_INSIDE;
}

static void interior_next(struct viewer *viewer)
{
    static const enum string names[INTERIOR_KINDS] = {
        [INTERIOR_COLOUR] = STRING_INSIDE_COLOUR,
        [INTERIOR_PERIOD] = STRING_INSIDE_PERIOD,
        [INTERIOR_DISTANCE] = STRING_INSIDE_DISTANCE,
    };
    look_change(viewer, LOOK_STEP_INTERIOR, 1);
    enum string kept = interior_kept(viewer);
    viewer_tell_of(viewer, NOTICE_INFO, kept, string_of(names[viewer->place.look.interior_kind]));
    viewer_view_changed(viewer, clock_s());
}

enum string viewer_input_name(const struct colour_source *source)
{
    static const enum string names[INPUTS] = {
        [INPUT_COUNT] = STRING_BY_COUNT,           [INPUT_PHASE] = STRING_BY_PHASE,
        [INPUT_BINARY] = STRING_BY_BINARY,         [INPUT_STRIPE] = STRING_BY_STRIPE,
        [INPUT_TRIANGLE] = STRING_BY_TRIANGLE,     [INPUT_TRAP_POINT] = STRING_BY_TRAP_POINT,
        [INPUT_TRAP_CROSS] = STRING_BY_TRAP_CROSS, [INPUT_TRAP_CIRCLE] = STRING_BY_TRAP_CIRCLE,
    };
    return names[source->input];
}

/* The next input of colours; its plane is computed if it is not there. */
static void input_step(struct viewer *viewer, int step)
{
    struct look_options *look = &viewer->place.look;
    unsigned planes = look_planes(look);
    colour_source_step(&look->source, step);
    if (viewer->planes_missing && look_planes(look) & PLANE_MASK_ORBIT)
        viewer_tell(viewer, NOTICE_INFO, STRING_SAY_BY_MISSING);
    else
        viewer_tell_of(viewer, NOTICE_INFO, STRING_SAY_BY,
                       string_of(viewer_input_name(&look->source)));
    if (look_planes(look) & ~planes)
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
        viewer_tell(viewer, NOTICE_INFO, STRING_SAY_REDUCED_MOTION);
        return;
    }
    viewer->shown.cycling = !viewer->shown.cycling;
    viewer->cycled_s = clock_s();
    viewer->overlay_stale = true;
}

void viewer_cycle(struct viewer *viewer, double now_s)
{
    if (!viewer->shown.cycling)
        return;
    if (now_s - viewer->cycled_s >= THROTTLE_LOOK_S) {
        /* After a pause, as of a machine that slept, it goes on from where it was. */
        look_offset_add(&viewer->place.look, (1 - viewer->slowed) * viewer->cycles_per_s *
                                                 fmin(now_s - viewer->cycled_s, 0.1));
        viewer_look_changed(viewer);
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
        viewer_tell_of(viewer, NOTICE_INFO, STRING_SAY_LIMIT, style_number((double)limit, text));
    else
        viewer_tell(viewer, NOTICE_INFO, STRING_SAY_LIMIT_AUTO);
    viewer_view_changed(viewer, clock_s());
}

static void limit_step(struct viewer *viewer, int step)
{
    int64_t now = viewer->place.limit ? viewer->place.limit : viewer->state.limit;
    if (now < 1)
        now = 1000;
    if (step > 0)
        limit_set(viewer, now <= SPEC_LIMIT_MAX / 2 ? 2 * now : SPEC_LIMIT_MAX);
    else
        limit_set(viewer, now > 1 ? now / 2 : 1);
}

static void limit_choose(struct viewer *viewer)
{
    limit_set(viewer, 0);
}

/* ---- what is shown ---- */

static void ui_scale_step(struct viewer *viewer, int step)
{
    struct gesture_settings settings = viewer_gesture_settings(viewer);
    window_set_ui_scale(viewer->window, window_ui_scale(viewer->window) + step * UI_STEP);
    settings.scale = window_ui_scale(viewer->window);
    gesture_settings(viewer->gesture, &settings);
    char scale[16];
    snprintf(scale, sizeof scale, "%.4g", settings.scale);
    viewer_tell_of(viewer, NOTICE_INFO, STRING_SAY_SCALE, scale);
    viewer_insets_ask(viewer);
}

/* Switches the bool at an offset in struct viewer_shown. */
static void toggle(struct viewer *viewer, int offset)
{
    bool *what = (bool *)((char *)&viewer->shown + offset);
    *what = !*what;
    viewer->overlay_stale = true;
    viewer_insets_ask(viewer);
}

static void tiles_toggle(struct viewer *viewer)
{
    toggle(viewer, offsetof(struct viewer_shown, tiles));
    if (viewer->shown.tiles && viewer_owners_poll(viewer) != STATUS_OK)
        viewer->shown.tiles = false;
}

static void panel_open(struct viewer *viewer, int panel)
{
    bool was = viewer->panel == (enum panel)panel;
    viewer_panel_close(viewer);
    viewer->panel = was ? PANEL_NONE : (enum panel)panel;
    viewer->help.first = 0;
    viewer->overlay_stale = true;
    gesture_cancel(viewer->gesture);
}

static void entry_ask(struct viewer *viewer, int what)
{
    panel_open(viewer, PANEL_ENTRY);
    viewer->entry_for = (enum entry_for)what;
    entry_open(&viewer->entry, "");
}

static void files_ask(struct viewer *viewer, int what)
{
    gesture_cancel(viewer->gesture);
    viewer_files_show(viewer, (enum file_for)what);
}

static enum status favourite(struct viewer *viewer, double x, double y)
{
    (void)y;
    viewer_favourite_recall(viewer, (int)x - 1);
    return STATUS_OK;
}

static enum status favourite_put(struct viewer *viewer, double x, double y)
{
    (void)y;
    viewer_favourite_keep(viewer, (int)x - 1);
    return STATUS_OK;
}

/* Closes or stops one thing, the topmost first; never the program. */
static void escape(struct viewer *viewer)
{
    viewer->overlay_stale = true;
    if (viewer_panel_close(viewer) || viewer_find_stop(viewer))
        return;
    if (viewer->autopilots || viewer->film->previews) {
        viewer_autopilot_end(viewer);
        return;
    }
    if (viewer_tour_plays(viewer)) {
        viewer_tour_end(viewer);
        return;
    }
    if (viewer->shown.cycling) {
        viewer->shown.cycling = false;
        return;
    }
    if (viewer->print_width || viewer->picture_wanted) {
        viewer->print_width = viewer->print_height = 0;
        viewer->picture_wanted = false;
        viewer_tell(viewer, NOTICE_INFO, STRING_SAY_NOT_WRITTEN);
        if (viewer->print_serial)
            viewer_view_changed(viewer, clock_s());
        return;
    }
    bool settled = viewer_settled(viewer);
    if (settled && notice_close(&viewer->notices))
        return;
    gesture_cancel(viewer->gesture);
    if (!settled)
        viewer_tell(viewer, NOTICE_INFO, STRING_SAY_STOPPED);
    const deepfield_live_request stop = {.size = sizeof stop, .pace = DEEPFIELD_LIVE_STOP};
    (void)deepfield_live_ask_with(viewer->live, NULL, &stop, NULL);
}

static void hud_next(struct viewer *viewer)
{
    viewer->shown.hud = (viewer->shown.hud + 1) % HUD_LEVELS;
    viewer->overlay_stale = true;
}

static void screen_toggle(struct viewer *viewer)
{
    bool normal = window_screen(viewer->window) == WINDOW_NORMAL;
    window_set_screen(viewer->window, normal ? WINDOW_FULLSCREEN : WINDOW_NORMAL);
}

static void render_again(struct viewer *viewer)
{
    viewer_repeat(viewer, clock_s());
}

static void picture_save(struct viewer *viewer)
{
    viewer_picture(viewer, "");
}

static void quit(struct viewer *viewer)
{
    viewer->ends = true;
}

/* ---- the table ---- */

#define TOGGLED(member) .step = toggle, .by = offsetof(struct viewer_shown, member)

/* clang-format off */
static const struct {
    void (*act)(struct viewer *viewer);
    void (*step)(struct viewer *viewer, int by);
    int by;
    bool colours; /* the step changes colours, which are a step to undo */
    enum status (*go)(struct viewer *viewer);
    enum status (*go_by)(struct viewer *viewer, int by);
    enum status (*go_at)(struct viewer *viewer, double x, double y);
} doings[ACTIONS] = {
[ACTION_UPRIGHT] = {.go = upright},
[ACTION_MIRROR] = {.go = mirror},
[ACTION_STRETCH_WIDER] = {.go_by = stretch_step, .by = 1},
[ACTION_STRETCH_HIGHER] = {.go_by = stretch_step, .by = -1},
[ACTION_UNSTRETCH] = {.go = unstretch},
[ACTION_STRETCH_AUTO] = {.go_at = viewer_find_shape},
[ACTION_HOME] = {.go = home},
[ACTION_UNDO] = {.act = undo},
[ACTION_REDO] = {.act = redo},
[ACTION_GO_TO] = {.step = entry_ask, .by = ENTRY_GO_TO},
[ACTION_COPY] = {.go = copy},
[ACTION_PASTE] = {.act = paste},
[ACTION_BOOKMARK_ADD] = {.act = viewer_bookmark_add},
[ACTION_BOOKMARK_LIST] = {.act = bookmark_list},
[ACTION_BOOKMARK_NEXT] = {.step = viewer_bookmark_go, .by = 1},
[ACTION_BOOKMARK_PREVIOUS] = {.step = viewer_bookmark_go, .by = -1},
[ACTION_PLAY] = {.go = play},
[ACTION_TOUR_NEXT] = {.go_by = viewer_tour_go, .by = 1},
[ACTION_TOUR_PREVIOUS] = {.go_by = viewer_tour_go, .by = -1},
[ACTION_PALETTE_NEXT] = {.step = palette_step, .by = 1, .colours = true},
[ACTION_PALETTE_PREVIOUS] = {.step = palette_step, .by = -1, .colours = true},
[ACTION_FAVOURITE] = {.go_at = favourite},
[ACTION_FAVOURITE_KEEP] = {.go_at = favourite_put},
[ACTION_DENSITY_MORE] = {.step = density_step, .by = 1, .colours = true},
[ACTION_DENSITY_LESS] = {.step = density_step, .by = -1, .colours = true},
[ACTION_OFFSET_MORE] = {.step = offset_step, .by = 1, .colours = true},
[ACTION_OFFSET_LESS] = {.step = offset_step, .by = -1, .colours = true},
[ACTION_CONTRAST_MORE] = {.step = contrast_step, .by = 1, .colours = true},
[ACTION_CONTRAST_LESS] = {.step = contrast_step, .by = -1, .colours = true},
[ACTION_RELIEF_MORE] = {.step = relief_step, .by = 1, .colours = true},
[ACTION_RELIEF_LESS] = {.step = relief_step, .by = -1, .colours = true},
[ACTION_INTERIOR] = {.act = interior_next, .colours = true},
[ACTION_INPUT_NEXT] = {.step = input_step, .by = 1, .colours = true},
[ACTION_CYCLE] = {.act = cycle_toggle},
[ACTION_LIMIT_MORE] = {.step = limit_step, .by = 1},
[ACTION_LIMIT_LESS] = {.step = limit_step, .by = -1},
[ACTION_LIMIT_AUTO] = {.act = limit_choose},
[ACTION_RENDER_AGAIN] = {.act = render_again},
[ACTION_JULIA] = {.go_at = julia},
[ACTION_FORMULA_NEXT] = {.go_by = formula_step, .by = 1},
[ACTION_FORMULA_PREVIOUS] = {.go_by = formula_step, .by = -1},
[ACTION_JULIA_INSET] = {TOGGLED(julia_inset)},
[ACTION_PICTURE] = {.act = picture_save},
[ACTION_PRINT] = {.step = entry_ask, .by = ENTRY_PRINT},
[ACTION_FIND] = {.go_at = viewer_find_nucleus},
[ACTION_FIND_IN_VIEW] = {.go = viewer_find_in_view},
[ACTION_FIND_MISIUREWICZ] = {.go_at = viewer_find_misiurewicz},
[ACTION_FIND_EMBEDDED] = {.go_at = viewer_find_embedded},
[ACTION_ORBIT] = {.act = viewer_orbit_toggle},
[ACTION_ORBIT_MORE] = {.step = viewer_orbit_count, .by = 1},
[ACTION_ORBIT_LESS] = {.step = viewer_orbit_count, .by = -1},
[ACTION_RAYS] = {.act = viewer_rays_next},
[ACTION_MINIMAP] = {TOGGLED(minimap)},
[ACTION_HUD] = {.act = hud_next},
[ACTION_TILES] = {.act = tiles_toggle},
[ACTION_RANK_TIMES] = {TOGGLED(times)},
[ACTION_RANKS_MORE] = {.step = viewer_ranks_step, .by = 1},
[ACTION_RANKS_LESS] = {.step = viewer_ranks_step, .by = -1},
[ACTION_RANKS_DEVICES] = {.act = viewer_ranks_devices},
[ACTION_HIDE] = {TOGGLED(hidden)},
[ACTION_HELP] = {.step = panel_open, .by = PANEL_HELP},
[ACTION_INFO] = {.go_at = info},
[ACTION_SETTINGS] = {.step = panel_open, .by = PANEL_SETTINGS},
[ACTION_PLACES] = {.step = panel_open, .by = PANEL_PLACES},
[ACTION_PALETTES] = {.step = panel_open, .by = PANEL_PALETTES},
[ACTION_COLOURS] = {.step = panel_open, .by = PANEL_COLOURS},
[ACTION_FULLSCREEN] = {.act = screen_toggle},
[ACTION_LARGER] = {.step = ui_scale_step, .by = 1},
[ACTION_SMALLER] = {.step = ui_scale_step, .by = -1},
[ACTION_SAVE] = {.act = viewer_place_save},
[ACTION_SAVE_AS] = {.step = files_ask, .by = FILE_SAVE},
[ACTION_OPEN] = {.step = files_ask, .by = FILE_OPEN},
[ACTION_ESCAPE] = {.act = escape},
[ACTION_QUIT] = {.act = quit},
};
/* clang-format on */

enum status viewer_action(struct viewer *viewer, enum action action, double x, double y)
{
    if (viewer->kiosk && !kiosk_allows(action))
        return STATUS_OK;
    if (hints_action(&viewer->hints, action, clock_s()))
        viewer_hints_keep(viewer);
    if (action_moves(action)) { /* by a button of a panel, too */
        viewer_tour_touch(viewer);
        viewer_autopilot_end(viewer);
    }
    if (doings[action].act)
        doings[action].act(viewer);
    if (doings[action].step)
        doings[action].step(viewer, doings[action].by);
    if (doings[action].colours)
        look_taken(viewer);
    if (doings[action].go_at)
        return doings[action].go_at(viewer, x, y);
    if (doings[action].go_by)
        return doings[action].go_by(viewer, doings[action].by);
    return doings[action].go ? doings[action].go(viewer) : STATUS_OK;
}
