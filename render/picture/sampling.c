#include "render/picture/sampling.h"

#include <stdio.h>
#include <stdlib.h>

#include "decomposition/thread/clock.h"
#include "render/colour/cells.h"
#include "render/colour/refine.h"

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

/* Rank 0 decides which squares take part; all get their numbers: none, if no square does. */
static enum status stage_share(struct sampling *sampling, struct average *average, int samples,
                               struct sample_squares *stage)
{
    *stage = (struct sample_squares){.count = 0};
    enum status mine = is_root(sampling) ? average_refine(average, samples, stage) : STATUS_OK;
    void *bytes = stage->number;
    size_t length = (size_t)stage->count * sizeof *stage->number;
    enum status status = world_share(sampling->world, mine, &bytes, &length);
    if (status == STATUS_OK) {
        stage->number = bytes;
        stage->count = (uint32_t)(length / sizeof *stage->number);
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
    if (is_root(sampling))
        average_take_cells(average, &field, sheet, &cells->stage, cells->shares);
    return STATUS_OK;
}

static enum status cells_open(struct cells *cells, const struct sampling *sampling,
                              const struct sample_squares *stage, int from, int to)
{
    *cells = (struct cells){.stage = {.width = sampling->width,
                                      .height = sampling->height,
                                      .squares = stage->number,
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
                              const struct sample_squares *stage, int from, int to)
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
                             const struct tile_batch *whole, const struct sample_squares *stage,
                             int from, int to)
{
    uint64_t pixels = (uint64_t)sampling->width * (uint64_t)sampling->height;
    uint64_t of_cells = (uint64_t)stage->count * GRID_CELL * GRID_CELL;
    uint64_t samples = (uint64_t)(to - from);
    bool parts = of_cells < pixels;
    sampling->pixels += (parts ? of_cells : pixels) * samples;
    if (!parts)
        return samples_take(sampling, average, whole, from, to, true);
    if (is_root(sampling))
        average_count_squares(average, to - from);
    return cells_take(sampling, average, stage, from, to);
}

static enum status stages_run(struct sampling *sampling, struct average *average,
                              const struct tile_batch *whole)
{
    enum status status = STATUS_OK;
    bool goes_on = true;
    for (int n = SAMPLES_AUTO_LEAST, next; goes_on && n < SAMPLES_AUTO_MOST; n = next) {
        struct sample_squares stage;
        next = refine_samples(n);
        status = stage_share(sampling, average, n, &stage);
        goes_on = status == STATUS_OK && stage.count > 0;
        if (goes_on)
            status = stage_run(sampling, average, whole, &stage, n, next);
        goes_on = goes_on && status == STATUS_OK;
        free(stage.number);
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
    const struct average_options options = {.width = sampling->width,
                                            .height = sampling->height,
                                            .adapts = adapts,
                                            .samples = adapts ? SAMPLES_AUTO_LEAST
                                                              : samples_most(sampling->samples),
                                            .background = sampling->background,
                                            .stop = sampling->stop,
                                            .device = sampling->device};
    TRY(average_open(average, &options, look));
    average_take_whole(*average, fields, 0, samples, false);
    return STATUS_OK;
}

/* Returns whether SAMPLES_AUTO adapts. A picture that is smaller than a cell gets as many samples
 * as its squares can get at most. */
static bool is_adaptive(const struct sampling *sampling)
{
    return sampling->samples == SAMPLES_AUTO && cells_most(sampling->width, sampling->height) > 0;
}

enum status sampling_run(struct sampling *sampling, const struct tile_batch *whole,
                         struct field *field)
{
    struct average *average = NULL; /* used by rank 0 */
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
    if (status == STATUS_OK && is_root(sampling)) {
        average_take_end(average);
        sampling->mean_samples = average_samples(average);
        sampling->average = average;
        return STATUS_OK;
    }
    average_close(average);
    return status;
}
