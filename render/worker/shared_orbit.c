#include "render/worker/shared_orbit.h"

#include <stdlib.h>

struct shared_orbit *shared_orbit_create(struct orbit *orbit, uint64_t number)
{
    struct shared_orbit *shared = malloc(sizeof *shared);
    if (!shared)
        return NULL;
    *shared = (struct shared_orbit){.number = number, .orbit = *orbit, .holders = 1};
    orbit->work = NULL;
    return shared;
}

struct shared_orbit *shared_orbit_hold(struct shared_orbit *shared)
{
    if (shared)
        __atomic_add_fetch(&shared->holders, 1, __ATOMIC_RELAXED);
    return shared;
}

void shared_orbit_release(struct shared_orbit *shared)
{
    if (!shared || __atomic_sub_fetch(&shared->holders, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    orbit_destroy(&shared->orbit);
    free(shared);
}
