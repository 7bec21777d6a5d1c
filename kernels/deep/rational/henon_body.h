/* Pixels of a chunk of a Hénon map. Included by deep_body.h for each instruction set. */
#ifndef DEEP_KERNELS
#error "deep_body.h includes henon_body.h"
#endif

#include "kernels/deep/rational/henon_fill.h"

static ALWAYS_INLINE uint64_t henon_run(const struct deep_chunk *chunk, int slopes)
{
    uint64_t steps = 0;
    for (int32_t i = 0; i < chunk_pixels(chunk); i++) {
        const struct complex_f64 point = chunk_point(chunk, i);
        struct henon_pixel pixel = henon_begin(chunk->henon, point.x, point.y);
        while (!henon_on(&pixel, chunk->henon, chunk->blocks, slopes,
                         STEPS_BETWEEN_STOPS / HENON_STEPS_DIRECT))
            if (stop_asked(chunk->stop))
                return steps;
        steps += pixel.steps;
        rational_store(chunk, i, pixel.count,
                       henon_values(&pixel, chunk->henon, chunk_has_slopes(chunk)));
    }
    return steps;
}

CHUNK_KERNEL(henon_counts, henon_run(chunk, 0))
CHUNK_KERNEL(henon_slopes, henon_run(chunk, 1))
