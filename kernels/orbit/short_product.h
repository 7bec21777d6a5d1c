/* The upper half of a product of two n-limb numbers; fixed point needs no more of it.
 *
 * After T. Mulders, "On short multiplications and divisions" (2000): the square of the upper limbs
 * in full, and what of the rest reaches the upper half by shorter short products. At 16 to 1,024
 * limbs it costs 0.6 to 0.85 of mpn_sqr.
 *
 * Every result is too small, by less than n units of its limb n: left out are only products of
 * limbs i and j with i + j <= n - 2. How many limbs are upper ones is a function of n alone, so
 * that every machine computes the same. */
#ifndef KERNELS_ORBIT_SHORT_PRODUCT_H
#define KERNELS_ORBIT_SHORT_PRODUCT_H

#include <gmp.h>

/* A square comes as two terms of about 3 : 1 in cost, which may be computed at the same time.
 * r: 2n limbs, of which n .. 2n-1 are the result; cross: short_cross_limbs(n). None may overlap. */
mp_size_t short_cross_limbs(mp_size_t n);
void short_square_upper(mp_limb_t *r, const mp_limb_t *a, mp_size_t n);
void short_square_cross(mp_limb_t *cross, const mp_limb_t *a, mp_size_t n);
void short_square_join(mp_limb_t *r, mp_limb_t *cross, mp_size_t n);

#endif
