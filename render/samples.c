#include "render/samples.h"

#include <stdlib.h>
#include <string.h>

#include "render/r2.h"

enum { PLACE_BITS = 12 };

int samples_most(int samples)
{
    return samples == SAMPLES_AUTO ? SAMPLES_AUTO_MOST : samples > 1 ? samples : 1;
}

static double turned(uint32_t turn)
{
    return (double)(turn >> (32 - PLACE_BITS)) / (1 << PLACE_BITS) - 0.5;
}

struct sample_place sample_place(int sample)
{
    uint32_t s = (uint32_t)sample, half = 1u << 31;
    return (struct sample_place){turned(half + s * R2_X), turned(half + s * R2_Y)};
}

void sample_move(struct grid *grid, int sample)
{
    struct sample_place place = sample_place(sample);
    grid->half_width -= place.x;
    grid->half_height -= place.y;
}

/* ---- weights --------------------------------------------------------------------------------- */

static float share_of(double distance)
{
    return distance > 0 ? (float)distance : 0;
}

struct sample_share sample_share(int sample)
{
    struct sample_place place = sample_place(sample);
    return (struct sample_share){.before_x = share_of(place.x),
                                 .after_x = share_of(-place.x),
                                 .before_y = share_of(place.y),
                                 .after_y = share_of(-place.y),
                                 .of_mean = (float)(1.0 / (sample + 1)),
                                 .is_first = sample == 0};
}

/* ---- light ----------------------------------------------------------------------------------- */

enum status light_create(struct light *light, int32_t width, int32_t height)
{
    size_t pixels = (size_t)width * (size_t)height;
    *light = (struct light){.width = width, .height = height};
    light->mean =
        pixels <= SIZE_MAX / sizeof *light->mean ? malloc(pixels * sizeof *light->mean) : NULL;
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

enum {
    SPAN = 254,
    LINE = SPAN + 2,
    STRIP = 32
}; /* lines of a span stay in the first-level cache */

/* Colours of a span of row y and of the pixels beside it. */
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

/* Differences, so that what is equal stays so. */
static void span_add(const struct sample_share *share, float (*above)[3], float (*at)[3],
                     float (*below)[3], int32_t length, float *restrict mean)
{
    float column[3 * LINE];
    const float *a = above[0], *b = at[0], *c = below[0];
    for (int32_t k = 0; k < 3 * (length + 2); k++)
        column[k] = b[k] + ((a[k] - b[k]) * share->before_y + (c[k] - b[k]) * share->after_y);
    for (int32_t k = 0; k < 3 * length; k++) {
        float own = column[k + 3];
        float sample =
            own + ((column[k] - own) * share->before_x + (column[k + 6] - own) * share->after_x);
        mean[k] = share->is_first ? sample : mean[k] + (sample - mean[k]) * share->of_mean;
    }
}

static void columns_add(struct light *light, const struct look *look, const struct field *field,
                        const struct sample_share *share, const struct rectangle *part)
{
    float line[3][LINE][3];
    line_take(look, field, part->x, part->y - 1, part->width, line[0]);
    line_take(look, field, part->x, part->y, part->width, line[1]);
    for (int32_t i = 0; i < part->height; i++) {
        int32_t y = part->y + i;
        line_take(look, field, part->x, y + 1, part->width, line[(i + 2) % 3]);
        size_t at = (size_t)y * (size_t)light->width + (size_t)part->x;
        span_add(share, line[i % 3], line[(i + 1) % 3], line[(i + 2) % 3], part->width,
                 light->mean[at]);
    }
}

void light_add(struct light *light, const struct look *look, const struct field *field,
               const struct sample_share *share, struct rectangle rectangle)
{
    int32_t end = rectangle.x + rectangle.width;
    for (struct rectangle part = rectangle; part.x < end; part.x += part.width) {
        part.width = end - part.x < SPAN ? end - part.x : SPAN;
        columns_add(light, look, field, share, &part);
    }
}

void light_add_lines(struct light *light, const struct sample_share *share,
                     float lines[LIGHT_LINE][LIGHT_LINE][3], struct rectangle square)
{
    for (int32_t i = 0; i < square.height; i++) {
        size_t at = (size_t)(square.y + i) * (size_t)light->width + (size_t)square.x;
        span_add(share, lines[i], lines[i + 1], lines[i + 2], square.width, light->mean[at]);
    }
}

void light_add_all(struct light *light, const struct look *look, const struct field *field,
                   int sample, int threads)
{
    struct sample_share share = sample_share(sample);
    int32_t strips = (light->height - 1) / STRIP + 1;
#pragma omp parallel for num_threads(threads > 0 ? threads : 1) schedule(dynamic)
    for (int32_t i = 0; i < strips; i++) {
        int32_t y = i * STRIP, left = light->height - y;
        light_add(light, look, field, &share,
                  (struct rectangle){0, y, light->width, left < STRIP ? left : STRIP});
    }
}
