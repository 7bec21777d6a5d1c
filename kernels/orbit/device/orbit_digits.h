/* Numbers of fixed.h as balanced digits of 16 bits (orbit_device.h), and back. */
#ifndef KERNELS_ORBIT_DEVICE_ORBIT_DIGITS_H
#define KERNELS_ORBIT_DEVICE_ORBIT_DIGITS_H

#include "kernels/orbit/fixed.h"
#include "kernels/orbit/device/orbit_device.h"

enum { LIMB_DIGITS = 4 };

/* Sets all `digits`, of which the upper ones are the numbers': two magnitudes with signs, below
 * 2^(64 limbs - 1). */
void orbit_digits_set(struct orbit_digit *digit, int digits, const struct fixed_real *x,
                      const struct fixed_real *y, mp_size_t limbs);

/* Takes the numbers from their digits. */
void orbit_digits_get(const struct orbit_digit *digit, int digits, struct fixed_real *x,
                      struct fixed_real *y, mp_size_t limbs);

/* The nearest double of a part of a z of so many digits, as fixed_double; an exact 0 has no sign.
 * False: what lies below its upper digits may decide. */
bool orbit_step_double(const struct orbit_step *step, int digits, int part, double *value);

/* The lowest limb of a part in two's complement. */
mp_limb_t orbit_step_low(const struct orbit_step *step, int part);

#endif
