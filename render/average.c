#include "render/average.h"

#include <pthread.h>
#include <stdlib.h>

#include "kernels/backend.h"

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

enum status average_create(struct average **out, const struct look *look, int32_t width,
                           int32_t height, int samples, bool overlaps)
{
    *out = NULL;
    struct average *average = calloc(1, sizeof *average);
    if (!average)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for an average");
    *average = (struct average){.look = look,
                                .adapts = samples == SAMPLES_AUTO,
                                .overlaps = overlaps,
                                .threads = threads_for(overlaps)};
    enum status status = light_create(&average->light, width, height);
    if (status == STATUS_OK && average->adapts)
        status = refine_create(&average->refine, width, height);
    if (status == STATUS_OK)
        *out = average;
    else
        average_end(average);
    return status;
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

void average_take(struct average *average, const struct field *field, int sample)
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

enum status average_refine(struct average *average, int32_t tile_px, int64_t overhead_px,
                           struct tile **tiles, uint32_t *count)
{
    field_wait(average);
    *tiles = NULL;
    *count = 0;
    average->parts = true;
    if (!refine_compare(&average->refine, &average->light, average->threads))
        return STATUS_OK;
    return refine_tiles(&average->refine, tile_px, overhead_px, tiles, count);
}

struct average_result average_end(struct average *average)
{
    if (!average)
        return (struct average_result){.samples = 1};
    field_wait(average);
    double pixels = (double)average->light.width * (double)average->light.height;
    struct average_result result = {.light = average->light.mean,
                                    .samples = (double)average->pixels / pixels};
    refine_destroy(&average->refine);
    free(average);
    return result;
}
