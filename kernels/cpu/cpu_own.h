/* What the body of own formulas takes steps with. Part of cpu_body.h, which includes it after the
 * macros; cpu_formulas.h was included before.
 *
 * Each operation is a function over all packs in flight, called through a table: the jump is paid
 * once for PACKS packs, and as many chains of multiply-adds hide the way of z through memory. */
#if !defined(FORMULAS) || !defined(OWN)
#error "cpu_own.h: is part of cpu_body.h"
#endif

struct NAME(state) {
    PACK x[PACKS], y[PACKS], cx[PACKS], cy[PACKS], kept_x[PACKS], kept_y[PACKS];
};

typedef void NAME(operation)(struct NAME(state) * state, const double *factor);

#define S(word) P(word)
#define OWN_OPERATION(name)                                                                \
    static void NAME(do_##name)(struct NAME(state) * state, const double *factor)          \
    {                                                                                      \
        const PACK factor_x = P(splat)(factor[0]), factor_y = P(splat)(factor[1]);         \
        (void)factor_x;                                                                    \
        (void)factor_y;                                                                    \
        UNROLL_PACKS                                                                       \
        {                                                                                  \
            PACK x_ = state->x[v], y_ = state->y[v], cx = state->cx[v], cy = state->cy[v]; \
            PACK kept_x = state->kept_x[v], kept_y = state->kept_y[v];                     \
            STEP_##name;                                                                   \
            state->x[v] = x_;                                                              \
            state->y[v] = y_;                                                              \
            state->kept_x[v] = kept_x;                                                     \
            state->kept_y[v] = kept_y;                                                     \
            (void)cx;                                                                      \
            (void)cy;                                                                      \
        }                                                                                  \
    }
FORMULA_FUSED(OWN_OPERATION)
#undef OWN_OPERATION
#undef S

#define OWN_ROW(name) NAME(do_##name),
static NAME(operation) *const NAME(operations_of)[FORMULA_FUSED_KINDS] = {FORMULA_FUSED(OWN_ROW)};
#undef OWN_ROW

struct NAME(call) {
    NAME(operation) * operation;
    const double *factor;
};

#define TESTED_STEPS(...) NAME(tested_steps)(w, __VA_ARGS__)
#define BLOCK_STEPS NAME(block_steps)
#define BODY_RUN (w->run)
