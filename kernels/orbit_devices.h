/* The list of devices that take steps of long reference orbits
 * (kernels/orbit/device/orbit_device.h). */
#ifndef KERNELS_ORBIT_DEVICES_H
#define KERNELS_ORBIT_DEVICES_H

#include "kernels/orbit/device/orbit_device.h"

/* Finds a device by the name of its backend, if it takes steps of orbits; else kind NULL, and the
 * reason as a part of a sentence. */
struct orbit_device orbit_device_find(const char *backend, int number, char *why, size_t bytes);

#endif
