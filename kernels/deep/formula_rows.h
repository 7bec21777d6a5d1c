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

#include "kernels/deep/number/real_f64.h"
#include "kernels/deep/number/formula_rows_body.h"
#include "kernels/deep/number/real_end.h"
#include "kernels/deep/number/real_f32.h"
#include "kernels/deep/number/formula_rows_body.h"
#include "kernels/deep/number/real_end.h"

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

#define ROW(name, ...) \
    [STEP_##name] = {.along = {along_##name##_f32}, .directly = {directly_##name##_f32}},
static const struct formula_row_f32 formula_rows_f32[FORMULA_STEPS] = {
#include "kernels/deep/formula_rows.inc"
};
