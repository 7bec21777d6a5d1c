#include "app/viewer/core/orbit_watch.h"

#include <stdlib.h>

#include "app/process/environment.h"
#include "library/handle/program.h"

enum status orbit_watch_open(struct orbit_watch *watch, void (*wake)(void *context), void *context)
{
    const struct program_parts parts = {.data = environment_data(), .stop = &watch->stop};
    watch->wake = wake;
    watch->context = context;
    watch->making = calloc(1, sizeof *watch->making);
    watch->orbit = calloc(1, sizeof *watch->orbit);
    watch->rays = calloc(ORBIT_RAYS_MOST, sizeof *watch->rays);
    if (!watch->making || !watch->orbit || !watch->rays)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for orbits");
    TRY(program_world(&watch->world, &parts));
    return background_open_low(&watch->thread);
}

void orbit_watch_close(struct orbit_watch *watch)
{
    __atomic_store_n(&watch->stop, 1, __ATOMIC_RELAXED);
    background_close(watch->thread);
    deepfield_world_close(watch->world);
    free(watch->making);
    free(watch->orbit);
    free(watch->rays);
    place_destroy(&watch->place);
    view_destroy(&watch->seen);
}

/* ---- the thread ---- */

static void rays_make(struct orbit_watch *watch)
{
    int64_t angles = ((int64_t)1 << watch->period) - 1;
    for (int64_t k = 0; k < angles; k++) {
        struct overlay_ray *ray = &watch->rays[k];
        (void)deepfield_ray(k, angles, ray->point, DEEPFIELD_RAY_POINTS, &ray->count);
    }
    watch->rays_made = watch->period;
}

static enum status orbit_make(struct orbit_watch *watch)
{
    struct overlay_path *path = watch->making;
    deepfield_picture *picture = NULL;
    char *text = NULL;
    path->facts = (deepfield_orbit){.size = sizeof path->facts,
                                    .points = path->point,
                                    .ray = path->ray,
                                    .points_most = DEEPFIELD_ORBIT_POINTS,
                                    .ray_most = DEEPFIELD_RAY_POINTS};
    TRY(place_text_write(&watch->place, &text));
    enum status status = status_take(deepfield_picture_open(&picture, watch->world, text));
    if (status == STATUS_OK)
        status = status_take(deepfield_picture_orbit(picture, watch->x, watch->y, &path->facts));
    deepfield_picture_destroy(picture);
    free(text);
    return status;
}

static void orbit_watch_run(void *argument)
{
    struct orbit_watch *watch = argument;
    watch->status = orbit_make(watch);
    if (watch->period != watch->rays_made)
        rays_make(watch);
    view_thread_end();
    atomic_store(&watch->done, true);
    watch->wake(watch->context);
}

/* ---- the window ---- */

static void orbit_watch_take(struct orbit_watch *watch)
{
    watch->busy = false;
    if (watch->status == STATUS_STOPPED)
        return;
    watch->there = watch->status == STATUS_OK; /* what failed once is not tried for ever */
    struct overlay_path *orbit = watch->orbit;
    watch->orbit = watch->making;
    watch->making = orbit;
    if (view_copy(&watch->seen, &watch->place.view) != STATUS_OK)
        watch->there = false;
}

static bool same(const struct orbit_watch *watch, const struct place *place, double x, double y,
                 int period)
{
    const struct view *of = watch->busy ? &watch->place.view : &watch->seen;
    return watch->x == x && watch->y == y && watch->period == period &&
           formula_same(&watch->place.formula, &place->formula) && of->re &&
           view_same(of, &place->view);
}

bool orbit_watch_poll(struct orbit_watch *watch, const struct place *place, double x, double y,
                      int period)
{
    bool fresh = watch->busy && atomic_load(&watch->done);
    if (fresh)
        orbit_watch_take(watch);
    bool wants = !same(watch, place, x, y, period);
    if (watch->busy && wants)
        __atomic_store_n(&watch->stop, 1, __ATOMIC_RELAXED);
    if (watch->busy || !wants || place_copy(&watch->place, place) != STATUS_OK)
        return fresh;
    watch->x = x;
    watch->y = y;
    watch->period = period;
    watch->stop = 0;
    watch->busy = true;
    atomic_store(&watch->done, false);
    background_run(watch->thread, orbit_watch_run, watch);
    return fresh;
}
