/* Pixels of a chunk of any formula, and the building of its blocks. Included by deep_body.h for
 * each instruction set. */
#ifndef DEEP_KERNELS
#error "deep_body.h includes formula_body.h"
#endif

#include "kernels/deep/formula_fill.h"

static void formula_store(const struct deep_chunk *chunk, const struct formula_pixel *pixel,
                          int32_t i)
{
    const struct formula_common *common = chunk->formula;
    chunk_store(chunk, i, pixel->at.count,
                chunk_has(chunk, PLANE_FRACTION) ? formula_fraction(pixel, common) : 0.0f,
                chunk_has(chunk, PLANE_DISTANCE_X) ? formula_distance(pixel, common) : no_distance,
                chunk_has(chunk, PLANE_PHASE) ? formula_phase_of_end(pixel, common) : 0.0f);
}

/* Computes the pixels of a chunk in fp32; returns the steps. */
static uint64_t formula_late(const struct deep_chunk *chunk)
{
    const struct formula_common_f32 *common = chunk->formula_f32;
    uint64_t steps = 0;
    for (int32_t i = 0; i < chunk_pixels(chunk); i++) {
        const struct complex_f64 point = chunk_point(chunk, i);
        struct formula_pixel_f32 pixel = formula_begin_f32(common, chunk->common, point.x, point.y);
        struct pixel_kept_f32 kept = {.m = -1};
        while (!formula_on_f32(&pixel, common, BLOCKS_QUARTIC, 0, 1, STEPS_BETWEEN_STOPS, &kept))
            if (stop_asked(chunk->stop))
                return steps;
        steps += pixel.at.steps;
        formula_finish_f32(&pixel, common, 0);
        chunk_store(chunk, i, pixel.at.count,
                    chunk_has(chunk, PLANE_FRACTION) ? formula_fraction_f32(&pixel, common) : 0.0f,
                    no_distance, 0.0f);
    }
    return steps;
}

/* Goes along the reference by up to `most` blocks and steps; 1: the count is known. With `times` >
 * 1 so often, for as long as a double does not hold delta. */
DEEP_FN int formula_along_times(struct formula_pixel *state, const struct formula_common *common,
                                enum blocks blocks, int slopes, int wide, int times, int64_t most,
                                int64_t *taken, struct pixel_kept *kept)
{
    struct formula_pixel pixel = *state;
    int64_t of_one;
    int done = 0;
    *taken = 0;
    for (int i = 0; i < times && !done && (times == 1 || pixel.at.e); i++) {
        done = formula_along(&pixel, common, blocks, slopes, wide, most, &of_one, kept);
        *taken += of_one;
    }
    *state = pixel;
    return done;
}

/* Compiled once for all of a file's callers: in line in each, it was half of the program. */
#define FORMULA_ALONG(function, slopes, wide)                                                      \
    static NO_INLINE int function(                                                                 \
        struct formula_pixel *pixel, const struct formula_common *common, enum blocks blocks,      \
        int times, int64_t most, int64_t *taken, struct pixel_kept *kept)                          \
    {                                                                                              \
        return formula_along_times(pixel, common, blocks, slopes, wide, times, most, taken, kept); \
    }
FORMULA_ALONG(formula_along_plain, 0, 0)
FORMULA_ALONG(formula_along_wide, 0, 1)
FORMULA_ALONG(formula_along_slopes_plain, 1, 0)
FORMULA_ALONG(formula_along_slopes_wide, 1, 1)

typedef int formula_along_function(struct formula_pixel *pixel, const struct formula_common *common,
                                   enum blocks blocks, int times, int64_t most, int64_t *taken,
                                   struct pixel_kept *kept);
static formula_along_function *const formula_alongs[2][2] = {
    {formula_along_plain, formula_along_wide},
    {formula_along_slopes_plain, formula_along_slopes_wide},
};

/* As formula_on. */
static ALWAYS_INLINE int formula_goes_on(struct formula_pixel *pixel,
                                         const struct deep_chunk *chunk, int slopes, int wide,
                                         struct pixel_kept *kept)
{
    int done = 0;
    for (int64_t i = 0, taken; i < STEPS_BETWEEN_STOPS && !done; i += taken)
        done = pixel->at.direct
                   ? formula_direct_steps(pixel, chunk->formula, slopes, wide,
                                          STEPS_BETWEEN_STOPS - i, &taken)
                   : formula_alongs[slopes][wide](pixel, chunk->formula, chunk->blocks, 1,
                                                  STEPS_BETWEEN_STOPS - i, &taken, kept);
    return done;
}

static ALWAYS_INLINE uint64_t formula_run(const struct deep_chunk *chunk, int slopes, int wide)
{
    uint64_t steps = 0;
    if (!slopes && chunk->formula_f32)
        return formula_late(chunk);
    for (int32_t i = 0; i < chunk_pixels(chunk); i++) {
        const struct complex_f64 point = chunk_point(chunk, i);
        struct formula_pixel pixel = formula_begin(chunk->formula, point.x, point.y);
        struct pixel_kept kept = {.m = -1};
        while (!formula_goes_on(&pixel, chunk, slopes, wide, &kept))
            if (stop_asked(chunk->stop))
                return steps;
        steps += pixel.at.steps;
        formula_finish(&pixel, chunk->formula, slopes);
        formula_store(chunk, &pixel, i);
    }
    return steps;
}

#ifdef LANES
#include "kernels/deep/formula_packs.h"

/* Goes along the reference and says whether the pixel has left it. Unlike rounds it takes lists. */
DEEP_FN int formula_until_direct(struct formula_pixel *pixel, const struct formula_common *common,
                                 enum blocks blocks, int slopes, int wide, struct pixel_kept *kept)
{
    int64_t taken;
    int done = 0;
    if (!pixel->at.direct)
        done = formula_alongs[slopes][wide](pixel, common, blocks, 1, STEPS_OF_ROUND / DEEP_CHUNK,
                                            &taken, kept);
    return pixel->at.direct && !done;
}

#include "kernels/deep/formula_lanes.h"
#include "kernels/deep/quadratic_lanes.h"
#include "kernels/deep/wide_lanes.h"
#include "kernels/deep/along_rounds.h"

/* Goes on with all pixels of a list until they have left the reference, or for some steps; returns
 * the number of those that go without it. */
DEEP_FN int formulas_until_direct(const struct deep_chunk *chunk, struct formula_pixel **list,
                                  int count, int slopes, int wide, struct formula_pixel *pixels,
                                  struct pixel_kept *kept, struct formula_pixel **direct)
{
    const struct formula_common *common = chunk->formula;
    const struct along_kind kind = {
        .slopes = slopes, .both = slopes && !common->program.holomorphic, .wide = wide};
    int directs = 0;
    const int alone = (wide && slopes) || (DEEP_OWN && !common->row);
    if (!alone && chunk->blocks != BLOCKS_NONE) {
        struct along_list lists[2][ADVANCES];
        struct along_rounds rounds = {.shared = &common->shared,
                                      .formula = common,
                                      .reference = common->reference,
                                      .table = common->table,
                                      .tests = {.limits = &common->shared.direct,
                                                .leaves = common->program.similar,
                                                .degree = common->program.phase[0].degree},
                                      .critical = common->critical,
                                      .pixels = pixels,
                                      .kept = kept,
                                      .list = lists,
                                      .direct = direct};
        rounds_run(&rounds, list, count, kind);
        return rounds.directs;
    }
    for (int i = 0; i < count && !stop_asked(chunk->stop); i++)
        if (formula_until_direct(list[i], common, chunk->blocks, slopes, wide,
                                 &kept[list[i] - pixels]))
            direct[directs++] = list[i];
    return directs;
}

/* As chunk_rounds. */
static ALWAYS_INLINE uint64_t formula_rounds(const struct deep_chunk *chunk, int slopes, int wide)
{
    const struct formula_common *common = chunk->formula;
    struct formula_pixel pixels[DEEP_CHUNK], *left[DEEP_CHUNK];
    struct pixel_kept kept[DEEP_CHUNK];
    uint64_t steps = 0;
    int lefts = chunk_pixels(chunk);
    if (common->program.phases > 1 || (!slopes && chunk->formula_f32))
        return formula_run(chunk, slopes, wide);
    for (int i = 0; i < chunk_pixels(chunk); i++) {
        const struct complex_f64 point = chunk_point(chunk, i);
        pixels[i] = formula_begin(common, point.x, point.y);
        left[i] = &pixels[i];
        kept[i] = (struct pixel_kept){.m = -1};
    }
    while (lefts && !stop_asked(chunk->stop)) {
        struct formula_pixel *direct[DEEP_CHUNK];
        int before = lefts;
        int directs = formulas_until_direct(chunk, left, lefts, slopes, wide, pixels, kept, direct);
        for (int i = 0; i < directs && wide && slopes; i++)
            formula_direct_begin(direct[i]);
        formulas_directly(direct, directs, common, slopes, STEPS_OF_ROUND / DEEP_CHUNK);
        for (int i = 0; i < directs && wide; i++)
            formula_direct_end(direct[i], slopes);
        lefts = 0;
        for (int i = 0; i < before; i++) {
            if (!left[i]->at.count && left[i]->at.n < common->shared.limit) {
                left[lefts++] = left[i];
                continue;
            }
            steps += left[i]->at.steps;
            formula_finish(left[i], common, slopes);
            formula_store(chunk, left[i], (int32_t)(left[i] - pixels));
        }
    }
    return steps;
}
#else
#define formula_rounds(chunk, slopes, wide) formula_run(chunk, slopes, wide)
#endif

#include "kernels/deep/formula_rows.h"

/* As chunk_sums. */
static ALWAYS_INLINE uint64_t formula_sums(const struct deep_chunk *chunk, int wide)
{
    uint64_t steps = 0;
    for (int32_t i = 0; i < chunk_pixels(chunk); i++) {
        const struct complex_f64 point = chunk_point(chunk, i);
        const int64_t count = chunk_count(chunk, i);
        struct formula_pixel pixel = formula_begin(chunk->formula, point.x, point.y);
        struct f64x1_orbit_sums sums = orbit_sums_begin();
        while (count && !formula_sums_on(&pixel, &sums, chunk->formula, &chunk->rule, wide, count,
                                         STEPS_BETWEEN_STOPS))
            if (stop_asked(chunk->stop))
                return steps;
        steps += pixel.at.steps;
        chunk_store_sums(chunk, i,
                         count ? formula_sums_values(&pixel, &sums, chunk->formula)
                               : (struct orbit_values){0});
    }
    return steps;
}

CHUNK_KERNEL(formula_sums_plain, formula_sums(chunk, 0))
CHUNK_KERNEL(formula_sums_wide, formula_sums(chunk, 1))
CHUNK_KERNEL(formula_plain, formula_rounds(chunk, 0, 0))
CHUNK_KERNEL(formula_wide, formula_rounds(chunk, 0, 1))
CHUNK_KERNEL(formula_slopes_plain, formula_rounds(chunk, 1, 0))
CHUNK_KERNEL(formula_slopes_wide, formula_rounds(chunk, 1, 1))
