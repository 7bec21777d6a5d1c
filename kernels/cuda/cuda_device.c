#include "kernels/cuda/cuda_device.h"

#include "kernels/cuda/cuda_calls.h"

enum status cuda_device_check(const struct backend *backend)
{
    const struct cuda_device *device = backend->device;
    if (!__atomic_load_n(&device->lost, __ATOMIC_RELAXED))
        return STATUS_OK;
    return status_fail(STATUS_DEVICE_LOST, "GPU %d failed before and is not used again",
                       backend->number);
}

enum status cuda_device_enter(struct backend *backend)
{
    TRY(cuda_device_check(backend));
    TRY_CUDA(&((struct cuda_device *)backend->device)->lost, cudaSetDevice(backend->number));
    return STATUS_OK;
}
