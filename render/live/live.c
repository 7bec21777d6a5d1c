#include "render/live/live.h"

#include <stdlib.h>
#include <string.h>

#include "decomposition/clock.h"
#include "render/live/live_parts.h"

enum {
    CELL_PX = 128,      /* for cores: a few milliseconds at most places */
    CELL_PX_MANY = 256, /* for a rank with more than MANY_THREADS */
    MANY_THREADS = 16,
    CELL_PX_WIDE = 512, /* for GPUs, */
    CELL_PX_GPUS = 256, /* for more than MANY_GPUS of them */
    MANY_GPUS = 4,
    WAVE = 1 << 17 /* pixels that a GPU computes as fast as a few */
};

#define SLICE_CORES_S 0.010 /* longest stretch that cannot be given up */
#define SLICE_GPU_S 0.004
#define HOLD_CORES_S 0.030 /* less than a cancel may take */
#define HOLD_GPU_S 0.006
#define SPLIT_CORES_S 0.030 /* pieces take so long at most */
#define SPLIT_GPU_S 0.008
#define ROW_CORES_S 0.001 /* a piece takes 0.06 ms to be dealt and painted, however cheap it is */

static void bell(void *context)
{
    struct live *live = context;
    pool_wake(live->pool);
}

struct opening { /* of this rank's devices */
    struct scene_room *room;
    const struct crew_options *options;
};

static enum status devices_open(void *context)
{
    const struct opening *opening = context;
    return scene_room_open(opening->room, opening->options);
}

/* It may take long, and rank 0 is to hear from this rank meanwhile. */
static enum status room_open(struct live *live, bool computes)
{
    struct crew_options options = live->studio->crew_options;
    if (!computes)
        return STATUS_OK;
    if (options.slice_s <= 0)
        options.slice_s = live->studio->facts.gpus ? SLICE_GPU_S : SLICE_CORES_S;
    struct opening opening = {.room = &live->room, .options = &options};
    return world_work(live->world, devices_open, &opening);
}

static enum status workers_open(struct live *live)
{
    bool computes = live->studio->crew_options.computes;
    TRY(world_agree(live->world, room_open(live, computes)));
    struct pool_options options = {.calls = scene_calls(&live->room),
                                   .threads = live->room.crew.lanes,
                                   .credits = CREW_CREDITS * live->room.crew.devices,
                                   .memory = computes ? &live->room.memory : NULL};
    if (options.credits < options.threads)
        options.credits = options.threads;
    return pool_open(&live->pool, live->world, &options);
}

/* Rank 0's own. */
static enum status coordinator_open(struct live *live, const struct live_options *options)
{
    struct live_work *work = &live->work;
    const struct studio_facts *facts = &live->studio->facts;
    bool gpus = facts->gpus > 0;
    int threads = live->studio->crew_options.threads;
    live->accuracy_px = options->accuracy_px > 0 ? options->accuracy_px : PLAN_ACCURACY_DEFAULT_PX;
    live->cell_px = facts->gpus > MANY_GPUS  ? CELL_PX_GPUS
                    : gpus                   ? CELL_PX_WIDE
                    : threads > MANY_THREADS ? CELL_PX_MANY
                                             : CELL_PX;
    live->wave = gpus ? WAVE : 0;
    live->split_s = gpus ? SPLIT_GPU_S : SPLIT_CORES_S;
    live->row_s = gpus ? SPLIT_GPU_S : ROW_CORES_S;
    live->hold_s = gpus ? HOLD_GPU_S : HOLD_CORES_S;
    live->assets = strdup(options->assets ? options->assets : "");
    live->orbit_cache = options->orbit_cache ? strdup(options->orbit_cache) : NULL;
    for (int w = 0; w < pool_workers(live->pool); w++) {
        work->slots += pool_worker(live->pool, w)->credits;
        live->lanes += pool_worker(live->pool, w)->lanes;
    }
    live->devices = work->slots / CREW_CREDITS;
    work->slots *= 2; /* some are out twice */
    work->slot = calloc((size_t)work->slots, sizeof *work->slot);
    live->staff = calloc((size_t)pool_workers(live->pool), sizeof *live->staff);
    if (!live->assets || !work->slot || !live->staff ||
        (options->orbit_cache && !live->orbit_cache))
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the engine of the viewer");
    for (int w = 0; w < pool_workers(live->pool); w++)
        live->staff[w].lanes = pool_worker(live->pool, w)->lanes;
    return orbit_maker_open(&live->maker, live->world, live->orbit_cache, bell, live);
}

enum status live_open(struct live **out, struct world *world, const struct live_options *options)
{
    *out = NULL;
    struct live *live = calloc(1, sizeof *live);
    TRY(world_agree(world, live ? STATUS_OK
                                : status_fail(STATUS_OUT_OF_MEMORY, "no memory for a viewer")));
    live->world = world;
    pthread_mutex_init(&live->mutex, NULL);
    pthread_mutex_init(&live->page, NULL);
    pthread_mutex_init(&live->bell, NULL);
    mosaic_open(&live->mosaic);
    enum status status = studio_open(&live->studio, world, options ? &options->studio : NULL);
    if (status == STATUS_OK)
        status = workers_open(live);
    if (status == STATUS_OK)
        status = world_agree(world, options ? coordinator_open(live, options) : STATUS_OK);
    if (status == STATUS_OK)
        *out = live;
    else
        live_close(live);
    return status;
}

enum status live_serve(struct live *live)
{
    return pool_serve(live->pool);
}

static void coordinator_close(struct live *live)
{
    struct live_work *work = &live->work;
    ladder_close(&work->ladder);
    palette_destroy(work->palette);
    orbit_made_destroy(work->own);
    orbit_made_destroy(work->last);
    orbit_made_destroy(work->coming);
    view_destroy(&work->wish.view);
    view_destroy(&live->asked.view);
    free(work->slot);
    free(live->staff);
    free(live->assets);
    free(live->orbit_cache);
}

enum status live_close(struct live *live)
{
    if (!live)
        return STATUS_OK;
    orbit_maker_close(live->maker); /* it wakes the pool */
    TRY(pool_close(live->pool));    /* else something still runs in this memory */
    coordinator_close(live);
    scene_room_close(&live->room);
    studio_close(live->studio);
    mosaic_close(&live->mosaic);
    pthread_mutex_destroy(&live->bell);
    pthread_mutex_destroy(&live->page);
    pthread_mutex_destroy(&live->mutex);
    free(live);
    return STATUS_OK;
}
