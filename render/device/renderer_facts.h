/* Facts about the devices of all ranks together, as a plan needs to know them. Plain data. */
#ifndef RENDER_DEVICE_RENDERER_FACTS_H
#define RENDER_DEVICE_RENDERER_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "render/disk/memory.h"

struct renderer_facts { /* the same on every rank */
    char backend[16];   /* name of the backend of the first rank that computes */
    int ranks, computing_ranks, away_ranks; /* away: compute on other machines than rank 0's */
    struct memory_remote memory_remote;
    int devices, gpus;  /* devices that compute, in all; those with memory of their own */
    int32_t tile_px;    /* largest tile side that a device asks for */
    bool mixed;         /* not all backends, or GPUs, are alike */
    bool sends_device;  /* ranks > 0 send device memory */
    bool device_faster; /* proven faster than by way of the host */
    bool host_will_do;  /* ranks that do not send device memory send host memory on request */
    bool slow_doubles;  /* a GPU computes fp64 at less than 1/8 of its fp32 */
    bool joins;         /* other jobs may join (decomposition/pool/join.h) */
    bool lights;        /* rank 0 has a device that can average samples in its memory */
};

/* Facts of this process alone, with all devices of a backend; with a processor where there is no
 * such backend. */
struct renderer_facts renderer_facts_alone(const char *backend);

#endif
