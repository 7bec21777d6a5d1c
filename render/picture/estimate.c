#include "render/picture/estimate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decomposition/thread/clock.h"
#include "kernels/grid.h"
#include "kernels/stop.h"
#include "render/file/sink.h"
#include "render/picture/distribution_pass.h"
#include "render/picture/picture.h"
#include "render/picture/region.h"

/* Relative errors that samples do not show: tiles of another size, other programs, the end of a
 * picture. */
#define SLACK_LEAST 0.15
#define SLACK_MOST 0.3
#define PYRAMID_PIXELS (4. / 3) /* pixels of a pyramid for each pixel of its picture */

/* ---- what they look like --------------------------------------------------------------------- */

static enum status mosaic_open(struct estimate *estimate, const struct field *field, bool light)
{
    int32_t width = ESTIMATE_MOSAIC * field->width;
    field_destroy(&estimate->mosaic);
    free(estimate->light);
    estimate->mosaic = (struct field){.width = 0};
    estimate->light =
        light ? calloc((size_t)width * (size_t)field->height, sizeof *estimate->light) : NULL;
    if (light && !estimate->light)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for samples of a picture");
    TRY(field_create(&estimate->mosaic, width, field->height, field->planes, field->count_bytes));
    for (int32_t x = 0; x < width; x += field->width) {
        struct field part = field_window(&estimate->mosaic, x, 0, field->width, field->height);
        field_copy(&part, field);
    }
    return STATUS_OK;
}

/* A window is there. */
static enum status window_take(void *context, int32_t y, const struct field *field,
                               const float (*light)[3])
{
    struct estimate *estimate = context;
    (void)y;
    if (estimate->mosaic.height != field->height ||
        estimate->mosaic.width != ESTIMATE_MOSAIC * field->width)
        TRY(mosaic_open(estimate, field, light != NULL));
    int32_t x = (int32_t)(estimate->next % ESTIMATE_MOSAIC) * field->width;
    struct field part = field_window(&estimate->mosaic, x, 0, field->width, field->height);
    field_copy(&part, field);
    for (int32_t row = 0; estimate->light && light && row < field->height; row++)
        memcpy(estimate->light[(size_t)row * (size_t)estimate->mosaic.width + (size_t)x],
               light[(size_t)row * (size_t)field->width], (size_t)field->width * sizeof *light);
    return STATUS_OK;
}

/* A pyramid is made of PNGs or JPEGs, which take about as long. */
static enum status file_time(const struct sink_request *request, const struct sink_rows *rows,
                             double *seconds, double *bytes)
{
    const struct sink_kind *kind;
    struct sink_request of = *request;
    struct sink_part part;
    TRY(sink_for_path(&kind, request->path));
    if (!kind->part_make)
        of.path = "x.png";
    of.field = &rows->field;
    for (int turn = 0; turn < 2; turn++) { /* the first touches the memory */
        double begin = clock_s();
        enum status status = sink_part_make(&of, rows, &part);
        *seconds = clock_s() - begin;
        *bytes = 0;
        for (int i = 0; i < part.ranges; i++)
            *bytes += (double)part.range[i].length;
        sink_part_free(&part);
        TRY(status);
    }
    *seconds *= kind->part_make ? 1 : PYRAMID_PIXELS;
    *bytes *= kind->part_make ? 1 : PYRAMID_PIXELS;
    return STATUS_OK;
}

enum status estimate_files(struct estimate *estimate, const struct sink_request *requests,
                           size_t count, int writers)
{
    const struct field *mosaic = &estimate->mosaic;
    const struct sink_rows rows = {
        .height = mosaic->height, .field = *mosaic, .light = (const float(*)[3])estimate->light};
    if (mosaic->height == 0)
        return STATUS_OK; /* there are no windows */
    double times = (double)estimate->width * estimate->height / mosaic->width / mosaic->height;
    for (size_t i = 0; i < count; i++) {
        double seconds, bytes;
        TRY(file_time(&requests[i], &rows, &seconds, &bytes));
        estimate->files_s += seconds * times / (writers > 1 ? writers : 1);
        estimate->file_bytes += bytes * times;
    }
    return STATUS_OK;
}

void estimate_close(struct estimate *estimate)
{
    field_destroy(&estimate->mosaic);
    free(estimate->light);
    estimate->light = NULL;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static bool is_asked_to_stop(const struct estimate_watch *watch)
{
    return stop_asked(watch->asked);
}

void estimate_watch(void *context, const struct reference_progress *progress)
{
    struct estimate_watch *watch = context;
    watch->last = *progress;
    if (progress->seconds > watch->budget_s || is_asked_to_stop(watch))
        watch->stop = 1;
}

bool estimate_is_cut(struct estimate *estimate, const struct estimate_watch *watch)
{
    const struct reference_progress *last = &watch->last;
    if (!watch->stop || is_asked_to_stop(watch))
        return false;
    estimate->cut = true;
    estimate->reference_s = last->seconds;
    estimate->reference_most_s =
        last->done > 0 ? last->seconds / (double)last->done * (double)last->most : INFINITY;
    return true;
}

enum status estimate_make(struct estimate *estimate, struct renderer *renderer,
                          const struct picture *picture, const struct picture_hooks *hooks,
                          const struct plan *plan)
{
    const struct picture_consumer consumer = {.context = estimate, .strip = window_take};
    struct estimate_watch watch = {.asked = hooks->stop, .budget_s = estimate->orbit_s};
    struct picture_hooks own = {.prepare = estimate_watch,
                                .context = &watch,
                                .look = hooks->look,
                                .look_context = hooks->look_context,
                                .consumer = &consumer,
                                .stop = &watch.stop,
                                .orbit = hooks->orbit,
                                .estimate = estimate};
    struct picture sampled = *picture;
    struct picture_report report = {.plan_s = 0};
    sampled.survey = false;
    sampled.writers = WRITERS_ONE;
    const struct tile computed = region_computed(picture);
    estimate->width = computed.width;
    estimate->height = computed.height;
    const struct renderer_facts *facts = &renderer_info(renderer)->facts;
    int threads = facts->computing_ranks * renderer_info(renderer)->devices.threads;
    estimate->side =
        estimate_side(facts->devices > threads ? facts->devices : threads, facts->tile_px);
    if (samples_most(picture->samples) > 1) /* each is a job, and a mean */
        estimate->side *= 2;
    enum status status = picture_render(renderer, &sampled, &own, NULL, &report);
    estimate->reference_s = report.reference.seconds;
    estimate->prepare_s = report.plan_s - report.reference.seconds;
    if (status == STATUS_STOPPED && estimate_is_cut(estimate, &watch))
        status = STATUS_OK;
    estimate->compute_s = estimate_picture_s(estimate);
    estimate->error = estimate_error(estimate);
    if (plan->strip_rows < estimate->height && estimate->windows > 0) /* add the subgrid's pass */
        estimate->compute_s += estimate_window_s(estimate) / estimate_window_pixels(estimate) *
                               SUBGRID_PIXELS * GRID_CELL * GRID_CELL;
    picture_report_destroy(&report);
    return status;
}

void estimate_range(const struct estimate *estimate, double *least_s, double *most_s)
{
    double sampled = estimate->compute_s, error = 2 * estimate->error;
    double rest = estimate->files_s;
    *least_s = estimate->reference_s + estimate->prepare_s;
    *most_s = estimate->cut ? estimate->reference_most_s : *least_s;
    *least_s += sampled * fmax(0.2, 1 - error - SLACK_LEAST) + rest * (1 - SLACK_LEAST);
    *most_s += (sampled * (1 + error) + rest) * (1 + SLACK_MOST);
}
