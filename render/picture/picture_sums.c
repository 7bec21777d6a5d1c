#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "render/picture/picture_sums.h"

enum status picture_summing_begin(struct picture_summing *summing, unsigned planes)
{
    *summing = (struct picture_summing){.sums = {.pixels = 0}};
    for (int p = 0; p < PLANES; p++) {
        if (!(planes & 1u << p))
            continue;
        summing->state[p] = XXH3_createState();
        if (!summing->state[p])
            return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a sum");
        XXH3_64bits_reset(summing->state[p]);
    }
    return STATUS_OK;
}

static void plane_add(XXH3_state_t *state, const struct field *rows, enum plane plane)
{
    size_t bytes = (size_t)rows->width * element_bytes(plane_element(plane, rows->count_bytes));
    for (int32_t y = 0; y < rows->height; y++)
        XXH3_64bits_update(state, field_row(rows, plane, y), bytes);
}

void picture_summing_add(struct picture_summing *summing, const struct field *rows)
{
    uint64_t interior = 0;
#pragma omp parallel for schedule(dynamic, 1) if (rows->height > 1)
    for (int p = 0; p < PLANES; p++)
        if (summing->state[p])
            plane_add(summing->state[p], rows, (enum plane)p);
#pragma omp parallel for schedule(static) reduction(+ : interior) if (rows->height > 1)
    for (int32_t y = 0; y < rows->height; y++) {
        size_t first = (size_t)y * (size_t)rows->stride;
        for (int32_t x = 0; x < rows->width; x++)
            interior += field_count_at(rows, first + (size_t)x) == 0;
    }
    summing->sums.interior += interior;
    summing->sums.pixels += (uint64_t)rows->width * (uint64_t)rows->height;
}

void picture_summing_skip(struct picture_summing *summing, uint64_t pixels, uint64_t interior)
{
    struct picture_sums sums = {.pixels = summing->sums.pixels + pixels,
                                .interior = summing->sums.interior + interior};
    picture_summing_close(summing);
    summing->sums = sums;
}

struct picture_sums picture_summing_end(const struct picture_summing *summing)
{
    struct picture_sums sums = summing->sums;
    for (int p = 0; p < PLANES; p++)
        if (summing->state[p])
            sums.checksum[p] = XXH3_64bits_digest(summing->state[p]);
    return sums;
}

void picture_summing_close(struct picture_summing *summing)
{
    for (int p = 0; p < PLANES; p++)
        XXH3_freeState(summing->state[p]);
    *summing = (struct picture_summing){.sums = {.pixels = 0}};
}

struct picture_sums picture_sum(const struct field *field)
{
    struct picture_summing summing;
    struct picture_sums sums = {.pixels = 0};
    if (picture_summing_begin(&summing, field->planes) == STATUS_OK) {
        picture_summing_add(&summing, field);
        sums = picture_summing_end(&summing);
    }
    picture_summing_close(&summing);
    return sums;
}
