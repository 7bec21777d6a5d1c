/* The counts of a tile on the vector units of a CPU. A body: included once per real type by
 * cpu_scalar.c, cpu_avx2.c and cpu_avx512.c, after these macros; it undefines them at its end.
 *
 *     BODY, PREFIX, PACK, LANES, PACKS   see packs.h; BODY is fp64, fp32 or ds
 *     REAL          type of one lane
 *     DOUBLE_SINGLE defined: the lane is a struct ds32x1 (kernels/escape/lanes_ds.h)
 *     DIRECT_MARGIN margin of the interior tests
 *     TRAP_ROUNDING rounding error that the proofs allow for
 *     FORMULAS      defined: the body is that of all formulas, and the margin and the rounding are
 *                   not there. Two functions take steps, and are made for each formula
 *     OWN           defined with FORMULAS: own formulas, whose operations are interpreted
 *
 * A pixel's way: (0) squares of pixels are proven interior as a whole; (1) its z_0 and c, and the
 * interior tests; (2) the first RUN steps, every one tested, in packs of neighbours: most pixels
 * of shallow views end here; (3) it takes a free lane and is iterated in runs of RUN unchecked
 * steps, so that no lane idles while a neighbour needs more; (4) when a run ends beyond the
 * bailout radius, the state at its start goes to a batch that is replayed with every step tested. A
 * run's end cannot miss an escape: beyond max(2, |c|) the orbit only grows (kernels/formula.h),
 * and overflow ends in inf or NaN, which the test !(|z|^2 <= R^2) catches.
 *
 * Interior: by a trap, a box about a point of the pixel's cycle which no orbit leaves for ever,
 * where a square is not proven but its cycle is known; else by Brent: z is kept at ages 512, 1024,
 * 2048, ... and compared, bit for bit, with z at every run end. Equal states repeat for ever, so
 * this is a proof about this very arithmetic. */

#if !defined(BODY) || !defined(PREFIX) || !defined(PACK) || !defined(REAL) || !defined(LANES) || \
    !defined(PACKS) ||                                                                           \
    (!defined(FORMULAS) && (!defined(DIRECT_MARGIN) || !defined(TRAP_ROUNDING)))
#error "cpu_body.h: a macro is missing"
#endif

#include "kernels/cpu/cpu.h"
#include "kernels/escape/bend.h"
#include "kernels/escape/cycle.h"
#include "kernels/escape/fraction.h"
#include "kernels/escape/interior.h"
#include "kernels/escape/lanes_ds.h"
#include "kernels/escape/packs.h"
#include "kernels/escape/pixel.h"

/* A lane of a double, and a double of a lane. */
#ifdef DOUBLE_SINGLE
#define REAL_OF(number) ds_of(number)
#define REAL_VALUE(real) ds_value(real)
#define BODY_NORM P(norm)
#define BAILOUT_SQUARED(bailout) ds_bailout_squared(bailout)
#else
#define REAL_OF(number) ((REAL)(number))
#define REAL_VALUE(real) ((double)(real))
#define BODY_NORM NORM
#define BAILOUT_SQUARED(bailout) ((REAL)(bailout) * (REAL)(bailout))
#endif

#if defined(OWN)
#include "kernels/cpu/cpu_own.h"
#elif defined(FORMULAS)
#include "kernels/cpu/cpu_formulas.h"
#define BODY_FN static ALWAYS_INLINE
#define BODY_STEP(x, y, cx, cy) step(&(x), &(y), cx, cy)
#define OF_STEP NAME(step) step,
#define TESTED_STEPS w->kernels->tested
#define BLOCK_STEPS w->kernels->block
#define BODY_RUN RUN
/* Vector steps hide the loop, and there are 72 of these; scalar ones would take 3 % longer. */
#if LANES > 1
#define BLOCK_UNROLL _Pragma("GCC unroll 2")
#else
#define BLOCK_UNROLL _Pragma("GCC unroll 4")
#endif
#else
#include "kernels/cpu/cpu_squares.h"
#define BODY_FN static
#ifdef DOUBLE_SINGLE
#define BODY_STEP(x, y, cx, cy) P(step)(&(x), &(y), cx, cy)
#else
#define BODY_STEP STEP
#endif
#define OF_STEP
#define TESTED_STEPS NAME(tested_steps)
#define BLOCK_STEPS NAME(block_steps)
#define BLOCK_UNROLL _Pragma("GCC unroll 4")
#define BODY_RUN RUN
#endif

/* c of all packs in a step: where an instruction set has reasons, other arrays than those that were
 * loaded once (cpu_neon.c). */
#ifndef ADDENDS_LOAD
#define ADDENDS_LOAD(cx, cy)
#define ADDENDS(c) c
#endif

/* Pixels in some order, one array per quantity; there is room for a chunk and one group, of up to
 * 64 pixels. */
struct NAME(pixels) {
    ALIGNED REAL x[CHUNK + SLOTS], y[CHUNK + SLOTS], cx[CHUNK + SLOTS], cy[CHUNK + SLOTS];
    int64_t age[CHUNK + SLOTS];  /* iterations done */
    size_t index[CHUNK + SLOTS]; /* index in the tile's planes */
    int count;
};

/* One thread's state for one tile. A slot is a lane of a pack. */
struct NAME(worker) {
    struct cpu_task *task;
    REAL bailout_squared;
    uint64_t iterations;
#ifdef OWN
    int run; /* steps of a run: a multiple of the phases */
    int call_end[FORMULA_PHASES_MAX];
    struct fraction_scale scale[FORMULA_PHASES_MAX];
    struct formula_program program;
    struct NAME(call) call[FORMULA_OPERATIONS_MAX];
    struct NAME(state) state;
#elif defined(FORMULAS)
    const struct NAME(kernels) * kernels;
    struct fraction_scale scale;
#endif

    /* z of each slot at the start of the run and after it, and c: */
    ALIGNED REAL x[SLOTS], y[SLOTS], next_x[SLOTS], next_y[SLOTS], cx[SLOTS], cy[SLOTS];
    /* A box that an orbit in it never leaves for good: z kept for Brent's comparison, or a trap: */
    ALIGNED REAL least_x[SLOTS], most_x[SLOTS], least_y[SLOTS], most_y[SLOTS];
    ALIGNED int64_t birth[SLOTS]; /* clock at age 0 */
    ALIGNED int64_t due[SLOTS];   /* clock when z is to be kept or the limit comes near */
    int64_t keep_age[SLOTS];      /* age at which z is kept next */
    size_t index[SLOTS];
    uint32_t active[PACKS]; /* lanes that hold a pixel */
    int actives;
    int64_t clock;    /* unchecked iterations done by every slot since the tile began */
    int64_t next_due; /* no slot is due before */

    struct NAME(pixels) fresh;   /* one chunk, before its first step */
    struct NAME(pixels) waiting; /* pixels that have outlived the tested steps and want a slot */
    struct NAME(pixels) replay;  /* pixels that wait for a tested repetition of their last run */
};

#ifdef OWN
/* Step n: list n - 1 of those that alternate. */
static void NAME(program_step)(struct NAME(worker) * w, int n)
{
    int phase = (n - 1) % w->program.phases;
    for (int i = phase ? w->call_end[phase - 1] : 0; i < w->call_end[phase]; i++)
        w->call[i].operation(&w->state, w->call[i].factor);
}
#endif

/* Tests every step of up to RUN steps of one group of SLOTS pixels of `pixels`, from `first` on.
 * escaped_at[s] becomes the step at which slot s escaped and norms[s] its |z|^2; slots beyond
 * `used` and those that stay below get 0. The states after RUN steps (meaningless for escaped
 * slots) replace x and y. */
#ifdef OWN
static void NAME(tested_steps)(struct NAME(worker) * w, struct NAME(pixels) * pixels, int first,
                               int used, REAL bailout_squared, int32_t escaped_at[SLOTS],
                               REAL norms[SLOTS])
{
    struct NAME(state) *state = &w->state;
    PACK limit = P(splat)(bailout_squared);
    uint32_t alive[PACKS];
    for (int s = 0; s < SLOTS; s++)
        escaped_at[s] = 0;
    UNROLL_PACKS
    {
        int at = first + v * LANES;
        state->x[v] = P(load)(pixels->x + at);
        state->y[v] = P(load)(pixels->y + at);
        state->cx[v] = P(load)(pixels->cx + at);
        state->cy[v] = P(load)(pixels->cy + at);
        alive[v] = LANES_BELOW(used - v * LANES);
    }
    for (int32_t n = 1, any = 1; n <= BODY_RUN && any; n++) {
        any = 0;
        NAME(program_step)(w, n);
        for (int v = 0; v < PACKS; v++) {
            ALIGNED REAL lane_norm[LANES];
            PACK norm = BODY_NORM(state->x[v], state->y[v]);
            uint32_t escapes = alive[v] & ~P(le)(norm, limit);
            P(store)(lane_norm, norm);
            alive[v] &= ~escapes;
            for (; escapes; escapes &= escapes - 1) {
                int lane = __builtin_ctz(escapes);
                escaped_at[v * LANES + lane] = n;
                norms[v * LANES + lane] = lane_norm[lane];
            }
            any |= alive[v] != 0;
        }
    }
    UNROLL_PACKS
    {
        P(store)(pixels->x + first + v * LANES, state->x[v]);
        P(store)(pixels->y + first + v * LANES, state->y[v]);
    }
}
#else
BODY_FN void NAME(tested_steps)(OF_STEP struct NAME(pixels) * pixels, int first, int used,
                                REAL bailout_squared, int32_t escaped_at[SLOTS], REAL norms[SLOTS])
{
    PACK x[PACKS], y[PACKS], cx[PACKS], cy[PACKS], limit = P(splat)(bailout_squared);
    _Static_assert(SLOTS <= 64, "`alive` has a bit for each slot");
    uint64_t alive = ~(uint64_t)0 >> (64 - used);
    for (int s = 0; s < SLOTS; s++)
        escaped_at[s] = 0;
    UNROLL_PACKS
    {
        int at = first + v * LANES;
        x[v] = P(load)(pixels->x + at);
        y[v] = P(load)(pixels->y + at);
        cx[v] = P(load)(pixels->cx + at);
        cy[v] = P(load)(pixels->cy + at);
    }
    for (int32_t n = 1; n <= RUN && alive; n++) {
        ALIGNED REAL slot_norm[SLOTS];
        uint64_t within = 0;
        UNROLL_PACKS
        {
            BODY_STEP(x[v], y[v], cx[v], cy[v]);
            within |= (uint64_t)P(le)(BODY_NORM(x[v], y[v]), limit) << (v * LANES);
        }
        uint64_t escapes = alive & ~within;
        if (!escapes)
            continue;
        alive &= within;
        UNROLL_PACKS
        {
            P(store)(slot_norm + v * LANES, BODY_NORM(x[v], y[v]));
        }
        for (; escapes; escapes &= escapes - 1) {
            int s = __builtin_ctzll(escapes);
            escaped_at[s] = n;
            norms[s] = slot_norm[s];
        }
    }
    UNROLL_PACKS
    {
        P(store)(pixels->x + first + v * LANES, x[v]);
        P(store)(pixels->y + first + v * LANES, y[v]);
    }
}
#endif

/* Fills the group behind the last pixel with finite numbers. */
static void NAME(pixels_pad)(struct NAME(pixels) * pixels)
{
    for (int i = pixels->count; i < pixels->count + SLOTS; i++)
        pixels->x[i] = pixels->y[i] = pixels->cx[i] = pixels->cy[i] = (REAL){0};
}

static void NAME(escape_at)(struct NAME(worker) * w, size_t index, int64_t count, REAL norm)
{
    int escaped = count <= w->task->spec->limit;
    w->iterations += (uint64_t)(escaped ? count : w->task->spec->limit);
#ifdef OWN
    if (escaped)
        cpu_task_escaped(
            w->task, index, count,
            fraction_of_degree(REAL_VALUE(norm), w->scale[(count - 1) % w->program.phases]));
#elif defined(FORMULAS)
    if (escaped)
        cpu_task_escaped(w->task, index, count, fraction_of_degree(REAL_VALUE(norm), w->scale));
#else
    if (escaped)
        cpu_task_escaped(w->task, index, count, (float)REAL_VALUE(norm));
#endif
}

/* (4) Repeats the last run of the pixels in `replay` with every step tested. */
static void NAME(replay_all)(struct NAME(worker) * w)
{
    struct NAME(pixels) *replay = &w->replay;
    int32_t escaped_at[SLOTS];
    REAL norms[SLOTS];
    NAME(pixels_pad)(replay);
    for (int first = 0; first < replay->count; first += SLOTS) {
        int used = replay->count - first < SLOTS ? replay->count - first : SLOTS;
        TESTED_STEPS(replay, first, used, w->bailout_squared, escaped_at, norms);
        for (int s = 0; s < used; s++) {
            int i = first + s;
            if (escaped_at[s])
                NAME(escape_at)(w, replay->index[i], replay->age[i] + escaped_at[s], norms[s]);
            else /* it reached the limit */
                w->iterations += (uint64_t)w->task->spec->limit;
        }
    }
    replay->count = 0;
}

/* (1) Begins a chunk: z_0, c and the interior tests; pixels not surely interior go to `fresh`. */
static void NAME(chunk_begin)(struct NAME(worker) * w, const struct cpu_chunk *chunk)
{
    const struct grid *grid = w->task->grid;
    const struct formula *formula = &w->task->spec->formula;
    struct NAME(pixels) *fresh = &w->fresh;
    int of_c = formula->plane == PARAMETER_PLANE;
#ifdef FORMULAS
    int test = 0;
#else
    int test = of_c && w->task->spec->shortcuts == SHORTCUTS_ON;
#endif
    REAL at_x[CHUNK], at_y[CHUNK];
    uint8_t inside[CHUNK];
    for (int i = 0; i < chunk->length; i++) {
        double re, im;
        pixel_c(grid, grid->x + chunk->x + i, pixel_row(grid, chunk->y), &re, &im);
        at_x[i] = REAL_OF(re);
        at_y[i] = REAL_OF(im);
#ifdef FORMULAS
        inside[i] = 0;
#else
        inside[i] = (uint8_t)(test & interior_surely(REAL_VALUE(at_x[i]), REAL_VALUE(at_y[i]),
                                                     DIRECT_MARGIN));
#endif
    }
    if (test)
        cpu_task_mark(w->task, chunk, inside);
    REAL *pixel_x = of_c ? fresh->cx : fresh->x, *pixel_y = of_c ? fresh->cy : fresh->y;
    REAL *same_x = of_c ? fresh->x : fresh->cx, *same_y = of_c ? fresh->y : fresh->cy;
    int count = 0;
    for (int i = 0; i < chunk->length; i++) {
        pixel_x[count] = at_x[i];
        pixel_y[count] = at_y[i];
        fresh->index[count] = chunk->index + (size_t)i;
        count += !inside[i];
    }
    fresh->count = count;
    for (int i = 0; i < count; i++) {
        same_x[i] = of_c ? (REAL){0} : REAL_OF(formula->c_re);
        same_y[i] = of_c ? (REAL){0} : REAL_OF(formula->c_im);
    }
    NAME(pixels_pad)(fresh);
}

/* (2) Takes the first RUN steps of the pixels in `fresh`; survivors go to `waiting`. */
static void NAME(chunk_first_steps)(struct NAME(worker) * w)
{
    struct NAME(pixels) *fresh = &w->fresh, *waiting = &w->waiting;
    int32_t escaped_at[SLOTS];
    REAL norms[SLOTS];
    for (int first = 0; first < fresh->count; first += SLOTS) {
        int used = fresh->count - first < SLOTS ? fresh->count - first : SLOTS;
        TESTED_STEPS(fresh, first, used, w->bailout_squared, escaped_at, norms);
        for (int s = 0; s < used; s++) {
            int i = first + s, to = waiting->count;
            if (escaped_at[s]) {
                NAME(escape_at)(w, fresh->index[i], escaped_at[s], norms[s]);
            } else if (w->task->spec->limit <= BODY_RUN) {
                w->iterations += (uint64_t)w->task->spec->limit;
            } else {
                waiting->x[to] = fresh->x[i];
                waiting->y[to] = fresh->y[i];
                waiting->cx[to] = fresh->cx[i];
                waiting->cy[to] = fresh->cy[i];
                waiting->index[to] = fresh->index[i];
                waiting->count++;
            }
        }
    }
}

/* Sets when a slot is due next: to keep z, or because a whole run no longer fits before the limit.
 * It may be handled later than that; steps beyond the limit are done for nothing, but no count
 * above the limit is ever recorded. */
static void NAME(slot_schedule)(struct NAME(worker) * w, int s)
{
    int64_t last = w->task->spec->limit - BODY_RUN + 1;
    int64_t age = w->keep_age[s] < last ? w->keep_age[s] : last, birth = w->birth[s];
    w->due[s] = birth > INT64_MAX - age ? INT64_MAX : birth + age;
    if (w->due[s] < w->next_due)
        w->next_due = w->due[s];
}

/* Keeps z for Brent's comparison. */
static void NAME(slot_keep)(struct NAME(worker) * w, int s, REAL x, REAL y)
{
    w->least_x[s] = w->most_x[s] = x;
    w->least_y[s] = w->most_y[s] = y;
}

/* Sets the box that ends the pixel of slot s: its trap, if there is one, else a z that is kept
 * later. */
static void NAME(slot_watch)(struct NAME(worker) * w, int s)
{
    const struct cpu_task *task = w->task;
    const struct cpu_trap *trap = task->any_trap ? cpu_task_trap(task, w->index[s]) : NULL;
    w->keep_age[s] = task->spec->shortcuts == SHORTCUTS_ON ? FIRST_KEEP_AGE : INT64_MAX;
    NAME(slot_keep)(w, s, REAL_OF(INFINITY), REAL_OF(INFINITY)); /* equals nothing still iterated */
    if (!trap)
        return;
    double u = REAL_VALUE(w->cx[s]) - trap->cx, v = REAL_VALUE(w->cy[s]) - trap->cy;
    double x = trap->x + (trap->dx * u - trap->dy * v), y = trap->y + (trap->dx * v + trap->dy * u);
    w->keep_age[s] = TRAP_AGE;
    w->least_x[s] = REAL_OF(x - trap->half);
    w->most_x[s] = REAL_OF(x + trap->half);
    w->least_y[s] = REAL_OF(y - trap->half);
    w->most_y[s] = REAL_OF(y + trap->half);
}

/* Takes a pixel from `waiting` into slot s, or leaves the slot empty. */
static void NAME(slot_fill)(struct NAME(worker) * w, int s)
{
    struct NAME(pixels) *waiting = &w->waiting;
    uint32_t bit = 1u << s % LANES;
    if (!waiting->count) {
        w->actives -= (w->active[s / LANES] & bit) != 0;
        w->active[s / LANES] &= ~bit;
        w->next_x[s] = w->next_y[s] = w->cx[s] = w->cy[s] = (REAL){0};
        w->due[s] = INT64_MAX;
        return;
    }
    int i = --waiting->count;
    w->actives += (w->active[s / LANES] & bit) == 0;
    w->active[s / LANES] |= bit;
    w->next_x[s] = waiting->x[i];
    w->next_y[s] = waiting->y[i];
    w->cx[s] = waiting->cx[i];
    w->cy[s] = waiting->cy[i];
    w->index[s] = waiting->index[i];
    w->birth[s] = w->clock - BODY_RUN;
    NAME(slot_watch)(w, s);
    NAME(slot_schedule)(w, s);
}

/* Sends slot s to the replay from state (x, y) at `clock`, and takes the next pixel. */
static void NAME(slot_replay)(struct NAME(worker) * w, int s, REAL x, REAL y, int64_t clock)
{
    struct NAME(pixels) *replay = &w->replay;
    int i = replay->count++;
    replay->x[i] = x;
    replay->y[i] = y;
    replay->cx[i] = w->cx[s];
    replay->cy[i] = w->cy[s];
    replay->age[i] = clock - w->birth[s];
    replay->index[i] = w->index[s];
    if (replay->count == CHUNK)
        NAME(replay_all)(w);
    NAME(slot_fill)(w, s);
}

/* (3) Takes RUN unchecked steps in every slot. escapes[v] and repeats[v] become the lanes of pack v
 * that ended beyond the bailout radius, or at the kept z. */
#ifdef OWN
static void NAME(block_steps)(struct NAME(worker) * w, uint32_t escapes[PACKS],
                              uint32_t repeats[PACKS])
{
    struct NAME(state) *state = &w->state;
    int calls = w->call_end[w->program.phases - 1];
    PACK limit = P(splat)(w->bailout_squared);
    UNROLL_PACKS
    {
        state->x[v] = P(load)(w->x + v * LANES);
        state->y[v] = P(load)(w->y + v * LANES);
        state->cx[v] = P(load)(w->cx + v * LANES);
        state->cy[v] = P(load)(w->cy + v * LANES);
    }
    for (int n = 0; n < w->run; n += w->program.phases) /* all lists, one behind the other */
        for (int i = 0; i < calls; i++)
            w->call[i].operation(state, w->call[i].factor);
    UNROLL_PACKS
    {
        PACK x = state->x[v], y = state->y[v];
        P(store)(w->next_x + v * LANES, x);
        P(store)(w->next_y + v * LANES, y);
        escapes[v] = w->active[v] & ~P(le)(BODY_NORM(x, y), limit);
        repeats[v] = w->active[v] & P(le)(P(load)(w->least_x + v * LANES), x) &
                     P(le)(x, P(load)(w->most_x + v * LANES)) &
                     P(le)(P(load)(w->least_y + v * LANES), y) &
                     P(le)(y, P(load)(w->most_y + v * LANES));
    }
}
#else
BODY_FN void NAME(block_steps)(OF_STEP struct NAME(worker) * w, uint32_t escapes[PACKS],
                               uint32_t repeats[PACKS])
{
    PACK x[PACKS], y[PACKS], cx[PACKS], cy[PACKS], limit = P(splat)(w->bailout_squared);
    UNROLL_PACKS
    {
        x[v] = P(load)(w->x + v * LANES);
        y[v] = P(load)(w->y + v * LANES);
        cx[v] = P(load)(w->cx + v * LANES);
        cy[v] = P(load)(w->cy + v * LANES);
    }
    for (int n = 0; n < RUN; n += 4) {
        BLOCK_UNROLL for (int k = 0; k < 4; k++)
        {
            ADDENDS_LOAD(cx, cy)
            UNROLL_PACKS
            {
                BODY_STEP(x[v], y[v], ADDENDS(cx)[v], ADDENDS(cy)[v]);
            }
        }
    }
    UNROLL_PACKS
    {
        P(store)(w->next_x + v * LANES, x[v]);
        P(store)(w->next_y + v * LANES, y[v]);
        escapes[v] = w->active[v] & ~P(le)(BODY_NORM(x[v], y[v]), limit);
        repeats[v] = w->active[v] & P(le)(P(load)(w->least_x + v * LANES), x[v]) &
                     P(le)(x[v], P(load)(w->most_x + v * LANES)) &
                     P(le)(P(load)(w->least_y + v * LANES), y[v]) &
                     P(le)(y[v], P(load)(w->most_y + v * LANES));
    }
}
#endif

#if defined(FORMULAS) && !defined(OWN)
#define FORMULA(name, ...)                                                                     \
    static void NAME(tested_##name)(struct NAME(pixels) * pixels, int first, int used,         \
                                    REAL bailout_squared, int32_t *escaped_at, REAL *norms)    \
    {                                                                                          \
        NAME(tested_steps)                                                                     \
        (PASTE(step_##name, PREFIX), pixels, first, used, bailout_squared, escaped_at, norms); \
    }                                                                                          \
    static void NAME(block_##name)(struct NAME(worker) * w, uint32_t * escapes,                \
                                   uint32_t * repeats)                                         \
    {                                                                                          \
        NAME(block_steps)(PASTE(step_##name, PREFIX), w, escapes, repeats);                    \
    }
#include "kernels/formula/formulas.inc"

#define FORMULA(name, ...) [STEP_##name] = {NAME(tested_##name), NAME(block_##name)},
static const struct NAME(kernels) NAME(kernels_of)[FORMULA_STEPS] = {
#include "kernels/formula/formulas.inc"
};
#endif

/* Handles slots that are due: keeps z for Brent, or hands the last steps before the limit to the
 * replay, which stops at the limit. */
static void NAME(slots_due)(struct NAME(worker) * w)
{
    w->next_due = INT64_MAX;
    for (int s = 0; s < SLOTS; s++) {
        if (w->due[s] > w->clock) {
            if (w->due[s] < w->next_due)
                w->next_due = w->due[s];
            continue;
        }
        int64_t age = w->clock - w->birth[s];
        if (age > w->task->spec->limit - BODY_RUN) {
            NAME(slot_replay)(w, s, w->next_x[s], w->next_y[s], w->clock);
            continue;
        }
        if (age >= w->keep_age[s]) {
            NAME(slot_keep)(w, s, w->next_x[s], w->next_y[s]);
            w->keep_age[s] = age < INT64_MAX / 2 ? 2 * age : INT64_MAX;
        }
        NAME(slot_schedule)(w, s);
    }
}

/* Takes one run in all slots and takes out the pixels that it finished. */
static void NAME(slots_run)(struct NAME(worker) * w)
{
    uint32_t escapes[PACKS], repeats[PACKS];
    memcpy(w->x, w->next_x, sizeof w->x);
    memcpy(w->y, w->next_y, sizeof w->y);
    BLOCK_STEPS(w, escapes, repeats);
    int64_t before = w->clock;
    w->clock += BODY_RUN;
    for (int v = 0; v < PACKS; v++) {
        for (uint32_t set = escapes[v]; set; set &= set - 1) {
            int s = v * LANES + __builtin_ctz(set);
            NAME(slot_replay)(w, s, w->x[s], w->y[s], before);
        }
        for (uint32_t set = repeats[v] & ~escapes[v]; set; set &= set - 1) {
            int s = v * LANES + __builtin_ctz(set);
            w->iterations += (uint64_t)(w->clock - w->birth[s]);
            NAME(slot_fill)(w, s);
        }
    }
    if (w->clock >= w->next_due && w->clock % (DUE_RUNS * BODY_RUN) == 0)
        NAME(slots_due)(w);
}

#ifdef OWN
static void NAME(program_take)(struct NAME(worker) * w, const struct formula *formula,
                               double bailout)
{
    w->program = formula_program(formula);
    w->run = w->program.run;
    NAME(calls_make)(w->call, w->call_end, &w->program);
    for (int p = 0; p < w->program.phases; p++)
        w->scale[p] = fraction_scale(bailout, formula_fraction_base(formula, p + 1, bailout));
}
#endif

/* One thread's share of a tile: takes chunks until there are none, then empties the slots. */
static void NAME(work)(struct cpu_task *task, void *memory)
{
    struct NAME(worker) *w = memory;
    *w = (struct NAME(worker)){.task = task, .next_due = INT64_MAX};
    w->bailout_squared = BAILOUT_SQUARED(task->spec->bailout);
#ifdef OWN
    NAME(program_take)(w, &task->spec->formula, task->spec->bailout);
#elif defined(FORMULAS)
    const struct formula *formula = &task->spec->formula;
    w->kernels = &NAME(kernels_of)[formula->step];
    w->scale = fraction_scale(task->spec->bailout, formula_degree(formula));
#endif
    for (int s = 0; s < SLOTS; s++)
        w->due[s] = INT64_MAX;
    int more = 1;
    struct cpu_chunk chunk;
    do {
        while (more && w->waiting.count < SLOTS) {
            more = cpu_task_chunk(task, &task->next, &chunk);
            if (!more)
                break;
            NAME(chunk_begin)(w, &chunk);
            NAME(chunk_first_steps)(w);
        }
        for (int s = 0; s < SLOTS && w->waiting.count && w->actives < SLOTS; s++)
            if (!(w->active[s / LANES] & 1u << s % LANES))
                NAME(slot_fill)(w, s);
        for (int64_t runs = 0; w->actives && (!more || w->waiting.count); runs++) {
            NAME(slots_run)(w);
            if (runs % STOP_RUNS == 0 && cpu_task_stopped(task))
                return;
        }
    } while (more);
    NAME(replay_all)(w);
    cpu_task_iterations(task, w->iterations);
}

#ifndef FORMULAS
/* Takes the same unchecked steps and nothing else; *sink keeps the compiler from dropping them. */
static uint64_t NAME(ceiling)(uint64_t runs, double *sink)
{
    PACK x[PACKS], y[PACKS], cx[PACKS], cy[PACKS];
    UNROLL_PACKS
    {
        x[v] = y[v] = P(splat)(REAL_OF(0));
        cx[v] = P(splat)(REAL_OF(-0.1 - 0.01 * v));
        cy[v] = P(splat)(REAL_OF(0.1));
    }
    for (uint64_t b = 0; b < runs; b++)
        for (int n = 0; n < RUN; n += 4) {
            _Pragma("GCC unroll 4") for (int k = 0; k < 4; k++)
            {
                ADDENDS_LOAD(cx, cy)
                UNROLL_PACKS
                {
                    BODY_STEP(x[v], y[v], ADDENDS(cx)[v], ADDENDS(cy)[v]);
                }
            }
        }
    ALIGNED REAL lanes[LANES];
    UNROLL_PACKS
    {
        P(store)(lanes, P(add)(x[v], y[v]));
        *sink += REAL_VALUE(lanes[0]);
    }
    return runs * RUN * SLOTS;
}
#endif

#undef BODY
#undef PREFIX
#undef PACK
#undef REAL
#undef LANES
#undef PACKS
#undef DIRECT_MARGIN
#undef TRAP_ROUNDING
#undef BODY_FN
#undef BODY_STEP
#undef OF_STEP
#undef TESTED_STEPS
#undef BLOCK_STEPS
#undef BLOCK_UNROLL
#undef BODY_RUN
#undef BODY_NORM
#undef REAL_OF
#undef REAL_VALUE
#undef BAILOUT_SQUARED
#undef DOUBLE_SINGLE
#undef OWN
