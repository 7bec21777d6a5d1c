/* The calls of any thread. */
#include <stdlib.h>
#include <string.h>

#include "decomposition/clock.h"
#include "render/live/live_parts.h"
#include "render/screen_threads.h"

enum status live_wish_copy(struct live_wish *to, const struct live_wish *from)
{
    struct view mine = {0};
    TRY(view_copy(&mine, &from->view));
    view_destroy(&to->view);
    *to = *from;
    to->view = mine;
    to->palette[sizeof to->palette - 1] = '\0';
    to->passes = from->passes < LIVE_PASSES_MAX ? from->passes : LIVE_PASSES_MAX;
    return STATUS_OK;
}

enum status live_ask(struct live *live, const struct live_wish *wish)
{
    struct live_wish mine = {.serial = 0};
    double now = clock_s();
    TRY(live_wish_copy(&mine, wish));
    pthread_mutex_lock(&live->mutex);
    view_destroy(&live->asked.view);
    live->asked = mine;
    live->asked_s = now;
    live->asked_new = true;
    live->stop = false; /* was for what came before */
    pthread_mutex_unlock(&live->mutex);
    session_wake(live->session);
    return STATUS_OK;
}

static void flag_raise(struct live *live, bool *flag)
{
    pthread_mutex_lock(&live->mutex);
    *flag = true;
    pthread_mutex_unlock(&live->mutex);
    session_wake(live->session);
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
    pthread_mutex_lock(&live->mutex);
    live->wake = wake;
    live->wake_context = context;
    pthread_mutex_unlock(&live->mutex);
}

bool live_news(struct live *live, uint64_t version)
{
    pthread_mutex_lock(&live->mutex);
    bool newer = live->mosaic.version > version;
    pthread_mutex_unlock(&live->mutex);
    return newer;
}

/* ---- pixels ---------------------------------------------------------------------------------- */

static void cell_copy(const struct mosaic *mosaic, int32_t cell, const struct live_pixels *into)
{
    int32_t px = mosaic->cell_px;
    int32_t x = cell % mosaic->columns * px, y = cell / mosaic->columns * px;
    int32_t width = mosaic->width - x < px ? mosaic->width - x : px;
    int32_t end = mosaic->height - y < px ? mosaic->height : y + px;
    for (; y < end; y++)
        memcpy(into->pixels + (size_t)y * (size_t)into->stride + (size_t)x,
               mosaic->pixels + (size_t)y * (size_t)mosaic->width + (size_t)x,
               (size_t)width * sizeof *into->pixels);
}

/* With the mutex. */
static bool pixels_copy(const struct live *live, struct live_pixels *into)
{
    const struct mosaic *mosaic = &live->mosaic;
    if (!mosaic->cell || into->width != mosaic->width || into->height != mosaic->height)
        return false;
    bool all = into->picture != live->state.picture;
    int32_t cells = mosaic->columns * mosaic->rows, copied = 0;
    for (int32_t i = 0; i < cells; i++)
        copied += all || mosaic->cell[i].version > into->version;
    int64_t pixels = (int64_t)copied * mosaic->cell_px * mosaic->cell_px;
#pragma omp parallel for num_threads(screen_copiers(pixels)) schedule(dynamic)
    for (int32_t i = 0; i < cells; i++)
        if (all || mosaic->cell[i].version > into->version)
            cell_copy(mosaic, i, into);
    into->picture = live->state.picture;
    into->version = mosaic->version;
    return copied > 0;
}

bool live_look(struct live *live, struct live_state *state, struct live_pixels *into)
{
    pthread_mutex_lock(&live->mutex);
    live->state.version = live->mosaic.version;
    *state = live->state;
    bool written = into && pixels_copy(live, into);
    if (into)
        live->looked = live->mosaic.version;
    live->woken = false;
    bool waited_for = into && live->asked_new; /* by a wish that was held back for this */
    pthread_mutex_unlock(&live->mutex);
    if (waited_for)
        session_wake(live->session);
    return written;
}

enum status live_who(struct live *live, struct live_owners *owners)
{
    pthread_mutex_lock(&live->mutex);
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
    for (size_t i = 0; fits && i < cells; i++)
        owners->cell[i] = mosaic->cell[i].owner;
    pthread_mutex_unlock(&live->mutex);
    return fits ? STATUS_OK : status_fail(STATUS_OUT_OF_MEMORY, "no memory for %zu cells", cells);
}

enum status live_field(struct live *live, uint64_t serial, struct field *field, int64_t *limit)
{
    pthread_mutex_lock(&live->mutex);
    const struct mosaic *mosaic = &live->mosaic;
    enum status status = STATUS_OK;
    *field = (struct field){.base = NULL};
    if (!live->state.settled || live->state.serial != serial)
        status = status_fail(STATUS_NO_INPUT, "this picture is not settled");
    else
        status = field_create(field, mosaic->width, mosaic->height, mosaic->field.planes,
                              mosaic->field.count_bytes);
    if (status == STATUS_OK) {
        field_copy(field, &mosaic->field);
        *limit = live->state.limit;
    }
    pthread_mutex_unlock(&live->mutex);
    return status;
}
