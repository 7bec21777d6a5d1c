/* The inside of an opened GPU, for cuda_backend.c and cuda_memory.c. */
#ifndef KERNELS_CUDA_CUDA_DEVICE_H
#define KERNELS_CUDA_CUDA_DEVICE_H

#include "kernels/backend_device.h"
#include "kernels/cuda/cuda_light.h"
#include "kernels/cuda/cuda_reference.h"

struct cuda_pipeline;

struct cuda_device { /* backend->device */
    struct cuda_pipeline *pipeline;
    struct cuda_reference_memory kept; /* kept from a picture to the next of the same orbit */
    struct cuda_light light;           /* opened by the first samples */
    volatile int lost;                 /* 1: a call failed for good, and no further one is made */
};

/* STATUS_DEVICE_LOST if the GPU of `backend` is lost. */
enum status cuda_device_check(const struct backend *backend);

/* Makes the GPU of `backend` the calling thread's current one. STATUS_DEVICE_LOST if it is lost. */
enum status cuda_device_enter(struct backend *backend);

extern const struct backend_memory cuda_memory;

#endif
