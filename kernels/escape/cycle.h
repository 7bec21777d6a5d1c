/* Has an orbit come so close to an attracting cycle that it can never leave? The proof of trap.h
 * with the disc where it is largest: about a point of the cycle, found by Newton's method, and not
 * about wherever the orbit happens to stand.
 *
 * Let w be any point, D any number, and let a disc of radius R about w + D d be carried through p
 * steps by TRAP_STEP: r = R at first. If then |w_p - w| + |D_p - D| s + r_p <= R, the disc of every
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
    CYCLE_FIRST_TRY = 64    /* steps of a square's orbit; the next are 1.5 times as many each */
};

/* The vocabulary of lanes.h for TRAP_STEP, with a square root that is never too small and seven
 * digits good: a double one costs as much as ten steps. */
#define cycle_up_add f64x1_add
#define cycle_up_mul f64x1_mul
#define cycle_up_fma f64x1_fma
#define cycle_up_fnma f64x1_fnma

ESCAPE_FN double cycle_up_sqrt(double a)
{
    float root;
#ifdef __CUDA_ARCH__
    asm("sqrt.approx.f32 %0, %1;" : "=f"(root) : "f"((float)a)); /* relative error 2^-23 */
#else
    root = sqrtf((float)a);
#endif
    /* and two roundings; 2^-70: numbers that are 0 in fp32 */
    return fma((double)root, 1 + 0x1p-20, 0x1p-70);
}

struct cycle_orbit { /* a disc: of radius r about z + D d */
    double x, y;     /* z */
    double a, b;     /* D */
    double r;
};

struct cycle_place { /* what is to be proven */
    double cx, cy;   /* c_0 */
    double spread;   /* s: no c is farther from it; 0 for one pixel */
    double rounding; /* TRAP_ROUNDING_* of the number type that orbits are computed in */
};

/* Moves w->x, y from a point near the cycle onto it, and sets w->a, b = dw/dc. 0: no attracting
 * cycle of this period was found.
 *     w <- w + (w_p - w) / (1 - lambda),  lambda = prod 2 w_k,  dw/dc = (d w_p / dc) / (1 - lambda)
 */
ESCAPE_FN int cycle_find(struct cycle_orbit *w, const struct cycle_place *at, int period)
{
    double from_x = w->x, from_y = w->y;
    for (int trip = 0; trip < CYCLE_NEWTON_TRIPS; trip++) {
        double x = w->x, y = w->y, lx = 1, ly = 0, a = 0, b = 0;
        for (int k = 0; k < period; k++) {
            double x2 = x + x, y2 = y + y, l = fma(x2, lx, -(y2 * ly));
            double d = fma(x2, a, fma(-y2, b, 1.0));
            ly = fma(x2, ly, y2 * lx);
            lx = l;
            b = fma(x2, b, y2 * a);
            a = d;
            MANDELBROT_STEP(f64x1, x, y, at->cx, at->cy);
        }
        double lambda = fma(lx, lx, ly * ly);
        if (!(lambda <= 4)) /* also NaN */
            return 0;
        double u = 1 - lx, v = -ly, q = 1 / fma(u, u, v * v); /* 1 / (1 - lambda) = (u - i v) q */
        double ex = (x - w->x) * q, ey = (y - w->y) * q;
        double step_x = fma(ex, u, ey * v), step_y = fma(ey, u, -(ex * v));
        w->x += step_x;
        w->y += step_y;
        w->a = fma(a, u, b * v) * q;
        w->b = fma(b, u, -(a * v)) * q;
        double dx = w->x - from_x, dy = w->y - from_y, step = fma(step_x, step_x, step_y * step_y);
        /* What is left of the error is the square of this step: far below the disc's radius. */
        if (step <= fma(0x1p-16, fma(dx, dx, dy * dy), 0x1p-94))
            return lambda < 1;
    }
    return 0;
}

/* The radius about w + D d within which the disc `o` lies for every d. */
ESCAPE_FN double cycle_radius_with(const struct cycle_orbit *w, const struct cycle_orbit *o,
                                   double spread)
{
    double dx = o->x - w->x, dy = o->y - w->y, da = o->a - w->a, db = o->b - w->b;
    double z = cycle_up_sqrt(fma(dx, dx, dy * dy)), d = cycle_up_sqrt(fma(da, da, db * db));
    return (fma(d, spread, z) + o->r) * TRAP_UP_FP64;
}

/* One step of a disc; 0 if the theorem does not allow it. */
ESCAPE_FN int cycle_step(struct cycle_orbit *o, const struct cycle_place *at)
{
    double reach;
    int inside = MANDELBROT_NORM(f64x1, o->x, o->y) <= TRAP_NORM_MAX;
    TRAP_STEP(cycle_up, o->x, o->y, o->a, o->b, o->r, reach, at->cx, at->cy, at->spread, 1.0, 2.0,
              at->rounding, TRAP_UP_FP64);
    return inside & (reach <= TRAP_RADIUS_MAX);
}

/* Is the disc w mapped into itself by `period` steps? */
ESCAPE_FN int cycle_traps(const struct cycle_orbit *w, const struct cycle_place *at, int period)
{
    struct cycle_orbit o = *w;
    for (int k = 0; k < period; k++)
        if (!cycle_step(&o, at))
            return 0;
    return cycle_radius_with(w, &o, at->spread) <= w->r;
}

/* Tries the proof for orbits that now stand in the disc `now`. 1: none of them ever escapes. */
ESCAPE_FN int cycle_proves(const struct cycle_orbit *now, const struct cycle_place *at, int period)
{
    struct cycle_orbit w = *now;
    if (!cycle_find(&w, at, period))
        return 0;
    /* As small as it may be; but not so small that the spread, or rounding errors, push it out. */
    double entry = cycle_radius_with(&w, now, at->spread);
    double least = cycle_up_sqrt(fma(w.a, w.a, w.b * w.b)) * fma(16.0, at->rounding, at->spread);
    w.r = (entry > least ? entry : least) * (1 + 0x1p-10);
    return cycle_traps(&w, at, period);
}

/* After how many steps, at most `most`, does the orbit of (x, y) come back to it? 0: never near. */
ESCAPE_FN int cycle_period(double x, double y, const struct cycle_place *at, int most)
{
    double from_x = x, from_y = y, nearest = 1;
    int period = 0;
    for (int k = 1; k <= most; k++) {
        MANDELBROT_STEP(f64x1, x, y, at->cx, at->cy);
        double dx = x - from_x, dy = y - from_y, distance = fma(dx, dx, dy * dy);
        if (16 * distance < nearest) { /* a quarter of the distance */
            nearest = distance;
            period = k;
        }
    }
    return period;
}

/* Tries to prove a whole square from the orbit of its middle, in up to `steps` steps. */
ESCAPE_FN int cycle_proves_square(const struct cycle_place *at, int steps)
{
    struct cycle_orbit o = {0, 0, 0, 0, 0};
    int next = CYCLE_FIRST_TRY;
    for (int n = 1; n <= steps && cycle_step(&o, at); n++)
        if (n == next) {
            next += next / 2;
            int period = cycle_period(o.x, o.y, at, n / 2);
            if (period && cycle_proves(&o, at, period))
                return 1;
        }
    return 0;
}

#endif
