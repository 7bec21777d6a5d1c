/* What computes: the devices of all ranks together, as a plan needs to know them. Plain data. */
#ifndef RENDER_DEVICE_RENDERER_FACTS_H
#define RENDER_DEVICE_RENDERER_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "render/disk/memory.h"

struct renderer_facts { /* the same on every rank; what the plan needs to know */
    char backend[16];   /* of the first rank that computes */
    int ranks, computing_ranks, away_ranks; /* away: compute on other machines than rank 0's */
    struct memory_remote memory_remote;
    int devices, gpus; /* that compute, in all; those with memory of their own */
    int32_t tile_px;   /* the most that one of them wants */
    bool mixed;        /* not all backends, or GPUs, are alike */
    bool sends_device; /* ranks > 0 send device memory ... */
    bool host_will_do; /* ... or, where they do not, host memory on request */
    bool pageable;     /* GPUs write into memory that is not pinned */
    bool lights;       /* rank 0 has a device that can average samples in its memory */
};

/* Of this process alone, with all devices of a backend; those of a processor where there is no such
 * backend. */
struct renderer_facts renderer_facts_alone(const char *backend);

#endif
