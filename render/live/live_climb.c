/* Pieces dealt and taken home. */
#include "render/live/live_parts.h"

#include "decomposition/clock.h"

enum { BIG_SAMPLES = 1 << 15, BIG_ROWS = 8 }; /* of a big piece only every 8th row is looked at */

/* ---- tasks that are out ---------------------------------------------------------------------- */

void live_slots_clear(struct live_work *work)
{
    for (int i = 0; i < work->slots; i++)
        work->slot[i].id = 0;
}

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

/* So that the slot is found from the id, and no id comes twice. */
static uint64_t slot_id(struct live_work *work, const struct live_slot *slot)
{
    return ++work->turn * (uint64_t)work->slots + (uint64_t)(slot - work->slot);
}

/* ---- dealing --------------------------------------------------------------------------------- */

static void task_give(struct live *live, struct live_slot *slot, int worker)
{
    struct live_work *work = &live->work;
    struct pool_task task = scene_task(work->epoch, slot->id, &slot->deal.piece,
                                       live->mosaic.field.planes, live->mosaic.field.count_bytes);
    if (pool_give(live->pool, worker, &task) == STATUS_OK) {
        slot->copies++;
        return;
    }
    if (slot->copies)
        return;
    ladder_back(&work->ladder, &slot->deal); /* the worker is dead: it will say so */
    slot->id = 0;
}

static bool deal_one(struct live *live, int worker)
{
    struct live_work *work = &live->work;
    struct live_slot *slot = slot_free(work);
    struct ladder_deal deal;
    if (!slot || !ladder_next(&work->ladder, &deal))
        return false;
    *slot = (struct live_slot){.id = slot_id(work, slot), .worker = worker, .deal = deal};
    task_give(live, slot, worker);
    return true;
}

/* Nothing is left to deal, and this worker has nothing to do: it gets what a silent one has. */
static void deal_again(struct live *live, int worker)
{
    struct live_work *work = &live->work;
    for (int i = 0; i < work->slots; i++) {
        struct live_slot *slot = &work->slot[i];
        if (!slot->id || slot->copies > 1 || slot->worker == worker)
            continue;
        if (pool_worker(live->pool, slot->worker)->heard_s < LIVE_SILENT_S)
            continue;
        task_give(live, slot, worker);
        return;
    }
}

void live_deal(struct live *live)
{
    struct live_work *work = &live->work;
    int workers = pool_workers(live->pool);
    bool some = work->scene_up && !work->stopped && !work->failed;
    while (some) { /* one each in turn, so that the first does not get all */
        some = false;
        for (int w = 0; w < workers; w++) {
            if (!pool_may_give(live->pool, w))
                continue;
            if (deal_one(live, w))
                some = true;
            else
                deal_again(live, w);
        }
    }
}

/* ---- home ------------------------------------------------------------------------------------ */

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

/* What the limit follows from: the samples of the coarsest lattice, however they came. */
static void limit_note(struct limit_counts *counts, const struct lattice *lattice,
                       const struct field *from)
{
    int32_t step = LATTICE_STRIDE_MOST / lattice->stride;
    if (lattice->x % LATTICE_STRIDE_MOST || lattice->y % LATTICE_STRIDE_MOST)
        return;
    for (int32_t row = 0; row < from->height; row += step)
        for (int32_t x = 0; x < from->width; x += step)
            limit_count(counts,
                        field_count_at(from, (size_t)row * (size_t)from->width + (size_t)x));
}

/* What the samples of a piece say about the picture. */
static void piece_note(struct live *live, const struct piece *piece, const void *bytes)
{
    int count_bytes = live->mosaic.field.count_bytes;
    unsigned planes = live->mosaic.field.planes;
    struct lattice lattice[LATTICES_MOST];
    int count = piece_lattices(piece, lattice);
    for (int i = 0; i < count; i++) {
        struct field from;
        field_over(&from, lattice[i].width, lattice[i].height, planes, count_bytes,
                   (void *)(uintptr_t)bytes); /* only read */
        int64_t samples = (int64_t)from.width * from.height;
        int32_t step = samples > BIG_SAMPLES ? BIG_ROWS : 1;
        for (int32_t row = 0; row < from.height; row += step)
            counts_note(&live->work, &from, row);
        if (live->work.searching)
            limit_note(&live->work.counts, &lattice[i], &from);
        bytes = (const char *)bytes + lattice_bytes(&lattice[i], planes, count_bytes);
    }
}

static void piece_paint(struct live *live, const struct live_slot *slot,
                        const struct pool_result *result)
{
    struct live_work *work = &live->work;
    const struct piece *piece = &slot->deal.piece;
    int rank = pool_worker(live->pool, result->worker)->rank;
    if (work->sample) {
        mosaic_sample_put(&live->mosaic, piece, result->bytes);
        return;
    }
    if (work->searching && work->restarts)
        return; /* finer pixels are shown: these only tell the limit */
    mosaic_put(&live->mosaic, &work->look, piece, result->bytes);
    for (int32_t i = slot->deal.cell; i < slot->deal.cell + slot->deal.cells; i++)
        if (!work->ladder.cell[i].to) /* all its parts are home */
            mosaic_reach(&live->mosaic, &work->look, i, piece->to, rank);
}

static void piece_home(struct live *live, const struct live_slot *slot,
                       const struct pool_result *result)
{
    struct live_work *work = &live->work;
    ladder_home(&work->ladder, &slot->deal, result->busy_s);
    work->iterations += result->iterations;
    if (!work->sample)
        piece_note(live, &slot->deal.piece, result->bytes);
    piece_paint(live, slot, result);
    pthread_mutex_lock(&live->mutex);
    bool ring = live_news_note(live);
    pthread_mutex_unlock(&live->mutex);
    if (ring)
        live_ring(live);
}

static void task_home(struct live *live, const struct pool_result *result)
{
    struct live_work *work = &live->work;
    struct live_slot *slot = slot_of(work, result->task.id);
    if (!slot)
        return;
    if (result->status == STATUS_OK) {
        piece_home(live, slot, result);
        slot->id = 0;
    } else if (--slot->copies == 0) { /* given up, or its worker is dead: to be dealt again */
        ladder_back(&work->ladder, &slot->deal);
        slot->id = 0;
    }
}

/* A worker that cannot take part; when none can, nothing will come. */
static void scene_failed(struct live *live, const struct pool_result *result)
{
    char name[LIVE_NAME_BYTES];
    int alive = 0, workers = pool_workers(live->pool);
    for (int w = 0; w < workers; w++)
        alive += pool_worker(live->pool, w)->alive;
    if (++live->work.scene_failures < alive)
        return;
    status_fail(result->status, "%s: %.900s", live_name(live, result->worker, name), result->text);
    live_fail(live);
}

/* Another failure than of a device would come again and again. */
static bool is_final(enum status status)
{
    return status != STATUS_OK && status != STATUS_STOPPED && status != STATUS_DEVICE_LOST;
}

void live_collect(struct live *live)
{
    struct pool_result result;
    while (pool_take(live->pool, &result)) {
        if (result.status != STATUS_OK)
            live_loss_note(live, &result);
        if (result.news == POOL_CONTEXT)
            scene_failed(live, &result);
        if (result.news != POOL_TASK)
            continue;
        task_home(live, &result);
        if (is_final(result.status) && pool_worker(live->pool, result.worker)->alive) {
            status_fail(result.status, "%s", result.text);
            live_fail(live);
        }
        live_deal(live); /* before the next is painted, so that devices do not wait for that */
    }
}
