/* How fast is this machine, measured against its own limit?
 *
 * Every timing stands beside the ceiling (the plain unchecked loop on the same device) taken in the
 * same second, so that another load on the machine moves both. */
#ifndef RENDER_BENCH_H
#define RENDER_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/backend.h"
#include "kernels/spec.h"
#include "kernels/status.h"

enum { BENCH_REPEATS = 11 }; /* odd, so that the median is a measurement */

struct bench_options {
    const char *backend;      /* name or "auto" */
    int device;               /* number of the kind's device */
    int threads;              /* 0 = all */
    int repeats;              /* BENCH_REPEATS for figures that are published */
    const volatile int *stop; /* may be NULL */
};

struct bench_device { /* what was measured on */
    char backend[16];
    int threads;
    struct device_facts facts;
    double ceiling[NUMBERS]; /* iterations per second: best seen in the run */
    bool wide;               /* a GPU: 4K pictures, the count plane alone, in pinned host memory */
};

struct bench_row {
    const char *name;
    int32_t width, height;
    int64_t limit;
    enum number number;
    uint64_t iterations;       /* that were done for the picture */
    double seconds;            /* median, until the planes are in host memory */
    double kernel_s;           /* median of what the device's own clock says; 0 on a CPU */
    double of_ceiling;         /* median of iterations / seconds / ceiling */
    double of_limit;           /* iterations / kernel_s / what the units can issue; 0 on a CPU */
    double allowed_iterations; /* CPU goal: within the time in which the ceiling does so many */
    double of_allowed;         /* time over the goal's; the goal is <= 1, 0: there is none */
};

/* Runs suite `direct`: whole pictures into host memory, no colours, no files; on a CPU with planes
 * count and fraction, on a GPU with the count alone; rows that say so with all planes. Calls `row`
 * for each line as soon as it is known. Blocks for some ten seconds. */
enum status bench_direct(const struct bench_options *options, struct bench_device *device,
                         void (*row)(void *context, const struct bench_row *row), void *context);

#endif
