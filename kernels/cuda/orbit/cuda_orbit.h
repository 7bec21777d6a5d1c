/* Steps of long orbits by a GPU that has clusters of 16 thread blocks
 * (kernels/orbit/device/orbit_device.h).
 */
#ifndef KERNELS_CUDA_ORBIT_CUDA_ORBIT_H
#define KERNELS_CUDA_ORBIT_CUDA_ORBIT_H

#ifdef __cplusplus
extern "C" { /* also for the header that it includes, which is C */
#endif

#include "kernels/orbit/device/orbit_device.h"

extern const struct orbit_device_kind cuda_orbit;

#ifdef __cplusplus
}
#endif

#endif
