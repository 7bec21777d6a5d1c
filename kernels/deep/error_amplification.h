/* Moves of pixels by the errors of blocks and of steps without the reference. */
#ifndef KERNELS_DEEP_ERROR_AMPLIFICATION_H
#define KERNELS_DEEP_ERROR_AMPLIFICATION_H

#include "kernels/deep/deep.h"

/* Move of a pixel, in units of epsilon c_max, by its blocks and its steps without the reference,
 * for nine in ten of some pixels spread over the picture that `whole` is the grid of. Each block
 * may leave out epsilon of what it adds up, and a step rounds; that over |dz/dc| moves the pixel.
 * Where |dz/dc| grows quickly only the first of them count; along a nearly parabolic orbit hundreds
 * do. Takes some milliseconds; 1 after `stop`. */
double error_amplification(const struct deep *deep, const struct grid *whole);

/* Largest move of these pixels by roundings alone, in pixels, where that may be much: for Hénon
 * maps (henon_pixel.h); else 0. */
double error_of_doubles(const struct deep *deep, const struct grid *whole);

/* Epsilon for a picture of that amplification. In most views amplification is 3 to 11 and 99 of
 * 100 pixels move by a fortieth to a quarter of the accuracy given to deep_epsilon; at
 * 300 to 800, beside the cusp of an island, by ten times as much. So beyond
 * ERROR_AMPLIFICATION_FREE blocks may leave out less. */
#define ERROR_AMPLIFICATION_FREE 16.0
double epsilon_amplified(double epsilon, double amplification);

#endif
