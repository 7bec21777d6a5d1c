/* What the pixels of a deep view take at least on a GPU, from the instructions of a step
 * (forecast_costs.inc), the steps of a pixel and the published rates of the GPU. Pure. */
#ifndef APP_BENCH_FORECAST_MODEL_H
#define APP_BENCH_FORECAST_MODEL_H

#include "kernels/spec.h"

/* Kinds of steps; WIDE: delta has an exponent of its own. */
enum forecast_kind {
    FORECAST_BLOCK,
    FORECAST_BLOCK_WIDE,
    FORECAST_ALONG,
    FORECAST_ALONG_WIDE,
    FORECAST_DIRECT,    /* without the reference */
    FORECAST_ITERATION, /* step of a picture by direct iteration: no deep pixel takes any */
    FORECAST_KINDS
};

enum { FORECAST_GPUS = 5, FORECAST_H200 = 0 };

struct forecast_gpu {
    const char *name;
    int architecture; /* its number in forecast_costs.inc */
    int units;        /* multiprocessors */
    double clock_hz;  /* boost */
    /* Results of a clock and multiprocessor. fp32 are 128 everywhere, and instructions 4 for 32
     * lanes, so that no more than 128 of all kinds are begun. */
    int fp64, integer;
    double bytes_per_s;
    double fp32_flops, fp64_flops; /* as published; a test holds the figures above to them */
};

extern const struct forecast_gpu forecast_gpus[FORECAST_GPUS];

struct forecast_steps { /* steps of a pixel, in the mean */
    double px[NUMBERS][FORECAST_KINDS];
};

/* Seconds in which the GPU can issue the steps of so many pixels, when nothing waits and no lane is
 * idle, and store count and fraction: less than any GPU takes. */
double forecast_bound_s(const struct forecast_gpu *gpu, const struct forecast_steps *steps,
                        double pixels);

/* Iterations of z^2 + c that the GPU can issue in a second; 0 where their instructions are not
 * among the costs. */
double forecast_iterations_per_s(const struct forecast_gpu *gpu, enum number number);

#endif
