/* The row of a build without code for GPUs that have clusters of thread blocks. */
#include <math.h>
#include <stdio.h>

#include "kernels/cuda/orbit/cuda_orbit.h"

static int no_digits(int64_t limbs)
{
    (void)limbs;
    return 0;
}

static double no_time(int device, int64_t limbs)
{
    (void)device, (void)limbs;
    return INFINITY;
}

static bool serves(int device, char *why, size_t bytes)
{
    (void)device;
    snprintf(why, bytes, "this build has no code for clusters of thread blocks (9.0 and later)");
    return false;
}

static enum status no_device(void)
{
    return status_fail(STATUS_NO_DEVICE, "this build takes no steps of orbits on GPUs");
}

static enum status orbit_open(void **state, int device, int64_t limbs, const struct orbit_digit *c)
{
    (void)device, (void)limbs, (void)c;
    *state = NULL;
    return no_device();
}

static enum status orbit_steps(void *state, const struct orbit_digit *z, int64_t count,
                               struct orbit_step *step, int64_t *done)
{
    (void)state, (void)z, (void)count, (void)step, (void)done;
    return no_device();
}

static enum status orbit_fetch(void *state, int64_t steps, struct orbit_digit *z)
{
    (void)state, (void)steps, (void)z;
    return no_device();
}

static void orbit_close(void *state)
{
    (void)state;
}

const struct orbit_device_kind cuda_orbit = {.name = "cuda",
                                             .digits = no_digits,
                                             .step_s = no_time,
                                             .serves = serves,
                                             .open = orbit_open,
                                             .steps = orbit_steps,
                                             .fetch = orbit_fetch,
                                             .close = orbit_close};
