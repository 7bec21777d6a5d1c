/* Films of the interface: the pictures of a path. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/number_text.h"
#include "library/config/config_view.h"
#include "library/handle/film.h"
#include "library/settings/settings_description.h"
#include "library/settings/settings_look.h"
#include "render/film/film_colours_measure.h"

#define FILM_ORIGIN "film"

static enum status keyframe_add(struct film_path *path, const struct deepfield_picture *picture,
                                double time_s)
{
    struct config config = {0};
    enum status status = picture_config(picture, &config);
    if (status == STATUS_OK) {
        const struct film_keyframe keyframe = {
            .time_s = time_s,
            .re = config_text(&config, OPTION_VIEW_RE),
            .im = config_text(&config, OPTION_VIEW_IM),
            .zoom = config_text(&config, OPTION_VIEW_ZOOM),
            .rotation_deg = config_real(&config, OPTION_VIEW_ROTATION),
            .offset = config_real(&config, OPTION_LOOK_OFFSET),
            .relief = NAN,
            .ease_s = config_real(&config, OPTION_FILM_SECONDS) > 0 ? FILM_EASE_S : 0};
        status = film_path_add(path, &keyframe);
    }
    config_destroy(&config);
    return status;
}

static enum status film_describe(struct deepfield_film *made, const struct deepfield_picture *from,
                                 const struct deepfield_picture *to)
{
    struct film *film = &made->film;
    TRY(picture_config(to, &made->config));
    double seconds = config_real(&made->config, OPTION_FILM_SECONDS);
    TRY(film_rate_read(config_text(&made->config, OPTION_FILM_FPS), &film->rate));
    TRY(config_view_shape(&made->config, &film->path.shape));
    TRY(keyframe_add(&film->path, from, 0));
    TRY(keyframe_add(&film->path, to, seconds));
    TRY(settings_picture(&made->config, &film->picture));
    film->width = film->picture.view.width;
    film->height = film->picture.view.height;
    film->frames = (int64_t)fmax(nearbyint(seconds * film_rate_per_s(film->rate)), 1);
    film->method = FILM_FRAMES;
    return STATUS_OK;
}

deepfield_status deepfield_film_open(deepfield_film **film, const deepfield_picture *from,
                                     const deepfield_picture *to)
{
    NEED(film);
    *film = NULL;
    NEED(from);
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
    film->holders++;
    return film;
}

void film_release(struct deepfield_film *film)
{
    if (!film || --film->holders)
        return;
    film_colours_close(&film->colours);
    film_orbit_close(&film->orbit);
    view_destroy(&film->film.picture.view);
    film_path_destroy(&film->film.path);
    config_destroy(&film->config);
    free(film);
}

void deepfield_film_destroy(deepfield_film *film)
{
    film_release(film);
}

int64_t deepfield_film_frames(const deepfield_film *film)
{
    return film ? film->film.frames : 0;
}

/* ---- what frames share ---- */

static enum status colours_measure(struct deepfield_film *film,
                                   const struct deepfield_renderer *renderer)
{
    const struct film_colours_order order = {
        .film = &film->film,
        .orbit = &film->orbit.orbit,
        .threads = (int)config_integer(&renderer->config, OPTION_COMPUTE_THREADS),
        .stop = renderer->stop};
    TRY(film_colours_open(&film->colours, &film->film.path));
    enum status status = film_colours_measure(&order, &film->colours);
    if (status == STATUS_OK) {
        film_colours_settle(&film->colours);
        return STATUS_OK;
    }
    film_colours_close(&film->colours);
    film->colours = (struct film_colours){.count = 0};
    return status;
}

enum status film_orbit_ready(struct deepfield_film *film, struct deepfield_renderer *renderer)
{
    const struct reference_hooks hooks = {
        .progress = renderer_prepare_progress, .context = renderer, .stop = renderer->stop};
    if (film->has_orbit)
        return STATUS_OK;
    enum status status =
        film_orbit_make(&film->orbit, &film->film, NULL, renderer->renderer, &hooks);
    film->has_orbit = status == STATUS_OK;
    if (film->has_orbit)
        return STATUS_OK;
    film_orbit_close(&film->orbit);
    film->orbit = (struct film_orbit){.orbit = {.orbit = NULL}};
    return status;
}

enum status film_colours_put(struct deepfield_film *film, const struct deepfield_renderer *renderer,
                             double time_s, struct config *config)
{
    char text[DISTRIBUTION_TEXT_BYTES];
    if (!settings_wants_distribution(config))
        return STATUS_OK;
    if (!film->colours.count)
        TRY(colours_measure(film, renderer));
    const struct distribution distribution =
        film_colours_at(&film->colours, &film->film.path, time_s);
    distribution_text(&distribution, text);
    return config_set(config, OPTION_LOOK_DISTRIBUTION, text, FILM_ORIGIN, STATUS_INTERNAL);
}

/* ---- frames ---- */

static enum status view_put(struct config *config, const struct view *view,
                            const struct film_shade *shade)
{
    char rotation[NUMBER_TEXT_BYTES], offset[NUMBER_TEXT_BYTES];
    const struct {
        enum option_key option;
        const char *text;
    } values[] = {
        {OPTION_VIEW_RE, view->re},
        {OPTION_VIEW_IM, view->im},
        {OPTION_VIEW_ZOOM, view->zoom},
        {OPTION_VIEW_ROTATION, number_shortest(view->rotation_deg, 17, rotation)},
        {OPTION_LOOK_OFFSET, number_shortest(shade->offset - floor(shade->offset), 17, offset)}};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        TRY(config_set(config, values[i].option, values[i].text, FILM_ORIGIN, STATUS_INTERNAL));
    return STATUS_OK;
}

deepfield_status deepfield_film_picture(deepfield_film *film, int64_t frame,
                                        deepfield_picture **picture)
{
    NEED(picture);
    *picture = NULL;
    NEED(film);
    if (frame < 0 || frame >= film->film.frames)
        return status_give(status_fail(STATUS_USAGE, "frame %lld: the film has frames 0 to %lld",
                                       (long long)frame, (long long)film->film.frames - 1));
    struct view view = {.re = NULL};
    double time_s = film_time_s(&film->film, frame);
    struct film_shade shade = film_path_shade(&film->film.path, time_s);
    enum status status = film_view(&film->film, frame, &view);
    if (status == STATUS_OK)
        status = picture_of_config(picture, film->world, &film->config);
    if (status == STATUS_OK)
        status = view_put(&(*picture)->config, &view, &shade);
    view_destroy(&view);
    if (status == STATUS_OK) {
        (*picture)->film = film_hold(film);
        (*picture)->film_time_s = time_s;
        return DEEPFIELD_OK;
    }
    deepfield_picture_destroy(*picture);
    *picture = NULL;
    return status_give(status);
}
