/* The period of a pixel that does not escape, and how far inside it lies.
 *
 * A point inside belongs to a component whose points all have one attracting cycle, of one period
 * p: w = f^p(w), f(z) = z^2 + c, with a multiplier lambda = d f^p / dz (w), |lambda| < 1. Lambda
 * maps the component one to one onto the unit disc, so the radius of the component as seen from c
 * is
 *
 *     d = (1 - |lambda|^2) / |d lambda / dc|,
 *     d lambda / dc = d^2 f^p / dc dz + d^2 f^p / dz^2 (df^p / dc) / (1 - lambda),
 *
 * and its boundary is at least d / 4 and at most d away (Koebe's quarter theorem). Sources: A.
 * Douady and J. H. Hubbard, "Etude dynamique des polynomes complexes" (1984), for lambda; C.
 * Heiland-Allen, "Interior coordinates in the Mandelbrot set" (2013) and "Practical interior
 * distance rendering" (2014), for the search: p is one of the n at which |z_n| of the critical
 * orbit is smaller than ever before, and Newton's method from z_n finds w.
 *
 * The inside of a Julia set has one cycle, which attracts the orbits of all its pixels and that of
 * 0; so the period is that of its c. There is no such lambda of pixels there.
 *
 * A pixel's result depends on its c and the limit alone, not on what its neighbours found. fma(),
 * +, *, / and sqrt() only, which are rounded alike everywhere: see fraction.h. */
#ifndef KERNELS_ESCAPE_ATTRACTOR_H
#define KERNELS_ESCAPE_ATTRACTOR_H

#include "kernels/escape/quadratic.h"
#include "kernels/grid.h"

enum {
    ATTRACTOR_PERIOD_MOST = 1 << 14, /* longer periods are not searched */
    ATTRACTOR_TRIPS = 24             /* steps of Newton's method, which mostly takes under ten */
};
#define ATTRACTOR_NEWTON_END 0x1p-80 /* |step|^2 of its last trip: the next would be 2^-70 */
#define ATTRACTOR_NEWTON_SETTLED \
    0x1p-20                          /* |change of lambda|^2 of steps that are rounding errors */
#define ATTRACTOR_NEAREST_FIRST 16.0 /* |z_n|^2 of orbits that stay is less */
#define ATTRACTOR_RETURN 0x1p-40     /* |w_k - w|^2 below which k may be the period */

struct attractor {
    int32_t period;  /* 0: not found */
    double distance; /* d, in units of c */
};

/* (rx, ry) = (ax, ay) (bx, by); p: prefix of the pack, as in quadratic.h. The result may be one of
 * the factors. */
#define ATTRACTOR_TIMES(p, rx, ry, ax, ay, bx, by)                   \
    do {                                                             \
        __typeof__(ax) times_x_ = p##_fnma(ay, by, p##_mul(ax, bx)); \
        (ry) = p##_fma(ax, by, p##_mul(ay, bx));                     \
        (rx) = times_x_;                                             \
    } while (0)

/* lambda' = 2 z lambda, z' = z^2 + c */
#define ATTRACTOR_TRIP_STEP(p, x, y, lx, ly, cx, cy)                    \
    do {                                                                \
        __typeof__(x) trip_x_ = p##_add(x, x), trip_y_ = p##_add(y, y); \
        ATTRACTOR_TIMES(p, lx, ly, trip_x_, trip_y_, lx, ly);           \
        QUADRATIC_STEP(p, x, y, cx, cy);                                \
    } while (0)

/* All derivatives, each from those before the step; s: a struct of x, y and pairs of them.
 *     dcdz' = 2 (z dcdz + dz dc),  dzdz' = 2 (z dzdz + dz^2),  dc' = 2 z dc + 1,  dz' = 2 z dz */
#define ATTRACTOR_SLOPES_STEP(p, s, one, cx, cy)                                              \
    do {                                                                                      \
        __typeof__((s).x) x2_ = p##_add((s).x, (s).x), y2_ = p##_add((s).y, (s).y);           \
        __typeof__((s).x) u_ = p##_add((s).dz_x, (s).dz_x), v_ = p##_add((s).dz_y, (s).dz_y); \
        __typeof__((s).x) a_x_, a_y_, b_x_, b_y_;                                             \
        ATTRACTOR_TIMES(p, a_x_, a_y_, u_, v_, (s).dc_x, (s).dc_y);                           \
        ATTRACTOR_TIMES(p, b_x_, b_y_, u_, v_, (s).dz_x, (s).dz_y);                           \
        ATTRACTOR_TIMES(p, (s).dcdz_x, (s).dcdz_y, x2_, y2_, (s).dcdz_x, (s).dcdz_y);         \
        ATTRACTOR_TIMES(p, (s).dzdz_x, (s).dzdz_y, x2_, y2_, (s).dzdz_x, (s).dzdz_y);         \
        ATTRACTOR_TIMES(p, (s).dc_x, (s).dc_y, x2_, y2_, (s).dc_x, (s).dc_y);                 \
        ATTRACTOR_TIMES(p, (s).dz_x, (s).dz_y, x2_, y2_, (s).dz_x, (s).dz_y);                 \
        (s).dcdz_x = p##_add((s).dcdz_x, a_x_);                                               \
        (s).dcdz_y = p##_add((s).dcdz_y, a_y_);                                               \
        (s).dzdz_x = p##_add((s).dzdz_x, b_x_);                                               \
        (s).dzdz_y = p##_add((s).dzdz_y, b_y_);                                               \
        (s).dc_x = p##_add((s).dc_x, one);                                                    \
        QUADRATIC_STEP(p, (s).x, (s).y, cx, cy);                                              \
    } while (0)

struct attractor_point {
    double x, y;
};

ESCAPE_FN double attractor_norm(double x, double y)
{
    return fma(x, x, y * y);
}

/* a / (1 - lambda) */
ESCAPE_FN struct attractor_point attractor_share(double x, double y, double lx, double ly)
{
    double u = 1 - lx, norm = fma(u, u, ly * ly);
    struct attractor_point quotient = {fma(x, u, -(y * ly)) / norm, fma(y, u, x * ly) / norm};
    return quotient;
}

struct attractor_trip {  /* a step of Newton's method */
    double norm, lx, ly; /* |step|^2, and lambda at its begin */
};

/* Does Newton's method end here? Where the step is tiny, or where it shrinks less than it does even
 * next to a double root, by a half, and lambda has settled: then it consists of rounding errors,
 * which are larger in long cycles of small components. Also for NaN. */
ESCAPE_FN int attractor_ends(const struct attractor_trip *last, const struct attractor_trip *now)
{
    double change = attractor_norm(now->lx - last->lx, now->ly - last->ly);
    double size = 1 + attractor_norm(now->lx, now->ly);
    int settled = 3.5 * now->norm >= last->norm && change <= ATTRACTOR_NEWTON_SETTLED * size;
    return settled | !(now->norm > ATTRACTOR_NEWTON_END);
}

/* Moves w onto an attracting cycle of this period, or says that there is none in reach.
 *     w <- w + (f^p(w) - w) / (1 - lambda) */
ESCAPE_FN int attractor_newton(struct attractor_point *w, double cx, double cy, int32_t period)
{
    struct attractor_trip last = {0x1p1000, 0, 0};
    for (int trip = 0; trip < ATTRACTOR_TRIPS; trip++) {
        double x = w->x, y = w->y, lx = 1, ly = 0;
        for (int32_t k = 0; k < period; k++)
            ATTRACTOR_TRIP_STEP(f64x1, x, y, lx, ly, cx, cy);
        struct attractor_point step = attractor_share(x - w->x, y - w->y, lx, ly);
        struct attractor_trip now = {attractor_norm(step.x, step.y), lx, ly};
        w->x += step.x;
        w->y += step.y;
        if (attractor_ends(&last, &now))
            return attractor_norm(lx, ly) < 1;
        last = now;
    }
    return 0;
}

struct attractor_slopes { /* z and its derivatives by w and c */
    double x, y, dz_x, dz_y, dc_x, dc_y, dzdz_x, dzdz_y, dcdz_x, dcdz_y;
};

/* d, from the derivatives after a whole cycle. */
ESCAPE_FN double attractor_radius(const struct attractor_slopes *s)
{
    struct attractor_point share = attractor_share(s->dc_x, s->dc_y, s->dz_x, s->dz_y);
    double x, y;
    ATTRACTOR_TIMES(f64x1, x, y, s->dzdz_x, s->dzdz_y, share.x, share.y);
    x += s->dcdz_x;
    y += s->dcdz_y;
    return (1 - attractor_norm(s->dz_x, s->dz_y)) / sqrt(attractor_norm(x, y));
}

/* d of the cycle that w is on. */
ESCAPE_FN double attractor_distance(const struct attractor_point *w, double cx, double cy,
                                    int32_t period)
{
    struct attractor_slopes s = {w->x, w->y, 1, 0, 0, 0, 0, 0, 0, 0};
    for (int32_t k = 0; k < period; k++)
        ATTRACTOR_SLOPES_STEP(f64x1, s, 1.0, cx, cy);
    return attractor_radius(&s);
}

/* The shortest period of the cycle of w, which `period` is a multiple of. */
ESCAPE_FN int32_t attractor_shortest(struct attractor_point *w, double cx, double cy,
                                     int32_t period)
{
    double x = w->x, y = w->y;
    for (int32_t k = 1; k < period; k++) {
        QUADRATIC_STEP(f64x1, x, y, cx, cy);
        struct attractor_point nearer = *w;
        if (attractor_norm(x - w->x, y - w->y) <= ATTRACTOR_RETURN && period % k == 0 &&
            attractor_newton(&nearer, cx, cy, k)) {
            *w = nearer;
            return k;
        }
    }
    return period;
}

/* Steps of the orbit of 0 that are searched. */
ESCAPE_FN int32_t attractor_most(int64_t limit)
{
    return limit < ATTRACTOR_PERIOD_MOST ? (int32_t)limit : ATTRACTOR_PERIOD_MOST;
}

/* The attractor of a c whose pixel did not escape within `limit`. */
ESCAPE_FN struct attractor attractor_of(double cx, double cy, int64_t limit)
{
    struct attractor found = {0, 0};
    double x = 0, y = 0, least = ATTRACTOR_NEAREST_FIRST;
    for (int32_t n = 1, most = attractor_most(limit); n <= most && !found.period; n++) {
        QUADRATIC_STEP(f64x1, x, y, cx, cy);
        double norm = attractor_norm(x, y);
        if (!(norm < least))
            continue;
        struct attractor_point w = {x, y};
        least = norm;
        if (attractor_newton(&w, cx, cy, n)) {
            found.period = attractor_shortest(&w, cx, cy, n);
            found.distance = attractor_distance(&w, cx, cy, found.period);
        }
    }
    return found;
}

/* The distance in pixels, as planes have it, in a stretched image in roots of a pixel's area; more
 * than 0. */
ESCAPE_FN float attractor_px(double distance, const struct grid *grid)
{
    double area = fabs(grid->down_y) * attractor_norm(grid->step_re, grid->step_im);
    float px = (float)(distance / sqrt(area));
    return px > 0x1p-100f ? px < 0x1p100f ? px : 0x1p100f : 0x1p-100f; /* also NaN */
}

#endif
