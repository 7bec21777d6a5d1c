/* Perturbation of Hénon maps: what deep.c does otherwise than for z^2 + c. */
#ifndef KERNELS_DEEP_RATIONAL_DEEP_HENON_H
#define KERNELS_DEEP_RATIONAL_DEEP_HENON_H

#include "kernels/deep/deep.h"
#include "kernels/deep/rational/henon_fill.h"

/* Values that pixels share, without a table. */
struct henon_common henon_common_of(const struct pixel_common *shared, const struct orbit *orbit,
                                    const struct spec *spec, double epsilon);

/* |T_m|, m = 0 ... end, to be freed; NULL: no memory. */
struct henon_size *henon_sizes(const struct henon_common *common);

#endif
