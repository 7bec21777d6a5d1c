#include "library/handle/field_device.h"
#include "library/handle/film.h"

#include <stdlib.h>
#include <string.h>

#include "decomposition/thread/clock.h"
#include "render/picture/picture.h"
#include "render/picture/region.h"

struct render_job {
    struct deepfield_renderer *renderer;
    struct deepfield_field *field;
    struct picture_settings settings;
    bool on_device; /* planes lie on a device; colours are made when they are asked for */
    struct deepfield_film *film;       /* film that the picture is a frame of, held; NULL: none */
    const struct picture_orbit *orbit; /* orbit that its frames share; NULL: none */
    /* Receiver as the call began: a callback may set another for the next one. */
    deepfield_receive_call *receive;
    deepfield_pieces pieces;
    void *user;
};

/* ---- receivers ---- */

static bool receives(const struct render_job *job, deepfield_pieces pieces)
{
    return job->receive && job->pieces == pieces;
}

static enum status receiver_give(struct render_job *job, int32_t x, int32_t y,
                                 const struct field *pixels, const float (*light)[3])
{
    deepfield_array arrays[PLANES + 1];
    const char *names[PLANES + 1];
    int count = 0;
    for (int p = 0; p < PLANES; p++)
        if (pixels->planes & 1u << p) {
            names[count] = plane_kinds[p].name;
            arrays[count++] = plane_array(pixels, (enum plane)p);
        }
    if (light) {
        names[count] = "light";
        arrays[count++] = light_array(light, pixels->width, pixels->height);
    }
    if (job->receive(job->user, x, y, pixels->width, pixels->height, arrays, names, count))
        return status_fail(STATUS_STOPPED, "the receiver of pixels has ended the picture");
    return STATUS_OK;
}

static enum status strip_take(void *context, int32_t y, const struct field *rows,
                              const float (*light)[3])
{
    struct render_job *job = context;
    if (receives(job, DEEPFIELD_ROWS))
        return receiver_give(job, 0, y, rows, light);
    if (job->field->device.planes)
        return field_device_put(job->field, y, rows);
    field_rows_put(job->field, y, rows, light);
    return STATUS_OK;
}

/* An interleaved tile is bands of whole rows. */
static enum status tile_take(void *context, int32_t y, uint64_t number, const struct tile *tile,
                             const struct field *frame)
{
    struct render_job *job = context;
    int32_t band = tile->band ? tile->band : tile->height;
    if (number != 0)
        return STATUS_OK; /* further samples */
    for (int32_t row = 0, at = tile->y; row < tile->height; row += band, at += tile->band_step) {
        int32_t rows = tile->height - row < band ? tile->height - row : band;
        struct field window = field_window(frame, tile->x, at, tile->width, rows);
        TRY(receiver_give(job, tile->x, y + at, &window, NULL));
    }
    return STATUS_OK;
}

/* ---- the picture ---- */

static enum status look_settle(void *context, const struct field *field, const struct look **look)
{
    struct render_job *job = context;
    *look = &job->settings.look;
    return settings_fit(&job->settings, &job->field->config, field);
}

/* Rows stay on the device where they are computed, if all ranks reach it. */
static enum status job_device(struct render_job *job)
{
    struct picture *picture = &job->settings.picture;
    const struct renderer *renderer = job->renderer->renderer;
    TRY(field_device_check(job->field, renderer));
    picture->samples = picture->samples ? picture->samples : 1; /* the plan might choose more */
    if (samples_most(picture->samples) > 1)
        return status_fail(STATUS_USAGE,
                           "planes in memory of a CUDA device have one sample a pixel: "
                           "look.samples = 1, or DEEPFIELD_NUMBERS, which has no samples");
    if (!strcmp(picture->transport, "auto") && !renderer_info(renderer)->facts.away_ranks)
        picture->transport = "device";
    return STATUS_OK;
}

static enum status job_settings(struct render_job *job, struct deepfield_picture *picture,
                                deepfield_wish wish)
{
    struct deepfield_field *field = job->field;
    const bool in_strips = receives(job, DEEPFIELD_ROWS);
    const struct settings_request request = {.coloured = wish == DEEPFIELD_COLOURS,
                                             .stop = job->renderer->stop};
    TRY(picture_config(picture, &field->made_of));
    if (picture->film)
        job->film = film_hold(picture->film);
    if (job->film)
        TRY(film_orbit_ready(job->film, picture->film_scene, job->renderer, &job->orbit));
    if (job->film && wish == DEEPFIELD_COLOURS)
        TRY(film_colours_put(job->film, picture->film_scene, job->renderer, picture->film_time_s,
                             &field->made_of));
    TRY(config_copy(&field->config, &field->made_of));
    TRY(settings_create(&job->settings, &field->config, &request));
    if (!in_strips)
        job->settings.picture.memory_bytes = 0; /* the whole picture is to stay */
    if (wish == DEEPFIELD_NUMBERS)
        job->settings.picture.samples = 1;
    job->on_device = !in_strips && field_is_device(field);
    if (job->on_device)
        TRY(job_device(job));
    return settings_plan_choose(&job->settings, &field->config,
                                &renderer_info(job->renderer->renderer)->facts);
}

static enum status job_compute(struct render_job *job, struct picture_report *report)
{
    struct deepfield_field *field = job->field;
    const struct picture_settings *settings = &job->settings;
    const struct picture_consumer consumer = {.context = job,
                                              .takes_device = job->on_device,
                                              .strip = strip_take,
                                              .tile = receives(job, DEEPFIELD_TILES) ? tile_take
                                                                                     : NULL};
    struct deepfield_renderer *renderer = job->renderer;
    struct picture_hooks hooks = {
        .progress = renderer_progress,
        .prepare = renderer_prepare_progress,
        .context = renderer,
        .look = settings->coloured && !job->on_device ? look_settle : NULL,
        .look_context = job,
        .wants_subgrid = settings->coloured && settings_wants_distribution(&field->config),
        .consumer = &consumer,
        .orbit = job->orbit,
        .stop = renderer->stop};
    struct field shape = settings_shape(settings);
    if (!receives(job, DEEPFIELD_ROWS))
        TRY(field_memory(field, &shape, samples_most(settings->picture.samples) > 1,
                         plan_memory(&settings->plan)));
    TRY(order_send(renderer->world, ORDER_PICTURE));
    if (!job->orbit)
        last_reference_offer(&renderer->last, settings, &hooks);
    enum status status =
        picture_render(renderer->renderer, &settings->picture, &hooks, NULL, report);
    if (hooks.kept)
        last_reference_keep(&renderer->last, status,
                            renderer_info(renderer->renderer)->facts.gpus > 0);
    return status;
}

/* The field has what it is of. */
static void job_keep(struct render_job *job, const struct picture_report *report)
{
    struct deepfield_field *field = job->field;
    bool kept = !receives(job, DEEPFIELD_ROWS);
    if (kept)
        field_placed_fill(field);
    field->filled = kept;
    field->plan = report->plan;
    field->planned = true;
    field->samples = report->samples;
    field->iterations = report->iterations;
    field->seconds = report->plan_s + report->compute_s;
    field->picture = job->settings.picture;
    field->picture.known = NULL;
    job->settings.picture.view = (struct view){.re = NULL}; /* moved */
}

static enum status render_run(struct render_job *job, struct deepfield_picture *picture,
                              deepfield_wish wish)
{
    struct picture_report report = {.samples = 0};
    TRY(renderer_ready(job->renderer));
    enum status status = job_settings(job, picture, wish);
    if (status == STATUS_OK)
        status = job_compute(job, &report);
    if (status == STATUS_OK)
        job_keep(job, &report);
    picture_report_destroy(&report);
    settings_destroy(&job->settings);
    film_release(job->film);
    return status;
}

deepfield_status deepfield_render(deepfield_renderer *renderer, deepfield_picture *picture,
                                  deepfield_wish wish, deepfield_field *field)
{
    NEED(renderer);
    NEED(picture);
    NEED(field);
    if (wish != DEEPFIELD_NUMBERS && wish != DEEPFIELD_COLOURS)
        return status_give(status_fail(STATUS_USAGE, "%d is no wish", (int)wish));
    struct render_job job = {.renderer = renderer,
                             .field = field,
                             .receive = field->receive,
                             .pieces = field->pieces,
                             .user = field->user};
    TRY_GIVE(field_idle(field));
    TRY_GIVE(renderer_call_begin(renderer));
    field_forget(field);
    field->rendered = true;
    enum status status = render_run(&job, picture, wish);
    field->rendered = false;
    renderer_call_end(renderer);
    if (status != STATUS_OK)
        field_forget(field);
    return status_give(status);
}
