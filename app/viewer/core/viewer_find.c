#include "app/viewer/core/viewer_find.h"

#include <math.h>
#include <stdio.h>

#include "app/viewer/core/viewer_files.h"
#include "app/viewer/overlays/style.h"
#include "decomposition/thread/clock.h"

enum { LIMIT_LEAST = 10000 }; /* least limit of the periods that are searched */
#define REACH 0.125           /* share of the window's height that is searched about the pointer */
#define SHOW_S 0.1            /* time between updates of the progress */

/* ---- asking ---- */

/* Can the formula be searched? Misiurewicz points and embedded Julia sets are those of z^2 + c. */
static bool is_searched(const struct formula *formula, enum find_for what)
{
    return formula->plane == PARAMETER_PLANE && formula_has_nuclei(formula) &&
           (formula_quadratic(formula) || what == FIND_NUCLEUS || what == FIND_SHAPE);
}

/* Is the search one of the view and formula that are seen? If not, its result is not wanted. */
static bool is_of_now(const struct viewer *viewer)
{
    const struct place *searched = &viewer->search.place;
    return view_same(&searched->view, &viewer->place.view) &&
           formula_same(&searched->formula, &viewer->place.formula);
}

static enum status find_begin(struct viewer *viewer, enum find_for what, const double box[4])
{
    struct place place = viewer->place; /* borrowed */
    int64_t limit = place.limit ? place.limit : viewer->state.limit;
    const struct search_request request = {.place = &place,
                                           .x0 = fmax(box[0], 0),
                                           .y0 = fmax(box[1], 0),
                                           .x1 = fmin(box[2], place.view.width),
                                           .y1 = fmin(box[3], place.view.height),
                                           .misiurewicz = what == FIND_MISIUREWICZ,
                                           .embedded = what == FIND_EMBEDDED};
    place.limit = limit < LIMIT_LEAST ? LIMIT_LEAST : limit;
    if (!is_searched(&place.formula, what)) {
        viewer_tell(viewer, NOTICE_INFO,
                    formula_julia(&place.formula)        ? STRING_FIND_NOT_JULIA
                    : formula_has_nuclei(&place.formula) ? STRING_FIND_NOT_FORMULA
                                                         : STRING_FIND_NOT_OWN);
        return STATUS_OK;
    }
    if (viewer->search.busy) { /* a second press of the key */
        viewer_find_stop(viewer);
        return STATUS_OK;
    }
    if (!(request.x1 >= request.x0 + 1 && request.y1 >= request.y0 + 1))
        return STATUS_OK;
    viewer->found_for = what;
    viewer->overlay_stale = true;
    return viewer_forgive(viewer, search_begin(&viewer->search, &request));
}

static enum status begin_at(struct viewer *viewer, enum find_for what, double x, double y)
{
    double reach = REACH * viewer->place.view.height;
    return find_begin(viewer, what, (const double[4]){x - reach, y - reach, x + reach, y + reach});
}

enum status viewer_find_nucleus(struct viewer *viewer, double x, double y)
{
    return begin_at(viewer, FIND_NUCLEUS, x, y);
}

enum status viewer_find_shape(struct viewer *viewer, double x, double y)
{
    return begin_at(viewer, FIND_SHAPE, x, y);
}

enum status viewer_find_misiurewicz(struct viewer *viewer, double x, double y)
{
    return begin_at(viewer, FIND_MISIUREWICZ, x, y);
}

enum status viewer_find_embedded(struct viewer *viewer, double x, double y)
{
    return begin_at(viewer, FIND_EMBEDDED, x, y);
}

enum status viewer_find_in_view(struct viewer *viewer)
{
    return find_begin(viewer, FIND_NUCLEUS, (const double[4]){0, 0, INFINITY, INFINITY});
}

bool viewer_find_stop(struct viewer *viewer)
{
    if (!viewer->search.busy)
        return false;
    search_stop(&viewer->search);
    return true;
}

/* ---- going there ---- */

static void power_text(double log10_value, char text[STYLE_NUMBER_BYTES])
{
    double whole = floor(log10_value);
    if (whole > -3 && whole < 5)
        snprintf(text, STYLE_NUMBER_BYTES, "%.4g", pow(10, log10_value));
    else
        snprintf(text, STYLE_NUMBER_BYTES, "%.1fe%.0f", pow(10, log10_value - whole), whole);
}

static void found_tell(struct viewer *viewer)
{
    const struct search_found *found = &viewer->search.found;
    bool misiurewicz = viewer->found_for == FIND_MISIUREWICZ;
    char period[24], preperiod[24], size[STYLE_NUMBER_BYTES];
    snprintf(period, sizeof period, "%lld", (long long)found->period);
    snprintf(preperiod, sizeof preperiod, "%lld", (long long)found->preperiod);
    power_text(misiurewicz ? found->log10_multiplier : found->log10_size, size);
    if (misiurewicz)
        viewer_tell_of(viewer, NOTICE_INFO, STRING_FIND_MISIUREWICZ, preperiod, period, size);
    else if (!found->disc)
        viewer_tell_of(viewer, NOTICE_INFO, STRING_FIND_ISLAND, period, size);
    else
        viewer_tell_of(viewer, NOTICE_INFO, STRING_FIND_DISC, period, size);
}

/* Takes over the stretch and the turn of the found view; a step of the history. */
static enum status shape_take(struct viewer *viewer, const struct view *found)
{
    struct view *view = &viewer->place.view;
    viewer_history_keep(viewer);
    view->shape = found->shape;
    view->rotation_deg = found->rotation_deg;
    gesture_cancel(viewer->gesture);
    viewer_view_changed(viewer, clock_s());
    viewer_insets_ask(viewer);
    found_tell(viewer);
    return STATUS_OK;
}

/* One step of the history. A view that is too deep to be shown is told, and left. */
static enum status go(struct viewer *viewer)
{
    struct place *place = &viewer->place;
    struct view before = place->view, view = {.re = NULL};
    if (viewer->found_for == FIND_SHAPE)
        return shape_take(viewer, &viewer->search.found.view);
    TRY(view_copy(&view, &viewer->search.found.view));
    viewer_history_keep(viewer);
    place->view = view;
    enum status status = place_check(place);
    if (status != STATUS_OK) {
        place->view = before;
        view_destroy(&view);
        return viewer_forgive(viewer, status);
    }
    view_destroy(&before);
    *place->title = '\0';
    place->limit = 0;
    place->limit_ends = false;
    gesture_cancel(viewer->gesture);
    viewer_view_changed(viewer, clock_s());
    viewer_insets_ask(viewer);
    found_tell(viewer);
    return STATUS_OK;
}

enum status viewer_find_poll(struct viewer *viewer, double now_s)
{
    struct search *search = &viewer->search;
    if (!search->busy || viewer->kiosk) /* a stand searches for its challenges */
        return STATUS_OK;
    if (!search_take(search)) {
        if (!is_of_now(viewer))
            search_stop(search);
        if (viewer->presented_s + SHOW_S <= now_s)
            viewer->overlay_stale = true;
        viewer->wake_s = fmin(viewer->wake_s, viewer->presented_s + SHOW_S);
        return STATUS_OK;
    }
    viewer->overlay_stale = true;
    if (search->status == STATUS_STOPPED || !is_of_now(viewer))
        viewer_tell(viewer, NOTICE_INFO, STRING_FIND_STOPPED);
    else if (search->status == STATUS_OK)
        return go(viewer);
    else if (search->status == STATUS_CONFIG && viewer->found_for == FIND_EMBEDDED)
        viewer_tell(viewer, NOTICE_INFO, STRING_FIND_NOT_EMBEDDED);
    else if (search->status == STATUS_OUT_OF_MEMORY)
        viewer_say(viewer, NOTICE_ALARM, "%s", search->text);
    else
        viewer_tell(viewer, NOTICE_INFO, STRING_FIND_NOTHING);
    return STATUS_OK;
}

bool viewer_find_line(struct viewer *viewer, char text[HUD_LINE_BYTES])
{
    static const enum string stages[] = {[SEARCH_AT_ORBIT] = STRING_FIND_AT_ORBIT,
                                         [SEARCH_AT_POINT] = STRING_FIND_AT_SEARCH,
                                         [SEARCH_AT_NEWTON] = STRING_FIND_AT_NEWTON};
    struct search_progress progress = search_progress(&viewer->search);
    char part[16];
    if (!viewer->search.busy)
        return false;
    snprintf(part, sizeof part, "%.0f", 100 * progress.part);
    string_fill(text, HUD_LINE_BYTES, stages[progress.stage], part);
    return true;
}

/* ---- the orbit of a point ---- */

void viewer_orbit_toggle(struct viewer *viewer)
{
    viewer->shown.orbit = !viewer->shown.orbit;
    viewer->overlay_stale = true;
}

void viewer_orbit_count(struct viewer *viewer, int step)
{
    int count = step > 0 ? 2 * viewer->orbit_count : viewer->orbit_count / 2;
    viewer->orbit_count = count < 1                              ? 1
                          : count > (DEEPFIELD_ORBIT_POINTS - 1) ? (DEEPFIELD_ORBIT_POINTS - 1)
                                                                 : count;
    viewer->shown.orbit = true;
    viewer->overlay_stale = true;
}

void viewer_rays_next(struct viewer *viewer)
{
    viewer->shown.ray_period = (viewer->shown.ray_period + 1) % (ORBIT_RAY_PERIODS + 1);
    viewer->shown.orbit |= viewer->shown.ray_period > 0;
    viewer->overlay_stale = true;
}

void viewer_orbit_poll(struct viewer *viewer)
{
    if (viewer->shown.orbit && viewer->place.formula.step == STEP_mandelbrot &&
        orbit_watch_poll(&viewer->orbit_watch, &viewer->place, viewer->pointer_x, viewer->pointer_y,
                         viewer->shown.ray_period))
        viewer->overlay_stale = true;
}
