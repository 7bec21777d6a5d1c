/* How much faster do more devices make a picture, and how fast do pixels come home?
 *
 * Both suites run in a studio: devices stay open and the picture's memory stays where it is, as in
 * a viewer or a video. Collective; `repeats` (odd) is the same on every rank, ranks > 0 pass no
 * calls. */
#ifndef RENDER_BENCH_STUDIO_H
#define RENDER_BENCH_STUDIO_H

#include <stdbool.h>
#include <stdint.h>

#include "render/studio.h"

struct scaling_row {
    const char *name;
    int32_t width, height;
    int64_t limit;
    int devices;
    double seconds;      /* median, until the counts are in rank 0's host memory */
    double speedup;      /* over one device, in the same run */
    double idle;         /* part of the time that lanes had nothing to compute */
    double compute_s;    /* what the busiest device's lanes spent in compute, median run */
    uint64_t iterations; /* of one picture */
    uint64_t bytes;      /* of one picture */
    uint32_t tiles;
};

struct transport_row {
    const char *road;
    int32_t width, height;
    int devices;
    /* Medians: of a whole job; of the same copies with nothing else, and for roads of messages the
     * sends of MPI after them; of these sends alone, 0 for roads in place. */
    double seconds, plain_s, sends_s;
    const char *why; /* it does not work here; NULL: it does. Borrowed for the call */
    uint64_t bytes;
};

struct bench_calls {
    void (*scaling)(void *context, const struct scaling_row *row);
    void (*transport)(void *context, const struct transport_row *row);
    void *context;
    int32_t tile_px;          /* of scaling; 0 = the plan chooses */
    const volatile int *stop; /* may be NULL */
};

enum status bench_scaling(struct studio *studio, const struct bench_calls *calls, int repeats);

/* Every road that works here, for pictures of 1080p, 4K and 8K; the devices copy prepared pixels
 * instead of computing. What arrives is compared with what was sent. */
enum status bench_transport(struct studio *studio, const struct bench_calls *calls, int repeats);

#endif
