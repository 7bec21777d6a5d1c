/* The hand-over between an orbit and the device that takes its steps (orbit_device.h).
 *
 * The state is on the processor between two batches, so all else that reads it (saving, a step by
 * whole products, the processor's own steps) is as without a device. Of the points within a batch
 * the device says the upper digits alone. Where more of one is needed, at points that end the
 * orbit, may close a cycle or are near 0, the batch is taken again as far as there; where z is
 * remembered, at powers of two, a batch ends.
 *
 * A device that fails is given up, and the processor goes on. */
#ifndef KERNELS_ORBIT_DEVICE_DEVICE_STEPS_H
#define KERNELS_ORBIT_DEVICE_DEVICE_STEPS_H

#include "kernels/orbit/orbit_work.h"

/* Does the orbit's device take its steps? Opens it where it is not open. */
bool device_serves(struct orbit *orbit);

/* Takes a batch of steps, 10 ms at most or twice that, and judges their points. Fails as
 * orbit_extend. */
enum status device_steps_take(struct orbit *orbit, int64_t limit);

void device_steps_close(struct device_steps *device); /* accepts NULL */

#endif
