/* Moves of pixels by the roundings of floats.
 *
 * A probe goes from z_0 to its end in doubles, and each of its blocks and steps takes an error of
 * delta to J times it. Far away only what changes |z| counts: with g the gradient of |z| there, an
 * error e after step i comes to g J_N ... J_(i+1) e, and a move p of the pixel to g D p, D the
 * derivative by the pixel. So it moves the pixel by |g J_N ... J_(i+1)| |e| / |g D|, which is found
 * from the end backwards. No J has to be inverted: where formulas that fold stretch one direction
 * and not the other, or the pixel lies on a line of symmetry, the direction that counts is known.
 *
 * A pixel that stays bounded has no count that is wrong by a move. What could have been one counts:
 * how far its errors move it where its place moves |z| most of all. */
#ifndef KERNELS_DEEP_LATE_ERROR_H
#define KERNELS_DEEP_LATE_ERROR_H

#include "kernels/deep/deep.h"

/* Pixels by which roundings of floats move one of a picture that `whole` is the grid of, where
 * pixels are computed in fp32 (late.h); else 0. INFINITY where it is not known of some pixel. Takes
 * some milliseconds; of use for nothing after a request to stop. */
double error_of_floats(const struct deep *deep, const struct grid *whole);

#endif
