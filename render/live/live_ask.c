/* The calls of any thread. */
#include <stdlib.h>

#include "decomposition/clock.h"
#include "render/live/live_parts.h"

enum status live_wish_copy(struct live_wish *to, const struct live_wish *from)
{
    struct view mine = {0};
    TRY(view_copy(&mine, &from->view));
    view_destroy(&to->view);
    *to = *from;
    to->view = mine;
    to->palette[sizeof to->palette - 1] = '\0';
    to->samples = from->samples < 1 ? 1 : from->samples;
    to->samples = to->samples < SAMPLES_MOST ? to->samples : SAMPLES_MOST;
    return STATUS_OK;
}

enum status live_ask(struct live *live, const struct live_wish *wish)
{
    struct live_wish mine = {.serial = 0};
    double now = clock_s();
    TRY(live_wish_copy(&mine, wish));
    pthread_mutex_lock(&live->mutex);
    struct view old = live->asked.view;
    live->asked = mine;
    live->asked_s = now;
    live->asked_new = true;
    live->stop = false; /* was for what came before */
    pthread_mutex_unlock(&live->mutex);
    view_destroy(&old);
    pool_wake(live->pool);
    return STATUS_OK;
}

static void flag_raise(struct live *live, bool *flag)
{
    pthread_mutex_lock(&live->mutex);
    *flag = true;
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
    pthread_mutex_lock(&live->bell);
    live->wake = wake;
    live->wake_context = context;
    pthread_mutex_unlock(&live->bell);
}

bool live_news(struct live *live, uint64_t version)
{
    return __atomic_load_n(&live->version, __ATOMIC_ACQUIRE) > version;
}

/* ---- pixels ---------------------------------------------------------------------------------- */

/* With the page. */
static bool pixels_copy(struct live *live, uint64_t picture, struct live_pixels *into)
{
    struct mosaic *mosaic = &live->mosaic;
    if (!mosaic->columns || into->width != mosaic->width || into->height != mosaic->height)
        return false;
    if (into->picture != picture)
        into->version = 0;
    into->picture = picture;
    return mosaic_copy(mosaic, &into->version, into->pixels, into->stride);
}

bool live_look(struct live *live, struct live_state *state, struct live_pixels *into)
{
    bool written = false;
    if (into)
        pthread_mutex_lock(&live->page);
    pthread_mutex_lock(&live->mutex);
    live->state.version = live->version;
    *state = live->state;
    if (into)
        live->looked = live->version;
    live->woken = false;
    bool waited_for = into && live->asked_new; /* by a wish that was held back for this */
    uint64_t passes = live->passes;
    pthread_mutex_unlock(&live->mutex);
    if (into) { /* pixels may be newer than the state, but of the same picture */
        written = pixels_copy(live, state->picture, into);
        pthread_mutex_unlock(&live->page);
        pthread_mutex_lock(&live->mutex);
        state->mixed = passes & 1 || passes != live->passes;
        pthread_mutex_unlock(&live->mutex);
    }
    if (waited_for)
        pool_wake(live->pool);
    return written;
}

enum status live_who(struct live *live, struct live_owners *owners)
{
    pthread_mutex_lock(&live->page);
    const struct mosaic *mosaic = &live->mosaic;
    size_t cells = (size_t)mosaic->columns * (size_t)mosaic->rows;
    if (owners->bytes < cells) {
        free(owners->cell);
        owners->cell = malloc(cells);
        owners->bytes = owners->cell ? cells : 0;
    }
    bool fits = owners->bytes >= cells;
    owners->columns = fits ? mosaic->columns : 0;
    owners->rows = fits ? mosaic->rows : 0;
    owners->cell_px = mosaic->cell_px;
    if (fits)
        mosaic_owners(&live->mosaic, owners->cell);
    pthread_mutex_unlock(&live->page);
    return fits ? STATUS_OK : status_fail(STATUS_OUT_OF_MEMORY, "no memory for %zu cells", cells);
}

enum status live_field_hold(struct live *live, uint64_t serial, struct live_field *field)
{
    *field = (struct live_field){.share = NULL};
    pthread_mutex_lock(&live->mutex); /* the coordinator takes `settled` back before the field */
    if (live->state.settled && live->state.serial == serial)
        *field = (struct live_field){.field = live->mosaic.field,
                                     .limit = live->state.limit,
                                     .share = mosaic_share_hold(live->mosaic.share)};
    pthread_mutex_unlock(&live->mutex);
    return field->share ? STATUS_OK : status_fail(STATUS_NO_INPUT, "this picture is not settled");
}

void live_light_hold(struct live *live, uint64_t serial, struct live_field *field)
{
    pthread_mutex_lock(&live->mutex); /* the coordinator takes `smooth` back before the light */
    const struct live_state *state = &live->state;
    if (state->smooth && state->samples_done > 1 && state->serial == serial) {
        field->light_share = mosaic_share_hold(live->mosaic.light);
        field->light = (const float(*)[3])(void *)mosaic_share_light(field->light_share);
        field->samples = state->samples_done;
    }
    pthread_mutex_unlock(&live->mutex);
}

void live_field_release(struct live_field *field)
{
    mosaic_share_release(field->light_share);
    mosaic_share_release(field->share);
    *field = (struct live_field){.share = NULL};
}
