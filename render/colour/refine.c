#include "render/colour/refine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/colour/pixel.h"
#include "render/disk/memory.h"

static int32_t least(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static int32_t parts_of(int32_t length, int32_t part)
{
    return (length - 1) / part + 1;
}

enum status refine_create(struct refine *refine, int32_t width, int32_t height, bool elsewhere)
{
    size_t pixels = (size_t)width * (size_t)height;
    *refine = (struct refine){.width = width,
                              .height = height,
                              .columns = parts_of(width, REFINE_SQUARE_PX),
                              .rows = parts_of(height, REFINE_SQUARE_PX)};
    size_t squares = (size_t)refine->columns * (size_t)refine->rows;
    refine->active = malloc(squares * sizeof *refine->active);
    if (!elsewhere)
        refine->before = memory_large(pixels * sizeof *refine->before);
    if (!refine->active || (!elsewhere && !refine->before)) {
        refine_destroy(refine);
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory to compare samples of %d x %d pixels",
                           width, height);
    }
    memset(refine->active, true, squares * sizeof *refine->active);
    return STATUS_OK;
}

void refine_destroy(struct refine *refine)
{
    free(refine->active);
    free(refine->before);
    *refine = (struct refine){0};
}

static struct light_rect square_of(const struct refine *refine, int32_t square)
{
    const struct colour_square at =
        colour_square_at((uint32_t)square, refine->width, refine->height);
    return (struct light_rect){at.x, at.y, at.width, at.height};
}

/* ---- comparing ------------------------------------------------------------------------------- */

/* Sums of squares of a row of a square fit into 32 bits. */
enum { ROW_VALUES = 3 * REFINE_SQUARE_PX };

static inline void values_take(const float *light, int32_t count, int16_t *restrict value)
{
    for (int32_t i = 0; i < count; i++)
        value[i] = (int16_t)colour_value(light[i]);
}

/* Sums of a row of `count` values; sums by column are added to `column`. */
static inline void row_compare(const int16_t *restrict now, const int16_t *restrict before,
                               int32_t count, int32_t *restrict column,
                               struct colour_sums *restrict sums)
{
    uint32_t differences = 0, squares = 0;
    for (int32_t i = 0; i < count; i++) {
        int32_t difference = now[i] - before[i];
        differences += (uint32_t)(difference * difference);
        squares += (uint32_t)(now[i] * now[i]);
        column[i] += now[i];
    }
    sums->differences += differences;
    sums->squares += squares;
}

/* Sums of a square with `count` values in a row; stores its values. */
static inline struct colour_sums square_take(struct refine *refine, const struct light *light,
                                             const struct light_rect *at, int32_t count)
{
    struct colour_sums sums = {.differences = 0};
    int32_t column[ROW_VALUES] = {0};
    for (int32_t y = 0; y < at->height; y++) {
        size_t first = (size_t)(at->y + y) * (size_t)refine->width + (size_t)at->x;
        int16_t now[ROW_VALUES], *before = refine->before[first];
        values_take(light->mean[first], count, now);
        row_compare(now, before, count, column, &sums);
        memcpy(before, now, (size_t)count * sizeof *now);
    }
    for (int32_t i = 0; i < count; i++)
        sums.value[i % 3] += column[i];
    return sums;
}

/* Largest error that is not visible, squared, where values have this variance; in units of
 * values. */
static double error_squared(double variance, int samples)
{
    double error = REFINE_ERROR * COLOUR_VALUE_ONE, contrast = REFINE_CONTRAST * COLOUR_VALUE_ONE;
    double hidden = 1 + (variance > 0 ? variance : 0) / (contrast * contrast);
    return error * error * hidden * samples / REFINE_AT;
}

/* Would more samples change the square visibly? */
static bool sums_decide(const struct refine *refine, const struct colour_sums *sums, int samples,
                        const struct light_rect *at)
{
    double pixels = (double)at->width * at->height;
    double value[3] = {sums->value[0], sums->value[1], sums->value[2]};
    double means = value[0] * value[0] + value[1] * value[1] + value[2] * value[2];
    double variance = ((double)sums->squares - means / pixels) / (3 * pixels);
    double part = (double)samples / refine->samples - 1; /* 1: change by twice the samples */
    return (double)sums->differences > 3 * pixels * part * error_squared(variance, samples);
}

static bool square_compare(struct refine *refine, const struct light *light, int samples,
                           int32_t square)
{
    struct light_rect at = square_of(refine, square);
    struct colour_sums sums = at.width == REFINE_SQUARE_PX /* constant trip counts */
                                  ? square_take(refine, light, &at, ROW_VALUES)
                                  : square_take(refine, light, &at, 3 * at.width);
    return sums_decide(refine, &sums, samples, &at);
}

int refine_samples(int samples)
{
    int step = SAMPLES_AUTO_LEAST; /* power of two or one and a half of it, from 8 on */
    while (4 * step <= samples)
        step *= 2;
    return samples + step;
}

void refine_remember(struct refine *refine, const struct light *light, int samples, int threads)
{
    int32_t rows = refine->height;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int32_t y = 0; y < rows; y++) {
        size_t first = (size_t)y * (size_t)refine->width;
        values_take(light->mean[first], 3 * refine->width, refine->before[first]);
    }
    refine->samples = samples;
}

bool refine_compare(struct refine *refine, const struct light *light, int samples, int threads)
{
    int32_t squares = refine->columns * refine->rows;
    bool any = false;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 64) reduction(|| : any)
    for (int32_t i = 0; i < squares; i++) {
        refine->active[i] = refine->active[i] && square_compare(refine, light, samples, i);
        any = any || refine->active[i];
    }
    refine->samples = samples;
    return any;
}

void refine_judge(struct refine *refine, const uint32_t *squares, uint32_t count,
                  const struct colour_sums *sums, int samples)
{
    for (uint32_t i = 0; i < count; i++) {
        struct light_rect at = square_of(refine, (int32_t)squares[i]);
        refine->active[squares[i]] = sums_decide(refine, &sums[i], samples, &at);
    }
    refine->samples = samples;
}

/* ---- samples --------------------------------------------------------------------------------- */

void refine_add(const struct refine *refine, struct light *light, const struct look *look,
                const struct field *field, int sample, int threads)
{
    struct sample_share share = sample_share(sample);
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int32_t row = 0; row < refine->rows; row++) {
        const bool *active = refine->active + (size_t)row * (size_t)refine->columns;
        for (int32_t first = 0, end; first < refine->columns; first = end + 1) {
            for (end = first; end < refine->columns && active[end];)
                end++;
            if (end == first)
                continue;
            struct light_rect run = square_of(refine, row * refine->columns + first);
            run.width = least(refine->width, end * REFINE_SQUARE_PX) - run.x;
            light_add(light, look, field, &share, run);
        }
    }
}

uint64_t refine_pixels(const struct refine *refine)
{
    uint64_t pixels = 0;
    for (int32_t i = 0; i < refine->columns * refine->rows; i++) {
        struct light_rect at = square_of(refine, i);
        pixels += refine->active[i] ? (uint64_t)at.width * (uint64_t)at.height : 0;
    }
    return pixels;
}

/* ---- squares --------------------------------------------------------------------------------- */

enum status refine_squares(const struct refine *refine, uint32_t **squares, uint32_t *count)
{
    int32_t all = refine->columns * refine->rows;
    *count = 0;
    for (int32_t i = 0; i < all; i++)
        *count += refine->active[i];
    uint32_t *list = *squares = malloc((*count ? *count : 1) * sizeof *list);
    if (!list)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a list of %u squares", *count);
    for (int32_t i = 0; i < all; i++)
        if (refine->active[i])
            *list++ = (uint32_t)i;
    return STATUS_OK;
}
