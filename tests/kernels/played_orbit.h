/* A device for orbits that is played on a processor: the blocks and lanes of digit_transform.h, one
 * after the other. */
#ifndef TESTS_KERNELS_PLAYED_ORBIT_H
#define TESTS_KERNELS_PLAYED_ORBIT_H

#include "kernels/orbit/device/orbit_device.h"

/* What to play besides; zeroed by the test. */
struct played_orbit {
    int64_t open;      /* devices that are open */
    int64_t calls;     /* calls that took steps, or fetched */
    int64_t fetches;   /* calls that fetched */
    int64_t undecided; /* of them, those that stopped before a step */
    int64_t stops_at;  /* step of a call before which it stops; 0: only where it must */
    int64_t fails_at;  /* number of the first call that fails, from 1; 0: none */
    double farthest;   /* of a coefficient from an integer */
    int32_t largest;   /* digit */
};
extern struct played_orbit played_orbit;
extern const struct orbit_device_kind played_orbit_kind;

#endif
