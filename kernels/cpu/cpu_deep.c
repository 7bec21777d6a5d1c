#include "kernels/cpu/cpu_deep.h"

#include <stdlib.h>
#include <time.h>

#include "kernels/backend_device.h"

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

enum status cpu_deep_open(struct backend_deep *deep, const struct deep_options *options,
                          const struct orbit *orbit, const struct spec *spec,
                          const struct grid *whole)
{
    struct deep *own = deep->reference = calloc(1, sizeof *own);
    if (!own)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a picture by perturbation");
    struct deep_options mine = *options;
    mine.threads = deep->backend->threads;
    mine.kernels = deep->backend->kind->deep_kernels;
    TRY(deep_open(own, &mine, orbit, spec, whole));
    deep->table_bytes = own->table_bytes;
    own->options.stop = deep->backend->stop; /* of the tiles */
    deep->on_host = own;
    return STATUS_OK;
}

enum status cpu_deep_compute(const struct backend_deep *deep, const struct spec *spec,
                             const struct grid *grid, struct field *out, struct backend_work *work)
{
    double begin = seconds_now();
    struct deep_work steps = {0};
    enum status status = deep_compute(deep->reference, spec, grid, out, &steps);
    work->iterations += steps.steps;
    work->busy_s += seconds_now() - begin;
    return status;
}

void cpu_deep_close(struct backend_deep *deep)
{
    if (deep->reference)
        deep_close(deep->reference);
    free(deep->reference);
    deep->reference = NULL;
}
