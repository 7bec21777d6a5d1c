/* Fields of formulas that divide or converge, on the vector units of a CPU. A body: included once
 * per instruction set, after these macros.
 *
 *     PREFIX, PACK, LANES   packs of doubles, see packs.h
 *     PACKS                 packs at a time
 *
 * Every step is tested, since an orbit that is slow near an attracting point may be farther from it
 * later. A thread has a list of pixels and takes all of them a run of steps on, group by group,
 * then closes the gaps of those that ended and takes more chunks as long as there is room: lanes
 * idle at most for the rest of a run, which is longer where pixels are old, since few of them end.
 * Where distances or phases are wanted, the derivative is computed, too. */
#if !defined(PREFIX) || !defined(PACK) || !defined(LANES) || !defined(PACKS)
#error "cpu_rational.h: a macro is missing"
#endif

#include "kernels/always_inline.h"
#include "kernels/cpu/cpu.h"
#include "kernels/escape/packs.h"
#include "kernels/escape/pixel.h"
#include "kernels/formula/rational_end.h"

#define STEP_FN static ALWAYS_INLINE
#include "kernels/formula/rational_steps.h"

enum {
    LONG_RUN = 4 * RUN,
    PIXELS_LEAST = CHUNK / 2,                  /* the list takes a chunk when it has no more */
    PIXELS_MOST = PIXELS_LEAST + CHUNK + SLOTS /* a group may go over the end */
};

struct rational_pixels {
    ALIGNED double x[PIXELS_MOST], y[PIXELS_MOST], last_x[PIXELS_MOST], last_y[PIXELS_MOST];
    ALIGNED double dx[PIXELS_MOST], dy[PIXELS_MOST], last_dx[PIXELS_MOST], last_dy[PIXELS_MOST];
    ALIGNED double cx[PIXELS_MOST], cy[PIXELS_MOST];
    ALIGNED double before[PIXELS_MOST];      /* |w|^2 of the last step */
    struct rational_state kept[PIXELS_MOST]; /* kept for Brent's comparison */
    int64_t keep_at[PIXELS_MOST];            /* age at which the state is kept next */
    int64_t age[PIXELS_MOST];                /* steps taken */
    size_t index[PIXELS_MOST];               /* index in the tile's planes */
    int count;
};

struct rational_group_ends {
    int32_t at[SLOTS]; /* step of the run; 0: not over */
    struct rational_slope end[SLOTS];
    double before[SLOTS];
};

typedef void rational_run(struct rational_pixels *pixels, int first, int used, int32_t steps,
                          double bailout, double of_c, struct rational_group_ends *ends);

struct rational_worker {
    struct cpu_task *task;
    const struct rational_kind *kind;
    rational_run *run;
    uint64_t iterations;
    struct rational_pixels pixels;
};

typedef void rational_step(struct P(orbit) * z, PACK cx, PACK cy, PACK of_c);

/* Stores the lanes of a pack that are over. */
static void rational_ended(const struct P(orbit) * z, PACK before, uint32_t over, int v, int32_t n,
                           struct rational_group_ends *ends)
{
    ALIGNED double lane[9][LANES];
    const PACK all[] = {z->x,  z->y,       z->last_x,  z->last_y, z->dx,
                        z->dy, z->last_dx, z->last_dy, before};
    for (int i = 0; i < 9; i++)
        P(store)(lane[i], all[i]);
    for (; over; over &= over - 1) {
        int l = __builtin_ctz(over), s = v * LANES + l;
        ends->at[s] = n;
        ends->end[s] = (struct rational_slope){{lane[0][l], lane[1][l], lane[2][l], lane[3][l]},
                                               lane[4][l],
                                               lane[5][l],
                                               lane[6][l],
                                               lane[7][l]};
        ends->before[s] = lane[8][l];
    }
}

/* Takes a step of all packs. Are all within the limit? The sum of the norms is tested: it bounds
 * each, and one test is cheaper than one for each pack. */
static ALWAYS_INLINE bool rational_all_below(rational_step step, struct P(orbit) z[PACKS],
                                             const PACK cx[PACKS], const PACK cy[PACKS], PACK of,
                                             PACK limit)
{
    PACK sum = P(splat)(0);
    UNROLL_PACKS
    {
        step(&z[v], cx[v], cy[v], of);
        sum = P(fma)(z[v].x, z[v].x, P(fma)(z[v].y, z[v].y, sum));
    }
    return P(le)(sum, limit) == LANES_BELOW(LANES);
}

/* Takes up to `steps` steps of one group of pixels, from `first` on; slots beyond `used` are
 * empty. */
static ALWAYS_INLINE void rational_run_by(rational_step step, const enum rational_ends way,
                                          const int escapes, struct rational_pixels *pixels,
                                          int first, int used, int32_t steps, double bailout,
                                          double of_c, struct rational_group_ends *ends)
{
    struct P(orbit) z[PACKS];
    PACK cx[PACKS], cy[PACKS], was[PACKS], one = P(splat)(1), of = P(splat)(of_c);
    const PACK square = P(splat)(bailout * bailout);
    const PACK limit = escapes ? square : P(splat)(RATIONAL_INFINITE);
    uint32_t alive[PACKS], any = 1;
    UNROLL_PACKS
    {
        int at = first + v * LANES;
        z[v] = (struct P(orbit)){P(load)(pixels->x + at),       P(load)(pixels->y + at),
                                 P(load)(pixels->last_x + at),  P(load)(pixels->last_y + at),
                                 P(load)(pixels->dx + at),      P(load)(pixels->dy + at),
                                 P(load)(pixels->last_dx + at), P(load)(pixels->last_dy + at)};
        cx[v] = P(load)(pixels->cx + at);
        cy[v] = P(load)(pixels->cy + at);
        was[v] = P(load)(pixels->before + at);
        alive[v] = LANES_BELOW(used - v * LANES);
    }
    memset(ends->at, 0, sizeof ends->at);
    for (int32_t n = 1; n <= steps && any; n++) {
        if (way == ENDS_NEVER && rational_all_below(step, z, cx, cy, of, limit))
            continue;
        any = 0;
        UNROLL_PACKS
        {
            if (way != ENDS_NEVER)
                step(&z[v], cx[v], cy[v], of);
            uint32_t over = ~P(le)(NORM(z[v].x, z[v].y), limit);
            PACK before = was[v];
            if (way != ENDS_NEVER) {
                PACK x = P(sub)(z[v].x, way == ENDS_AT_ONE ? one : z[v].last_x);
                PACK y = way == ENDS_AT_ONE ? z[v].y : P(sub)(z[v].y, z[v].last_y);
                was[v] = NORM(x, y);
                over |= P(le)(P(mul)(was[v], square), one);
            }
            over &= alive[v];
            alive[v] &= ~over;
            any |= alive[v];
            if (over) {
                struct P(orbit) ended = z[v]; /* so that z itself stays in registers */
                rational_ended(&ended, before, over, v, n, ends);
            }
        }
    }
    UNROLL_PACKS
    {
        int at = first + v * LANES;
        P(store)(pixels->x + at, z[v].x);
        P(store)(pixels->y + at, z[v].y);
        P(store)(pixels->last_x + at, z[v].last_x);
        P(store)(pixels->last_y + at, z[v].last_y);
        P(store)(pixels->dx + at, z[v].dx);
        P(store)(pixels->dy + at, z[v].dy);
        P(store)(pixels->last_dx + at, z[v].last_dx);
        P(store)(pixels->last_dy + at, z[v].last_dy);
        P(store)(pixels->before + at, was[v]);
    }
}

#define NEVER ENDS_NEVER
#define AT_REST ENDS_AT_REST
#define AT_ONE ENDS_AT_ONE
#define RATIONAL(name, home, begins, has_c, escapes, way, ...)                                   \
    static ALWAYS_INLINE void plain_##name(struct P(orbit) * z, PACK cx, PACK cy, PACK of_c)     \
    {                                                                                            \
        (void)of_c;                                                                              \
        PASTE(step_##name, PREFIX)(z, cx, cy);                                                   \
    }                                                                                            \
    static void run_##name(struct rational_pixels *pixels, int first, int used, int32_t steps,   \
                           double bailout, double of_c, struct rational_group_ends *ends)        \
    {                                                                                            \
        rational_run_by(plain_##name, way, escapes, pixels, first, used, steps, bailout, of_c,   \
                        ends);                                                                   \
    }                                                                                            \
    static void slope_##name(struct rational_pixels *pixels, int first, int used, int32_t steps, \
                             double bailout, double of_c, struct rational_group_ends *ends)      \
    {                                                                                            \
        rational_run_by(PASTE(slope_##name, PREFIX), way, escapes, pixels, first, used, steps,   \
                        bailout, of_c, ends);                                                    \
    }
#include "kernels/formula/rational.inc"

#define RATIONAL(name, ...) {run_##name, slope_##name},
static rational_run *const rational_runs[FORMULA_ROWS - FORMULA_STEPS][2] = {
#include "kernels/formula/rational.inc"
};

/* Appends the pixels of a chunk, at n = 0, to the list. */
static void rational_take(struct rational_worker *w, const struct cpu_chunk *chunk)
{
    const struct grid *grid = w->task->grid;
    const struct formula *formula = &w->task->spec->formula;
    struct rational_pixels *pixels = &w->pixels;
    bool shortcuts = w->task->spec->shortcuts == SHORTCUTS_ON;
    for (int k = 0; k < chunk->length; k++) {
        double re, im;
        int i = pixels->count++;
        pixel_c(grid, grid->x + chunk->x + k, pixel_row(grid, chunk->y), &re, &im);
        struct rational_begin begin = rational_begin(formula, re, im);
        pixels->x[i] = begin.z.x;
        pixels->y[i] = begin.z.y;
        pixels->last_x[i] = pixels->last_y[i] = 0;
        pixels->cx[i] = begin.cx;
        pixels->cy[i] = begin.cy;
        pixels->dx[i] = formula->plane == DYNAMIC_PLANE;
        pixels->dy[i] = pixels->last_dx[i] = pixels->last_dy[i] = 0;
        pixels->before[i] = rational_before(&rational_kind(formula)->rule, begin.z.x, begin.z.y);
        pixels->kept[i].x = INFINITY; /* equals nothing that goes on */
        pixels->keep_at[i] = shortcuts ? FIRST_KEEP_AGE : INT64_MAX;
        pixels->age[i] = 0;
        pixels->index[i] = chunk->index + (size_t)k;
    }
}

/* Moves pixel i of the list to index `to`, at most i; pixels of the inside mostly stay. */
static void rational_move(struct rational_pixels *pixels, int to, int i)
{
    if (to == i)
        return;
    double *const all[] = {pixels->x,  pixels->y,  pixels->last_x,  pixels->last_y,
                           pixels->dx, pixels->dy, pixels->last_dx, pixels->last_dy,
                           pixels->cx, pixels->cy, pixels->before};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        all[k][to] = all[k][i];
    pixels->kept[to] = pixels->kept[i];
    pixels->keep_at[to] = pixels->keep_at[i];
    pixels->age[to] = pixels->age[i];
    pixels->index[to] = pixels->index[i];
}

static void rational_write(struct rational_worker *w, int i, const struct rational_group_ends *ends,
                           int s)
{
    const struct cpu_task *task = w->task;
    const struct rational_rule *rule = &w->kind->rule;
    double bailout = task->spec->bailout;
    enum rational_over over = rational_over(rule, &ends->end[s].z, bailout);
    if (over == OVER_NEVER)
        return;
    struct rational_values values = rational_values(
        rule, over, &ends->end[s], ends->before[s], w->pixels.cx[i], w->pixels.cy[i], bailout,
        task->grid->step_re, task->grid->step_im, task->distance_x || task->phase);
    size_t index = w->pixels.index[i];
    cpu_task_escaped(w->task, index, w->pixels.age[i] + ends->at[s], values.fraction);
    if (task->distance_x) {
        struct distance distance = distance_in_image(task->grid, values.distance);
        task->distance_x[index] = distance.x;
        task->distance_y[index] = distance.y;
    }
    if (task->phase)
        task->phase[index] = values.phase;
}

/* Is pixel i done after a run of so many steps? Equal states repeat for ever. */
static bool rational_done(struct rational_worker *w, int i, int32_t steps)
{
    struct rational_pixels *pixels = &w->pixels;
    struct rational_state z = {pixels->x[i], pixels->y[i], pixels->last_x[i], pixels->last_y[i]};
    struct rational_state *kept = &pixels->kept[i];
    pixels->age[i] += steps;
    if (pixels->age[i] >= w->task->spec->limit)
        return true;
    if (z.x == kept->x && z.y == kept->y && z.last_x == kept->last_x && z.last_y == kept->last_y)
        return true;
    if (pixels->age[i] >= pixels->keep_at[i]) {
        *kept = z;
        pixels->keep_at[i] = pixels->age[i] < INT64_MAX / 2 ? 2 * pixels->age[i] : INT64_MAX;
    }
    return false;
}

/* Takes a run of all pixels of the list. */
static void rational_pass(struct rational_worker *w)
{
    struct rational_pixels *pixels = &w->pixels;
    struct rational_group_ends ends;
    int64_t limit = w->task->spec->limit;
    double of_c = w->task->spec->formula.plane == PARAMETER_PLANE;
    int left = 0, count = pixels->count;
    for (int i = count; i < count + SLOTS; i++) /* the last group is filled with finite numbers */
        pixels->x[i] = pixels->y[i] = pixels->cx[i] = pixels->cy[i] = 1;
    for (int first = 0; first < count; first += SLOTS) {
        int used = count - first < SLOTS ? count - first : SLOTS;
        /* The last of a group is the youngest. */
        int32_t steps = pixels->age[first + used - 1] < LONG_RUN ? RUN : LONG_RUN;
        w->run(pixels, first, used, steps, w->task->spec->bailout, of_c, &ends);
        for (int s = 0; s < used; s++) {
            int i = first + s;
            bool over = ends.at[s] && ends.at[s] <= limit - pixels->age[i];
            if (over)
                rational_write(w, i, &ends, s);
            w->iterations += (uint64_t)(ends.at[s] ? ends.at[s] : steps);
            if (!ends.at[s] && !rational_done(w, i, steps))
                rational_move(pixels, left++, i);
        }
    }
    pixels->count = left;
}

/* One thread's share of a tile. */
static void rational_work(struct cpu_task *task, void *memory)
{
    struct rational_worker *w = memory;
    struct cpu_chunk chunk;
    bool slopes = task->distance_x || task->phase, more = true;
    w->task = task;
    w->kind = rational_kind(&task->spec->formula);
    w->run = rational_runs[task->spec->formula.step - FORMULA_STEPS][slopes];
    w->iterations = 0;
    w->pixels.count = 0;
    while (!cpu_task_stopped(task)) {
        while (more && w->pixels.count <= PIXELS_LEAST) {
            more = cpu_task_chunk(task, &task->next, &chunk);
            if (more)
                rational_take(w, &chunk);
        }
        if (!w->pixels.count)
            break;
        rational_pass(w);
    }
    cpu_task_iterations(task, w->iterations);
}
