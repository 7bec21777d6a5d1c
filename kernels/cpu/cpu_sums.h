/* Averages and traps along the orbits of the pixels of a tile whose counts n are known, on the
 * vector units of a CPU (kernels/escape/orbit_sums.h). A body: included once per instruction set,
 * behind cpu_slopes.h and with its macros.
 *
 * A pixel takes a free lane and is followed for exactly n steps; nothing is tested but for how many
 * steps the nearest end is away. Pixels that do not escape cost nothing. */
#if !defined(PREFIX) || !defined(PACK) || !defined(LANES)
#error "cpu_sums.h: a macro is missing"
#endif

#include "kernels/cpu/cpu.h"
#include "kernels/escape/orbit_sums.h"
#include "kernels/escape/packs.h"
#include "kernels/escape/pixel.h"

#if LANES > 1
WITH_PREFIX(SUMS, PACK)
#endif

#define STEPS_OF_OPERATIONS
#define STEP_FN static ALWAYS_INLINE
#define PROGRAM_FN static inline
#include "kernels/formula/program_step.h"

struct sums_worker {
    ALIGNED double x[LANES], y[LANES], cx[LANES], cy[LANES], c_abs[LANES];
    /* Members of the sums, each of all lanes. */
    ALIGNED double sine[LANES], last_sine[LANES], triangle[LANES], last_triangle[LANES];
    ALIGNED double point[LANES], cross[LANES], circle[LANES];
    int64_t count[LANES], left[LANES]; /* steps in all, and to take; left 0: no pixel */
    size_t index[LANES];               /* index in the tile's planes */
    struct cpu_task *task;
    struct cpu_chunk chunk; /* pixels are taken from it */
    int at, more;           /* next pixel of the chunk; 0: there are no more chunks */
    double fraction_offset; /* constant of fractions of z^2 + c */
    struct fraction_scale scale[FORMULA_PHASES_MAX]; /* constants of those of lists, by phase */
    struct formula_program program;                  /* lists; no phases: z^2 + c */
    int phase;                                       /* phase of the next step of all lanes */
};

/* Begins pixel i of the chunk, which escapes at n, in a lane. */
static void sums_start(struct sums_worker *w, int i, int64_t n, int lane)
{
    const struct grid *grid = w->task->grid;
    const struct formula *formula = &w->task->spec->formula;
    double re, im;
    pixel_c(grid, grid->x + w->chunk.x + i, pixel_row(grid, w->chunk.y), &re, &im);
    int by_c = formula->plane == PARAMETER_PLANE;
    w->x[lane] = by_c ? 0 : re;
    w->y[lane] = by_c ? 0 : im;
    w->cx[lane] = by_c ? re : formula->c_re;
    w->cy[lane] = by_c ? im : formula->c_im;
    w->c_abs[lane] = sqrt(fma(w->cx[lane], w->cx[lane], w->cy[lane] * w->cy[lane]));
    w->sine[lane] = w->last_sine[lane] = w->triangle[lane] = w->last_triangle[lane] = 0;
    w->point[lane] = w->cross[lane] = w->circle[lane] = SUMS_FAR;
    w->count[lane] = w->left[lane] = n;
    w->index[lane] = w->chunk.index + (size_t)i;
}

/* Takes the next pixel of the tile that escapes into a lane, or leaves z = 0 there. */
static void sums_fill(struct sums_worker *w, int lane)
{
    const struct cpu_task *task = w->task;
    for (;; w->at++) {
        if (w->at == w->chunk.length) {
            w->more = w->more && cpu_task_chunk(w->task, &w->task->next_sums, &w->chunk);
            w->at = 0;
            if (!w->more)
                break;
        }
        size_t index = w->chunk.index + (size_t)w->at;
        int64_t n = task->count_32 ? task->count_32[index] : (int64_t)task->count_64[index];
        if (!n)
            continue;
        sums_start(w, w->at++, n, lane);
        return;
    }
    w->chunk.length = 0;
    w->left[lane] = 0;
    w->x[lane] = w->y[lane] = w->cx[lane] = w->cy[lane] = w->c_abs[lane] = 0;
}

/* Writes the pixel of a lane into the planes. */
static void sums_store(const struct sums_worker *w, int s)
{
    const struct cpu_task *task = w->task;
    const struct f64x1_orbit_sums sums = {w->sine[s],          w->last_sine[s], w->triangle[s],
                                          w->last_triangle[s], w->point[s],     w->cross[s],
                                          w->circle[s]};
    double norm = QUADRATIC_NORM(f64x1, w->x[s], w->y[s]);
    int julia = task->spec->formula.plane == DYNAMIC_PLANE;
    double fraction =
        w->program.phases
            ? fraction_of_degree(norm, w->scale[(w->count[s] - 1) % w->program.phases])
            : fraction_of((float)norm, w->fraction_offset);
    const struct orbit_values values = orbit_values_of(&sums, w->count[s], julia, fraction);
    for (int p = 0; p < ORBIT_PLANES; p++)
        if (task->orbit[p])
            task->orbit[p][w->index[s]] = values.of[p];
}

/* Steps to the nearest end of an orbit, and no more than STOP_RUNS runs; 0: there are no pixels. */
static int64_t sums_due(const struct sums_worker *w)
{
    int64_t most = INT64_MAX;
    for (int s = 0; s < LANES; s++)
        most = w->left[s] && w->left[s] < most ? w->left[s] : most;
    return most == INT64_MAX ? 0 : most < STOP_RUNS * RUN ? most : STOP_RUNS * RUN;
}

#define SUMS_ALL(verb)   \
    verb(sine);          \
    verb(last_sine);     \
    verb(triangle);      \
    verb(last_triangle); \
    verb(point);         \
    verb(cross);         \
    verb(circle)
#define SUMS_LOAD(member) sums.member = P(load)(w->member)
#define SUMS_KEEP(member) P(store)(w->member, sums.member)

/* lists: a constant, whether the formula is not z^2 + c. */
static ALWAYS_INLINE void sums_steps(struct sums_worker *w, const struct P(orbit_rule) * rule,
                                     int64_t steps, int lists)
{
    PACK x = P(load)(w->x), y = P(load)(w->y), cx = P(load)(w->cx), cy = P(load)(w->cy);
    PACK c_abs = P(load)(w->c_abs);
    struct P(orbit_sums) sums;
    SUMS_ALL(SUMS_LOAD);
    for (int64_t k = 0; k < steps; k++) {
        const struct P(orbit_bounds) bounds =
            lists ? P(program_bounds)(&w->program, w->phase, rule, x, y, cx, cy, c_abs)
                  : P(orbit_square)(rule, x, y, cx, cy, c_abs);
        if (lists) {
            P(program_step)(&w->program, w->phase, &x, &y, cx, cy);
            w->phase = w->phase + 1 < w->program.phases ? w->phase + 1 : 0;
        } else
            STEP(x, y, cx, cy);
        P(orbit_add)(&sums, rule, bounds, x, y);
    }
    P(store)(w->x, x);
    P(store)(w->y, y);
    SUMS_ALL(SUMS_KEEP);
}

/* Takes the formula, unless it is z^2 + c. */
static void sums_program(struct sums_worker *w, const struct spec *spec)
{
    if (formula_quadratic(&spec->formula))
        return;
    w->program = formula_program(&spec->formula);
    for (int p = 0; p < w->program.phases; p++)
        w->scale[p] = fraction_scale(spec->bailout,
                                     formula_fraction_base(&spec->formula, p + 1, spec->bailout));
}

/* Takes pixels into all lanes; those of lists that alternate begin together, in one phase. */
static void sums_fill_all(struct sums_worker *w)
{
    w->phase = 0;
    for (int s = 0; s < LANES; s++)
        sums_fill(w, s);
}

/* One thread's share of a tile. */
static void sums(struct cpu_task *task)
{
    struct sums_worker w = {
        .task = task, .more = 1, .fraction_offset = fraction_offset(task->spec->bailout)};
    const struct P(orbit_rule) rule = P(orbit_rule_of)(task->spec);
    sums_program(&w, task->spec);
    int alternate = w.program.phases > 1;
    sums_fill_all(&w);
    for (int64_t steps; (steps = sums_due(&w)) && !cpu_task_stopped(task);) {
        if (w.program.phases)
            sums_steps(&w, &rule, steps, 1);
        else
            sums_steps(&w, &rule, steps, 0);
        for (int s = 0; s < LANES; s++) {
            if (!w.left[s] || (w.left[s] -= steps))
                continue;
            sums_store(&w, s);
            if (!alternate)
                sums_fill(&w, s);
        }
        if (alternate && !sums_due(&w))
            sums_fill_all(&w);
    }
}

#undef SUMS_ALL
#undef SUMS_LOAD
#undef SUMS_KEEP
