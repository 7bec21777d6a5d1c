/* The step of fixed.h for few limbs, where calling GMP for every pass costs more than the pass. */
#ifndef KERNELS_ORBIT_FIXED_SMALL_H
#define KERNELS_ORBIT_FIXED_SMALL_H

#include "kernels/orbit/fixed.h"

/* The step for n limbs, or NULL: then GMP is as fast. */
void (*fixed_small_step(mp_size_t n))(struct fixed *fixed);

#endif
