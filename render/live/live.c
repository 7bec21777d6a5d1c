#include "render/live/live.h"

#include <stdlib.h>
#include <string.h>

#include "decomposition/thread/clock.h"
#include "kernels/backend_kind.h"
#include "render/live/coordinator.h"
#include "render/live/live_picture.h"
#include "render/live/live_request.h"
#include "render/live/live_steps.h"
#include "render/live/live_tasks.h"
#include "render/live/live_tell.h"
#include "render/live/live_workers.h"
#include "render/motion/screen_threads.h"
#include "render/picture/picture.h"

enum {
    CELL_PX = 128,      /* cells for cores: a few milliseconds in most views */
    CELL_PX_MANY = 256, /* cells for a rank with more than MANY_THREADS */
    MANY_THREADS = 16,
    CELL_PX_WIDE = 512, /* cells for GPUs */
    CELL_PX_GPUS = 256, /* cells for more than MANY_GPUS GPUs */
    MANY_GPUS = 4,
    WAVE = 1 << 17,  /* pixels that a GPU computes as fast as a few */
    TICK_US = 100000 /* interval at which figures are told while something computes */
};

#define SLICE_CORES_S 0.010 /* longest slice of work that cannot be cancelled */
#define SLICE_GPU_S 0.004
#define HOLD_CORES_S 0.030 /* holding time of a picture, less than a cancel may take */
#define HOLD_GPU_S 0.006
#define SPLIT_CORES_S 0.030 /* longest piece */
#define SPLIT_GPU_S 0.008
/* Longest row of cells that is one piece: dealing and painting a piece takes 0.06 ms. */
#define ROW_CORES_S 0.001

/* ---- the loop of the coordinator ---- */

static void recolours_set(struct live *live, bool recolours)
{
    pthread_mutex_lock(&live->page);
    live->recolours = recolours;
    pthread_mutex_unlock(&live->page);
}

static void recolour(struct live *live)
{
    struct live_work *work = &live->work;
    live_mean_drop(live);
    recolours_set(live, true);
    work->recolour_due =
        !framebuffer_recolour(&live->framebuffer, &work->look, live_picture_wanted, live);
    work->mixed = false;
    recolours_set(live, false);
    work->recoloured_version = UINT64_MAX; /* the next version told */
    work->recoloured_s = clock_s();
}

/* Is the plan that is being made, for up to 0.2 s, outdated? With the mutex. While the user moves
 * the view each plan is finished: nothing would be shown if every request cancelled the one
 * before. */
static bool plan_outdated(const struct live *live)
{
    const struct live_request *now = &live->work.request, *next = &live->asked;
    bool moves = now->pace == LIVE_MOVING && next->pace == LIVE_MOVING;
    return live->quit || live->stop ||
           (live->asked_new && !moves && !live_same_picture(live, next));
}

/* Raises the stop flag of plans, with the mutex. A request taken back leaves it raised: a plan may
 * have polled it. */
static void plan_stop_raise(struct live *live)
{
    if (plan_outdated(live))
        __atomic_store_n(&live->plan_stop, 1, __ATOMIC_RELAXED);
}

static void request_take(struct live *live)
{
    struct live_work *work = &live->work;
    struct live_request fresh, old = work->request;
    pthread_mutex_lock(&live->mutex);
    bool same = false, repeats = false, stop = live->stop,
         is_new = live->asked_new && (stop || live_hold_left(live) == 0);
    double asked_s = live->asked_s;
    if (is_new) {
        fresh = live->asked;
        live->asked = (struct live_request){.serial = 0};
        same = live_same_picture(live, &fresh);
        repeats = live_same_again(live, &fresh);
        work->request = fresh; /* set here, as other threads compare it */
    }
    live->asked_new = live->asked_new && !is_new;
    live->stop = false;
    __atomic_store_n(&live->plan_stop, plan_outdated(live), __ATOMIC_RELAXED);
    pthread_mutex_unlock(&live->mutex);
    if (is_new) {
        bool had = work->begun;
        same = same && had && !work->failed;
        if (!repeats || !had)
            work->times.rows = 0;
        if (!same)
            live_picture_begin(live, asked_s);
        live_look_take(live, had ? &old : NULL);
        if (same && (work->recolour_due || work->mixed || !live_same_look(&old, &fresh)) &&
            work->palette)
            recolour(live);
        if (same)
            refinement_point(&work->refinement, fresh.pointer_x, fresh.pointer_y);
        if (same &&
            live_samples_wanted(work) < (work->sample ? work->sample + 1 : work->samples_done))
            recolour(live); /* the mean begins anew */
        view_destroy(&old.view);
    }
    if (stop) {
        live_tasks_cancel(live);
        live_slots_clear(work);
        orbits_stop(&work->orbits);
        work->stopped = true;
    }
}

/* Time to wait for results, in microseconds; -1: without limit. */
static int64_t wait_us(struct live *live)
{
    if (live_mean_is_due(live) && live_mean_wanted(live))
        return 0;
    int64_t tick = live_is_at_work(live) || losses_awaited(&live->losses) ? TICK_US : -1;
    pthread_mutex_lock(&live->mutex);
    int64_t held = live->asked_new ? (int64_t)(live_hold_left(live) * 1e6) : -1;
    pthread_mutex_unlock(&live->mutex);
    return held < 0 || (tick >= 0 && tick < held) ? tick : held;
}

enum status live_run(struct live *live)
{
    for (;;) {
        pthread_mutex_lock(&live->mutex);
        bool quit = live->quit;
        pthread_mutex_unlock(&live->mutex);
        if (quit) {
            view_thread_end();
            return STATUS_OK;
        }
        request_take(live);
        if (!live_collect(live))
            continue;
        if (losses_watch(&live->losses))
            live_left_check(live);
        live_advance(live);
        live_deal(live);
        live_state_tell(live);
        if (live_distribution_note(
                live)) /* takes a millisecond, for which no first picture waits */
            live_state_tell(live);
        pool_wait(live->pool, wait_us(live));
    }
}

/* ---- the calls of any thread ---- */

/* Copies a request with its texts; `to` must be zeroed or valid. */
static enum status request_copy(struct live_request *to, const struct live_request *from)
{
    struct view mine = {0};
    TRY(view_copy(&mine, &from->view));
    view_destroy(&to->view);
    *to = *from;
    to->view = mine;
    to->palette[sizeof to->palette - 1] = '\0';
    if (from->samples != LIVE_SAMPLES_PLAN)
        to->samples = from->samples < 1 ? 1 : from->samples;
    to->samples = to->samples < SAMPLES_MOST ? to->samples : SAMPLES_MOST;
    return STATUS_OK;
}

enum status live_ask(struct live *live, const struct live_request *request)
{
    struct live_request mine = {.serial = 0};
    double now = clock_s();
    TRY(request_copy(&mine, request));
    pthread_mutex_lock(&live->mutex);
    struct view old = live->asked.view;
    live->asked = mine;
    live->asked_s = now;
    live->asked_new = true;
    live->stop = false; /* was for earlier requests */
    plan_stop_raise(live);
    pthread_mutex_unlock(&live->mutex);
    view_destroy(&old);
    pool_wake(live->pool);
    return STATUS_OK;
}

static void flag_raise(struct live *live, bool *flag)
{
    pthread_mutex_lock(&live->mutex);
    *flag = true;
    plan_stop_raise(live);
    pthread_mutex_unlock(&live->mutex);
    pool_wake(live->pool);
}

void live_quit(struct live *live)
{
    flag_raise(live, &live->quit);
}

void live_stop(struct live *live)
{
    flag_raise(live, &live->stop);
}

void live_wake_with(struct live *live, void (*wake)(void *context), void *context)
{
    pthread_mutex_lock(&live->wake_lock);
    live->wake = wake;
    live->wake_context = context;
    pthread_mutex_unlock(&live->wake_lock);
}

uint64_t live_version(struct live *live)
{
    return __atomic_load_n(&live->version, __ATOMIC_ACQUIRE);
}

/* ---- opening and closing ---- */

static void orbit_arrived(void *context)
{
    struct live *live = context;
    pool_wake(live->pool);
}

struct worker_opening { /* opening of this rank's devices */
    struct rank_worker *worker;
    const struct device_set_options *options;
};

static enum status devices_open(void *context)
{
    const struct worker_opening *opening = context;
    return rank_worker_open(opening->worker, opening->options);
}

/* Opens the worker on a thread, since it may take long and rank 0 must hear from this rank
 * meanwhile. */
static enum status worker_open(struct live *live, bool computes)
{
    struct device_set_options options = renderer_info(live->renderer)->devices;
    if (!computes)
        return STATUS_OK;
    if (options.slice_s <= 0)
        options.slice_s = renderer_info(live->renderer)->facts.gpus ? SLICE_GPU_S : SLICE_CORES_S;
    struct worker_opening opening = {.worker = &live->worker, .options = &options};
    return world_work(live->world, devices_open, &opening);
}

static enum status workers_open(struct live *live)
{
    bool computes = renderer_info(live->renderer)->devices.computes;
    TRY(world_agree(live->world, worker_open(live, computes)));
    struct pool_options options = {.calls = rank_worker_calls(&live->worker),
                                   .threads = live->worker.device_set.threads,
                                   .credits = DEVICE_SET_CREDITS * live->worker.device_set.devices,
                                   .memory = computes ? &live->worker.memory : NULL};
    if (options.credits < options.threads)
        options.credits = options.threads;
    return pool_open(&live->pool, live->world, &options);
}

/* Notes by what a worker computes. */
static void backend_note(struct live *live, int w)
{
    const struct renderer_info *info = renderer_info(live->renderer);
    struct live_worker *worker = &live->state.worker[w];
    worker->backend = "";
    for (int i = 0; i < info->row_count; i++)
        if (info->rows[i].rank == pool_worker(live->pool, w)->rank)
            worker->backend = info->rows[i].backend;
    worker->gpu = backend_kind_is_gpu(backend_kind_named(worker->backend));
}

/* Opens the parts that only rank 0 has. */
static enum status coordinator_open(struct live *live, const struct live_options *options)
{
    struct live_work *work = &live->work;
    const struct renderer_facts *facts = &renderer_info(live->renderer)->facts;
    bool gpus = facts->gpus > 0;
    int threads = renderer_info(live->renderer)->devices.threads;
    live->accuracy_px = options->accuracy_px > 0 ? options->accuracy_px : ACCURACY_DEFAULT_PX;
    live->cell_px = facts->gpus > MANY_GPUS  ? CELL_PX_GPUS
                    : gpus                   ? CELL_PX_WIDE
                    : threads > MANY_THREADS ? CELL_PX_MANY
                                             : CELL_PX;
    live->wave = options->wave ? options->wave : gpus ? WAVE : 0;
    live->split_s = gpus ? SPLIT_GPU_S : SPLIT_CORES_S;
    live->row_s = gpus ? SPLIT_GPU_S : ROW_CORES_S;
    live->hold_s = gpus ? HOLD_GPU_S : HOLD_CORES_S;
    live->assets = strdup(options->assets ? options->assets : "");
    live->orbit_cache = options->orbit_cache ? strdup(options->orbit_cache) : NULL;
    for (int w = 0; w < pool_workers(live->pool); w++) {
        work->slots += pool_worker(live->pool, w)->credits;
        live->threads += pool_worker(live->pool, w)->threads;
        if (w < LIVE_WORKERS_MAX)
            backend_note(live, w);
    }
    live->devices = work->slots / DEVICE_SET_CREDITS;
    work->slots += renderer_join(live->renderer) ? JOINED_MOST * JOINED_CREDITS_MOST : 0;
    work->slots *= 2; /* some tasks are given twice */
    work->slot = calloc((size_t)work->slots, sizeof *work->slot);
    if (!live->assets || !work->slot || (options->orbit_cache && !live->orbit_cache))
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the engine of the viewer");
    TRY(losses_open(&live->losses, live->world, live->pool, live_trouble_tell, live));
    live_joined_begin(live);
    return orbit_maker_open(&work->orbits.maker, live->world, live->orbit_cache,
                            renderer_orbit_device(live->renderer, NULL, 0), orbit_arrived, live);
}

const struct idle *live_idle(const struct live *live)
{
    return &renderer_info(live->renderer)->idle;
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
    pthread_mutex_init(&live->wake_lock, NULL);
    framebuffer_open(&live->framebuffer);
    enum status status = renderer_open(&live->renderer, world, options ? &options->renderer : NULL);
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
    refinement_close(&work->refinement);
    palette_destroy(work->palette);
    view_destroy(&work->request.view);
    view_destroy(&live->asked.view);
    free(work->slot);
    losses_close(&live->losses);
    free(live->assets);
    free(live->orbit_cache);
}

enum status live_close(struct live *live)
{
    if (!live)
        return STATUS_OK;
    orbits_close(&live->work.orbits); /* first, since its thread wakes the pool */
    live_joined_end(live);
    TRY(pool_close(live->pool)); /* on failure threads still run in this memory */
    coordinator_close(live);
    rank_worker_close(&live->worker);
    renderer_close(live->renderer);
    framebuffer_close(&live->framebuffer);
    pthread_mutex_destroy(&live->wake_lock);
    pthread_mutex_destroy(&live->page);
    pthread_mutex_destroy(&live->mutex);
    free(live);
    return STATUS_OK;
}
