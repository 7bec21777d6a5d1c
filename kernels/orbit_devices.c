#include "kernels/orbit_devices.h"

#include <stdio.h>
#include <string.h>

#include "kernels/cuda/orbit/cuda_orbit.h"

static const struct orbit_device_kind *const kinds[] = {&cuda_orbit};

struct orbit_device orbit_device_find(const char *backend, int number, char *why, size_t bytes)
{
    snprintf(why, bytes, "backend %s takes no steps of orbits", backend);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (!strcmp(kinds[k]->name, backend) && kinds[k]->serves(number, why, bytes))
            return (struct orbit_device){kinds[k], number};
    return (struct orbit_device){.kind = NULL};
}
