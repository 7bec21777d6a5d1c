#include "library/film/film_tour.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "library/settings/tour_play.h"
#include "render/disk/atomic_file.h"

/* ---- scenes ---- */

/* The flight that is being played, in the colours of its stop. */
static enum status path_take(const struct tour_play *play, struct film_path *path)
{
    const struct tour_stop *stop = tour_at(play);
    const struct view *view = &stop->place.view;
    struct film_keyframe there = {.re = view->re,
                                  .im = view->im,
                                  .zoom = view->zoom,
                                  .rotation_deg = view->rotation_deg,
                                  .offset = stop->place.look.offset,
                                  .relief = NAN};
    path->shape = view->shape;
    for (size_t i = 0; i < play->path.count; i++) {
        struct film_keyframe keyframe = play->path.keyframe[i];
        keyframe.offset = there.offset;
        TRY(film_path_add(path, &keyframe));
    }
    return path->count ? STATUS_OK : film_path_add(path, &there);
}

static enum status scene_make(const struct tour_play *play, const struct film *common,
                              int64_t first, struct film *scene)
{
    const struct tour_stop *stop = tour_at(play);
    *scene = *common;
    scene->path = (struct film_path){.count = 0};
    scene->first = first;
    scene->next = NULL;
    scene->dwell_s = stop->dwell_s;
    scene->picture.spec.formula = stop->place.formula;
    scene->picture.spec.limit = stop->place.limit;
    scene->picture.spec.bailout = stop->place.bailout;
    scene->look_options = stop->place.look;
    return path_take(play, &scene->path);
}

static int64_t frames_of(const struct film *scene)
{
    double seconds = film_path_seconds(&scene->path) + scene->dwell_s;
    double frames = nearbyint(seconds * film_rate_per_s(scene->rate));
    return frames > 1 ? (int64_t)frames : 1;
}

static enum status scenes_make(const struct tour *tour, struct tour_play *play, struct film *scene)
{
    const struct film common = scene[0];
    int64_t frames = 0;
    for (size_t i = 0; i < tour->stops; i++) {
        TRY(scene_make(play, &common, frames, &scene[i]));
        if (i > 0)
            scene[i - 1].next = &scene[i];
        frames += frames_of(&scene[i]);
        TRY(tour_go(play, 1, &tour->stop[i].place));
    }
    for (size_t i = 0; i < tour->stops; i++)
        scene[i].frames = frames;
    return STATUS_OK;
}

enum status film_tour_scenes(const struct tour *tour, struct film *scene)
{
    struct tour_play play = {.tour = NULL};
    struct place whole = {.title = ""};
    enum status status = place_create(&whole, scene[0].width, scene[0].height);
    if (status == STATUS_OK)
        status = tour_begin(&play, tour, &whole);
    if (status == STATUS_OK)
        status = scenes_make(tour, &play, scene);
    tour_end(&play);
    place_destroy(&whole);
    return status;
}

static bool stop_write(const struct tour_stop *stop, FILE *stream)
{
    char *text = NULL;
    if (place_text_write(&stop->place, &text) != STATUS_OK)
        return false;
    fprintf(stream, "flight = %.17g, dwell = %.17g\n%s", stop->flight_s, stop->dwell_s, text);
    free(text);
    return true;
}

bool film_tour_write(const struct tour *tour, FILE *stream)
{
    bool good = true;
    for (size_t i = 0; good && i < tour->stops; i++)
        good = stop_write(&tour->stop[i], stream);
    return good;
}

/* ---- subtitles ---- */

char *film_subtitles_path(const char *video)
{
    const char *dot = strrchr(video, '.'), *slash = strrchr(video, '/');
    size_t stem = dot && (!slash || dot > slash) ? (size_t)(dot - video) : strlen(video);
    char *path = NULL;
    return asprintf(&path, "%.*s.srt", (int)stem, video) < 0 ? NULL : path;
}

/* 00:01:02,345 */
static void time_write(FILE *stream, int64_t frame, struct film_rate rate)
{
    long long ms = llround(1e3 * film_rate_seconds(rate, frame));
    fprintf(stream, "%02lld:%02lld:%02lld,%03lld", ms / 3600000, ms / 60000 % 60, ms / 1000 % 60,
            ms % 1000);
}

/* A line that is empty would end the subtitle. */
static void text_write(FILE *stream, const char *text)
{
    for (; *text; text++)
        fputc((unsigned char)*text < ' ' ? ' ' : *text, stream);
}

static void cues_write(FILE *stream, const struct tour *tour, const struct film *scene,
                       const char *language)
{
    int number = 0;
    for (size_t i = 0; i < tour->stops; i++) {
        const char *text = tour_text(tour->stop[i].text, language);
        if (!*text)
            continue;
        fprintf(stream, "%d\n", ++number);
        time_write(stream, scene[i].first, scene[i].rate);
        fputs(" --> ", stream);
        time_write(stream, film_scene_end(&scene[i]), scene[i].rate);
        fputc('\n', stream);
        text_write(stream, text);
        fputs("\n\n", stream);
    }
}

enum status film_tour_subtitles(const struct tour *tour, const struct film *scene,
                                const char *language, const char *path)
{
    struct atomic_file file;
    TRY(atomic_file_open(&file, path, OVERWRITE_YES, NULL));
    cues_write(file.stream, tour, scene, language);
    return atomic_file_commit(&file);
}
