/* A GPU, as by an uncorrectable error of its memory: pieces of tiles end (or are copied to the
 * host) some times, and then every call fails. */
#include "losing.h"

#include <stdbool.h>
#include <string.h>

#include "kernels/cuda/cuda_calls.h"

static int victim, left;

static cudaError_t die(const char *call, cudaError_t result)
{
    int device = -1;
    if (cudaGetDevice(&device) != cudaSuccess || (victim >= 0 && device != victim))
        return result;
    bool ends = !strncmp(call, "cudaEventQuery", strlen("cudaEventQuery"));
    int rest = ends ? __atomic_sub_fetch(&left, 1, __ATOMIC_RELAXED)
                    : __atomic_load_n(&left, __ATOMIC_RELAXED);
    return rest < 0 ? cudaErrorECCUncorrectable : result;
}

void losing_begin(int device, int after)
{
    victim = device;
    left = after;
    cuda_fault = die;
}
