/* One step of z^2 + c, in the vocabulary of lanes.h.
 *
 *     x' = x^2 - y^2 + cx = fma(x, x, fma(-y, y, cx))
 *     y' = 2 x y + cy     = fma(x + x, y, cy)
 *
 * 3 FMA + 1 ADD is the cheapest form there is: rescaling to (2x, 2y) moves the doubling elsewhere
 * but does not remove it. */
#ifndef KERNELS_ESCAPE_QUADRATIC_H
#define KERNELS_ESCAPE_QUADRATIC_H

#include "kernels/escape/lanes.h"

/* p: prefix of the pack; x and y are updated; x, y, cx, cy: packs. */
#define QUADRATIC_STEP(p, x, y, cx, cy)             \
    do {                                            \
        __typeof__(x) step_t_ = p##_fnma(y, y, cx); \
        __typeof__(x) step_xx_ = p##_add(x, x);     \
        (y) = p##_fma(step_xx_, y, cy);             \
        (x) = p##_fma(x, x, step_t_);               \
    } while (0)

/* QUADRATIC_STEP, whose numbers these are since doubling is exact, with y doubled: x' and y' share
 * their first factor, and a GPU reads it once for both (kernels/cuda/cuda_steps.cu). For processors
 * it is the slower form: interior with AVX-512 15.5 instead of 16.2 G iterations/s in fp64, 31
 * instead of 33 in fp32. */
#define QUADRATIC_STEP_SHARING(p, x, y, cx, cy)         \
    do {                                                \
        __typeof__(x) step_t_ = p##_fnma(y, y, cx);     \
        __typeof__(x) step_yy_ = p##_add(y, y);         \
        __typeof__(x) step_x_ = p##_fma(x, x, step_t_); \
        (y) = p##_fma(x, step_yy_, cy);                 \
        (x) = step_x_;                                  \
    } while (0)

/* dz' = 2 z dz + 1, by c, from the z before the step; by z_0 `one` is 0. dx, dy: dz. */
#define QUADRATIC_SLOPE(p, x, y, dx, dy, one)                  \
    do {                                                       \
        __typeof__(x) slope_xx_ = p##_add(x, x);               \
        __typeof__(x) slope_yy_ = p##_add(y, y);               \
        __typeof__(x) slope_x_ = p##_fnma(slope_yy_, dy, one); \
        __typeof__(x) slope_y_ = p##_mul(slope_yy_, dx);       \
        (dx) = p##_fma(slope_xx_, dx, slope_x_);               \
        (dy) = p##_fma(slope_xx_, dy, slope_y_);               \
    } while (0)

/* |z|^2 */
#define QUADRATIC_NORM(p, x, y) p##_fma(x, x, p##_mul(y, y))

#endif
