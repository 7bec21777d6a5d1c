#include "render/film/film_colours_measure.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "decomposition/world/world.h"
#include "kernels/backend.h"
#include "kernels/stop.h"
#include "render/colour/colour.h"

#define SHALLOWEST_LOG2 1.0

/* Data shared by the measuring threads. */
struct colours_measure {
    const struct film_colours_order *of;
    struct film_colours *colours;
    pthread_mutex_t mutex;
    size_t next; /* next picture; under the mutex, as the following */
    enum status status;
    char why[STATUS_TEXT_BYTES]; /* sentence of the first failure */
};

/* View of a small picture, not shallower than SHALLOWEST: while the whole set grows from a dot its
 * surroundings leave the picture, and colours that followed that would run through the palette. */
static enum status view_at(const struct film *film, double time_s, struct view *view)
{
    double log2_zoom = film_path_log2_zoom(&film->path, time_s);
    TRY(film_path_view(&film->path, time_s, SUBGRID_WIDTH, SUBGRID_HEIGHT, view));
    if (log2_zoom >= SHALLOWEST_LOG2)
        return STATUS_OK;
    return film_view_zoomed(view, SHALLOWEST_LOG2, view->rotation_deg, SUBGRID_WIDTH,
                            SUBGRID_HEIGHT, view);
}

static enum status picture_measure(const struct colours_measure *measure, struct renderer *renderer,
                                   size_t number, struct picture_report *report)
{
    const struct film_colours_order *of = measure->of;
    struct film_colours *colours = measure->colours;
    struct picture_hooks hooks = {.stop = of->stop, .orbit = of->orbit->orbit ? of->orbit : NULL};
    struct picture picture = of->film->picture;
    struct field field;
    picture.samples = picture.threads = 1;
    picture.of_many = true;
    picture.view = (struct view){.re = NULL};
    enum status status = view_at(of->film, colours->time_s[number], &picture.view);
    if (status == STATUS_OK)
        status = picture_render(renderer, &picture, &hooks, &field, report);
    if (status == STATUS_OK) {
        distribution_measure(&colours->distribution[number], &field);
        colours->amplification[number] = report->reference.amplification;
    }
    view_destroy(&picture.view);
    return status;
}

/* Takes the number of the next picture; false: none is left, or one has failed. */
static bool number_take(struct colours_measure *measure, size_t *number)
{
    pthread_mutex_lock(&measure->mutex);
    if (stop_asked(measure->of->stop) && measure->status == STATUS_OK) {
        measure->status = STATUS_STOPPED;
        snprintf(measure->why, sizeof measure->why, "stopped");
    }
    bool more = measure->status == STATUS_OK && measure->next < measure->colours->count;
    if (more)
        *number = measure->next++;
    pthread_mutex_unlock(&measure->mutex);
    return more;
}

static void result_note(struct colours_measure *measure, enum status status)
{
    if (status == STATUS_OK || measure->status != STATUS_OK)
        return;
    measure->status = status;
    snprintf(measure->why, sizeof measure->why, "%s", status_text());
}

static void picture_note(struct colours_measure *measure, enum status status,
                         const struct picture_report *report)
{
    const struct film_colours_order *of = measure->of;
    pthread_mutex_lock(&measure->mutex);
    result_note(measure, status);
    if (status == STATUS_OK && of->measured)
        of->measured(of->context, report);
    pthread_mutex_unlock(&measure->mutex);
}

/* Computes pictures until none is left. */
static void thread_run(struct colours_measure *measure)
{
    const struct renderer_options options = {.backend = "cpu", .threads = 1};
    struct world *alone = NULL;
    struct renderer *renderer = NULL;
    enum status status = world_alone(&alone);
    if (status == STATUS_OK)
        status = renderer_open(&renderer, alone, &options);
    if (status != STATUS_OK)
        picture_note(measure, status, NULL);
    for (size_t number; renderer && number_take(measure, &number);) {
        struct picture_report report = {.plan_s = 0};
        status = picture_measure(measure, renderer, number, &report);
        picture_note(measure, status, &report);
        picture_report_destroy(&report);
    }
    renderer_close(renderer);
    world_close(alone);
}

/* Number of threads: as many as there are pictures, and whose blocks fit into the memory of one
 * table. */
static int threads_of(const struct film_colours_order *of, size_t pictures)
{
    const struct orbit *orbit = of->orbit->orbit;
    double bytes = orbit ? reference_blocks_most(&of->film->picture.spec.formula, orbit->length,
                                                 of->film->picture.blocks)
                         : 0;
    double threads = of->threads ? of->threads : backend_cores_usable();
    threads = fmin(threads, (double)pictures);
    if (bytes > 0)
        threads = fmin(threads, 0x1p30 / bytes);
    return threads > 1 ? (int)threads : 1;
}

enum status film_colours_measure(const struct film_colours_order *order,
                                 struct film_colours *colours)
{
    struct colours_measure measure = {.of = order, .colours = colours};
    pthread_mutex_init(&measure.mutex, NULL);
#pragma omp parallel num_threads(threads_of(order, colours->count))
    thread_run(&measure);
    pthread_mutex_destroy(&measure.mutex);
    return measure.status == STATUS_OK ? STATUS_OK : status_fail(measure.status, "%s", measure.why);
}

void film_look_parts(const struct film *film, const struct film_colours *colours, double time_s,
                     struct look_options *options, struct distribution *distribution)
{
    struct film_shade shade = film_path_shade(&film->path, time_s);
    *options = film->look_options;
    *distribution = film_colours_at(colours, &film->path, time_s);
    options->offset = shade.offset - floor(shade.offset);
    if (!isnan(shade.relief))
        options->relief = shade.relief;
}

void film_look(const struct film *film, const struct film_colours *colours, double time_s,
               struct look *look)
{
    struct look_options options;
    struct distribution distribution;
    film_look_parts(film, colours, time_s, &options, &distribution);
    look_make(look, &options, &distribution, film->palette, film->height);
}

enum status film_light(struct picture_report *report, const struct look *look,
                       const struct field *field, float (**light)[3])
{
    *light = report->light;
    report->light = NULL;
    if (*light)
        return STATUS_OK;
    *light = malloc((size_t)field->width * (size_t)field->height * sizeof **light);
    if (!*light)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a frame");
#pragma omp parallel for schedule(dynamic, 8)
    for (int32_t y = 0; y < field->height; y++)
        colour_span_light(look, field, 0, y, field->width,
                          *light + (size_t)y * (size_t)field->width);
    return STATUS_OK;
}
