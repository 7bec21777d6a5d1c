#include "render/picture/average.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/backend.h"
#include "kernels/stop.h"
#include "render/colour/refine.h"
#include "render/disk/memory.h"

struct average {
    const struct look *look;
    struct light light;
    struct refine refine;          /* refinement of SAMPLES_AUTO; else zeroed */
    struct background *background; /* adds while the next sample is computed; NULL: none */
    uint64_t number;               /* number of the function in the background */
    struct light_device device;    /* device of the mean, while fields lie there, too */
    uint32_t *squares;             /* squares that take part, where the device compares; owned */
    uint32_t square_count;
    struct colour_sums *sums; /* sums of each square */
    enum status status;       /* status of the device, with its sentence in `why` */
    char why[STATUS_TEXT_BYTES];
    bool adapts;
    int samples; /* samples of the whole picture, without those of squares */
    int threads;
    uint64_t pixels;       /* pixels that were added, all samples together */
    struct average_input { /* samples that are being added */
        struct field fields[SAMPLES_AT_ONCE];
        int sample, samples;     /* samples of the whole picture, one in each field */
        bool parts;              /* a sample of the squares that take part instead */
        bool ends;               /* no sample is added: the light is wanted */
        struct cell_sheet sheet; /* cells that are added instead, if it has any */
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

/* Lists the squares for a device that compares them. */
static enum status squares_open(struct average *average)
{
    TRY(refine_squares(&average->refine, &average->squares, &average->square_count));
    average->sums = malloc((average->square_count + 1) * sizeof *average->sums);
    return average->sums ? STATUS_OK
                         : status_fail(STATUS_OUT_OF_MEMORY, "no memory to compare samples");
}

enum status average_open(struct average **out, const struct average_options *options,
                         const struct look *look)
{
    struct average *average = *out = malloc(sizeof *average);
    if (!average)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory to average samples");
    *average = (struct average){.look = look,
                                .adapts = options->adapts,
                                .samples = options->samples,
                                .background = options->background,
                                .device = options->device,
                                .threads = threads_for(options->background != NULL)};
    TRY(light_create(&average->light, options->width, options->height));
    average->light.stop = options->stop;
    bool there = average->device.device_set != NULL;
    if (average->adapts)
        TRY(refine_create(&average->refine, options->width, options->height, there));
    return average->adapts && there ? squares_open(average) : STATUS_OK;
}

/* The light comes to the host with the last sample; or when rank 0 goes on alone, and so without
 * the fields on its device. */
static enum status taken_add_there(struct average *average, bool leaves)
{
    const struct average_input *taken = &average->taken;
    int samples = leaves ? 0 : taken->samples;
    bool last = !average->adapts && taken->sample + samples == average->samples;
    return light_device_add(&average->device, average->look, taken->fields, taken->sample, samples,
                            &average->light,
                            leaves || taken->ends || last ? average->light.mean : NULL);
}

/* Adapts the samples of SAMPLES_AUTO on the device. Only for a process that is alone: nothing
 * leaves the device before the end. */
static enum status taken_adapt_there(struct average *average)
{
    const struct average_input *taken = &average->taken;
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

/* Touches the memory of the light while further samples are computed, which a device then copies
 * into by one thread. */
static void light_touch(const struct average *average)
{
    const struct light *light = &average->light;
    size_t pixels = (size_t)light->width * (size_t)light->height;
    if (average->background && average->device.device_set && average->taken.sample == 0 &&
        average->taken.samples < average->samples)
        memory_touch(light->mean, pixels * sizeof *light->mean, average->threads);
}

static void taken_add(void *context)
{
    struct average *average = context;
    const struct average_input *taken = &average->taken;
    if (taken_by_device(average)) {
        light_touch(average);
        return;
    }
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

void average_wait(struct average *average)
{
    background_wait(average->background, average->number);
}

static void average_take(struct average *average, const struct average_input *taken)
{
    average_wait(average);
    average->taken = *taken;
    if (average->background)
        average->number = background_run(average->background, taken_add, average);
    else
        taken_add(average);
}

void average_take_whole(struct average *average, const struct field *fields, int sample,
                        int samples, bool parts)
{
    struct average_input taken = {.sample = sample, .samples = samples, .parts = parts};
    memcpy(taken.fields, fields, (size_t)samples * sizeof *fields);
    uint64_t pixels = parts ? refine_pixels(&average->refine)
                            : (uint64_t)average->light.width * (uint64_t)average->light.height;
    average->pixels += pixels * (uint64_t)samples;
    average_take(average, &taken);
}

void average_take_cells(struct average *average, const struct field *field,
                        const struct cell_sheet *sheet, const struct cell_stage *stage,
                        const struct sample_share *shares)
{
    const struct average_input input = {
        .fields = {*field}, .sheet = *sheet, .stage = *stage, .shares = shares};
    average_take(average, &input);
}

void average_count_squares(struct average *average, int samples)
{
    average->pixels += refine_pixels(&average->refine) * (uint64_t)samples;
}

void average_take_end(struct average *average)
{
    if (average->sums)
        average_take(average, &(struct average_input){.ends = true});
}

double average_samples(const struct average *average)
{
    return (double)average->pixels / ((double)average->light.width * average->light.height);
}

static enum status average_failed(const struct average *average)
{
    return average->status == STATUS_OK ? STATUS_OK
                                        : status_fail(average->status, "%s", average->why);
}

/* Refines the squares on the device. */
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

enum status average_refine(struct average *average, int samples, struct sample_squares *squares)
{
    average_wait(average);
    if (average->sums)
        TRY(squares_refine(average, samples));
    else if (!refine_compare(&average->refine, &average->light, samples, average->threads))
        return STATUS_OK;
    return refine_squares(&average->refine, &squares->number, &squares->count);
}

void average_close(struct average *average)
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
    if (stop_asked(average->light.stop)) {
        status = status_fail(STATUS_STOPPED, "stopped on request");
    } else if (average->status == STATUS_OK) {
        *light = average->light.mean;
        average->light.mean = NULL;
    } else {
        status = average_failed(average);
    }
    average_close(average);
    return status;
}
