/* Steps of own formulas. Belongs to cpu_body.h, which includes it after the macros and after
 * cpu_formulas.h.
 *
 * Operations are functions over PACKS packs, called through a table: the jump is paid once for all
 * of them, and as many chains of multiply-adds hide the latency of z in memory. Sequences that
 * formulas often have are functions of their own, in which z stays in registers. */
#if !defined(FORMULAS) || !defined(OWN)
#error "cpu_own.h: belongs to cpu_body.h"
#endif

struct NAME(state) {
    PACK x[PACKS], y[PACKS], cx[PACKS], cy[PACKS], kept_x[PACKS], kept_y[PACKS];
};

typedef void NAME(operation)(struct NAME(state) * state, const double *factor);

#ifndef OWN_SEQUENCES
/* Longer sequences stand before those that they begin with. */
#define OWN_SEQUENCES(ROW)                            \
    ROW(moth_keep_add, keep, abs_x, abs_y, mul_add)   \
    ROW(ship_add, abs_x, abs_y, sqr_add, none)        \
    ROW(ship, abs_x, abs_y, sqr, none)                \
    ROW(moth_add, abs_x, abs_y, mul_add, none)        \
    ROW(cube_add, keep, sqr, mul_add, none)           \
    ROW(cube, keep, sqr, mul, none)                   \
    ROW(eighth_add, sqr, sqr, sqr_add, none)          \
    ROW(celtic, sqr, abs_x, add, none)                \
    ROW(perpendicular_x, abs_x, neg_y, sqr_add, none) \
    ROW(perpendicular_y, abs_y, neg_y, sqr_add, none) \
    ROW(folds, abs_x, abs_y, none, none)              \
    ROW(fourth_add, sqr, sqr_add, none, none)         \
    ROW(fourth, sqr, sqr, none, none)                 \
    ROW(odd_add, sqr, mul_add, none, none)            \
    ROW(odd, sqr, mul, none, none)                    \
    ROW(tricorn_add, neg_y, sqr_add, none, none)      \
    ROW(half_x_add, abs_x, sqr_add, none, none)       \
    ROW(half_y_add, abs_y, sqr_add, none, none)       \
    ROW(even_add, mul, sqr_add, none, none)           \
    ROW(keep_sqr, keep, sqr, none, none)

#define STEP_none
#define FUSED_none FORMULA_FUSED_KINDS
enum { OWN_SEQUENCE_MAX = 4 };
#endif

#define S(word) P(word)
#define OWN_FUNCTION(name, first, second, third, fourth)                                   \
    static void NAME(do_##name)(struct NAME(state) * state, const double *factor)          \
    {                                                                                      \
        const PACK factor_x = P(splat)(factor[0]), factor_y = P(splat)(factor[1]);         \
        (void)factor_x;                                                                    \
        (void)factor_y;                                                                    \
        UNROLL_PACKS                                                                       \
        {                                                                                  \
            PACK x_ = state->x[v], y_ = state->y[v], cx = state->cx[v], cy = state->cy[v]; \
            PACK kept_x = state->kept_x[v], kept_y = state->kept_y[v];                     \
            STEP_##first;                                                                  \
            STEP_##second;                                                                 \
            STEP_##third;                                                                  \
            STEP_##fourth;                                                                 \
            state->x[v] = x_;                                                              \
            state->y[v] = y_;                                                              \
            state->kept_x[v] = kept_x;                                                     \
            state->kept_y[v] = kept_y;                                                     \
            (void)cx;                                                                      \
            (void)cy;                                                                      \
        }                                                                                  \
    }
#define OWN_SINGLE(name) OWN_FUNCTION(name, name, none, none, none)
OWN_SEQUENCES(OWN_FUNCTION)
FORMULA_FUSED(OWN_SINGLE)
#undef OWN_SINGLE
#undef OWN_FUNCTION
#undef S

struct NAME(sequence) {
    NAME(operation) * operation;
    uint8_t fused[OWN_SEQUENCE_MAX];
};

#define OWN_ROW(name, first, second, third, fourth) \
    {NAME(do_##name), {FUSED_##first, FUSED_##second, FUSED_##third, FUSED_##fourth}},
#define OWN_SINGLE(name) OWN_ROW(name, name, none, none, none)
static const struct NAME(sequence)
    NAME(sequences)[] = {OWN_SEQUENCES(OWN_ROW) FORMULA_FUSED(OWN_SINGLE)};
#undef OWN_SINGLE
#undef OWN_ROW

struct NAME(call) {
    NAME(operation) * operation;
    const double *factor;
};

/* Number of operations of the sequence, if the list continues with it at `i`; else 0. */
static int NAME(sequence_fits)(const struct NAME(sequence) * sequence,
                               const struct formula_program *program, int i, int end)
{
    int length = 0;
    while (length < OWN_SEQUENCE_MAX && sequence->fused[length] != FUSED_none) {
        if (i + length == end || program->fused[i + length] != sequence->fused[length])
            return 0;
        length++;
    }
    return length;
}

/* Makes the calls of all lists, one behind the other; end[p] becomes the end of list p. */
static void NAME(calls_make)(struct NAME(call) * call, int end[FORMULA_PHASES_MAX],
                             const struct formula_program *program)
{
    int calls = 0, i = 0;
    for (int p = 0; p < program->phases; p++) {
        while (i < program->end[p]) {
            const struct NAME(sequence) *sequence = NAME(sequences);
            int length;
            while (!(length = NAME(sequence_fits)(sequence, program, i, program->end[p])))
                sequence++;
            call[calls++] =
                (struct NAME(call)){sequence->operation, program->factor[program->factor_at[i]]};
            i += length;
        }
        end[p] = calls;
    }
}

#define TESTED_STEPS(...) NAME(tested_steps)(w, __VA_ARGS__)
#define BLOCK_STEPS NAME(block_steps)
#define BODY_RUN (w->run)
