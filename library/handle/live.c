/* Live pictures of the interface: an engine on a thread of its own. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "library/handle/handle.h"
#include "library/handle/sentence.h"
#include "library/settings/place_text.h"
#include "render/live/live.h"

struct deepfield_live {
    struct deepfield_renderer *renderer;
    struct live *live;
    pthread_t thread;
    void (*wake)(void *user);
    void *user;
    struct live_pixels pixels; /* as the engine paints them; owned */
    pthread_mutex_t mutex;     /* guards all below */
    struct place asked;        /* the newest request; owned view */
    bool moving, fits;         /* fits: its colours follow what is measured */
    int samples;
    uint64_t measured; /* the measurement that its colours have */
    /* Numbers for the engine: the last one, that with which the newest request began, which its
     * caller knows, and that of the request before. */
    uint64_t serial, first, before;
};

static void *engine_run(void *context)
{
    struct deepfield_live *live = context;
    (void)live_run(live->live);
    return NULL;
}

static void wake_up(void *context)
{
    struct deepfield_live *live = context;
    live->wake(live->user);
}

static enum status engine_open(struct deepfield_live *live)
{
    struct deepfield_world *world = live->renderer->world;
    char assets[4400];
    const struct config *config = &live->renderer->config;
    const struct live_options options = {.renderer = settings_renderer(config),
                                         .assets = assets,
                                         .accuracy_px =
                                             config_real(config, OPTION_COMPUTE_ACCURACY)};
    snprintf(assets, sizeof assets, "%s/assets", world->data.folder);
    TRY(world_idle(world));
    if (world->live)
        return status_fail(STATUS_USAGE, "a world has one live picture at a time");
    if (live->renderer->renderer)
        return status_fail(STATUS_USAGE, "the devices of this renderer are open; a live picture "
                                         "needs a renderer that has not rendered");
    TRY(order_send(world, ORDER_LIVE));
    TRY(live_open(&live->live, world->world, &options));
    if (live->wake)
        live_wake_with(live->live, wake_up, live);
    if (pthread_create(&live->thread, NULL, engine_run, live) == 0)
        return STATUS_OK;
    (void)live_close(live->live);
    return status_fail(STATUS_SYSTEM, "no thread for a live picture");
}

deepfield_status deepfield_live_open(deepfield_live **live, deepfield_renderer *renderer,
                                     void (*wake)(void *user), void *user)
{
    NEED(live);
    *live = NULL;
    NEED(renderer);
    *live = calloc(1, sizeof **live);
    if (!*live)
        return status_give(status_fail(STATUS_OUT_OF_MEMORY, "no memory for a live picture"));
    (*live)->renderer = renderer;
    (*live)->wake = wake;
    (*live)->user = user;
    pthread_mutex_init(&(*live)->mutex, NULL);
    enum status status = engine_open(*live);
    if (status == STATUS_OK) {
        renderer->world->live = *live;
        return DEEPFIELD_OK;
    }
    pthread_mutex_destroy(&(*live)->mutex);
    free(*live);
    *live = NULL;
    return status_give(status);
}

void deepfield_live_close(deepfield_live *live)
{
    if (!live)
        return;
    live_quit(live->live);
    pthread_join(live->thread, NULL);
    (void)live_close(live->live);
    live->renderer->world->live = NULL;
    pthread_mutex_destroy(&live->mutex);
    free(live->pixels.pixels);
    place_destroy(&live->asked);
    free(live);
}

/* ---- requests ---- */

/* Gives the engine the newest request, with the colours that it has by now, under a new number. */
static enum status request_post(struct deepfield_live *live)
{
    struct live_request request = place_request(&live->asked);
    request.serial = live->serial + 1;
    request.samples = live->samples;
    request.pace = live->moving ? LIVE_MOVING : LIVE_SETTLED;
    TRY(live_ask(live->live, &request));
    live->serial = request.serial;
    return STATUS_OK;
}

/* Until the new picture is measured it has the colours of the one before. */
static enum status request_take(struct deepfield_live *live, struct place *place)
{
    live->fits = !(place->distribution.runs > 0);
    if (live->fits)
        place->distribution = live->asked.distribution;
    place_destroy(&live->asked);
    live->asked = *place;
    *place = (struct place){.limit = 0};
    TRY(request_post(live));
    live->before = live->first;
    live->first = live->serial;
    return STATUS_OK;
}

deepfield_status deepfield_live_ask(deepfield_live *live, deepfield_picture *picture, int moving,
                                    uint64_t *serial)
{
    struct config config = {0};
    struct place place = {.limit = 0};
    NEED(live);
    NEED(picture);
    enum status status = picture_config(picture, &config);
    if (status == STATUS_OK)
        status = place_of_settings(&place, &config);
    if (status == STATUS_OK) {
        int samples = settings_samples(&config);
        pthread_mutex_lock(&live->mutex);
        live->samples = samples ? samples : LIVE_SAMPLES_PLAN;
        live->moving = moving != 0;
        status = request_take(live, &place);
        if (serial)
            *serial = live->first;
        pthread_mutex_unlock(&live->mutex);
    }
    place_destroy(&place);
    config_destroy(&config);
    return status_give(status);
}

/* Colours that fit the picture follow what the engine measures of it, first of coarse pixels, as
 * those of deepfield_render do: the same request is posted again. */
static enum status colours_fit(struct deepfield_live *live, const struct live_state *now)
{
    struct distribution *colours = &live->asked.distribution;
    bool first = !(colours->runs > 0), of_it = now->measured_picture == now->picture;
    if (!live->fits || now->serial < live->first || !of_it || now->measured == live->measured ||
        !(now->distribution.runs > 0) || (live->moving && !first))
        return STATUS_OK;
    live->measured = now->measured;
    if (distribution_same(colours, &now->distribution))
        return STATUS_OK;
    *colours = now->distribution;
    return request_post(live);
}

/* What the caller sees: its own numbers, and settled with the final colours alone. */
static void state_own(const struct deepfield_live *live, struct live_state *now)
{
    bool coloured = now->serial == live->serial && (!live->fits || now->measured == live->measured);
    now->settled = now->settled && coloured;
    if (now->serial >= live->first)
        now->serial = live->first;
    else if (now->serial > live->before)
        now->serial = live->before;
}

/* ---- pixels ---- */

static void state_give(deepfield_live_state *given, const struct live_state *state)
{
    static const int stages[] = {
        [LIVE_NOTHING] = DEEPFIELD_LIVE_NOTHING, [LIVE_ORBIT] = DEEPFIELD_LIVE_ORBIT,
        [LIVE_COARSE] = DEEPFIELD_LIVE_COARSE,   [LIVE_QUARTER] = DEEPFIELD_LIVE_QUARTER,
        [LIVE_HALF] = DEEPFIELD_LIVE_HALF,       [LIVE_FINE] = DEEPFIELD_LIVE_FINE,
        [LIVE_DONE] = DEEPFIELD_LIVE_DONE,       [LIVE_SAMPLES] = DEEPFIELD_LIVE_SAMPLES,
        [LIVE_FAILED] = DEEPFIELD_LIVE_FAILED};
    deepfield_live_state whole = {.size = given->size,
                                  .serial = state->serial,
                                  .version = state->version,
                                  .width = state->width,
                                  .height = state->height,
                                  .stage = stages[state->stage],
                                  .settled = state->settled,
                                  .covered = state->covered,
                                  .samples = state->samples_done,
                                  .done = state->done,
                                  .limit = state->limit};
    sentence_by_keys(whole.error, sizeof whole.error, state->error);
    memcpy(given, &whole, given->size < sizeof whole ? given->size : sizeof whole);
}

/* Pixels as the engine paints them, of another size than before. */
static enum status pixels_size(struct live_pixels *pixels, int32_t width, int32_t height)
{
    size_t bytes = (size_t)width * (size_t)height * sizeof *pixels->pixels;
    if (pixels->width == width && pixels->height == height)
        return STATUS_OK;
    free(pixels->pixels);
    *pixels = (struct live_pixels){.pixels = calloc(1, bytes)};
    if (!pixels->pixels)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for %d x %d pixels", width, height);
    pixels->width = pixels->stride = width;
    pixels->height = height;
    return STATUS_OK;
}

/* 0xAARRGGBB becomes bytes R, G, B, A. */
static void pixels_spread(const struct live_pixels *pixels, const deepfield_array *into)
{
#pragma omp parallel for schedule(static)
    for (int32_t y = 0; y < pixels->height; y++) {
        const uint32_t *from = pixels->pixels + (size_t)y * (size_t)pixels->stride;
        uint8_t *to = (uint8_t *)into->data + (int64_t)y * into->row_bytes;
        for (int32_t x = 0; x < pixels->width; x++, to += 4) {
            to[0] = (uint8_t)(from[x] >> 16);
            to[1] = (uint8_t)(from[x] >> 8);
            to[2] = (uint8_t)from[x];
            to[3] = (uint8_t)(from[x] >> 24);
        }
    }
}

static enum status pixels_give(struct deepfield_live *live, struct live_state *state,
                               const deepfield_array *into)
{
    if (into->size < sizeof *into || !into->data || into->space != DEEPFIELD_HOST ||
        into->type != DEEPFIELD_U8 || into->channels != 4 || into->width < 1 || into->height < 1 ||
        into->row_bytes < 4 * (int64_t)into->width)
        return status_fail(STATUS_USAGE,
                           "pixels of a live picture need an array of U8 with 4 channels in host "
                           "memory");
    TRY(pixels_size(&live->pixels, into->width, into->height));
    (void)live_poll(live->live, state, &live->pixels);
    pixels_spread(&live->pixels, into);
    return STATUS_OK;
}

deepfield_status deepfield_live_poll(deepfield_live *live, deepfield_live_state *state,
                                     const deepfield_array *into)
{
    struct live_state now;
    NEED(live);
    NEED(state);
    enum status status = STATUS_OK;
    if (state->size < sizeof state->size)
        return status_give(status_fail(STATUS_USAGE, "deepfield_live_state.size is not set"));
    if (into)
        status = pixels_give(live, &now, into);
    else
        (void)live_poll(live->live, &now, NULL);
    if (status == STATUS_OK) {
        pthread_mutex_lock(&live->mutex);
        status = colours_fit(live, &now);
        state_own(live, &now);
        pthread_mutex_unlock(&live->mutex);
        state_give(state, &now);
    }
    return status_give(status);
}
