/* A reference orbit for searches: the points of an orbit as doubles, made with numbers that grow
 * shorter (taper.h), in a third of the time.
 *
 * It cannot be extended, kept in a cache or give a picture: its last bits depend on the disc. */
#ifndef KERNELS_ORBIT_TAPERED_ORBIT_H
#define KERNELS_ORBIT_TAPERED_ORBIT_H

#include <mpfr.h>

#include "kernels/orbit/orbit.h"

struct tapered_orbit {
    struct orbit orbit; /* read only; its end is never ORBIT_CYCLE */
    struct orbit_point *point;
    struct orbit_tiny *tiny;
    int64_t capacity, tiny_capacity;
};

/* Ends at `limit` steps, where |z|^2 is above 8 (the radius of the options is not read), or after
 * the period of the disc's nucleus. STATUS_BAD_DATA for |c|^2 above 8; STATUS_STOPPED,
 * STATUS_TOO_LARGE, STATUS_OUT_OF_MEMORY. tapered_orbit_free also after a failure. */
enum status tapered_orbit_make(struct tapered_orbit *tapered, mpfr_srcptr cx, mpfr_srcptr cy,
                               const struct orbit_options *options, int64_t limit);
void tapered_orbit_free(struct tapered_orbit *tapered); /* accepts a zeroed one */

#endif
