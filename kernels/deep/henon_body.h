/* The pixels of a chunk of a Hénon map. A part of deep_body.h, compiled for each instruction set.
 */
#ifndef DEEP_KERNELS
#error "henon_body.h is a part of deep_body.h"
#endif

#include "kernels/deep/henon_fill.h"

static void henon_store(const struct deep_chunk *chunk, const struct henon_pixel *pixel, int32_t x)
{
    const struct rational_values values = henon_values(pixel, chunk->henon);
    struct field *out = chunk->out;
    void *counts = field_row(out, PLANE_COUNT, chunk->row);
    if (out->count_bytes == 4)
        ((uint32_t *)counts)[x] = (uint32_t)pixel->count;
    else
        ((uint64_t *)counts)[x] = (uint64_t)pixel->count;
    if (out->plane[PLANE_FRACTION])
        ((float *)field_row(out, PLANE_FRACTION, chunk->row))[x] = values.fraction;
    if (out->plane[PLANE_DISTANCE_X]) {
        struct distance distance = distance_in_image(chunk->grid, values.distance);
        ((float *)field_row(out, PLANE_DISTANCE_X, chunk->row))[x] = distance.x;
        ((float *)field_row(out, PLANE_DISTANCE_Y, chunk->row))[x] = distance.y;
    }
    if (out->plane[PLANE_PHASE])
        ((float *)field_row(out, PLANE_PHASE, chunk->row))[x] = values.phase;
}

__attribute__((always_inline)) static inline uint64_t henon_run(const struct deep_chunk *chunk,
                                                                int slopes)
{
    uint64_t steps = 0;
    for (int32_t x = chunk->x; x < chunk->x + chunk->length; x++) {
        double re, im;
        pixel_c(chunk->grid, chunk->grid->x + x, pixel_row(chunk->grid, chunk->row), &re, &im);
        struct henon_pixel pixel = henon_begin(chunk->henon, re, im);
        while (!henon_on(&pixel, chunk->henon, chunk->blocks, slopes,
                         STEPS_BETWEEN_STOPS / HENON_STEPS_APART))
            if (stopped(chunk))
                return steps;
        steps += pixel.steps;
        henon_store(chunk, &pixel, x);
    }
    return steps;
}

CHUNK_KERNEL(henon_counts, henon_run(chunk, 0))
CHUNK_KERNEL(henon_slopes, henon_run(chunk, 1))
