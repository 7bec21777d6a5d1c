#include "render/film/film_explore.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/stop.h"
#include "render/film/film_limit.h"
#include "render/live/limit.h"
#include "render/motion/autopilot.h"

#define STEP_S (1.0 / 60) /* seconds of a step of the flight */
#define KEYFRAME_S 0.25   /* least seconds between keyframes */

enum { SURVEY_HEIGHT = 90, SURVEY_WIDTH_MOST = 320 };

struct exploring {
    struct renderer *renderer;
    struct film *film;
    const struct film_exploration *exploration;
    const struct film_hooks *hooks;
    struct autopilot autopilot;
    struct survey survey;
    struct view view;
    int64_t limit; /* limit that pictures so far need */
    bool over;
};

static enum status log2_of(const struct view *view, double *log2_zoom)
{
    struct view_numbers numbers;
    TRY(view_numbers(view, &numbers));
    *log2_zoom = view_log10_zoom(&numbers) * log2(10);
    return STATUS_OK;
}

/* Raises the limit: otherwise pixels that escape late count as inside in the survey, and are black
 * in the film. The limit holds for all pictures; pictures of noise would raise it without end, so
 * they do not count. */
static enum status limit_follow(struct exploring *exploring, struct picture *picture)
{
    struct picture *common = &exploring->film->picture;
    struct picture tried = *picture;
    double log2_zoom;
    if (!exploring->exploration->limit_follows)
        return STATUS_OK;
    TRY(log2_of(&exploring->view, &log2_zoom));
    TRY(film_limit_raise(exploring->renderer, &tried, exploring->hooks->stop,
                         limit_most(log2_zoom / log2(10)), &exploring->limit, &exploring->over));
    if (exploring->limit > common->spec.limit)
        common->spec.limit = exploring->limit;
    picture->spec.limit = common->spec.limit;
    return STATUS_OK;
}

static enum status survey_make(struct exploring *exploring)
{
    const struct film *film = exploring->film;
    struct picture picture = film->picture;
    struct picture_hooks hooks = {.stop = exploring->hooks->stop};
    struct picture_report report = {.plan_s = 0};
    struct field field;
    int64_t width = (int64_t)SURVEY_HEIGHT * film->width / film->height;
    int goes_on = 1;
    if (stop_asked(hooks.stop))
        return status_fail(STATUS_STOPPED, "stopped");
    picture.samples = 1;
    picture.of_many = true;
    picture.spec.planes = PLANE_MASK_COUNT | PLANE_MASK_FRACTION;
    picture.view = (struct view){.shape = film->path.shape};
    width = width < 1 ? 1 : width > SURVEY_WIDTH_MOST ? SURVEY_WIDTH_MOST : width;
    const struct view *view = &exploring->view;
    TRY(view_set(&picture.view, view->re, view->im, view->zoom, view->rotation_deg, (int32_t)width,
                 SURVEY_HEIGHT));
    enum status status = limit_follow(exploring, &picture);
    if (status == STATUS_OK) {
        status =
            world_tell(renderer_world(exploring->renderer), STATUS_OK, &goes_on, sizeof goes_on);
        if (status == STATUS_OK)
            status = picture_render(exploring->renderer, &picture, &hooks, &field, &report);
        exploring->over = status != STATUS_OK;
    }
    if (status == STATUS_OK)
        survey_take(&exploring->survey, &field, 1);
    picture_report_destroy(&report);
    view_destroy(&picture.view);
    return status;
}

static enum status keyframe_add(struct exploring *exploring, double time_s, double ease_s)
{
    struct film_keyframe keyframe = exploring->exploration->shade;
    keyframe.time_s = time_s;
    keyframe.re = exploring->view.re;
    keyframe.im = exploring->view.im;
    keyframe.zoom = exploring->view.zoom;
    keyframe.rotation_deg = exploring->view.rotation_deg;
    keyframe.ease_s = ease_s;
    return film_path_add(&exploring->film->path, &keyframe);
}

static enum status flight_step(struct exploring *exploring, const struct view_range *range)
{
    struct autopilot *autopilot = &exploring->autopilot;
    unsigned stops = 0;
    double log2_zoom;
    if (autopilot_is_due(autopilot)) {
        TRY(log2_of(&exploring->view, &log2_zoom));
        TRY(survey_make(exploring));
        autopilot_decide(autopilot, &exploring->survey, log2_zoom);
    }
    struct view_motion motion =
        autopilot_step(autopilot, STEP_S, exploring->view.width, exploring->view.height);
    TRY(view_move(&exploring->view, range, &motion, &stops));
    if (stops) {
        TRY(log2_of(&exploring->view, &log2_zoom));
        autopilot_stopped(autopilot, stops, log2_zoom);
    }
    return STATUS_OK;
}

static enum status fly(struct exploring *exploring)
{
    double seconds = exploring->exploration->seconds;
    double apart_s = fmax(KEYFRAME_S, seconds / (FILM_KEYFRAMES_MOST - 2));
    int64_t steps = (int64_t)ceil(seconds / STEP_S), each = (int64_t)ceil(apart_s / STEP_S);
    const struct view_range *range = view_range_of(&exploring->film->picture.spec.formula);
    TRY(keyframe_add(exploring, 0, FILM_EASE_S));
    for (int64_t i = 1; i <= steps; i++) {
        TRY(flight_step(exploring, range));
        bool last = i == steps;
        if (last || (i % each == 0 && steps - i >= each))
            TRY(keyframe_add(exploring, last ? seconds : (double)i * STEP_S,
                             last ? FILM_EASE_S : 0));
    }
    return STATUS_OK;
}

enum status film_explore(struct renderer *renderer, struct film *film,
                         const struct film_exploration *exploration, const struct film_hooks *hooks,
                         bool *over)
{
    struct exploring exploring = {
        .renderer = renderer, .film = film, .exploration = exploration, .hooks = hooks};
    struct view deepest = {.re = NULL};
    double log2_begin = 0, log2_most = 0;
    const struct view *begin = exploration->begin;
    exploring.view.shape = film->path.shape;
    enum status status = view_set(&exploring.view, begin->re, begin->im, begin->zoom,
                                  begin->rotation_deg, film->width, film->height);
    if (status == STATUS_OK)
        status = view_set(&deepest, begin->re, begin->im, exploration->zoom_most, 0, film->width,
                          film->height);
    if (status == STATUS_OK)
        status = log2_of(&exploring.view, &log2_begin);
    if (status == STATUS_OK)
        status = log2_of(&deepest, &log2_most);
    exploring.autopilot = autopilot_begin(exploration->seed, log2_begin, log2_most);
    if (status == STATUS_OK)
        status = fly(&exploring);
    *over = exploring.over;
    view_destroy(&deepest);
    view_destroy(&exploring.view);
    return status;
}
