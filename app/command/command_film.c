/* deepfield film: the frames of a path become a video, or numbered pictures. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/command/command.h"
#include "library/film/path_file.h"
#include "app/command/resume.h"
#include "app/launch/rank.h"
#include "app/process/environment.h"
#include "app/process/stop.h"
#include "app/report/estimate_report.h"
#include "app/report/film_report.h"
#include "app/report/idle_report.h"
#include "app/report/progress.h"
#include "app/settings/idle_flags.h"
#include "library/settings/part.h"
#include "app/settings/renderer_probed.h"
#include "library/film/film_tour.h"
#include "library/config/config_view.h"
#include "library/place/data.h"
#include "library/settings/place_text.h"
#include "library/settings/settings_description.h"
#include "library/settings/settings_look.h"
#include "render/film/film.h"
#include "render/film/film_explore.h"
#include "render/film/film_limit.h"
#include "render/picture/picture_plan.h"

#define AUTOPILOT_TO "1e12" /* where the autopilot turns back, unless --to says otherwise */

enum { SAMPLES = 4 }; /* default, a pixel */

/* ---- the job --------------------------------------------------------------------------------- */

struct film_job { /* rank 0; all owned */
    struct film *scene;
    struct palette **palette; /* one for each scene */
    size_t scenes;
    struct tour tour; /* without stops for films of keyframes */
    char *out, *identity, *command, *subtitles;
    bool over; /* the other ranks have left film_make */
};

/* Lets the autopilot choose the path, from the location on, or from its centre at --from. */
static enum status path_explore(const struct invocation *invocation, struct renderer *renderer,
                                const struct film_keyframe *place, struct film_job *job)
{
    const struct config *config = &invocation->config;
    const char *to = config_text(config, OPTION_FILM_TO);
    bool from = config_was_set(config, OPTION_FILM_FROM);
    const char *path = config_text(config, OPTION_FILM_PATH);
    struct view begin = {.re = NULL};
    struct film_hooks hooks = {.stop = &stop_requested};
    if (path && *path)
        return status_fail(STATUS_CONFIG, "--path and --autopilot: a film has one path");
    TRY(view_set(&begin, place->re, place->im,
                 from ? place->zoom : config_text(config, OPTION_VIEW_ZOOM), place->rotation_deg,
                 job->scene->width, job->scene->height));
    struct film_exploration exploration = {
        .seed = (uint64_t)config_integer(config, OPTION_FILM_AUTOPILOT),
        .seconds = config_real(config, OPTION_FILM_SECONDS),
        .begin = &begin,
        .zoom_most = to ? to : AUTOPILOT_TO,
        .limit_follows = !arguments_has(&invocation->arguments, OPTION_VIEW_LIMIT),
        .shade = *place};
    enum status status = film_explore(renderer, job->scene, &exploration, &hooks, &job->over);
    view_destroy(&begin);
    return status;
}

/* Makes the path from --from, --to and --seconds, from a file, or by the autopilot. */
static enum status path_make(const struct invocation *invocation, struct renderer *renderer,
                             struct film_job *job)
{
    const struct config *config = &invocation->config;
    struct film_path *path = &job->scene->path;
    const char *file = config_text(config, OPTION_FILM_PATH);
    const char *to = config_text(config, OPTION_FILM_TO);
    struct film_keyframe place = {.re = config_text(config, OPTION_VIEW_RE),
                                  .im = config_text(config, OPTION_VIEW_IM),
                                  .zoom = config_text(config, OPTION_FILM_FROM),
                                  .rotation_deg = config_real(config, OPTION_VIEW_ROTATION),
                                  .offset = config_real(config, OPTION_LOOK_OFFSET),
                                  .relief = NAN,
                                  .ease_s = FILM_EASE_S};
    TRY(config_view_shape(config, &path->shape));
    if (config_was_set(config, OPTION_FILM_AUTOPILOT))
        return path_explore(invocation, renderer, &place, job);
    if (file && *file) {
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

/* The tour says what each stop looks like. */
static enum status tour_alone(const struct arguments *arguments)
{
    static const enum option_key others[] = {OPTION_FILM_FROM, OPTION_FILM_TO, OPTION_FILM_SECONDS,
                                             OPTION_FILM_PATH, OPTION_FILM_AUTOPILOT};
    if (arguments->operand)
        return status_fail(STATUS_USAGE, "--tour has the places of its stops; leave VIEW out");
    for (size_t i = 0; i < arguments->count; i++) {
        enum option_key option = arguments->given[i].option;
        const char *section = option_rows[option].section;
        bool of_stops = section && (!strcmp(section, "view") || !strcmp(section, "look")) &&
                        option != OPTION_VIEW_SIZE && option != OPTION_LOOK_SAMPLES;
        for (size_t j = 0; j < sizeof others / sizeof *others; j++)
            of_stops = of_stops || option == others[j];
        if (of_stops)
            return status_fail(STATUS_USAGE,
                               "the stops of --tour say what --%s would say; leave it out",
                               option_rows[option].flag);
    }
    return STATUS_OK;
}

static enum status tour_scenes(struct renderer *renderer, struct film_job *job)
{
    struct film_hooks hooks = {.stop = &stop_requested};
    struct film *grown = realloc(job->scene, job->tour.stops * sizeof *job->scene);
    if (!grown)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the scenes of a film");
    memset(grown + 1, 0, (job->tour.stops - 1) * sizeof *grown);
    job->scene = grown;
    job->scenes = job->tour.stops;
    TRY(film_tour_scenes(&job->tour, job->scene));
    for (size_t i = 0; i < job->scenes; i++)
        if (!job->scene[i].picture.spec.limit)
            TRY(film_limit(renderer, &job->scene[i], &hooks, &job->over));
    return STATUS_OK;
}

static enum status scenes_make(const struct invocation *invocation, struct renderer *renderer,
                               struct film_job *job)
{
    struct film *film = job->scene;
    if (job->tour.stops)
        return tour_scenes(renderer, job);
    TRY(path_make(invocation, renderer, job));
    double frames = nearbyint(film_path_seconds(&film->path) * film_rate_per_s(film->rate));
    film->frames = frames > 2 ? (int64_t)fmin(frames, 2.0 * FILM_FRAMES_MOST) : 2;
    return settings_look_options(&invocation->config, &film->look_options);
}

/* Sets the film's file and kind from -o, or from `stem` without -o. */
static enum status output_of(const struct arguments *arguments, const char *stem, struct film *film,
                             char **owned)
{
    for (size_t i = 0; i < arguments->count; i++) {
        if (arguments->given[i].option != OPTION_OUTPUT)
            continue;
        if (film->out)
            return status_fail(STATUS_USAGE, "a film has one -o: %.200s and %.200s were given",
                               film->out, arguments->given[i].text);
        film->out = arguments->given[i].text;
    }
    if (!film->out) {
        if (asprintf(owned, "%s.mp4", stem) < 0) {
            *owned = NULL;
            return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the name of the film");
        }
        film->out = *owned;
    }
    film->overwrite = arguments_has(arguments, OPTION_FORCE) ? OVERWRITE_YES : OVERWRITE_NO;
    if (film->overwrite == OVERWRITE_YES && film->parts > 1)
        return status_fail(STATUS_USAGE,
                           "--force with --part would take away what other parts "
                           "have done; remove %.200s.deepfield instead",
                           film->out);
    return film_kind_for_path(&film->video.kind, film->out);
}

static enum status bits_of(const struct config *config, struct film *film)
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

/* Plans a frame of the film at a time. */
static enum status frame_plan(const struct film *film, double time_s,
                              const struct renderer_facts *facts, struct plan *plan)
{
    struct picture picture = film->picture;
    picture.view = (struct view){.re = NULL};
    TRY(film_path_view(&film->path, time_s, film->width, film->height, &picture.view));
    enum status status = picture_plan(&picture, facts, &stop_requested, NULL, plan);
    view_destroy(&picture.view);
    return status;
}

/* Automatic settings are those of a picture of the deepest frame, for all frames. */
static enum status look_settle(const struct renderer_facts *facts,
                               const struct arguments *arguments, struct film *film)
{
    struct look_options *options = &film->look_options;
    struct plan plan;
    struct film_depth depth = film_path_depth(&film->path);
    double time = film->path.keyframe[depth.deepest].time_s;
    film->picture.spec.planes |= look_planes(options) & ~(unsigned)PLANE_MASK_DISTANCE;
    TRY(frame_plan(film, time, facts, &plan));
    bool deep = plan.method == METHOD_PERTURBATION;
    if (options->relief_auto && !deep)
        options->relief = 0;
    if (options->lines_auto && !deep)
        options->lines = 0;
    options->relief_auto = options->lines_auto = false;
    settings_shading_drop(options, &film->picture.spec.formula);
    bool relief = options->relief > 0;
    for (size_t i = 0; i < film->path.count; i++)
        relief = relief || (film->path.keyframe[i].relief > 0 &&
                            formula_has_distances(&film->picture.spec.formula));
    if (relief || options->lines > 0)
        film->picture.spec.planes |= PLANE_MASK_DISTANCE;
    const char *why =
        settings_interior_missing(options->interior_kind, deep, &film->picture.spec.formula);
    if (!why)
        film->picture.spec.planes |= interior_planes(options->interior_kind);
    const struct idle_flag flag = {OPTION_LOOK_INTERIOR, why != NULL, why};
    TRY(arguments_none_idle(arguments, &flag, 1));
    return settings_light_flag(relief, arguments);
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

/* Sets what all scenes have in common. */
static enum status common_take(const struct invocation *invocation, struct film_job *job)
{
    const struct config *config = &invocation->config;
    const struct arguments *arguments = &invocation->arguments;
    struct film *film = job->scene;
    char stem[DATA_NAME_BYTES];
    TRY(settings_picture(config, &film->picture));
    film->width = film->video.yuv.width = film->picture.view.width;
    film->height = film->video.yuv.height = film->picture.view.height;
    view_destroy(&film->picture.view);
    film->video.stop = &stop_requested;
    TRY(film_rate_read(config_text(config, OPTION_FILM_FPS), &film->rate));
    film->video.rate = film->rate;
    film->video.yuv.chroma = (enum film_chroma)config_integer(config, OPTION_FILM_CHROMA);
    film->video.effort = (enum film_effort)config_integer(config, OPTION_FILM_EFFORT);
    film->limits_flashes = config_boolean(config, OPTION_FILM_FLASH_SAFE);
    film->picture.spec.planes |= PLANE_MASK_FRACTION;
    film->picture.samples =
        config_was_set(config, OPTION_LOOK_SAMPLES) ? settings_samples(config) : SAMPLES;
    TRY(settings_part(config, &film->part, &film->parts));
    bool tour = job->tour.stops > 0;
    if (tour)
        tour_stem(arguments_last(arguments, OPTION_TOUR), stem, sizeof stem);
    TRY(output_of(arguments, tour ? stem : invocation->view.stem, film, &job->out));
    return bits_of(config, film);
}

static enum status scene_palette(const struct config *config, const struct tour *tour, size_t i,
                                 struct palette **palette)
{
    char folder[4096], assets[4200];
    if (!tour->stops)
        return settings_palette(config, palette);
    TRY(environment_data_folder(folder, sizeof folder));
    snprintf(assets, sizeof assets, "%s/assets", folder);
    return palette_load(palette, assets, tour->stop[i].place.palette);
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

/* Colours and method of each scene. */
static enum status scenes_settle(const struct invocation *invocation,
                                 const struct renderer_facts *facts, struct film_job *job)
{
    const struct config *config = &invocation->config;
    job->palette = calloc(job->scenes, sizeof *job->palette);
    if (!job->palette)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the palettes of a film");
    for (size_t i = 0; i < job->scenes; i++) {
        TRY(scene_palette(config, &job->tour, i, &job->palette[i]));
        job->scene[i].palette = job->palette[i];
        job->scene[i].palette_name = job->tour.stops ? job->tour.stop[i].place.palette
                                                     : config_text(config, OPTION_LOOK_PALETTE);
        job->scene[i].view_text = frame_text;
        TRY(look_settle(facts, &invocation->arguments, &job->scene[i]));
        TRY(method_settle(config, facts, &job->scene[i]));
    }
    return STATUS_OK;
}

/* Subtitles belong to the video of a tour. film_check admits a video that has its name already if
 * it is to be replaced, or if a run was killed, perhaps when there were subtitles already. */
static enum status subtitles_prepare(struct film_job *job)
{
    const struct film *film = job->scene;
    if (!job->tour.stops || film->video.kind->frames)
        return STATUS_OK;
    job->subtitles = film_subtitles_path(film->out);
    if (!job->subtitles)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the name of a file");
    return access(film->out, F_OK) == 0 ? STATUS_OK
                                        : atomic_file_check(job->subtitles, film->overwrite);
}

static enum status identity_make(const struct invocation *invocation, struct film_job *job)
{
    struct film *film = job->scene;
    size_t bytes = 0;
    job->identity = film_identity(&invocation->config, film, &job->tour);
    job->command = resume_command(invocation, &bytes);
    if (!job->identity || !job->command)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the identity of the film");
    for (size_t i = 0; i < job->scenes; i++) {
        film[i].identity = job->identity;
        film[i].command = job->command;
        film[i].command_bytes = bytes;
    }
    return STATUS_OK;
}

/* A film is the same on any ranks, so it cannot show them. */
static enum status ranks_leave(const struct invocation *invocation, struct tour *tour)
{
    size_t left = tour_leave_ranks(tour);
    if (!tour->stops)
        return status_fail(STATUS_USAGE, "all stops of this tour show ranks at work, which only "
                                         "deepfield view --tour does");
    if (left && !config_boolean(&invocation->config, OPTION_OUTPUT_QUIET))
        fprintf(stderr,
                "deepfield: stops that show ranks at work are left out: %zu of %zu; deepfield view "
                "--tour has them\n",
                left, left + tour->stops);
    return STATUS_OK;
}

static enum status tour_take(const struct invocation *invocation, struct tour *tour)
{
    const char *name = arguments_last(&invocation->arguments, OPTION_TOUR);
    char folder[4096];
    if (!name)
        return STATUS_OK;
    TRY(tour_alone(&invocation->arguments));
    TRY(environment_data_folder(folder, sizeof folder));
    TRY(tour_load(tour, folder, name));
    return ranks_leave(invocation, tour);
}

static enum status flags_check(const struct invocation *invocation, const struct film_job *job)
{
    const struct arguments *arguments = &invocation->arguments;
    const struct config *config = &invocation->config;
    const struct film_kind *kind = job->scene->video.kind;
    const char *path = config_text(config, OPTION_FILM_PATH);
    const bool flies = config_was_set(config, OPTION_FILM_AUTOPILOT);
    const bool ends = flies ? config_was_set(config, OPTION_FILM_FROM)
                            : config_text(config, OPTION_FILM_TO) || (path && *path);
    const struct idle_flag flags[] = {
        {OPTION_VIEW_ZOOM, ends && arguments->operand,
         "--path, --to, or --from of --autopilot, say the zoom"},
        {OPTION_OUTPUT_LOG_JSON, arguments_has(arguments, OPTION_DRY_RUN),
         "a dry run has no events"},
        {OPTION_FILM_CHROMA, kind->frames, "frames have all of their colours"},
        {OPTION_FILM_EFFORT, !kind->container, "it is for .mp4, .webm and .mkv"},
        {OPTION_OUTPUT_PLANES, !kind->numbers, "it is for frames in .exr"},
        {OPTION_VIEWER_LANGUAGE, !job->tour.stops || kind->frames,
         "it is for the texts beside the video of a --tour"},
    };
    TRY(arguments_none_idle(arguments, flags, sizeof flags / sizeof *flags));
    TRY(settings_forecast_flag(config, arguments));
    return job->tour.stops ? STATUS_OK
                           : settings_look_flags(&job->scene->look_options,
                                                 &job->scene->picture.spec.formula, arguments);
}

static enum status job_make(const struct invocation *invocation, struct renderer *renderer,
                            struct film_job *job)
{
    job->scene = calloc(1, sizeof *job->scene);
    job->scenes = 1;
    if (!job->scene)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a film");
    TRY(tour_take(invocation, &job->tour));
    TRY(common_take(invocation, job));
    TRY(scenes_make(invocation, renderer, job));
    TRY(flags_check(invocation, job));
    const struct film *film = job->scene;
    if (film->frames > FILM_FRAMES_MOST)
        return status_fail(STATUS_TOO_LARGE, "%lld frames; the most is %d", (long long)film->frames,
                           FILM_FRAMES_MOST);
    TRY(scenes_settle(invocation, &renderer_info(renderer)->facts, job));
    if (film->limits_flashes && (film->video.kind->frames || film->parts > 1))
        return status_fail(STATUS_CONFIG, "--flash-safe is of videos that one run makes: the light "
                                          "of a frame follows from those before it");
    TRY(identity_make(invocation, job));
    TRY(film_check(film));
    return subtitles_prepare(job);
}

static void job_destroy(struct film_job *job)
{
    for (size_t i = 0; job->scene && i < job->scenes; i++) {
        film_path_destroy(&job->scene[i].path);
        palette_destroy(job->palette ? job->palette[i] : NULL);
    }
    tour_destroy(&job->tour);
    free(job->scene);
    free(job->palette);
    free(job->out);
    free(job->identity);
    free(job->command);
    free(job->subtitles);
}

/* ---- the command ----------------------------------------------------------------------------- */

/* Adds to the error what is kept of the film. */
static enum status kept_tell(const struct film *film, const char *folder, enum status status)
{
    char why[STATUS_TEXT_BYTES];
    bool there = film->video.kind->frames || access(folder, F_OK) == 0;
    snprintf(why, sizeof why, "%s", status_text());
    if (!there)
        return status_fail(status, "%.600s; nothing is kept: %.200s was removed by somebody", why,
                           folder);
    return status_fail(status, "%.600s; what is done is in %.200s, and the same command goes on",
                       why, film->video.kind->frames ? film->out : folder);
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

static void final_say(void *context)
{
    (void)context;
    rank_say(RANK_FINAL, 0); /* a second run would find the film of the first */
}

struct subtitles {
    const struct film_job *job;
    const char *language;
};

static enum status subtitles_write(void *context)
{
    const struct subtitles *of = context;
    return film_tour_subtitles(&of->job->tour, of->job->scene, of->language, of->job->subtitles);
}

static enum status progress_begin(struct progress *progress, const struct invocation *invocation,
                                  const struct film *film)
{
    char folder[FILM_PATH_BYTES];
    struct progress_facts facts = {.command = invocation->command->name,
                                   .status_folder = folder,
                                   .width = film->width,
                                   .height = film->height};
    TRY(film_store_folder(folder, film->out, film->video.kind->frames));
    return progress_open(progress, invocation, &facts);
}

static enum status root_film(struct invocation *invocation, struct renderer *renderer,
                             const struct film_job *job, struct progress *progress)
{
    const struct film *film = job->scene;
    struct subtitles subtitles = {
        job, language_codes[settings_language(&invocation->config, environment_language())]};
    struct film_hooks hooks = {.progress = progress_film,
                               .frame = progress_frame,
                               .prepare = progress_prepare,
                               .notice = progress_notice,
                               .final = final_say,
                               .placed = job->subtitles ? subtitles_write : NULL,
                               .placed_context = &subtitles,
                               .context = progress,
                               .stop = &stop_requested};
    struct film_report report;
    enum status status = film_make(renderer, film, &hooks, &report);
    progress_end(progress);
    if (!report.whole && !report.kept)
        return status;
    if (!report.whole)
        return kept_tell(film, progress->status_folder, status);
    progress->result.files = report.joined ? strdup(film->out) : NULL;
    if (report.joined && !progress->result.files)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the name of the film");
    progress->result.total_s = report.total_s;
    TRY(film_report_print(invocation, renderer, film, &report));
    return losses_check(&report, status);
}

/* Called on rank 0 before any frame is made. *dry: none is to be made. */
static enum status root_prepare(struct invocation *invocation, struct renderer *renderer,
                                struct film_job *job, struct progress *progress, bool *dry)
{
    const struct arguments *arguments = &invocation->arguments;
    struct film_memory memory;
    TRY(job_make(invocation, renderer, job));
    TRY(film_memory_sum(job->scene, &renderer_info(renderer)->facts, &stop_requested, &memory));
    *dry = arguments_has(arguments, OPTION_DRY_RUN);
    if (*dry || arguments_has(arguments, OPTION_EXPLAIN))
        film_explain(invocation, renderer, job->scene, &memory);
    TRY(film_admit(&memory));
    return *dry ? STATUS_OK : progress_begin(progress, invocation, job->scene);
}

/* Estimates how long the film would take. */
static enum status dry_run(const struct invocation *invocation, struct renderer *renderer,
                           struct film_job *job)
{
    const struct film *film = job->scene;
    struct film_estimate estimate;
    if (config_boolean(&invocation->config, OPTION_OUTPUT_QUIET))
        return STATUS_OK;
    enum status status =
        film_estimate(&estimate, renderer, film, ESTIMATE_BUDGET_S, &stop_requested);
    job->over = estimate.over;
    TRY(status);
    return film_estimate_print(invocation, renderer, film, &estimate);
}

enum status command_film(struct invocation *invocation)
{
    struct world *world = invocation->world;
    bool root = world_rank(world) == 0, dry = false;
    struct film_job job = {.scene = NULL};
    struct progress progress = {.log = NULL};
    struct renderer_options options = {0};
    struct renderer *renderer;
    if (root)
        options = renderer_probed(&invocation->config);
    TRY(renderer_open(&renderer, world, root ? &options : NULL));
    if (root)
        idle_report(invocation, &renderer_info(renderer)->idle);
    enum status status =
        root ? root_prepare(invocation, renderer, &job, &progress, &dry) : STATUS_OK;
    if (status == STATUS_OK && dry)
        status = dry_run(invocation, renderer, &job);
    if (root && (status != STATUS_OK || dry))
        status = job.over ? status : film_decline(renderer, status);
    else if (root)
        status = root_film(invocation, renderer, &job, &progress);
    else {
        struct film_hooks hooks = {.stop = &stop_requested};
        status = film_make(renderer, NULL, &hooks, NULL);
    }
    renderer_close(renderer);
    progress_close(&progress, status);
    job_destroy(&job);
    return status;
}
