#include "kernels/cuda/cuda_backend.h"

#include <stdio.h>
#include <stdlib.h>

#include "kernels/cuda/cuda_calls.h"
#include "kernels/cuda/cuda_device.h"
#include "kernels/cuda/cuda_discovery.h"
#include "kernels/cuda/cuda_pipeline.h"
#include "kernels/cuda/cuda_reference.h"

enum { TILE_PX = 512 }; /* 2048 pixels for each of 128 multiprocessors */

/* A GPU that fails before anything was computed is one that cannot be used, not one that was lost.
 */
static enum status as_unusable(enum status status)
{
    return status == STATUS_DEVICE_LOST ? STATUS_NO_DEVICE : status;
}

static enum status open_device(struct backend *backend)
{
    TRY(cuda_device_runs(backend->number));
    if (backend->threads == 0)
        backend->threads = 1; /* threads of the host; the GPU has its own */
    struct cuda_device *device = backend->device = calloc(1, sizeof *device);
    if (!device)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory to open GPU %d", backend->number);
    struct cuda_pipeline_options options = {.device = backend->number,
                                            .slice_s = backend->slice_s,
                                            .stop = backend->stop,
                                            .lost = &device->lost};
    return as_unusable(cuda_pipeline_open(&device->pipeline, &options));
}

static enum status compute(struct backend *backend, const struct spec *spec,
                           const struct grid *grid, struct field *out, struct backend_work *work)
{
    struct cuda_device *device = backend->device;
    TRY(cuda_device_check(backend));
    return cuda_pipeline_compute(device->pipeline, spec, grid, out, work);
}

static enum status deep_begin(struct backend_deep *deep, const struct deep_options *options,
                              const struct orbit *orbit, const struct spec *spec,
                              const struct grid *whole)
{
    struct cuda_device *device = deep->backend->device;
    TRY(cuda_device_check(deep->backend));
    struct cuda_reference *reference = deep->reference = calloc(1, sizeof *reference);
    if (!reference)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a picture by perturbation");
    TRY(cuda_reference_open(reference, cuda_pipeline_options(device->pipeline), options, orbit,
                            spec, whole, &device->kept));
    deep->table_bytes = reference->table_bytes;
    return STATUS_OK;
}

static enum status deep_tile(const struct backend_deep *deep, const struct spec *spec,
                             const struct grid *grid, struct field *out, struct backend_work *work)
{
    struct cuda_device *device = deep->backend->device;
    TRY(cuda_device_check(deep->backend));
    return cuda_pipeline_deep(device->pipeline, deep->reference, spec, grid, out, work);
}

static void deep_end(struct backend_deep *deep)
{
    struct cuda_device *device = deep->backend->device;
    if (deep->reference)
        cuda_reference_close(deep->reference, &device->kept);
    free(deep->reference);
    deep->reference = NULL;
}

static double ceiling(struct backend *backend, enum number number, double seconds)
{
    struct cuda_device *device = backend->device;
    if (cuda_device_check(backend) != STATUS_OK)
        return 0;
    return cuda_pipeline_ceiling(device->pipeline, number, seconds);
}

static void close_device(struct backend *backend)
{
    struct cuda_device *device = backend->device;
    if (device) {
        cuda_light_close(&device->light, backend->number);
        cuda_reference_free(&device->kept, backend->number);
        cuda_pipeline_close(device->pipeline);
    }
    free(device);
    backend->device = NULL;
}

const struct backend_kind backend_cuda = {
    .name = "cuda",
    .summary = "NVIDIA GPU",
    .tiles_at_once = CUDA_SLOTS,
    .tile_px = TILE_PX,
    .memory = &cuda_memory,
    .likely = cuda_likely,
    .devices = cuda_devices,
    .missing = cuda_missing,
    .facts = cuda_facts,
    .open = open_device,
    .compute = compute,
    .deep_open = deep_begin,
    .deep_compute = deep_tile,
    .deep_close = deep_end,
    .ceiling = ceiling,
    .close = close_device,
};
