/* One step of z^2 + c, in the vocabulary of lanes.h.
 *
 *     x' = x^2 - y^2 + cx = fma(x, x, fma(-y, y, cx))
 *     y' = 2 x y + cy     = fma(x + x, y, cy)
 *
 * 3 FMA + 1 ADD is the cheapest form there is: rescaling to (2x, 2y) moves the doubling elsewhere
 * but does not remove it. */
#ifndef KERNELS_ESCAPE_MANDELBROT_H
#define KERNELS_ESCAPE_MANDELBROT_H

#include "kernels/escape/lanes.h"

/* p: prefix of the pack; x and y are updated; x, y, cx, cy: packs. */
#define MANDELBROT_STEP(p, x, y, cx, cy)            \
    do {                                            \
        __typeof__(x) step_t_ = p##_fnma(y, y, cx); \
        __typeof__(x) step_xx_ = p##_add(x, x);     \
        (y) = p##_fma(step_xx_, y, cy);             \
        (x) = p##_fma(x, x, step_t_);               \
    } while (0)

/* |z|^2 */
#define MANDELBROT_NORM(p, x, y) p##_fma(x, x, p##_mul(y, y))

#endif
