#include "library/film/film_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "library/config/config_view.h"
#include "library/film/film_tour.h"
#include "library/film/path_file.h"
#include "library/settings/settings_description.h"
#include "library/settings/settings_look.h"
#include "render/film/film_explore.h"
#include "render/film/film_limit.h"

#define AUTOPILOT_TO "1e12" /* where the autopilot turns back, unless film.to says otherwise */

/* ---- tours ----------------------------------------------------------------------------------- */

/* A film is the same on any ranks, so it cannot show them. */
static enum status tour_take(struct film_scenes *scenes, const struct config *config)
{
    const char *name = config_text(config, OPTION_FILM_TOUR);
    char folder[4096];
    if (!name)
        return STATUS_OK;
    TRY(data_folder(&config->data, folder, sizeof folder));
    TRY(tour_load(&scenes->tour, folder, name));
    scenes->stops_left = tour_leave_ranks(&scenes->tour);
    return scenes->tour.stops
               ? STATUS_OK
               : status_fail(STATUS_USAGE, "all stops of this tour show ranks at work, which only "
                                           "deepfield view --tour does");
}

static enum status stops_make(struct film_scenes *scenes)
{
    struct film *grown = realloc(scenes->scene, scenes->tour.stops * sizeof *grown);
    if (!grown)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the scenes of a film");
    memset(grown + 1, 0, (scenes->tour.stops - 1) * sizeof *grown);
    scenes->scene = grown;
    scenes->count = scenes->tour.stops;
    TRY(film_tour_scenes(&scenes->tour, scenes->scene));
    for (size_t i = 0; i < scenes->count; i++)
        scenes->found &= scenes->scene[i].picture.spec.limit > 0;
    return STATUS_OK;
}

/* ---- paths of one scene ---------------------------------------------------------------------- */

static struct film_keyframe place_of(const struct config *config, const char *zoom)
{
    return (struct film_keyframe){.re = config_text(config, OPTION_VIEW_RE),
                                  .im = config_text(config, OPTION_VIEW_IM),
                                  .zoom = zoom,
                                  .rotation_deg = config_real(config, OPTION_VIEW_ROTATION),
                                  .offset = config_real(config, OPTION_LOOK_OFFSET),
                                  .relief = NAN,
                                  .ease_s = FILM_EASE_S};
}

/* The path that film.from, film.to and film.seconds say, or a file; the autopilot's is found later.
 */
static enum status path_make(struct film_scenes *scenes, const struct config *config)
{
    struct film_path *path = &scenes->scene->path;
    const char *file = config_text_or_null(config, OPTION_FILM_PATH);
    const char *to = config_text(config, OPTION_FILM_TO);
    struct film_keyframe place = place_of(config, config_text(config, OPTION_FILM_FROM));
    scenes->found = !config_was_set(config, OPTION_FILM_AUTOPILOT);
    if (!scenes->found)
        return file ? status_fail(STATUS_CONFIG, "--path and --autopilot: a film has one path")
                    : STATUS_OK;
    if (file) {
        if (config_was_set(config, OPTION_FILM_FROM) || to ||
            config_was_set(config, OPTION_FILM_SECONDS))
            return status_fail(STATUS_CONFIG,
                               "--path %.200s says what --from, --to and --seconds "
                               "would say; leave these out",
                               file);
        return path_file_read(path, file, &place);
    }
    TRY(film_path_add(path, &place));
    place.zoom = to ? to : config_text(config, OPTION_VIEW_ZOOM);
    place.time_s = config_real(config, OPTION_FILM_SECONDS);
    return film_path_add(path, &place);
}

/* Lets the autopilot choose the path, from the location on, or from its centre at film.from. */
static enum status path_explore(struct film_scenes *scenes, const struct config *config,
                                struct renderer *renderer, const struct film_hooks *hooks,
                                bool *over)
{
    const char *to = config_text(config, OPTION_FILM_TO);
    const bool from = config_was_set(config, OPTION_FILM_FROM);
    const struct film_keyframe place =
        place_of(config, config_text(config, from ? OPTION_FILM_FROM : OPTION_VIEW_ZOOM));
    struct film *film = scenes->scene;
    struct view begin = {.re = NULL};
    TRY(view_set(&begin, place.re, place.im, place.zoom, place.rotation_deg, film->width,
                 film->height));
    struct film_exploration exploration = {
        .seed = (uint64_t)config_integer(config, OPTION_FILM_AUTOPILOT),
        .seconds = config_real(config, OPTION_FILM_SECONDS),
        .begin = &begin,
        .zoom_most = to ? to : AUTOPILOT_TO,
        .limit_follows = scenes->limit_follows,
        .shade = place};
    enum status status = film_explore(renderer, film, &exploration, hooks, over);
    view_destroy(&begin);
    if (status == STATUS_OK)
        return STATUS_OK;
    const struct view_shape shape = film->path.shape;
    film_path_destroy(&film->path); /* another call begins anew */
    film->path = (struct film_path){.shape = shape};
    return status;
}

/* ---- scenes ---------------------------------------------------------------------------------- */

static enum status common_take(struct film_scenes *scenes, const struct config *config)
{
    scenes->found = true;
    scenes->count = 1;
    scenes->scene = calloc(1, sizeof *scenes->scene);
    if (!scenes->scene)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a film");
    struct film *film = scenes->scene;
    TRY(settings_picture(config, &film->picture));
    film->width = film->picture.view.width;
    film->height = film->picture.view.height;
    view_destroy(&film->picture.view);
    TRY(film_rate_read(config_text(config, OPTION_FILM_FPS), &film->rate));
    return config_view_shape(config, &film->path.shape);
}

/* Frames and colours of a film of one scene, which lasts `seconds`. */
static enum status scene_settle(struct film *film, const struct config *config, double seconds)
{
    double frames = nearbyint(seconds * film_rate_per_s(film->rate));
    film->frames = frames > 2 ? (int64_t)fmin(frames, 2.0 * FILM_FRAMES_MOST) : 2;
    return settings_look_options(config, &film->look_options);
}

static bool path_is_said(const struct config *config)
{
    const char *path = config_text(config, OPTION_FILM_PATH);
    return (path && *path) || config_was_set(config, OPTION_FILM_AUTOPILOT);
}

enum status film_scenes_create(struct film_scenes *scenes, const struct config *config)
{
    *scenes = (struct film_scenes){.count = 0};
    TRY(tour_take(scenes, config));
    TRY(common_take(scenes, config));
    if (scenes->tour.stops && path_is_said(config))
        return status_fail(STATUS_CONFIG, "a tour says the path of its film; leave --path and "
                                          "--autopilot out");
    if (scenes->tour.stops)
        return stops_make(scenes);
    TRY(path_make(scenes, config));
    return scene_settle(scenes->scene, config,
                        scenes->found ? film_path_seconds(&scenes->scene->path)
                                      : config_real(config, OPTION_FILM_SECONDS));
}

enum status film_scenes_between(struct film_scenes *scenes, const struct config *from,
                                const struct config *to)
{
    *scenes = (struct film_scenes){.count = 0};
    if (config_text_or_null(to, OPTION_FILM_PATH) || config_text_or_null(to, OPTION_FILM_TOUR) ||
        config_was_set(to, OPTION_FILM_AUTOPILOT))
        return status_fail(STATUS_CONFIG, "a film from one picture to another has its path; "
                                          "leave --path, --autopilot and film.tour out");
    TRY(common_take(scenes, to));
    struct film *film = scenes->scene;
    const double seconds = config_real(to, OPTION_FILM_SECONDS);
    struct film_keyframe keyframe = place_of(from, config_text(from, OPTION_VIEW_ZOOM));
    TRY(film_path_add(&film->path, &keyframe));
    keyframe = place_of(to, config_text(to, OPTION_VIEW_ZOOM));
    keyframe.time_s = seconds;
    TRY(film_path_add(&film->path, &keyframe));
    return scene_settle(film, to, seconds);
}

enum status film_scenes_find(struct film_scenes *scenes, const struct config *config,
                             struct renderer *renderer, const volatile int *stop, bool *over)
{
    const struct film_hooks hooks = {.stop = stop};
    *over = false;
    if (scenes->found)
        return STATUS_OK;
    if (!scenes->tour.stops)
        TRY(path_explore(scenes, config, renderer, &hooks, over));
    for (size_t i = 0; i < scenes->count && scenes->tour.stops; i++)
        if (!scenes->scene[i].picture.spec.limit)
            TRY(film_limit(renderer, &scenes->scene[i], &hooks, over));
    scenes->found = true;
    return STATUS_OK;
}

void film_scenes_destroy(struct film_scenes *scenes)
{
    for (size_t i = 0; i < scenes->count && scenes->scene; i++)
        film_path_destroy(&scenes->scene[i].path);
    tour_destroy(&scenes->tour);
    free(scenes->scene);
    *scenes = (struct film_scenes){.count = 0};
}
