#include "app/viewer/core/viewer_film.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "app/viewer/core/viewer_files.h"
#include "app/viewer/core/viewer_make.h"
#include "app/viewer/core/viewer_tour.h"
#include "decomposition/thread/clock.h"

#define KEY_S 8.0    /* from one keyframe to the next, at first */
#define SECONDS 20.0 /* a film without keyframes, at first */
#define STEP_MOST_S 0.25

const char *const film_size_names[FILM_SIZES] = {"720p", "1080p", "1440p", "4k"};
const char *const film_rate_names[FILM_RATES] = {"24", "30", "60"};
const char *const film_suffixes[FILM_KINDS] = {".mp4", ".webm", ".mkv", ".y4m"};

enum status viewer_film_open(struct viewer *viewer)
{
    struct viewer_film *film = viewer->film = calloc(1, sizeof *film);
    if (!film)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for films");
    film->seconds = SECONDS;
    film->size = film->rate = 1;
    return STATUS_OK;
}

void viewer_film_close(struct viewer *viewer)
{
    struct viewer_film *film = viewer->film;
    if (!film)
        return;
    for (int i = 0; i < film->keys; i++)
        view_destroy(&film->key[i].view);
    film_path_destroy(&film->preview);
    free(film);
}

/* ---- the list of keyframes ---- */

static enum status key_set(const struct viewer *viewer, struct film_key *key)
{
    key->limit = viewer->place.limit ? viewer->place.limit : viewer->state.limit;
    return view_copy(&key->view, &viewer->place.view);
}

enum status viewer_film_add(struct viewer *viewer)
{
    struct viewer_film *film = viewer->film;
    if (film->keys == FILM_KEYS_MOST)
        return status_fail(STATUS_TOO_LARGE, "a film has at most %d keyframes here",
                           FILM_KEYS_MOST);
    struct film_key *key = &film->key[film->keys];
    *key = (struct film_key){.seconds = KEY_S};
    TRY(key_set(viewer, key));
    film->selected = film->keys++;
    return STATUS_OK;
}

enum status viewer_film_replace(struct viewer *viewer)
{
    struct viewer_film *film = viewer->film;
    return film->keys ? key_set(viewer, &film->key[film->selected]) : STATUS_OK;
}

void viewer_film_remove(struct viewer *viewer)
{
    struct viewer_film *film = viewer->film;
    if (!film->keys)
        return;
    struct film_key *key = &film->key[film->selected];
    view_destroy(&key->view);
    film->keys--;
    memmove(key, key + 1, (size_t)(film->keys - film->selected) * sizeof *key);
    if (film->selected == film->keys && film->keys)
        film->selected--;
}

void viewer_film_move(struct viewer *viewer, int step)
{
    struct viewer_film *film = viewer->film;
    int other = film->selected + step;
    if (other < 0 || other >= film->keys)
        return;
    struct film_key *key = &film->key[film->selected], *beside = &film->key[other], moved = *key;
    double seconds = beside->seconds;
    *key = *beside;
    key->seconds = moved.seconds;
    *beside = moved;
    beside->seconds = seconds;
    film->selected = other;
}

/* Shows a view with the size of the window; a step to undo. */
static enum status view_show(struct viewer *viewer, const struct view *view)
{
    int32_t width = viewer->place.view.width, height = viewer->place.view.height;
    TRY(view_copy(&viewer->place.view, view));
    viewer->place.view.width = width;
    viewer->place.view.height = height;
    viewer_view_changed(viewer, clock_s());
    return STATUS_OK;
}

enum status viewer_film_visit(struct viewer *viewer)
{
    struct viewer_film *film = viewer->film;
    if (!film->keys)
        return STATUS_OK;
    viewer_history_keep(viewer);
    gesture_cancel(viewer->gesture);
    return view_show(viewer, &film->key[film->selected].view);
}

/* ---- the path ---- */

static enum status path_add(struct film_path *path, const struct view *view, const char *zoom,
                            double time_s)
{
    const struct film_keyframe keyframe = {.time_s = time_s,
                                           .re = view->re,
                                           .im = view->im,
                                           .zoom = zoom,
                                           .rotation_deg = view->rotation_deg,
                                           .relief = NAN,
                                           .ease_s = FILM_EASE_S,
                                           .stretch = view->shape};
    return film_path_add(path, &keyframe);
}

/* Path of the film: along the keyframes, or from the whole set to what is seen. */
static enum status path_make(const struct viewer *viewer, struct film_path *path)
{
    const struct viewer_film *film = viewer->film;
    const struct view *view = &viewer->place.view;
    double time_s = 0;
    path->shape = view->shape;
    if (film->keys < 2) {
        TRY(path_add(path, view, "1", 0));
        return path_add(path, view, view->zoom, film->seconds);
    }
    for (int i = 0; i < film->keys; i++) {
        time_s += i ? film->key[i].seconds : 0;
        TRY(path_add(path, &film->key[i].view, film->key[i].view.zoom, time_s));
        bool end = !i || i == film->keys - 1;
        path->keyframe[i].ease_s = end ? FILM_EASE_S : 0;
    }
    return STATUS_OK;
}

/* ---- the preview ---- */

enum status viewer_film_preview(struct viewer *viewer)
{
    struct viewer_film *film = viewer->film;
    film_path_destroy(&film->preview);
    film->preview = (struct film_path){.count = 0};
    TRY(path_make(viewer, &film->preview));
    viewer_history_keep(viewer);
    viewer_tour_end(viewer);
    gesture_cancel(viewer->gesture);
    viewer->autopilots = false;
    film->previews = true;
    film->preview_s = 0;
    film->stepped_s = clock_s();
    return STATUS_OK;
}

enum status viewer_film_step(struct viewer *viewer, double now_s)
{
    struct viewer_film *film = viewer->film;
    struct view view = {.re = NULL};
    if (!film->previews)
        return STATUS_OK;
    film->preview_s += fmin(fmax(now_s - film->stepped_s, 0), STEP_MOST_S) * viewer->hurry;
    film->stepped_s = now_s;
    double end_s = film_path_seconds(&film->preview);
    if (viewer->options->reduced_motion)
        film->preview_s = end_s;
    film->previews = film->preview_s < end_s;
    enum status status = film_path_view(&film->preview, fmin(film->preview_s, end_s),
                                        viewer->place.view.width, viewer->place.view.height, &view);
    if (status == STATUS_OK)
        status = view_show(viewer, &view);
    view_destroy(&view);
    viewer->wake_s = fmin(viewer->wake_s, now_s + VIEWER_GLIDE_S);
    return status;
}

/* ---- making it ---- */

enum { PART_BYTES = 900 }; /* a longer line than INI_LINE_MAX is refused */

static void number_write(FILE *stream, const char *key, const char *text)
{
    size_t length = strlen(text);
    if (length <= PART_BYTES)
        fprintf(stream, "%s = %s\n", key, text);
    for (size_t at = 0, part = 0; length > PART_BYTES && at < length; at += PART_BYTES, part++)
        fprintf(stream, "%s.%zu = %.*s\n", key, part, PART_BYTES, text + at);
}

/* The ini text of the keyframes, which deepfield film --path reads. */
static enum status path_text(const struct viewer_film *film, char **text)
{
    size_t bytes;
    double time_s = 0;
    FILE *stream = open_memstream(text, &bytes);
    if (!stream)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for keyframes");
    for (int i = 0; i < film->keys; i++) {
        const struct view *view = &film->key[i].view;
        char stretch[VIEW_STRETCH_BYTES];
        time_s += i ? film->key[i].seconds : 0;
        fprintf(stream, "[%d]\ntime = %.9g\n", i + 1, time_s);
        number_write(stream, "re", view->re);
        number_write(stream, "im", view->im);
        number_write(stream, "zoom", view->zoom);
        fprintf(stream, "rotation = %.17g\n", view->rotation_deg);
        view_stretch_text(&view->shape, stretch);
        if (*stretch)
            fprintf(stream, "stretch = %s\n", stretch);
    }
    return fclose(stream) == 0 ? STATUS_OK
                               : status_fail(STATUS_OUT_OF_MEMORY, "no memory for keyframes");
}

/* Paths of the film, in the current folder, and of the files it is made from. They keep the name of
 * the film, so that deepfield resume finds them. */
static enum status paths_make(struct make_order *order, const char *kind)
{
    char folder[USER_DATA_PATH_BYTES], films[USER_DATA_PATH_BYTES], name[96], stamp[32] = "";
    time_t now = time(NULL);
    struct tm parts;
    if (localtime_r(&now, &parts))
        strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &parts);
    snprintf(name, sizeof name, "deepfield-%s%s", stamp, kind);
    path_whole(order->path, sizeof order->path, name);
    TRY(user_data_folder(folder));
    TRY(user_data_path(films, folder, "films"));
    TRY(user_data_make(films));
    snprintf(name, sizeof name, "%s.ini", stamp);
    TRY(user_data_path(order->file[0].path, films, name));
    snprintf(name, sizeof name, "%s-path.ini", stamp);
    return user_data_path(order->file[1].path, films, name);
}

static int64_t limit_most(const struct viewer_film *film)
{
    int64_t most = 1;
    for (int i = 0; i < film->keys; i++)
        most = film->key[i].limit > most ? film->key[i].limit : most;
    return most;
}

static enum status order_fill(struct viewer *viewer, struct make_order *order)
{
    const struct viewer_film *film = viewer->film;
    TRY(paths_make(order, film_suffixes[film->kind]));
    TRY(viewer_place_text(viewer, &order->file[0].text));
    if (film->keys >= 2)
        TRY(path_text(film, &order->file[1].text));
    order->said = STRING_FILM_SAVED;
    make_word(order, "film");
    make_word(order, "%s", order->file[0].path);
    make_word(order, "--ranks");
    make_word(order, "1");
    make_word(order, "--quiet");
    make_word(order, "--size");
    make_word(order, "%s", film_size_names[film->size]);
    make_word(order, "--fps");
    make_word(order, "%s", film_rate_names[film->rate]);
    if (film->keys >= 2) { /* as many as the deepest of the keyframes needs */
        make_word(order, "--limit");
        make_word(order, "%lld", (long long)limit_most(film));
    }
    make_word(order, film->keys >= 2 ? "--path" : "--seconds");
    if (film->keys >= 2)
        make_word(order, "%s", order->file[1].path);
    else
        make_word(order, "%.9g", film->seconds);
    make_word(order, "-o");
    make_word(order, "%s", order->path);
    return STATUS_OK;
}

enum status viewer_film_make(struct viewer *viewer)
{
    struct make_order *order = calloc(1, sizeof *order);
    enum status status = order ? order_fill(viewer, order)
                               : status_fail(STATUS_OUT_OF_MEMORY, "no memory for a film");
    if (status == STATUS_OK) {
        viewer_make(viewer, order);
        return STATUS_OK;
    }
    make_order_destroy(order);
    return status;
}
