/* The vector units of a CPU find periods and distances inside, of the pixels of a tile that do not
 * escape. A body: included once per instruction set, after these macros.
 *
 *     PREFIX, PACK, LANES   packs of doubles, see packs.h
 *     PACKS                 packs at a time
 *
 * SLOTS pixels go through kernels/escape/attractor.h together. Where the orbit of one comes nearer
 * to 0 than ever before, Newton's method is tried for all, and the other pixels ignore the result.
 * So each pixel has the bits that it would have alone. Neighbours mostly have the same period, and
 * then no lane computes in vain. */
#if !defined(PREFIX) || !defined(PACK) || !defined(LANES) || !defined(PACKS)
#error "cpu_attractors.h: a macro is missing"
#endif

#include "kernels/cpu/cpu.h"
#include "kernels/escape/packs.h"
#include "kernels/escape/pixel.h"

#define AT(member) (group->member + v * LANES)

struct attractor_group { /* SLOTS pixels */
    ALIGNED double cx[SLOTS], cy[SLOTS];
    ALIGNED double x[SLOTS], y[SLOTS];           /* z_n */
    ALIGNED double least[SLOTS];                 /* |z|^2 so far; -1: the pixel is done */
    ALIGNED double wx[SLOTS], wy[SLOTS];         /* w */
    ALIGNED double trip_x[SLOTS], trip_y[SLOTS]; /* f^n(w) */
    ALIGNED double lambda_x[SLOTS], lambda_y[SLOTS];
    size_t index[SLOTS]; /* index in the tile's planes */
    int32_t period[SLOTS];
    double distance[SLOTS];
    int count, left; /* pixels, and pixels that are not done */
};

/* All derivatives of SLOTS pixels in packs: struct attractor_slopes of attractor.h. */
struct attractor_packs {
    PACK x, y, dz_x, dz_y, dc_x, dc_y, dzdz_x, dzdz_y, dcdz_x, dcdz_y;
};

/* Takes steps of the critical orbits from the n-th on, until one may be nearer to 0 than ever
 * before; the number of steps, `most` at most. */
static int32_t attractors_search(struct attractor_group *group, int32_t n, int32_t most)
{
    PACK x[PACKS], y[PACKS], least[PACKS];
    UNROLL_PACKS
    {
        x[v] = P(load)(AT(x));
        y[v] = P(load)(AT(y));
        least[v] = P(load)(AT(least));
    }
    for (uint32_t near = 0; n < most && !near; n++) {
        UNROLL_PACKS
        {
            STEP(x[v], y[v], P(load)(AT(cx)), P(load)(AT(cy)));
            near |= P(le)(NORM(x[v], y[v]), least[v]);
        }
    }
    UNROLL_PACKS
    {
        P(store)(AT(x), x[v]);
        P(store)(AT(y), y[v]);
    }
    return n;
}

/* Computes f^n(w) and lambda of all pixels. */
static void attractors_trip(struct attractor_group *group, int32_t n)
{
    PACK x[PACKS], y[PACKS], lx[PACKS], ly[PACKS];
    UNROLL_PACKS
    {
        x[v] = P(load)(AT(wx));
        y[v] = P(load)(AT(wy));
        lx[v] = P(splat)(1);
        ly[v] = P(splat)(0);
    }
    for (int32_t k = 0; k < n; k++)
        UNROLL_PACKS
    TRIP_STEP(x[v], y[v], lx[v], ly[v], P(load)(AT(cx)), P(load)(AT(cy)));
    UNROLL_PACKS
    {
        P(store)(AT(trip_x), x[v]);
        P(store)(AT(trip_y), y[v]);
        P(store)(AT(lambda_x), lx[v]);
        P(store)(AT(lambda_y), ly[v]);
    }
}

/* attractor_newton for the pixels of `going`, which comes back as those that found a cycle. */
static void attractors_newton(struct attractor_group *group, int32_t n, uint8_t *going)
{
    uint8_t found[SLOTS] = {0};
    struct attractor_trip last[SLOTS];
    int left = 1;
    for (int s = 0; s < SLOTS; s++)
        last[s] = (struct attractor_trip){0x1p1000, 0, 0};
    for (int trip = 0; trip < ATTRACTOR_TRIPS && left; trip++) {
        attractors_trip(group, n);
        left = 0;
        for (int s = 0; s < SLOTS; s++) {
            double lx = group->lambda_x[s], ly = group->lambda_y[s];
            struct attractor_point step = attractor_share(group->trip_x[s] - group->wx[s],
                                                          group->trip_y[s] - group->wy[s], lx, ly);
            if (!going[s])
                continue;
            struct attractor_trip now = {attractor_norm(step.x, step.y), lx, ly};
            group->wx[s] += step.x;
            group->wy[s] += step.y;
            going[s] = !attractor_ends(&last[s], &now);
            last[s] = now;
            found[s] = !going[s] && attractor_norm(lx, ly) < 1;
            left |= going[s];
        }
    }
    memcpy(going, found, sizeof found);
}

/* Called when one pixel's w is back after k of n steps. */
static void attractor_return(struct attractor_group *group, int s, int32_t k, int32_t n)
{
    struct attractor_point nearer = {group->wx[s], group->wy[s]};
    if (n % k == 0 && attractor_newton(&nearer, group->cx[s], group->cy[s], k)) {
        group->wx[s] = nearer.x;
        group->wy[s] = nearer.y;
        group->period[s] = k;
    }
}

/* attractor_shortest for all pixels. Packs go on with the old w where a pixel has a new one. */
static void attractors_shortest(struct attractor_group *group, int32_t n, const uint8_t *found)
{
    PACK x[PACKS], y[PACKS], wx[PACKS], wy[PACKS];
    const PACK most = P(splat)(ATTRACTOR_RETURN);
    UNROLL_PACKS
    {
        x[v] = wx[v] = P(load)(AT(wx));
        y[v] = wy[v] = P(load)(AT(wy));
    }
    for (int32_t k = 1; k < n; k++) {
        uint32_t back[PACKS];
        UNROLL_PACKS
        {
            STEP(x[v], y[v], P(load)(AT(cx)), P(load)(AT(cy)));
            PACK off_x = P(sub)(x[v], wx[v]), off_y = P(sub)(y[v], wy[v]);
            back[v] = P(le)(NORM(off_x, off_y), most);
        }
        for (int s = 0; s < SLOTS; s++)
            if (back[s / LANES] >> s % LANES & 1 && found[s] && !group->period[s])
                attractor_return(group, s, k, n);
    }
    for (int s = 0; s < SLOTS; s++)
        group->period[s] = found[s] && !group->period[s] ? n : group->period[s];
}

/* attractor_distance of the pixels that are `found`. */
static void attractors_distance(struct attractor_group *group, int32_t n, const uint8_t *found)
{
    ALIGNED double slope[sizeof(struct attractor_slopes) / sizeof(double)][SLOTS];
    const PACK one = P(splat)(1), none = P(splat)(0);
    for (int v = 0; v < PACKS; v++) {
        struct attractor_packs packs = {
            P(load)(AT(wx)), P(load)(AT(wy)), one, none, none, none, none, none, none, none};
        for (int32_t k = 0; k < n; k++)
            SLOPES_STEP(packs, one, P(load)(AT(cx)), P(load)(AT(cy)));
        const PACK all[] = {packs.x,    packs.y,      packs.dz_x,   packs.dz_y,   packs.dc_x,
                            packs.dc_y, packs.dzdz_x, packs.dzdz_y, packs.dcdz_x, packs.dcdz_y};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            P(store)(&slope[i][v * LANES], all[i]);
    }
    for (int s = 0; s < SLOTS; s++) {
        double alone[sizeof slope / sizeof *slope];
        struct attractor_slopes slopes;
        struct attractor_point w = {group->wx[s], group->wy[s]};
        for (size_t i = 0; i < sizeof slope / sizeof *slope; i++)
            alone[i] = slope[i][s];
        memcpy(&slopes, alone, sizeof slopes);
        if (found[s])
            group->distance[s] =
                group->period[s] == n
                    ? attractor_radius(&slopes)
                    : attractor_distance(&w, group->cx[s], group->cy[s], group->period[s]);
    }
}

/* Tries the pixels that have come nearer to 0 than ever before, after n steps. */
static void attractors_try(struct attractor_group *group, int32_t n)
{
    uint8_t going[SLOTS];
    int any = 0;
    for (int s = 0; s < SLOTS; s++) {
        double norm = attractor_norm(group->x[s], group->y[s]);
        going[s] = norm < group->least[s];
        group->least[s] = going[s] ? norm : group->least[s];
        group->wx[s] = group->x[s];
        group->wy[s] = group->y[s];
        any |= going[s];
    }
    if (!any)
        return;
    attractors_newton(group, n, going);
    any = 0;
    for (int s = 0; s < SLOTS; s++)
        any |= going[s];
    if (!any)
        return;
    attractors_shortest(group, n, going);
    attractors_distance(group, n, going);
    for (int s = 0; s < SLOTS; s++)
        if (going[s]) {
            group->least[s] = -1;
            group->left--;
        }
}

/* distance: d of the Mandelbrot set; a Julia set has none. */
static void attractor_store(const struct cpu_task *task, size_t index, int32_t period,
                            const double *distance)
{
    if (task->period)
        task->period[index] = (float)period;
    if (task->inside && period && distance)
        task->inside[index] = attractor_px(*distance, task->grid);
}

/* Computes all pixels of the group and writes them into the planes; the group is empty then. */
static void attractors_finish(struct cpu_task *task, struct attractor_group *group)
{
    int32_t most = attractor_most(task->spec->limit);
    for (int s = 0; s < SLOTS; s++) {
        int there = s < group->count;
        group->cx[s] = there ? group->cx[s] : 0;
        group->cy[s] = there ? group->cy[s] : 0;
        group->x[s] = group->y[s] = group->distance[s] = 0;
        group->period[s] = 0;
        group->least[s] = there ? ATTRACTOR_NEAREST_FIRST : -1;
    }
    group->left = group->count;
    for (int32_t n = 0; n < most && group->left && !cpu_task_stopped(task);) {
        n = attractors_search(group, n, most);
        attractors_try(group, n);
    }
    for (int s = 0; s < group->count; s++)
        attractor_store(task, group->index[s], group->period[s], &group->distance[s]);
    group->count = 0;
}

/* Takes pixel i of the chunk, if it does not escape. */
static void attractor_take(struct cpu_task *task, struct attractor_group *group,
                           const struct cpu_chunk *chunk, int i)
{
    size_t index = chunk->index + (size_t)i;
    if (task->count_32 ? task->count_32[index] != 0 : task->count_64[index] != 0)
        return;
    int s = group->count++;
    pixel_c(task->grid, task->grid->x + chunk->x + i, pixel_row(task->grid, chunk->y),
            &group->cx[s], &group->cy[s]);
    group->index[s] = index;
    if (group->count == SLOTS)
        attractors_finish(task, group);
}

/* Stores the period of c for all pixels of a Julia set. */
static void attractor_take_julia(struct cpu_task *task, const struct cpu_chunk *chunk,
                                 int32_t period)
{
    for (size_t i = chunk->index; i < chunk->index + (size_t)chunk->length; i++)
        if (task->count_32 ? !task->count_32[i] : !task->count_64[i])
            attractor_store(task, i, period, NULL);
}

/* One thread's share of a tile. */
static void attractors(struct cpu_task *task)
{
    const struct formula *formula = &task->spec->formula;
    struct attractor_group group = {.count = 0};
    struct cpu_chunk chunk;
    int julia = formula->plane == DYNAMIC_PLANE;
    int32_t period =
        julia ? attractor_of(formula->c_re, formula->c_im, task->spec->limit).period : 0;
    while (cpu_task_chunk(task, &task->next_attractor, &chunk))
        if (julia)
            attractor_take_julia(task, &chunk, period);
        else
            for (int i = 0; i < chunk.length; i++)
                attractor_take(task, &group, &chunk, i);
    if (group.count)
        attractors_finish(task, &group);
}
