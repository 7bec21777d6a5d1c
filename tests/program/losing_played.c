/* Any device: one tile after the other is computed, until none is. */
#include "losing.h"

#include "kernels/backend.h"

static int victim = -2, left; /* -2: none */

void losing_begin(int device, int after)
{
    victim = device;
    left = after;
}

/* Linked with --wrap. */
enum status __real_backend_compute(struct backend *backend, const struct spec *spec,
                                   const struct grid *grid, struct field *out,
                                   struct backend_work *work);
enum status __wrap_backend_compute(struct backend *backend, const struct spec *spec,
                                   const struct grid *grid, struct field *out,
                                   struct backend_work *work);
enum status __wrap_backend_compute(struct backend *backend, const struct spec *spec,
                                   const struct grid *grid, struct field *out,
                                   struct backend_work *work)
{
    bool mine = victim == -1 || victim == backend_device(backend);
    if (mine && __atomic_sub_fetch(&left, 1, __ATOMIC_RELAXED) < 0)
        return status_fail(STATUS_DEVICE_LOST, "device %d fell off the bus",
                           backend_device(backend));
    return __real_backend_compute(backend, spec, grid, out, work);
}
