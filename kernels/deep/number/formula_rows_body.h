/* The steps of rows for one pixel (formula_rows.h), of floats without tangents.
 *
 * A body, between real_f64.h or real_f32.h and real_end.h. */
#ifndef DEEP_REAL
#error "formula_rows_body.h: include a real_*.h before it"
#endif

#ifdef REAL_NARROW
#define ROW_SLOPES(...)
#else
#define ROW_SLOPES(...) __VA_ARGS__
#endif

/* Factor of operations that have none. */
static const struct COMPLEX T(no_factor) = {0, 0};

/* ---- along the reference ---- */

/* As the loop of formula_delta_step. */
DEEP_FN void T(row_take)(struct T(formula_walk) * at, struct T(formula_tangents) * t,
                         struct T(formula_tangents) * kept, int operation, const REAL_POINT **tape,
                         const uint8_t *taped, const struct T(formula_step_input) * input,
                         int slopes, int both)
{
    if (operation_reads_sign(operation) && *taped) {
        at->z.x = (*tape)->x;
        at->z.y = (*tape)->y;
        ++*tape;
    }
    if (row_maps(operation)) {
        T(walk_map)(at, t, operation, T(no_factor), input);
        return;
    }
    if (slopes)
        T(tangents_take)
    (t, kept, operation, T(complex_add)(at->z, 1, at->d), T(complex_add)(at->z_kept, 1, at->d_kept),
     input, both);
    T(walk_take)(at, operation, input);
}

#define TAKE(operation) \
    T(row_take)(&at, &t, &kept, operation, &tape, taped++, &input, slopes, both);
#define ROW_ALONG(function, of_slopes, of_both, degree, operations)                           \
    static int64_t function(struct T(along_run) * run,                                        \
                            const struct T(formula_step_input) * of_pixel,                    \
                            const struct T(direct_limits) * limits, int leaves, int64_t most) \
    {                                                                                         \
        enum { slopes = of_slopes, both = of_both };                                          \
        const struct T(formula_step_input) input = *of_pixel;                                 \
        const REAL_POINT *tape = run->tape;                                                   \
        struct COMPLEX delta = run->delta;                                                    \
        struct T(formula_tangents) t = run->tangents;                                         \
        int64_t i = 0;                                                                        \
        do {                                                                                  \
            const struct COMPLEX z = {run->z[i].x, run->z[i].y};                              \
            const uint8_t *taped = run->taped;                                                \
            struct T(formula_walk) at = {z, delta, z, delta};                                 \
            struct T(formula_tangents) kept = t;                                              \
            operations delta = at.d;                                                          \
        } while (++i < most && T(along_goes_on)(delta, &run->z[i], leaves, degree, limits));  \
        run->delta = delta;                                                                   \
        run->tangents = t;                                                                    \
        return i;                                                                             \
    }
#define ROW(name, degree, number, home, summary, operations) \
    ROW_ALONG(T(along_##name), 0, 0, degree, operations)     \
    ROW_SLOPES(ROW_ALONG(T(slope_along_##name), 1, !FORMULA_HOLOMORPHIC_##name, degree, operations))
#include "kernels/deep/formula_rows.inc"

/* ---- without the reference ---- */

DEEP_FN void T(row_direct_take)(struct T(direct_walk) * at, int operation,
                                const struct T(formula_step_input) * input, int slopes, int both)
{
    if (row_maps(operation))
        T(direct_map)(at, operation, T(no_factor), input);
    else
        T(direct_take)(at, operation, input, slopes, both);
}

#define TAKE(operation) T(row_direct_take)(&walk, operation, &input, slopes, both);
#define ROW_DIRECTLY(function, of_slopes, of_both, degree, operations)                   \
    static enum direct_end function(                                                     \
        struct T(formula_direct) * state, const struct T(formula_step_input) * of_pixel, \
        const struct T(direct_limits) * limits, int64_t most, int64_t * taken)           \
    {                                                                                    \
        enum { slopes = of_slopes, both = of_both };                                     \
        struct T(formula_direct) at = *state;                                            \
        const struct T(formula_step_input) input = *of_pixel;                            \
        enum direct_end end;                                                             \
        int64_t i = 0;                                                                   \
        do {                                                                             \
            struct T(direct_walk) walk = {at.z, at.z, at.tangents, at.tangents};         \
            operations at.z = walk.z;                                                    \
            at.tangents = walk.t;                                                        \
            end = T(formula_direct_arrive)(&at, degree * degree, degree, limits);        \
        } while (++i < most && end == DIRECT_GOES_ON);                                   \
        *state = at;                                                                     \
        *taken = i;                                                                      \
        return end;                                                                      \
    }
#define ROW(name, degree, number, home, summary, operations)                                  \
    ROW_DIRECTLY(T(directly_##name), 0, 0, degree, operations)                                \
    ROW_SLOPES(ROW_DIRECTLY(T(slope_directly_##name), 1, !FORMULA_HOLOMORPHIC_##name, degree, \
                            operations))
#include "kernels/deep/formula_rows.inc"

#undef ROW_SLOPES
#undef ROW_ALONG
#undef ROW_DIRECTLY
