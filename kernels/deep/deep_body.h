/* The pixels of a chunk, compiled for several instruction sets: a file defines DEEP_KERNELS, the
 * name of its list, and includes this. All give the same bits, because fma() is exact in all. */
#ifndef DEEP_KERNELS
#error "define DEEP_KERNELS before this body"
#endif

#include "kernels/deep/deep_kernels.h"
#include "kernels/deep/table_fill.h"
#include "kernels/escape/pixel.h"

/* Blocks and steps between looks at the stop flag: about a millisecond. */
enum { STEPS_BETWEEN_STOPS = 1 << 16 };

static void pixel_store(const struct deep_chunk *chunk, const struct walk *walk, int32_t x)
{
    void *counts = field_row(chunk->out, PLANE_COUNT, chunk->row);
    if (chunk->out->count_bytes == 4)
        ((uint32_t *)counts)[x] = (uint32_t)walk->count;
    else
        ((uint64_t *)counts)[x] = (uint64_t)walk->count;
    if (chunk->out->plane[PLANE_FRACTION])
        ((float *)field_row(chunk->out, PLANE_FRACTION, chunk->row))[x] =
            fraction_of(walk->count ? (float)walk->norm : 0.0f, chunk->fraction_offset);
    if (chunk->distance)
        chunk->distance[(int64_t)chunk->row * chunk->grid->width + x] = walk_distance(walk);
}

/* In line, so that `blocks` and `slopes` are constants: gcc would make one of both `slopes`. */
__attribute__((always_inline)) static inline uint64_t chunk_run(const struct deep_chunk *chunk,
                                                                enum blocks blocks, int slopes)
{
    const struct grid *grid = chunk->grid;
    uint64_t steps = 0;
    for (int32_t x = chunk->x; x < chunk->x + chunk->length; x++) {
        double re, im;
        pixel_c(grid, grid->x + x, pixel_row(grid, chunk->row), &re, &im);
        struct walk walk = walk_begin(chunk->scene, re, im);
        while (!walk_on(&walk, chunk->scene, blocks, slopes, STEPS_BETWEEN_STOPS))
            if (chunk->stop && __atomic_load_n(chunk->stop, __ATOMIC_RELAXED))
                return steps;
        steps += walk.steps;
        pixel_store(chunk, &walk, x);
    }
    return steps;
}

#define CHUNK_KERNEL(name, blocks, slopes)               \
    static uint64_t name(const struct deep_chunk *chunk) \
    {                                                    \
        return chunk_run(chunk, blocks, slopes);         \
    }

CHUNK_KERNEL(run_none, BLOCKS_NONE, 0)
CHUNK_KERNEL(run_none_slopes, BLOCKS_NONE, 1)
CHUNK_KERNEL(run_linear, BLOCKS_LINEAR, 0)
CHUNK_KERNEL(run_linear_slopes, BLOCKS_LINEAR, 1)
CHUNK_KERNEL(run_quadratic, BLOCKS_QUADRATIC, 0)
CHUNK_KERNEL(run_quadratic_slopes, BLOCKS_QUADRATIC, 1)
CHUNK_KERNEL(run_quartic, BLOCKS_QUARTIC, 0)
CHUNK_KERNEL(run_quartic_slopes, BLOCKS_QUARTIC, 1)

#undef CHUNK_KERNEL

const struct deep_kernels DEEP_KERNELS = {
    .name = DEEP_NAME,
    .run = {[BLOCKS_NONE] = {run_none, run_none_slopes},
            [BLOCKS_LINEAR] = {run_linear, run_linear_slopes},
            [BLOCKS_QUADRATIC] = {run_quadratic, run_quadratic_slopes},
            [BLOCKS_QUARTIC] = {run_quartic, run_quartic_slopes}},
    .fill = table_fill,
};
