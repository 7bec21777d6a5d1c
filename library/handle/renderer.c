#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decomposition/thread/clock.h"
#include "library/handle/handle.h"
#include "library/handle/join_file.h"
#include "render/colour/samples.h"
#include "render/disk/json.h"
#include "render/reference/reference.h"
#include "render/worker/context.h"

deepfield_status deepfield_renderer_create(deepfield_renderer **renderer, deepfield_world *world)
{
    NEED(renderer);
    *renderer = NULL;
    NEED(world);
    if (world->renderer && world_size(world->world) > 1)
        return status_give(status_fail(STATUS_USAGE,
                                       "a world of %d ranks has one renderer at a time",
                                       world_size(world->world)));
    struct deepfield_renderer *made = calloc(1, sizeof *made);
    if (!made)
        return status_give(status_fail(STATUS_OUT_OF_MEMORY, "no memory for a renderer"));
    enum status status = config_create(&made->config);
    if (status != STATUS_OK) {
        free(made);
        return status_give(status);
    }
    made->world = world;
    made->stop = world->stop ? world->stop : &made->cancelled;
    made->number = ++world->renderers;
    context_identity(made->identity, deepfield_version());
    world->renderer = made;
    *renderer = made;
    return DEEPFIELD_OK;
}

void deepfield_renderer_destroy(deepfield_renderer *renderer)
{
    if (!renderer)
        return;
    for (int i = 0; i < RENDERER_COMPLETIONS; i++)
        background_close(renderer->completion[i]);
    last_reference_close(&renderer->last);
    if (renderer->renderer)
        renderer_join_withdraw(renderer, renderer_join(renderer->renderer));
    if (renderer->renderer && order_send_last(renderer->world, ORDER_RENDERER_CLOSE) == STATUS_OK)
        renderer_close(renderer->renderer);
    if (renderer->world->renderer == renderer)
        renderer->world->renderer = NULL;
    config_destroy(&renderer->config);
    free(renderer->work);
    free(renderer);
}

deepfield_status deepfield_renderer_set(deepfield_renderer *renderer, const char *key,
                                        const char *value)
{
    enum option_key option;
    NEED(renderer);
    NEED(key);
    NEED(value);
    if (strncmp(key, "compute.", strlen("compute.")) != 0)
        return status_give(status_fail(STATUS_USAGE,
                                       "%.60s: a renderer has keys of [compute] alone, such as "
                                       "compute.backend and compute.threads",
                                       key));
    if (renderer->renderer)
        return status_give(status_fail(STATUS_USAGE,
                                       "%.60s: the devices of this renderer are open; another "
                                       "renderer may have other ones",
                                       key));
    TRY_GIVE(option_named(&option, key, "renderer"));
    return status_give(config_set(&renderer->config, option, value, "renderer", STATUS_CONFIG));
}

struct renderer_options renderer_options(const struct deepfield_renderer *renderer)
{
    struct renderer_options options = settings_renderer(&renderer->config);
    if (config_text_or_null(&renderer->config, OPTION_COMPUTE_JOIN_FILE))
        options.listen = (struct renderer_listen){
            .address = config_text(&renderer->config, OPTION_COMPUTE_JOIN_ADDRESS),
            .identity = renderer->identity};
    options.several = !renderer->once;
    options.iterations = renderer->iterations;
    if (options.mpi_device.asked && renderer->mpi_device.asked)
        options.mpi_device = renderer->mpi_device;
    return options;
}

/* A backend that was chosen leaves GPUs out. */
void renderer_idle_tell(struct deepfield_renderer *renderer, const struct idle *idle)
{
    char text[IDLE_TEXT_BYTES];
    if (idle_cores_text(idle, text))
        world_notice(renderer->world, text);
    if (!config_was_set(&renderer->config, OPTION_COMPUTE_BACKEND) && idle_gpus_text(idle, text))
        world_notice(renderer->world, text);
}

enum status renderer_ready(struct deepfield_renderer *renderer)
{
    if (renderer->world->live)
        return status_fail(STATUS_USAGE, "a live picture has the devices of this world until "
                                         "deepfield_live_close");
    if (renderer->renderer)
        return STATUS_OK;
    struct renderer_options options = renderer_options(renderer);
    if (renderer->first)
        TRY(first_devices_choose(&renderer->choice, &options, renderer->world->world,
                                 renderer->first, renderer->few_queues, renderer->stop));
    TRY(order_send(renderer->world, ORDER_RENDERER_OPEN));
    enum status status = renderer_open(&renderer->renderer, renderer->world->world, &options);
    if (status != STATUS_OK) {
        renderer->renderer = NULL;
        return status;
    }
    TRY(renderer_join_publish(renderer, renderer_join(renderer->renderer)));
    struct idle idle = renderer_info(renderer->renderer)->idle;
    idle.gpus = renderer->choice.cores ? 0 : idle.gpus; /* the cores were chosen, for a reason */
    renderer_idle_tell(renderer, &idle);
    return STATUS_OK;
}

/* ---- jobs that join ---- */

enum status renderer_join_publish(struct deepfield_renderer *renderer, const struct join *join)
{
    const char *path = config_text_or_null(&renderer->config, OPTION_COMPUTE_JOIN_FILE);
    if (!join || !path)
        return STATUS_OK;
    TRY(join_file_write(
        path,
        join_everywhere(join) ? NULL : config_text(&renderer->config, OPTION_COMPUTE_JOIN_ADDRESS),
        join_port(join), join_token(join)));
    renderer->join_file = strdup(path);
    return STATUS_OK;
}

void renderer_join_withdraw(struct deepfield_renderer *renderer, const struct join *join)
{
    if (join && renderer->join_file)
        join_file_remove(renderer->join_file, join_port(join), join_token(join));
    free(renderer->join_file);
    renderer->join_file = NULL;
}

/* ---- devices and ranks ---- */

/* 0: the device does not report it. */
static double known(double value)
{
    return value > 0 ? value : NAN;
}

static void device_json(struct json *json, const struct device_row *row)
{
    const struct device_facts *facts = &row->facts;
    json_open(json, NULL, '{');
    json_integer(json, "rank", row->rank);
    json_text(json, "host", row->host);
    json_text(json, "backend", row->backend);
    json_integer(json, "device", row->device);
    json_text(json, "name", facts->name);
    json_text(json, "bus", *facts->bus ? facts->bus : NULL);
    json_text(json, "uuid", *facts->uuid ? facts->uuid : NULL);
    json_real(json, "memory_bytes", known((double)facts->memory_bytes));
    json_integer(json, "units", facts->units);
    json_real(json, "limit_fp32", known(facts->limit[NUMBER_FP32]));
    json_real(json, "limit_fp64", known(facts->limit[NUMBER_FP64]));
    json_open(json, "peers", '[');
    for (int d = 0; d < DEVICES_MAX; d++)
        if (facts->peers >> d & 1)
            json_integer(json, NULL, d);
    json_close(json);
    json_integer(json, "shared_with", row->shared_with);
    json_close(json);
}

deepfield_status deepfield_renderer_describe(deepfield_renderer *renderer, char **json)
{
    NEED(json);
    *json = NULL;
    NEED(renderer);
    struct text_json text;
    TRY_GIVE(world_idle(renderer->world));
    TRY_GIVE(renderer_ready(renderer));
    TRY_GIVE(text_json_open(&text, '['));
    const struct renderer_info *info = renderer_info(renderer->renderer);
    for (int i = 0; i < info->row_count; i++)
        device_json(&text.json, &info->rows[i]);
    return status_give(text_json_end(&text, STATUS_OK, json));
}

/* Prepares a small picture without computing it: so every rank finds out which transport it would
 * use. */
enum status renderer_links_find(struct renderer *renderer)
{
    const struct field shape = {
        .width = 64, .height = 64, .planes = PLANE_MASK_COUNT, .count_bytes = 4};
    return renderer_prepare(renderer, STATUS_OK, &shape, "auto", 0);
}

/* why_no_better appears for ranks that have reported why they cannot use the best transport. */
static void rank_json(struct json *json, const struct renderer *renderer, int rank)
{
    const struct renderer_link *link = renderer_link(renderer, rank);
    json_open(json, NULL, '{');
    json_integer(json, "rank", rank);
    json_boolean(json, "computes", link->computes);
    json_text(json, "transport", link->computes ? renderer_transport(renderer, rank)->name : NULL);
    json_text(json, "reason", link->computes ? link->reason : "coordinates");
    json_text(json, "why_no_better", *link->why ? link->why : NULL);
    json_close(json);
}

deepfield_status deepfield_renderer_ranks(deepfield_renderer *renderer, char **json)
{
    struct text_json text;
    NEED(json);
    *json = NULL;
    NEED(renderer);
    TRY_GIVE(world_idle(renderer->world));
    TRY_GIVE(renderer_ready(renderer));
    TRY_GIVE(order_send(renderer->world, ORDER_LINKS));
    TRY_GIVE(renderer_links_find(renderer->renderer));
    TRY_GIVE(text_json_open(&text, '['));
    for (int rank = 0; rank < world_size(renderer->world->world); rank++)
        rank_json(&text.json, renderer->renderer, rank);
    return status_give(text_json_end(&text, STATUS_OK, json));
}

/* ---- progress ---- */

void deepfield_renderer_progress(deepfield_renderer *renderer, deepfield_progress_call *call,
                                 void *user)
{
    if (!renderer)
        return;
    renderer->progress = call;
    renderer->user = user;
}

void deepfield_renderer_cancel(deepfield_renderer *renderer)
{
    if (renderer)
        __atomic_store_n(renderer->stop, 1, __ATOMIC_RELAXED);
}

enum status world_idle(const struct deepfield_world *world)
{
    return world->computes ? status_fail(STATUS_USAGE, "a call of this world computes, and its "
                                                       "callbacks may not begin another")
                           : STATUS_OK;
}

enum status renderer_call_begin(struct deepfield_renderer *renderer)
{
    TRY(world_idle(renderer->world));
    renderer->world->computes = true;
    renderer->begun_s = clock_s();
    return STATUS_OK;
}

void renderer_call_end(struct deepfield_renderer *renderer)
{
    renderer->world->computes = false;
    __atomic_store_n(&renderer->cancelled, 0, __ATOMIC_RELAXED);
}

void renderer_tell(struct deepfield_renderer *renderer, deepfield_progress progress)
{
    progress.size = sizeof progress;
    progress.seconds = clock_s() - renderer->begun_s;
    if (renderer->progress && renderer->progress(renderer->user, &progress))
        deepfield_renderer_cancel(renderer);
}

/* Part of `done` in `all`, 0 ... 1. */
static double part_of(double done, double all)
{
    return all > 0 ? fmin(done / all, 1) : 0;
}

static void work_take(deepfield_rank_work *work, const struct job_rank *rank)
{
    work->host = rank->host;
    work->computes |= rank->computes;
    work->tiles += rank->tiles;
    work->iterations += rank->iterations;
    work->busy_s += rank->busy_s;
    work->unheard_s = rank->unheard_s;
}

void renderer_work_put(struct deepfield_renderer *renderer, const struct job_progress *job,
                       deepfield_progress *progress)
{
    const int ranks = world_size(renderer->world->world);
    const int known = job->ranks < ranks ? job->ranks : ranks;
    if (!job->rank || !known)
        return;
    if (!renderer->work)
        renderer->work = calloc((size_t)ranks + JOINED_MOST, sizeof *renderer->work);
    if (!renderer->work)
        return;
    for (int i = 0; i < known; i++) {
        renderer->work[i] = (deepfield_rank_work){.host = ""};
        if (job->rank_before)
            work_take(&renderer->work[i], &job->rank_before[i]);
        work_take(&renderer->work[i], &job->rank[i]);
    }
    progress->ranks = known;
    progress->rank = renderer->work;
    if (known <
        ranks) /* rank 0 goes on alone: the numbers of joined jobs are behind those of all */
        return;
    int joined =
        job->joined_count > job->joined_before_count ? job->joined_count : job->joined_before_count;
    for (int i = 0; i < joined; i++) {
        renderer->work[known + i] = (deepfield_rank_work){.host = ""};
        if (i < job->joined_before_count)
            work_take(&renderer->work[known + i], &job->joined_before[i]);
        if (i < job->joined_count)
            work_take(&renderer->work[known + i], &job->joined[i]);
    }
    progress->ranks += joined;
}

deepfield_progress progress_of_job(struct deepfield_renderer *renderer,
                                   const struct job_progress *job)
{
    const int samples = job->samples == SAMPLES_AUTO ? -samples_most(job->samples) : job->samples;
    const double pixels = part_of((double)job->pixels_done, (double)job->pixels);
    deepfield_progress progress = {
        .size = sizeof progress,
        .done = job->share > 0 ? fmin(job->share, 1) : pixels,
        .iterations = job->iterations,
        .stage = "pixels",
        .count = job->pixels_done,
        .of = job->pixels,
        .stage_seconds = job->seconds,
        .samples = samples,
    };
    renderer_work_put(renderer, job, &progress);
    return progress;
}

void renderer_progress(void *context, const struct job_progress *job)
{
    renderer_tell(context, progress_of_job(context, job));
}

deepfield_progress progress_of_orbit(const struct reference_progress *reference)
{
    const bool orbit = reference->stage == REFERENCE_ORBIT;
    return (deepfield_progress){
        .size = sizeof(deepfield_progress),
        .done = part_of((double)reference->done, (double)reference->most),
        .iterations = orbit ? (uint64_t)reference->done : 0,
        .stage = orbit ? "orbit" : "blocks",
        .count = (uint64_t)reference->done,
        .of = (uint64_t)reference->most,
        .stage_seconds = reference->seconds,
    };
}

void renderer_prepare_progress(void *context, const struct reference_progress *reference)
{
    renderer_tell(context, progress_of_orbit(reference));
}
