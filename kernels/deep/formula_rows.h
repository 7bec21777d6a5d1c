/* The steps of rows, each compiled for its operations: see struct formula_row. The arithmetic is
 * that of lists, whose functions are called here with operations that are constants.
 *
 * Included by deep_body.h for each instruction set, behind formula_packs.h if there are lanes. */
#ifndef DEEP_KERNELS
#error "deep_body.h includes formula_rows.h"
#endif

/* Operations that direct kernels fuse are two here. */
#define ROW_OPERATION_swap TAKE(OPERATION_SWAP)
#define ROW_OPERATION_sign_y TAKE(OPERATION_SIGN_Y)
#define ROW_OPERATION_abs_x TAKE(OPERATION_ABS_X)
#define ROW_OPERATION_abs_y TAKE(OPERATION_ABS_Y)
#define ROW_OPERATION_neg_x TAKE(OPERATION_NEG_X)
#define ROW_OPERATION_neg_y TAKE(OPERATION_NEG_Y)
#define ROW_OPERATION_keep TAKE(OPERATION_KEEP)
#define ROW_OPERATION_mul TAKE(OPERATION_MUL)
#define ROW_OPERATION_sqr TAKE(OPERATION_SQR)
#define ROW_OPERATION_add TAKE(OPERATION_ADD)
#define ROW_OPERATION_mul_add TAKE(OPERATION_MUL) TAKE(OPERATION_ADD)
#define ROW_OPERATION_sqr_add TAKE(OPERATION_SQR) TAKE(OPERATION_ADD)

/* ROW is defined before each use of the rows that these kernels take. */
#define ROW_OF_OTHERS(...)
#ifdef DEEP_ROWS_ALONE
#define ROW_PLAIN ROW
#define ROW_MAPPED ROW_OF_OTHERS
#else
#define ROW_PLAIN ROW_OF_OTHERS
#define ROW_MAPPED ROW
#endif
DEEP_FN int row_maps(int operation)
{
    return operation == OPERATION_SWAP || operation == OPERATION_SIGN_Y;
}

/* Factor of operations that have none. */
static const struct complex_f64 no_factor = {0, 0};

/* ---- along the reference ---- */

/* As the loop of formula_delta_step. */
DEEP_FN void row_take(struct formula_walk *at, struct formula_tangents *t,
                      struct formula_tangents *kept, int operation, const struct orbit_point **tape,
                      const uint8_t *taped, const struct formula_step_input *input, int slopes,
                      int both)
{
    if (operation_reads_sign(operation) && *taped) {
        at->z.x = (*tape)->x;
        at->z.y = (*tape)->y;
        ++*tape;
    }
    if (row_maps(operation)) {
        walk_map(at, t, operation, no_factor, input);
        return;
    }
    if (slopes)
        tangents_take(t, kept, operation, complex_add(at->z, 1, at->d),
                      complex_add(at->z_kept, 1, at->d_kept), input, both);
    walk_take(at, operation, input);
}

#define TAKE(operation) row_take(&at, &t, &kept, operation, &tape, taped++, &input, slopes, both);
#define ROW_ALONG(function, of_slopes, of_both, degree, operations)                           \
    static int64_t function(struct along_run *run, const struct formula_step_input *of_pixel, \
                            const struct direct_limits *limits, int leaves, int64_t most)     \
    {                                                                                         \
        enum { slopes = of_slopes, both = of_both };                                          \
        const struct formula_step_input input = *of_pixel;                                    \
        const struct orbit_point *tape = run->tape;                                           \
        struct complex_f64 delta = run->delta;                                                \
        struct formula_tangents t = run->tangents;                                            \
        int64_t i = 0;                                                                        \
        do {                                                                                  \
            const struct complex_f64 z = {run->z[i].x, run->z[i].y};                          \
            const uint8_t *taped = run->taped;                                                \
            struct formula_walk at = {z, delta, z, delta};                                    \
            struct formula_tangents kept = t;                                                 \
            operations delta = at.d;                                                          \
        } while (++i < most && along_goes_on(delta, &run->z[i], leaves, degree, limits));     \
        run->delta = delta;                                                                   \
        run->tangents = t;                                                                    \
        return i;                                                                             \
    }
#define ROW(name, degree, number, home, summary, operations) \
    ROW_ALONG(along_##name, 0, 0, degree, operations)        \
    ROW_ALONG(slope_along_##name, 1, !FORMULA_HOLOMORPHIC_##name, degree, operations)
#include "kernels/deep/formula_rows.inc"

/* ---- without the reference ---- */

DEEP_FN void row_direct_take(struct direct_walk *at, int operation,
                             const struct formula_step_input *input, int slopes, int both)
{
    if (row_maps(operation))
        direct_map(at, operation, no_factor, input);
    else
        direct_take(at, operation, input, slopes, both);
}

#define TAKE(operation) row_direct_take(&walk, operation, &input, slopes, both);
#define ROW_DIRECTLY(function, of_slopes, of_both, degree, operations)           \
    static enum direct_end function(                                             \
        struct formula_direct *state, const struct formula_step_input *of_pixel, \
        const struct direct_limits *limits, int64_t most, int64_t *taken)        \
    {                                                                            \
        enum { slopes = of_slopes, both = of_both };                             \
        struct formula_direct at = *state;                                       \
        const struct formula_step_input input = *of_pixel;                       \
        enum direct_end end;                                                     \
        int64_t i = 0;                                                           \
        do {                                                                     \
            struct direct_walk walk = {at.z, at.z, at.tangents, at.tangents};    \
            operations at.z = walk.z;                                            \
            at.tangents = walk.t;                                                \
            end = formula_direct_arrive(&at, degree * degree, degree, limits);   \
        } while (++i < most && end == DIRECT_GOES_ON);                           \
        *state = at;                                                             \
        *taken = i;                                                              \
        return end;                                                              \
    }
#define ROW(name, degree, number, home, summary, operations) \
    ROW_DIRECTLY(directly_##name, 0, 0, degree, operations)  \
    ROW_DIRECTLY(slope_directly_##name, 1, !FORMULA_HOLOMORPHIC_##name, degree, operations)
#include "kernels/deep/formula_rows.inc"

/* ---- without the reference, in lanes ---- */

#ifdef LANES
DEEP_FN void row_packs_take(struct formula_packs *at, int operation,
                            const struct formula_slots *slots, struct complex_f64 dc, int slopes,
                            int both)
{
    if (row_maps(operation))
        formula_packs_map(at, operation, no_factor, slots, dc);
    else
        formula_packs_take(at, operation, slots, dc, slopes, both);
}

#define TAKE(operation) row_packs_take(&at, operation, slots, dc, slopes, both);
#define ROW_LANES(function, of_slopes, of_both, degree, operations)                          \
    static int64_t function(struct formula_slots *slots, const struct direct_limits *limits, \
                            struct complex_f64 dc, int64_t most, uint32_t *ends)             \
    {                                                                                        \
        enum { slopes = of_slopes, both = of_both };                                         \
        struct formula_packs at;                                                             \
        int64_t i = 0;                                                                       \
        uint32_t any;                                                                        \
        formula_packs_load(&at, slots, slopes);                                              \
        do {                                                                                 \
            operations any =                                                                 \
                formula_packs_arrive(&at, slots, degree * degree, degree, limits, ends);     \
        } while (++i < most && !any);                                                        \
        formula_packs_store(&at, slots, slopes);                                             \
        return i;                                                                            \
    }
#define ROW(name, degree, number, home, summary, operations) \
    ROW_LANES(lanes_##name, 0, 0, degree, operations)        \
    ROW_LANES(slope_lanes_##name, 1, !FORMULA_HOLOMORPHIC_##name, degree, operations)
#include "kernels/deep/formula_rows.inc"

/* ---- along the reference in lanes ---- */

#define ROW_ALONG_LANES(function, of_slopes, of_both, degree, operations)                   \
    static int64_t function(struct lane_run *of_pixels, const struct direct_limits *limits, \
                            int leaves, int64_t most)                                       \
    {                                                                                       \
        enum { slopes = of_slopes, both = of_both };                                        \
        struct lane_run run = lane_run_copy(of_pixels, slopes);                             \
        struct lane_complex z = lane_pairs_of(run.z, 0, run.same);                          \
        struct lane_walk at = {.on_tape = 0};                                               \
        int64_t i = 0;                                                                      \
        int on;                                                                             \
        do {                                                                                \
            const uint8_t *taped = run.taped;                                               \
            lane_walk_begin(&at, &run, z, slopes);                                          \
            operations lane_walk_end(&at, &run, slopes);                                    \
            on = ++i < most;                                                                \
            if (on) {                                                                       \
                z = lane_pairs_of(run.z, 2 * i, run.same);                                  \
                on = lane_run_goes_on(&run, z, leaves, degree, limits);                     \
            }                                                                               \
        } while (on);                                                                       \
        lane_run_return(of_pixels, &run, slopes);                                           \
        return i;                                                                           \
    }
#define TAKE(operation) lane_row_take(&at, &run, operation, *taped++, slopes, both);
#define ROW(name, degree, number, home, summary, operations)      \
    ROW_ALONG_LANES(along_lanes_##name, 0, 0, degree, operations) \
    ROW_ALONG_LANES(slope_along_lanes_##name, 1, !FORMULA_HOLOMORPHIC_##name, degree, operations)
#include "kernels/deep/formula_rows.inc"
#define ROW_OF_LANES(name)                       \
    .lanes = {lanes_##name, slope_lanes_##name}, \
    .along_lanes = {along_lanes_##name, slope_along_lanes_##name},
#else
#define ROW_OF_LANES(name)
#endif

#define ROW(name, ...)                                                     \
    [STEP_##name] = {.along = {along_##name, slope_along_##name},          \
                     .directly = {directly_##name, slope_directly_##name}, \
                     ROW_OF_LANES(name)},
static const struct formula_row formula_rows[FORMULA_STEPS] = {
#include "kernels/deep/formula_rows.inc"
};
#undef ROW_OF_LANES
