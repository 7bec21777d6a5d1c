#include <stdio.h>
#include <stdlib.h>

#include "kernels/orbit_devices.h"
#include "render/device/renderer_state.h"

static enum status parts_make(struct renderer *renderer, size_t ranks)
{
    renderer->link = calloc(ranks, sizeof *renderer->link);
    renderer->transports = calloc(ranks, sizeof *renderer->transports);
    if (!renderer->link || !renderer->transports)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a list of the ranks");
    TRY(background_open(&renderer->background));
    return executor_open(&renderer->executor);
}

static void parts_free(struct renderer *renderer)
{
    if (!renderer)
        return;
    if (!renderer->join_is_lent)
        join_close(renderer->join);
    background_close(renderer->background);
    executor_close(renderer->executor);
    free(renderer->link);
    free(renderer->transports);
    free(renderer->info.rows);
    free(renderer->orbit.bytes);
    free(renderer);
}

static enum status join_begin(struct renderer *renderer, const struct renderer_listen *listen)
{
    if (!listen->address)
        return STATUS_OK;
    const struct join_options options = {.address = listen->address,
                                         .identity = listen->identity,
                                         .first_rank = world_size(renderer->world)};
    return join_open(&renderer->join, &options);
}

enum status renderer_open(struct renderer **out, struct world *world,
                          const struct renderer_options *options)
{
    *out = NULL;
    struct renderer *renderer = calloc(1, sizeof *renderer);
    enum status status = STATUS_OK;
    if (renderer)
        status = parts_make(renderer, (size_t)world_size(world));
    else
        status = status_fail(STATUS_OUT_OF_MEMORY, "no memory for a renderer");
    if (renderer) {
        renderer->world = world;
        renderer->gives_up = &renderer->give_up;
        renderer->info.asked = options ? *options : (struct renderer_options){.threads = 0};
    }
    if (status == STATUS_OK && options)
        status = join_begin(renderer, &options->listen);
    status = renderer_survey(renderer, world, status, options);
    if (status == STATUS_OK)
        *out = renderer;
    else
        parts_free(renderer);
    return status;
}

enum status renderer_open_alone(struct renderer **out, struct world *alone,
                                const struct renderer *like, uint64_t chosen)
{
    struct renderer_options options = {.backend = like->info.devices.backend,
                                       .devices = like->info.asked.devices,
                                       .threads = like->info.asked.threads,
                                       .slice_s = like->info.asked.slice_s};
    if (chosen)
        options.devices = (struct devices_wanted){.chosen = chosen};
    return renderer_open(out, alone, &options);
}

enum status renderer_part_open(struct renderer **out, struct world *alone, struct renderer *whole)
{
    struct renderer *part = *out = calloc(1, sizeof *part);
    enum status status =
        part ? parts_make(part, 1) : status_fail(STATUS_OUT_OF_MEMORY, "no memory for a renderer");
    if (status != STATUS_OK) {
        parts_free(part);
        *out = NULL;
        return status;
    }
    part->world = alone;
    part->info.devices = whole->info.devices;
    part->gives_up = whole->gives_up;
    part->info.facts = whole->info.facts;
    part->info.facts.ranks = part->info.facts.computing_ranks = 1;
    part->info.facts.away_ranks = 0;
    part->info.facts.devices = part->active = whole->device_set.devices;
    part->info.facts.gpus =
        whole->info.facts.gpus == whole->info.facts.devices ? part->info.facts.devices : 0;
    part->device_set = whole->device_set;
    whole->device_set = (struct device_set){.kind = NULL};
    return STATUS_OK;
}

void renderer_part_close(struct renderer *part, struct renderer *whole)
{
    frame_memory_close(&part->frame_memory, part->world, &part->device_set);
    whole->device_set = part->device_set;
    parts_free(part);
}

void renderer_close(struct renderer *renderer)
{
    if (!renderer)
        return;
    background_rest(renderer->background); /* it reads the frame, or opens devices */
    frame_memory_close(&renderer->frame_memory, renderer->world, &renderer->device_set);
    device_set_close(&renderer->device_set);
    parts_free(renderer);
}

const char *renderer_backend(const struct renderer *renderer)
{
    return renderer->info.facts.backend;
}

const struct renderer_info *renderer_info(const struct renderer *renderer)
{
    return &renderer->info;
}

struct world *renderer_world(const struct renderer *renderer)
{
    return renderer->world;
}

struct device_set *renderer_device_set(struct renderer *renderer)
{
    return &renderer->device_set;
}

struct background *renderer_background(const struct renderer *renderer)
{
    return renderer->background;
}

struct orbit_device renderer_orbit_device(const struct renderer *renderer, char *why, size_t bytes)
{
    const struct device_set_options *devices = &renderer->info.devices;
    char unread[128];
    if (!why) {
        why = unread;
        bytes = sizeof unread;
    }
    snprintf(why, bytes, "this rank has no device");
    if (devices->devices == 0)
        return (struct orbit_device){.kind = NULL};
    return orbit_device_find(devices->backend, devices->device[0], why, bytes);
}

struct join *renderer_join(const struct renderer *renderer)
{
    return renderer->join;
}

void renderer_join_lend(struct renderer *renderer, const struct renderer *whole)
{
    renderer->join = whole->join;
    renderer->join_is_lent = true;
}

struct renderer_orbit *renderer_orbit(struct renderer *renderer)
{
    return &renderer->orbit;
}

const struct renderer_link *renderer_link(const struct renderer *renderer, int rank)
{
    return &renderer->link[rank];
}

const struct transport_kind *renderer_transport(const struct renderer *renderer, int rank)
{
    return renderer->transports[rank];
}

int renderer_computing(const struct renderer *renderer, int *count)
{
    int number = -1;
    *count = 0;
    for (int rank = 0; rank < world_size(renderer->world); rank++)
        if (renderer->link[rank].computes) {
            if (rank == world_rank(renderer->world))
                number = *count;
            ++*count;
        }
    return number;
}

int renderer_active(const struct renderer *renderer)
{
    return renderer->active;
}

void renderer_activate(struct renderer *renderer, int devices)
{
    renderer->active = devices;
}

void renderer_devices_all(struct renderer *renderer)
{
    *renderer->gives_up = 0;
    renderer->device_set.active = renderer->device_set.devices;
}

uint64_t renderer_job_number(struct renderer *renderer)
{
    return renderer->jobs++;
}
