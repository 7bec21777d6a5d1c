/* Pixels of a chunk, compiled for several instruction sets: a file defines DEEP_KERNELS, the name
 * of its list of kernels, DEEP_OF_OWN, the list for own formulas or NULL, and, where it has packs
 * of doubles, the macros of direct_packs.h, and includes this. It may define DEEP_WITHOUT_LANES,
 * a list whose kernels without lanes replace its own. All give the same bits, because fma() is
 * exact in all. */
#ifndef DEEP_KERNELS
#error "define DEEP_KERNELS before this body"
#endif

#include "kernels/deep/deep_kernels.h"
#include "kernels/deep/pixel_wide.h"
#include "kernels/escape/pixel.h"
#include "kernels/formula/rational_end.h"
#include "kernels/stop.h"
#ifdef LANES
#include "kernels/escape/packs.h"

#define PACKS 1 /* a pack has two halves, which alternate (lanes_pair.h) */
#endif

enum {
    STEPS_BETWEEN_STOPS = 1 << 12, /* blocks and steps of a pixel, of up to half a microsecond */
    STEPS_OF_ROUND = 1 << 16       /* steps of all pixels of a chunk between polls of `stop` */
};

struct chunk_place { /* place of a pixel in its tile */
    int32_t x, row;
};

static struct chunk_place chunk_place(const struct deep_chunk *chunk, int32_t i)
{
    return (struct chunk_place){chunk->x + i % chunk->width, chunk->row + i / chunk->width};
}

static int32_t chunk_pixels(const struct deep_chunk *chunk)
{
    return chunk->width * chunk->height;
}

/* Writes the planes of pixel i of the chunk; values without a plane are not read. */
static void chunk_store(const struct deep_chunk *chunk, int32_t i, int64_t count, float fraction,
                        struct distance distance, float phase)
{
    const struct chunk_place at = chunk_place(chunk, i);
    struct field *out = chunk->out;
    void *counts = field_row(out, PLANE_COUNT, at.row);
    if (out->count_bytes == 4)
        ((uint32_t *)counts)[at.x] = (uint32_t)count;
    else
        ((uint64_t *)counts)[at.x] = (uint64_t)count;
    if (out->plane[PLANE_FRACTION])
        ((float *)field_row(out, PLANE_FRACTION, at.row))[at.x] = fraction;
    if (out->plane[PLANE_DISTANCE_X]) {
        distance = distance_in_image(chunk->grid, distance);
        ((float *)field_row(out, PLANE_DISTANCE_X, at.row))[at.x] = distance.x;
        ((float *)field_row(out, PLANE_DISTANCE_Y, at.row))[at.x] = distance.y;
    }
    if (out->plane[PLANE_PHASE])
        ((float *)field_row(out, PLANE_PHASE, at.row))[at.x] = phase;
}

static int64_t chunk_count(const struct deep_chunk *chunk, int32_t i)
{
    const struct chunk_place at = chunk_place(chunk, i);
    const void *counts = field_row(chunk->out, PLANE_COUNT, at.row);
    return chunk->out->count_bytes == 4 ? (int64_t)((const uint32_t *)counts)[at.x]
                                        : (int64_t)((const uint64_t *)counts)[at.x];
}

/* Writes sums along the orbit of pixel i of the chunk into the planes that there are. */
static void chunk_store_sums(const struct deep_chunk *chunk, int32_t i, struct orbit_values values)
{
    const struct chunk_place at = chunk_place(chunk, i);
    for (int p = 0; p < ORBIT_PLANES; p++)
        if (chunk->out->plane[PLANE_STRIPE + p])
            ((float *)field_row(chunk->out, PLANE_STRIPE + p, at.row))[at.x] = values.of[p];
}

static int chunk_has(const struct deep_chunk *chunk, enum plane plane)
{
    return chunk->out->plane[plane] != NULL;
}

static const struct distance no_distance = {0.0f, 0.0f};

/* c, or z_0, of pixel i of the chunk, relative to the reference. */
static struct complex_f64 chunk_point(const struct deep_chunk *chunk, int32_t i)
{
    const struct chunk_place at = chunk_place(chunk, i);
    struct complex_f64 point;
    pixel_c(chunk->grid, chunk->grid->x + at.x, pixel_row(chunk->grid, at.row), &point.x, &point.y);
    return point;
}

#define CHUNK_KERNEL(name, run)                                                  \
    static __attribute__((unused)) uint64_t name(const struct deep_chunk *chunk) \
    {                                                                            \
        return run;                                                              \
    }

#include "kernels/deep/formula_body.h"
#ifdef DEEP_ROWS_ALONE
#include "kernels/deep/quadratic_body.h"
#else
static int chunk_has_slopes(const struct deep_chunk *chunk)
{
    return chunk_has(chunk, PLANE_DISTANCE_X) || chunk_has(chunk, PLANE_PHASE);
}

static void rational_store(const struct deep_chunk *chunk, int32_t i, int64_t count,
                           struct rational_values values)
{
    chunk_store(chunk, i, count, values.fraction, values.distance, values.phase);
}

#include "kernels/deep/rational/newton_body.h"
#ifndef DEEP_WITHOUT_LANES
#include "kernels/deep/rational/henon_body.h"
#endif
#endif

#undef CHUNK_KERNEL

const struct deep_kernels DEEP_KERNELS = {
    .name = DEEP_NAME,
    .formula_run = {{formula_plain, formula_slopes_plain}, {formula_wide, formula_slopes_wide}},
    .rows = formula_rows,
    .rows_f32 = formula_rows_f32,
#ifdef DEEP_ROWS_ALONE
    .run[BLOCKS_QUARTIC] = {{quartic_plain, quartic_slopes_plain},
                            {quartic_wide, quartic_slopes_wide}},
    .sums = {sums_plain, sums_wide},
    .fill = table_fill_lanes,
    .inside = square_inside,
#else
    .newton_run = {newton_counts, newton_slopes},
    .nova_run = {nova_counts, nova_counts},
#endif
#ifdef DEEP_WITHOUT_LANES
    .without_lanes = &DEEP_WITHOUT_LANES,
#else
    .formula_sums = {formula_sums_plain, formula_sums_wide},
    .formula_fill = formula_fill,
    .formula_alongs = formula_alongs,
    .formula_alongs_f32 = formula_alongs_f32,
#ifdef DEEP_ROWS_ALONE
    .run[BLOCKS_NONE] = {{none_plain, none_slopes_plain}, {none_wide, none_slopes_wide}},
#else
    .newton_fill = newton_fill,
    .magnet_run = {magnet_counts, magnet_slopes},
#ifdef LANES
    .nova_alone = nova_alone,
#endif
    .henon_fill = henon_fill,
    .henon_run = {henon_counts, henon_slopes},
#endif
#endif
    .own = DEEP_OF_OWN,
};
