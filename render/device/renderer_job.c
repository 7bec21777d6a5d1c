/* Jobs over the picture that was prepared, and its memory. */
#include "render/device/renderer_state.h"

enum { RENDERER_SPIN_US = 8000 }; /* more than GPUs need for a picture of a screen */

static void *block_take(void *context, size_t bytes)
{
    struct renderer *renderer = context;
    return device_set_block_take(&renderer->device_set, MEMORY_HOST, bytes);
}

static void *device_take(void *context, size_t bytes)
{
    struct renderer *renderer = context;
    return device_set_block_take(&renderer->device_set, MEMORY_DEVICE, bytes);
}

static void block_give(void *context, void *block)
{
    struct renderer *renderer = context;
    device_set_block_give(&renderer->device_set, block);
}

static enum status field_transfer(void *context, const struct field *to, const struct field *from)
{
    struct renderer *renderer = context;
    return renderer->device_set.kind->memory->copy(renderer->device_set.backend[0], to, from);
}

bool renderer_lights(const struct renderer *renderer)
{
    return renderer->light_bytes > 0 && !renderer->prepared.refused;
}

struct light_device renderer_light_device(struct renderer *renderer, const struct field *shape)
{
    size_t bytes = 0;
    enum status status =
        field_bytes(shape->width, shape->height, shape->planes, shape->count_bytes, &bytes);
    if (status != STATUS_OK || !renderer_lights(renderer))
        return (struct light_device){.device_set = NULL};
    return (struct light_device){.device_set = &renderer->device_set,
                                 .mean = frame_memory_beside(&renderer->frame_memory, bytes)};
}

struct field renderer_frame(const struct renderer *renderer, const struct field *shape,
                            const char *transport)
{
    return frame_memory_field(&renderer->frame_memory, renderer_place(renderer, transport), shape);
}

struct field renderer_host(const struct renderer *renderer, const struct field *shape)
{
    return frame_memory_field(&renderer->frame_memory, FRAME_MEMORY_PRIVATE, shape);
}

enum status renderer_copy(struct renderer *renderer, const struct field *to,
                          const struct field *from)
{
    return field_transfer(renderer, to, from);
}

struct job renderer_job(struct renderer *renderer, const struct field *shape, const char *transport,
                        uint32_t tiles)
{
    renderer->job_memory = (struct job_memory){
        .context = renderer, .take = block_take, .give = block_give, .copy = field_transfer};
    if (renderer->lends) {
        renderer->job_memory.device_take = device_take;
        renderer->job_memory.device_give = block_give;
    }
    *renderer->gives_up = 0;
    int devices =
        renderer->info.devices.computes ? renderer->active - renderer->info.first_device : 0;
    devices = devices < 0 ? 0 : devices;
    struct device_set *device_set = &renderer->device_set;
    device_set->active = devices < device_set->devices ? devices : device_set->devices;
    int of_device = device_set->devices ? device_set->threads / device_set->devices : 0;
    if (of_device > 1 && tiles <= (uint32_t)renderer->active)
        of_device = 1;
    int threads = of_device * device_set->active;
    return (struct job){
        .planes = shape->planes,
        .count_bytes = shape->count_bytes,
        .transports = renderer->transports,
        .frame = renderer_frame(renderer, shape, transport),
        .threads = threads,
        .executor = renderer->executor,
        .credits = threads ? DEVICE_SET_CREDITS * device_set->active : 0,
        .speed = renderer->speed,
        .memory = &renderer->job_memory,
        /* GPUs leave the cores alone, and their tiles take less than a nap. */
        .spin_us = renderer->info.facts.gpus == renderer->info.facts.devices ? RENDERER_SPIN_US : 0,
        .give_up = renderer->gives_up,
    };
}

enum status renderer_fetch(struct renderer *renderer, const struct field *shape,
                           const char *transport, int32_t y, int32_t height, struct field *field)
{
    const struct frame_memory *frame_memory = &renderer->frame_memory;
    enum frame_memory_place place = renderer_place(renderer, transport);
    struct field host = renderer_host(renderer, shape);
    *field =
        y == 0 && height == shape->height ? host : field_window(&host, 0, y, shape->width, height);
    if (place != FRAME_MEMORY_DEVICE || world_rank(renderer->world) != 0)
        return STATUS_OK;
    struct field device = frame_memory_field(frame_memory, FRAME_MEMORY_DEVICE, shape);
    device = field_window(&device, 0, y, shape->width, height);
    return renderer_copy(renderer, field, &device);
}
