#include "library/output/picture_ahead.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "library/output/picture_there.h"
#include "render/picture/picture_plan.h"

/* Orbits that are made ahead take so much at most: several are in memory, and nobody sees how far
 * they are. */
#define ORBIT_BYTES_MOST 0x1p28

/* Files that a killed run was giving names to are completed by one thread, before another looks
 * whether its files are there. */
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

static enum status settings_make(struct picture_ahead *ahead)
{
    if (ahead->load)
        TRY(ahead->load(ahead->context, &ahead->request));
    TRY(output_settings_make(&ahead->settings, &ahead->request,
                             &renderer_info(ahead->renderer)->facts));
    return picture_there_take(&ahead->settings, &ahead->was_there);
}

static void reference_see(void *context, const struct reference_progress *progress)
{
    struct reference_progress *seen = context, now = *progress;
    __atomic_store(&seen->done, &now.done, __ATOMIC_RELAXED);
    __atomic_store(&seen->seconds, &now.seconds, __ATOMIC_RELAXED);
    __atomic_store(&seen->most, &now.most, __ATOMIC_RELEASE);
}

/* Computes the orbit, as the picture would; a failure is the picture's to find. */
static void reference_try(struct picture_ahead *ahead)
{
    const struct picture_settings *settings = &ahead->settings;
    const struct picture *picture = &settings->picture;
    const struct reference_hooks hooks = {.progress = reference_see,
                                          .context = &ahead->seen,
                                          .stop = ahead->request.stop,
                                          .device = renderer_orbit_device(ahead->renderer, NULL, 0),
                                          .keeps_stopped = true};
    const struct spec spec = picture_spec(picture, &settings->plan);
    bool needed =
        settings->plan.method == METHOD_PERTURBATION && !ahead->was_there && !ahead->no_orbit;
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
    ahead->tried = true;
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

void picture_ahead_begin(struct picture_ahead *ahead)
{
    ahead->runs = pthread_create(&ahead->thread, NULL, ready_make, ahead) == 0;
}

bool picture_ahead_wait(struct picture_ahead *ahead, double seconds,
                        struct reference_progress *seen)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    int64_t end_ns = until.tv_nsec + (int64_t)(seconds * 1e9);
    until.tv_sec += end_ns / 1000000000;
    until.tv_nsec = end_ns % 1000000000;
    if (!ahead->runs || pthread_timedjoin_np(ahead->thread, NULL, &until) == 0) {
        ahead->runs = false;
        return true;
    }
    *seen = (struct reference_progress){.stage = REFERENCE_ORBIT};
    __atomic_load(&ahead->seen.most, &seen->most, __ATOMIC_ACQUIRE);
    __atomic_load(&ahead->seen.done, &seen->done, __ATOMIC_RELAXED);
    __atomic_load(&ahead->seen.seconds, &seen->seconds, __ATOMIC_RELAXED);
    return false;
}

enum status picture_ahead_take(struct picture_ahead *ahead)
{
    if (ahead->runs)
        pthread_join(ahead->thread, NULL);
    ahead->runs = false;
    if (!ahead->tried)
        settings_try(ahead);
    return ahead->status == STATUS_OK ? STATUS_OK : status_fail(ahead->status, "%s", ahead->why);
}

void picture_ahead_close(struct picture_ahead *ahead)
{
    if (ahead->runs)
        pthread_join(ahead->thread, NULL);
    ahead->runs = false;
    reference_close(&ahead->reference);
    settings_destroy(&ahead->settings);
    *ahead = (struct picture_ahead){.renderer = NULL};
}
