/* Live pictures of the interface: an engine on a thread of its own. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "library/handle/field.h"
#include "library/handle/live.h"
#include "library/handle/sentence.h"

/* ---- opening and closing ---- */

enum status live_create(struct deepfield_live **live)
{
    *live = calloc(1, sizeof **live);
    if (!*live)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a live picture");
    pthread_mutex_init(&(*live)->mutex, NULL);
    return STATUS_OK;
}

void live_destroy(struct deepfield_live *live)
{
    if (!live)
        return;
    pthread_mutex_destroy(&live->mutex);
    free(live->pixels.pixels);
    free(live->owners.cell);
    place_destroy(&live->asked);
    config_destroy(&live->config);
    free(live);
}

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

enum status live_engine_open(struct deepfield_live *live, struct deepfield_renderer *renderer,
                             const char *orbit_cache)
{
    struct deepfield_world *world = renderer->world;
    char folder[WORLD_DATA_BYTES], assets[WORLD_DATA_BYTES + 16];
    struct live_options options = {.renderer = renderer_options(renderer),
                                   .assets = assets,
                                   .orbit_cache = orbit_cache,
                                   .accuracy_px =
                                       config_real(&renderer->config, OPTION_COMPUTE_ACCURACY)};
    options.renderer.several = false;
    TRY(world_data(world, folder));
    snprintf(assets, sizeof assets, "%s/assets", folder);
    TRY(world_idle(world));
    if (world->live)
        return status_fail(STATUS_USAGE, "a world has one live picture at a time");
    if (renderer->renderer)
        return status_fail(STATUS_USAGE, "the devices of this renderer are open; a live picture "
                                         "needs a renderer that has not rendered");
    TRY(order_send(world, ORDER_LIVE));
    TRY(live_open(&live->live, world->world, &options));
    enum status status = renderer_join_publish(renderer, live_join(live->live));
    if (status != STATUS_OK) {
        char text[STATUS_TEXT_BYTES];
        snprintf(text, sizeof text, "%s", status_text());
        (void)live_close(live->live);
        return status_fail(status, "%s", text);
    }
    renderer_idle_tell(renderer, live_idle(live->live));
    live->renderer = renderer;
    world->live = live;
    return STATUS_OK;
}

enum status live_engine_close(struct deepfield_live *live)
{
    live->renderer->world->live = NULL;
    renderer_join_withdraw(live->renderer, live_join(live->live));
    return live_close(live->live);
}

static enum status engine_start(struct deepfield_live *live)
{
    if (live->wake)
        live_wake_with(live->live, wake_up, live);
    if (pthread_create(&live->thread, NULL, engine_run, live) == 0)
        return STATUS_OK;
    (void)live_engine_close(live);
    return status_fail(STATUS_SYSTEM, "no thread for a live picture");
}

deepfield_status deepfield_live_open(deepfield_live **live, deepfield_renderer *renderer,
                                     void (*wake)(void *user), void *user)
{
    NEED(live);
    *live = NULL;
    NEED(renderer);
    TRY_GIVE(live_create(live));
    (*live)->wake = wake;
    (*live)->user = user;
    enum status status = live_engine_open(*live, renderer, NULL);
    if (status == STATUS_OK)
        status = engine_start(*live);
    if (status == STATUS_OK)
        return DEEPFIELD_OK;
    live_destroy(*live);
    *live = NULL;
    return status_give(status);
}

void deepfield_live_close(deepfield_live *live)
{
    if (!live)
        return;
    live_wake_with(live->live, NULL, NULL); /* nobody is woken who has gone */
    live_quit(live->live);
    pthread_join(live->thread, NULL);
    (void)live_engine_close(live);
    live_destroy(live);
}

/* ---- requests ---- */

/* The request of a picture of a place; borrows its view. */
static struct live_request place_request(const struct place *place,
                                         const deepfield_live_request *wanted)
{
    double middle_x = place->view.width * 0.5, middle_y = place->view.height * 0.5;
    struct live_request request = {
        .view = place->view,
        .limit = place->limit,
        .limit_most = wanted->limit_most,
        .bailout = place->bailout,
        .orbit = place->orbit,
        .accuracy_px = place->accuracy_px,
        .formula = place->formula,
        .distances = place_distances(place),
        .planes = interior_planes(place->look.interior_kind) |
                  (look_planes(&place->look) & ~(unsigned)PLANE_MASK_DISTANCE),
        .look = place_look(place, place->view.height),
        .pointer_x = isfinite(wanted->pointer_x) ? wanted->pointer_x : middle_x,
        .pointer_y = isfinite(wanted->pointer_y) ? wanted->pointer_y : middle_y,
        .pace = wanted->pace == DEEPFIELD_LIVE_MOVE ? LIVE_MOVING : LIVE_SETTLED,
        .again = wanted->again,
        .workers = wanted->workers,
        .samples = wanted->samples > 0 ? wanted->samples : LIVE_SAMPLES_PLAN};
    _Static_assert(sizeof request.without.bits == sizeof wanted->without, "sets of one size");
    memcpy(request.without.bits, wanted->without, sizeof request.without.bits);
    snprintf(request.palette, sizeof request.palette, "%s", place->palette);
    return request;
}

/* Gives the engine a place under a new number. */
static enum status request_post(struct deepfield_live *live, const struct place *place)
{
    struct live_request request = place_request(place, &live->request);
    request.serial = live->serial + 1;
    TRY(live_ask(live->live, &request));
    live->serial = request.serial;
    return STATUS_OK;
}

enum status live_request_take(struct deepfield_live *live, const struct place *place,
                              const deepfield_live_request *request, bool fits)
{
    bool fitted = live->fits;
    live->request = *request;
    live->fits = fits;
    TRY(request_post(live, place));
    live->fitted = fitted;
    live->before = live->first;
    live->first = live->serial;
    return STATUS_OK;
}

/* Until the new picture is measured it has the colours of the one before. Takes both over. */
static enum status settings_take(struct deepfield_live *live, struct place *place,
                                 struct config *config, deepfield_live_request *request)
{
    bool fits = !request->keep_colours && !(place->distribution.runs > 0);
    if (!request->samples)
        request->samples = settings_samples(config);
    if (fits)
        place->distribution = live->asked.distribution;
    TRY(live_request_take(live, place, request, fits));
    place_destroy(&live->asked);
    config_destroy(&live->config);
    live->asked = *place;
    live->config = *config;
    *place = (struct place){.limit = 0};
    *config = (struct config){.data = {.folder = NULL}};
    return STATUS_OK;
}

static enum status picture_ask(struct deepfield_live *live, const struct deepfield_picture *picture,
                               deepfield_live_request *request, uint64_t *serial)
{
    struct config config = {0};
    struct place place = {.limit = 0};
    enum status status = picture_config(picture, &config);
    if (status == STATUS_OK)
        status = place_of_settings(&place, &config);
    if (request->automatic_limit && !config_was_set(&config, OPTION_VIEW_LIMIT))
        place.limit = 0;
    if (status == STATUS_OK) {
        pthread_mutex_lock(&live->mutex);
        status = settings_take(live, &place, &config, request);
        if (serial)
            *serial = live->first;
        pthread_mutex_unlock(&live->mutex);
    }
    place_destroy(&place);
    config_destroy(&config);
    return status;
}

deepfield_status deepfield_live_ask(deepfield_live *live, deepfield_picture *picture, int moving,
                                    uint64_t *serial)
{
    deepfield_live_request request = {.size = sizeof request,
                                      .pace = moving ? DEEPFIELD_LIVE_MOVE : DEEPFIELD_LIVE_SETTLE,
                                      .pointer_x = NAN,
                                      .pointer_y = NAN};
    NEED(live);
    NEED(picture);
    return status_give(picture_ask(live, picture, &request, serial));
}

deepfield_status deepfield_live_ask_with(deepfield_live *live, deepfield_picture *picture,
                                         const deepfield_live_request *request, uint64_t *serial)
{
    deepfield_live_request wanted = {.pointer_x = NAN, .pointer_y = NAN};
    NEED(live);
    NEED(request);
    if (request->size < sizeof request->size + sizeof request->pace)
        return status_give(status_fail(STATUS_USAGE, "deepfield_live_request.size is not set"));
    memcpy(&wanted, request, request->size < sizeof wanted ? request->size : sizeof wanted);
    if (wanted.pace != DEEPFIELD_LIVE_STOP && wanted.pace != DEEPFIELD_LIVE_MOVE &&
        wanted.pace != DEEPFIELD_LIVE_SETTLE)
        return status_give(status_fail(STATUS_USAGE, "%d is no pace", wanted.pace));
    if (wanted.samples < 0 || wanted.workers < 0 || wanted.limit_most < 0)
        return status_give(status_fail(STATUS_USAGE, "a live picture of fewer than 0 samples, "
                                                     "workers or iterations"));
    if (wanted.pace == DEEPFIELD_LIVE_STOP) {
        live_stop(live->live);
        return DEEPFIELD_OK;
    }
    NEED(picture);
    return status_give(picture_ask(live, picture, &wanted, serial));
}

/* ---- state ---- */

/* Colours that fit the picture follow what the engine measures of it, first of coarse pixels, as
 * those of deepfield_render do: the same request is posted again. */
static enum status colours_fit(struct deepfield_live *live, const struct live_state *now)
{
    struct distribution *colours = &live->asked.distribution;
    bool first = !(colours->runs > 0), of_it = now->measured_picture == now->picture;
    if (!live->fits || now->serial < live->first || !of_it || now->measured == live->measured ||
        !(now->distribution.runs > 0) || (live->request.pace == DEEPFIELD_LIVE_MOVE && !first))
        return STATUS_OK;
    live->measured = now->measured;
    if (distribution_same(colours, &now->distribution))
        return STATUS_OK;
    *colours = now->distribution;
    return request_post(live, &live->asked);
}

/* What the caller sees: its own numbers, and settled with the final colours alone. */
static void state_own(const struct deepfield_live *live, struct live_state *now)
{
    bool coloured = now->serial == live->serial && now->measured == live->measured;
    if (now->serial >= live->first) {
        now->settled = now->settled && (!live->fits || coloured);
        now->serial = live->first;
    } else {
        now->settled = now->settled && !live->fitted;
        now->serial = now->serial > live->before ? live->before : now->serial;
    }
    now->smooth = now->smooth && now->settled;
}

static void workers_give(struct deepfield_live *live)
{
    for (int i = 0; i < live->now.workers; i++) {
        const struct live_worker *from = &live->now.worker[i];
        deepfield_live_worker *to = &live->worker[i];
        *to = (deepfield_live_worker){.rank = from->rank,
                                      .threads = from->threads,
                                      .alive = from->alive,
                                      .busy = from->busy,
                                      .heard_s = from->heard_s,
                                      .tiles = from->tiles,
                                      .late = from->late,
                                      .iterations = from->iterations,
                                      .bytes = from->bytes,
                                      .transport = from->transport};
        memcpy(to->host, from->host, sizeof to->host);
    }
}

static void loads_give(struct deepfield_live *live)
{
    for (int i = 0; i < live->now.workers; i++) {
        const struct live_worker *from = &live->now.worker[i];
        deepfield_live_load *to = &live->load[i];
        *to = (deepfield_live_load){.computes = from->computes,
                                    .gpu = from->gpu,
                                    .compute_s = from->compute_s,
                                    .transfer_s = from->transfer_s};
        snprintf(to->backend, sizeof to->backend, "%s", from->backend);
    }
}

_Static_assert((int)DEEPFIELD_LIVE_ARRIVALS == (int)LIVE_ARRIVALS,
               "arrivals of the interface are those of the engine");

static void arrivals_give(struct deepfield_live *live)
{
    for (int i = 0; i < LIVE_ARRIVALS; i++) {
        const struct live_arrival *from = &live->now.arrival[i];
        live->arrival[i] = (deepfield_live_arrival){.worker = from->worker,
                                                    .x = from->x,
                                                    .y = from->y,
                                                    .width = from->width,
                                                    .height = from->height,
                                                    .at_s = from->at_s};
    }
}

static const int stages[] = {
    [LIVE_NOTHING] = DEEPFIELD_LIVE_NOTHING, [LIVE_ORBIT] = DEEPFIELD_LIVE_ORBIT,
    [LIVE_COARSE] = DEEPFIELD_LIVE_COARSE,   [LIVE_QUARTER] = DEEPFIELD_LIVE_QUARTER,
    [LIVE_HALF] = DEEPFIELD_LIVE_HALF,       [LIVE_FINE] = DEEPFIELD_LIVE_FINE,
    [LIVE_DONE] = DEEPFIELD_LIVE_DONE,       [LIVE_SAMPLES] = DEEPFIELD_LIVE_SAMPLES,
    [LIVE_FAILED] = DEEPFIELD_LIVE_FAILED};

static deepfield_live_moments moments_of(const struct live_moments *moments)
{
    return (deepfield_live_moments){.asked = moments->asked,
                                    .begun = moments->begun,
                                    .planned = moments->planned,
                                    .cancelled = moments->cancelled,
                                    .covered = moments->covered,
                                    .fine = moments->fine,
                                    .settled = moments->settled};
}

/* What an older client knows is the first part of it. */
static void state_give(struct deepfield_live *live, deepfield_live_state *given)
{
    const struct live_state *now = &live->now;
    deepfield_live_state whole = {.size = given->size,
                                  .serial = now->serial,
                                  .version = now->version,
                                  .width = now->width,
                                  .height = now->height,
                                  .stage = stages[now->stage],
                                  .settled = now->settled,
                                  .covered = now->covered,
                                  .samples = now->samples_done,
                                  .done = now->done,
                                  .limit = now->limit,
                                  .picture = now->picture,
                                  .planes = now->planes,
                                  .stride = now->stride,
                                  .stopped = now->stopped,
                                  .samples_wanted = now->samples,
                                  .smooth = now->smooth,
                                  .mixed = now->mixed,
                                  .sample_done = now->sample_done,
                                  .orbit_s = now->orbit_s,
                                  .orbit_steps = now->orbit_steps,
                                  .orbit_most = now->orbit_most,
                                  .deep = now->deep,
                                  .predicted_px = now->predicted_px,
                                  .iterations = now->iterations,
                                  .iterations_per_s = now->iterations_per_s,
                                  .count_min = now->count_min,
                                  .count_max = now->count_max,
                                  .undecided = now->undecided,
                                  .measured = now->measured,
                                  .measured_picture = now->measured_picture,
                                  .moments = moments_of(&now->moments),
                                  .threads_lost = now->threads_lost,
                                  .troubles = now->troubles,
                                  .late = now->late,
                                  .workers = now->workers,
                                  .worker = live->worker,
                                  .trouble = live->trouble,
                                  .sentence = live->error,
                                  .load = live->load,
                                  .computing = now->computing,
                                  .picture_s = now->picture_s,
                                  .picture_one_s = now->picture_one_s,
                                  .work_s = now->work_s,
                                  .compose_s = now->compose_s,
                                  .arrivals = now->arrivals,
                                  .arrival = live->arrival};
    sentence_by_keys(live->trouble, sizeof live->trouble, now->trouble);
    sentence_by_keys(live->error, sizeof live->error, now->error);
    memcpy(whole.error, whole.sentence, strnlen(whole.sentence, sizeof whole.error - 1));
    memcpy(whole.method, now->method, sizeof whole.method);
    workers_give(live);
    loads_give(live);
    arrivals_give(live);
    memcpy(given, &whole, given->size < sizeof whole ? given->size : sizeof whole);
}

/* What the engine has told, as the caller's. */
static enum status state_end(struct deepfield_live *live, deepfield_live_state *state)
{
    pthread_mutex_lock(&live->mutex);
    enum status status = colours_fit(live, &live->now);
    state_own(live, &live->now);
    pthread_mutex_unlock(&live->mutex);
    state_give(live, state);
    return status;
}

static enum status state_check(const deepfield_live_state *state)
{
    return state->size < sizeof state->size
               ? status_fail(STATUS_USAGE, "deepfield_live_state.size is not set")
               : STATUS_OK;
}

/* ---- pixels ---- */

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

static enum status array_check(const deepfield_array *into)
{
    if (into->size < sizeof *into || !into->data || into->space != DEEPFIELD_HOST ||
        into->type != DEEPFIELD_U8 || into->channels != 4 || into->width < 1 || into->height < 1 ||
        into->row_bytes < 4 * (int64_t)into->width)
        return status_fail(STATUS_USAGE,
                           "pixels of a live picture need an array of U8 with 4 channels in host "
                           "memory");
    return STATUS_OK;
}

deepfield_status deepfield_live_poll(deepfield_live *live, deepfield_live_state *state,
                                     const deepfield_array *into)
{
    NEED(live);
    NEED(state);
    TRY_GIVE(state_check(state));
    if (into) {
        TRY_GIVE(array_check(into));
        TRY_GIVE(pixels_size(&live->pixels, into->width, into->height));
    }
    (void)live_poll(live->live, &live->now, into ? &live->pixels : NULL);
    if (into)
        pixels_spread(&live->pixels, into);
    return status_give(state_end(live, state));
}

static enum status pixels_check(const deepfield_live_pixels *pixels)
{
    if (pixels->size < sizeof *pixels || !pixels->pixels || pixels->width < 1 ||
        pixels->height < 1 || pixels->stride < pixels->width)
        return status_fail(STATUS_USAGE, "deepfield_live_pixels without memory or size");
    return STATUS_OK;
}

_Static_assert((int)DEEPFIELD_LIVE_BLOCK == (int)CHANGED_BLOCK_PX &&
                   (int)DEEPFIELD_LIVE_BLOCKS == (int)CHANGED_BLOCKS_MOST,
               "blocks of the interface are those of the engine");

deepfield_status deepfield_live_update(deepfield_live *live, deepfield_live_state *state,
                                       deepfield_live_pixels *pixels)
{
    NEED(live);
    NEED(state);
    TRY_GIVE(state_check(state));
    if (!pixels) {
        (void)live_poll(live->live, &live->now, NULL);
        return status_give(state_end(live, state));
    }
    TRY_GIVE(pixels_check(pixels));
    struct live_pixels into = {.pixels = pixels->pixels,
                               .width = pixels->width,
                               .height = pixels->height,
                               .stride = pixels->stride,
                               .picture = pixels->picture,
                               .version = pixels->version,
                               .changed = pixels->changed};
    pixels->written = live_poll(live->live, &live->now, &into);
    pixels->picture = into.picture;
    pixels->version = into.version;
    return status_give(state_end(live, state));
}

uint64_t deepfield_live_version(deepfield_live *live)
{
    return live ? live_version(live->live) : 0;
}

/* Rows of the engine's table, cut to the caller's. */
static void owners_copy(const struct live_owners *owners, deepfield_array *into)
{
    into->width = owners->columns < into->width ? owners->columns : into->width;
    into->height = owners->rows < into->height ? owners->rows : into->height;
    for (int32_t y = 0; y < into->height; y++)
        memcpy((char *)into->data + y * into->row_bytes,
               owners->cell + (size_t)y * (size_t)owners->columns, (size_t)into->width);
}

deepfield_status deepfield_live_owners(deepfield_live *live, deepfield_array *into, int32_t *side)
{
    NEED(live);
    NEED(into);
    NEED(side);
    if (into->size < sizeof *into || !into->data || into->space != DEEPFIELD_HOST ||
        into->type != DEEPFIELD_U8 || into->channels != 1 || into->row_bytes < into->width)
        return status_give(status_fail(STATUS_USAGE, "workers of squares need an array of U8 with "
                                                     "one channel in host memory"));
    TRY_GIVE(live_who(live->live, &live->owners));
    owners_copy(&live->owners, into);
    *side = live->owners.cell_px;
    return DEEPFIELD_OK;
}

/* ---- the settled field ---- */

static enum status text_set(struct config *config, enum option_key option, const char *text)
{
    return config_set(config, option, text, PICTURE_ORIGIN, STATUS_INTERNAL);
}

/* Settings of the field as the picture was shown: its limit, and the colours that it settled on. */
static enum status field_describe(struct deepfield_field *field, const struct deepfield_live *live)
{
    char limit[24], samples[16], distribution[DISTRIBUTION_TEXT_BYTES];
    snprintf(limit, sizeof limit, "%lld", (long long)field->held.limit);
    snprintf(samples, sizeof samples, "%d", field->held.light ? field->held.samples : 1);
    distribution_text(&live->asked.distribution, distribution);
    TRY(config_copy(&field->made_of, &live->config));
    TRY(text_set(&field->made_of, OPTION_VIEW_REGION, "")); /* all of the view is shown */
    TRY(text_set(&field->made_of, OPTION_VIEW_LIMIT, limit));
    TRY(text_set(&field->made_of, OPTION_LOOK_SAMPLES, samples));
    TRY(config_copy(&field->config, &field->made_of));
    if (live->asked.distribution.runs > 0)
        TRY(text_set(&field->config, OPTION_LOOK_DISTRIBUTION, distribution));
    return settings_picture(&field->config, &field->picture);
}

/* With the mutex. */
static enum status field_fill(struct deepfield_field *field, struct deepfield_live *live,
                              uint64_t serial)
{
    bool coloured = !live->fits || live->now.measured == live->measured;
    if (!live->is_program && (serial != live->first || !coloured))
        return status_fail(STATUS_NO_INPUT, "the picture of this request is not settled");
    uint64_t number = live->is_program ? serial : live->serial;
    TRY(live_field_hold(live->live, number, &field->held));
    live_light_hold(live->live, number, &field->held);
    field->field = field->held.field;
    field->light = (float(*)[3])(uintptr_t)field->held.light;
    field->filled = true;
    return live->is_program ? STATUS_OK : field_describe(field, live);
}

deepfield_status deepfield_live_field(deepfield_live *live, uint64_t serial,
                                      deepfield_field **field)
{
    NEED(field);
    *field = NULL;
    NEED(live);
    TRY_GIVE((enum status)deepfield_field_create(field));
    pthread_mutex_lock(&live->mutex);
    enum status status = field_fill(*field, live, serial);
    pthread_mutex_unlock(&live->mutex);
    if (status != STATUS_OK) {
        deepfield_field_destroy(*field);
        *field = NULL;
    }
    return status_give(status);
}
