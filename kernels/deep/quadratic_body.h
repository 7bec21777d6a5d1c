/* Pixels of a chunk of z^2 + c in its parameter plane, the squares that are inside, and the
 * building of its blocks. Included by deep_body.h for each instruction set. */
#ifndef DEEP_KERNELS
#error "deep_body.h includes quadratic_body.h"
#endif

#include "kernels/deep/inside.h"
#include "kernels/deep/number/real_f64.h"
#include "kernels/deep/table_fill.h"
#include "kernels/deep/number/real_end.h"

static void pixel_store(const struct deep_chunk *chunk, const struct pixel_state *pixel, int32_t i)
{
    const float norm = pixel->count ? (float)pixel->norm : 0.0f;
    chunk_store(chunk, i, pixel->count,
                chunk_has(chunk, PLANE_FRACTION) ? fraction_of(norm, chunk->fraction_offset) : 0.0f,
                chunk_has(chunk, PLANE_DISTANCE_X) ? pixel_distance(pixel, chunk->common)
                                                   : no_distance,
                chunk_has(chunk, PLANE_PHASE) ? pixel_phase(pixel, chunk->common) : 0.0f);
}

/* 0: the pixel is known to be inside, and stored. */
static int pixel_prepare(const struct deep_chunk *chunk, int32_t i, struct pixel_state *pixel)
{
    const struct complex_f64 c = chunk_point(chunk, i);
    *pixel = pixel_begin(chunk->common, c.x, c.y);
    if (!chunk->inside)
        return 1;
    const struct chunk_place at = chunk_place(chunk, i);
    int32_t square = at.row / INSIDE_PX * chunk->squares_in_row + at.x / INSIDE_PX;
    if (!chunk->inside[square] && !inside_pixel(chunk->common, c.x, c.y))
        return 1;
    pixel_store(chunk, pixel, i);
    return 0;
}

enum { STEPS_OF_TRIAL = 1 << 16 }; /* a millisecond */

/* The middle pixel is tried first: most squares are not inside, and proofs that fail are long. */
static int square_inside(const struct pixel_common *common, enum blocks blocks,
                         const struct grid *grid, int32_t x, int32_t y)
{
    int32_t width = grid->width - x < INSIDE_PX ? grid->width - x : INSIDE_PX;
    int32_t height = grid->height - y < INSIDE_PX ? grid->height - y : INSIDE_PX;
    double re, im;
    pixel_c(grid, grid->x + x + width / 2, pixel_row(grid, y + height / 2), &re, &im);
    if (inside_pixel(common, re, im))
        return inside_square(common, grid, x, y);
    struct pixel_state pixel = pixel_begin(common, re, im);
    struct pixel_kept kept = {.m = -1};
    pixel_on_kept(&pixel, common, blocks, 0, 0, STEPS_OF_TRIAL, &kept);
    return !pixel.count && inside_square(common, grid, x, y);
}

/* Computes the pixels of a chunk in fp32, where chunk->late is not NULL; returns the steps. */
static uint64_t chunk_late(const struct deep_chunk *chunk);

/* Inlined, so that all but the chunk are constants: gcc would make one kernel of both `slopes`. */
static ALWAYS_INLINE uint64_t chunk_run(const struct deep_chunk *chunk, enum blocks blocks,
                                        int slopes, int wide)
{
    uint64_t steps = 0;
    if (blocks != BLOCKS_NONE && !slopes && chunk->late)
        return chunk_late(chunk);
    for (int32_t i = 0; i < chunk_pixels(chunk); i++) {
        struct pixel_state pixel;
        if (!pixel_prepare(chunk, i, &pixel))
            continue;
        struct pixel_kept kept = {.m = -1};
        int done = 0;
        while (!done) {
            done = pixel_on_kept(&pixel, chunk->common, blocks, slopes, wide, STEPS_BETWEEN_STOPS,
                                 &kept);
            if (!done && stop_asked(chunk->stop))
                return steps;
        }
        steps += pixel.steps;
        pixel_store(chunk, &pixel, i);
    }
    return steps;
}

#ifdef LANES
#include "kernels/deep/number/real_f64.h"
#include "kernels/deep/lanes/direct_packs.h"
#include "kernels/deep/number/real_end.h"

/* Goes on without the reference, with pixels of a list. */
static ALWAYS_INLINE void chunk_directly(struct formula_pixel *const *list, int count,
                                         const struct pixel_common *common, int slopes, int wide)
{
    struct pixel_state *direct[DEEP_CHUNK];
    for (int i = 0; i < count; i++)
        direct[i] = &list[i]->at;
    pixels_directly(direct, count, common, slopes, STEPS_OF_ROUND / DEEP_CHUNK);
    for (int i = 0; i < count && wide; i++) {
        if (slopes)
            wide_put_slope(direct[i], wide_settle(direct[i]->dz, direct[i]->dz_e));
        if (!direct[i]->direct)
            wide_put(direct[i], wide_settle(direct[i]->delta, 0));
    }
}

/* Prepares the pixels of a chunk, and a list of those to be computed; returns their number. */
static ALWAYS_INLINE int chunk_prepare(const struct deep_chunk *chunk, struct formula_pixel *pixels,
                                       struct pixel_kept *kept, struct formula_pixel **left)
{
    int lefts = 0;
    for (int i = 0; i < chunk_pixels(chunk); i++) {
        pixels[i].reference = pixels[i].up_e = 0;
        pixels[i].up = (struct complex_f64){0, 0};
        if (pixel_prepare(chunk, i, &pixels[i].at))
            left[lefts++] = &pixels[i];
        kept[i] = (struct pixel_kept){.m = -1};
    }
    return lefts;
}

/* Rounds: all pixels along the reference, then those that have left it. */
static ALWAYS_INLINE uint64_t chunk_rounds(const struct deep_chunk *chunk, int slopes, int wide)
{
    const struct pixel_common *common = chunk->common;
    const struct along_kind kind = {.quadratic = 1, .slopes = slopes, .wide = wide};
    const struct formula_reference reference = {
        .z = common->z, .end = common->end, .period = common->period};
    struct formula_pixel pixels[DEEP_CHUNK], *left[DEEP_CHUNK], *direct[DEEP_CHUNK];
    struct pixel_kept kept[DEEP_CHUNK];
    struct along_list lists[2][ADVANCES];
    struct along_rounds rounds = {.shared = common,
                                  .reference = &reference,
                                  .table = &common->table,
                                  .tests = {.limits = &common->direct, .leaves = 1, .degree = 2},
                                  .pixels = pixels,
                                  .kept = kept,
                                  .list = lists,
                                  .direct = direct};
    uint64_t steps = 0;
    if (!slopes && chunk->late)
        return chunk_late(chunk);
    int lefts = chunk_prepare(chunk, pixels, kept, left);
    while (lefts && !stop_asked(chunk->stop)) {
        int before = lefts;
        rounds_run(&rounds, left, lefts, kind);
        chunk_directly(direct, rounds.directs, common, slopes, wide);
        lefts = 0;
        for (int i = 0; i < before; i++) {
            struct pixel_state *pixel = &left[i]->at;
            if (!pixel->count && pixel->n < common->limit) {
                left[lefts++] = left[i];
                continue;
            }
            steps += pixel->steps;
            pixel_store(chunk, pixel, (int32_t)(left[i] - pixels));
        }
    }
    return steps;
}
#else
#define chunk_rounds(chunk, slopes, wide) chunk_run(chunk, BLOCKS_QUARTIC, slopes, wide)
#define table_fill_lanes table_fill
#endif

/* Sums along the orbits of the chunk. */
static ALWAYS_INLINE uint64_t chunk_sums(const struct deep_chunk *chunk, int wide)
{
    uint64_t steps = 0;
    for (int32_t i = 0; i < chunk_pixels(chunk); i++) {
        const struct complex_f64 c = chunk_point(chunk, i);
        const int64_t count = chunk_count(chunk, i);
        struct pixel_state pixel = pixel_begin(chunk->common, c.x, c.y);
        struct f64x1_orbit_sums sums = orbit_sums_begin();
        while (count && !pixel_sums_on(&pixel, &sums, chunk->common, &chunk->rule, wide, count,
                                       STEPS_BETWEEN_STOPS))
            if (stop_asked(chunk->stop))
                return steps;
        steps += pixel.steps;
        chunk_store_sums(chunk, i,
                         count ? pixel_sums_values(&pixel, &sums, chunk->fraction_offset)
                               : (struct orbit_values){0});
    }
    return steps;
}

#ifdef LANES
#include "kernels/deep/lanes/sums_packs.h"
#else
#define chunk_sums_packs(chunk) chunk_sums(chunk, 0)
#endif

CHUNK_KERNEL(sums_plain, chunk_sums_packs(chunk))
CHUNK_KERNEL(sums_wide, chunk_sums(chunk, 1))
CHUNK_KERNEL(none_plain, chunk_run(chunk, BLOCKS_NONE, 0, 0))
CHUNK_KERNEL(none_wide, chunk_run(chunk, BLOCKS_NONE, 0, 1))
CHUNK_KERNEL(none_slopes_plain, chunk_run(chunk, BLOCKS_NONE, 1, 0))
CHUNK_KERNEL(none_slopes_wide, chunk_run(chunk, BLOCKS_NONE, 1, 1))
CHUNK_KERNEL(quartic_plain, chunk_rounds(chunk, 0, 0))
CHUNK_KERNEL(quartic_wide, chunk_rounds(chunk, 0, 1))
CHUNK_KERNEL(quartic_slopes_plain, chunk_rounds(chunk, 1, 0))
CHUNK_KERNEL(quartic_slopes_wide, chunk_rounds(chunk, 1, 1))

#include "kernels/deep/number/late_body.h"
