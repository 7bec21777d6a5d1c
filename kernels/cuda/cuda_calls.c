#include "kernels/cuda/cuda_calls.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

cudaError_t (*cuda_fault)(const char *call, cudaError_t result);

cudaError_t cuda_result(cudaError_t result, const char *call)
{
    return cuda_fault ? cuda_fault(call, result) : result;
}

/* Advice for the user; "" where there is none. */
static const char *remedy(cudaError_t result)
{
    switch (result) {
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidKernelImage:
    case cudaErrorInvalidDeviceFunction:
        return ". This build holds no code for this GPU: build with -D "
               "CMAKE_CUDA_ARCHITECTURES=native on this machine";
    case cudaErrorInvalidPtx:
    case cudaErrorUnsupportedPtxVersion:
    case cudaErrorJitCompilerNotFound:
    case cudaErrorJitCompilationDisabled:
        return ". This build holds only PTX for this GPU, and the driver cannot translate it: "
               "install a newer driver, or build with -D CMAKE_CUDA_ARCHITECTURES=native on this "
               "machine";
    case cudaErrorInsufficientDriver:
    case cudaErrorCallRequiresNewerDriver:
        return ". The driver is older than this build's CUDA runtime: install a newer driver";
    case cudaErrorDevicesUnavailable:
        return ". Another process has the GPU for itself: nvidia-smi shows it";
    default:
        return "";
    }
}

/* "cudaMalloc" of "cudaMalloc(&x, bytes)". */
static int name_length(const char *call)
{
    return (int)strcspn(call, "(");
}

static void name_device(char *text, size_t bytes)
{
    int device;
    *text = '\0';
    if (cudaGetDevice(&device) == cudaSuccess)
        snprintf(text, bytes, " on GPU %d", device);
}

static enum status describe(enum status status, cudaError_t result, const char *call)
{
    char device[24];
    name_device(device, sizeof device);
    return status_fail(status, "CUDA: %.*s failed%s: %s%s", name_length(call), call, device,
                       cudaGetErrorString(result), remedy(result));
}

static enum status lose(volatile int *lost, cudaError_t result, const char *call)
{
    if (lost)
        __atomic_store_n(lost, 1, __ATOMIC_RELAXED);
    return describe(STATUS_DEVICE_LOST, result, call);
}

enum status cuda_check(volatile int *lost, cudaError_t result, const char *call)
{
    result = cuda_result(result, call);
    if (result == cudaSuccess)
        return STATUS_OK;
    cudaGetLastError();
    if (result == cudaErrorMemoryAllocation)
        return describe(STATUS_OUT_OF_MEMORY, result, call);
    return lose(lost, result, call);
}

enum status cuda_check_refusable(volatile int *lost, cudaError_t result, const char *call)
{
    result = cuda_result(result, call);
    if (result == cudaSuccess)
        return STATUS_OK;
    cudaGetLastError();
    /* An error that comes back after it was cleared stays for good: the context is broken. */
    if (cudaPeekAtLastError() == result)
        return lose(lost, result, call);
    enum status status = result == cudaErrorMemoryAllocation ? STATUS_OUT_OF_MEMORY : STATUS_SYSTEM;
    return describe(status, result, call);
}
