#include "render/sampling.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "decomposition/clock.h"
#include "kernels/backend.h"
#include "render/refine.h"

/* ---- the mean -------------------------------------------------------------------------------- */

struct average {
    const struct look *look;
    struct light light;
    struct refine refine;         /* of SAMPLES_AUTO; else zeroed */
    bool adapts, overlaps, parts; /* parts: only squares get samples now */
    int threads;
    uint64_t pixels;    /* added, all samples together */
    struct field field; /* being added, */
    int sample;
    pthread_t thread; /* by this one, if */
    bool threaded;
};

enum { CORES_OF_DEVICES = 2 }; /* for the threads that feed devices and talk */

static int threads_for(bool overlaps)
{
    int cores = backend_cores_usable();
    return overlaps && cores > 2 * CORES_OF_DEVICES ? cores - CORES_OF_DEVICES : cores;
}

static enum status average_open(struct average *average, const struct sampling *sampling,
                                const struct look *look)
{
    *average = (struct average){.look = look,
                                .adapts = sampling->samples == SAMPLES_AUTO,
                                .overlaps = sampling->overlaps,
                                .threads = threads_for(sampling->overlaps)};
    TRY(light_create(&average->light, sampling->width, sampling->height));
    if (average->adapts)
        TRY(refine_create(&average->refine, sampling->width, sampling->height));
    return STATUS_OK;
}

static void *field_add(void *context)
{
    struct average *average = context;
    if (average->parts)
        refine_add(&average->refine, &average->light, average->look, &average->field,
                   average->sample, average->threads);
    else
        light_add_all(&average->light, average->look, &average->field, average->sample,
                      average->threads);
    if (average->adapts && average->sample + 1 == SAMPLES_AUTO_LEAST / 2)
        refine_remember(&average->refine, &average->light, average->threads);
    return NULL;
}

static void field_wait(struct average *average)
{
    if (average->threaded)
        pthread_join(average->thread, NULL);
    average->threaded = false;
}

/* Of those after the first stage the pixels of squares that take part. */
static void average_take(struct average *average, const struct field *field, int sample)
{
    field_wait(average);
    average->field = *field;
    average->sample = sample;
    average->pixels += average->parts
                           ? refine_pixels(&average->refine)
                           : (uint64_t)average->light.width * (uint64_t)average->light.height;
    average->threaded =
        average->overlaps && pthread_create(&average->thread, NULL, field_add, average) == 0;
    if (!average->threaded)
        field_add(average);
}

/* After a stage: the tiles of the next one; none where no square needs it. */
static enum status average_refine(struct average *average, const struct sampling *sampling,
                                  struct part *part)
{
    field_wait(average);
    average->parts = true;
    if (!refine_compare(&average->refine, &average->light, average->threads))
        return STATUS_OK;
    return refine_tiles(&average->refine, sampling->part_px, sampling->part_overhead_px,
                        &part->tiles, &part->count);
}

/* Also of one that could not be opened. */
static void average_close(struct average *average)
{
    field_wait(average);
    refine_destroy(&average->refine);
    light_destroy(&average->light);
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

/* A loss is found in the job in which it happens, of which the sample may be whole, or before the
 * next one. */
static enum status sample_take(struct sampling *sampling, int sample, const struct part *part,
                               struct field *field)
{
    enum status status = STATUS_OK;
    if (!left_alone(sampling, STATUS_OK))
        status = sampling->compute(sampling->context, sample, part, field);
    else
        status = STATUS_SYSTEM;
    if (status == STATUS_OK || !left_alone(sampling, status))
        return status;
    TRY(sampling->alone(sampling->context, &sampling->world));
    return sampling->compute(sampling->context, sample, part, field);
}

/* Samples from ... to - 1. */
static enum status samples_take(struct sampling *sampling, struct average *average,
                                const struct part *part, int from, int to)
{
    for (int sample = from; sample < to; sample++) {
        struct field field;
        enum status status = sample_take(sampling, sample, part, &field);
        if (status != STATUS_OK)
            return sample_failed(status, sample);
        if (is_root(sampling))
            average_take(average, &field, sample);
    }
    return STATUS_OK;
}

static enum status part_tell(struct world *world, struct part *part)
{
    enum status status = world_tell(world, &part->count, sizeof part->count);
    void *bytes = part->tiles;
    size_t length = (size_t)part->count * sizeof *part->tiles;
    status = world_agree(world, status);
    if (status == STATUS_OK && length)
        status = world_agree(world, world_share(world, &bytes, &length));
    part->tiles = bytes;
    return status;
}

/* Rank 0 decides where the next stage is computed; all get the tiles: none, if nowhere. */
static enum status part_share(struct sampling *sampling, struct average *average, struct part *part)
{
    *part = (struct part){.count = 0};
    enum status mine = is_root(sampling) ? average_refine(average, sampling, part) : STATUS_OK;
    enum status status = world_agree(sampling->world, mine);
    if (status == STATUS_OK)
        status = part_tell(sampling->world, part);
    return mine == STATUS_OK && left_alone(sampling, status) ? STATUS_OK : status;
}

static enum status stages_run(struct sampling *sampling, struct average *average)
{
    enum status status = STATUS_OK;
    bool goes_on = true;
    for (int n = SAMPLES_AUTO_LEAST; goes_on && n < SAMPLES_AUTO_MOST; n *= 2) {
        struct part part;
        status = part_share(sampling, average, &part);
        goes_on = status == STATUS_OK && part.count > 0;
        for (uint32_t i = 0; goes_on && i < part.count; i++)
            sampling->pixels +=
                (uint64_t)part.tiles[i].width * (uint64_t)part.tiles[i].height * (uint64_t)n;
        if (goes_on)
            status = samples_take(sampling, average, &part, n, 2 * n);
        goes_on = goes_on && status == STATUS_OK;
        free(part.tiles);
    }
    return status;
}

/* Rank 0, with the centres: how they look. */
static enum status average_begin(struct sampling *sampling, struct average *average,
                                 const struct field *centres)
{
    const struct look *look = NULL;
    if (!is_root(sampling))
        return STATUS_OK;
    if (!sampling->look)
        return status_fail(STATUS_INTERNAL, "samples without a look");
    TRY(sampling->look(sampling->look_context, centres, &look));
    TRY(average_open(average, sampling, look));
    average_take(average, centres, 0);
    return STATUS_OK;
}

enum status sampling_run(struct sampling *sampling, const struct part *whole, struct field *field)
{
    struct average average = {.look = NULL};
    bool adapts = sampling->samples == SAMPLES_AUTO;
    int everywhere = adapts ? SAMPLES_AUTO_LEAST : samples_most(sampling->samples);
    uint64_t pixels = (uint64_t)sampling->width * (uint64_t)sampling->height;
    double begin_s = clock_s();
    sampling->pixels = pixels * (uint64_t)everywhere;
    sampling->mean_samples = 1;
    TRY(sampling->compute(sampling->context, 0, whole, field));
    sampling->centres_s = clock_s() - begin_s;
    if (everywhere == 1)
        return STATUS_OK;
    enum status status = world_agree(sampling->world, average_begin(sampling, &average, field));
    if (status == STATUS_OK)
        status = samples_take(sampling, &average, whole, 1, everywhere);
    if (status == STATUS_OK && adapts)
        status = stages_run(sampling, &average);
    field_wait(&average);
    if (status == STATUS_OK && is_root(sampling)) {
        sampling->mean_samples = (double)average.pixels / (double)pixels;
        sampling->light = average.light.mean;
        average.light.mean = NULL;
    }
    average_close(&average);
    return status;
}
