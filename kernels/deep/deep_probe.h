/* One pixel of a deep picture with its z at the end or after some step. The same arithmetic and
 * the same blocks as deep_compute takes, so the same bits; but it returns z, which no field keeps.
 * For proofs: it is not made for many pixels. */
#ifndef KERNELS_DEEP_DEEP_PROBE_H
#define KERNELS_DEEP_DEEP_PROBE_H

#include "kernels/deep/deep.h"

struct deep_probe {
    int64_t count;           /* as a field has it; 0 too after `stop` */
    double z_re, z_im;       /* z_at; z_count for `at` 0 (of an unescaped pixel: z_limit) */
    double last_re, last_im; /* z_(at - 1) by Newton's method; else 0 */
};

/* Pixel (x, y) of the image that the grid is of. With `at` > 0 z is that after `at` steps, whether
 * or not it has escaped before: then the last steps may come in other blocks than the picture's.
 * Gives up when the stop flag of `deep` is set. */
struct deep_probe deep_probe(const struct deep *deep, const struct grid *grid, int32_t x, int32_t y,
                             int64_t at);

#endif
