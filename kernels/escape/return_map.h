/* Proof that the computed orbit of a pixel stays bounded for a given number of steps, from one
 * polynomial for each return of the orbit to the neighbourhood of 0.
 *
 * Inside a small copy of the set of period p, z comes near 0 every p steps, and what p steps do to
 * it there is nearly z -> alpha + beta z^2. So the orbits of such pixels need not be followed step
 * by step. Let c = c_0 + d, |d| <= s, and t = z^2 + d. Then z_1 = c_0 + t, and p - 1 more steps
 * make of it, as in bend.h,
 *     W + D d + A t + B t^2 + K t^3 + C t d + rest,  |rest| <= r where |t| <= R,
 *     K' = 2 w K + 2 A B,
 * their rounding errors among the rest. With g = |D| s, a = |A| R, b = |B| R^2, k = |K| R^3, what
 * is left out of the square of the sum is
 *     r' = 2 |w| r + g^2 + 2 g v + 2 a (v - b) + v^2,  v = b + |C| R s + k + r.
 * Let y be any number within rho of the computed z, and
 *     y' = (W + D d) + (A + C d) t + B t^2 + K t^3  at t = y^2 + d.
 * The computed z of p steps later is within rho' of y',
 *     rho' = S (2 |y| rho + rho^2 + e) + r,  S = |A| + |C| s + 2 |B| R + 3 |K| R^2,
 * with e the rounding errors of the first step, as long as (|y| + rho)^2 + s + e <= R, and all
 * stays below 2 on the way. Once p times the returns are the limit the count is 0: a theorem about
 * this very arithmetic, also where no cycle is near, or none attracts enough.
 *
 * Renormalization: A. Douady and J. H. Hubbard, "On the dynamics of polynomial-like mappings"
 * (1985). */
#ifndef KERNELS_ESCAPE_RETURN_MAP_H
#define KERNELS_ESCAPE_RETURN_MAP_H

#include "kernels/escape/bend.h"

enum {
    RETURN_PERIOD_LEAST = 64, /* a return costs as much as some 8 steps */
    RETURN_CHECK = 32         /* returns between tests whether the orbit settles */
};

#define RETURN_PARAMETER 2.25   /* |W A|: of z -> z^2 + W A, beyond 2 all orbits escape */
#define RETURN_RADIUS 2.125     /* |A y|: bounded orbits of such maps stay below 2 */
#define RETURN_ERROR 0x1p-10    /* what a return may leave out, in units of the largest |y| */
#define RETURN_ROUNDING 0x1p-48 /* rounding of y', in units of the sum of its terms' sizes */

struct return_map {
    double wx, wy, dx, dy; /* W, D */
    double ax, ay, bx, by; /* A, B */
    double cx, cy, kx, ky; /* C, K */
    double c0x, c0y;       /* c_0 */
    float most;            /* |y| + rho */
    float slope, rest;     /* S, and all of rho' but S (2 |y| rho + rho^2) */
    int period;            /* p; 0: none was found */
};

/* The rounding errors of a step to `to`, of w = x + i y and of points whose squares plus c lie
 * within `moved` of its own. */
ESCAPE_FN double return_map_rounding(const struct cycle_square *at, const struct bend *to, double y,
                                     double moved)
{
    double unit = (double)at->rounding / 64, inner = fabs(fma(-y, y, at->cx)) + moved;
    double error = bend_length(inner + fabs(to->x) + moved, fabs(to->y) + moved);
    return (unit + 0x1p-53) * error * (1 + 0x1p-20);
}

struct return_trip {
    struct bend o; /* w, D, A, B, C */
    double kx, ky; /* K */
    double rest;   /* r */
    int below;     /* all stays below 2 */
};

/* p - 1 steps from z_1 = c_0 + t on. */
ESCAPE_FN struct return_trip return_map_trip(const struct cycle_square *at, int period, double R)
{
    struct return_trip trip = {bend_begin(at->cx, at->cy, 0, 0), 0, 0, 0, 1};
    struct bend *o = &trip.o;
    double s = (double)at->spread, r = 0;
    for (int n = 1; n < period; n++) {
        double z = bend_length(o->x, o->y), y = o->y, g = bend_length(o->dx, o->dy) * s;
        double a = bend_length(o->ax, o->ay) * R, b = bend_length(o->bx, o->by) * R * R;
        double far =
            (bend_length(trip.kx, trip.ky) * R * R + bend_length(o->cx, o->cy) * s) * R + r;
        double v = b + far, all = g + a + v;
        double x2 = o->x + o->x, y2 = o->y + o->y, kx = trip.kx;
        double abx = fma(o->ax, o->bx, -(o->ay * o->by)), aby = fma(o->ax, o->by, o->ay * o->bx);
        trip.below &= z + all < 1.98;
        trip.kx = fma(x2, kx, -(y2 * trip.ky)) + 2 * abx;
        trip.ky = fma(x2, trip.ky, y2 * kx) + 2 * aby;
        bend_step(o, at);
        double off = BEND_COEFFICIENTS * (all + s + a * (a + 2 * (b + g))) +
                     return_map_rounding(at, o, y, all * (2 * z + all) + s);
        r = BEND_UP * (2 * (z * r + g * v + a * far) + g * g + v * v + off);
    }
    trip.rest = r;
    return trip;
}

/* The polynomial after p steps, and what it leaves out. 0: it leaves out too much. */
ESCAPE_FN int return_map_make(struct return_map *map, const struct cycle_square *at, int period,
                              double size)
{
    double s = (double)at->spread, Y = RETURN_RADIUS / size;
    const struct bend begin = bend_begin(at->cx, at->cy, 0, 0);
    double e = return_map_rounding(at, &begin, 0, Y * Y + s), R = BEND_UP * (Y * Y + s + 2 * e);
    struct return_trip trip = return_map_trip(at, period, R);
    const struct bend *o = &trip.o;
    double C = bend_length(o->cx, o->cy), K = bend_length(trip.kx, trip.ky);
    double S = BEND_UP * (bend_length(o->ax, o->ay) + C * s +
                          (2 * bend_length(o->bx, o->by) + 3 * K * R) * R);
    double sum = bend_length(o->x, o->y) + bend_length(o->dx, o->dy) * s + S * R;
    double rest = BEND_UP * (trip.rest + S * e + RETURN_ROUNDING * sum);
    map->wx = o->x, map->wy = o->y, map->dx = o->dx, map->dy = o->dy;
    map->ax = o->ax, map->ay = o->ay, map->bx = o->bx, map->by = o->by;
    map->cx = o->cx, map->cy = o->cy, map->kx = trip.kx, map->ky = trip.ky;
    map->c0x = at->cx, map->c0y = at->cy;
    map->most = (float)(Y * (1 - 0x1p-20));
    map->slope = (float)(S * (1 + 0x1p-20));
    map->rest = (float)(rest * (1 + 0x1p-20)) + 0x1p-62f;
    return trip.below && rest < RETURN_ERROR * Y; /* not NaN */
}

/* Finds the map for the pixels of a square: of the returns of the middle's orbit in up to `steps`
 * steps that are nearer to 0 than all before, that of the first at which the square may be in a
 * copy. */
ESCAPE_FN void return_map_find(struct return_map *map, const struct cycle_square *at, int steps)
{
    double x = at->cx, y = at->cy, lx = 1, ly = 0, nearest = 4; /* z_n, A */
    map->period = 0;
    for (int n = 1; n < steps && !map->period; n++) {
        double norm = fma(x, x, y * y), l = fma(lx, lx, ly * ly);
        if (!(norm < 4))
            return;
        if (norm < nearest && n >= RETURN_PERIOD_LEAST &&
            norm * l < RETURN_PARAMETER * RETURN_PARAMETER && return_map_make(map, at, n, sqrt(l)))
            map->period = n;
        nearest = norm < nearest ? norm : nearest;
        double x2 = x + x, y2 = y + y, ax = lx;
        lx = fma(x2, ax, -(y2 * ly));
        ly = fma(x2, ly, y2 * ax);
        QUADRATIC_STEP(f64x1, x, y, at->cx, at->cy);
    }
}

/* Returns that make as many steps as the limit. */
ESCAPE_FN int64_t return_map_returns(const struct return_map *map, int64_t limit)
{
    return (limit + map->period - 1) / map->period;
}

struct return_orbit {
    double x, y;           /* y */
    double dx, dy;         /* d */
    double wx, wy, ax, ay; /* W + D d, A + C d */
    float error;           /* rho */
};

/* The orbit of a pixel of the square, at z = 0. */
ESCAPE_FN struct return_orbit return_map_begin(const struct return_map *map, double cx, double cy)
{
    double u = cx - map->c0x, v = cy - map->c0y;
    struct return_orbit orbit = {0,
                                 0,
                                 u,
                                 v,
                                 map->wx + fma(map->dx, u, -(map->dy * v)),
                                 map->wy + fma(map->dx, v, map->dy * u),
                                 map->ax + fma(map->cx, u, -(map->cy * v)),
                                 map->ay + fma(map->cx, v, map->cy * u),
                                 0};
    return orbit;
}

/* Takes p steps. 0: the map does not bound them. */
ESCAPE_FN int return_map_step(const struct return_map *map, struct return_orbit *orbit)
{
    double x = orbit->x, y = orbit->y;
    float size = cycle_root((float)fma(x, x, y * y));
    int within = size + orbit->error <= map->most;
    orbit->error =
        fmaf(map->slope * orbit->error, fmaf(2.0f, size, orbit->error), map->rest) * CYCLE_UP;
    QUADRATIC_STEP(f64x1, x, y, orbit->dx, orbit->dy); /* t */
    double kx = fma(map->kx, x, fma(-map->ky, y, map->bx));
    double ky = fma(map->kx, y, fma(map->ky, x, map->by));
    double bx = fma(kx, x, fma(-ky, y, orbit->ax)), by = fma(kx, y, fma(ky, x, orbit->ay));
    orbit->x = fma(bx, x, fma(-by, y, orbit->wx));
    orbit->y = fma(bx, y, fma(by, x, orbit->wy));
    return within;
}

/* Do all returns from here on stay in a disc about y? In |z - y| <= eta they do if y' lies within
 * eta less its error of y. eta is large enough where |y' - y| is far below 1 - |the multiplier|. */
ESCAPE_FN int return_map_settles(const struct return_map *map, const struct return_orbit *orbit)
{
    struct return_orbit next = *orbit;
    float size = cycle_root((float)fma(next.x, next.x, next.y * next.y));
    float room = 1 - 2 * map->slope * size;
    return_map_step(map, &next);
    float dx = (float)(next.x - orbit->x), dy = (float)(next.y - orbit->y);
    float moved = cycle_root(fmaf(dx, dx, dy * dy)), eta = 2 * (moved + map->rest) / room;
    eta = eta > orbit->error ? eta : orbit->error;
    float error = fmaf(map->slope * eta, fmaf(2.0f, size, eta), map->rest) * CYCLE_UP;
    return room > 0 && size + eta <= map->most && (moved + error) * CYCLE_UP <= eta;
}

/* 1: no computed orbit of the pixel escapes within the limit. */
ESCAPE_FN int return_map_proves(const struct return_map *map, double cx, double cy, int64_t limit)
{
    struct return_orbit orbit = return_map_begin(map, cx, cy);
    int64_t returns = return_map_returns(map, limit);
    for (int64_t n = 1; n <= returns; n++) {
        if (!return_map_step(map, &orbit))
            return 0;
        if (n % RETURN_CHECK == 0 && return_map_settles(map, &orbit))
            return 1;
    }
    return 1;
}

#endif
