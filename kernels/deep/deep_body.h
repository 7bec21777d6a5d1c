/* The pixels of a chunk, compiled for several instruction sets: a file defines DEEP_KERNELS, the
 * name of its list, DEEP_OF_OWN, that of own formulas or NULL, and, where it has packs of doubles,
 * the macros of direct_packs.h, and includes this. All give the same bits, because fma() is exact
 * in all. */
#ifndef DEEP_KERNELS
#error "define DEEP_KERNELS before this body"
#endif

#include "kernels/deep/deep_kernels.h"
#include "kernels/deep/inside.h"
#include "kernels/deep/table_fill.h"
#include "kernels/deep/pixel_wide.h"
#include "kernels/escape/rational_end.h"

/* Blocks and steps between looks at the stop flag: about a millisecond. */
enum { STEPS_BETWEEN_STOPS = 1 << 16 };
/* Without the reference, before a pixel is put together with others: shorter runs do not pay. */
enum { STEPS_ALONE = 32 };

/* Of the pixel at x of the chunk's row; what no plane is for is not looked at. */
static void chunk_store(const struct deep_chunk *chunk, int32_t x, int64_t count, float fraction,
                        struct distance distance, float phase)
{
    struct field *out = chunk->out;
    void *counts = field_row(out, PLANE_COUNT, chunk->row);
    if (out->count_bytes == 4)
        ((uint32_t *)counts)[x] = (uint32_t)count;
    else
        ((uint64_t *)counts)[x] = (uint64_t)count;
    if (out->plane[PLANE_FRACTION])
        ((float *)field_row(out, PLANE_FRACTION, chunk->row))[x] = fraction;
    if (out->plane[PLANE_DISTANCE_X]) {
        distance = distance_in_image(chunk->grid, distance);
        ((float *)field_row(out, PLANE_DISTANCE_X, chunk->row))[x] = distance.x;
        ((float *)field_row(out, PLANE_DISTANCE_Y, chunk->row))[x] = distance.y;
    }
    if (out->plane[PLANE_PHASE])
        ((float *)field_row(out, PLANE_PHASE, chunk->row))[x] = phase;
}

/* Is there such a plane of floats? */
static int chunk_has(const struct deep_chunk *chunk, enum plane plane)
{
    return chunk->out->plane[plane] != NULL;
}

static const struct distance no_distance = {0.0f, 0.0f};

/* c, or z_0, of the pixel at x of the chunk's row, relative to the reference. */
static struct complex_f64 chunk_place(const struct deep_chunk *chunk, int32_t x)
{
    struct complex_f64 place;
    pixel_c(chunk->grid, chunk->grid->x + x, pixel_row(chunk->grid, chunk->row), &place.x,
            &place.y);
    return place;
}

static void pixel_store(const struct deep_chunk *chunk, const struct pixel_state *pixel, int32_t x)
{
    const float norm = pixel->count ? (float)pixel->norm : 0.0f;
    chunk_store(chunk, x, pixel->count,
                chunk_has(chunk, PLANE_FRACTION) ? fraction_of(norm, chunk->fraction_offset) : 0.0f,
                chunk_has(chunk, PLANE_DISTANCE_X) ? pixel_distance(pixel, chunk->common)
                                                   : no_distance,
                chunk_has(chunk, PLANE_PHASE) ? pixel_phase(pixel, chunk->common) : 0.0f);
}

static int stopped(const struct deep_chunk *chunk)
{
    return chunk->stop && __atomic_load_n(chunk->stop, __ATOMIC_RELAXED);
}

/* 0: the pixel is known to be inside, and stored. */
static int pixel_prepare(const struct deep_chunk *chunk, int32_t x, struct pixel_state *pixel)
{
    const struct complex_f64 c = chunk_place(chunk, x);
    *pixel = pixel_begin(chunk->common, c.x, c.y);
    if (!chunk->inside)
        return 1;
    int32_t square = chunk->row / INSIDE_PX * chunk->squares_in_row + x / INSIDE_PX;
    if (!chunk->inside[square] && !inside_pixel(chunk->common, c.x, c.y))
        return 1;
    pixel_store(chunk, pixel, x);
    return 0;
}

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
    pixel_on_kept(&pixel, common, blocks, 0, 0, STEPS_BETWEEN_STOPS, &kept);
    return !pixel.count && inside_square(common, grid, x, y);
}

/* In line, so that all but the chunk are constants: gcc would make one of both `slopes`. */
static ALWAYS_INLINE uint64_t chunk_run(const struct deep_chunk *chunk, enum blocks blocks,
                                        int slopes, int wide)
{
    uint64_t steps = 0;
    for (int32_t x = chunk->x; x < chunk->x + chunk->length; x++) {
        struct pixel_state pixel;
        if (!pixel_prepare(chunk, x, &pixel))
            continue;
        struct pixel_kept kept = {.m = -1};
        while (
            !pixel_on_kept(&pixel, chunk->common, blocks, slopes, wide, STEPS_BETWEEN_STOPS, &kept))
            if (stopped(chunk))
                return steps;
        steps += pixel.steps;
        pixel_store(chunk, &pixel, x);
    }
    return steps;
}

#ifdef LANES
#include "kernels/deep/direct_packs.h"

/* Goes on until the pixel has been without the reference for a while, and says whether it has. */
DEEP_FN int pixel_alone(struct pixel_state *state, const struct pixel_common *common,
                        enum blocks blocks, int slopes, int wide, struct pixel_kept *kept)
{
    struct pixel_state pixel = *state;
    int64_t taken = 0;
    int done = 0, away = 0;
    for (int64_t left = STEPS_BETWEEN_STOPS / DEEP_CHUNK; !done && !away && left > 0; left -= taken)
        if (pixel.direct) {
            done = pixel_away(&pixel, common, slopes, wide, STEPS_ALONE, &taken);
            away = taken == STEPS_ALONE && pixel.direct;
        } else
            done = pixel_along(&pixel, common, blocks, slopes, wide, left, &taken, kept);
    *state = pixel;
    return away && !done;
}

/* By turns: each pixel along the reference, then all that have left it together. */
static ALWAYS_INLINE uint64_t chunk_turns(const struct deep_chunk *chunk, enum blocks blocks,
                                          int slopes, int wide)
{
    const struct pixel_common *common = chunk->common;
    struct pixel_state pixels[DEEP_CHUNK], *left[DEEP_CHUNK];
    struct pixel_kept kept[DEEP_CHUNK];
    uint64_t steps = 0;
    int lefts = 0;
    for (int i = 0; i < chunk->length; i++) {
        if (pixel_prepare(chunk, chunk->x + i, &pixels[i]))
            left[lefts++] = &pixels[i];
        kept[i] = (struct pixel_kept){.m = -1};
    }
    while (lefts && !stopped(chunk)) {
        struct pixel_state *direct[DEEP_CHUNK];
        int directs = 0, before = lefts;
        for (int i = 0; i < lefts; i++)
            if (pixel_alone(left[i], common, blocks, slopes, wide, &kept[left[i] - pixels]))
                direct[directs++] = left[i];
        pixels_directly(direct, directs, common, slopes, STEPS_BETWEEN_STOPS / DEEP_CHUNK);
        for (int i = 0; i < directs && wide; i++) {
            if (slopes)
                wide_put_slope(direct[i], wide_settle(direct[i]->dz, direct[i]->dz_e));
            if (!direct[i]->direct)
                wide_put(direct[i], wide_settle(direct[i]->delta, 0));
        }
        lefts = 0;
        for (int i = 0; i < before; i++) {
            if (!left[i]->count && left[i]->n < common->limit) {
                left[lefts++] = left[i];
                continue;
            }
            steps += left[i]->steps;
            pixel_store(chunk, left[i], chunk->x + (int32_t)(left[i] - pixels));
        }
    }
    return steps;
}
#else
#define chunk_turns(chunk, blocks, slopes, wide) chunk_run(chunk, blocks, slopes, wide)
#endif

#define CHUNK_KERNEL(name, run)                          \
    static uint64_t name(const struct deep_chunk *chunk) \
    {                                                    \
        return run;                                      \
    }

CHUNK_KERNEL(none_plain, chunk_run(chunk, BLOCKS_NONE, 0, 0))
CHUNK_KERNEL(none_wide, chunk_run(chunk, BLOCKS_NONE, 0, 1))
CHUNK_KERNEL(none_slopes_plain, chunk_run(chunk, BLOCKS_NONE, 1, 0))
CHUNK_KERNEL(none_slopes_wide, chunk_run(chunk, BLOCKS_NONE, 1, 1))
CHUNK_KERNEL(quartic_plain, chunk_turns(chunk, BLOCKS_QUARTIC, 0, 0))
CHUNK_KERNEL(quartic_wide, chunk_turns(chunk, BLOCKS_QUARTIC, 0, 1))
CHUNK_KERNEL(quartic_slopes_plain, chunk_turns(chunk, BLOCKS_QUARTIC, 1, 0))
CHUNK_KERNEL(quartic_slopes_wide, chunk_turns(chunk, BLOCKS_QUARTIC, 1, 1))

#include "kernels/deep/formula_body.h"
#ifndef DEEP_ROWS_ALONE
static void rational_store(const struct deep_chunk *chunk, int32_t x, int64_t count,
                           struct rational_values values)
{
    chunk_store(chunk, x, count, values.fraction, values.distance, values.phase);
}

#include "kernels/deep/henon_body.h"
#include "kernels/deep/newton_body.h"
#endif

#undef CHUNK_KERNEL

const struct deep_kernels DEEP_KERNELS = {
    .name = DEEP_NAME,
    .run = {[BLOCKS_NONE] = {{none_plain, none_wide}, {none_slopes_plain, none_slopes_wide}},
            [BLOCKS_QUARTIC] = {{quartic_plain, quartic_wide},
                                {quartic_slopes_plain, quartic_slopes_wide}}},
    .fill = table_fill,
    .inside = square_inside,
    .formula_run = {{formula_plain, formula_wide}, {formula_slopes_plain, formula_slopes_wide}},
    .formula_fill = formula_fill,
    .rows = formula_rows,
#ifndef DEEP_ROWS_ALONE
    .newton_run = {newton_counts, newton_slopes},
    .newton_fill = newton_fill,
    .henon_run = {henon_counts, henon_slopes},
    .henon_fill = henon_fill,
#endif
    .own = DEEP_OF_OWN,
};
