#include "render/picture/sampling.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decomposition/thread/clock.h"
#include "kernels/backend.h"
#include "render/colour/cells.h"
#include "render/colour/refine.h"

/* Squares that get more samples. */
struct stage {
    uint32_t *squares, count;
};

/* ---- the mean -------------------------------------------------------------------------------- */

struct average {
    const struct look *look;
    struct light light;
    struct refine refine;          /* of SAMPLES_AUTO; else zeroed */
    struct background *background; /* adds while the next sample is computed; NULL: nobody does */
    uint64_t number;               /* of what it adds */
    struct light_device device;    /* where the mean is, while fields lie there, too */
    uint32_t *squares;             /* that take part, where that compares them; owned */
    uint32_t square_count;
    struct colour_sums *sums; /* of each */
    enum status status;       /* of the device, */
    char why[STATUS_TEXT_BYTES];
    bool adapts;
    int samples; /* of the whole picture, those of squares left out */
    int threads;
    uint64_t pixels; /* added, all samples together */
    struct taken {   /* being added: */
        struct field fields[SAMPLES_AT_ONCE];
        int sample, samples;     /* of the whole picture, one in each field, */
        bool parts;              /* or of the squares that take part; */
        bool ends;               /* or nothing: the light is wanted; */
        struct cell_sheet sheet; /* or these cells, if it has any, */
        struct cell_stage stage;
        const struct sample_share *shares;
    } taken;
};

enum { CORES_OF_DEVICES = 2 }; /* for the threads that feed devices and talk */

static int threads_for(bool overlaps)
{
    int cores = backend_cores_usable();
    return overlaps && cores > 2 * CORES_OF_DEVICES ? cores - CORES_OF_DEVICES : cores;
}

/* Of a device that compares them. */
static enum status squares_open(struct average *average)
{
    TRY(refine_squares(&average->refine, &average->squares, &average->square_count));
    average->sums = malloc((average->square_count + 1) * sizeof *average->sums);
    return average->sums ? STATUS_OK
                         : status_fail(STATUS_OUT_OF_MEMORY, "no memory to compare samples");
}

/* average_end also after a failure. */
static enum status average_open(struct average **out, const struct sampling *sampling,
                                const struct look *look, bool adapts)
{
    struct average *average = *out = malloc(sizeof *average);
    if (!average)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory to average samples");
    *average =
        (struct average){.look = look,
                         .adapts = adapts,
                         .samples = adapts ? SAMPLES_AUTO_LEAST : samples_most(sampling->samples),
                         .background = sampling->background,
                         .threads = threads_for(sampling->background != NULL)};
    TRY(light_create(&average->light, sampling->width, sampling->height));
    average->device = sampling->device;
    bool there = average->device.device_set != NULL;
    if (average->adapts)
        TRY(refine_create(&average->refine, sampling->width, sampling->height, there));
    return average->adapts && there ? squares_open(average) : STATUS_OK;
}

/* The light comes to the host with the last sample; or when rank 0 goes on alone, and so without
 * the fields on its device. */
static enum status taken_add_there(struct average *average, bool leaves)
{
    const struct taken *taken = &average->taken;
    int samples = leaves ? 0 : taken->samples;
    bool last = !average->adapts && taken->sample + samples == average->samples;
    return light_device_add(&average->device, average->look, taken->fields, taken->sample, samples,
                            &average->light,
                            leaves || taken->ends || last ? average->light.mean : NULL);
}

/* Of SAMPLES_AUTO, which is for a process that is alone: nothing leaves the device before the
 * end. */
static enum status taken_adapt_there(struct average *average)
{
    const struct taken *taken = &average->taken;
    const struct light_squares squares = {average->squares, average->square_count};
    if (taken->sheet.count)
        return light_device_add_sheet(&average->device, average->look, taken->fields, &taken->sheet,
                                      &taken->stage, taken->shares, &average->light);
    if (taken->parts)
        return light_device_add_squares(&average->device, average->look, taken->fields,
                                        taken->sample, &squares, &average->light);
    TRY(taken_add_there(average, false));
    if (taken->ends || taken->sample + 1 != SAMPLES_AUTO_LEAST / 2)
        return STATUS_OK;
    average->refine.samples = SAMPLES_AUTO_LEAST / 2;
    return light_device_compare(&average->device, &squares, &average->light, NULL);
}

/* Has the device taken it? After a failure nothing is added any more. */
static bool taken_by_device(struct average *average)
{
    bool there = average->taken.fields[0].space == MEMORY_DEVICE || average->adapts;
    if (average->status != STATUS_OK)
        return true;
    if (!average->device.device_set)
        return false;
    if (average->adapts)
        average->status = taken_adapt_there(average);
    else if (there || average->taken.sample > 0)
        average->status = taken_add_there(average, !there);
    if (!there)
        average->device.device_set = NULL;
    if (average->status != STATUS_OK)
        snprintf(average->why, sizeof average->why, "%s", status_text());
    return there || average->status != STATUS_OK;
}

static void taken_add(void *context)
{
    struct average *average = context;
    const struct taken *taken = &average->taken;
    if (taken_by_device(average))
        return;
    if (taken->sheet.count)
        cell_sheet_add(&taken->sheet, &taken->stage, taken->shares, &average->light, average->look,
                       taken->fields, average->threads);
    else if (taken->parts)
        refine_add(&average->refine, &average->light, average->look, taken->fields, taken->sample,
                   average->threads);
    else
        light_add_all(&average->light, average->look, taken->fields, taken->sample, taken->samples,
                      average->threads);
    if (average->adapts && !taken->parts && taken->sample + 1 == SAMPLES_AUTO_LEAST / 2)
        refine_remember(&average->refine, &average->light, SAMPLES_AUTO_LEAST / 2,
                        average->threads);
}

static void average_wait(struct average *average)
{
    background_wait(average->background, average->number);
}

static void average_take(struct average *average, const struct taken *taken)
{
    average_wait(average);
    average->taken = *taken;
    if (average->background)
        average->number = background_run(average->background, taken_add, average);
    else
        taken_add(average);
}

/* Of those after the first stage (`parts`) the pixels of squares that take part. */
static void average_take_whole(struct average *average, const struct field *fields, int sample,
                               int samples, bool parts)
{
    struct taken taken = {.sample = sample, .samples = samples, .parts = parts};
    memcpy(taken.fields, fields, (size_t)samples * sizeof *fields);
    uint64_t pixels = parts ? refine_pixels(&average->refine)
                            : (uint64_t)average->light.width * (uint64_t)average->light.height;
    average->pixels += pixels * (uint64_t)samples;
    average_take(average, &taken);
}

static enum status average_failed(const struct average *average)
{
    return average->status == STATUS_OK ? STATUS_OK
                                        : status_fail(average->status, "%s", average->why);
}

/* On the device. */
static enum status squares_refine(struct average *average, int samples)
{
    const struct light_squares squares = {average->squares, average->square_count};
    TRY(average_failed(average));
    TRY(light_device_compare(&average->device, &squares, &average->light, average->sums));
    refine_judge(&average->refine, average->squares, average->square_count, average->sums, samples);
    free(average->squares);
    average->squares = NULL;
    return refine_squares(&average->refine, &average->squares, &average->square_count);
}

/* After a stage of so many samples: the squares of the next one; none where no square needs it. */
static enum status average_refine(struct average *average, int samples, struct stage *stage)
{
    average_wait(average);
    if (average->sums)
        TRY(squares_refine(average, samples));
    else if (!refine_compare(&average->refine, &average->light, samples, average->threads))
        return STATUS_OK;
    return refine_squares(&average->refine, &stage->squares, &stage->count);
}

static void average_close(struct average *average)
{
    if (!average)
        return;
    average_wait(average);
    light_destroy(&average->light);
    refine_destroy(&average->refine);
    free(average->squares);
    free(average->sums);
    free(average);
}

enum status average_end(struct average *average, float (**light)[3])
{
    enum status status = STATUS_OK;
    *light = NULL;
    if (!average)
        return STATUS_OK;
    average_wait(average);
    if (average->status == STATUS_OK) {
        *light = average->light.mean;
        average->light.mean = NULL;
    } else {
        status = average_failed(average);
    }
    average_close(average);
    return status;
}

/* ---- jobs ------------------------------------------------------------------------------------ */

static bool is_root(const struct sampling *sampling)
{
    return world_rank(sampling->world) == 0;
}

/* Says which sample it was, if it was not the first, which is a picture like any other. */
static enum status sample_failed(enum status status, int sample)
{
    char why[STATUS_TEXT_BYTES];
    if (status == STATUS_STOPPED)
        return status;
    snprintf(why, sizeof why, "%s", status_text());
    return status_fail(status, "in sample %d of each pixel: %.900s", sample + 1, why);
}

/* Does rank 0 have to go on without the others? */
static bool left_alone(const struct sampling *sampling, enum status status)
{
    return is_root(sampling) && status != STATUS_STOPPED &&
           world_lost(sampling->world) != STATUS_OK;
}

/* A loss is found in the job in which it happens, which may be whole, or before the next one. */
enum status sampling_job(struct sampling *sampling, const struct tile_batch *batch,
                         struct field *fields)
{
    enum status status = STATUS_OK;
    uint64_t job = sampling->jobs++;
    if (!left_alone(sampling, STATUS_OK))
        status = sampling->compute(sampling->context, job, batch, fields);
    else
        status = STATUS_SYSTEM;
    if (status == STATUS_OK || !left_alone(sampling, status))
        return status;
    TRY(sampling->alone(sampling->context, &sampling->world));
    return sampling->compute(sampling->context, job, batch, fields);
}

/* Samples that a job of the whole picture computes when so many are left. */
static int samples_together(const struct sampling *sampling, int left)
{
    int most = sampling->at_once > 1 ? sampling->at_once : 1;
    return left < most ? left : most;
}

/* Samples from ... to - 1 of the whole picture. */
static enum status samples_take(struct sampling *sampling, struct average *average,
                                const struct tile_batch *whole, int from, int to, bool parts)
{
    struct tile_batch batch = *whole;
    for (batch.sample = from; batch.sample < to; batch.sample += batch.samples) {
        struct field fields[SAMPLES_AT_ONCE];
        batch.samples = samples_together(sampling, to - batch.sample);
        enum status status = sampling_job(sampling, &batch, fields);
        if (status != STATUS_OK)
            return sample_failed(status, batch.sample);
        if (is_root(sampling))
            average_take_whole(average, fields, batch.sample, batch.samples, parts);
    }
    return STATUS_OK;
}

/* ---- stages ---------------------------------------------------------------------------------- */

/* Rank 0 decides which squares take part; all get their numbers: none, if no square does. */
static enum status stage_share(struct sampling *sampling, struct average *average, int samples,
                               struct stage *stage)
{
    *stage = (struct stage){.count = 0};
    enum status mine = is_root(sampling) ? average_refine(average, samples, stage) : STATUS_OK;
    void *bytes = stage->squares;
    size_t length = (size_t)stage->count * sizeof *stage->squares;
    enum status status = world_share(sampling->world, mine, &bytes, &length);
    if (status == STATUS_OK) {
        stage->squares = bytes;
        stage->count = (uint32_t)(length / sizeof *stage->squares);
    }
    return mine == STATUS_OK && left_alone(sampling, status) ? STATUS_OK : status;
}

/* Cells of a stage, and what is known of them. */
struct cells {
    struct cell_stage stage;
    struct grid_cell *places;
    struct sample_share shares[SAMPLES_AUTO_MOST];
};

static enum status sheet_take(struct sampling *sampling, struct average *average,
                              const struct cells *cells, const struct cell_sheet *sheet)
{
    struct tile_batch batch = {.cells = cells->places, .cells_in_row = sheet->in_row};
    struct field field;
    cell_sheet_grids(sheet, &cells->stage, cells->places);
    TRY(world_agree(sampling->world,
                    tiles_cut(&batch.tiles, &batch.count, sheet->in_row * GRID_CELL,
                              sheet->rows * GRID_CELL, sampling->cells_px, TILE_ORDER_ROW)));
    enum status status = sampling_job(sampling, &batch, &field);
    free(batch.tiles);
    if (status != STATUS_OK)
        return sample_failed(status, cells->stage.from);
    if (is_root(sampling)) {
        struct taken taken = {
            .fields = {field}, .sheet = *sheet, .stage = cells->stage, .shares = cells->shares};
        average_take(average, &taken);
    }
    return STATUS_OK;
}

static enum status cells_open(struct cells *cells, const struct sampling *sampling,
                              const struct stage *stage, int from, int to)
{
    *cells = (struct cells){.stage = {.width = sampling->width,
                                      .height = sampling->height,
                                      .squares = stage->squares,
                                      .count = stage->count,
                                      .from = from,
                                      .samples = to - from}};
    size_t most = (size_t)cells_most(sampling->width, sampling->height);
    cells->stage.above = sampling->above;
    cells->stage.left = sampling->left;
    cells->places = malloc(most * sizeof *cells->places);
    if (!cells->places)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the places of %zu cells", most);
    for (int s = from; s < to; s++)
        cells->shares[s - from] = sample_share(s);
    return STATUS_OK;
}

/* Samples from ... to - 1, in these squares. */
static enum status cells_take(struct sampling *sampling, struct average *average,
                              const struct stage *stage, int from, int to)
{
    struct cells cells;
    enum status status =
        world_agree(sampling->world, cells_open(&cells, sampling, stage, from, to));
    struct cell_sheet sheet = cell_sheet_at(&cells.stage, 0);
    while (status == STATUS_OK && sheet.count) {
        status = sheet_take(sampling, average, &cells, &sheet);
        sheet = cell_sheet_at(&cells.stage, sheet.first + sheet.count);
    }
    if (is_root(sampling))
        average_wait(average);
    free(cells.places);
    return status;
}

/* The whole picture is computed where cells would have as many pixels. */
static enum status stage_run(struct sampling *sampling, struct average *average,
                             const struct tile_batch *whole, const struct stage *stage, int from,
                             int to)
{
    uint64_t pixels = (uint64_t)sampling->width * (uint64_t)sampling->height;
    uint64_t of_cells = (uint64_t)stage->count * GRID_CELL * GRID_CELL;
    uint64_t samples = (uint64_t)(to - from);
    bool parts = of_cells < pixels;
    sampling->pixels += (parts ? of_cells : pixels) * samples;
    if (!parts)
        return samples_take(sampling, average, whole, from, to, true);
    if (is_root(sampling))
        average->pixels += refine_pixels(&average->refine) * samples;
    return cells_take(sampling, average, stage, from, to);
}

static enum status stages_run(struct sampling *sampling, struct average *average,
                              const struct tile_batch *whole)
{
    enum status status = STATUS_OK;
    bool goes_on = true;
    for (int n = SAMPLES_AUTO_LEAST, next; goes_on && n < SAMPLES_AUTO_MOST; n = next) {
        struct stage stage;
        next = refine_samples(n);
        status = stage_share(sampling, average, n, &stage);
        goes_on = status == STATUS_OK && stage.count > 0;
        if (goes_on)
            status = stage_run(sampling, average, whole, &stage, n, next);
        goes_on = goes_on && status == STATUS_OK;
        free(stage.squares);
    }
    return status;
}

/* Rank 0, with the centres and as many samples as have come with them: how they look. */
static enum status average_begin(struct sampling *sampling, struct average **average,
                                 const struct field *fields, int samples, bool adapts)
{
    const struct look *look = NULL;
    if (!is_root(sampling))
        return STATUS_OK;
    if (!sampling->look)
        return status_fail(STATUS_INTERNAL, "samples without a look");
    TRY(sampling->look(sampling->look_context, fields, &look));
    TRY(average_open(average, sampling, look, adapts));
    average_take_whole(*average, fields, 0, samples, false);
    return STATUS_OK;
}

/* Of SAMPLES_AUTO. A picture that is smaller than a cell gets as many samples as its squares can
 * get at most. */
static bool is_adaptive(const struct sampling *sampling)
{
    return sampling->samples == SAMPLES_AUTO && cells_most(sampling->width, sampling->height) > 0;
}

enum status sampling_run(struct sampling *sampling, const struct tile_batch *whole,
                         struct field *field)
{
    struct average *average = NULL; /* of rank 0 */
    bool adapts = is_adaptive(sampling);
    int everywhere = adapts ? SAMPLES_AUTO_LEAST : samples_most(sampling->samples);
    uint64_t pixels = (uint64_t)sampling->width * (uint64_t)sampling->height;
    double begin_s = clock_s();
    sampling->pixels = pixels * (uint64_t)everywhere;
    sampling->mean_samples = 1;
    struct field fields[SAMPLES_AT_ONCE];
    struct tile_batch first = *whole;
    first.samples = samples_together(sampling, everywhere);
    TRY(sampling_job(sampling, &first, fields));
    if (is_root(sampling))
        *field = fields[0];
    sampling->centres_s = clock_s() - begin_s;
    if (everywhere == 1 && !sampling->lights)
        return STATUS_OK;
    enum status status = world_agree(
        sampling->world, average_begin(sampling, &average, fields, first.samples, adapts));
    if (status == STATUS_OK)
        status = samples_take(sampling, average, whole, first.samples, everywhere, false);
    if (status == STATUS_OK && adapts)
        status = stages_run(sampling, average, whole);
    if (status == STATUS_OK && average && average->sums)
        average_take(average, &(struct taken){.ends = true});
    if (status == STATUS_OK && is_root(sampling)) {
        sampling->mean_samples = (double)average->pixels / (double)pixels;
        sampling->average = average;
        return STATUS_OK;
    }
    average_close(average);
    return status;
}
