/* Pixels of a chunk by Newton's method, of Nova or of a magnet. Included by deep_body.h for each
 * instruction set. */
#ifndef DEEP_KERNELS
#error "deep_body.h includes newton_body.h"
#endif

#include "kernels/deep/rational/newton_fill.h"

static void newton_store(const struct deep_chunk *chunk, const struct newton_pixel *pixel,
                         int32_t i, enum newton_kind kind)
{
    rational_store(chunk, i, pixel->count,
                   newton_kind_values(pixel, chunk->newton, chunk_has_slopes(chunk), kind));
}

static ALWAYS_INLINE uint64_t newton_run(const struct deep_chunk *chunk, int slopes,
                                         enum newton_kind kind)
{
    const struct newton_common *common = chunk->newton;
    uint64_t steps = 0;
    for (int32_t i = 0; i < chunk_pixels(chunk); i++) {
        const struct complex_f64 point = chunk_point(chunk, i);
        struct newton_pixel pixel = newton_kind_begin(common, point.x, point.y, kind);
        struct pixel_kept kept = {.m = -1};
        while (!newton_kind_on(&pixel, common, chunk->blocks, slopes, STEPS_BETWEEN_STOPS, &kept,
                               kind))
            if (stop_asked(chunk->stop))
                return steps;
        steps += pixel.steps;
        newton_store(chunk, &pixel, i, kind);
    }
    return steps;
}

#ifdef LANES
#include "kernels/deep/rational/newton_packs.h"
#include "kernels/deep/rational/nova_lanes.h"

#ifdef DEEP_WITHOUT_LANES
#define NOVA_ALONE DEEP_WITHOUT_LANES.nova_alone
#else
#define NOVA_ALONE nova_alone
static NO_INLINE void nova_alone(struct newton_pixel *pixel, const struct newton_common *common,
                                 enum blocks blocks, struct pixel_kept *kept)
{
    int done = 0;
    for (int i = 0; i < STEPS_OF_ROUND / DEEP_CHUNK && !done &&
                    (!i || (pixel->direct && kept->m == REBASING_KEPT_DIRECT));
         i++)
        done = newton_kind_on(pixel, common, blocks, 0, 1, kept, KIND_NOVA);
}
#endif
#include "kernels/deep/rational/nova_rounds.h"

/* As chunk_rounds: each pixel until it is without the reference, then all of those together. */
static ALWAYS_INLINE uint64_t newton_rounds(const struct deep_chunk *chunk, int slopes)
{
    enum { MOST = STEPS_OF_ROUND / DEEP_CHUNK };
    const struct newton_common *common = chunk->newton;
    struct newton_pixel pixels[DEEP_CHUNK], *left[DEEP_CHUNK], *direct[DEEP_CHUNK];
    int lefts = chunk_pixels(chunk);
    uint64_t steps = 0;
    for (int i = 0; i < lefts; i++) {
        const struct complex_f64 point = chunk_point(chunk, i);
        pixels[i] = newton_begin(common, point.x, point.y);
        left[i] = &pixels[i];
    }
    while (lefts && !stop_asked(chunk->stop)) {
        int before = lefts, directs = 0;
        for (int i = 0; i < lefts && !stop_asked(chunk->stop); i++) {
            int done = newton_until_direct(left[i], common, chunk->blocks, slopes, MOST);
            if (!done && left[i]->direct && newton_is_plain(left[i]->delta))
                direct[directs++] = left[i];
            else if (!done && left[i]->direct)
                newton_direct_steps(left[i], common, slopes, 1);
        }
        for (int i = 0; i < directs; i += NEWTON_LANES)
            newton_packs_step(direct + i, directs - i < NEWTON_LANES ? directs - i : NEWTON_LANES,
                              common, slopes, MOST);
        lefts = 0;
        for (int i = 0; i < before; i++) {
            if (!left[i]->count && left[i]->n < common->shared.limit) {
                left[lefts++] = left[i];
                continue;
            }
            steps += left[i]->steps;
            newton_store(chunk, left[i], (int32_t)(left[i] - pixels), KIND_NEWTON);
        }
    }
    return steps;
}
#else
#define newton_rounds(chunk, slopes) newton_run(chunk, slopes, KIND_NEWTON)
#define nova_run(chunk) newton_run(chunk, 0, KIND_NOVA)
#endif

CHUNK_KERNEL(newton_counts, newton_rounds(chunk, 0))
CHUNK_KERNEL(newton_slopes, newton_rounds(chunk, 1))
CHUNK_KERNEL(nova_counts, nova_run(chunk))
#ifndef DEEP_WITHOUT_LANES
CHUNK_KERNEL(magnet_counts, newton_run(chunk, 0, KIND_MAGNET))
CHUNK_KERNEL(magnet_slopes, newton_run(chunk, 1, KIND_MAGNET))
#endif
