#include <stdlib.h>
#include <string.h>

#include "decomposition/thread/clock.h"
#include "library/handle/handle.h"
#include "render/disk/json.h"
#include "render/reference/reference.h"

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
    world->renderer = made;
    *renderer = made;
    return DEEPFIELD_OK;
}

void deepfield_renderer_destroy(deepfield_renderer *renderer)
{
    if (!renderer)
        return;
    if (renderer->renderer && order_send(renderer->world, ORDER_RENDERER_CLOSE) == STATUS_OK)
        renderer_close(renderer->renderer);
    if (renderer->world->renderer == renderer)
        renderer->world->renderer = NULL;
    config_destroy(&renderer->config);
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

enum status renderer_ready(struct deepfield_renderer *renderer)
{
    if (renderer->world->live)
        return status_fail(STATUS_USAGE, "a live picture has the devices of this world until "
                                         "deepfield_live_close");
    if (renderer->renderer)
        return STATUS_OK;
    struct renderer_options options = settings_renderer(&renderer->config);
    options.several = true;
    TRY(order_send(renderer->world, ORDER_RENDERER_OPEN));
    enum status status = renderer_open(&renderer->renderer, renderer->world->world, &options);
    if (status != STATUS_OK)
        renderer->renderer = NULL;
    return status;
}

static void device_json(struct json *json, const struct device_row *row)
{
    json_open(json, NULL, '{');
    json_text(json, "backend", row->backend);
    json_text(json, "name", row->facts.name);
    json_text(json, "bus", *row->facts.bus ? row->facts.bus : NULL);
    json_text(json, "uuid", *row->facts.uuid ? row->facts.uuid : NULL);
    json_integer(json, "device", row->device);
    json_integer(json, "rank", row->rank);
    json_text(json, "host", row->host);
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
        __atomic_store_n(&renderer->stop, 1, __ATOMIC_RELAXED);
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
    __atomic_store_n(&renderer->stop, 0, __ATOMIC_RELAXED);
}

void renderer_tell(struct deepfield_renderer *renderer, const char *stage, double done,
                   uint64_t iterations)
{
    const deepfield_progress progress = {.size = sizeof progress,
                                         .done = done,
                                         .seconds = clock_s() - renderer->begun_s,
                                         .iterations = iterations,
                                         .stage = stage};
    if (renderer->progress && renderer->progress(renderer->user, &progress))
        deepfield_renderer_cancel(renderer);
}

void renderer_progress(void *context, const struct job_progress *progress)
{
    renderer_tell(context, "pixels", progress->share, progress->iterations);
}

void renderer_prepare_progress(void *context, const struct reference_progress *progress)
{
    renderer_tell(context, "orbit",
                  progress->most ? (double)progress->done / (double)progress->most : 0,
                  (uint64_t)progress->done);
}
