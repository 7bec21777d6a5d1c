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
    struct team *team;  /* shares the steps of long numbers; set by each batch; NULL: none */
    long bits;          /* each part of the last step is within 2^-bits */
    long bits_most;
    struct fixed *level; /* by limbs; zeroed until they are needed; owned */
    mp_size_t levels;
};

/* z = 0. |c|^2 must not be above FIXED_NORM_MAX. taper_destroy also after a failure. */
enum status taper_create(struct taper *taper, mpfr_srcptr cx, mpfr_srcptr cy, long bits_most);
void taper_destroy(struct taper *taper); /* accepts a zeroed one */

/* Gives z as many bits as it needs where dz/dc is `slope`, not less than bits_least and not more
 * than bits_most. What z loses is below 2^-bits / 64. STATUS_OUT_OF_MEMORY. */
enum status taper_fit(struct taper *taper, struct complex_scaled slope, long bits_least);

void taper_step(struct taper *taper);

/* Are the numbers of now long enough for a team? */
bool taper_is_long(const struct taper *taper);

/* team_run where numbers are long enough, else the steps without a team. */
enum status taper_batch(struct taper *taper, int threads, team_steps *steps, void *argument);

/* z, whose x and y are the nearest doubles. */
struct complex_scaled taper_point(const struct taper *taper);

#endif
