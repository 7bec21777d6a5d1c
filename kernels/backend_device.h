/* The inside of an opened backend: for the rows of the list, not for their users. */
#ifndef KERNELS_BACKEND_DEVICE_H
#define KERNELS_BACKEND_DEVICE_H

#include "kernels/backend.h"

struct backend {
    const struct backend_kind *kind;
    int number;     /* number of the device in its kind */
    int threads;    /* as in the options; open replaces 0 */
    double slice_s; /* > 0 */
    const volatile int *stop;
    void *device; /* the row's own; NULL until opened */
    /* A packed field for windows, for kinds without memory verbs. */
    void *scratch;
    size_t scratch_bytes;
};

#endif
