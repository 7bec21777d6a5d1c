/* Orbits of a device compared with those of the processor, for the played device and for GPUs. */
#ifndef TESTS_KERNELS_DEVICE_ORBITS_H
#define TESTS_KERNELS_DEVICE_ORBITS_H

#include "kernels/orbit/orbit.h"
#include "kernels/orbit/device/orbit_device.h"

struct device_place {
    const char *name, *re, *im;
    double log2_disc;
    enum orbit_end end; /* after the steps of its test */
};

/* Points whose orbits go on, and end. */
enum { DEVICE_ENDS = 8 };
extern const struct device_place device_goes_on, device_ends[DEVICE_ENDS];

/* Takes so many steps, in two calls, with the device and without, and compares all that an orbit
 * is. Returns the steps that the device took. */
int64_t device_orbit_compare(const struct device_place *place, long bits,
                             const struct orbit_device *device, int64_t steps);

/* Writes the orbit of a device after `saved` steps into a file, and goes on from there to `steps`.
 */
void device_orbit_resume(const struct device_place *place, long bits,
                         const struct orbit_device *device, int64_t saved, int64_t steps);

#endif
