/* An orbit whose numbers grow shorter: z' = z^2 + c with no more limbs than still matter.
 *
 * An error of z_n is the same as another c, by error / |dz_n/dc|. As the derivative grows along the
 * orbit, an absolute error that grows with it changes nothing: where c is to be good to 2^-bits,
 * z_n needs bits - log2 |dz_n/dc| bits. Of an orbit down to a nucleus that is half of them in the
 * mean, and the squares of half as many limbs take a third of the time. Where the derivative falls
 * again, near 0, z is continued with zeros: what was dropped was as harmless as before, since the
 * step multiplies it by the same 2 z as the derivative.
 *
 * z lies in one of several fixed-point numbers (fixed.h), which are made when they are needed. */
#ifndef KERNELS_ORBIT_TAPER_H
#define KERNELS_ORBIT_TAPER_H

#include "kernels/orbit/fixed.h"
#include "kernels/orbit/scaled.h"
#include "kernels/orbit/team.h"
#include "kernels/status.h"

struct taper {
    mpfr_srcptr cx, cy; /* borrowed */
    struct fixed *now;  /* z is here */
    struct team *team;  /* that shares the steps of long numbers; NULL: none */
    long bits;          /* each part of the last step is within 2^-bits */
    long bits_most;
    struct fixed *level; /* by limbs; zeroed until they are needed; owned */
    mp_size_t levels;
};

/* z = 0. |c|^2 must not be above FIXED_NORM_MAX. taper_destroy also after a failure. */
enum status taper_create(struct taper *taper, mpfr_srcptr cx, mpfr_srcptr cy, long bits_most);
void taper_destroy(struct taper *taper); /* accepts a zeroed one */

/* Puts z where a step is good to 2^-bits at least; more than bits_most are not given. What z loses
 * is below 2^-bits / 64. STATUS_OUT_OF_MEMORY. */
enum status taper_set(struct taper *taper, long bits);

void taper_step(struct taper *taper);

/* Are the numbers of now long enough for a team? */
bool taper_is_long(const struct taper *taper);

/* Calls steps(argument), which may take as many steps as it likes, with a team of up to `threads`
 * beside it where numbers are long enough. Returns its status, with its sentence. */
enum status taper_batch(struct taper *taper, int threads, enum status (*steps)(void *argument),
                        void *argument);

/* z, each part the nearest double. */
struct complex_scaled taper_point(const struct taper *taper);

#endif
