/* The row of `--backend cuda` in a build without CUDA. */
#include <assert.h>
#include <stdio.h>

#include "kernels/backend_device.h"
#include "kernels/cuda/cuda_backend.h"

static int no_devices(void)
{
    return 0;
}

static void missing(char *text, size_t bytes)
{
    snprintf(
        text, bytes,
        "this build has no CUDA: when it was configured, no nvcc was found or DEEPFIELD_CUDA was "
        "OFF; install the CUDA toolkit and configure again with -D DEEPFIELD_CUDA=ON");
}

static enum status no_device(void)
{
    return status_fail(STATUS_NO_DEVICE, "this build has no CUDA");
}

static enum status facts(int device, struct device_facts *facts)
{
    (void)device;
    *facts = (struct device_facts){.name = ""};
    return no_device();
}

static enum status open_device(struct backend *backend)
{
    (void)backend;
    return no_device();
}

static enum status compute(struct backend *backend, const struct spec *spec,
                           const struct grid *grid, struct field *out, struct backend_work *work)
{
    (void)backend, (void)spec, (void)grid, (void)out, (void)work;
    return no_device();
}

static enum status deep_begin(struct backend_deep *deep, const struct deep_options *options,
                              const struct orbit *orbit, const struct spec *spec,
                              const struct grid *whole)
{
    (void)deep, (void)options, (void)orbit, (void)spec, (void)whole;
    return no_device();
}

static enum status deep_tile(const struct backend_deep *deep, const struct spec *spec,
                             const struct grid *grid, struct field *out, struct backend_work *work)
{
    (void)deep, (void)spec, (void)grid, (void)out, (void)work;
    return no_device();
}

static void deep_end(struct backend_deep *deep)
{
    (void)deep;
}

static double ceiling(struct backend *backend, enum number number, double seconds)
{
    (void)backend, (void)number, (void)seconds;
    return 0;
}

static void close_device(struct backend *backend)
{
    (void)backend;
}

const struct backend_kind backend_cuda = {
    .name = "cuda",
    .summary = "NVIDIA GPU",
    .tiles_at_once = 1,
    .tile_px = 1,
    .devices = no_devices,
    .missing = missing,
    .facts = facts,
    .open = open_device,
    .compute = compute,
    .deep_open = deep_begin,
    .deep_compute = deep_tile,
    .deep_close = deep_end,
    .ceiling = ceiling,
    .close = close_device,
};
