/* Films of the interface: the pictures of a path. */
#include "library/handle/film.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/number_text.h"
#include "library/config/config_view.h"
#include "library/settings/settings_look.h"
#include "render/film/film_colours_measure.h"

#define FILM_ORIGIN "film"

/* ---- opening ---- */

/* Was the limit said for this film, by a caller or a flag, and not by a file of many? */
static bool limit_is_said(const struct config *config)
{
    const char *origin = config->value[OPTION_VIEW_LIMIT].origin;
    return origin && (!strcmp(origin, PICTURE_ORIGIN) || !strcmp(origin, "--limit"));
}

static void stops_tell(const struct deepfield_film *film)
{
    char text[160];
    const struct film_scenes *scenes = &film->scenes;
    snprintf(
        text, sizeof text,
        "stops that show ranks at work are left out: %zu of %zu; deepfield view --tour has them",
        scenes->stops_left, scenes->stops_left + scenes->tour.stops);
    if (scenes->stops_left)
        world_notice(film->world, text);
}

static enum status film_describe(struct deepfield_film *made, const struct deepfield_picture *from,
                                 const struct deepfield_picture *to)
{
    struct config begin = {0};
    TRY(picture_config(to, &made->config));
    enum status status = from ? picture_config(from, &begin) : STATUS_OK;
    if (status == STATUS_OK && from)
        status = film_scenes_between(&made->scenes, &begin, &made->config);
    else if (status == STATUS_OK)
        status = film_scenes_create(&made->scenes, &made->config);
    config_destroy(&begin);
    TRY(status);
    stops_tell(made);
    made->scenes.limit_follows = !limit_is_said(&made->config);
    made->shared = calloc(made->scenes.count, sizeof *made->shared);
    return made->shared ? STATUS_OK : status_fail(STATUS_OUT_OF_MEMORY, "no memory for a film");
}

deepfield_status deepfield_film_open(deepfield_film **film, const deepfield_picture *from,
                                     const deepfield_picture *to)
{
    NEED(film);
    *film = NULL;
    NEED(to);
    *film = calloc(1, sizeof **film);
    if (!*film)
        return status_give(status_fail(STATUS_OUT_OF_MEMORY, "no memory for a film"));
    (*film)->world = to->world;
    (*film)->holders = 1;
    enum status status = film_describe(*film, from, to);
    if (status == STATUS_OK)
        return DEEPFIELD_OK;
    film_release(*film);
    *film = NULL;
    return status_give(status);
}

struct deepfield_film *film_hold(struct deepfield_film *film)
{
    __atomic_add_fetch(&film->holders, 1, __ATOMIC_RELAXED); /* outputs end on any thread */
    return film;
}

void film_release(struct deepfield_film *film)
{
    if (!film || __atomic_sub_fetch(&film->holders, 1, __ATOMIC_ACQ_REL))
        return;
    film_target_destroy(&film->target);
    for (size_t i = 0; film->shared && i < film->scenes.count; i++) {
        film_colours_close(&film->shared[i].colours);
        film_orbit_close(&film->shared[i].orbit);
    }
    free(film->shared);
    film_scenes_destroy(&film->scenes);
    config_destroy(&film->config);
    free(film);
}

void deepfield_film_destroy(deepfield_film *film)
{
    film_release(film);
}

int64_t deepfield_film_frames(const deepfield_film *film)
{
    return film ? film->scenes.scene->frames : 0;
}

enum status film_ranks_begin(struct deepfield_renderer *renderer)
{
    return order_send(renderer->world, ORDER_FILM);
}

enum status film_find(struct deepfield_film *film, struct deepfield_renderer *renderer, bool *over)
{
    return film_scenes_find(&film->scenes, &film->config, renderer->renderer, renderer->stop, over);
}

/* ---- what frames share ---- */

static enum status colours_measure(struct deepfield_film *film, size_t scene,
                                   const struct deepfield_renderer *renderer)
{
    struct film_shared *shared = &film->shared[scene];
    const struct film_colours_order order = {
        .film = &film->scenes.scene[scene],
        .orbit = &shared->orbit.orbit,
        .threads = (int)config_integer(&renderer->config, OPTION_COMPUTE_THREADS),
        .stop = renderer->stop};
    TRY(film_colours_open(&shared->colours, &order.film->path));
    enum status status = film_colours_measure(&order, &shared->colours);
    if (status == STATUS_OK) {
        film_colours_settle(&shared->colours);
        return STATUS_OK;
    }
    film_colours_close(&shared->colours);
    shared->colours = (struct film_colours){.count = 0};
    return status;
}

static enum status orbit_make(struct deepfield_film *film, size_t scene,
                              struct deepfield_renderer *renderer)
{
    struct film_shared *shared = &film->shared[scene];
    const struct reference_hooks hooks = {
        .progress = renderer_prepare_progress, .context = renderer, .stop = renderer->stop};
    if (shared->has_orbit)
        return STATUS_OK;
    enum status status = film_orbit_make(&shared->orbit, &film->scenes.scene[scene], NULL,
                                         renderer->renderer, &hooks);
    shared->has_orbit = status == STATUS_OK;
    if (shared->has_orbit)
        return STATUS_OK;
    film_orbit_close(&shared->orbit);
    shared->orbit = (struct film_orbit){.orbit = {.orbit = NULL}};
    return status;
}

enum status film_orbit_ready(struct deepfield_film *film, size_t scene,
                             struct deepfield_renderer *renderer,
                             const struct picture_orbit **orbit)
{
    TRY(orbit_make(film, scene, renderer));
    const struct picture_orbit *made = &film->shared[scene].orbit.orbit;
    *orbit = made->orbit ? made : NULL;
    return STATUS_OK;
}

enum status film_colours_put(struct deepfield_film *film, size_t scene,
                             const struct deepfield_renderer *renderer, double time_s,
                             struct config *config)
{
    char text[DISTRIBUTION_TEXT_BYTES];
    const struct film_colours *colours = &film->shared[scene].colours;
    if (!settings_wants_distribution(config))
        return STATUS_OK;
    if (!colours->count)
        TRY(colours_measure(film, scene, renderer));
    const struct distribution distribution =
        film_colours_at(colours, &film->scenes.scene[scene].path, time_s);
    distribution_text(&distribution, text);
    return config_set(config, OPTION_LOOK_DISTRIBUTION, text, FILM_ORIGIN, STATUS_INTERNAL);
}

/* ---- frames ---- */

struct frame_at {
    size_t scene;
    double time_s; /* on its path */
    struct view view;
    struct film_shade shade;
};

static enum status frame_find(const struct deepfield_film *film, int64_t frame, struct frame_at *at)
{
    const struct film *scenes = film->scenes.scene;
    for (at->scene = 0; frame >= film_scene_end(&scenes[at->scene]);)
        at->scene++;
    const struct film *scene = &scenes[at->scene];
    at->time_s = film_time_s(scene, frame);
    at->shade = film_path_shade(&scene->path, at->time_s);
    return film_view(scene, frame, &at->view);
}

/* A stop has a formula, a limit and colours of its own. */
static enum status stop_put(struct config *config, const struct tour_stop *stop, int64_t limit)
{
    struct ini ini;
    char *text, number[NUMBER_TEXT_BYTES];
    TRY(place_text_write(&stop->place, &text));
    enum status status = ini_parse(&ini, text, strlen(text), FILM_ORIGIN, STATUS_INTERNAL);
    free(text);
    TRY(status);
    status = config_apply(config, &ini, FILM_ORIGIN, STATUS_INTERNAL);
    ini_destroy(&ini);
    TRY(status);
    snprintf(number, sizeof number, "%lld", (long long)limit);
    return config_set(config, OPTION_VIEW_LIMIT, number, FILM_ORIGIN, STATUS_INTERNAL);
}

static enum status scene_put(struct config *config, const struct film_scenes *scenes, size_t scene)
{
    const int64_t limit = scenes->scene[scene].picture.spec.limit;
    char number[NUMBER_TEXT_BYTES];
    if (scenes->tour.stops)
        return stop_put(config, &scenes->tour.stop[scene], limit);
    if (limit == config_integer(config, OPTION_VIEW_LIMIT))
        return STATUS_OK;
    snprintf(number, sizeof number, "%lld", (long long)limit); /* the autopilot has raised it */
    return config_set(config, OPTION_VIEW_LIMIT, number, FILM_ORIGIN, STATUS_INTERNAL);
}

static enum status view_put(struct config *config, const struct frame_at *at)
{
    char rotation[NUMBER_TEXT_BYTES], offset[NUMBER_TEXT_BYTES], relief[NUMBER_TEXT_BYTES];
    char stretch[VIEW_STRETCH_BYTES];
    const struct view *view = &at->view;
    const struct film_shade *shade = &at->shade;
    view_stretch_text(&view->shape, stretch);
    const struct {
        enum option_key option;
        const char *text; /* NULL: as it is */
    } values[] = {
        {OPTION_VIEW_RE, view->re},
        {OPTION_VIEW_IM, view->im},
        {OPTION_VIEW_ZOOM, view->zoom},
        {OPTION_VIEW_ROTATION, number_shortest(view->rotation_deg, 17, rotation)},
        {OPTION_VIEW_STRETCH, stretch},
        {OPTION_LOOK_OFFSET, number_shortest(shade->offset - floor(shade->offset), 17, offset)},
        {OPTION_LOOK_RELIEF,
         isnan(shade->relief) ? NULL : number_shortest(shade->relief, 17, relief)}};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (values[i].text)
            TRY(config_set(config, values[i].option, values[i].text, FILM_ORIGIN, STATUS_INTERNAL));
    return STATUS_OK;
}

/* Finds the path by the renderer of the world, where that is not done. */
static enum status path_ready(struct deepfield_film *film)
{
    struct deepfield_renderer *renderer = film->world->renderer;
    bool over = false;
    if (film->scenes.found)
        return STATUS_OK;
    if (!renderer)
        return status_fail(STATUS_USAGE,
                           "small pictures decide this path: create a renderer first");
    TRY(renderer_call_begin(renderer));
    enum status status = renderer_ready(renderer);
    if (status == STATUS_OK)
        status = film_ranks_begin(renderer);
    if (status == STATUS_OK) {
        status = film_find(film, renderer, &over);
        status = over ? status : film_decline(renderer->renderer, status);
    }
    renderer_call_end(renderer);
    return status;
}

static enum status frame_picture(struct deepfield_film *film, int64_t frame,
                                 struct deepfield_picture **picture)
{
    struct frame_at at = {.view = {.re = NULL}};
    TRY(path_ready(film));
    enum status status = frame_find(film, frame, &at);
    if (status == STATUS_OK)
        status = picture_of_config(picture, film->world, &film->config);
    if (status == STATUS_OK)
        status = scene_put(&(*picture)->config, &film->scenes, at.scene);
    if (status == STATUS_OK)
        status = view_put(&(*picture)->config, &at);
    view_destroy(&at.view);
    if (status == STATUS_OK) {
        (*picture)->film = film_hold(film);
        (*picture)->film_scene = at.scene;
        (*picture)->film_time_s = at.time_s;
    }
    return status;
}

deepfield_status deepfield_film_picture(deepfield_film *film, int64_t frame,
                                        deepfield_picture **picture)
{
    NEED(picture);
    *picture = NULL;
    NEED(film);
    if (frame < 0 || frame >= deepfield_film_frames(film))
        return status_give(status_fail(STATUS_USAGE, "frame %lld: the film has frames 0 to %lld",
                                       (long long)frame,
                                       (long long)deepfield_film_frames(film) - 1));
    enum status status = frame_picture(film, frame, picture);
    if (status == STATUS_OK)
        return DEEPFIELD_OK;
    deepfield_picture_destroy(*picture);
    *picture = NULL;
    return status_give(status);
}
