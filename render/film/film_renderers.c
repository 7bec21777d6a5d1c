#include "render/film/film_renderers.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decomposition/world/world.h"
#include "kernels/backend.h"
#include "render/device/background.h"
#include "render/film/film_colours_measure.h"

enum { CORES_OF_EACH = 4 /* cores of each renderer: it keeps three threads busy */ };

#define BACKEND_BYTES 0x1p31 /* memory of a GPU that a renderer needs, and more for the picture */
#define DEVICE_SHARE 0.5     /* share of the GPU's memory that all renderers may take */

struct frame_renderer {
    const struct film_renderers_order *order;
    struct world *alone; /* world of this process; NULL: the renderer is that of the film */
    struct renderer *renderer;
    struct background *background;
    uint64_t begun; /* number of the job */
    struct look look;
    struct picture_orbit orbit;
    struct film_frame frame; /* frame in work; number -1: none */
    struct picture_report report;
    enum status status;
    char why[STATUS_TEXT_BYTES];
};

struct film_renderers {
    struct film_renderers_order order;
    int count;
    struct frame_renderer one[FILM_RENDERERS_MOST];
};

/* Memory of one of the GPUs, which are alike by default; 0: none. */
static double device_bytes(const struct renderer *renderer)
{
    const struct device_set_options *devices = &renderer_info(renderer)->devices;
    const struct backend_kind *kind = NULL;
    struct device_facts gpu;
    bool known = backend_kind_find(&kind, devices->backend) == STATUS_OK && kind->memory &&
                 kind->facts(devices->device[0], &gpu) == STATUS_OK;
    return known ? (double)gpu.memory_bytes : 0;
}

int film_renderers_count(const struct renderer *renderer, const struct film *film,
                         const volatile int *stop)
{
    const struct renderer_facts *facts = &renderer_info(renderer)->facts;
    struct film_memory memory;
    int most = film_renderers_most(facts, film);
    if (most == 1 || film_memory_sum(film, facts, stop, &memory) != STATUS_OK)
        return 1;
    double each = BACKEND_BYTES + (double)memory.plan.bytes.device;
    double fit = floor(DEVICE_SHARE * device_bytes(renderer) / each) * facts->gpus;
    fit = fmin(fmin(fit, most), backend_cores_usable() / CORES_OF_EACH);
    return fit > 1 ? (int)fit : 1;
}

/* One GPU for each renderer: frames that are computed by several would wait for all of them, and
 * their samples would be averaged by the first. With one device the film's renderer is the first.
 */
static enum status one_open(struct film_renderers *all, int number)
{
    struct frame_renderer *one = &all->one[number];
    struct renderer *film = all->order.renderer;
    const struct device_set_options *devices = &renderer_info(film)->devices;
    bool shared = devices->devices > 1;
    uint64_t chosen = shared ? UINT64_C(1) << devices->device[number % devices->devices] : 0;
    if (number == 0 && !shared) {
        one->renderer = film;
    } else {
        TRY(world_alone(&one->alone));
        TRY(renderer_open_alone(&one->renderer, one->alone, film, chosen));
        renderer_devices_begin(one->renderer);
    }
    return background_open(&one->background);
}

enum status film_renderers_open(struct film_renderers **out, int count,
                                const struct film_renderers_order *order)
{
    struct film_renderers *all = *out = calloc(1, sizeof *all);
    enum status status = STATUS_OK;
    if (!all)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for %d frames at a time", count);
    all->order = *order;
    all->count = count;
    for (int i = 0; i < count; i++) {
        all->one[i].order = &all->order;
        all->one[i].frame.number = -1;
    }
    for (int i = 0; i < count && status == STATUS_OK; i++)
        status = one_open(all, i);
    if (status != STATUS_OK) {
        film_renderers_close(all);
        *out = NULL;
    }
    return status;
}

/* Waits for a frame that is not wanted, and drops it. */
static void frame_drop(struct frame_renderer *one)
{
    background_wait(one->background, one->begun);
    if (one->frame.number < 0)
        return;
    film_frame_destroy(&one->frame);
    picture_report_destroy(&one->report);
    one->frame = (struct film_frame){.number = -1};
}

void film_renderers_close(struct film_renderers *all)
{
    if (!all)
        return;
    for (int i = 0; i < all->count; i++) {
        struct frame_renderer *one = &all->one[i];
        frame_drop(one);
        background_close(one->background);
        if (one->alone)
            renderer_close(one->renderer);
        world_close(one->alone);
    }
    free(all);
}

void film_renderers_scene_set(struct film_renderers *all, const struct film *film)
{
    for (int i = 0; i < all->count; i++)
        frame_drop(&all->one[i]);
    all->order.film = film;
}

static struct frame_renderer *renderer_with(const struct film_renderers *all, int64_t number)
{
    for (int i = 0; i < all->count; i++)
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

/* Computes a frame, on a thread of its own. */
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
    if (one->status == STATUS_OK)
        one->status = film_light(&one->report, &one->look, &field, &one->frame.light);
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
    for (int i = 0; i < all->count; i++)
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
