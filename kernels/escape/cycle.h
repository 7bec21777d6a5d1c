/* Proof that an orbit has come so close to an attracting cycle that it can never leave. It is
 * the proof of trap.h with the disc where it is largest: about a point of the cycle, found by
 * Newton's method, and not about wherever the orbit happens to stand.
 *
 * Let w be any point, D any number, and let a disc of radius R about w + D d be carried through p
 * steps as in trap.h: r = R at first. If then |w_p - w| + |D_p - D| s + r_p <= R, the disc of every
 * c = c_0 + d, |d| <= s, has been mapped into itself by the steps as they are computed. So if also
 * every computed orbit stands in its disc at one time, |z_n - w| + |D_n - D| s + r_n <= R, no count
 * of the square is anything but 0, whatever the limit. w and D may come from anywhere, so that no
 * error in them can make the proof wrong; the best are a point of the cycle and its derivative by
 * c. For one pixel, s = 0 and r_n = 0, z_n is its own state, computed in whatever number type.
 *
 * What is gained: with lambda the multiplier of the cycle and curvatures near 1, a disc about the
 * orbit maps into itself when the orbit is within (1 - |lambda|)^2 / 4 of the cycle, this one when
 * it is within 1 - |lambda|; and squares can be proven with 4 |D| s <= 1 - |lambda|.
 *
 * The period is the first step after which the orbit is back much nearer to where it was than at
 * any step before. A multiple of the true period, taken by mistake, does as well. */
#ifndef KERNELS_ESCAPE_CYCLE_H
#define KERNELS_ESCAPE_CYCLE_H

#include "kernels/escape/quadratic.h"
#include "kernels/escape/trap.h"

enum {
    CYCLE_NEWTON_TRIPS = 6, /* Newton's method converges quadratically, or is given up */
    CYCLE_CHECK = 32,       /* steps between tests of a square's orbit */
    CYCLE_FIRST_TRY = 64,   /* steps of a square's orbit; the next are twice as many each */
    CYCLE_TRIPS = 8         /* so many periods are behind an orbit whose square is tried */
};

/* Radii and derivatives are fp32, rounded up: z alone needs its digits. Every radius grows by this
 * factor, many times what the operations on it can lose. */
#define CYCLE_UP (1 + 0x1p-20f)
/* D' is computed in fp32 too, and so is off by less than 2^-24 (3 + 36 |D|): counting its roundings
 * and those of z, each below 2^-24 of its size. Multiplied by s this goes into r'. */
#define CYCLE_SLOPE_ERROR 0x1p-18f  /* share of |D| s */
#define CYCLE_SPREAD_ERROR 0x1p-20f /* share of s */

/* |(x, y)| from the sum of squares, never too small, six digits good. */
ESCAPE_FN float cycle_root(float a)
{
    float root;
#ifdef __CUDA_ARCH__
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(a)); /* relative error 2^-23 */
#else
    root = sqrtf(a);
#endif
    return fmaf(root, CYCLE_UP, 0x1p-62f); /* also where a is flushed to 0 */
}

struct cycle_orbit { /* a disc of radius r about z + D d */
    double x, y;     /* z */
    float a, b;      /* D */
    float r;
};

struct cycle_square { /* the c of a square, or of one pixel, that a proof is for */
    double cx, cy;    /* c_0 */
    float spread;     /* s: no c is farther from it; 0 for one pixel */
    float rounding;   /* TRAP_ROUNDING_* of the number type that orbits are computed in */
};

/* Moves w->x, y from a point near the cycle onto it, and sets w->a, b = dw/dc. 0: no attracting
 * cycle of this period was found.
 *     w <- w + (w_p - w) / (1 - lambda),  lambda = prod 2 w_k,  dw/dc = (d w_p / dc) / (1 - lambda)
 */
ESCAPE_FN int cycle_find(struct cycle_orbit *w, const struct cycle_square *at, int period)
{
    double from_x = w->x, from_y = w->y;
    float last = 1;
    for (int trip = 0; trip < CYCLE_NEWTON_TRIPS; trip++) {
        double x = w->x, y = w->y;
        float lx = 1, ly = 0, a = 0, b = 0;
        for (int k = 0; k < period; k++) {
            float x2 = 2 * (float)x, y2 = 2 * (float)y, l = fmaf(x2, lx, -(y2 * ly));
            float d = fmaf(x2, a, fmaf(-y2, b, 1.0f));
            ly = fmaf(x2, ly, y2 * lx);
            lx = l;
            b = fmaf(x2, b, y2 * a);
            a = d;
            QUADRATIC_STEP(f64x1, x, y, at->cx, at->cy);
        }
        float lambda = fmaf(lx, lx, ly * ly);
        if (!(lambda <= 4)) /* also NaN */
            return 0;
        float u = 1 - lx, v = -ly, q = 1 / fmaf(u, u, v * v); /* 1 / (1 - lambda) = (u - i v) q */
        float ex = (float)(x - w->x) * q, ey = (float)(y - w->y) * q;
        float step_x = fmaf(ex, u, ey * v), step_y = fmaf(ey, u, -(ex * v));
        w->x += (double)step_x;
        w->y += (double)step_y;
        w->a = fmaf(a, u, b * v) * q;
        w->b = fmaf(b, u, -(a * v)) * q;
        float dx = (float)(w->x - from_x), dy = (float)(w->y - from_y);
        float step = fmaf(step_x, step_x, step_y * step_y);
        /* The error left is the square of this step: far below the disc's radius. */
        if (step <= fmaf(0x1p-16f, fmaf(dx, dx, dy * dy), 0x1p-94f))
            return lambda < 1;
        if (!(step <= last / 4)) /* does not converge */
            return 0;
        last = step;
    }
    return 0;
}

/* The radius about w + D d within which the disc `o` lies for every d. */
ESCAPE_FN float cycle_radius_with(const struct cycle_orbit *w, const struct cycle_orbit *o,
                                  float spread)
{
    float dx = (float)(o->x - w->x), dy = (float)(o->y - w->y), da = o->a - w->a, db = o->b - w->b;
    float z = cycle_root(fmaf(dx, dx, dy * dy)), d = cycle_root(fmaf(da, da, db * db));
    return (fmaf(d, spread, z) + o->r) * CYCLE_UP;
}

/* One step of a disc; 0 if the theorem does not allow it. */
ESCAPE_FN int cycle_step(struct cycle_orbit *o, const struct cycle_square *at)
{
    float x = (float)o->x, y = (float)o->y, a = o->a, b = o->b, s = at->spread;
    float norm = fmaf(x, x, y * y), z = cycle_root(norm), d = cycle_root(fmaf(a, a, b * b));
    float reach = fmaf(d, s, o->r) * CYCLE_UP, x2 = x + x, y2 = y + y;
    float square =
        fmaf(reach, reach + CYCLE_SLOPE_ERROR, fmaf(s, CYCLE_SPREAD_ERROR, at->rounding));
    o->r = fmaf(z + z, o->r, square) * CYCLE_UP;
    o->a = fmaf(x2, a, fmaf(-y2, b, 1.0f));
    o->b = fmaf(x2, b, y2 * a);
    QUADRATIC_STEP(f64x1, o->x, o->y, at->cx, at->cy);
    return (norm <= (float)TRAP_NORM_MAX) & (reach <= (float)TRAP_RADIUS_MAX);
}

/* Takes `steps` steps. Not left early: short steps of few threads are all latency. */
ESCAPE_FN int cycle_steps(struct cycle_orbit *o, const struct cycle_square *at, int steps)
{
    int allowed = 1;
    for (int k = 0; k < steps; k++)
        allowed &= cycle_step(o, at);
    return allowed;
}

/* Is the disc w mapped into itself by `period` steps? */
ESCAPE_FN int cycle_traps(const struct cycle_orbit *w, const struct cycle_square *at, int period)
{
    struct cycle_orbit o = *w;
    return cycle_steps(&o, at, period) & (cycle_radius_with(w, &o, at->spread) <= w->r);
}

struct cycle_curve { /* z_k = w_k + A e + B e^2 about a cycle */
    double x, y;     /* w_k */
    double ax, ay;   /* A */
    double bx, by;   /* B */
};

ESCAPE_FN double cycle_length(double x, double y)
{
    return (double)cycle_root((float)fma(x, x, y * y));
}

/* A' = 2 w A,  B' = 2 w B + A^2; each component is off by less than 2^-50 of these products. */
ESCAPE_FN void cycle_curve_step(struct cycle_curve *c, const struct cycle_square *at)
{
    double x2 = c->x + c->x, y2 = c->y + c->y, ax = c->ax, ay = c->ay, bx = c->bx;
    c->bx = fma(x2, bx, -(y2 * c->by)) + fma(ax, ax, -(ay * ay));
    c->by = fma(x2, c->by, y2 * bx) + 2 * ax * ay;
    c->ax = fma(x2, ax, -(y2 * ay));
    c->ay = fma(x2, ay, y2 * ax);
    QUADRATIC_STEP(f64x1, c->x, c->y, at->cx, at->cy);
}

/* The proof for one pixel with a quadratic term. Is z, at w + e, in a region about w that
 * `period` steps map into itself?
 *     z_k = w_k + A e + B e^2 + rest,  |rest| <= r for |e| <= R:
 *     r' = 2 |w| r + 2 |A B| R^3 + |B|^2 R^4 + 2 (|A| R + |B| R^2) r + r^2 + 4 rho
 * After the trip e' = lambda e + B e^2 + t with |t| <= T = r + |w_p - w|. In the coordinate
 * u = e + a e^2 with a = B / (lambda - lambda^2) the quadratic term is gone:
 *     u' = lambda u + t + a (2 lambda B e^3 + B^2 e^4 + 2 (lambda e + B e^2) t + t^2)
 * With |e'| <= E = |lambda| R + |B| R^2 + T and U = R (1 - |a| E), |u'| <= U makes |e'| <= R; so
 * the region |e| <= R, |u| <= U is mapped into itself if |u'| <= U follows from it. R may be near
 * sqrt(1 - |lambda|), where the radius of a disc had to be below 1 - |lambda|. */
ESCAPE_FN int cycle_bends(const struct cycle_orbit *w, double zx, double zy,
                          const struct cycle_square *at, int period)
{
    const struct cycle_curve begin = {w->x, w->y, 1, 0, 0, 0};
    struct cycle_curve c = begin;
    for (int k = 0; k < period; k++)
        cycle_curve_step(&c, at);
    double px = c.ax - fma(c.ax, c.ax, -(c.ay * c.ay)), py = c.ay - 2 * c.ax * c.ay;
    double q = 1 / fma(px, px, py * py); /* 1 / (lambda - lambda^2) = (px - i py) q */
    double ax = fma(c.bx, px, c.by * py) * q, ay = fma(c.by, px, -(c.bx * py)) * q;
    double ex = zx - w->x, ey = zy - w->y, eex = fma(ex, ex, -(ey * ey)), eey = 2 * ex * ey;
    double e = cycle_length(ex, ey), a = cycle_length(ax, ay);
    double u = cycle_length(ex + fma(ax, eex, -(ay * eey)), ey + fma(ax, eey, ay * eex));
    double least = e > u ? e : u, R = 1.001 * least / (1 - 1.3 * a * least); /* about enough */
    if (!(a * R < 0.4))
        return 0;
    double r = 0, up = 1 + 0x1p-18;
    int below = 1;
    c = begin;
    for (int k = 0; k < period; k++) {
        double z = cycle_length(c.x, c.y), A = cycle_length(c.ax, c.ay) * R;
        double B = cycle_length(c.bx, c.by) * R * R, off = 0x1p-48 * (A + B + A * A);
        below &= z + A + B + r < 1.98;
        r = up * (2 * (z * r + A * B + (A + B) * r) + B * B + r * r + at->rounding + off);
        cycle_curve_step(&c, at);
    }
    double T = r + cycle_length(c.x - w->x, c.y - w->y);
    double L = cycle_length(c.ax, c.ay), B = cycle_length(c.bx, c.by) * R * R;
    double E = up * (L * R + B + T), U = R * (1 - a * E) * (1 - 0x1p-40);
    double next = L * U + T + a * (2 * L * R * B + B * B + 2 * (L * R + B) * T + T * T);
    return below && a * E < 0.5 && e <= R && u <= U && next + 0x1p-40 * R <= U;
}

/* Tries the proofs for orbits that now stand in the disc `now`: a whole square's, or that of one
 * pixel, spread and radius 0. 1: none of them ever escapes. */
ESCAPE_FN int cycle_proves(const struct cycle_orbit *now, const struct cycle_square *at, int period)
{
    struct cycle_orbit w = *now;
    if (!cycle_find(&w, at, period))
        return 0;
    /* The radius is as small as possible, but spread and rounding errors are not to exceed it. */
    float entry = cycle_radius_with(&w, now, at->spread);
    float least = cycle_root(fmaf(w.a, w.a, w.b * w.b)) * fmaf(16.0f, at->rounding, at->spread);
    w.r = (entry > least ? entry : least) * (1 + 0x1p-10f);
    if (cycle_traps(&w, at, period))
        return 1;
    return at->spread == 0 && now->r == 0 && cycle_bends(&w, now->x, now->y, at, period);
}

struct cycle_return { /* how an orbit comes back to where it was */
    double x, y;      /* where it was */
    float nearest;    /* squared distance of the nearest return; 1 at first */
    int steps;        /* steps since it was there */
    int period;       /* steps to the nearest return; 0: never near */
};

/* The orbit takes a step, to (x, y). */
ESCAPE_FN void cycle_return_step(struct cycle_return *back, double x, double y)
{
    float dx = (float)(x - back->x), dy = (float)(y - back->y), distance = fmaf(dx, dx, dy * dy);
    back->steps++;
    if (16 * distance < back->nearest) { /* a quarter of the distance */
        back->nearest = distance;
        back->period = back->steps;
    }
}

/* After how many steps, at most `most`, does the orbit of (x, y) come back to it? 0: never near. */
ESCAPE_FN int cycle_period(double x, double y, const struct cycle_square *at, int most)
{
    struct cycle_return back = {x, y, 1, 0, 0};
    for (int k = 0; k < most; k++) {
        QUADRATIC_STEP(f64x1, x, y, at->cx, at->cy);
        cycle_return_step(&back, x, y);
    }
    return back.period;
}

/* Tries to prove a whole square from the orbit of its middle, in up to `steps` steps. The period
 * with which the proof succeeded, or 0.
 *
 * Few threads do this while others wait, so what counts is the number of steps one after the other:
 * the orbit is watched for returns to where the last try was, instead of searching from here; and a
 * long period waits until many of its trips are behind, as Newton's method takes several more. */
ESCAPE_FN int cycle_proves_square(const struct cycle_square *at, int steps)
{
    struct cycle_orbit o = {0, 0, 0, 0, 0};
    struct cycle_return back = {0, 0, 1, 0, 0};
    for (int n = 0, next = CYCLE_FIRST_TRY; n < steps;) {
        int allowed = 1; /* not left early, as in cycle_steps */
        for (int end = n + CYCLE_CHECK; n < end; n++) {
            allowed &= cycle_step(&o, at);
            cycle_return_step(&back, o.x, o.y);
        }
        if (!allowed)
            return 0;
        if (n < next)
            continue;
        int period = back.period <= n / CYCLE_TRIPS ? back.period : 0;
        if (period && cycle_proves(&o, at, period))
            return period;
        const struct cycle_return from_here = {o.x, o.y, 1, 0, 0};
        back = from_here;
        next = 2 * n;
    }
    return 0;
}

#endif
