#include "render/colour/samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/stop.h"
#include "render/colour/colour_kernels.h"
#include "render/colour/r2.h"
#include "render/disk/memory.h"

enum { OFFSET_BITS = 12 };

int samples_most(int samples)
{
    return samples == SAMPLES_AUTO ? SAMPLES_AUTO_MOST : samples > 1 ? samples : 1;
}

static double unit_offset(uint32_t phase)
{
    return (double)(phase >> (32 - OFFSET_BITS)) / (1 << OFFSET_BITS) - 0.5;
}

struct sample_offset sample_offset(int sample)
{
    uint32_t s = (uint32_t)sample, half = 1u << 31;
    return (struct sample_offset){unit_offset(half + s * R2_X), unit_offset(half + s * R2_Y)};
}

void sample_move(struct grid *grid, int sample)
{
    struct sample_offset offset = sample_offset(sample);
    grid->half_width -= offset.x;
    grid->half_height -= offset.y;
}

/* ---- weights --------------------------------------------------------------------------------- */

struct sample_share sample_share(int sample)
{
    struct sample_offset offset = sample_offset(sample);
    return (struct sample_share){.x = (float)fabs(offset.x),
                                 .y = (float)fabs(offset.y),
                                 .to_x = offset.x > 0 ? -1 : 1,
                                 .to_y = offset.y > 0 ? -1 : 1,
                                 .of_mean = (float)(1.0 / (sample + 1)),
                                 .is_first = sample == 0};
}

/* ---- light ----------------------------------------------------------------------------------- */

enum status light_create(struct light *light, int32_t width, int32_t height)
{
    size_t pixels = (size_t)width * (size_t)height;
    *light = (struct light){.width = width, .height = height};
    light->mean = pixels <= SIZE_MAX / sizeof *light->mean
                      ? memory_large(pixels * sizeof *light->mean)
                      : NULL;
    if (!light->mean)
        return status_fail(STATUS_OUT_OF_MEMORY,
                           "no memory to average the samples of %d x %d "
                           "pixels",
                           width, height);
    return STATUS_OK;
}

void light_destroy(struct light *light)
{
    free(light->mean);
    *light = (struct light){0};
}

/* Pixels of a span, whose lines stay in the first-level cache, and rows of a strip. */
enum { SPAN = 254, LINE = SPAN + 2, STRIP = 32 };

/* Colours of a span of row y and of the neighbouring pixels. */
static void line_take(const struct look *look, const struct field *field, int32_t x, int32_t y,
                      int32_t length, float line[LINE][3])
{
    int32_t left = x > 0, right = x + length < field->width;
    y = y < 0 ? 0 : y < field->height ? y : field->height - 1;
    colour_span_light(look, field, x - left, y, left + length + right, line + 1 - left);
    if (!left)
        memcpy(line[0], line[1], sizeof line[0]);
    if (!right)
        memcpy(line[length + 1], line[length], sizeof line[0]);
}

void light_add_lines(struct light *light, const struct sample_share *share, const float (*own)[3],
                     const float (*other)[3], int32_t stride, struct light_rect at)
{
    float(*mean)[3] = light->mean + (size_t)at.y * (size_t)light->width + at.x;
    const struct colour_lines lines = {
        *own, *other, *mean, 3 * stride, 3 * (ptrdiff_t)light->width, at.height, 3 * at.width};
    if (!share->is_first)
        colour_kernels_best()->average(share, &lines);
    /* first sample: at the pixels' centres */
    for (int32_t j = 0; share->is_first && j < at.height; j++)
        memcpy(mean[(size_t)j * (size_t)light->width], own[j * stride],
               (size_t)at.width * sizeof *own);
}

static void columns_add(struct light *light, const struct look *look, const struct field *field,
                        const struct sample_share *share, const struct light_rect *part)
{
    float line[2][LINE][3];
    int32_t above = share->to_y < 0, y = part->y - above;
    line_take(look, field, part->x, y, part->width, line[0]);
    for (int32_t i = 0; i < part->height; i++) {
        float(*upper)[3] = line[i % 2], (*lower)[3] = line[(i + 1) % 2];
        line_take(look, field, part->x, y + i + 1, part->width, lower);
        light_add_lines(light, share, (const float(*)[3])(above ? lower : upper) + 1,
                        (const float(*)[3])(above ? upper : lower) + 1, LINE,
                        (struct light_rect){part->x, part->y + i, part->width, 1});
    }
}

void light_add(struct light *light, const struct look *look, const struct field *field,
               const struct sample_share *share, struct light_rect rectangle)
{
    int32_t end = rectangle.x + rectangle.width;
    for (struct light_rect part = rectangle; part.x < end && !stop_asked(light->stop);
         part.x += part.width) {
        part.width = end - part.x < SPAN ? end - part.x : SPAN;
        columns_add(light, look, field, share, &part);
    }
}

/* Rows of a strip, so that all threads end together. */
static int32_t strip_rows(int32_t height, int threads)
{
    int32_t rounds = (height - 1) / (threads * STRIP) + 1;
    return (height - 1) / (threads * rounds) + 1;
}

void light_add_all(struct light *light, const struct look *look, const struct field *fields,
                   int sample, int samples, int threads)
{
    struct sample_share share[SAMPLES_AT_ONCE];
    threads = threads > 0 ? threads : 1;
    for (int s = 0; s < samples; s++)
        share[s] = sample_share(sample + s);
    int32_t rows = strip_rows(light->height, threads), strips = (light->height - 1) / rows + 1;
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int32_t i = 0; i < strips; i++) {
        int32_t y = i * rows, left = light->height - y;
        for (int s = 0; s < samples; s++) /* while the strip's mean is in the cache */
            light_add(light, look, &fields[s], &share[s],
                      (struct light_rect){0, y, light->width, left < rows ? left : rows});
    }
}
