/* Proof that no computed orbit of a square of pixels ever escapes, from their attracting cycle
 * alone: without following an orbit to it, which next to parabolic points takes tens of thousands
 * of steps.
 *
 * Let c = c_0 + d, |d| <= s, f(z) = z^2 + c, F = f^p, and w, D any numbers; the best are a point of
 * a cycle and its derivative by c. For z = w + D d + e, |e| <= R, after k steps
 *     z_k = w_k + D_k d + A e + B e^2 + C e d + rest,  |rest| <= r,
 *     D' = 2 w D + 1,  A' = 2 w A,  B' = 2 w B + A^2,  C' = 2 w C + 2 A D.
 * With g = |D| s, a = |A| R, n = |B| R^2 + |C| R s, what is left out of the square of the sum is
 *     r' = 2 |w| r + g^2 + 2 g n + 2 a n + n^2 + 2 (g + a + n) r + r^2,
 * and roundings; dz_k/de = A + 2 B e + C d + another rest is bounded likewise. So:
 *
 * - F moves w + D d by t_0 at most, and |dF/de| <= L where |e| <= R_0. If t_0 <= (1 - L) R_0, there
 *   is one w* = F(w*) with |e*| <= R_0 for each c, and its |lambda*| <= L. The points w_k, where p
 *   is a multiple of k, are so far from w that p is its period.
 * - With lambda = A after a trip, e' = lambda e + B e^2 + t, |t| <= T for |e| <= R. In the
 *   coordinate u = e + q e^2, q = B / (lambda - lambda^2), the quadratic term is gone:
 *       u' = lambda u + t + q (2 lambda B e^3 + B^2 e^4 + 2 (lambda e + B e^2) t + t^2).
 *   With |e'| <= E = |lambda| R + |B| R^2 + T and U = R (1 - |q| E), |u'| <= U makes |e'| <= R; so
 *   |e| <= R, |u| <= U is mapped into itself if |u'| <= U follows from it. Then the disc
 *   |e| <= U / (1 + |q| R) lies in the immediate basin of w*.
 * - The components V_k of the basin are simply connected. Let phi_k map V_k onto the unit disc,
 *   w*_k to 0. f does not enlarge |phi| (Schwarz), and a trip makes no more of |phi| = x than
 *   x (x + L) / (1 + L x) (Schwarz and Pick). One component holds the critical point 0 (Fatou);
 *   there F is, as a map of the unit disc, u (u + lambda) / (1 + conj(lambda) u), turned, so
 *   |phi(0)| <= (1 - sqrt(1 - L^2)) / L.
 * - A rounding error rho of a step moves phi_k by less than rho kappa_k (1 + x)^3 / (1 - x)
 *   (Koebe), with kappa_k = |phi_k'(w*_k)| <= kappa_0 |2 w*_k ... 2 w*_(p-1)| / |lambda*|
 *   (Schwarz) and kappa_0 one over the radius of a disc about w* in V_0. In a trip it all comes to
 *   h. If (x + h) (x + h + L) / (1 + L (x + h)) + h <= x for an x not below |phi(0)|, no computed
 *   orbit of 0 ever has |phi| > x + h < 1, and no count in the square is anything but 0.
 * - rho is small where a point is known: |z - w*_k| < x / ((1 - x)^2 kappa_k) (Koebe), 1 / kappa_k
 *   <= |2 w*_0 ... 2 w*_(k-1)| / (|lambda*| kappa_0), and |F''(w*)| / 2 <= kappa_0 (2 |lambda -
 *   lambda^2| + 1 - |lambda|^2) (Bieberbach: |a_2| <= 2; Schwarz and Pick).
 *
 * Squares may be so large that lambda changes by a third of 1 - |lambda| in them, and rounding
 * errors end it near |lambda| = 0.99 for a period of 112 where pixels are 2^-43. */
#ifndef KERNELS_ESCAPE_BEND_H
#define KERNELS_ESCAPE_BEND_H

#include "kernels/escape/cycle.h"

enum { BEND_NEWTON_TRIPS = 16 }; /* next to a double root it halves its distance */

#define BEND_UP (1 + 0x1p-40)     /* many times what operations on bounds can lose */
#define BEND_COEFFICIENTS 0x1p-47 /* what a step's roundings of coefficients are of their terms */
#define BEND_REACH 0.6            /* R, of sqrt(1 - |lambda|^2) / |q|, at first */
#define BEND_SIZE_MOST 1e30       /* 1 / kappa_0 is not known */

struct bend {
    double x, y;   /* w_k */
    double dx, dy; /* D */
    double ax, ay; /* A */
    double bx, by; /* B */
    double cx, cy; /* C */
};

ESCAPE_FN double bend_length(double x, double y)
{
    return sqrt(fma(x, x, y * y)) * BEND_UP;
}

ESCAPE_FN struct bend bend_begin(double x, double y, double dx, double dy)
{
    struct bend begin = {x, y, dx, dy, 1, 0, 0, 0, 0, 0};
    return begin;
}

ESCAPE_FN void bend_step(struct bend *o, const struct cycle_square *at)
{
    double x2 = o->x + o->x, y2 = o->y + o->y, ax = o->ax, ay = o->ay, dx = o->dx, dy = o->dy;
    double bx = o->bx, cx = o->cx;
    o->bx = fma(x2, bx, -(y2 * o->by)) + fma(ax, ax, -(ay * ay));
    o->by = fma(x2, o->by, y2 * bx) + 2 * ax * ay;
    o->cx = fma(x2, cx, -(y2 * o->cy)) + 2 * fma(ax, dx, -(ay * dy));
    o->cy = fma(x2, o->cy, y2 * cx) + 2 * fma(ax, dy, ay * dx);
    o->ax = fma(x2, ax, -(y2 * ay));
    o->ay = fma(x2, ay, y2 * ax);
    o->dx = fma(x2, dx, fma(-y2, dy, 1.0));
    o->dy = fma(x2, dy, y2 * dx);
    QUADRATIC_STEP(f64x1, o->x, o->y, at->cx, at->cy);
}

/* Moves w from a point near an attracting cycle onto it, and sets D = dw/dc. 0: none was found. */
ESCAPE_FN int bend_find(struct bend *w, const struct cycle_square *at, int period)
{
    double last = 1;
    for (int trip = 0; trip < BEND_NEWTON_TRIPS; trip++) {
        double x = w->x, y = w->y, lx = 1, ly = 0, dx = 0, dy = 0;
        for (int k = 0; k < period; k++) {
            double x2 = x + x, y2 = y + y, l = fma(x2, lx, -(y2 * ly));
            double d = fma(x2, dx, fma(-y2, dy, 1.0));
            ly = fma(x2, ly, y2 * lx);
            lx = l;
            dy = fma(x2, dy, y2 * dx);
            dx = d;
            QUADRATIC_STEP(f64x1, x, y, at->cx, at->cy);
        }
        double norm = fma(lx, lx, ly * ly), u = 1 - lx, v = -ly, q = 1 / fma(u, u, v * v);
        double ex = (x - w->x) * q, ey = (y - w->y) * q;
        double step_x = fma(ex, u, ey * v), step_y = fma(ey, u, -(ex * v));
        double step = fma(step_x, step_x, step_y * step_y);
        if (!(norm <= 16) || !(step <= last)) /* also NaN */
            return 0;
        *w = bend_begin(w->x + step_x, w->y + step_y, fma(dx, u, dy * v) * q,
                        fma(dy, u, -(dx * v)) * q);
        /* The error left is the step's square; or rounding errors, which the proof bounds. */
        if (step <= 0x1p-80 || (step <= 0x1p-64 && step >= last / 16))
            return norm < 1;
        last = step;
    }
    return 0;
}

/* Rounding error of a step of z^2 + c at |z|: x' is rounded twice, y' once. */
ESCAPE_FN double bend_rounding(double z, double c, double unit)
{
    return 2.5 * unit * fma(z, z, c);
}

struct bend_trip { /* p steps of |e| <= R */
    struct bend o; /* its state behind them */
    double r, t;   /* r, T */
    double slope;  /* bound of the rest of dF/de */
    double errors; /* errors of the pixels' own steps, each times |2 w*_k ... 2 w*_(p-1)| */
    int below;     /* all stays where numbers are below 2 */
};

/* The rounding error of a step to o from points that are no farther than `about` from w_k. */
ESCAPE_FN double bend_error(const struct bend *o, const struct cycle_square *at, double z, double y,
                            double about)
{
    double s = (double)at->spread, unit = (double)at->rounding / 64;
    double c = bend_length(at->cx, at->cy) + s, beta = 0.5 + sqrt(0.25 + c);
    /* No point of the basin is farther out than beta, beta^2 = beta + |c|. */
    double moved = about * (2 * z + about) + s, most = bend_rounding(beta, c, unit);
    double t = fabs(fma(-y, y, at->cx)) + moved;
    double error = unit * bend_length(t + fabs(o->x) + moved, fabs(o->y) + moved) * (1 + 0x1p-20);
    return error < most ? error : most;
}

/* unit: that of the pixels' rounding errors, for F as it is computed; 0: for F itself. farther:
 * bounds the distance of points from w*_k, over |dz_k/de|, where e* is one of |e| <= R. */
ESCAPE_FN struct bend_trip bend_trip(const struct bend *w, const struct cycle_square *at,
                                     int period, double R, double unit, double farther)
{
    struct bend_trip trip = {*w, 0, 0, 0, 0, 1};
    struct bend *o = &trip.o;
    double s = (double)at->spread, r = 0, slope = 0, of_c = bend_length(at->cx, at->cy);
    for (int k = 0; k < period; k++) {
        double z = bend_length(o->x, o->y), y = o->y, g = bend_length(o->dx, o->dy) * s;
        double A = bend_length(o->ax, o->ay), B = bend_length(o->bx, o->by) * R;
        double C = bend_length(o->cx, o->cy) * s, a = A * R, n = (B + C) * R;
        double all = g + a + n + r, v = C + 2 * B + slope;
        trip.below &= z + all < 1.98;
        slope = BEND_UP * 2 *
                (z * slope + A * (n + r) + all * v + BEND_COEFFICIENTS * (A + C + B + A * (g + a)));
        double off = BEND_COEFFICIENTS * (all + s + a * (a + 2 * g)) +
                     bend_rounding(z, of_c, 0x1p-53) + /* w's own */
                     bend_rounding(2, 2, unit);
        r = BEND_UP * (2 * (z * r + (g + a) * n + (all - r) * r) + g * g + n * n + r * r + off);
        bend_step(o, at);
        double error = farther > 0 ? bend_error(o, at, z, y, all + (A + v) * farther) : 0;
        trip.errors = BEND_UP * fma(2 * (z + all), trip.errors, error);
    }
    trip.r = r;
    trip.slope = slope;
    trip.t =
        BEND_UP * (r + bend_length(o->x - w->x, o->y - w->y) +
                   s * (bend_length(o->dx - w->dx, o->dy - w->dy) + bend_length(o->cx, o->cy) * R));
    return trip;
}

/* Is the region |e| <= R, |u| <= U mapped into itself? Then the radius of a disc in it, else 0. */
ESCAPE_FN double bend_disc(const struct bend_trip *trip, double q, double R)
{
    const struct bend *o = &trip->o;
    double L = bend_length(o->ax, o->ay), B = bend_length(o->bx, o->by) * R * R, T = trip->t;
    double E = BEND_UP * (L * R + B + T), U = R * (1 - q * E) * (1 - 0x1p-30);
    double next = L * U + T + q * (2 * L * R * B + B * B + 2 * (L * R + B) * T + T * T);
    int holds = trip->below && q * E < 0.5 && next + 0x1p-30 * R <= U;
    return holds ? U / (1 + q * R) * (1 - 0x1p-30) : 0;
}

/* Bounds for the cycle of every c of the square. */
struct bend_facts {
    double near_w;                    /* distance of w* from w + D d at most */
    double lambda_least, lambda_most; /* bounds of |lambda*| */
    double reach, q;                  /* R of a region that is mapped into itself, and its |q| */
    double disc;                      /* radius of a disc about w* in V_0 */
    double size;                      /* 1 / kappa_0 at most */
};

/* Is p the period, and not a multiple of it? */
ESCAPE_FN int bend_is_shortest(const struct bend *w, const struct cycle_square *at, int period,
                               const struct bend_facts *facts)
{
    struct bend o = *w;
    double s = (double)at->spread, near_w = facts->near_w, of_c = bend_length(at->cx, at->cy);
    for (int k = 1; 2 * k <= period; k++) {
        double z = bend_length(o.x, o.y), g = bend_length(o.dx, o.dy) * s;
        near_w = BEND_UP * (2 * (z + g) * near_w + (near_w + g) * (near_w + g) +
                            bend_rounding(z, of_c, 0x1p-52) + BEND_COEFFICIENTS * (g + s));
        bend_step(&o, at);
        double apart = bend_length(o.x - w->x, o.y - w->y) * (1 - 0x1p-30);
        double slope = bend_length(o.dx - w->dx, o.dy - w->dy) * s;
        if (period % k == 0 && !(apart > 2 * (near_w + facts->near_w + slope)))
            return 0;
    }
    return 1;
}

/* Do rounding errors leave all orbits in the basin? */
ESCAPE_FN int bend_stays(const struct bend *w, const struct cycle_square *at, int period,
                         const struct bend_facts *facts)
{
    double L = facts->lambda_most, x = (1 - sqrt((1 - L) * (1 + L))) / L * BEND_UP;
    double far = x + 0.05 * (1 - x), koebe = (1 + far) * (1 + far) * (1 + far) / (1 - far);
    double farther = facts->size / facts->lambda_least * far / ((1 - far) * (1 - far));
    struct bend_trip trip = bend_trip(w, at, period, facts->near_w, 0, farther);
    double h = koebe / (facts->disc * facts->lambda_least) * trip.errors * (1 + 0x1p-20), y = x + h;
    return y < far && y * (y + L) / (1 + L * y) + h + 0x1p-30 * (1 - L) * (1 - x) <= x;
}

/* Bounds kappa_0 from both sides, with near_w known. 0: not found. */
ESCAPE_FN int bend_measure(const struct bend *w, const struct cycle_square *at, int period,
                           const struct bend *o, struct bend_facts *facts)
{
    double px = o->ax - fma(o->ax, o->ax, -(o->ay * o->ay)), py = o->ay - 2 * o->ax * o->ay;
    double L = bend_length(o->ax, o->ay), rest = (1 - L) * (1 + L), way = bend_length(px, py);
    double q = bend_length(o->bx, o->by) / way * BEND_UP, near_w = facts->near_w, disc = 0;
    for (double R = BEND_REACH * sqrt(rest) / q; !(disc > 0) && R > 8 * near_w; R /= 2) {
        struct bend_trip trip = bend_trip(w, at, period, R, 0, 0);
        disc = bend_disc(&trip, q, R);
        facts->reach = R;
    }
    facts->q = q;
    if (!(disc > 2 * near_w))
        return 0;
    double R = disc / 8 > 2 * near_w ? disc / 8 : 2 * near_w; /* Cauchy's formula for F'' */
    struct bend_trip trip = bend_trip(w, at, period, R, 0, 0);
    double bent = bend_length(o->bx, o->by) * (1 - 0x1p-30) - 4 * trip.r / (R * R);
    facts->disc = disc - near_w;
    facts->size = trip.below && bent > 0
                      ? (2 * way + rest + 8 * (facts->lambda_most - L) + 0x1p-30) / bent
                      : BEND_SIZE_MOST;
    return 1;
}

/* Distance from w + D d within which a computed orbit never leaves again; 0: not known. */
ESCAPE_FN double bend_trap(const struct bend *w, const struct cycle_square *at, int period,
                           const struct bend_facts *facts)
{
    double unit = (double)at->rounding / 64;
    struct bend_trip trip = bend_trip(w, at, period, facts->reach, unit, 0);
    double disc = bend_disc(&trip, facts->q, facts->reach) - 64 * unit; /* w + D d is rounded */
    return disc > 0 ? disc * (1 - 0x1p-20) : 0;
}

/* 1: no orbit of the square ever escapes. w: a point near the cycle of c_0; becomes one of the
 * cycle where the result is not below 0: then smaller squares may be proven. *trap: bend_trap. */
ESCAPE_FN int bend_proves(struct bend *w, const struct cycle_square *at, int period, double *trap)
{
    *trap = 0;
    if (!bend_find(w, at, period))
        return -1;
    struct bend_trip trip = bend_trip(w, at, period, 0, 0, 0);
    double L = bend_length(trip.o.ax, trip.o.ay), t = trip.t;
    if (!trip.below || !(L > 0.125 && L < 1)) /* below, discs are proven (cycle.h) */
        return 0;
    struct bend_facts facts = {4 * t / (1 - L), 0, 0, 0, 0, 0, 0};
    trip = bend_trip(w, at, period, facts.near_w, 0, 0);
    double off = BEND_UP * (bend_length(trip.o.cx, trip.o.cy) * (double)at->spread +
                            2 * bend_length(trip.o.bx, trip.o.by) * facts.near_w + trip.slope) +
                 0x1p-30 * (1 - L);
    facts.lambda_least = L - off;
    facts.lambda_most = L + off;
    if (!trip.below || !(off < L / 2 && t <= (1 - facts.lambda_most) * facts.near_w) ||
        !bend_measure(w, at, period, &trip.o, &facts))
        return 0;
    if (bend_is_shortest(w, at, period, &facts) && bend_stays(w, at, period, &facts))
        return 1;
    *trap = bend_trap(w, at, period, &facts);
    return 0;
}

struct bend_seed { /* a cycle that was found nearby */
    struct bend w;
    double cx, cy;
    int period;  /* 0: none was found */
    double trap; /* bend_trap of the last square whose cycle was found */
};

ESCAPE_FN int bend_seed_tries(struct bend_seed *seed, const struct bend *from,
                              const struct cycle_square *at, int period)
{
    struct bend w = *from;
    int proven = bend_proves(&w, at, period, &seed->trap);
    if (proven >= 0) {
        seed->w = w;
        seed->cx = at->cx;
        seed->cy = at->cy;
        seed->period = period;
    }
    return proven;
}

/* As bend_proves, from the cycle nearby. */
ESCAPE_FN int bend_from_seed(struct bend_seed *seed, const struct cycle_square *at)
{
    const struct bend *w = &seed->w;
    double u = at->cx - seed->cx, v = at->cy - seed->cy;
    if (!seed->period)
        return -1;
    struct bend moved =
        bend_begin(w->x + fma(w->dx, u, -(w->dy * v)), w->y + fma(w->dx, v, w->dy * u), 0, 0);
    return bend_seed_tries(seed, &moved, at, seed->period);
}

/* As bend_proves, from up to `steps` steps of the middle's orbit. */
ESCAPE_FN int bend_from_orbit(struct bend_seed *seed, const struct cycle_square *at, int steps)
{
    double x = 0, y = 0;
    struct cycle_return back = {0, 0, 1, 0, 0};
    for (int n = 0, next = CYCLE_FIRST_TRY; n < steps && fma(x, x, y * y) < 16;) {
        for (int end = n + CYCLE_CHECK; n < end; n++) {
            QUADRATIC_STEP(f64x1, x, y, at->cx, at->cy);
            cycle_return_step(&back, x, y);
        }
        if (n < next)
            continue;
        struct bend w = bend_begin(x, y, 0, 0);
        int period = back.period <= n / CYCLE_TRIPS ? back.period : 0;
        int proven = period ? bend_seed_tries(seed, &w, at, period) : -1;
        if (proven >= 0)
            return proven;
        const struct cycle_return from_here = {x, y, 1, 0, 0};
        back = from_here;
        next = 2 * n;
    }
    return -1;
}

#endif
