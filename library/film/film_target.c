#include "library/film/film_target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "library/film/film_identity.h"
#include "library/film/film_tour.h"
#include "library/settings/part.h"
#include "library/settings/place_text.h"
#include "library/settings/settings_description.h"
#include "library/settings/settings_look.h"
#include "render/disk/run_status.h"
#include "render/picture/picture_plan.h"

enum { SAMPLES = 4 }; /* default, a pixel */

/* ---- the file -------------------------------------------------------------------------------- */

static enum status bits_take(const struct config *config, struct film *film)
{
    static const int choices[] = {0, 8, 16, 32, 10};
    int bits = choices[config_integer(config, OPTION_OUTPUT_BITS)];
    const struct film_kind *kind = film->video.kind;
    if (kind->frames) {
        film->bits = settings_bits(config, film->out);
        return STATUS_OK;
    }
    if (bits != 0 && bits != 8 && bits != 10)
        return status_fail(STATUS_CONFIG, "--bits %d: a video has 8 or 10 bits a sample", bits);
    film->video.yuv.bits = bits ? bits : 8;
    return STATUS_OK;
}

static enum status file_take(const struct config *config, const struct film_target_request *request,
                             struct film *film)
{
    TRY(settings_part(config, &film->part, &film->parts));
    film->overwrite = request->overwrite;
    film->command = request->command;
    film->command_bytes = request->command_bytes;
    if (film->overwrite == OVERWRITE_YES && film->parts > 1)
        return status_fail(STATUS_USAGE,
                           "--force with --part would take away what other parts "
                           "have done; remove %.200s.deepfield instead",
                           film->out);
    TRY(film_kind_for_path(&film->video.kind, film->out));
    return bits_take(config, film);
}

/* Sets what all scenes have in common. */
static enum status common_take(const struct config *config,
                               const struct film_target_request *request, struct film *film)
{
    film->video.yuv.width = film->width;
    film->video.yuv.height = film->height;
    film->video.stop = request->stop;
    film->video.rate = film->rate;
    film->video.yuv.chroma = (enum film_chroma)config_integer(config, OPTION_FILM_CHROMA);
    film->video.effort = (enum film_effort)config_integer(config, OPTION_FILM_EFFORT);
    film->limits_flashes = config_boolean(config, OPTION_FILM_FLASH_SAFE);
    film->picture.spec.planes |= PLANE_MASK_FRACTION;
    film->picture.samples =
        config_was_set(config, OPTION_LOOK_SAMPLES) ? settings_samples(config) : SAMPLES;
    return file_take(config, request, film);
}

static enum status scenes_copy(struct film_target *target,
                               const struct film_target_request *request)
{
    const struct film_scenes *scenes = target->scenes;
    target->path = strdup(request->path);
    target->scene = calloc(scenes->count, sizeof *target->scene);
    target->palette = calloc(scenes->count, sizeof *target->palette);
    if (!target->path || !target->scene || !target->palette)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the scenes of a film");
    for (size_t i = 0; i < scenes->count; i++) {
        struct film *film = &target->scene[i];
        *film = scenes->scene[i];
        film->next = i + 1 < scenes->count ? film + 1 : NULL;
        film->out = target->path;
        TRY(common_take(target->config, request, film));
    }
    return STATUS_OK;
}

/* ---- colours and method ---------------------------------------------------------------------- */

static enum status palette_take(struct film_target *target, size_t i)
{
    const struct tour *tour = &target->scenes->tour;
    char folder[4096], assets[4200];
    struct film *film = &target->scene[i];
    if (tour->stops) {
        film->palette_name = tour->stop[i].place.palette;
        TRY(data_folder(&target->config->data, folder, sizeof folder));
        snprintf(assets, sizeof assets, "%s/assets", folder);
        TRY(palette_load(&target->palette[i], assets, film->palette_name));
    } else {
        film->palette_name = config_text(target->config, OPTION_LOOK_PALETTE);
        TRY(settings_palette(target->config, &target->palette[i]));
    }
    film->palette = target->palette[i];
    return STATUS_OK;
}

/* Files contain the command as those of `deepfield render` do. */
static enum status frame_text(const struct film_frame_view *at, char **text)
{
    const struct picture *picture = &at->film->picture;
    struct place place = {.view = at->view, /* borrowed */
                          .limit = picture->spec.limit,
                          .bailout = picture->spec.bailout,
                          .orbit = picture->spec.orbit,
                          .accuracy_px = picture->accuracy_px,
                          .formula = picture->spec.formula,
                          .look = at->look,
                          .distribution = at->distribution,
                          .samples = picture->samples > 0 ? picture->samples : 0};
    snprintf(place.palette, sizeof place.palette, "%s", at->film->palette_name);
    return place_text_write(&place, text);
}

/* Plans a frame of the film at a time. */
static enum status frame_plan(const struct film *film, double time_s,
                              const struct renderer_facts *facts, struct plan *plan)
{
    struct picture picture = film->picture;
    picture.view = (struct view){.re = NULL};
    TRY(film_path_view(&film->path, time_s, film->width, film->height, &picture.view));
    enum status status = picture_plan(&picture, facts, film->video.stop, NULL, plan);
    view_destroy(&picture.view);
    return status;
}

/* Automatic settings are those of a picture of the deepest frame, for all frames. */
static enum status look_settle(struct film_target *target, const struct renderer_facts *facts,
                               struct film *film)
{
    struct look_options *options = &film->look_options;
    const struct formula *formula = &film->picture.spec.formula;
    struct plan plan;
    struct film_depth depth = film_path_depth(&film->path);
    double time = film->path.keyframe[depth.deepest].time_s;
    film->picture.spec.planes |= look_planes(options) & ~(unsigned)PLANE_MASK_DISTANCE;
    TRY(frame_plan(film, time, facts, &plan));
    bool deep = plan.method == METHOD_PERTURBATION, shaded = settings_shaded(&plan);
    if (options->relief_auto && !shaded)
        options->relief = 0;
    if (options->lines_auto && !shaded)
        options->lines = 0;
    options->relief_auto = options->lines_auto = false;
    settings_shading_drop(options, formula);
    bool relief = options->relief > 0;
    for (size_t i = 0; i < film->path.count; i++)
        relief = relief || (film->path.keyframe[i].relief > 0 && formula_has_distances(formula));
    if (relief || options->lines > 0)
        film->picture.spec.planes |= PLANE_MASK_DISTANCE;
    const char *why = settings_interior_missing(options->interior_kind, deep, formula);
    if (!why)
        film->picture.spec.planes |= interior_planes(options->interior_kind);
    target->interior_missing = target->interior_missing ? target->interior_missing : why;
    target->relief |= relief;
    return STATUS_OK;
}

static enum status method_settle(const struct config *config, const struct renderer_facts *facts,
                                 struct film *film)
{
    film->method = (enum film_method)config_integer(config, OPTION_FILM_METHOD);
    if (film->method == FILM_AUTO)
        film->method = film_method_choose(film, facts->gpus > 0);
    const char *refusal = film_keyframes_refusal(film);
    if (film->method == FILM_KEYFRAMES && refusal)
        return status_fail(STATUS_CONFIG, "--method keyframes cannot be: %s; use --method frames",
                           refusal);
    if (config_integer(config, OPTION_FILM_METHOD) == FILM_KEYFRAMES &&
        config_was_set(config, OPTION_LOOK_SAMPLES))
        return status_fail(STATUS_CONFIG, "--method keyframes resamples finer pictures; --samples "
                                          "is of --method frames");
    return STATUS_OK;
}

static enum status scenes_settle(struct film_target *target, const struct renderer_facts *facts)
{
    for (size_t i = 0; i < target->scenes->count; i++) {
        struct film *film = &target->scene[i];
        TRY(palette_take(target, i));
        film->view_text = frame_text;
        TRY(look_settle(target, facts, film));
        TRY(method_settle(target->config, facts, film));
    }
    return STATUS_OK;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static enum status identity_make(struct film_target *target)
{
    target->identity = film_identity(target->config, target->scene, &target->scenes->tour);
    if (!target->identity)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the identity of the film");
    for (size_t i = 0; i < target->scenes->count; i++)
        target->scene[i].identity = target->identity;
    return STATUS_OK;
}

/* Subtitles belong to the video of a tour. film_check admits a video that has its name already if
 * it is to be replaced, or if a run was killed, perhaps when there were subtitles already. */
static enum status subtitles_prepare(struct film_target *target)
{
    const struct film *film = target->scene;
    if (!target->scenes->tour.stops || film->video.kind->frames)
        return STATUS_OK;
    target->subtitles = film_subtitles_path(film->out);
    if (!target->subtitles)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the name of a file");
    return access(film->out, F_OK) == 0 ? STATUS_OK
                                        : atomic_file_check(target->subtitles, film->overwrite);
}

enum status film_target_create(struct film_target *target, const struct film_scenes *scenes,
                               const struct config *config, const struct renderer_facts *facts,
                               const struct film_target_request *request)
{
    *target = (struct film_target){.scenes = scenes, .config = config};
    TRY(scenes_copy(target, request));
    const struct film *film = target->scene;
    if (film->frames > FILM_FRAMES_MOST)
        return status_fail(STATUS_TOO_LARGE, "%lld frames; the most is %d", (long long)film->frames,
                           FILM_FRAMES_MOST);
    TRY(scenes_settle(target, facts));
    if (film->limits_flashes && (film->video.kind->frames || film->parts > 1))
        return status_fail(STATUS_CONFIG, "--flash-safe is of videos that one run makes: the light "
                                          "of a frame follows from those before it");
    TRY(identity_make(target));
    TRY(film_check(film));
    return subtitles_prepare(target);
}

void film_target_destroy(struct film_target *target)
{
    for (size_t i = 0; target->palette && i < target->scenes->count; i++)
        palette_destroy(target->palette[i]);
    free(target->palette);
    free(target->scene);
    free(target->path);
    free(target->identity);
    free(target->subtitles);
    *target = (struct film_target){.scenes = NULL};
}

/* ---- making it ------------------------------------------------------------------------------- */

/* Adds to the error what is kept of the film. */
static enum status kept_tell(const struct film *film, enum status status)
{
    char why[STATUS_TEXT_BYTES], folder[FILM_PATH_BYTES];
    bool frames = film->video.kind->frames;
    snprintf(why, sizeof why, "%s", status_text());
    TRY(run_film_folder(folder, film->out, frames));
    if (!frames && access(folder, F_OK) != 0)
        return status_fail(status, "%.600s; nothing is kept: %.200s was removed by somebody", why,
                           folder);
    return status_fail(status, "%.600s; what is done is in %.200s, and the same command goes on",
                       why, frames ? film->out : folder);
}

/* A rank or a device that failed on the way is an error, though the film is complete and saved. */
static enum status losses_check(const struct film_report *report, enum status status)
{
    char why[STATUS_TEXT_BYTES];
    snprintf(why, sizeof why, "%s", status == STATUS_OK ? report->lost : status_text());
    if (status != STATUS_OK || *report->lost)
        return status_fail(status == STATUS_OK ? STATUS_DEVICE_LOST : status,
                           "the %s complete and saved, but %.900s",
                           report->joined ? "film is" : "frames of this part are", why);
    return STATUS_OK;
}

static enum status subtitles_write(void *context)
{
    const struct film_target *target = context;
    const char *language = language_codes[settings_language(target->config, LANGUAGE_EN)];
    return film_tour_subtitles(&target->scenes->tour, target->scene, language, target->subtitles);
}

enum status film_target_make(const struct film_target *target, struct renderer *renderer,
                             const struct film_hooks *hooks, struct film_report *report)
{
    struct film_hooks all = *hooks;
    struct film_target placed = *target;
    all.placed = target->subtitles ? subtitles_write : NULL;
    all.placed_context = &placed;
    enum status status = film_make(renderer, target->scene, &all, report);
    if (report->whole)
        return losses_check(report, status);
    return report->kept ? kept_tell(target->scene, status) : status;
}
