/* Perturbation of Newton's method and of Nova: what deep.c does otherwise than for z^2 + c. */
#ifndef KERNELS_DEEP_RATIONAL_DEEP_NEWTON_H
#define KERNELS_DEEP_RATIONAL_DEEP_NEWTON_H

#include "kernels/deep/deep_formula.h"
#include "kernels/deep/rational/newton_fill.h"

/* Fills what pixels share, without tables. Fails as deep_open does. */
enum status newton_common_fill(struct newton_common *common, const struct pixel_common *shared,
                               const struct orbit *orbit, const struct spec *spec, double epsilon);

/* Source of a reference's table; shared: complete but for its end and its share of bytes. */
struct newton_source newton_source_of(const struct newton_common *common,
                                      const struct table_source *shared, int reference);

#endif
