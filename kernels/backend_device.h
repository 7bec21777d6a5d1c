/* The inside of an opened backend: for the rows of the list, not for their users. */
#ifndef KERNELS_BACKEND_DEVICE_H
#define KERNELS_BACKEND_DEVICE_H

#include "kernels/backend.h"

struct backend {
    const struct backend_kind *kind;
    int threads; /* as asked for; open replaces 0 */
    const volatile int *stop;
    void *device; /* the row's own; NULL until opened */
};

#endif
