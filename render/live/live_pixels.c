#include "render/live/live.h"

#include <stdlib.h>

#include "render/live/coordinator.h"

/* Copies pixels, with the page locked. */
static bool pixels_copy(struct live *live, uint64_t picture, struct live_pixels *into)
{
    struct framebuffer *framebuffer = &live->framebuffer;
    if (!framebuffer->columns || into->width != framebuffer->width ||
        into->height != framebuffer->height)
        return false;
    if (into->picture != picture)
        into->version = 0;
    into->picture = picture;
    return framebuffer_copy(framebuffer, &into->version, into->pixels, into->stride, into->changed);
}

bool live_poll(struct live *live, struct live_state *state, struct live_pixels *into)
{
    bool written = false, page = into != NULL;
    if (page)
        pthread_mutex_lock(&live->page);
    if (page && live->recolours)
        into = NULL; /* nothing is new before all are copied; the page stays locked until the state
                        is read, or that of the new colours would be told without them */
    pthread_mutex_lock(&live->mutex);
    live->state.version = live->version;
    *state = live->state;
    if (into)
        live->copied = live->version;
    live->woken = false;
    bool waited_for = into && live->asked_new; /* a request was held back for this copy */
    uint64_t passes = live->passes;
    pthread_mutex_unlock(&live->mutex);
    if (into) /* pixels may be newer than the state, but belong to the same picture */
        written = pixels_copy(live, state->picture, into);
    if (page)
        pthread_mutex_unlock(&live->page);
    if (into) {
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
    const struct framebuffer *framebuffer = &live->framebuffer;
    size_t cells = (size_t)framebuffer->columns * (size_t)framebuffer->rows;
    if (owners->bytes < cells) {
        free(owners->cell);
        owners->cell = malloc(cells);
        owners->bytes = owners->cell ? cells : 0;
    }
    bool fits = owners->bytes >= cells;
    owners->columns = fits ? framebuffer->columns : 0;
    owners->rows = fits ? framebuffer->rows : 0;
    owners->cell_px = framebuffer->cell_px;
    if (fits)
        framebuffer_owners(&live->framebuffer, owners->cell);
    pthread_mutex_unlock(&live->page);
    return fits ? STATUS_OK : status_fail(STATUS_OUT_OF_MEMORY, "no memory for %zu cells", cells);
}

enum status live_field_hold(struct live *live, uint64_t serial, struct live_field *field)
{
    *field = (struct live_field){.share = NULL};
    pthread_mutex_lock(&live->mutex); /* the coordinator takes `settled` back before the field */
    if (live->state.settled && live->state.serial == serial)
        *field = (struct live_field){.field = live->framebuffer.field,
                                     .limit = live->state.limit,
                                     .share = framebuffer_share_hold(live->framebuffer.share)};
    pthread_mutex_unlock(&live->mutex);
    return field->share ? STATUS_OK : status_fail(STATUS_NO_INPUT, "this picture is not settled");
}

void live_light_hold(struct live *live, uint64_t serial, struct live_field *field)
{
    pthread_mutex_lock(&live->mutex); /* the coordinator takes `smooth` back before the light */
    const struct live_state *state = &live->state;
    if (state->smooth && state->samples_done > 1 && state->serial == serial) {
        field->light_share = framebuffer_share_hold(live->framebuffer.light);
        field->light = (const float(*)[3])(void *)framebuffer_share_light(field->light_share);
        field->samples = state->samples_done;
    }
    pthread_mutex_unlock(&live->mutex);
}

void live_field_release(struct live_field *field)
{
    framebuffer_share_release(field->light_share);
    framebuffer_share_release(field->share);
    *field = (struct live_field){.share = NULL};
}
