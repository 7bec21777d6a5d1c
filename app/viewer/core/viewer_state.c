#include "app/viewer/core/viewer_state.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "app/viewer/core/viewer_film.h"
#include "decomposition/thread/clock.h"

/* ---- notices ---- */

#define ALARM_AGAIN_S 60.0

#define ALARM_OTHER_S 1.0

/* On a stand alarms are for staff: a line of the log, the same one once a minute at most, and
 * others once a second. */
static void alarm_log(struct viewer *viewer, const char *text)
{
    double now_s = clock_s();
    bool again = !strncmp(viewer->alarm, text, sizeof viewer->alarm - 1);
    viewer->alarms++;
    if (viewer->alarm_s > 0 && now_s < viewer->alarm_s + (again ? ALARM_AGAIN_S : ALARM_OTHER_S))
        return;
    snprintf(viewer->alarm, sizeof viewer->alarm, "%s", text);
    viewer->alarm_s = now_s;
    fprintf(stderr, "deepfield: %s\n", text);
}

/* Shows a notice, or an alarm to staff; topic: see notice_say. */
static void notice_post(struct viewer *viewer, enum notice_kind kind, const void *topic,
                        const char *text)
{
    if (kind == NOTICE_ALARM && viewer->kiosk)
        alarm_log(viewer, text);
    else
        notice_say(&viewer->notices, kind, clock_s(), kind == NOTICE_INFO ? topic : NULL, text);
    viewer->overlay_stale = true;
}

void viewer_say(struct viewer *viewer, enum notice_kind kind, const char *format, ...)
{
    char text[NOTICE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    notice_post(viewer, kind, format, text);
}

void viewer_tell_values(struct viewer *viewer, enum notice_kind kind, enum string string,
                        const char *const *values)
{
    char text[NOTICE_BYTES];
    strings_fill(text, sizeof text, string_of(string), values);
    if (!*text) /* none that a stand shows */
        return;
    notice_post(viewer, kind, string_in(string, LANGUAGE_EN), text);
}

void viewer_tell(struct viewer *viewer, enum notice_kind kind, enum string string)
{
    viewer_tell_values(viewer, kind, string, (const char *const[]){NULL});
}

enum status viewer_forgive(struct viewer *viewer, enum status status)
{
    if (status == STATUS_OK || status == STATUS_OUT_OF_MEMORY)
        return status;
    viewer_say(viewer, NOTICE_ALARM, "%s", status_text());
    return STATUS_OK;
}

void viewer_motion_end(struct viewer *viewer, enum status status)
{
    if (status == STATUS_OK)
        return;
    viewer_say(viewer, NOTICE_ALARM, "%s", status_text());
    gesture_cancel(viewer->gesture);
    viewer->autopilots = viewer->film->previews = false;
}

/* ---- queries ---- */

/* Does the view move without a hand, along a tour or a film, or by the autopilot? */
static bool flies_alone(const struct viewer *viewer)
{
    const struct tour_play *tour = &viewer->tour;
    bool tours = !tour_is_at_end(tour) && !tour->paused && tour->phase == TOUR_FLIES;
    return tours || viewer->autopilots || viewer->film->previews;
}

bool viewer_moves(const struct viewer *viewer)
{
    struct gesture_marks marks;
    gesture_marks(viewer->gesture, &marks);
    return marks.held || marks.moving || viewer->remote.holds || flies_alone(viewer);
}

bool viewer_is_hidden(const struct viewer *viewer)
{
    return viewer->options->window.user == WINDOW_NOBODY;
}

bool viewer_flies(const struct viewer *viewer)
{
    struct gesture_marks marks;
    gesture_marks(viewer->gesture, &marks);
    return marks.flies || flies_alone(viewer);
}

bool viewer_settled(const struct viewer *viewer)
{
    const deepfield_live_state *state = &viewer->state;
    return throttle_at_rest(&viewer->throttle) && !viewer_moves(viewer) &&
           !viewer->density.glides && viewer->density.seen == state->measured &&
           state->serial == viewer->serial && state->settled && viewer->compositor.covered &&
           viewer->compositor.base.picture == state->picture;
}

enum status viewer_owners_poll(struct viewer *viewer)
{
    struct overlay_owners *owners = &viewer->owners;
    deepfield_array table = {.size = sizeof table,
                             .data = owners->worker,
                             .type = DEEPFIELD_U8,
                             .width = DEEPFIELD_LIVE_BLOCKS,
                             .height = DEEPFIELD_LIVE_BLOCKS,
                             .channels = 1,
                             .row_bytes = sizeof owners->worker[0]};
    TRY((enum status)deepfield_live_owners(viewer->live, &table, &owners->side));
    owners->columns = table.width;
    owners->rows = table.height;
    return STATUS_OK;
}

bool viewer_never(const struct viewer *viewer)
{
    const deepfield_live_state *state = &viewer->state;
    return state->stage == DEEPFIELD_LIVE_FAILED && state->serial == viewer->serial &&
           !viewer_settled(viewer);
}

enum blank viewer_blank(const struct viewer *viewer)
{
    const deepfield_live_state *state = &viewer->state;
    bool failed = state->stage == DEEPFIELD_LIVE_FAILED && state->serial == viewer->serial;
    return failed || viewer_settled(viewer) ? blank_of(state, &viewer->place) : BLANK_NOT;
}

struct view_range viewer_range(const struct viewer *viewer)
{
    struct view_range range = *view_range_of(&viewer->place.formula);
    if (viewer->kiosk)
        range.log2_step_least = fmax(2 - viewer->log2_zoom_most - log2(viewer->place.view.height),
                                     range.log2_step_least);
    return range;
}

struct gesture_settings viewer_gesture_settings(const struct viewer *viewer)
{
    return (struct gesture_settings){.actions = &viewer->actions,
                                     .width = viewer->place.view.width,
                                     .height = viewer->place.view.height,
                                     .scale = window_ui_scale(viewer->window),
                                     .reduced_motion = viewer->options->reduced_motion,
                                     .tap_log2 = viewer->options->stand.kiosk ? 1 : 0};
}

struct insets_shown viewer_insets(const struct viewer *viewer)
{
    struct gesture_marks marks;
    bool of_julia = viewer->place.formula.plane == DYNAMIC_PLANE;
    bool has_c = formula_has_c(&viewer->place.formula);
    gesture_marks(viewer->gesture, &marks);
    return (struct insets_shown){.place = &viewer->place,
                                 .pointer_x = viewer->pointer_x,
                                 .pointer_y = viewer->pointer_y,
                                 .map = viewer->shown.minimap && !viewer->shown.hidden,
                                 .julia =
                                     !of_julia && !viewer->shown.hidden &&
                                     (viewer->shown.julia_inset || marks.hold == ACTION_JULIA_PEEK),
                                 .seed = of_julia && has_c && !viewer->shown.hidden &&
                                         (viewer->shown.minimap || viewer->shown.julia_inset)};
}

/* ---- changes ---- */

void viewer_view_changed(struct viewer *viewer, double now_s)
{
    throttle_view_changed(&viewer->throttle, now_s);
    viewer->picture_stale = true;
    viewer->unkept_s = now_s;
}

void viewer_look_changed(struct viewer *viewer)
{
    viewer->throttle.look_is_new = true;
    viewer->overlay_stale = true;
}

void viewer_repeat(struct viewer *viewer, double now_s)
{
    viewer->again++;
    viewer_view_changed(viewer, now_s);
    viewer->throttle.changed_s = now_s - THROTTLE_REST_S;
}

void viewer_insets_ask(struct viewer *viewer)
{
    struct insets_shown shown = viewer_insets(viewer);
    insets_ask(&viewer->insets, &shown, window_paint(viewer->window));
}

void viewer_files_show(struct viewer *viewer, enum file_for what)
{
    viewer_panel_close(viewer);
    viewer->panel = PANEL_FILES;
    viewer->file_for = what;
    entry_open(&viewer->entry, "");
    viewer->overlay_stale = true;
}

bool viewer_panel_close(struct viewer *viewer)
{
    bool was = viewer->panel != PANEL_NONE;
    viewer->panel = PANEL_NONE;
    entry_close(&viewer->entry);
    viewer->finger_taps = false; /* one that is down now is none of the next panel's */
    window_set_typing(viewer->window, false);
    viewer->overlay_stale |= was;
    return was;
}

/* ---- places ---- */

void viewer_colours_renew(struct viewer *viewer, const struct distribution *before, bool at_once)
{
    if (!(viewer->place.distribution.runs > 0))
        viewer->place.distribution = *before;
    automatic_density_renew(&viewer->density, at_once);
    viewer_look_changed(viewer);
}

/* Replaces the place by that of a text, or fails and leaves the old one on the screen. Values that
 * the text leaves out are those of `deepfield view`; the history has all but an automatic limit. */
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
    struct distribution before = viewer->place.distribution;
    place_destroy(&viewer->place);
    viewer->place = fresh;
    viewer_colours_renew(viewer, &before, true);
    return STATUS_OK;
}

bool viewer_set_place(struct viewer *viewer, const char *text, size_t length, const char *name,
                      enum place_source source)
{
    if (place_take(viewer, text, length, name, source) != STATUS_OK) {
        viewer_say(viewer, NOTICE_ALARM, "%s", status_text());
        return false;
    }
    viewer->autopilots = false;
    viewer->tour.paused = viewer->tour_touched = !tour_is_at_end(&viewer->tour);
    viewer->shown.cycling &= source == PLACE_KEPT; /* else its colours are those that it says */
    gesture_cancel(viewer->gesture);
    viewer_view_changed(viewer, clock_s());
    viewer_look_changed(viewer);
    viewer_insets_ask(viewer);
    return true;
}

bool viewer_planes_known(const struct viewer *viewer)
{
    const deepfield_live_state *state = &viewer->state;
    return state->serial >= viewer->view_serial && state->stage > DEEPFIELD_LIVE_ORBIT &&
           state->stage != DEEPFIELD_LIVE_FAILED;
}

/* Writes the limit that was found, if it is automatic, since a render of the text finds none; what
 * an automatic relief or automatic lines are, where the other one has distances computed, since a
 * render leaves them out there; and counts in place of planes that are not computed here, which a
 * render refuses. */
enum status viewer_place_text(struct viewer *viewer, char **text)
{
    struct place place = viewer->place; /* borrowed */
    if (!place.limit && viewer_settled(viewer))
        place.limit = viewer->state.limit;
    const struct field shown = {.planes = viewer->state.planes};
    if (viewer_planes_known(viewer) && look_planes(&place.look) & PLANE_MASK_DISTANCE)
        look_resolve(&place.look, &shown);
    if (viewer_planes_known(viewer))
        look_planes_drop(&place.look, viewer->state.planes);
    return place_text_write(&place, text);
}
