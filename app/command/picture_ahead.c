#include "app/command/picture_ahead.h"

#include <stdio.h>
#include <string.h>

#include "app/process/stop.h"
#include "app/settings/picture_request.h"
#include "app/settings/picture_there.h"
#include "decomposition/thread/clock.h"
#include "render/picture/picture_plan.h"

/* Orbits that are made ahead take so much at most: several are in memory, and nobody sees how far
 * they are. */
#define ORBIT_BYTES_MOST 0x1p28

/* Files that a killed run was giving names to are completed by one thread, before another looks
 * whether its files are there. */
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

/* The renderer has been opened for all pictures by the settings that they share. */
static enum status backend_check(const struct invocation *picture, const struct invocation *whole)
{
    const char *own = config_text(&picture->config, OPTION_COMPUTE_BACKEND);
    const char *opened = config_text(&whole->config, OPTION_COMPUTE_BACKEND);
    if (!strcmp(own, opened))
        return STATUS_OK;
    return status_fail(STATUS_CONFIG,
                       "%s: the backend is %s, but for all pictures %s is open; --backend says one "
                       "for all, or render this view alone",
                       picture->config.value[OPTION_COMPUTE_BACKEND].origin, own, opened);
}

static enum status settings_make(struct picture_ahead *ahead)
{
    TRY(batch_picture_open(&ahead->picture, ahead->item, ahead->whole));
    TRY(backend_check(&ahead->picture, ahead->whole));
    TRY(picture_request_make(&ahead->settings, &ahead->picture,
                             &renderer_info(ahead->renderer)->facts));
    return picture_there_take(&ahead->settings, &ahead->was_there);
}

/* Computes the orbit, as the picture would; a failure is the picture's to find. */
static void reference_try(struct picture_ahead *ahead)
{
    const struct picture_settings *settings = &ahead->settings;
    const struct picture *picture = &settings->picture;
    const struct reference_hooks hooks = {.stop = &stop_requested, .keeps_stopped = true};
    const struct spec spec = picture_spec(picture, &settings->plan);
    bool needed = settings->plan.method == METHOD_PERTURBATION && !ahead->was_there &&
                  !arguments_has(&ahead->picture.arguments, OPTION_DRY_RUN);
    if (!needed || reference_orbit_most(&spec.formula, spec.limit) > ORBIT_BYTES_MOST)
        return;
    if (reference_make(&ahead->reference, &picture->view, &settings->numbers, &spec,
                       renderer_world(ahead->renderer), picture->orbit_cache, &hooks) == STATUS_OK)
        return;
    reference_close(&ahead->reference);
    ahead->reference = (struct reference){.number = 0};
}

static void settings_try(struct picture_ahead *ahead)
{
    pthread_mutex_lock(&one_at_a_time);
    ahead->status = settings_make(ahead);
    pthread_mutex_unlock(&one_at_a_time);
    if (ahead->status != STATUS_OK)
        snprintf(ahead->why, sizeof ahead->why, "%s", status_text());
}

static void *ready_make(void *context)
{
    struct picture_ahead *ahead = context;
    settings_try(ahead);
    if (ahead->status == STATUS_OK)
        reference_try(ahead);
    view_thread_end();
    return NULL;
}

int picture_ahead_count(const struct renderer *renderer)
{
    int half = renderer_info(renderer)->cores / 2;
    return half < 1 ? 1 : half < AHEAD_MOST ? half : AHEAD_MOST;
}

void picture_ahead_begin(struct picture_ahead *ahead, const struct batch_item *item,
                         const struct invocation *whole, const struct renderer *renderer)
{
    *ahead = (struct picture_ahead){.item = item, .whole = whole, .renderer = renderer};
    ahead->runs = pthread_create(&ahead->thread, NULL, ready_make, ahead) == 0;
}

enum status picture_ahead_take(struct picture_ahead *ahead)
{
    if (ahead->runs)
        pthread_join(ahead->thread, NULL);
    else
        settings_try(ahead);
    ahead->runs = false;
    ahead->picture.started_s = clock_s();
    return ahead->status == STATUS_OK ? STATUS_OK : status_fail(ahead->status, "%s", ahead->why);
}

void picture_ahead_close(struct picture_ahead *ahead)
{
    if (ahead->runs)
        pthread_join(ahead->thread, NULL);
    ahead->runs = false;
    reference_close(&ahead->reference);
    settings_destroy(&ahead->settings);
    batch_picture_close(&ahead->picture);
    *ahead = (struct picture_ahead){.item = NULL};
}
