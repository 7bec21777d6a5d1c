/* Films of the interface: the pictures of a path. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/number_text.h"
#include "library/config/config_view.h"
#include "library/handle/handle.h"
#include "render/film/film_path.h"
#include "render/film/video/film_rate.h"

#define FILM_ORIGIN "film"

struct deepfield_film {
    struct deepfield_world *world;
    struct config config; /* settings that all frames share */
    struct film_path path;
    struct film_rate rate;
    int64_t frames;
    int32_t width, height;
};

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

static enum status film_make(struct deepfield_film *film, const struct deepfield_picture *from,
                             const struct deepfield_picture *to)
{
    TRY(picture_config(to, &film->config));
    double seconds = config_real(&film->config, OPTION_FILM_SECONDS);
    TRY(film_rate_read(config_text(&film->config, OPTION_FILM_FPS), &film->rate));
    TRY(config_view_shape(&film->config, &film->path.shape));
    TRY(keyframe_add(&film->path, from, 0));
    TRY(keyframe_add(&film->path, to, seconds));
    film->width = (int32_t)film->config.value[OPTION_VIEW_SIZE].integer;
    film->height = (int32_t)film->config.value[OPTION_VIEW_SIZE].second;
    film->frames = (int64_t)fmax(nearbyint(seconds * film_rate_per_s(film->rate)), 1);
    return STATUS_OK;
}

deepfield_status deepfield_film_open(deepfield_film **film, const deepfield_picture *from,
                                     const deepfield_picture *to)
{
    NEED(film);
    NEED(from);
    NEED(to);
    *film = calloc(1, sizeof **film);
    if (!*film)
        return status_give(status_fail(STATUS_OUT_OF_MEMORY, "no memory for a film"));
    (*film)->world = to->world;
    enum status status = film_make(*film, from, to);
    if (status == STATUS_OK)
        return DEEPFIELD_OK;
    deepfield_film_destroy(*film);
    *film = NULL;
    return status_give(status);
}

void deepfield_film_destroy(deepfield_film *film)
{
    if (!film)
        return;
    film_path_destroy(&film->path);
    config_destroy(&film->config);
    free(film);
}

int64_t deepfield_film_frames(const deepfield_film *film)
{
    return film ? film->frames : 0;
}

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
    NEED(film);
    NEED(picture);
    *picture = NULL;
    if (frame < 0 || frame >= film->frames)
        return status_give(status_fail(STATUS_USAGE, "frame %lld: the film has frames 0 to %lld",
                                       (long long)frame, (long long)film->frames - 1));
    struct view view = {.re = NULL};
    double time_s = film_rate_seconds(film->rate, frame);
    struct film_shade shade = film_path_shade(&film->path, time_s);
    enum status status = film_path_view(&film->path, time_s, film->width, film->height, &view);
    if (status == STATUS_OK)
        status = picture_of_config(picture, film->world, &film->config);
    if (status == STATUS_OK)
        status = view_put(&(*picture)->config, &view, &shade);
    view_destroy(&view);
    if (status != STATUS_OK) {
        deepfield_picture_destroy(*picture);
        *picture = NULL;
    }
    return status_give(status);
}
