#include "render/live/live_tasks.h"

#include <string.h>

#include "decomposition/thread/clock.h"
#include "render/live/live_request.h"
#include "render/live/live_tell.h"
#include "render/live/live_workers.h"
#include "render/motion/screen_threads.h"

enum {
    BIG_SAMPLES = 1 << 15,
    BIG_ROWS = 8 /* only every 8th row of a big piece is counted */
};

/* Time below which a picture is computed at once, not refined. On GPUs few samples take as long as
 * many, so that the expected time is too large. */
#define AT_ONCE_S 0.008
#define AT_ONCE_GPU_S 0.016

/* ---- tasks that are out ---- */

static struct live_slot *slot_free(struct live_work *work)
{
    for (int i = 0; i < work->slots; i++)
        if (!work->slot[i].id)
            return &work->slot[i];
    return NULL;
}

static struct live_slot *slot_of(struct live_work *work, uint64_t id)
{
    struct live_slot *slot = &work->slot[id % (uint64_t)work->slots];
    return slot->id == id ? slot : NULL;
}

/* Id of a slot: unique, and the slot follows from it. */
static uint64_t slot_id(struct live_work *work, const struct live_slot *slot)
{
    return ++work->ids_given * (uint64_t)work->slots + (uint64_t)(slot - work->slot);
}

/* ---- dealing ---- */

static void task_give(struct live *live, struct live_slot *slot, int worker)
{
    struct live_work *work = &live->work;
    struct pool_task task =
        work_piece_task(work->epoch, slot->id, &slot->deal.piece, live->framebuffer.field.planes,
                        live->framebuffer.field.count_bytes);
    if (live_task_give(live, worker, &task) == STATUS_OK) {
        slot->copies++;
        slot->worker = worker;
        return;
    }
    if (slot->copies)
        return;
    /* the worker is dead, which the pool will report */
    refinement_back(&work->refinement, &slot->deal);
    slot->id = 0;
}

static bool deal_one(struct live *live, int worker)
{
    struct live_work *work = &live->work;
    struct live_slot *slot = slot_free(work);
    struct refinement_deal deal;
    if (!slot || !refinement_next(&work->refinement, &deal))
        return false;
    *slot = (struct live_slot){.id = slot_id(work, slot), .worker = worker, .deal = deal};
    task_give(live, slot, worker);
    return true;
}

static bool is_silent(const struct live *live, int worker)
{
    return live_worker_of(live, worker)->heard_s >= LOSSES_SILENT_S;
}

/* May one more worker get this task? Silent ranks of the job are two at most, jobs that have joined
 * may be any number. */
static bool is_stuck(const struct live *live, const struct live_slot *slot)
{
    if (!slot->id || slot->worker < 0)
        return slot->id != 0;
    bool joined = slot->worker >= pool_workers(live->pool);
    return (slot->copies < 2 || joined) && is_silent(live, slot->worker);
}

/* Deals to an idle worker, when nothing else is left, the task of a silent one. */
static void deal_again(struct live *live, int worker)
{
    struct live_work *work = &live->work;
    if (is_silent(live, worker))
        return;
    for (int i = 0; i < work->slots; i++) {
        struct live_slot *slot = &work->slot[i];
        if (slot->worker == worker || !is_stuck(live, slot))
            continue;
        task_give(live, slot, worker);
        return;
    }
}

void live_deal(struct live *live)
{
    struct live_work *work = &live->work;
    struct worker_set set = live_set_computing(live);
    bool some = work->context_up && !work->stopped && !work->failed;
    live_set_note(work, &set);
    while (some) { /* one each, so that the first does not get all */
        some = false;
        for (int w = 0; w < live_workers_all(live); w++) {
            if (!worker_set_has(&set, w) || !live_may_give(live, w))
                continue;
            if (deal_one(live, w))
                some = true;
            else
                deal_again(live, w);
        }
    }
}

/* ---- results ---- */

static void counts_note(struct live_work *work, const struct field *from, int32_t row)
{
    for (int32_t x = 0; x < from->width; x++) {
        uint64_t count = field_count_at(from, (size_t)row * (size_t)from->width + (size_t)x);
        work->samples++;
        if (!count) {
            work->undecided++;
            continue;
        }
        if (!work->count_min || count < work->count_min)
            work->count_min = count;
        if (count > work->count_max)
            work->count_max = count;
    }
}

/* Counts for the limit the samples of the coarsest subgrid. */
static void limit_note(struct limit_counts *counts, const struct subgrid *subgrid,
                       const struct field *from)
{
    int32_t step = SUBGRID_STRIDE_MOST / subgrid->stride;
    if (subgrid->x % SUBGRID_STRIDE_MOST || subgrid->y % SUBGRID_STRIDE_MOST)
        return;
    for (int32_t row = 0; row < from->height; row += step)
        for (int32_t x = 0; x < from->width; x += step)
            limit_count(counts,
                        field_count_at(from, (size_t)row * (size_t)from->width + (size_t)x));
}

/* Notes counts of a piece's samples. */
static void piece_note(struct live *live, const struct work_piece *piece, const void *bytes)
{
    int count_bytes = live->framebuffer.field.count_bytes;
    unsigned planes = live->framebuffer.field.planes;
    struct subgrid subgrid[SUBGRIDS_MOST];
    int count = work_piece_subgrids(piece, subgrid);
    for (int i = 0; i < count; i++) {
        struct field from;
        field_over(&from, subgrid[i].width, subgrid[i].height, planes, count_bytes,
                   (void *)(uintptr_t)bytes); /* only read */
        int64_t samples = (int64_t)from.width * from.height;
        int32_t step = samples > BIG_SAMPLES ? BIG_ROWS : 1;
        for (int32_t row = 0; row < from.height; row += step)
            counts_note(&live->work, &from, row);
        if (live->work.searching)
            limit_note(&live->work.counts, &subgrid[i], &from);
        bytes = (const char *)bytes + subgrid_bytes(&subgrid[i], planes, count_bytes);
    }
}

/* Are the pixels of this pass painted? Samples are added to the mean when all have arrived, and
 * where finer pixels are shown a search of the limit only counts. */
static bool pass_paints(const struct live_work *work)
{
    return !work->sample && !(work->searching && work->restarts);
}

/* Paints a piece; false: another picture is wanted. */
static bool piece_paint(struct live *live, const struct work_piece *piece, const void *bytes)
{
    struct live_work *work = &live->work;
    if (work->sample)
        framebuffer_sample_put(&live->framebuffer, piece, bytes);
    return !pass_paints(work) || framebuffer_put(&live->framebuffer, &work->look, piece, bytes,
                                                 live_picture_wanted, live);
}

/* Notes that cells have reached a stride, where all their parts have arrived. */
static void cells_reach(struct live *live, const struct live_slot *slot, int rank)
{
    struct live_work *work = &live->work;
    for (int32_t i = slot->deal.cell; i < slot->deal.cell + slot->deal.cells; i++)
        if (!work->refinement.cell[i].to)
            framebuffer_reach(&live->framebuffer, &work->look, i, slot->deal.piece.to, rank);
}

/* Tells where a piece of a worker has arrived, with the mutex. */
static void arrival_tell(struct live_state *state, int worker, const struct work_piece *piece,
                         double now)
{
    state->arrival[++state->arrivals % LIVE_ARRIVALS] =
        (struct live_arrival){.worker = worker,
                              .x = piece->x,
                              .y = piece->y,
                              .width = piece->width,
                              .height = piece->height,
                              .at_s = now};
}

/* Takes a piece; false: it is not wanted any more, or to be dealt again. */
static bool piece_arrived(struct live *live, const struct live_slot *slot,
                          const struct pool_result *result)
{
    struct live_work *work = &live->work;
    double begun_s = clock_s();
    if (!piece_paint(live, &slot->deal.piece, result->bytes))
        return false;
    refinement_arrived(&work->refinement, &slot->deal, result->busy_s);
    work->iterations += result->iterations;
    if (!work->sample)
        piece_note(live, &slot->deal.piece, result->bytes);
    if (pass_paints(work))
        cells_reach(live, slot, live_worker_of(live, result->worker)->rank);
    double now_s = clock_s();
    work->compose_s += now_s - begun_s;
    pthread_mutex_lock(&live->mutex);
    arrival_tell(&live->state, result->worker, &slot->deal.piece, now_s);
    bool ring = live_news_note(live);
    pthread_mutex_unlock(&live->mutex);
    if (ring)
        live_window_ring(live);
    return true;
}

static void task_arrived(struct live *live, const struct pool_result *result)
{
    struct live_work *work = &live->work;
    struct live_slot *slot = slot_of(work, result->task.id);
    if (!slot)
        return;
    if (result->status == STATUS_OK && piece_arrived(live, slot, result))
        slot->id = 0;
    else if (result->status == STATUS_OK || --slot->copies == 0) {
        /* cancelled, or its worker is dead: to be dealt again */
        refinement_back(&work->refinement, &slot->deal);
        slot->id = 0;
    } else if (slot->worker == result->worker)
        slot->worker = -1;
}

/* Notes a worker that cannot take part; fails when none can. */
static void context_failed(struct live *live, const struct pool_result *result)
{
    char name[LOSSES_NAME_BYTES];
    int alive = 0, workers = pool_workers(live->pool);
    for (int w = 0; w < workers; w++)
        alive += pool_worker(live->pool, w)->alive;
    if (++live->work.context_failures < alive)
        return;
    status_fail(result->status, "%s: %.900s", losses_name(&live->losses, result->worker, name),
                result->text);
    live_fail(live);
}

/* Is the failure final? Any other than of a device would repeat. */
static bool is_final(enum status status)
{
    return status != STATUS_OK && status != STATUS_STOPPED && status != STATUS_DEVICE_LOST;
}

/* Has the picture a colour everywhere, which is not noted yet? */
static bool covered_now(const struct live_work *work)
{
    return work->moments.covered == 0 && work->context_up &&
           refinement_stride(&work->refinement) > 0;
}

bool live_collect(struct live *live)
{
    struct pool_result result;
    while (live_picture_wanted(live)) {
        if (!live_result_take(live, &result))
            return true;
        bool own = result.worker < pool_workers(live->pool);
        if (own && result.status != STATUS_OK && losses_note(&live->losses, &result))
            live_left_check(live);
        if (!own && (result.kind == POOL_WORKER || result.kind == POOL_JOINED))
            live_trouble_tell(live, result.text);
        if (result.kind == POOL_CONTEXT)
            context_failed(live, &result);
        if (result.kind != POOL_TASK)
            continue;
        task_arrived(live, &result);
        if (is_final(result.status) && live_worker_of(live, result.worker)->alive) {
            status_fail(result.status, "%s", result.text);
            live_fail(live);
        }
        live_deal(live); /* before painting, so that devices do not wait for it */
        if (covered_now(&live->work))
            return true;
    }
    return false;
}

double live_at_once_s(const struct live *live)
{
    return live->wave > 0 ? AT_ONCE_GPU_S : AT_ONCE_S;
}
