/* Pixels of a chunk of any formula, in SIMD lanes.
 *
 * A body, between real_f64.h or real_f32.h and real_end.h, and with the macros of lanes. */
#if !defined(PREFIX) || !defined(PACK) || !defined(LANES) || !defined(PACKS) || !defined(DEEP_REAL)
#error "formula_rounds_body.h: a macro is missing"
#endif

#include "kernels/deep/lanes/formula_packs.h"
#include "kernels/deep/lanes/formula_lanes.h"
#include "kernels/deep/lanes/quadratic_lanes.h"
#include "kernels/deep/lanes/wide_lanes.h"
#include "kernels/deep/lanes/along_rounds.h"

/* Goes along the reference and says whether the pixel has left it. Unlike rounds it takes lists. */
DEEP_FN int T(formula_until_direct)(struct T(formula_pixel) * pixel,
                                    const struct T(formula_common) * common, enum blocks blocks,
                                    int slopes, int wide, struct T(pixel_kept) * kept)
{
    int64_t taken;
    int done = 0;
    if (!pixel->at.direct)
        done = T(formula_alongs)[slopes][wide](pixel, common, blocks, STEPS_OF_ROUND / DEEP_CHUNK,
                                               &taken, kept);
    return pixel->at.direct && !done;
}

/* Goes on with all pixels of a list until they have left the reference, or for some steps; returns
 * the number of those that go without it. */
DEEP_FN int T(formulas_until_direct)(const struct deep_chunk *chunk,
                                     struct T(formula_pixel) * *list, int count, int slopes,
                                     int wide, struct T(formula_pixel) * pixels,
                                     struct T(pixel_kept) * kept, struct T(formula_pixel) * *direct)
{
    const struct T(formula_common) *common = chunk->T(formula);
    const struct along_kind kind = {.slopes = slopes,
                                    .both = slopes && !common->program.holomorphic,
                                    .wide = wide,
                                    .full = wide,
                                    .alike = wide};
    int directs = 0;
    /* Lists without a row have no lanes; rows with swaps have none for derivatives in wide
     * pictures, for the program's size. */
    const int alone = DEEP_OWN && ((wide && slopes) || !common->row);
    if (!alone && T(formula_blocks)(chunk) != BLOCKS_NONE) {
        struct T(along_list) lists[2][ADVANCES];
        struct T(along_rounds) rounds = {.shared = &common->shared,
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
        T(rounds_run)(&rounds, list, count, kind);
        return rounds.directs;
    }
    for (int i = 0; i < count && !stop_asked(chunk->stop); i++)
        if (T(formula_until_direct)(list[i], common, T(formula_blocks)(chunk), slopes, wide,
                                    &kept[list[i] - pixels]))
            direct[directs++] = list[i];
    return directs;
}

/* As chunk_rounds. */
static ALWAYS_INLINE uint64_t T(formula_rounds)(const struct deep_chunk *chunk, int slopes,
                                                int wide)
{
    const struct T(formula_common) *common = chunk->T(formula);
    struct T(formula_pixel) pixels[DEEP_CHUNK], *left[DEEP_CHUNK];
    struct T(pixel_kept) kept[DEEP_CHUNK];
    uint64_t steps = 0;
    int lefts = chunk_pixels(chunk);
    if (common->program.phases > 1)
        return T(formula_run)(chunk, slopes, wide);
    for (int i = 0; i < chunk_pixels(chunk); i++) {
        pixels[i] = T(formula_first)(chunk, i);
        left[i] = &pixels[i];
        kept[i] = (struct T(pixel_kept)){.m = -1};
    }
    while (lefts && !stop_asked(chunk->stop)) {
        struct T(formula_pixel) * direct[DEEP_CHUNK];
        int before = lefts;
        int directs =
            T(formulas_until_direct)(chunk, left, lefts, slopes, wide, pixels, kept, direct);
        for (int i = 0; i < directs && wide && slopes; i++)
            T(formula_direct_begin)(direct[i]);
        T(formulas_directly)(direct, directs, common, slopes, STEPS_OF_ROUND / DEEP_CHUNK);
        for (int i = 0; i < directs && wide; i++)
            T(formula_direct_end)(direct[i], slopes);
        lefts = 0;
        for (int i = 0; i < before; i++) {
            if (!left[i]->at.count && left[i]->at.n < common->shared.limit) {
                left[lefts++] = left[i];
                continue;
            }
            steps += left[i]->at.steps;
            T(formula_finish)(left[i], common, slopes);
            T(formula_store)(chunk, left[i], (int32_t)(left[i] - pixels));
        }
    }
    return steps;
}
