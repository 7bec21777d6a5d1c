/* The coordinator's loop. */
#include <stdlib.h>
#include <string.h>

#include "decomposition/clock.h"
#include "render/live/live_parts.h"

enum { TICK_US = 100000 }; /* while something computes: figures are told so often at least */

static bool same_picture(const struct live_wish *a, const struct live_wish *b)
{
    return view_same(&a->view, &b->view) && a->limit == b->limit && a->bailout == b->bailout &&
           a->distances == b->distances && a->planes == b->planes &&
           a->accuracy_px == b->accuracy_px && a->again == b->again &&
           formula_same(&a->formula, &b->formula);
}

static bool same_look(const struct live_wish *a, const struct live_wish *b)
{
    return !strcmp(a->palette, b->palette) && look_same(&a->look, &b->look);
}

/* A palette that cannot be had leaves the one before, if there is one. */
static enum status palette_take(struct live *live, const char *name)
{
    struct live_work *work = &live->work;
    struct palette *palette;
    TRY(palette_load(&palette, live->assets, name));
    palette_destroy(work->palette);
    work->palette = palette;
    return STATUS_OK;
}

/* `before`: the wish until now, or NULL. */
static void look_take(struct live *live, const struct live_wish *before)
{
    struct live_work *work = &live->work;
    bool another = !before || work->warned || strcmp(before->palette, work->wish.palette);
    work->warned = false;
    if (another && palette_take(live, work->wish.palette) != STATUS_OK) {
        if (work->palette)
            live_warn(live);
        else
            live_fail(live);
    }
    work->look = work->wish.look;
    work->look.palette = work->palette;
}

/* With the mutex: how long a wish for another picture is to wait, because nobody has seen anything
 * of this one yet: a hand that moves quickly would never see any. 0: no longer. */
static double hold_left(const struct live *live)
{
    const struct live_work *work = &live->work;
    if (!live->asked_new || !work->begun || work->failed || work->stopped || work->climb_s == 0)
        return 0;
    bool seen = work->moments.covered > 0 && live->looked >= work->covered_version;
    if (seen || same_picture(&work->wish, &live->asked))
        return 0;
    double left = work->climb_s + live->hold_s - clock_s();
    return left > 0 ? left : 0;
}

/* Is nothing else wished for than these colours? Another look must wait, or none would ever be seen
 * while colours change all the time. */
bool live_colours_wanted(void *context)
{
    struct live *live = context;
    pthread_mutex_lock(&live->mutex);
    bool another =
        live->asked_new && hold_left(live) == 0 && !same_picture(&live->work.wish, &live->asked);
    pthread_mutex_unlock(&live->mutex);
    return !another;
}

static void recolour(struct live *live)
{
    struct live_work *work = &live->work;
    live_samples_drop(live);
    work->recolour_due = !mosaic_recolour(&live->mosaic, &work->look, live_colours_wanted, live);
}

static void wish_take(struct live *live)
{
    struct live_work *work = &live->work;
    struct live_wish fresh;
    pthread_mutex_lock(&live->mutex);
    bool stop = live->stop, is_new = live->asked_new && (stop || hold_left(live) == 0);
    double asked_s = live->asked_s;
    if (is_new) {
        fresh = live->asked;
        live->asked = (struct live_wish){.serial = 0};
    }
    live->asked_new = live->asked_new && !is_new;
    live->stop = false;
    pthread_mutex_unlock(&live->mutex);
    if (is_new) {
        struct live_wish old = work->wish;
        bool had = work->begun, same = had && !work->failed && same_picture(&old, &fresh);
        work->wish = fresh;
        if (!same)
            live_picture_begin(live, asked_s);
        look_take(live, had ? &old : NULL);
        if (same && (work->recolour_due || !same_look(&old, &fresh)) && work->palette)
            recolour(live);
        if (same)
            ladder_point(&work->ladder, fresh.pointer_x, fresh.pointer_y);
        if (same && fresh.samples < (work->sample ? work->sample + 1 : work->samples_done))
            recolour(live); /* the mean begins anew */
        view_destroy(&old.view);
    }
    if (stop) {
        pool_cancel(live->pool);
        live_slots_clear(work);
        orbit_maker_stop(live->maker);
        orbit_made_destroy(work->coming);
        work->coming = NULL;
        work->stopped = true;
    }
}

/* Is there anything that will come by itself? */
static bool is_at_work(const struct live *live)
{
    const struct live_work *work = &live->work;
    if (!work->begun || work->failed || work->stopped)
        return false;
    return !work->scene_up || !ladder_done(&work->ladder) ||
           (work->orbit_asked && !work->amplification_known);
}

/* How long to wait for news, in microseconds; -1: for ever. */
static int64_t wait_us(struct live *live)
{
    int64_t tick = is_at_work(live) || live_loss_awaited(live) ? TICK_US : -1;
    pthread_mutex_lock(&live->mutex);
    int64_t held = live->asked_new ? (int64_t)(hold_left(live) * 1e6) : -1;
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
        wish_take(live);
        live_collect(live);
        live_loss_watch(live);
        live_advance(live);
        live_deal(live);
        live_tell(live);
        pool_wait(live->pool, wait_us(live));
    }
}
