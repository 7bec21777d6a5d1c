#include "app/viewer/core/viewer_find.h"

#include <math.h>
#include <stdio.h>

#include "app/viewer/core/viewer_files.h"
#include "app/viewer/overlays/style.h"
#include "decomposition/thread/clock.h"

enum { LIMIT_LEAST = 10000 }; /* least limit of the periods that are searched */
#define SHAPE_ONLY                                                                           \
    (-1)            /* instead of the number of an embedded view: the view stays where it is \
                     */
#define REACH 0.125 /* share of the window's height that is searched about the pointer */
#define SHOW_S 0.1  /* time between updates of the progress */

/* ---- asking ---- */

/* Can the formula be searched? Misiurewicz points and embedded Julia sets are those of z^2 + c. */
static bool is_searched(const struct formula *formula, enum search_kind kind, int embedded)
{
    return formula->plane == PARAMETER_PLANE && formula_has_nuclei(formula) &&
           (formula_quadratic(formula) || (kind == SEARCH_NUCLEUS && embedded <= 0));
}

/* Is the search one of the view and formula that are seen? If not, its result is not wanted. */
static bool is_of_now(const struct viewer *viewer)
{
    return view_same(&viewer->search.view, &viewer->place.view) &&
           formula_same(&viewer->search.request.formula, &viewer->place.formula);
}

static enum status find_begin(struct viewer *viewer, enum search_kind kind, int embedded,
                              const double box[4])
{
    const struct place *place = &viewer->place;
    int64_t limit = place->limit ? place->limit : viewer->state.limit;
    struct finder_request request = {.view = &place->view,
                                     .x0 = fmax(box[0], 0),
                                     .y0 = fmax(box[1], 0),
                                     .x1 = fmin(box[2], place->view.width),
                                     .y1 = fmin(box[3], place->view.height),
                                     .formula = place->formula,
                                     .kind = kind,
                                     .limit = limit < LIMIT_LEAST ? LIMIT_LEAST : limit};
    if (!is_searched(&place->formula, kind, embedded)) {
        viewer_tell(viewer, NOTICE_INFO,
                    formula_julia(&place->formula)        ? STRING_FIND_NOT_JULIA
                    : formula_has_nuclei(&place->formula) ? STRING_FIND_NOT_FORMULA
                                                          : STRING_FIND_NOT_OWN);
        return STATUS_OK;
    }
    if (viewer->search.busy) { /* a second press of the key */
        viewer_find_stop(viewer);
        return STATUS_OK;
    }
    if (!(request.x1 > request.x0 && request.y1 > request.y0))
        return STATUS_OK;
    viewer->search.embedded = embedded;
    viewer->overlay_stale = true;
    return viewer_forgive(viewer, search_begin(&viewer->search, &request));
}

static enum status begin_at(struct viewer *viewer, enum search_kind kind, int embedded, double x,
                            double y)
{
    double reach = REACH * viewer->place.view.height;
    return find_begin(viewer, kind, embedded,
                      (const double[4]){x - reach, y - reach, x + reach, y + reach});
}

enum status viewer_find_nucleus(struct viewer *viewer, double x, double y)
{
    return begin_at(viewer, SEARCH_NUCLEUS, 0, x, y);
}

enum status viewer_find_shape(struct viewer *viewer, double x, double y)
{
    return begin_at(viewer, SEARCH_NUCLEUS, SHAPE_ONLY, x, y);
}

enum status viewer_find_misiurewicz(struct viewer *viewer, double x, double y)
{
    return begin_at(viewer, SEARCH_MISIUREWICZ, 0, x, y);
}

enum status viewer_find_embedded(struct viewer *viewer, double x, double y)
{
    return begin_at(viewer, SEARCH_NUCLEUS, 1, x, y);
}

enum status viewer_find_in_view(struct viewer *viewer)
{
    return find_begin(viewer, SEARCH_NUCLEUS, 0, (const double[4]){0, 0, INFINITY, INFINITY});
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
    const struct finding *finding = &viewer->search.finding;
    char period[24], preperiod[24], size[STYLE_NUMBER_BYTES];
    snprintf(period, sizeof period, "%lld", (long long)finding->period);
    snprintf(preperiod, sizeof preperiod, "%lld", (long long)finding->preperiod);
    power_text(finding->kind == SEARCH_NUCLEUS ? finding->log10_size : finding->log10_multiplier,
               size);
    if (finding->kind == SEARCH_MISIUREWICZ)
        viewer_tell_of(viewer, NOTICE_INFO, STRING_FIND_MISIUREWICZ, preperiod, period, size);
    else if (finding->component != COMPONENT_DISC)
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
    struct search *search = &viewer->search;
    struct place *place = &viewer->place;
    struct view before = place->view, view = {.shape = before.shape};
    if (search->embedded > search->finding.embedded) {
        viewer_tell(viewer, NOTICE_INFO, STRING_FIND_NOT_EMBEDDED);
        return STATUS_OK;
    }
    enum status status =
        finding_view(&search->finding, search->embedded, before.width, before.height, &view);
    if (status != STATUS_OK)
        return viewer_forgive(viewer, status);
    if (search->embedded == SHAPE_ONLY) {
        status = shape_take(viewer, &view);
        view_destroy(&view);
        return status;
    }
    viewer_history_keep(viewer);
    place->view = view;
    status = place_check(place);
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
    if (!search->busy)
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
    else if (search->status == STATUS_OUT_OF_MEMORY)
        viewer_say(viewer, NOTICE_ALARM, "%s", search->text);
    else
        viewer_tell(viewer, NOTICE_INFO, STRING_FIND_NOTHING);
    return STATUS_OK;
}

bool viewer_find_line(struct viewer *viewer, char text[HUD_LINE_BYTES])
{
    static const enum string stages[] = {[FINDER_ORBIT] = STRING_FIND_AT_ORBIT,
                                         [FINDER_SEARCH] = STRING_FIND_AT_SEARCH,
                                         [FINDER_NEWTON] = STRING_FIND_AT_NEWTON};
    struct finder_progress progress = search_progress(&viewer->search);
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
    viewer->orbit_count = count < 1 ? 1 : count > POINT_ORBIT_MOST ? POINT_ORBIT_MOST : count;
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
    struct point_orbit_request wanted = {.view = &viewer->place.view,
                                         .formula = viewer->place.formula,
                                         .x = viewer->pointer_x,
                                         .y = viewer->pointer_y};
    if (viewer->shown.orbit && wanted.formula.step == STEP_mandelbrot &&
        orbit_watch_poll(&viewer->orbit_watch, &wanted, viewer->shown.ray_period))
        viewer->overlay_stale = true;
}
