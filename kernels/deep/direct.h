/* Steps without the reference, where a pixel needs none.
 *
 * A rounding e in z_n is the same as a move of the pixel by e / |dz_n/dc|, in units of the largest
 * |c| by e / s, where the slope s is |dz_n/dc| times that c. A block may leave out epsilon of it.
 * So from a slope of theta on, a few roundings over epsilon, z' = z^2 + (C + c) in plain doubles is
 * as good as the difference to a reference: three multiply-adds, and nothing to be looked up. Most
 * steps of a deep view are taken so: those between a block that no longer holds and the next time
 * that z comes near 0.
 *
 * The slope is at least |delta| where the pixel leaves its reference, for what a pixel's z is
 * beside the reference's is what c made of it; and each step multiplies it by |2 z|. Before a step
 * takes it below theta, or when z is so small that the blocks from z_0 on hold, the pixel is bound
 * to the reference again, whose index it has kept. With an accuracy of 1e-9 px the median of the
 * backward errors stays at 1e-11 px and below 2e-10 everywhere (tests/kernels/test_deep.c). */
#ifndef KERNELS_DEEP_DIRECT_H
#define KERNELS_DEEP_DIRECT_H

#include "kernels/deep/delta.h"

/* Roundings of a step in units of 2^-53, and room for some hundred of them. With 2 one pixel in a
 * hundred moves by three times the accuracy, with 4 by two thirds of it at most, with 8 by half. */
#define DIRECT_ROUNDINGS 8

/* The same in units of 2^-24, where fewer steps are so near theta: with 2 one pixel in a hundred
 * moves by a third of the accuracy, with 4 by a sixth, with 8 by a twelfth. */
#define DIRECT_ROUNDINGS_F32 4

enum { DIRECT_MOST = 1 << 30 };

enum direct_end { DIRECT_GOES_ON, DIRECT_ESCAPED, DIRECT_ENDS };

#include "kernels/deep/number/real_f64.h"
#include "kernels/deep/number/direct_body.h"
#include "kernels/deep/number/real_end.h"
#include "kernels/deep/number/real_f32.h"
#include "kernels/deep/number/direct_body.h"
#include "kernels/deep/number/real_end.h"

#endif
