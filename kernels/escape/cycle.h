/* Has an orbit come so close to an attracting cycle that it can never leave? The proof of trap.h
 * with the disc where it is largest: about a point of the cycle, found by Newton's method, and not
 * about wherever the orbit happens to stand.
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

#include "kernels/escape/trap.h"

enum {
    CYCLE_NEWTON_TRIPS = 6, /* it converges quadratically, or this is not the place for it */
    CYCLE_CHECK = 32,       /* steps between looks at a square's orbit */
    CYCLE_FIRST_TRY = 64    /* steps of a square's orbit; the next are 1.5 times as many each */
};

/* Radii and derivatives are fp32, rounded up: z alone needs its digits. Every radius grows by this
 * factor, many times what the operations on it can lose. */
#define CYCLE_UP (1 + 0x1p-20f)
/* D' is computed in fp32 too, and so is off by less than 2^-24 (3 + 36 |D|): counting its roundings
 * and those of z, each below 2^-24 of its size. Multiplied by s this goes into r'. */
#define CYCLE_SLOPE_ERROR 0x1p-18f  /* of |D| s */
#define CYCLE_SPREAD_ERROR 0x1p-20f /* of s */

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

struct cycle_orbit { /* a disc: of radius r about z + D d */
    double x, y;     /* z */
    float a, b;      /* D */
    float r;
};

struct cycle_place { /* what is to be proven */
    double cx, cy;   /* c_0 */
    float spread;    /* s: no c is farther from it; 0 for one pixel */
    float rounding;  /* TRAP_ROUNDING_* of the number type that orbits are computed in */
};

/* Moves w->x, y from a point near the cycle onto it, and sets w->a, b = dw/dc. 0: no attracting
 * cycle of this period was found.
 *     w <- w + (w_p - w) / (1 - lambda),  lambda = prod 2 w_k,  dw/dc = (d w_p / dc) / (1 - lambda)
 */
ESCAPE_FN int cycle_find(struct cycle_orbit *w, const struct cycle_place *at, int period)
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
            MANDELBROT_STEP(f64x1, x, y, at->cx, at->cy);
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
        /* What is left of the error is the square of this step: far below the disc's radius. */
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
ESCAPE_FN int cycle_step(struct cycle_orbit *o, const struct cycle_place *at)
{
    float x = (float)o->x, y = (float)o->y, a = o->a, b = o->b, s = at->spread;
    float norm = fmaf(x, x, y * y), z = cycle_root(norm), d = cycle_root(fmaf(a, a, b * b));
    float reach = fmaf(d, s, o->r) * CYCLE_UP, x2 = x + x, y2 = y + y;
    float square =
        fmaf(reach, reach + CYCLE_SLOPE_ERROR, fmaf(s, CYCLE_SPREAD_ERROR, at->rounding));
    o->r = fmaf(z + z, o->r, square) * CYCLE_UP;
    o->a = fmaf(x2, a, fmaf(-y2, b, 1.0f));
    o->b = fmaf(x2, b, y2 * a);
    MANDELBROT_STEP(f64x1, o->x, o->y, at->cx, at->cy);
    return (norm <= (float)TRAP_NORM_MAX) & (reach <= (float)TRAP_RADIUS_MAX);
}

/* So many steps. Not left early: short steps of few threads are all latency. */
ESCAPE_FN int cycle_steps(struct cycle_orbit *o, const struct cycle_place *at, int steps)
{
    int allowed = 1;
    for (int k = 0; k < steps; k++)
        allowed &= cycle_step(o, at);
    return allowed;
}

/* Is the disc w mapped into itself by `period` steps? */
ESCAPE_FN int cycle_traps(const struct cycle_orbit *w, const struct cycle_place *at, int period)
{
    struct cycle_orbit o = *w;
    return cycle_steps(&o, at, period) & (cycle_radius_with(w, &o, at->spread) <= w->r);
}

/* Tries the proof for orbits that now stand in the disc `now`. 1: none of them ever escapes. */
ESCAPE_FN int cycle_proves(const struct cycle_orbit *now, const struct cycle_place *at, int period)
{
    struct cycle_orbit w = *now;
    if (!cycle_find(&w, at, period))
        return 0;
    /* As small as it may be; but not so small that the spread, or rounding errors, push it out. */
    float entry = cycle_radius_with(&w, now, at->spread);
    float least = cycle_root(fmaf(w.a, w.a, w.b * w.b)) * fmaf(16.0f, at->rounding, at->spread);
    w.r = (entry > least ? entry : least) * (1 + 0x1p-10f);
    return cycle_traps(&w, at, period);
}

/* After how many steps, at most `most`, does the orbit of (x, y) come back to it? 0: never near. */
ESCAPE_FN int cycle_period(double x, double y, const struct cycle_place *at, int most)
{
    double from_x = x, from_y = y;
    float nearest = 1;
    int period = 0;
    for (int k = 1; k <= most; k++) {
        MANDELBROT_STEP(f64x1, x, y, at->cx, at->cy);
        float dx = (float)(x - from_x), dy = (float)(y - from_y), distance = fmaf(dx, dx, dy * dy);
        if (16 * distance < nearest) { /* a quarter of the distance */
            nearest = distance;
            period = k;
        }
    }
    return period;
}

/* Tries to prove a whole square from the orbit of its middle, in up to `steps` steps. The period
 * with which the proof succeeded, or 0. */
ESCAPE_FN int cycle_proves_square(const struct cycle_place *at, int steps)
{
    struct cycle_orbit o = {0, 0, 0, 0, 0};
    int next = CYCLE_FIRST_TRY;
    for (int n = CYCLE_CHECK; n <= steps && cycle_steps(&o, at, CYCLE_CHECK); n += CYCLE_CHECK)
        if (n >= next) {
            next += next / 2;
            int period = cycle_period(o.x, o.y, at, n / 4);
            if (period && cycle_proves(&o, at, period))
                return period;
        }
    return 0;
}

#endif
