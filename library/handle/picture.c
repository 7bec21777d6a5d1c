#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "library/config/config_view.h"
#include "library/handle/film.h"
#include "library/place/place_format.h"
#include "library/settings/view_file.h"
#include "render/view/view_motion.h"

/* ---- opening ---- */

enum status picture_of_config(struct deepfield_picture **picture, struct deepfield_world *world,
                              const struct config *config)
{
    struct deepfield_picture *made = calloc(1, sizeof *made);
    *picture = NULL;
    if (!made)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a picture");
    enum status status = config ? config_copy(&made->config, config) : config_create(&made->config);
    if (status != STATUS_OK) {
        free(made);
        return status;
    }
    made->world = world;
    made->config.data = world->data;
    *picture = made;
    return STATUS_OK;
}

/* A text with a newline is a place itself; else it names one. */
static enum status view_read(struct view_file *file, const struct deepfield_world *world,
                             const char *place)
{
    return strchr(place, '\n') ? view_file_parse(file, place, strlen(place), "text")
                               : view_file_find(file, place, &world->data, VIEW_PART);
}

static enum status place_load(struct deepfield_picture *picture, const char *place)
{
    struct view_file file;
    TRY(view_read(&file, picture->world, place));
    enum status status =
        config_apply(&picture->config, &file.ini, file.path ? file.path : "text", STATUS_BAD_DATA);
    view_file_destroy(&file);
    return status;
}

deepfield_status deepfield_picture_open(deepfield_picture **picture, deepfield_world *world,
                                        const char *place)
{
    NEED(picture);
    *picture = NULL;
    NEED(world);
    TRY_GIVE(picture_of_config(picture, world, NULL));
    enum status status = place_load(*picture, place ? place : "whole-set");
    if (status == STATUS_OK)
        return DEEPFIELD_OK;
    deepfield_picture_destroy(*picture);
    *picture = NULL;
    return status_give(status);
}

void deepfield_picture_destroy(deepfield_picture *picture)
{
    if (!picture)
        return;
    film_release(picture->film);
    config_destroy(&picture->config);
    free(picture);
}

/* ---- keys ---- */

enum status option_named(enum option_key *option, const char *key, const char *origin)
{
    char section[32];
    const char *dot = strchr(key, '.');
    snprintf(section, sizeof section, "%.*s", dot ? (int)(dot - key < 31 ? dot - key : 31) : 0,
             key);
    *option = option_of_key(section, dot ? dot + 1 : key);
    return *option == OPTIONS ? config_unknown(section, dot ? dot + 1 : key, origin, STATUS_USAGE)
                              : STATUS_OK;
}

/* Does the option decide about colours or files, and nothing that is computed? */
static bool colours_alone(enum option_key option)
{
    const char *section = option_rows[option].section;
    return !strcmp(section, "look") || !strcmp(section, "output");
}

deepfield_status deepfield_picture_set(deepfield_picture *picture, const char *key,
                                       const char *value)
{
    enum option_key option;
    NEED(picture);
    NEED(key);
    NEED(value);
    TRY_GIVE(option_named(&option, key, "picture"));
    TRY_GIVE(config_set(&picture->config, option, value, PICTURE_ORIGIN, STATUS_CONFIG));
    if (!colours_alone(option)) { /* another picture than the frame of the film */
        film_release(picture->film);
        picture->film = NULL;
    }
    return DEEPFIELD_OK;
}

deepfield_status deepfield_picture_get(const deepfield_picture *picture, const char *key,
                                       const char **value)
{
    enum option_key option;
    NEED(picture);
    NEED(key);
    NEED(value);
    *value = NULL;
    TRY_GIVE(option_named(&option, key, "picture"));
    *value = config_text(&picture->config, option);
    return DEEPFIELD_OK;
}

enum status picture_config(const struct deepfield_picture *picture, struct config *config)
{
    TRY(config_copy(config, &picture->config));
    return config_complete(config);
}

/* ---- texts and points ---- */

deepfield_status deepfield_picture_text(const deepfield_picture *picture, const char *format,
                                        char **text)
{
    struct config config = {0};
    const struct place_format *row;
    NEED(text);
    *text = NULL;
    NEED(picture);
    NEED(format);
    char file[64];
    snprintf(file, sizeof file, "place%.32s", format);
    enum status status = place_format_named(&row, file);
    if (status == STATUS_USAGE)
        status = status_fail(
            status, "%.32s: no format of places that is written, as .ini and .kfr are", format);
    if (status == STATUS_OK)
        status = picture_config(picture, &config);
    if (status == STATUS_OK)
        status = place_to_text(text, row, &config);
    config_destroy(&config);
    return status_give(status);
}

/* The view as it is now; view_destroy also after a failure. */
static enum status view_of(const struct deepfield_picture *picture, struct view *view)
{
    struct config config = {0};
    struct picture described = {.view = {.re = NULL}};
    enum status status = picture_config(picture, &config);
    if (status == STATUS_OK)
        status = settings_picture(&config, &described);
    *view = described.view;
    config_destroy(&config);
    return status;
}

deepfield_status deepfield_picture_point(const deepfield_picture *picture, double x, double y,
                                         char **re, char **im)
{
    struct view view;
    NEED(re);
    NEED(im);
    *re = *im = NULL;
    NEED(picture);
    if (!isfinite(x) || !isfinite(y))
        return status_give(status_fail(STATUS_USAGE, "position %g, %g: not finite", x, y));
    enum status status = view_of(picture, &view);
    if (status == STATUS_OK)
        status = view_point_text(&view, x, y, re, im);
    view_destroy(&view);
    return status_give(status);
}

/* A placement says 1e300 of all that doubles cannot say. */
static double far_infinite(double px)
{
    return fabs(px) < 1e300 ? px : copysign(INFINITY, px);
}

/* A view of the same size and zoom whose middle is the point, and where it lies in the other. */
static enum status point_find(const struct view *view, const char *re, const char *im, double *x,
                              double *y)
{
    struct view at = {.shape = view->shape};
    struct placement placement = {0};
    enum status status =
        view_set(&at, re, im, view->zoom, view->rotation_deg, view->width, view->height);
    if (status == STATUS_OK)
        status = view_placement(&at, view, &placement);
    *x = view->width * 0.5 + far_infinite(placement.dx_px);
    *y = view->height * 0.5 + far_infinite(placement.dy_px);
    view_destroy(&at);
    return status;
}

deepfield_status deepfield_picture_pixel(const deepfield_picture *picture, const char *re,
                                         const char *im, double *x, double *y)
{
    struct view view;
    NEED(picture);
    NEED(re);
    NEED(im);
    NEED(x);
    NEED(y);
    enum status status = view_of(picture, &view);
    if (status == STATUS_OK)
        status = point_find(&view, re, im, x, y);
    view_destroy(&view);
    return status_give(status);
}
