/* Pixels of a chunk of any formula, and the building of its blocks. Included by deep_body.h for
 * each instruction set. */
#ifndef DEEP_KERNELS
#error "deep_body.h includes formula_body.h"
#endif

#include "kernels/deep/formula_fill.h"

#ifdef DEEP_WITHOUT_LANES /* what goes pixel by pixel */
#define formula_alongs DEEP_WITHOUT_LANES.formula_alongs
#define formula_alongs_f32 DEEP_WITHOUT_LANES.formula_alongs_f32
#define formula_run(chunk, slopes, wide) DEEP_WITHOUT_LANES.formula_run[wide][slopes](chunk)
#define formula_run_f32 formula_run
#endif

#include "kernels/deep/number/real_f64.h"
#include "kernels/deep/number/formula_chunk_body.h"
#ifdef LANES
#include "kernels/deep/number/formula_rounds_body.h"
#else
#define formula_rounds(chunk, slopes, wide) formula_run(chunk, slopes, wide)
#endif
#include "kernels/deep/number/real_end.h"
#if defined(DEEP_ROWS_ALONE) || !defined(DEEP_WITHOUT_LANES)
#include "kernels/deep/number/real_f32.h"
#include "kernels/deep/number/formula_chunk_body.h"
#include "kernels/deep/number/real_end.h"
#endif

/* Computes the pixels of a chunk in fp32. */
#ifdef DEEP_ROWS_ALONE
static uint64_t formula_late(const struct deep_chunk *chunk);
#else
static uint64_t formula_late(const struct deep_chunk *chunk)
{
    return formula_run_f32(chunk, 0, 1);
}
#endif

static ALWAYS_INLINE uint64_t formula_pixels(const struct deep_chunk *chunk, int slopes, int wide)
{
    return !slopes && chunk->formula_f32 ? formula_late(chunk)
                                         : formula_rounds(chunk, slopes, wide);
}

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
CHUNK_KERNEL(formula_plain, formula_pixels(chunk, 0, 0))
CHUNK_KERNEL(formula_wide, formula_pixels(chunk, 0, 1))
CHUNK_KERNEL(formula_slopes_plain, formula_pixels(chunk, 1, 0))
CHUNK_KERNEL(formula_slopes_wide, formula_pixels(chunk, 1, 1))
