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

WITH_PREFIX(SUMS, PACK)

struct sums_worker {
    ALIGNED double x[LANES], y[LANES], cx[LANES], cy[LANES], c_abs[LANES];
    /* Members of struct orbit_sums, each of all lanes. */
    ALIGNED double sine[LANES], last_sine[LANES], triangle[LANES], last_triangle[LANES];
    ALIGNED double point[LANES], cross[LANES], circle[LANES];
    int64_t count[LANES], left[LANES]; /* steps in all, and to take; left 0: no pixel */
    size_t index[LANES];               /* index in the tile's planes */
    struct cpu_task *task;
    struct cpu_chunk chunk; /* pixels are taken from it */
    int at, more;           /* next pixel of the chunk; 0: there are no more chunks */
    double fraction_offset;
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
    const struct orbit_sums sums = {w->sine[s],          w->last_sine[s], w->triangle[s],
                                    w->last_triangle[s], w->point[s],     w->cross[s],
                                    w->circle[s]};
    double norm = QUADRATIC_NORM(f64x1, w->x[s], w->y[s]);
    int julia = task->spec->formula.plane == DYNAMIC_PLANE;
    const struct orbit_values values =
        orbit_values_of(&sums, w->count[s], julia, norm, w->fraction_offset);
    const struct {
        float *plane, value;
    } planes[] = {{task->stripe, values.stripe},
                  {task->triangle, values.triangle},
                  {task->point, values.point},
                  {task->cross, values.cross},
                  {task->circle, values.circle}};
    for (size_t p = 0; p < sizeof planes / sizeof *planes; p++)
        if (planes[p].plane)
            planes[p].plane[w->index[s]] = planes[p].value;
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

static void sums_steps(struct sums_worker *w, const struct P(orbit_rule) * rule, int64_t steps)
{
    PACK x = P(load)(w->x), y = P(load)(w->y), cx = P(load)(w->cx), cy = P(load)(w->cy);
    PACK c_abs = P(load)(w->c_abs);
    struct P(orbit_sums) sums;
    SUMS_ALL(SUMS_LOAD);
    for (int64_t k = 0; k < steps; k++) {
        PACK from_x = x, from_y = y;
        STEP(x, y, cx, cy);
        P(orbit_add)(&sums, rule, from_x, from_y, x, y, cx, cy, c_abs);
    }
    P(store)(w->x, x);
    P(store)(w->y, y);
    SUMS_ALL(SUMS_KEEP);
}

/* One thread's share of a tile. */
static void sums(struct cpu_task *task)
{
    struct sums_worker w = {
        .task = task, .more = 1, .fraction_offset = fraction_offset(task->spec->bailout)};
    const struct P(orbit_rule) rule = P(orbit_rule_of)(task->spec);
    for (int s = 0; s < LANES; s++)
        sums_fill(&w, s);
    for (int64_t steps; (steps = sums_due(&w)) && !cpu_task_stopped(task);) {
        sums_steps(&w, &rule, steps);
        for (int s = 0; s < LANES; s++) {
            if (!w.left[s] || (w.left[s] -= steps))
                continue;
            sums_store(&w, s);
            sums_fill(&w, s);
        }
    }
}

#undef SUMS_ALL
#undef SUMS_LOAD
#undef SUMS_KEEP
