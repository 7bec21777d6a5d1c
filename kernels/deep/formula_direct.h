/* Steps without the reference of any formula whose derivatives are similarities: see direct.h.
 *
 * Folds and signs leave lengths alone, so that a step of degree d stretches by d |z|^(d - 1), or by
 * what the constants of an own formula make of that. */
#ifndef KERNELS_DEEP_FORMULA_DIRECT_H
#define KERNELS_DEEP_FORMULA_DIRECT_H

#include "kernels/deep/direct.h"
#include "kernels/deep/formula_delta.h"

#include "kernels/deep/number/real_f64.h"
#include "kernels/deep/number/formula_direct_body.h"
#include "kernels/deep/number/real_end.h"
#include "kernels/deep/number/real_f32.h"
#include "kernels/deep/number/formula_direct_body.h"
#include "kernels/deep/number/real_end.h"

#endif
