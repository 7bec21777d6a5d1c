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

enum {
    SIDE_CPU = 32,     /* of a window for one processor */
    SIDE_MOST = 4096,  /* more says no more */
    WINDOWS_LEAST = 4, /* that say how much they differ */
    WINDOWS_MOST = 400,
    ALIGNED_PX = GRID_BAND /* squares that kernels prove as a whole */
};

#define WINDOW_S 4e-3      /* a window that takes less measures the job around it */
#define PICTURE_SHARE 0.05 /* of the picture's time, at most */
#define ERROR_ENOUGH 0.03
/* What samples do not tell: tiles of another size, other programs, the end of a picture. */
#define SLACK_LEAST 0.15
#define SLACK_MOST 0.3
#define PYRAMID_PIXELS (4. / 3) /* of a pixel of its picture */

static int32_t smaller(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

int32_t estimate_side(int devices, int32_t tile_px)
{
    int32_t side = tile_px > SIDE_CPU ? tile_px : SIDE_CPU;
    while (side < SIDE_MOST && (int64_t)(side / SIDE_CPU) * (side / SIDE_CPU) < 2 * devices)
        side *= 2;
    return smaller(side, SIDE_MOST);
}

/* ---- which windows --------------------------------------------------------------------------- */

static double mean_s(const struct estimate *estimate)
{
    return estimate->windows ? estimate->sum_s / estimate->windows : 0;
}

/* Of the mean, relative. */
static double error_of(const struct estimate *estimate)
{
    int n = estimate->windows;
    double mean = mean_s(estimate);
    if (n < 2 || mean <= 0)
        return 1;
    double variance = (estimate->squares / n - mean * mean) * n / (n - 1);
    return variance > 0 ? sqrt(variance / n) / mean : 0;
}

static double window_pixels(const struct estimate *estimate)
{
    return (double)smaller(estimate->side, estimate->width) *
           (double)smaller(estimate->side, estimate->height);
}

static double picture_s(const struct estimate *estimate)
{
    return mean_s(estimate) / window_pixels(estimate) * estimate->width * estimate->height;
}

static bool is_enough(const struct estimate *estimate, double now_s)
{
    double took_s = now_s - estimate->begin_s;
    bool whole = estimate->side >= estimate->width && estimate->side >= estimate->height;
    if (took_s >= estimate->budget_s || estimate->windows >= WINDOWS_MOST)
        return estimate->windows > 0;
    if (whole || error_of(estimate) < ERROR_ENOUGH || took_s > PICTURE_SHARE * picture_s(estimate))
        return estimate->windows >= (whole ? 1 : WINDOWS_LEAST);
    return false;
}

/* Larger windows, where the job around them is what takes the time. */
static void side_grow(struct estimate *estimate)
{
    bool quick = estimate->warm && estimate->windows > 0 && mean_s(estimate) < WINDOW_S;
    bool room = 4 * (int64_t)estimate->side <= estimate->width &&
                4 * (int64_t)estimate->side <= estimate->height && 2 * estimate->side <= SIDE_MOST;
    if (!quick || !room)
        return;
    estimate->side *= 2;
    estimate->windows = 0;
    estimate->warm = false;
    estimate->sum_s = estimate->squares = 0;
}

/* Of the sequence of the powers of the roots of x^3 = x + 1, which is even in the plane. */
static int32_t place_of(uint32_t number, double step, int32_t length, int32_t side)
{
    double place = fmod(0.5 + number * step, 1.0);
    int32_t room = length - smaller(side, length);
    return (int32_t)(place * (room + 1.0)) / ALIGNED_PX * ALIGNED_PX;
}

struct estimate_window estimate_next(struct estimate *estimate, double now_s)
{
    if (estimate->next == 0)
        estimate->begin_s = now_s;
    else if (is_enough(estimate, now_s))
        return (struct estimate_window){.side = 0};
    side_grow(estimate);
    uint32_t number = estimate->next++;
    return (struct estimate_window){
        .side = estimate->side,
        .x = place_of(number, 0.75487766624669, estimate->width, estimate->side),
        .y = place_of(number, 0.56984029099805, estimate->height, estimate->side)};
}

void estimate_note(struct estimate *estimate, double seconds)
{
    /* The first of a size opens devices and touches memory. */
    bool counts = estimate->warm || seconds >= estimate->budget_s / 4;
    estimate->warm = true;
    if (!counts)
        return;
    estimate->windows++;
    estimate->sum_s += seconds;
    estimate->squares += seconds * seconds;
}

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
        for (int i = 0; i < part.pieces; i++)
            *bytes += (double)part.piece[i].length;
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
    estimate->width = picture->view.width;
    estimate->height = picture->view.height;
    const struct renderer_facts *facts = &renderer->facts;
    int threads = facts->computing_ranks * renderer->device_set_options.threads;
    estimate->side =
        estimate_side(facts->devices > threads ? facts->devices : threads, facts->tile_px);
    if (samples_most(picture->samples) > 1) /* each is a job, and a mean */
        estimate->side *= 2;
    enum status status = picture_render(renderer, &sampled, &own, NULL, &report);
    estimate->reference_s = report.reference.seconds;
    estimate->prepare_s = report.plan_s - report.reference.seconds;
    if (status == STATUS_STOPPED && estimate_is_cut(estimate, &watch))
        status = STATUS_OK;
    estimate->compute_s = picture_s(estimate);
    estimate->error = error_of(estimate);
    if (plan->strip_rows < estimate->height && estimate->windows > 0) /* of the distribution */
        estimate->compute_s +=
            mean_s(estimate) / window_pixels(estimate) * SUBGRID_PIXELS * GRID_CELL * GRID_CELL;
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

/* Two figures are as many as it knows. */
static void figure_text(double value, char *text, size_t bytes)
{
    double step = value >= 10 ? pow(10, floor(log10(value)) - 1) : 0.1;
    double rounded = round(value / step) * step;
    snprintf(text, bytes, rounded >= 10 || rounded == floor(rounded) ? "%.0f" : "%.1f", rounded);
}

void estimate_text(double least_s, double most_s, char *text, size_t bytes)
{
    static const struct {
        double seconds;
        const char *name;
    } units[] = {{1, "s"}, {60, "min"}, {3600, "h"}, {86400, "days"}};
    char least[24], most[24];
    int unit = 0;
    if (most_s < 1) {
        snprintf(text, bytes, "less than 1 s");
        return;
    }
    while (unit < 3 && least_s >= 1.5 * units[unit + 1].seconds)
        unit++;
    figure_text(least_s / units[unit].seconds, least, sizeof least);
    figure_text(most_s / units[unit].seconds, most, sizeof most);
    if (!isfinite(most_s))
        snprintf(text, bytes, "at least %s %s", least, units[unit].name);
    else if (!strcmp(least, most))
        snprintf(text, bytes, "about %s %s", least, units[unit].name);
    else
        snprintf(text, bytes, "about %s to %s %s", least, most, units[unit].name);
}
