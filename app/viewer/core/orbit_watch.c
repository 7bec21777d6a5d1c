#include "app/viewer/core/orbit_watch.h"

#include <stdlib.h>

#define RAY_STEP 1e-7 /* distance in c between the last points of a ray */

enum status orbit_watch_open(struct orbit_watch *watch, void (*wake)(void *context), void *context)
{
    watch->wake = wake;
    watch->context = context;
    watch->making = calloc(1, sizeof *watch->making);
    watch->orbit = calloc(1, sizeof *watch->orbit);
    watch->rays = calloc(ORBIT_RAYS_MOST, sizeof *watch->rays);
    if (!watch->making || !watch->orbit || !watch->rays)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for orbits");
    return background_open_low(&watch->thread);
}

void orbit_watch_close(struct orbit_watch *watch)
{
    __atomic_store_n(&watch->stop, 1, __ATOMIC_RELAXED);
    background_close(watch->thread);
    free(watch->making);
    free(watch->orbit);
    free(watch->rays);
    view_destroy(&watch->view);
    view_destroy(&watch->seen);
}

static void rays_make(struct orbit_watch *watch)
{
    int64_t angles = ((int64_t)1 << watch->period) - 1;
    for (int64_t k = 0; k < angles; k++)
        ray_inwards(&watch->rays[k], k, angles, RAY_STEP);
    watch->rays_made = watch->period;
}

static void orbit_watch_run(void *argument)
{
    struct orbit_watch *watch = argument;
    watch->status = point_orbit_make(&watch->request, watch->making);
    if (watch->period != watch->rays_made)
        rays_make(watch);
    view_thread_end();
    atomic_store(&watch->done, true);
    watch->wake(watch->context);
}

static void orbit_watch_take(struct orbit_watch *watch)
{
    struct view view = watch->seen;
    watch->busy = false;
    if (watch->status == STATUS_STOPPED)
        return;
    watch->there = watch->status == STATUS_OK; /* what failed once is not tried for ever */
    struct point_orbit *orbit = watch->orbit;
    watch->orbit = watch->making;
    watch->making = orbit;
    watch->seen = watch->view;
    watch->view = view;
    watch->seen_x = watch->request.x;
    watch->seen_y = watch->request.y;
}

static bool same(const struct orbit_watch *watch, const struct point_orbit_request *wanted,
                 int period)
{
    return watch->request.x == wanted->x && watch->request.y == wanted->y &&
           watch->period == period && formula_same(&watch->request.formula, &wanted->formula);
}

bool orbit_watch_poll(struct orbit_watch *watch, const struct point_orbit_request *wanted,
                      int period)
{
    bool fresh = watch->busy && atomic_load(&watch->done);
    if (fresh)
        orbit_watch_take(watch);
    const struct view *of = watch->busy ? &watch->view : &watch->seen;
    bool wants = !same(watch, wanted, period) || !view_same(of, wanted->view);
    if (watch->busy && wants)
        __atomic_store_n(&watch->stop, 1, __ATOMIC_RELAXED);
    if (watch->busy || !wants || view_copy(&watch->view, wanted->view) != STATUS_OK)
        return fresh;
    watch->request = *wanted;
    watch->request.view = &watch->view;
    watch->request.stop = &watch->stop;
    watch->period = period;
    watch->stop = 0;
    watch->busy = true;
    atomic_store(&watch->done, false);
    background_run(watch->thread, orbit_watch_run, watch);
    return fresh;
}
