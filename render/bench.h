/* How fast is this machine, measured against its own limit?
 *
 * Every timing stands beside the ceiling (the plain unchecked loop on the same device) taken in the
 * same second, so that another load on the machine moves both. */
#ifndef RENDER_BENCH_H
#define RENDER_BENCH_H

#include <stdint.h>

#include "kernels/spec.h"
#include "kernels/status.h"

enum { BENCH_REPEATS = 11 }; /* odd, so that the median is a measurement */

struct bench_options {
    const char *backend;      /* name or "auto" */
    int threads;              /* 0 = all */
    int repeats;              /* BENCH_REPEATS for figures that are published */
    const volatile int *stop; /* may be NULL */
};

struct bench_device { /* what was measured on */
    char backend[16];
    int threads;
    double ceiling[NUMBERS]; /* iterations per second: best seen in the run */
};

struct bench_row {
    const char *name;
    int32_t width, height;
    int64_t limit;
    enum number number;
    uint64_t iterations;       /* that were done for the picture */
    double seconds;            /* median */
    double of_ceiling;         /* median of iterations / seconds / ceiling */
    double allowed_iterations; /* goal: within the time in which the ceiling does so many */
    double of_allowed; /* median of seconds / that time; the goal is <= 1, 0: there is none */
};

/* Runs suite `direct`: planes count and fraction of whole pictures into memory, no colours, no
 * files. Calls `row` for each line as soon as it is known. Blocks for some ten seconds. */
enum status bench_direct(const struct bench_options *options, struct bench_device *device,
                         void (*row)(void *context, const struct bench_row *row), void *context);

#endif
