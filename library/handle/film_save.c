/* Films of the interface: a film into a video or numbered frames. */
#include "library/film/film_json.h"
#include "library/handle/film.h"

#include <stdio.h>
#include <string.h>

struct film_saving {
    struct deepfield_film *film;
    struct deepfield_renderer *renderer;
    const char *path;
    deepfield_film_options options;
    deepfield_progress said; /* frames so far, as they were told last */
    bool begun;              /* the other ranks are in film_make */
    bool over;               /* they have left it */
};

/* ---- callbacks ---- */

static void frames_tell(void *context, const struct film_progress *frames)
{
    struct film_saving *saving = context;
    const double all = (double)frames->frames;
    deepfield_progress progress = {
        .done = all > 0 ? (double)frames->done / all : 1,
        .iterations = frames->job.iterations,
        .stage = "frames",
        .count = (uint64_t)frames->done,
        .of = (uint64_t)frames->frames,
        .stage_seconds = frames->seconds,
    };
    renderer_work_put(saving->renderer, &frames->job, &progress);
    renderer_tell(saving->renderer, progress);
    saving->said = progress;
}

static void frame_tell(void *context, const struct film_frame_report *report)
{
    struct film_saving *saving = context;
    const deepfield_frame_work work = {.frame = report->frame,
                                       .log10_zoom = report->log10_zoom,
                                       .prepare_s = report->prepare_s,
                                       .compute_s = report->compute_s,
                                       .waited_s = report->waited_s,
                                       .iterations = report->iterations};
    deepfield_progress progress = saving->said;
    progress.stage = "frames";
    progress.frame = &work;
    renderer_tell(saving->renderer, progress);
}

static void prepare_tell(void *context, const struct reference_progress *progress)
{
    const struct film_saving *saving = context;
    renderer_prepare_progress(saving->renderer, progress);
}

static void notice_tell(void *context, const char *sentence)
{
    const struct film_saving *saving = context;
    const struct program_film *program = &saving->film->program;
    if (program->notice)
        program->notice(program->context, sentence);
    else
        world_notice(saving->renderer->world, sentence);
}

static void final_tell(void *context)
{
    const struct film_saving *saving = context;
    const struct program_film *program = &saving->film->program;
    if (program->final)
        program->final(program->context);
}

static struct film_hooks hooks_of(struct film_saving *saving)
{
    return (struct film_hooks){.progress = frames_tell,
                               .frame = frame_tell,
                               .prepare = prepare_tell,
                               .notice = notice_tell,
                               .final = final_tell,
                               .context = saving,
                               .stop = saving->renderer->stop};
}

/* ---- before ---- */

static enum status ranks_begin(struct film_saving *saving)
{
    if (saving->begun)
        return STATUS_OK;
    TRY(film_ranks_begin(saving->renderer));
    saving->begun = true;
    return STATUS_OK;
}

/* Tells the other ranks that there is no film, if they wait for one. */
static enum status ranks_end(struct film_saving *saving, enum status status)
{
    if (!saving->begun || saving->over)
        return status;
    saving->over = true;
    return film_decline(saving->renderer->renderer, status);
}

/* Is it the target that a call before this one has planned? */
static bool is_planned(const struct film_saving *saving)
{
    const struct film_target *target = &saving->film->target;
    const bool replaces = saving->options.replace != 0;
    return target->path && !strcmp(target->path, saving->path) &&
           saving->film->planner == saving->renderer->number &&
           target->scene->overwrite == (replaces ? OVERWRITE_YES : OVERWRITE_NO);
}

static enum status target_make(struct film_saving *saving)
{
    struct deepfield_film *film = saving->film;
    const struct renderer_facts *facts = &renderer_info(saving->renderer->renderer)->facts;
    const struct film_target_request request = {.path = saving->path,
                                                .overwrite = saving->options.replace ? OVERWRITE_YES
                                                                                     : OVERWRITE_NO,
                                                .command = film->program.command,
                                                .command_bytes = film->program.command_bytes,
                                                .stop = saving->renderer->stop};
    if (is_planned(saving))
        return STATUS_OK;
    film_target_destroy(&film->target);
    film->planner = saving->renderer->number;
    if (!film->scenes.found) {
        TRY(ranks_begin(saving));
        TRY(film_find(film, saving->renderer, &saving->over));
    }
    enum status status =
        film_target_create(&film->target, &film->scenes, &film->config, facts, &request);
    if (status == STATUS_OK)
        status = film_memory_sum(film->target.scene, facts, request.stop, &film->memory);
    if (status != STATUS_OK)
        film_target_destroy(&film->target);
    return status;
}

/* ---- the calls ---- */

static enum status plan_give(const struct film_saving *saving, struct json *json)
{
    const struct deepfield_film *film = saving->film;
    film_plan_json(json, &film->target, &film->memory, renderer_info(saving->renderer->renderer));
    return film_admit(&film->memory);
}

static enum status estimate_give(struct film_saving *saving, struct json *json)
{
    struct film_estimate estimate;
    const struct film *film = saving->film->target.scene;
    TRY(film_admit(&saving->film->memory));
    TRY(ranks_begin(saving));
    enum status status = film_estimate(&estimate, saving->renderer->renderer, film,
                                       ESTIMATE_BUDGET_S, saving->renderer->stop);
    saving->over = estimate.over;
    TRY(status);
    film_json(json, film);
    film_estimate_json(json, film, &estimate);
    return STATUS_OK;
}

/* *told: there is something to say of it, whatever the status. */
static enum status film_make_it(struct film_saving *saving, struct json *json, bool *told)
{
    struct film_report report;
    struct film_target *target = &saving->film->target;
    const struct film_hooks hooks = hooks_of(saving);
    TRY(film_admit(&saving->film->memory));
    TRY(ranks_begin(saving));
    saving->over = true;
    enum status status = film_target_make(target, saving->renderer->renderer, &hooks, &report);
    *told = report.whole;
    if (*told) {
        film_json(json, target->scene);
        film_report_json(json, &report);
    }
    film_target_destroy(target); /* another call looks at its file again */
    return status;
}

static enum status film_save(struct film_saving *saving, struct json *json, bool *told)
{
    TRY(renderer_ready(saving->renderer));
    TRY(target_make(saving));
    if (saving->options.plan) {
        *told = true;
        return plan_give(saving, json);
    }
    if (!saving->options.dry_run)
        return film_make_it(saving, json, told);
    TRY(estimate_give(saving, json));
    *told = true;
    return STATUS_OK;
}

/* Gives the text, also beside a failure. */
static enum status text_give(struct text_json *text, bool told, enum status status, char **json)
{
    char why[STATUS_TEXT_BYTES], *made;
    snprintf(why, sizeof why, "%s", status_text());
    enum status ended = text_json_end(text, told ? STATUS_OK : STATUS_STOPPED, &made);
    if (json)
        *json = made;
    else
        deepfield_free(made);
    return status != STATUS_OK ? status_fail(status, "%s", why) : told ? ended : status;
}

static enum status options_take(struct film_saving *saving, const deepfield_film_options *options)
{
    deepfield_film_options *taken = &saving->options;
    if (options && options->size < sizeof *taken)
        return status_fail(STATUS_USAGE, "deepfield_film_options.size is %zu, not %zu",
                           options->size, sizeof *taken);
    if (options)
        *taken = *options;
    return taken->plan && taken->dry_run
               ? status_fail(STATUS_USAGE, "a plan and a dry run are two calls")
               : STATUS_OK;
}

deepfield_status deepfield_film_save(deepfield_renderer *renderer, deepfield_film *film,
                                     const char *path, const deepfield_film_options *options,
                                     char **json)
{
    struct film_saving saving = {.film = film, .renderer = renderer, .path = path};
    struct text_json text;
    bool told = false;
    if (json)
        *json = NULL;
    NEED(renderer);
    NEED(film);
    NEED(path);
    TRY_GIVE(options_take(&saving, options));
    TRY_GIVE(renderer_call_begin(renderer));
    enum status status = text_json_open(&text, '{');
    if (status == STATUS_OK) {
        status = film_save(&saving, &text.json, &told);
        status = ranks_end(&saving, status);
        status = text_give(&text, told, status, json);
    }
    renderer_call_end(renderer);
    return status_give(status);
}
