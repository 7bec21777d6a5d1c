/* A device that takes the steps of an orbit of z^2 + c, many in one call: rows of a list
 * (kernels/orbit_devices.h).
 *
 * Its steps are those of fixed.h, bit for bit. z is kept there in digits of 16 bits, both parts
 * beside each other and balanced: between -2^15 and 2^15, or a few units more. The number takes the
 * upper digits, and at least one digit of 0 lies below, by which a step is rounded: dropping what
 * is below the number's last digit rounds to nearest, unless the first of these may be half a unit.
 * Of random numbers one in 32,768 is, and a processor takes that step by whole products. */
#ifndef KERNELS_ORBIT_DEVICE_ORBIT_DEVICE_H
#define KERNELS_ORBIT_DEVICE_ORBIT_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/status.h"

enum {
    ORBIT_TOP_DIGITS = 80,    /* upper digits: as far down as doubles go */
    ORBIT_LOW_DIGITS = 4,     /* the number's lowest ones */
    ORBIT_DEVICE_STEPS = 1024 /* most steps of a call */
};

struct orbit_digit { /* a digit of both parts */
    int32_t x, y;
};

struct orbit_step {                           /* what a device says of the z after a step */
    struct orbit_digit top[ORBIT_TOP_DIGITS]; /* highest first */
    struct orbit_digit low[ORBIT_LOW_DIGITS]; /* lowest first */
    /* Twice the index of the highest digit of a part that is not 0, and 1 if it is positive; 0: the
     * part is 0. */
    uint32_t lead_x, lead_y;
};

struct orbit_device_kind {
    const char *name; /* name of its backend */
    /* Digits of a number of so many limbs, with those of 0; 0: it takes no steps of such. Pure. */
    int (*digits)(int64_t limbs);
    /* Seconds of a step of such numbers on this device, by those that one such device was measured
     * to take and what both can do in a second. */
    double (*step_s)(int device, int64_t limbs);
    /* Can this device of the backend take steps? Writes why it cannot, as a part of a sentence. */
    bool (*serves)(int device, char *why, size_t bytes);
    /* Opens a device for one c, digits of which lie lowest first. Close also after a failure. */
    enum status (*open)(void **state, int device, int64_t limbs, const struct orbit_digit *c);
    /* Takes up to `count` steps from z, digits lowest first, and sets *done and, for each, the
     * upper digits of its z, highest first. Stops before a step whose rounding is not decided, and
     * may stop after one to |z|^2 > 8. Any thread; one call at a time. */
    enum status (*steps)(void *state, const struct orbit_digit *z, int64_t count,
                         struct orbit_step *step, int64_t *done);
    /* Copies all digits of the z after so many of those steps, 1 ... *done. */
    enum status (*fetch)(void *state, int64_t steps, struct orbit_digit *z);
    void (*close)(void *state); /* accepts NULL */
};

struct orbit_device { /* kind NULL: none */
    const struct orbit_device_kind *kind;
    int number; /* number of the device in its backend */
};

/* Lets the device take the steps of an orbit of z_0 alone, and of those that belong to it, where it
 * serves numbers of so many digits. What is computed stays the same. */
struct orbit;
void orbit_device_set(struct orbit *orbit, struct orbit_device device);

/* Gives the device's memory back, up to the orbit's next steps. */
void orbit_device_leave(struct orbit *orbit);

/* Steps that the device took, of all that belong together; and why it took no more, a sentence of
 * the orbit's, NULL: it did not fail. */
int64_t orbit_device_steps(const struct orbit *orbit);
const char *orbit_device_lost(const struct orbit *orbit);

#endif
