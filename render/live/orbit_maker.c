#include "render/live/orbit_maker.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "decomposition/thread/clock.h"
#include "decomposition/thread/executor.h"

#define WAKE_S 0.1 /* interval between two reports of progress */

struct orbit_maker {
    const struct world *world;
    const char *cache;
    struct orbit_device device;
    void (*wake)(void *context);
    void *context;
    pthread_t thread;
    pthread_cond_t asked;
    volatile int stop;     /* stop flag of the orbit under way */
    double told_s;         /* time of the last report, by the thread */
    pthread_mutex_t mutex; /* protects all below */
    struct orbit_request request;
    bool waiting, quit; /* waiting: a request was not begun */
    uint64_t number;    /* number of the request begun last */
    struct orbit_progress progress;
    struct orbit_made *made; /* orbit of `number`, not taken yet */
    enum status status;      /* status of `number` */
    char text[STATUS_TEXT_BYTES];
    bool settled;
    double amplification;
};

void orbit_made_destroy(struct orbit_made *made)
{
    if (!made)
        return;
    view_destroy(&made->view);
    shared_orbit_release(made->shared);
    free(made);
}

/* ---- the thread ------------------------------------------------------------------------------ */

static void progress_note(void *context, const struct reference_progress *progress)
{
    struct orbit_maker *maker = context;
    double now = clock_s();
    if (now - maker->told_s < WAKE_S)
        return;
    maker->told_s = now;
    pthread_mutex_lock(&maker->mutex);
    /* else the progress belongs to no request */
    if (progress->stage == REFERENCE_ORBIT && !maker->stop)
        maker->progress = (struct orbit_progress){
            .steps = progress->done, .most = progress->most, .seconds = progress->seconds};
    pthread_mutex_unlock(&maker->mutex);
    maker->wake(maker->context);
}

static enum status made_create(struct orbit_made **out, struct reference *reference,
                               const struct orbit_request *request)
{
    struct orbit_made *made = *out = calloc(1, sizeof *made);
    if (!made)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a reference orbit");
    TRY(view_copy(&made->view, &request->view));
    made->shared = shared_orbit_create(&reference->orbit, request->number);
    if (!made->shared)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a reference orbit");
    made->number = request->number;
    made->log2_step = request->numbers.log2_step;
    made->limit = request->spec.limit;
    made->bailout = request->spec.bailout;
    made->formula = request->spec.formula;
    made->bits = reference->orbit.bits;
    made->steps = reference->orbit.length - 1;
    made->ended = true;
    for (const struct orbit *orbit = &reference->orbit; orbit; orbit = orbit->critical)
        made->ended = made->ended && orbit->end != ORBIT_LIMIT;
    return STATUS_OK;
}

/* Publishes the result of a part of the work, unless a newer request has made it useless. */
static void publish(struct orbit_maker *maker, enum status status, struct orbit_made *made,
                    const double *amplification)
{
    pthread_mutex_lock(&maker->mutex);
    bool useless = maker->stop != 0;
    if (!useless && status != STATUS_OK) {
        maker->status = status;
        snprintf(maker->text, sizeof maker->text, "%s", status_text());
    }
    if (!useless && status == STATUS_OK && made) {
        maker->made = made;
        made = NULL;
    }
    if (!useless && status == STATUS_OK && amplification) {
        maker->amplification = *amplification;
        maker->settled = true;
    }
    pthread_mutex_unlock(&maker->mutex);
    orbit_made_destroy(made);
    maker->wake(maker->context);
}

static void orbit_run(struct orbit_maker *maker, const struct orbit_request *request)
{
    struct reference reference = {.bytes = NULL};
    struct orbit_made *made = NULL;
    /* held, since others may release theirs before this thread is done */
    struct shared_orbit *shared = NULL;
    struct reference_hooks hooks = {
        .progress = progress_note, .context = maker, .stop = &maker->stop, .device = maker->device};
    enum status status = reference_make(&reference, &request->view, &request->numbers,
                                        &request->spec, maker->world, maker->cache, &hooks);
    if (status == STATUS_OK)
        status = made_create(&made, &reference, request);
    if (status == STATUS_OK)
        shared = shared_orbit_hold(made->shared);
    publish(maker, status, made, NULL);
    struct reference_request blocks = {.accuracy_px = request->accuracy_px,
                                       .blocks = BLOCKS_QUARTIC};
    if (status == STATUS_OK) {
        status = reference_settle(&reference, &request->numbers, &request->spec, &blocks, &hooks);
        publish(maker, status, NULL, &blocks.amplification);
    }
    reference_close(&reference);
    shared_orbit_release(shared);
}

static void *maker_live(void *context)
{
    struct orbit_maker *maker = context;
    thread_priority_lower();
    pthread_mutex_lock(&maker->mutex);
    while (!maker->quit) {
        if (!maker->waiting) {
            pthread_cond_wait(&maker->asked, &maker->mutex);
            continue;
        }
        struct orbit_request request = maker->request;
        maker->request.view = (struct view){0};
        maker->waiting = false;
        __atomic_store_n(&maker->stop, 0, __ATOMIC_RELAXED);
        pthread_mutex_unlock(&maker->mutex);
        orbit_run(maker, &request);
        view_destroy(&request.view);
        pthread_mutex_lock(&maker->mutex);
    }
    pthread_mutex_unlock(&maker->mutex);
    view_thread_end();
    return NULL;
}

/* ---- the others ------------------------------------------------------------------------------ */

enum status orbit_maker_open(struct orbit_maker **out, const struct world *world, const char *cache,
                             struct orbit_device device, void (*wake)(void *context), void *context)
{
    struct orbit_maker *maker = *out = calloc(1, sizeof *maker);
    if (!maker)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a maker of orbits");
    maker->world = world;
    maker->cache = cache;
    maker->device = device;
    maker->wake = wake;
    maker->context = context;
    pthread_mutex_init(&maker->mutex, NULL);
    pthread_cond_init(&maker->asked, NULL);
    if (thread_start_without_signals(&maker->thread, maker_live, maker) == 0)
        return STATUS_OK;
    free(maker);
    *out = NULL;
    return status_fail(STATUS_SYSTEM, "no thread for reference orbits");
}

void orbit_maker_close(struct orbit_maker *maker)
{
    if (!maker)
        return;
    pthread_mutex_lock(&maker->mutex);
    maker->quit = true;
    __atomic_store_n(&maker->stop, 1, __ATOMIC_RELAXED);
    pthread_cond_signal(&maker->asked);
    pthread_mutex_unlock(&maker->mutex);
    pthread_join(maker->thread, NULL);
    view_destroy(&maker->request.view);
    orbit_made_destroy(maker->made);
    pthread_cond_destroy(&maker->asked);
    pthread_mutex_destroy(&maker->mutex);
    free(maker);
}

/* Forgets, with the mutex, the orbit under way or made. */
static void forget(struct orbit_maker *maker)
{
    __atomic_store_n(&maker->stop, 1, __ATOMIC_RELAXED);
    orbit_made_destroy(maker->made);
    maker->made = NULL;
    maker->waiting = maker->settled = false;
    maker->status = STATUS_OK;
    maker->progress = (struct orbit_progress){.steps = 0};
}

enum status orbit_maker_ask(struct orbit_maker *maker, const struct orbit_request *request)
{
    struct orbit_request mine = *request;
    mine.view = (struct view){0};
    TRY(view_copy(&mine.view, &request->view));
    pthread_mutex_lock(&maker->mutex);
    forget(maker);
    view_destroy(&maker->request.view);
    maker->request = mine;
    maker->number = request->number;
    maker->waiting = true;
    pthread_cond_signal(&maker->asked);
    pthread_mutex_unlock(&maker->mutex);
    return STATUS_OK;
}

void orbit_maker_stop(struct orbit_maker *maker)
{
    pthread_mutex_lock(&maker->mutex);
    forget(maker);
    maker->number = 0;
    pthread_mutex_unlock(&maker->mutex);
}

struct orbit_progress orbit_maker_progress(struct orbit_maker *maker)
{
    pthread_mutex_lock(&maker->mutex);
    struct orbit_progress progress = maker->progress;
    pthread_mutex_unlock(&maker->mutex);
    return progress;
}

enum status orbit_maker_take(struct orbit_maker *maker, uint64_t number, struct orbit_made **made)
{
    enum status status = STATUS_OK;
    *made = NULL;
    pthread_mutex_lock(&maker->mutex);
    if (maker->number == number && maker->status != STATUS_OK)
        status = status_fail(maker->status, "%s", maker->text);
    else if (maker->number == number) {
        *made = maker->made;
        maker->made = NULL;
    }
    pthread_mutex_unlock(&maker->mutex);
    return status;
}

bool orbit_maker_amplification(struct orbit_maker *maker, uint64_t number, double *amplification)
{
    pthread_mutex_lock(&maker->mutex);
    bool known = maker->number == number && maker->settled;
    *amplification = maker->amplification;
    pthread_mutex_unlock(&maker->mutex);
    return known;
}
