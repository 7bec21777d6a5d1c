#include "kernels/orbit/search.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/orbit/fixed.h"
#include "kernels/orbit/nucleus.h"
#include "kernels/stop.h"

enum {
    LEVELS = 6,           /* levels of 1, 4, 16, ... 1024 discs */
    LEVELS_FOR_PAIRS = 3, /* levels once a pair is found */
    TRIES = 4,            /* periods tried by Newton's method, for one disc */
    NEWTON_MOST = 48,     /* steps in doubles; beyond 2^-40 none gains anything */
    EXACT_BITS =
        1 << 22,     /* rounding of the orbit is not counted: the ball method is no proof here */
    PAIRS_ALL = 1024 /* points of an orbit that are compared with all before them */
};
#define STEPS_MOST 400000000.0 /* steps of all discs of one level; some ten seconds on one core */
#define PAIR_LEAST 0x1p-44     /* nearer than that doubles cannot tell z_n from -z_m */
#define CELL 0x1p-10
#define INSIDE 1.02 /* half a side of the box with a margin, for a root on its edge */

/* ---- an orbit near the reference ---- */

struct perturbed_orbit {
    const struct orbit *orbit;
    struct complex_scaled h, delta, z; /* z_i = Z_m + delta */
    int64_t m;
};

static struct complex_scaled reference_at(const struct orbit *orbit, int64_t m)
{
    struct orbit_point z = orbit->z[m];
    if (fabs(z.x) >= ORBIT_TINY || fabs(z.y) >= ORBIT_TINY)
        return scaled_of(z.x, z.y);
    int64_t low = 0;
    for (int64_t high = orbit->tiny_count; low < high;) {
        int64_t middle = low + (high - low) / 2;
        if (orbit->tiny[middle].index < m)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == orbit->tiny_count || orbit->tiny[low].index != m)
        return scaled_of(0, 0);
    return scaled_settle(orbit->tiny[low].x, orbit->tiny[low].y, orbit->tiny[low].exponent);
}

static struct perturbed_orbit perturbed_begin(const struct orbit *orbit, struct complex_scaled h)
{
    struct complex_scaled zero = scaled_of(0, 0);
    return (struct perturbed_orbit){.orbit = orbit, .h = h, .delta = zero, .z = zero};
}

/* delta' = (2 Z + delta) delta + h; where z is nearer to 0 than to Z, or the reference ends, it is
 * rebased on the reference's begin. */
static void perturbed_step(struct perturbed_orbit *b)
{
    struct complex_scaled twice = scaled_times(reference_at(b->orbit, b->m), 2);
    b->delta = scaled_add(scaled_mul(scaled_add(twice, b->delta), b->delta), b->h);
    b->m++;
    b->z = scaled_add(reference_at(b->orbit, b->m), b->delta);
    if (b->m == b->orbit->length - 1 || scaled_less(b->z, b->delta)) {
        b->delta = b->z;
        b->m = 0;
    }
}

static bool perturbed_escaped(const struct perturbed_orbit *b)
{
    return b->z.e > 2 || scaled_log2(b->z) > 1.5; /* |z|^2 > FIXED_NORM_MAX */
}

static enum status stopped_fail(void)
{
    return status_fail(STATUS_STOPPED, "the search was stopped");
}

/* ---- a disc ---- */

/* |z_n| < |D_n|: to first order z_n has a zero in the disc. */
static bool disc_meets_zero(const struct nucleus *disc, struct complex_scaled z)
{
    return scaled_less(z, scaled_settle(disc->dx, disc->dy, disc->exponent));
}

struct disc_walk {
    struct perturbed_orbit b;
    struct nucleus disc;
    int64_t n;
};

static struct disc_walk disc_begin(const struct orbit *orbit, struct complex_scaled h,
                                   double log2_radius)
{
    struct disc_walk walk = {.b = perturbed_begin(orbit, h)};
    nucleus_begin(&walk.disc, log2_radius, EXACT_BITS);
    return walk;
}

/* The next n at which z_n may have a zero in the disc; 0: there is none before the disc's image is
 * as large as the set. */
static int64_t disc_next(struct disc_walk *walk, int64_t limit, const volatile int *stop)
{
    struct nucleus *disc = &walk->disc;
    while (walk->n < limit) {
        disc->alive = true; /* its q does not count */
        disc->q = 0;
        nucleus_step_at(disc, walk->b.z);
        perturbed_step(&walk->b);
        walk->n++;
        double log2_image = log2(hypot(disc->dx, disc->dy)) + (double)disc->exponent;
        if (perturbed_escaped(&walk->b) || log2_image > 1 || stop_asked(stop))
            return 0;
        if (disc_meets_zero(disc, walk->b.z))
            return walk->n;
    }
    return 0;
}

/* ---- pairs z_n = -z_m in a disc ---- */

struct pairs { /* the points of an orbit, and lists of those in each cell of a grid */
    double (*z)[2];
    int32_t *head, *next; /* by hash; -1: none */
    int64_t capacity;
    uint32_t mask;
};

static void pairs_free(struct pairs *pairs)
{
    free(pairs->z);
    free(pairs->head);
    free(pairs->next);
}

static bool pairs_make(struct pairs *pairs, int64_t limit)
{
    uint32_t heads = 1 << 10;
    while (heads < limit && heads < 1u << 24)
        heads *= 2;
    pairs->capacity = limit + 1 < INT32_MAX ? limit + 1 : INT32_MAX;
    pairs->mask = heads - 1;
    pairs->z = malloc((size_t)pairs->capacity * sizeof *pairs->z);
    pairs->next = malloc((size_t)pairs->capacity * sizeof *pairs->next);
    pairs->head = malloc(heads * sizeof *pairs->head);
    if (pairs->head)
        memset(pairs->head, -1, heads * sizeof *pairs->head);
    return pairs->z && pairs->next && pairs->head;
}

static uint32_t cell_hash(const struct pairs *pairs, int64_t x, int64_t y)
{
    uint64_t mixed = (uint64_t)x * 0x9e3779b97f4a7c15u + (uint64_t)y * 0xc2b2ae3d27d4eb4fu;
    return (uint32_t)(mixed >> 33) & pairs->mask;
}

static void pairs_add(struct pairs *pairs, int64_t i, double x, double y)
{
    uint32_t cell = cell_hash(pairs, (int64_t)floor(x / CELL), (int64_t)floor(y / CELL));
    pairs->z[i][0] = x;
    pairs->z[i][1] = y;
    pairs->next[i] = pairs->head[cell];
    pairs->head[cell] = (int32_t)i;
}

/* The largest m >= 1 before i with |z_i + z_m| < radius: the period is the least; 0: none. */
static int64_t pairs_near(const struct pairs *pairs, int64_t i, double x, double y, double radius)
{
    int64_t best = 0;
    if (radius > CELL || i < PAIRS_ALL) {
        for (int64_t m = i - 1; m >= 1; m--)
            if (hypot(x + pairs->z[m][0], y + pairs->z[m][1]) < radius)
                return m;
        return 0;
    }
    int64_t cx = (int64_t)floor(-x / CELL), cy = (int64_t)floor(-y / CELL);
    for (int k = 0; k < 9; k++) {
        uint32_t cell = cell_hash(pairs, cx + k % 3 - 1, cy + k / 3 - 1);
        for (int64_t m = pairs->head[cell]; m > 0; m = pairs->next[m])
            if (m > best && hypot(x + pairs->z[m][0], y + pairs->z[m][1]) < radius)
                best = m;
    }
    return best;
}

/* ---- Newton's method in doubles ---- */

struct equation_value { /* z_n + z_m, its slope, and half of its second derivative */
    struct complex_scaled g, d, e;
    struct complex_scaled growth; /* dz_n/dz_1 */
    bool degenerate;              /* z_m is about 0: a nucleus, not a Misiurewicz point */
    bool escaped;
};

static struct equation_value value_at(const struct orbit *orbit, struct complex_scaled h,
                                      struct newton_equation equation, const volatile int *stop)
{
    struct perturbed_orbit b = perturbed_begin(orbit, h);
    struct complex_scaled zero = scaled_of(0, 0), one = scaled_of(1, 0);
    struct equation_value now = {zero, zero, zero, one, false, false}, of_m = now;
    for (int64_t i = 0; i < equation.n; i++) {
        if (i == equation.m)
            of_m = (struct equation_value){b.z, now.d, now.e, one, false, false};
        struct complex_scaled twice = scaled_times(b.z, 2);
        now.e = scaled_add(scaled_mul(twice, now.e), scaled_mul(now.d, now.d));
        now.d = scaled_add(scaled_mul(twice, now.d), one);
        if (i)
            now.growth = scaled_mul(twice, now.growth);
        perturbed_step(&b);
        if (perturbed_escaped(&b) || stop_asked(stop)) {
            now.escaped = true;
            return now;
        }
    }
    now.g = scaled_add(b.z, of_m.g);
    now.degenerate = equation.m && scaled_log2(of_m.g) < -30;
    now.d = scaled_add(now.d, of_m.d);
    now.e = scaled_add(now.e, of_m.e);
    return now;
}

/* h0 = -g/d, h = h0 - (e/d) h0^2 where that is less than h0. */
static struct complex_scaled value_step(const struct equation_value *v)
{
    struct complex_scaled h0 = scaled_times(scaled_div(v->g, v->d), -1);
    struct complex_scaled curve = scaled_mul(scaled_div(v->e, v->d), h0);
    return scaled_log2(curve) < -2 ? scaled_add(h0, scaled_times(scaled_mul(curve, h0), -1)) : h0;
}

double search_log2_radius(const struct search_box *box)
{
    struct complex_scaled corner = scaled_add(box->right, box->up);
    struct complex_scaled other = scaled_add(box->right, scaled_times(box->up, -1));
    return fmax(scaled_log2(corner), scaled_log2(other));
}

/* Runs Newton's method from root->h, as long as it stays near. */
static bool newton_run(const struct orbit *orbit, struct newton_equation equation,
                       double log2_radius, const volatile int *stop, struct search_root *root)
{
    struct complex_scaled begin = root->h, h = begin;
    double before = INFINITY;
    root->found = false;
    for (int i = 0; i < NEWTON_MOST && !stop_asked(stop); i++) {
        struct equation_value v = value_at(orbit, h, equation, stop);
        if (v.escaped || scaled_is_zero(v.d))
            return false;
        struct complex_scaled step = value_step(&v);
        double size = scaled_log2(step);
        h = scaled_add(h, step);
        if (scaled_log2(scaled_add(h, scaled_times(begin, -1))) > log2_radius + 2)
            return false;
        double rounding = 8 + log2((double)equation.n) - (double)orbit->bits;
        double least = fmax(fmax(scaled_log2(h), log2_radius - 8) - 40, rounding);
        bool settled = size < least || (size < log2_radius - 20 && size > before - 2);
        before = size;
        if (!settled)
            continue;
        double slope = scaled_log2(v.d);
        struct newton_start start = {.error = fmax(size, least) + 2,
                                     .curve = scaled_log2(v.e) - slope,
                                     .size = -slope - scaled_log2(v.growth)};
        *root = (struct search_root){true, equation, h, start};
        return !v.degenerate;
    }
    return false;
}

enum status search_newton(const struct orbit *orbit, const struct search_box *box,
                          struct newton_equation equation, const volatile int *stop,
                          struct search_root *root)
{
    *root = (struct search_root){.h = box->middle};
    root->found = newton_run(orbit, equation, search_log2_radius(box), stop, root);
    return stop_asked(stop) ? stopped_fail() : STATUS_OK;
}

/* ---- all discs ---- */

/* (h - middle) / right = s + t up / right; right and up may have any angle. */
bool search_box_has(const struct search_box *box, struct complex_scaled h, double *from_middle)
{
    struct complex_scaled offset = scaled_add(h, scaled_times(box->middle, -1));
    if (scaled_is_zero(offset)) {
        *from_middle = 0;
        return true;
    }
    struct complex_scaled sum = scaled_div(offset, box->right);
    struct complex_scaled up = scaled_div(box->up, box->right);
    double t = scaled_y(sum) / scaled_y(up), s = scaled_x(sum) - t * scaled_x(up);
    *from_middle = fmax(fabs(s), fabs(t));
    return *from_middle <= INSIDE;
}

struct best {
    struct search_root root;
    double rank, from_middle; /* the less the better */
};

/* The period of a nucleus; that of a Misiurewicz point times `side`: one in a disc of half the
 * size, whose spiral is smaller, is better only with less than half the period. */
static double rank_of(const struct search_root *root, int side)
{
    const struct newton_equation *equation = &root->equation;
    return equation->m ? (double)(equation->n - equation->m) * side : (double)equation->n;
}

static bool better(const struct best *a, const struct best *b)
{
    if (!b->root.found || a->rank != b->rank)
        return !b->root.found || a->rank < b->rank;
    if (a->root.equation.n != b->root.equation.n)
        return a->root.equation.n < b->root.equation.n;
    return a->from_middle < b->from_middle;
}

/* Keeps the root if it is the best so far. False: it is not in the box. */
static bool root_offer(const struct search_box *box, const struct search_root *root, int side,
                       struct best *best)
{
    struct best now = {.root = *root, .rank = rank_of(root, side)};
    if (!search_box_has(box, root->h, &now.from_middle))
        return false;
    if (better(&now, best))
        *best = now;
    return true;
}

struct disc {
    struct complex_scaled h;
    double log2_radius;
    int side; /* discs in a row */
};

static void nucleus_try(const struct orbit *orbit, const struct search_box *box,
                        const struct search_options *options, const struct disc *disc,
                        struct best *best)
{
    int64_t limit = options->limit;
    if (best->root.found && best->root.equation.n < limit)
        limit = best->root.equation.n;
    struct disc_walk walk = disc_begin(orbit, disc->h, disc->log2_radius);
    for (int i = 0; i < TRIES; i++) {
        struct newton_equation equation = {disc_next(&walk, limit, options->stop), 0};
        struct search_root root = {.h = disc->h};
        if (!equation.n || (newton_run(orbit, equation, disc->log2_radius, options->stop, &root) &&
                            root_offer(box, &root, disc->side, best)))
            return;
    }
}

/* Is the rank of the pair better than the best so far? */
static bool pair_wanted(struct newton_equation equation, const struct disc *disc,
                        const struct best *best)
{
    struct search_root root = {.equation = equation};
    return equation.m > 0 && (!best->root.found || rank_of(&root, disc->side) < best->rank);
}

/* Tries the pairs of one orbit, as long as the disc's image is no larger than the set. */
static void pair_try(const struct orbit *orbit, const struct search_box *box,
                     const struct search_options *options, const struct disc *disc,
                     struct pairs *pairs, struct best *best)
{
    struct perturbed_orbit b = perturbed_begin(orbit, disc->h);
    struct complex_scaled d = scaled_of(0, 0), one = scaled_of(1, 0);
    memset(pairs->head, -1, ((size_t)pairs->mask + 1) * sizeof *pairs->head);
    for (int64_t i = 0; i <= options->limit && i < pairs->capacity; i++) {
        double x = scaled_x(b.z), y = scaled_y(b.z);
        double log2_ball = scaled_log2(d) + disc->log2_radius;
        if (perturbed_escaped(&b) || log2_ball > 0 || stop_asked(options->stop))
            return;
        double radius = fmax(exp2(log2_ball), PAIR_LEAST);
        struct newton_equation equation = {i, i > 1 ? pairs_near(pairs, i, x, y, radius) : 0};
        struct search_root root = {.h = disc->h};
        if (pair_wanted(equation, disc, best) &&
            newton_run(orbit, equation, disc->log2_radius, options->stop, &root))
            root_offer(box, &root, disc->side, best);
        pairs_add(pairs, i, x, y);
        d = scaled_add(scaled_mul(scaled_times(b.z, 2), d), one);
        perturbed_step(&b);
    }
}

/* Disc `number` of side x side discs that cover the box. */
static struct disc disc_of(const struct search_box *box, int side, int number)
{
    double s = (2.0 * (number % side) + 1) / side - 1, t = (2.0 * (number / side) + 1) / side - 1;
    struct complex_scaled h = scaled_add(scaled_times(box->right, s), scaled_times(box->up, t));
    return (struct disc){scaled_add(box->middle, h), search_log2_radius(box) - log2(side), side};
}

static enum status level_search(const struct orbit *orbit, const struct search_box *box,
                                const struct search_options *options, int side, struct best *best)
{
    int threads = options->threads > 0 ? options->threads : omp_get_max_threads(), failed = 0;
    if (threads > side * side)
        threads = side * side;
#pragma omp parallel num_threads(threads)
    {
        struct pairs pairs = {.head = NULL};
        bool made = options->kind == SEARCH_NUCLEUS || pairs_make(&pairs, options->limit);
        if (!made)
#pragma omp atomic write
            failed = 1;
#pragma omp for schedule(dynamic)
        for (int i = 0; i < side * side; i++) {
            struct disc disc = disc_of(box, side, i);
            struct best seen;
#pragma omp critical(search_best)
            seen = *best;
            if (stop_asked(options->stop) || !made)
                continue;
            if (options->kind == SEARCH_NUCLEUS)
                nucleus_try(orbit, box, options, &disc, &seen);
            else
                pair_try(orbit, box, options, &disc, &pairs, &seen);
#pragma omp critical(search_best)
            if (seen.root.found && better(&seen, best))
                *best = seen;
        }
        pairs_free(&pairs);
    }
    return failed                      ? status_fail(STATUS_OUT_OF_MEMORY, "no memory for a search")
           : stop_asked(options->stop) ? stopped_fail()
                                       : STATUS_OK;
}

/* Is another level needed? For nuclei while none was found and once more, which might show a lower
 * period; for Misiurewicz points while one can have a better rank. */
static bool level_wanted(const struct search_options *options, const struct best *best, int level,
                         int found_at, double steps)
{
    double discs = exp2(2 * level);
    if (level && discs * steps > STEPS_MOST)
        return false;
    if (!best->root.found)
        return level < LEVELS;
    if (options->kind == SEARCH_MISIUREWICZ)
        return level < LEVELS_FOR_PAIRS && exp2(level) < best->rank;
    return found_at > 0 && level == found_at + 1 && level < LEVELS;
}

enum status search_box(const struct orbit *orbit, const struct search_box *box,
                       const struct search_options *options, struct search_root *root)
{
    struct best best = {.root = {.found = false}};
    int found_at = -1;
    for (int level = 0; level_wanted(options, &best, level, found_at, (double)orbit->length);
         level++) {
        TRY(level_search(orbit, box, options, 1 << level, &best));
        if (options->progress)
            options->progress(options->context, (level + 1.0) / LEVELS);
        if (best.root.found && found_at < 0)
            found_at = level;
    }
    *root = best.root;
    return STATUS_OK;
}
