/* The pixels of a chunk of any formula, and the building of its blocks. A part of deep_body.h,
 * compiled for each instruction set. */
#ifndef DEEP_KERNELS
#error "formula_body.h is a part of deep_body.h"
#endif

#include "kernels/deep/formula_fill.h"

static void formula_store(const struct deep_chunk *chunk, const struct formula_pixel *pixel,
                          int32_t x)
{
    struct field *out = chunk->out;
    void *counts = field_row(out, PLANE_COUNT, chunk->row);
    if (out->count_bytes == 4)
        ((uint32_t *)counts)[x] = (uint32_t)pixel->at.count;
    else
        ((uint64_t *)counts)[x] = (uint64_t)pixel->at.count;
    if (out->plane[PLANE_FRACTION])
        ((float *)field_row(out, PLANE_FRACTION, chunk->row))[x] =
            pixel->at.count ? fraction_of_degree(pixel->at.norm, chunk->fraction_scale) : 0.0f;
    if (out->plane[PLANE_DISTANCE_X]) {
        struct distance distance = formula_distance(pixel, chunk->formula);
        ((float *)field_row(out, PLANE_DISTANCE_X, chunk->row))[x] = distance.x;
        ((float *)field_row(out, PLANE_DISTANCE_Y, chunk->row))[x] = distance.y;
    }
    if (out->plane[PLANE_PHASE])
        ((float *)field_row(out, PLANE_PHASE, chunk->row))[x] =
            formula_phase_of_end(pixel, chunk->formula);
}

__attribute__((always_inline)) static inline uint64_t formula_run(const struct deep_chunk *chunk,
                                                                  int slopes, int wide)
{
    uint64_t steps = 0;
    for (int32_t x = chunk->x; x < chunk->x + chunk->length; x++) {
        double re, im;
        pixel_c(chunk->grid, chunk->grid->x + x, pixel_row(chunk->grid, chunk->row), &re, &im);
        struct formula_pixel pixel = formula_begin(chunk->formula, re, im);
        struct pixel_kept kept = {.m = -1};
        while (!formula_on(&pixel, chunk->formula, chunk->blocks, slopes, wide, STEPS_BETWEEN_STOPS,
                           &kept))
            if (stopped(chunk))
                return steps;
        steps += pixel.at.steps;
        formula_store(chunk, &pixel, x);
    }
    return steps;
}

CHUNK_KERNEL(formula_plain, formula_run(chunk, 0, 0))
CHUNK_KERNEL(formula_wide, formula_run(chunk, 0, 1))
CHUNK_KERNEL(formula_slopes_plain, formula_run(chunk, 1, 0))
CHUNK_KERNEL(formula_slopes_wide, formula_run(chunk, 1, 1))
