/* Looks and samples of all kinds, and their mean by the plain functions of kernels/colour/. */
#ifndef TESTS_SUPPORT_COLOUR_CASES_H
#define TESTS_SUPPORT_COLOUR_CASES_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/colour/pixel.h"
#include "render/colour/samples.h"
#include "tests/support/check.h"

enum { COLOUR_CASES = 24, COLOUR_CASE_SAMPLES = 5 };

struct colour_case {
    struct look look;
    int32_t width, height;
    unsigned planes;
    int count_bytes;
};

static inline uint32_t colour_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static inline double colour_share(uint32_t *state)
{
    return (double)colour_random(state) / (1 << 24);
}

/* Curve or law, with slopes and lines or without, every interior, counts of 4 and 8 bytes, and
 * fields that lack planes. */
static inline struct colour_case colour_case_at(int number, const struct palette *palette)
{
    struct colour_case one = {.width = number % 2 ? 67 : 32,
                              .height = number % 3 ? 41 : 8,
                              .count_bytes = number % 5 == 4 ? 8 : 4,
                              .planes = PLANE_MASK_COUNT};
    struct look_options options = {.density = number % 2 ? 0.7 : 0,
                                   .contrast = 0.6,
                                   .offset = 0.3,
                                   .relief = number / 2 % 2 ? 0.4 : 0,
                                   .lines = number / 4 % 2 ? 0.8 : 0,
                                   .light_deg = 117,
                                   .interior_kind = (enum interior_kind)(number % INTERIOR_KINDS),
                                   .interior = {0.01f, 0.2f, 0.5f}};
    struct distribution distribution = {.runs = 1.5, .shade = 0.7};
    for (int i = 0; i < DISTRIBUTION_LEVELS; i++)
        distribution.level[i] = 3 + 40.0 * i * i;
    look_make(&one.look, &options, &distribution, palette, number == 7 ? 100000 : one.height);
    if (number % 7 != 6)
        one.planes |= PLANE_MASK_FRACTION;
    if (number % 8 != 5)
        one.planes |= PLANE_MASK_DISTANCE;
    if (number % 4 != 3)
        one.planes |= PLANE_MASK_ATTRACTOR;
    return one;
}

static inline float colour_distance(uint32_t *state)
{
    float size = (float)exp2(60 * colour_share(state) - 30);
    uint32_t kind = colour_random(state) % 64;
    return kind == 0 ? NAN : kind == 1 ? INFINITY : kind == 2 ? 0 : kind % 2 ? size : -size;
}

/* A sample of it: values of all sizes, and now and then one that no kernel would write. */
static inline void colour_case_fill(const struct colour_case *one, int sample, struct field *field)
{
    uint32_t state = (uint32_t)sample * 77777u + 12345u;
    for (size_t i = 0; i < (size_t)one->width * (size_t)one->height; i++) {
        uint64_t count = colour_random(&state) % 4 == 0
                             ? 0
                             : (uint64_t)exp2(31.9 * colour_share(&state) * colour_share(&state));
        if (one->count_bytes == 8 && colour_random(&state) % 8 == 0)
            count *= (uint64_t)1 << 27;
        if (one->count_bytes == 4)
            ((uint32_t *)field->plane[PLANE_COUNT])[i] = (uint32_t)count;
        else
            ((uint64_t *)field->plane[PLANE_COUNT])[i] = count;
        if (field->plane[PLANE_FRACTION])
            ((float *)field->plane[PLANE_FRACTION])[i] = count ? (float)colour_share(&state) : 0;
        for (int p = PLANE_DISTANCE_X; p <= PLANE_DISTANCE_Y; p++)
            if (field->plane[p])
                ((float *)field->plane[p])[i] = count ? colour_distance(&state) : 0;
        if (field->plane[PLANE_PERIOD])
            ((float *)field->plane[PLANE_PERIOD])[i] =
                count ? 0 : (float)(colour_random(&state) % 5);
        if (field->plane[PLANE_INSIDE])
            ((float *)field->plane[PLANE_INSIDE])[i] = count ? 0 : fabsf(colour_distance(&state));
    }
}

/* A sample of a square, whose number in the list is `index`; as a device's kernel does it. */
static inline void colour_square_plain(const struct colour_mean *mean, uint32_t index, int s)
{
    const struct sample_share *share = &mean->shares[s];
    const struct colour_square square =
        colour_square_at(mean->squares[index], mean->width, mean->height);
    int32_t cell[2] = {-1, -1};
    if (mean->sheet) {
        uint64_t number = (uint64_t)index * (unsigned)mean->samples + (unsigned)s;
        if (number < mean->sheet->first || number >= mean->sheet->first + mean->sheet->count)
            return;
        int32_t place = (int32_t)(number - mean->sheet->first);
        cell[0] = place % mean->sheet->in_row * GRID_CELL;
        cell[1] = place / mean->sheet->in_row * GRID_CELL;
    }
    struct colour_planes planes = colour_planes_of(mean->look, &mean->fields[mean->sheet ? 0 : s]);
    struct colour_span across =
        colour_span_of(square.x, square.width, mean->width, cell[0], share->to_x);
    struct colour_span down =
        colour_span_of(square.y, square.height, mean->height, cell[1], share->to_y);
    float light[GRID_CELL][GRID_CELL][3];
    for (int i = 0; i < GRID_CELL * GRID_CELL; i++)
        colour_pixel(mean->look, &planes, colour_span_index(&across, i % GRID_CELL),
                     colour_span_index(&down, i / GRID_CELL), light[i / GRID_CELL][i % GRID_CELL]);
    for (int32_t y = 0; y < square.height; y++)
        for (int32_t x = 0; x < square.width; x++) {
            float *sum =
                mean->mean[(size_t)(square.y + y) * (size_t)mean->width + (size_t)(square.x + x)];
            int32_t i = x + across.own, j = y + down.own;
            for (int c = 0; c < 3; c++)
                sum[c] = colour_average(share, sum[c], light[j][i][c], light[j + share->to_y][i][c],
                                        light[j][i + share->to_x][c],
                                        light[j + share->to_y][i + share->to_x][c]);
        }
}

/* What the verb `compare` of a device does, with its memory as ordinary memory. */
static inline void colour_compare_plain(const struct colour_compare *compare)
{
    for (uint32_t n = 0; n < compare->square_count; n++) {
        const struct colour_square square =
            colour_square_at(compare->squares[n], compare->width, compare->height);
        struct colour_sums sums = {.differences = 0};
        for (int32_t i = 0; i < 3 * square.width * square.height; i++) {
            int32_t x = square.x + i / 3 % square.width, y = square.y + i / 3 / square.width;
            size_t at = (size_t)y * (size_t)compare->width + (size_t)x;
            int32_t now = colour_value(compare->mean[at][i % 3]);
            int32_t apart = now - compare->before[at][i % 3];
            compare->before[at][i % 3] = (int16_t)now;
            sums.differences += (uint64_t)(apart * apart);
            sums.squares += (uint64_t)(now * now);
            sums.value[i % 3] += now;
        }
        if (compare->sums)
            compare->sums[n] = sums;
    }
}

/* What the verb `light` of a device does, with its memory as ordinary memory. */
static inline void colour_mean_plain(const struct colour_mean *mean)
{
    for (uint32_t n = 0; mean->squares && n < mean->square_count; n++)
        for (int s = 0; s < mean->samples; s++)
            colour_square_plain(mean, n, s);
    for (int s = 0; !mean->squares && s < mean->samples; s++) {
        const struct sample_share *share = &mean->shares[s];
        struct colour_planes planes = colour_planes_of(mean->look, &mean->fields[s]);
        for (int32_t y = 0; y < mean->height; y++)
            for (int32_t x = 0; x < mean->width; x++) {
                float light[2][2][3],
                    *sum = mean->mean[(size_t)y * (size_t)mean->width + (size_t)x];
                for (int k = 0; k < 4; k++) {
                    int32_t i = x + k % 2 * share->to_x, j = y + k / 2 * share->to_y;
                    i = i < 0 ? 0 : i < mean->width ? i : mean->width - 1;
                    j = j < 0 ? 0 : j < mean->height ? j : mean->height - 1;
                    colour_pixel(mean->look, &planes, i, j, light[k / 2][k % 2]);
                }
                for (int c = 0; c < 3; c++)
                    sum[c] = share->is_first
                                 ? light[0][0][c]
                                 : colour_average(share, sum[c], light[0][0][c], light[1][0][c],
                                                  light[0][1][c], light[1][1][c]);
            }
    }
    if (mean->out)
        memcpy(mean->out, mean->mean,
               (size_t)mean->width * (size_t)mean->height * sizeof *mean->out);
}

#endif
