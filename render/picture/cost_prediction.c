#include "render/picture/cost_prediction.h"

#include <stdlib.h>
#include <string.h>

#include "decomposition/schedule/forecast.h"
#include "decomposition/thread/clock.h"

/* What tiles cost beside their pixels (decomposition/pool/job.h), as judged: a nap of a waiting
 * rank takes 60 us. */
static const struct forecast_overhead beside = {10e-6, 2e-6, 100e-6}, away = {10e-6, 2e-6, 1e-3};

/* Report of a rank about its part of the pass. */
struct pass_report {
    int64_t number; /* 1 + the part's; 0: the rank does not compute */
    uint64_t iterations;
    double seconds;
    float samples[]; /* [cost_part] */
};

static size_t part_bytes(const struct cost_prediction *prediction)
{
    size_t bytes = sizeof(struct pass_report) +
                   cost_part(&prediction->whole, prediction->parts) * sizeof(float);
    return (bytes + 7) / 8 * 8;
}

struct pass_work {
    const struct cost_prediction *prediction;
    struct pass_report *part;
};

static enum status part_compute(void *context)
{
    const struct pass_work *pass = context;
    const struct cost_prediction *prediction = pass->prediction;
    struct pass_report *part = pass->part;
    double begin = clock_s();
    if (!part)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a part of a coarse pass");
    if (prediction->part < 0)
        return STATUS_OK;
    part->number = 1 + prediction->part;
    TRY(cost_samples(&prediction->device, &prediction->whole, prediction->part, prediction->parts,
                     part->samples, &part->iterations));
    part->seconds = clock_s() - begin;
    return STATUS_OK;
}

/* Iterations per second of a rank, in the mean of those that compute. */
static double mean_speed(const char *parts, size_t bytes, int count)
{
    double speed = 0;
    for (int i = 0; i < count; i++) {
        const struct pass_report *part = (const struct pass_report *)(parts + (size_t)i * bytes);
        speed += part->seconds > 0 ? (double)part->iterations / part->seconds / count : 0;
    }
    return speed;
}

/* Rank 0. `parts`: those of the ranks that compute, in the order of their parts. */
static enum status tiles_cut_by_cost(const struct cost_prediction *prediction, const char *parts,
                                     size_t bytes, struct tile **tiles, float **costs,
                                     uint32_t *count)
{
    const struct grid *whole = &prediction->whole;
    int32_t columns = forecast_samples(whole->width, COST_SAMPLE_PX);
    int32_t rows = forecast_samples(whole->height, COST_SAMPLE_PX);
    size_t samples = (size_t)columns * (size_t)rows;
    struct forecast forecast = {.sum = NULL};
    float *cost = calloc(2 * samples, sizeof *cost);
    if (!cost)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a forecast");
    const struct pass_report *first = (const struct pass_report *)parts;
    cost_join(whole, prediction->parts, first->samples, bytes, cost);
    forecast_careful(cost, columns, rows, cost + samples);
    struct forecast_limits limits =
        forecast_limits((uint32_t)prediction->parts, mean_speed(parts, bytes, prediction->parts),
                        prediction->away ? &away : &beside);
    enum status status =
        forecast_open(&forecast, whole->width, whole->height, COST_SAMPLE_PX, cost + samples);
    if (status == STATUS_OK)
        status = forecast_cut(&forecast, &limits, tiles, costs, count);
    forecast_close(&forecast);
    free(cost);
    return status;
}

/* Rank 0: moves the parts of the ranks that compute, which are all that said something, to the
 * front. */
static void close_up(char *parts, size_t bytes, int ranks)
{
    int next = 0;
    for (int rank = 0; rank < ranks; rank++) {
        const struct pass_report *part = (const struct pass_report *)(parts + (size_t)rank * bytes);
        if (part->number > 0)
            memmove(parts + (size_t)next++ * bytes, part, bytes);
    }
}

/* Rank 0's tiles to all, or its failure. */
static enum status tiles_share(struct world *world, enum status mine, struct tile **tiles,
                               uint32_t *count)
{
    bool root = world_rank(world) == 0;
    void *bytes = *tiles;
    size_t length = root ? *count * sizeof **tiles : 0;
    TRY(world_share(world, mine, &bytes, &length));
    *tiles = bytes;
    *count = (uint32_t)(length / sizeof **tiles);
    return STATUS_OK;
}

enum status cost_prediction_tiles(const struct cost_prediction *prediction, struct tile **tiles,
                                  float **costs, uint32_t *count)
{
    struct world *world = prediction->world;
    bool root = world_rank(world) == 0;
    size_t bytes = part_bytes(prediction);
    struct pass_report *mine = calloc(1, bytes);
    struct pass_work pass = {prediction, mine};
    char *all = root ? calloc((size_t)world_size(world), bytes) : NULL;
    *tiles = NULL;
    *costs = NULL;
    *count = 0;
    enum status status = world_work(world, part_compute, &pass);
    if (status == STATUS_OK && root && !all)
        status = status_fail(STATUS_OUT_OF_MEMORY, "no memory for the parts of a coarse pass");
    status = world_agree(world, status);
    if (status == STATUS_OK)
        status = world_gather(world, mine, bytes, all);
    if (status == STATUS_OK && root) {
        close_up(all, bytes, world_size(world));
        status = tiles_cut_by_cost(prediction, all, bytes, tiles, costs, count);
    }
    status = tiles_share(world, status, tiles, count);
    if (status != STATUS_OK) {
        free(*tiles);
        free(*costs);
        *tiles = NULL;
        *costs = NULL;
    }
    free(mine);
    free(all);
    return status;
}
