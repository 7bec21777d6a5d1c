/* Perturbation of Newton's method: what deep.c does otherwise than for z^2 + c. */
#ifndef KERNELS_DEEP_DEEP_NEWTON_H
#define KERNELS_DEEP_DEEP_NEWTON_H

#include "kernels/deep/deep.h"
#include "kernels/deep/newton_fill.h"

/* What pixels share, without a table. */
struct newton_common newton_common_of(const struct pixel_common *shared, const struct orbit *orbit,
                                      const struct spec *spec, double epsilon);

#endif
