/* z_n and dz_n of the pixels of a tile whose counts n are known, on the vector units of a CPU. A
 * body: included once per instruction set, after these macros.
 *
 *     PREFIX, PACK, LANES   packs of doubles, see packs.h
 *     PACKS                 packs at a time; a step takes 6 multiply-adds, a product, two additions
 *     FORMULAS              defined: the body is that of all formulas, after cpu_body.h's
 *
 * The kernels that count are faster without a derivative; here z and dz take exactly n steps and
 * nothing is tested, and pixels that do not escape cost nothing. A pixel takes a free lane for
 * n / SLOPE_RUN runs; the steps that are left are taken together with other pixels that have as
 * many.
 *
 * dz has no exponent of its own. Where it overflows, after a thousand steps of a chaotic orbit, the
 * set is nearer than 2^-900 pixels, which distance_of makes (0, 0) as it does with anything below
 * 2^-149; steps of direct iteration are far above 2^-100. (To come back into range z would have to
 * be next to 0, by 2^-53 each time, fifteen times over.) Where it underflows, next to the critical
 * point of a Julia set, the vector is as long as floats allow. */
#if !defined(PREFIX) || !defined(PACK) || !defined(LANES) || !defined(PACKS)
#error "cpu_slopes.h: a macro is missing"
#endif

#include "kernels/cpu/cpu.h"
#include "kernels/escape/distance.h"
#include "kernels/escape/packs.h"
#include "kernels/escape/phase.h"
#include "kernels/escape/pixel.h"

#ifdef FORMULAS
#define SLOPE_STEPS(...) slope_steps_any(w, __VA_ARGS__)
#define SLOPE_LENGTH (w->run)
#else
#define SLOPE_STEPS slope_steps
#define SLOPE_LENGTH SLOPE_RUN
#endif

enum { SLOPE_REST = SLOPE_RUN + FORMULA_PHASES_MAX }; /* more than a run has */

struct slope_group { /* SLOTS pixels */
    ALIGNED double x[SLOTS], y[SLOTS], cx[SLOTS], cy[SLOTS];
    ALIGNED double dx[SLOTS], dy[SLOTS]; /* dz, by c or z_0 */
#ifdef FORMULAS
    ALIGNED double up_x[SLOTS], up_y[SLOTS]; /* dz upwards; dx and dy are to the right then */
#endif
    size_t index[SLOTS]; /* index in the tile's planes */
    int count;           /* pixels that wait for their last steps */
};

struct slope_ends {
    float distance_x[SLOTS], distance_y[SLOTS], phase[SLOTS];
};

struct slope_worker {
    struct cpu_task *task;
    double one; /* dc/dpixel: 1, or 0 where the pixel is z_0 */
    struct slope_group slots;
    int64_t due[SLOTS]; /* clock when all runs of the pixel are done; INT64_MAX: no pixel */
    int left[SLOTS];    /* steps after these runs */
    int64_t clock;      /* runs done by every slot */
    struct slope_group rest[SLOPE_REST]; /* [steps left] */
#ifdef FORMULAS
    int run;                        /* steps of a run: a multiple of the phases */
    struct formula_program program; /* set for own formulas */
#endif
    struct cpu_chunk chunk; /* pixels are taken from it */
    int at, more;           /* next pixel of the chunk; 0: there are no more chunks */
};

static void slope_copy(struct slope_group *to, int i, const struct slope_group *from, int s)
{
    to->x[i] = from->x[s];
    to->y[i] = from->y[s];
    to->cx[i] = from->cx[s];
    to->cy[i] = from->cy[s];
    to->dx[i] = from->dx[s];
    to->dy[i] = from->dy[s];
#ifdef FORMULAS
    to->up_x[i] = from->up_x[s];
    to->up_y[i] = from->up_y[s];
#endif
    to->index[i] = from->index[s];
}

/* Empties slot s: z stays 0. */
static void slope_clear(struct slope_group *group, int s)
{
    group->x[s] = group->y[s] = group->cx[s] = group->cy[s] = group->dx[s] = group->dy[s] = 0;
#ifdef FORMULAS
    group->up_x[s] = group->up_y[s] = 0;
#endif
}

/* Starts pixel i of the chunk, at n = 0, in slot s. */
static void slope_start(const struct slope_worker *w, int i, struct slope_group *group, int s)
{
    const struct grid *grid = w->task->grid;
    const struct formula *formula = &w->task->spec->formula;
    double re, im;
    pixel_c(grid, grid->x + w->chunk.x + i, pixel_row(grid, w->chunk.y), &re, &im);
    int by_c = formula->plane == PARAMETER_PLANE;
    group->x[s] = by_c ? 0 : re;
    group->y[s] = by_c ? 0 : im;
    group->cx[s] = by_c ? re : formula->c_re;
    group->cy[s] = by_c ? im : formula->c_im;
    group->dx[s] = by_c ? 0 : 1;
    group->dy[s] = 0;
#ifdef FORMULAS
    group->up_x[s] = 0;
    group->up_y[s] = by_c ? 0 : 1;
#endif
    group->index[s] = w->chunk.index + (size_t)i;
}

#ifndef FORMULAS
static void slope_steps(struct slope_group *group, int64_t steps, double of_c)
{
    PACK x[PACKS], y[PACKS], dx[PACKS], dy[PACKS], one = P(splat)(of_c);
    UNROLL_PACKS
    {
        x[v] = P(load)(group->x + v * LANES);
        y[v] = P(load)(group->y + v * LANES);
        dx[v] = P(load)(group->dx + v * LANES);
        dy[v] = P(load)(group->dy + v * LANES);
    }
    for (int64_t k = 0; k < steps; k++) {
        UNROLL_PACKS
        {
            SLOPE(x[v], y[v], dx[v], dy[v], one);
            STEP(x[v], y[v], P(load)(group->cx + v * LANES), P(load)(group->cy + v * LANES));
        }
    }
    UNROLL_PACKS
    {
        P(store)(group->x + v * LANES, x[v]);
        P(store)(group->y + v * LANES, y[v]);
        P(store)(group->dx + v * LANES, dx[v]);
        P(store)(group->dy + v * LANES, dy[v]);
    }
}
#else
typedef void slope_step(PACK *x, PACK *y, PACK cx, PACK cy, struct P(tangent) * a,
                        struct P(tangent) * b);
typedef void slope_steps_function(struct slope_group *group, int64_t steps, double of_c);

static ALWAYS_INLINE void slope_steps_by(slope_step step, struct slope_group *group, int64_t steps,
                                         double of_c)
{
    PACK x[PACKS], y[PACKS], zero = P(splat)(0), one = P(splat)(of_c);
    struct P(tangent) a[PACKS], b[PACKS];
    UNROLL_PACKS
    {
        int at = v * LANES;
        x[v] = P(load)(group->x + at);
        y[v] = P(load)(group->y + at);
        a[v] = (struct P(tangent)){
            P(load)(group->dx + at), P(load)(group->dy + at), one, zero, zero, zero};
        b[v] = (struct P(tangent)){
            P(load)(group->up_x + at), P(load)(group->up_y + at), zero, one, zero, zero};
    }
    for (int64_t k = 0; k < steps; k++) {
        UNROLL_PACKS
        {
            step(&x[v], &y[v], P(load)(group->cx + v * LANES), P(load)(group->cy + v * LANES),
                 &a[v], &b[v]);
        }
    }
    UNROLL_PACKS
    {
        int at = v * LANES;
        P(store)(group->x + at, x[v]);
        P(store)(group->y + at, y[v]);
        P(store)(group->dx + at, a[v].x);
        P(store)(group->dy + at, a[v].y);
        P(store)(group->up_x + at, b[v].x);
        P(store)(group->up_y + at, b[v].y);
    }
}

#define FORMULA(name, ...)                                                                \
    static void slope_steps_##name(struct slope_group *group, int64_t steps, double of_c) \
    {                                                                                     \
        slope_steps_by(PASTE(slope_##name, PREFIX), group, steps, of_c);                  \
    }
#include "kernels/formula/formulas.inc"

#define FORMULA(name, ...) [STEP_##name] = slope_steps_##name,
static slope_steps_function *const slope_steps_of[FORMULA_STEPS] = {
#include "kernels/formula/formulas.inc"
};

/* Own formulas: an operation is a function over PACKS packs, as in cpu_own.h. */
struct slope_packs {
    PACK x[PACKS], y[PACKS], cx[PACKS], cy[PACKS], kept_x[PACKS], kept_y[PACKS];
    struct P(tangent) a[PACKS], b[PACKS];
    bool both; /* b is needed, too: the formula is not holomorphic */
};

typedef void slope_operation(struct slope_packs *state, const double *factor);

#define S(word) P(word)
#define OWN_OPERATION(name)                                                                \
    static void slope_do_##name(struct slope_packs *state, const double *factor)           \
    {                                                                                      \
        const PACK factor_x = P(splat)(factor[0]), factor_y = P(splat)(factor[1]);         \
        (void)factor_x;                                                                    \
        (void)factor_y;                                                                    \
        UNROLL_PACKS                                                                       \
        {                                                                                  \
            struct P(tangent) a = state->a[v], b = state->b[v];                            \
            PACK x_ = state->x[v], y_ = state->y[v], cx = state->cx[v], cy = state->cy[v]; \
            PACK kept_x = state->kept_x[v], kept_y = state->kept_y[v];                     \
            SLOPE_##name(a);                                                               \
            if (state->both) {                                                             \
                SLOPE_##name(b);                                                           \
            }                                                                              \
            STEP_##name;                                                                   \
            state->x[v] = x_;                                                              \
            state->y[v] = y_;                                                              \
            state->kept_x[v] = kept_x;                                                     \
            state->kept_y[v] = kept_y;                                                     \
            state->a[v] = a;                                                               \
            state->b[v] = b;                                                               \
            (void)cx;                                                                      \
            (void)cy;                                                                      \
        }                                                                                  \
    }
FORMULA_FUSED(OWN_OPERATION)
#undef OWN_OPERATION
#undef S

#define OWN_ROW(name) slope_do_##name,
static slope_operation *const slope_operations_of[FORMULA_FUSED_KINDS] = {FORMULA_FUSED(OWN_ROW)};
#undef OWN_ROW

static void slope_steps_own(const struct slope_worker *w, struct slope_group *group, int64_t steps,
                            double of_c)
{
    const struct formula_program *program = &w->program;
    struct slope_packs state = {.both = !formula_holomorphic(&w->task->spec->formula)};
    PACK zero = P(splat)(0), one = P(splat)(of_c);
    UNROLL_PACKS
    {
        int at = v * LANES;
        state.x[v] = P(load)(group->x + at);
        state.y[v] = P(load)(group->y + at);
        state.cx[v] = P(load)(group->cx + at);
        state.cy[v] = P(load)(group->cy + at);
        state.a[v] = (struct P(tangent)){
            P(load)(group->dx + at), P(load)(group->dy + at), one, zero, zero, zero};
        state.b[v] = (struct P(tangent)){
            P(load)(group->up_x + at), P(load)(group->up_y + at), zero, one, zero, zero};
    }
    for (int64_t k = 0; k < steps; k++) {
        int phase = (int)(k % program->phases);
        for (int i = phase ? program->end[phase - 1] : 0; i < program->end[phase]; i++)
            slope_operations_of[program->fused[i]](&state, program->factor[program->factor_at[i]]);
    }
    UNROLL_PACKS
    {
        int at = v * LANES;
        P(store)(group->x + at, state.x[v]);
        P(store)(group->y + at, state.y[v]);
        P(store)(group->dx + at, state.a[v].x);
        P(store)(group->dy + at, state.a[v].y);
        P(store)(group->up_x + at, state.b[v].x);
        P(store)(group->up_y + at, state.b[v].y);
    }
}

static void slope_steps_any(const struct slope_worker *w, struct slope_group *group, int64_t steps,
                            double of_c)
{
    enum formula_step step = w->task->spec->formula.step;
    if (step == STEP_OWN)
        slope_steps_own(w, group, steps, of_c);
    else
        slope_steps_of[step](group, steps, of_c);
}
#endif

/* Values for the planes, of pixels at n = count. */
static void slope_values(const struct slope_group *group, const struct cpu_task *task,
                         struct slope_ends *ends)
{
    const struct grid *grid = task->grid;
    double re = grid->step_re, im = grid->step_im;
    for (int s = 0; s < SLOTS; s++) {
        double u = group->dx[s], v = group->dy[s];
#ifdef FORMULAS
        if (!formula_holomorphic(&task->spec->formula))
            distance_slope(group->x[s], group->y[s], group->up_x[s], group->up_y[s], &u, &v);
#endif
        struct distance d =
            distance_of(group->x[s], group->y[s], fma(u, re, -(v * im)), fma(u, im, v * re), 0);
        d = distance_in_image(grid, d);
        ends->distance_x[s] = d.x;
        ends->distance_y[s] = d.y;
        ends->phase[s] = phase_of(group->x[s], group->y[s]);
    }
}

/* Takes the last `steps` of the pixels of a group, and writes them into the planes. */
static void slope_finish(struct slope_worker *w, struct slope_group *group, int steps)
{
    const struct cpu_task *task = w->task;
    struct slope_ends ends;
    for (int s = group->count; s < SLOTS; s++)
        slope_clear(group, s);
    SLOPE_STEPS(group, steps, w->one);
    slope_values(group, task, &ends);
    for (int s = 0; s < group->count && task->distance_x; s++) {
        task->distance_x[group->index[s]] = ends.distance_x[s];
        task->distance_y[group->index[s]] = ends.distance_y[s];
    }
    for (int s = 0; s < group->count && task->phase; s++)
        task->phase[group->index[s]] = ends.phase[s];
    group->count = 0;
}

/* Moves the pixel in slot s, whose whole runs are done, to those that wait for their last steps. */
static void slope_rest(struct slope_worker *w, int s)
{
    struct slope_group *rest = &w->rest[w->left[s]];
    slope_copy(rest, rest->count++, &w->slots, s);
    if (rest->count == SLOTS)
        slope_finish(w, rest, w->left[s]);
}

/* Starts the next pixel of the tile that escapes in slot s; its count, or 0: there is none. */
static int64_t slope_begin(struct slope_worker *w, int s)
{
    const struct cpu_task *task = w->task;
    for (;; w->at++) {
        if (w->at == w->chunk.length) {
            w->more = w->more && cpu_task_chunk(w->task, &w->task->next_slope, &w->chunk);
            w->at = 0;
            if (!w->more) {
                w->chunk.length = 0;
                return 0;
            }
        }
        size_t index = w->chunk.index + (size_t)w->at;
        int64_t n = task->count_32 ? task->count_32[index] : (int64_t)task->count_64[index];
        if (!n)
            continue;
        slope_start(w, w->at++, &w->slots, s);
        return n;
    }
}

/* Takes a pixel with at least a run of steps into slot s, or leaves the slot empty. */
static void slope_fill(struct slope_worker *w, int s)
{
    for (int64_t n; (n = slope_begin(w, s));) {
        w->left[s] = (int)(n % SLOPE_LENGTH);
        w->due[s] = w->clock + n / SLOPE_LENGTH;
        if (n >= SLOPE_LENGTH)
            return;
        slope_rest(w, s);
    }
    slope_clear(&w->slots, s);
    w->due[s] = INT64_MAX;
}

/* Runs until a pixel is due; 0: there are no more pixels. */
static int64_t slope_due(const struct slope_worker *w)
{
    int64_t first = INT64_MAX;
    for (int s = 0; s < SLOTS; s++)
        first = w->due[s] < first ? w->due[s] : first;
    return first == INT64_MAX ? 0 : first - w->clock;
}

/* One thread's share of a tile. */
static void slopes(struct cpu_task *task, void *memory)
{
    struct slope_worker *w = memory;
    w->task = task;
    w->one = task->spec->formula.plane == PARAMETER_PLANE;
    w->clock = w->at = w->chunk.length = 0;
    w->more = 1;
#ifdef FORMULAS
    w->run = SLOPE_RUN;
    if (task->spec->formula.step == STEP_OWN) {
        w->program = formula_program(&task->spec->formula);
        w->run = w->program.run;
    }
#endif
    for (int k = 0; k < SLOPE_LENGTH; k++)
        w->rest[k].count = 0;
    for (int s = 0; s < SLOTS; s++)
        slope_fill(w, s);
    for (int64_t most; (most = slope_due(w)) && !cpu_task_stopped(task);) {
        most = most < STOP_RUNS ? most : STOP_RUNS;
        SLOPE_STEPS(&w->slots, most * SLOPE_LENGTH, w->one);
        w->clock += most;
        for (int s = 0; s < SLOTS; s++)
            if (w->due[s] == w->clock) {
                slope_rest(w, s);
                slope_fill(w, s);
            }
    }
    for (int k = 0; k < SLOPE_LENGTH; k++)
        if (w->rest[k].count)
            slope_finish(w, &w->rest[k], k);
}
