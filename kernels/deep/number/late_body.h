/* Pixels of a chunk in fp32 (late.h), in SIMD lanes where there are any, twice as many as of
 * doubles. Included by quadratic_body.h. */
#ifndef DEEP_KERNELS
#error "quadratic_body.h includes late_body.h"
#endif

struct late_pixels { /* a chunk's */
    struct pixel_state_f32 at[DEEP_CHUNK];
    struct pixel_kept_f32 kept[DEEP_CHUNK];
    struct pixel_state_f32 *left[DEEP_CHUNK]; /* pixels that go on */
    int lefts;
};

#ifdef LANES
#undef PREFIX
#undef PACK
#undef LANES
#undef PACKS
#define PREFIX PREFIX_F32
#define PACK PACK_F32
#define LANES LANES_F32
#define PACKS 2 /* they alternate */
#include "kernels/deep/number/real_f32.h"
#include "kernels/deep/lanes/direct_packs.h"
#include "kernels/deep/number/late_lanes.h"
#include "kernels/deep/number/formula_rounds_body.h"
#include "kernels/deep/number/real_end.h"
#else
#define formula_rounds_f32(chunk, slopes, wide) formula_run_f32(chunk, slopes, wide)
enum { LATE_GROUP = 1 };
static ALWAYS_INLINE void pixels_directly_f32(struct pixel_state_f32 *const *list, int count,
                                              const struct pixel_common_f32 *common, int slopes,
                                              int64_t most)
{
    int64_t taken;
    for (int i = 0; i < count; i++)
        pixel_directly_f32(list[i], common, slopes, most, &taken);
}
static ALWAYS_INLINE uint64_t late_lockstep(struct late_pixels *pixels,
                                            struct pixel_state_f32 *const *list, int count,
                                            const struct pixel_common_f32 *common)
{
    (void)pixels, (void)list, (void)count, (void)common;
    return 0;
}
#endif

enum {
    LATE_FEW = 3,   /* up to so many pixels at one point of the reference are faster one by one */
    LATE_ALONE = 8, /* blocks and steps of such a pixel, after which it may have others beside it */
    LATE_STEPS = STEPS_OF_ROUND / DEEP_CHUNK
};

/* Takes a pixel of a list, and those behind it at the same point that are not taken yet. */
static ALWAYS_INLINE int late_group(struct pixel_state_f32 *const *list, int count, int first,
                                    uint64_t *taken, struct pixel_state_f32 **group)
{
    int number = 0;
    for (int i = first; i < count && number < LATE_GROUP; i++)
        if (list[i]->m == list[first]->m && list[i]->level == list[first]->level &&
            !(*taken >> i & 1)) {
            group[number++] = list[i];
            *taken |= (uint64_t)1 << i;
        }
    return number;
}

/* Goes on along the reference with the pixels of a list: some blocks and steps each. */
static ALWAYS_INLINE void late_pass(struct late_pixels *pixels, struct pixel_state_f32 *const *list,
                                    int count, const struct pixel_common_f32 *common)
{
    struct pixel_state_f32 *group[LATE_GROUP];
    uint64_t done = 0;
    for (int i = 0; i < count; i++) {
        if (done >> i & 1)
            continue;
        const int number = late_group(list, count, i, &done, group), together = number > LATE_FEW;
        if (together && late_lockstep(pixels, group, number, common))
            continue;
        for (int l = 0; l < number; l++) {
            int64_t taken;
            pixel_along_f32(group[l], common, BLOCKS_QUARTIC, 0, 1,
                            together          ? 1
                            : LATE_GROUP == 1 ? LATE_STEPS
                                              : LATE_ALONE,
                            &taken, &pixels->kept[group[l] - pixels->at]);
        }
    }
}

/* Goes on with all pixels along the reference, then with those that have left it. */
static void late_round(struct late_pixels *pixels, const struct pixel_common_f32 *common)
{
    struct pixel_state_f32 *direct[DEEP_CHUNK], *going[DEEP_CHUNK];
    int directs = 0, goings = 0, lefts = 0;
    for (int i = 0; i < pixels->lefts; i++)
        if (!pixels->left[i]->direct)
            going[goings++] = pixels->left[i];
    for (int pass = 0; goings && pass < LATE_STEPS; pass++) {
        const int before = goings;
        late_pass(pixels, going, before, common);
        goings = 0;
        for (int i = 0; i < before; i++)
            if (!going[i]->count && going[i]->n < common->limit && !going[i]->direct)
                going[goings++] = going[i];
    }
    for (int i = 0; i < pixels->lefts; i++)
        if (pixels->left[i]->direct)
            direct[directs++] = pixels->left[i];
    pixels_directly_f32(direct, directs, common, 0, LATE_STEPS);
    for (int i = 0; i < directs; i++)
        if (!direct[i]->direct)
            wide_put_f32(direct[i], wide_settle_f32(direct[i]->delta, 0));
    for (int i = 0; i < pixels->lefts; i++) {
        struct pixel_state_f32 *pixel = pixels->left[i];
        if (!pixel->count && pixel->n < common->limit)
            pixels->left[lefts++] = pixel;
    }
    pixels->lefts = lefts;
}

static void late_store(const struct deep_chunk *chunk, const struct pixel_state_f32 *pixel,
                       int32_t i)
{
    const float norm = pixel->count ? pixel->norm : 0.0f;
    chunk_store(chunk, i, pixel->count,
                chunk_has(chunk, PLANE_FRACTION) ? fraction_of(norm, chunk->fraction_offset) : 0.0f,
                no_distance, 0.0f);
}

static uint64_t chunk_late(const struct deep_chunk *chunk)
{
    struct late_pixels late = {.lefts = 0};
    int32_t number[DEEP_CHUNK]; /* places of the pixels to be computed, in the chunk */
    uint64_t steps = 0;
    int count = 0;
    for (int i = 0; i < chunk_pixels(chunk); i++) {
        struct pixel_state pixel;
        if (!pixel_prepare(chunk, i, &pixel))
            continue;
        late.at[count] = late_begin(chunk->common, chunk->late, pixel.c.x, pixel.c.y);
        late.kept[count] = (struct pixel_kept_f32){.m = -1};
        late.left[late.lefts++] = &late.at[count];
        number[count++] = i;
    }
    while (late.lefts && !stop_asked(chunk->stop))
        late_round(&late, chunk->late);
    for (int i = 0; i < count && !stop_asked(chunk->stop); i++) {
        late_store(chunk, &late.at[i], number[i]);
        steps += late.at[i].steps;
    }
    return steps;
}

static uint64_t formula_late(const struct deep_chunk *chunk)
{
    return formula_rounds_f32(chunk, 0, 1);
}
