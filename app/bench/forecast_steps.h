/* The steps of a deep view's pixels by kind, counted on the processor: they are the same on every
 * device. */
#ifndef APP_BENCH_FORECAST_STEPS_H
#define APP_BENCH_FORECAST_STEPS_H

#include "app/bench/forecast_model.h"
#include "kernels/deep/deep.h"

/* Means over every `stride`-th pixel of every `stride`-th row. */
struct forecast_steps forecast_steps_count(const struct deep *deep, const struct grid *grid,
                                           int32_t stride);

#endif
