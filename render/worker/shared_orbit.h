/* A reference orbit that several threads of a process read: immutable, and freed by its last
 * holder. */
#ifndef RENDER_WORKER_SHARED_ORBIT_H
#define RENDER_WORKER_SHARED_ORBIT_H

#include <stdint.h>

#include "kernels/orbit/orbit.h"

struct shared_orbit {
    uint64_t number; /* number, unique, > 0 */
    struct orbit orbit;
    int holders; /* atomic */
};

/* Creates a shared orbit; takes the orbit, which becomes a borrowed one; the caller holds the
 * result. NULL: no memory, and *orbit is unchanged. */
struct shared_orbit *shared_orbit_create(struct orbit *orbit, uint64_t number);

struct shared_orbit *shared_orbit_hold(struct shared_orbit *shared); /* accepts NULL */
void shared_orbit_release(struct shared_orbit *shared);              /* accepts NULL */

#endif
