/* Pixels of a chunk of any formula, one after the other.
 *
 * A body, between real_f64.h or real_f32.h and real_end.h. */
#ifndef DEEP_REAL
#error "formula_chunk_body.h: include a real_*.h before it"
#endif

/* Terms of the blocks that are used. */
static ALWAYS_INLINE enum blocks T(formula_blocks)(const struct deep_chunk *chunk)
{
#ifdef REAL_NARROW
    (void)chunk;
    return BLOCKS_QUARTIC;
#else
    return chunk->blocks;
#endif
}

/* Pixel i of the chunk at its beginning. */
static ALWAYS_INLINE struct T(formula_pixel)
    T(formula_first)(const struct deep_chunk *chunk, int32_t i)
{
    const struct complex_f64 point = chunk_point(chunk, i);
#ifdef REAL_NARROW
    return formula_begin_f32(chunk->formula_f32, chunk->common, point.x, point.y);
#else
    return formula_begin(chunk->formula, point.x, point.y);
#endif
}

/* Stores a pixel that is done. Floats have no distances and phases. */
static void T(formula_store)(const struct deep_chunk *chunk, const struct T(formula_pixel) * pixel,
                             int32_t i)
{
    const struct T(formula_common) *common = chunk->T(formula);
    const float fraction =
        chunk_has(chunk, PLANE_FRACTION) ? T(formula_fraction)(pixel, common) : 0.0f;
#ifdef REAL_NARROW
    chunk_store(chunk, i, pixel->at.count, fraction, no_distance, 0.0f);
#else
    chunk_store(chunk, i, pixel->at.count, fraction,
                chunk_has(chunk, PLANE_DISTANCE_X) ? formula_distance(pixel, common) : no_distance,
                chunk_has(chunk, PLANE_PHASE) ? formula_phase_of_end(pixel, common) : 0.0f);
#endif
}

#ifndef DEEP_WITHOUT_LANES
/* Go along the reference by up to `most` blocks and steps; 1: the count is known. Compiled once for
 * all of a file's callers: in line in each, it was half of the program. */
#define FORMULA_ALONG(function, slopes, wide)                                                     \
    static NO_INLINE int T(function)(struct T(formula_pixel) * state,                             \
                                     const struct T(formula_common) * common, enum blocks blocks, \
                                     int64_t most, int64_t * taken, struct T(pixel_kept) * kept)  \
    {                                                                                             \
        struct T(formula_pixel) pixel = *state;                                                   \
        const int done =                                                                          \
            T(formula_along)(&pixel, common, blocks, slopes, wide, most, taken, kept);            \
        *state = pixel;                                                                           \
        return done;                                                                              \
    }
FORMULA_ALONG(formula_along_wide, 0, 1)
#ifdef REAL_NARROW
static formula_along_function_f32 *const formula_alongs_f32[1][2] = {
    {NULL, formula_along_wide_f32},
};
#else
FORMULA_ALONG(formula_along_plain, 0, 0)
FORMULA_ALONG(formula_along_slopes_plain, 1, 0)
FORMULA_ALONG(formula_along_slopes_wide, 1, 1)
static formula_along_function *const formula_alongs[2][2] = {
    {formula_along_plain, formula_along_wide},
    {formula_along_slopes_plain, formula_along_slopes_wide},
};
#endif
#undef FORMULA_ALONG

/* As formula_on. */
static ALWAYS_INLINE int T(formula_goes_on)(struct T(formula_pixel) * pixel,
                                            const struct deep_chunk *chunk, int slopes, int wide,
                                            struct T(pixel_kept) * kept)
{
    const struct T(formula_common) *common = chunk->T(formula);
    int done = 0;
    for (int64_t i = 0, taken; i < STEPS_BETWEEN_STOPS && !done; i += taken)
        done = pixel->at.direct
                   ? T(formula_direct_steps)(pixel, common, slopes, wide, STEPS_BETWEEN_STOPS - i,
                                             &taken)
                   : T(formula_alongs)[slopes][wide](pixel, common, T(formula_blocks)(chunk),
                                                     STEPS_BETWEEN_STOPS - i, &taken, kept);
    return done;
}

static ALWAYS_INLINE uint64_t T(formula_run)(const struct deep_chunk *chunk, int slopes, int wide)
{
    const struct T(formula_common) *common = chunk->T(formula);
    uint64_t steps = 0;
    for (int32_t i = 0; i < chunk_pixels(chunk); i++) {
        struct T(formula_pixel) pixel = T(formula_first)(chunk, i);
        struct T(pixel_kept) kept = {.m = -1};
        while (!T(formula_goes_on)(&pixel, chunk, slopes, wide, &kept))
            if (stop_asked(chunk->stop))
                return steps;
        steps += pixel.at.steps;
        T(formula_finish)(&pixel, common, slopes);
        T(formula_store)(chunk, &pixel, i);
    }
    return steps;
}
#endif
