/* A GPU. */
#include "tests/render/device/mpi_renderer.h"

#include <cuda_runtime_api.h>

#include <string.h>

#include "kernels/cuda/cuda_backend.h"
#include "kernels/cuda/cuda_calls.h"

int device_count(void)
{
    return backend_cuda.devices();
}

const char *device_backend(void)
{
    return backend_cuda.name;
}

bool device_owns(const void *address)
{
    struct cudaPointerAttributes attributes;
    bool known = address && cudaPointerGetAttributes(&attributes, address) == cudaSuccess;
    return known && attributes.type == cudaMemoryTypeDevice;
}

static cudaError_t full(const char *call, cudaError_t result)
{
    return strcmp(call, "cudaMalloc") ? result : cudaErrorMemoryAllocation;
}

void device_room(bool room)
{
    cuda_fault = room ? NULL : full;
}

bool device_copy(void *to, const void *from, size_t bytes)
{
    return cudaMemcpy(to, from, bytes, cudaMemcpyDefault) == cudaSuccess;
}
