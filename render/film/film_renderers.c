#include "render/film/film_renderers.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decomposition/world.h"
#include "kernels/backend.h"
#include "render/background.h"

enum { RENDERERS = 2, CORES_LEAST = 8 /* each keeps three threads busy */ };

#define DEVICE_BYTES_LEAST 0x1p34 /* a backend takes 2 GiB and more */

struct frame_renderer {
    const struct film_renderers_order *order;
    struct renderer *renderer;
    struct background *background;
    uint64_t begun; /* its number there */
    struct look look;
    struct picture_orbit orbit;
    struct film_frame frame; /* number -1: there is none */
    struct picture_report report;
    enum status status;
    char why[STATUS_TEXT_BYTES];
};

struct film_renderers {
    struct film_renderers_order order;
    struct world *alone; /* of the second renderer */
    struct frame_renderer one[RENDERERS];
};

bool film_renderers_pay(const struct renderer *renderer, const struct film *film)
{
    const struct renderer_facts *facts = &renderer->facts;
    const struct device_set_options *devices = &renderer->device_set_options;
    const struct backend_kind *kind = NULL;
    struct device_facts gpu;
    if (film->method == FILM_KEYFRAMES || film->video.kind->numbers || world_launched() ||
        facts->ranks > 1 || facts->gpus < 1 || backend_cores_usable() < CORES_LEAST)
        return false;
    return backend_kind_find(&kind, devices->backend) == STATUS_OK && kind->memory &&
           kind->facts(devices->device[0], &gpu) == STATUS_OK &&
           (double)gpu.memory_bytes >= DEVICE_BYTES_LEAST;
}

enum status film_renderers_open(struct film_renderers **out,
                                const struct film_renderers_order *order)
{
    struct film_renderers *all = *out = calloc(1, sizeof *all);
    if (!all)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for two frames at a time");
    all->order = *order;
    for (int i = 0; i < RENDERERS; i++) {
        struct frame_renderer *one = &all->one[i];
        one->order = &all->order;
        one->frame.number = -1;
    }
    all->one[0].renderer = order->renderer;
    enum status status = world_alone(&all->alone);
    if (status == STATUS_OK)
        status = renderer_open_alone(&all->one[1].renderer, all->alone, order->renderer);
    for (int i = 0; i < RENDERERS && status == STATUS_OK; i++)
        status = background_open(&all->one[i].background);
    if (status != STATUS_OK) {
        film_renderers_close(all);
        *out = NULL;
        return status;
    }
    renderer_devices_begin(all->one[1].renderer);
    return STATUS_OK;
}

/* Waits for a frame that nobody wants. */
static void frame_drop(struct frame_renderer *one)
{
    background_wait(one->background, one->begun);
    if (one->frame.number < 0)
        return;
    free(one->frame.light);
    view_destroy(&one->frame.view);
    picture_report_destroy(&one->report);
    one->frame = (struct film_frame){.number = -1};
}

void film_renderers_close(struct film_renderers *all)
{
    if (!all)
        return;
    for (int i = 0; i < RENDERERS; i++) {
        frame_drop(&all->one[i]);
        background_close(all->one[i].background);
    }
    renderer_close(all->one[1].renderer);
    world_close(all->alone);
    free(all);
}

void film_renderers_turn(struct film_renderers *all, const struct film *film)
{
    for (int i = 0; i < RENDERERS; i++)
        frame_drop(&all->one[i]);
    all->order.film = film;
}

static struct frame_renderer *renderer_with(const struct film_renderers *all, int64_t number)
{
    for (int i = 0; i < RENDERERS; i++)
        if (all->one[i].frame.number == number)
            return (struct frame_renderer *)&all->one[i];
    return NULL;
}

bool film_renderers_idle(const struct film_renderers *all)
{
    return renderer_with(all, -1) != NULL;
}

static enum status look_give(void *context, const struct field *field, const struct look **look)
{
    struct frame_renderer *one = context;
    (void)field;
    *look = &one->look;
    return STATUS_OK;
}

/* Of a frame without samples: those of the pixels' centres. */
static enum status light_make(struct frame_renderer *one, const struct field *field)
{
    size_t pixels = (size_t)field->width * (size_t)field->height;
    one->frame.light = malloc(pixels * sizeof *one->frame.light);
    if (!one->frame.light)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a frame");
#pragma omp parallel for schedule(dynamic, 8)
    for (int32_t y = 0; y < field->height; y++)
        colour_span_light(&one->look, field, 0, y, field->width,
                          one->frame.light + (size_t)y * (size_t)field->width);
    return STATUS_OK;
}

/* On a thread of its own. */
static void frame_run(void *context)
{
    struct frame_renderer *one = context;
    const struct film_renderers_order *order = one->order;
    struct picture picture = order->film->picture;
    struct picture_hooks hooks = {.look = look_give,
                                  .look_context = one,
                                  .stop = order->stop,
                                  .orbit = one->orbit.orbit ? &one->orbit : NULL};
    struct field field;
    one->report = (struct picture_report){.plan_s = 0};
    picture.of_many = picture.light_alone = true;
    one->status = film_view(order->film, one->frame.number, &one->frame.view);
    picture.view = one->frame.view; /* borrowed */
    if (one->status == STATUS_OK)
        one->status = picture_render(one->renderer, &picture, &hooks, &field, &one->report);
    if (one->status == STATUS_OK && one->report.light) {
        one->frame.light = one->report.light;
        one->report.light = NULL;
    } else if (one->status == STATUS_OK) {
        one->status = light_make(one, &field);
    }
    if (one->status != STATUS_OK)
        snprintf(one->why, sizeof one->why, "%s", status_text());
}

void film_renderers_begin(struct film_renderers *all, int64_t number, const struct look *look,
                          double amplification)
{
    struct frame_renderer *one = renderer_with(all, -1);
    assert(one);
    one->frame = (struct film_frame){.number = number};
    one->look = *look;
    one->orbit = *all->order.orbit;
    one->orbit.amplification = amplification;
    one->begun = background_run(one->background, frame_run, one);
}

enum status film_renderers_take(struct film_renderers *all, int64_t number,
                                struct film_frame *frame, struct picture_report *report)
{
    for (int i = 0; i < RENDERERS; i++)
        if (all->one[i].frame.number >= 0 && all->one[i].frame.number < number)
            frame_drop(&all->one[i]);
    struct frame_renderer *one = renderer_with(all, number);
    assert(one);
    background_wait(one->background, one->begun);
    if (one->status != STATUS_OK)
        return status_fail(one->status, "%s", one->why);
    *frame = one->frame;
    *report = one->report;
    one->frame = (struct film_frame){.number = -1};
    return STATUS_OK;
}
