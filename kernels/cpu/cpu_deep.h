/* Perturbation on the CPU rows: kernels/deep/ on the threads of the backend. */
#ifndef KERNELS_CPU_CPU_DEEP_H
#define KERNELS_CPU_CPU_DEEP_H

#include "kernels/backend.h"

/* The verbs of struct backend_kind. */
enum status cpu_deep_open(struct backend_deep *deep, const struct deep_options *options,
                          const struct orbit *orbit, const struct spec *spec,
                          const struct grid *whole);
enum status cpu_deep_compute(const struct backend_deep *deep, const struct spec *spec,
                             const struct grid *grid, struct field *out, struct backend_work *work);
void cpu_deep_close(struct backend_deep *deep);

#endif
