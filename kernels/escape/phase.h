/* The direction of z_n, in turns.
 *
 *     arg(z) / 2 pi = octants + atan(t) / 2 pi,  |t| <= tan(pi / 8)
 *     atan t = t - t^3/3 + t^5/5 ... - t^15/15,  what is left out is below 3e-9 turns
 *
 * fma() and integer operations only, see fraction.h. */
#ifndef KERNELS_ESCAPE_PHASE_H
#define KERNELS_ESCAPE_PHASE_H

#include "kernels/escape/shared.h"

/* arg(z) / 2 pi in [0, 1), within 4e-8, of which the rounding to fp32 is 3e-8. z is not 0. */
ESCAPE_FN float phase_of(double x, double y)
{
    double along = fabs(x), across = fabs(y);
    double large = along > across ? along : across, small = along > across ? across : along;
    int steep = small > 0.41421356237309503 * large; /* tan(pi / 8); then pi / 4 is added */
    double t = (steep ? small - large : small) / (steep ? small + large : large);
    double tt = t * t;
    double p = -1.0 / 15.0;
    p = fma(p, tt, 1.0 / 13.0);
    p = fma(p, tt, -1.0 / 11.0);
    p = fma(p, tt, 1.0 / 9.0);
    p = fma(p, tt, -1.0 / 7.0);
    p = fma(p, tt, 1.0 / 5.0);
    p = fma(p, tt, -1.0 / 3.0);
    p = fma(p, tt, 1.0);
    double turns = fma(0.15915494309189535 * t, p, steep ? 0.125 : 0.0); /* 1 / 2 pi */
    turns = across > along ? 0.25 - turns : turns;
    turns = x < 0 ? 0.5 - turns : turns;
    turns = y < 0 ? 1.0 - turns : turns;
    float nearest = (float)turns;
    return nearest < 1.0f ? nearest : 0.0f;
}

#endif
