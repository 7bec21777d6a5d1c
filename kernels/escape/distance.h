/* The distance estimate of a pixel, as a vector, from z_n and its derivative.
 *
 *     d = 2 ln|z_n| z_n / (dz_n/dpixel)
 *
 * The quotient is where a Newton step for the escape radius points: along it |z| grows fastest, so
 * d points away from the set, and lines of equal continuous count run across it. Its length is the
 * estimate itself: the set is between a quarter and about the whole of it away (Milnor, Dynamics in
 * One Complex Variable, appendix G). dz is by a step to the right in the image, so rotated views
 * need nothing more. In an image that is mirrored or stretched the vector is that of |z| as a
 * function of the position in the image (distance_in_image).
 *
 * fma() and integer operations only, see fraction.h. */
#ifndef KERNELS_ESCAPE_DISTANCE_H
#define KERNELS_ESCAPE_DISTANCE_H

#include "kernels/escape/fraction.h"
#include "kernels/grid.h"

enum { DISTANCE_MOST = 126 }; /* log2 of the longest vector, which floats hold with room to add */

struct distance { /* pixels, in the image: x right, y down */
    float x, y;
};

/* 2^e, for e of the normal doubles. 64 bits, for loops over many pixels: vectors of doubles. */
ESCAPE_FN double distance_power(int64_t e)
{
    uint64_t bits = (uint64_t)(e + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

/* floor(log2 max(|x|, |y|)); -1023 for 0 and subnormal numbers, 1024 for inf and NaN. */
ESCAPE_FN int64_t distance_exponent(double x, double y)
{
    uint64_t of_x, of_y;
    memcpy(&of_x, &x, sizeof of_x);
    memcpy(&of_y, &y, sizeof of_y);
    int64_t e_x = (int64_t)(of_x << 1 >> 53), e_y = (int64_t)(of_y << 1 >> 53);
    return (e_x > e_y ? e_x : e_y) - 1023;
}

/* The vector of a pixel that escaped, |z| > 2. dz: (dz_x + i dz_y) 2^e per pixel to the right.
 * (0, 0) where dz is infinite or the set nearer than floats tell; a dz of 0, as at a critical
 * point, gives the longest vector. Without branches, so that loops over it become vector code. */
ESCAPE_FN struct distance distance_of(double x, double y, double dz_x, double dz_y, int32_t e)
{
    struct distance d;
    int64_t lead = distance_exponent(dz_x, dz_y);
    int infinite = lead > 1022, none = lead < -1022;
    double first = infinite | none ? 1.0 : dz_x, second = infinite | none ? 0.0 : dz_y;
    lead = infinite | none ? 0 : lead;
    double scale = distance_power(-lead);
    double u = scale * first, v = scale * second;                       /* the larger in [1, 2) */
    double log = 0.69314718055994531 * fraction_log2(fma(x, x, y * y)); /* ln |z|^2 */
    double factor = log / fma(u, u, v * v);
    double right = factor * fma(x, u, y * v);
    double down = factor * fma(x, v, -(y * u));
    int64_t most = DISTANCE_MOST - distance_exponent(right, down), shift = -(e + lead);
    shift = shift < -1000 ? -1000 : shift;
    scale = distance_power(shift < most ? shift : most);
    right = none ? 0x1p126 : scale * right;
    down = none ? 0.0 : scale * down;
    d.x = (float)(infinite ? 0.0 : right);
    d.y = (float)(infinite ? 0.0 : down);
    return d;
}

/* The dz of a formula that is not holomorphic, for distance_of. Its derivatives by the pixel's
 * position to the right, (u, v) at first, and upwards are two vectors, J's columns. |z| grows
 * fastest along g = J^T z, and the estimate is 2 ln|z| |z|^2 g / |g|^2. (u, v) becomes the complex
 * number that distance_of makes the same of: z conj(g) / |z|^2 with g as a complex number. One
 * factor of |z| is divided out before J's, which is the larger. */
ESCAPE_FN void distance_slope(double x, double y, double up_x, double up_y, double *u, double *v)
{
    double norm = fma(x, x, y * y), nx = x / norm, ny = y / norm;
    double right = fma(nx, *u, ny * *v), up = fma(nx, up_x, ny * up_y);
    *u = fma(x, right, y * up);
    *v = fma(y, right, -(x * up));
}

/* d of distance_of in the axes of the image. With g the gradient of ln|z| by (x, y), d is
 * k g / |g|^2, and so is g from d. The image's (x, y) is mapped by A = (1 down_x; 0 down_y), so its
 * gradient is A^T g, and its vector A^T d |d|^2 / |A^T d|^2: across the lines of equal count as
 * they are seen, and the distance of a straight border in pixels as they are seen. No -0 of
 * mirrors. */
ESCAPE_FN struct distance distance_in_image(const struct grid *grid, struct distance d)
{
    if (grid->down_x == 0 && grid->down_y == 1)
        return d;
    if (grid->down_x == 0 && grid->down_y == -1) {
        d.y = 0.0f - d.y;
        return d;
    }
    double x = d.x, y = d.y, down = fma(grid->down_x, x, grid->down_y * y);
    double norm = fma(x, x, down * down);
    if (!(norm > 0))
        return d;
    double scale = fma(x, x, y * y) / norm;
    int64_t lead = distance_exponent(scale * x, scale * down);
    scale = lead > DISTANCE_MOST ? scale * distance_power(DISTANCE_MOST - lead) : scale;
    d.x = (float)(scale * x);
    d.y = (float)(scale * down);
    return d;
}

#endif
