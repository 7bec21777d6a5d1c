/* Memory of a GPU: the verbs of struct backend_memory. */
#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "kernels/cuda/cuda_calls.h"
#include "kernels/cuda/cuda_copy.h"
#include "kernels/cuda/cuda_device.h"

static_assert(sizeof(cudaIpcMemHandle_t) == sizeof(struct backend_handle), "handles are copied");

static volatile int *lost_of(struct backend *backend)
{
    return &((struct cuda_device *)backend->device)->lost;
}

/* Allocates portable memory: the copy engines of all GPUs of this process reach it. */
static enum status host_create(struct backend *backend, size_t bytes, void **host)
{
    *host = NULL;
    TRY(cuda_device_enter(backend));
    TRY(cuda_check_refusable(lost_of(backend), cudaHostAlloc(host, bytes, cudaHostAllocPortable),
                             "cudaHostAlloc"));
    memset(*host, 0, bytes);
    return STATUS_OK;
}

/* Verbs that free cannot fail, and are tried on a lost GPU too, as far as the system still can. An
 * error of an earlier launch may show here; the next call reports it. */
static void enter_to_give_back(struct backend *backend)
{
    cudaSetDevice(backend->number);
}

static void host_destroy(struct backend *backend, void *host)
{
    enter_to_give_back(backend);
    if (host && cudaFreeHost(host) != cudaSuccess)
        cudaGetLastError();
}

static enum status pin(struct backend *backend, void *host, size_t bytes)
{
    TRY(cuda_device_enter(backend));
    cudaError_t result = cudaHostRegister(host, bytes, cudaHostRegisterPortable);
    if (cuda_result(result, "cudaHostRegister") == cudaErrorHostMemoryAlreadyRegistered) {
        cudaGetLastError(); /* another GPU of this process has done it, for all of them */
        return STATUS_OK;
    }
    return cuda_check_refusable(lost_of(backend), result, "cudaHostRegister");
}

/* Unpins for all GPUs: the first call succeeds, the others fail. */
static void unpin(struct backend *backend, void *host)
{
    enter_to_give_back(backend);
    if (cudaHostUnregister(host) != cudaSuccess)
        cudaGetLastError();
}

static enum status no_room(int device, size_t bytes)
{
    size_t room = 0, all = 0;
    if (cudaMemGetInfo(&room, &all) != cudaSuccess)
        cudaGetLastError();
    return status_fail(STATUS_OUT_OF_MEMORY,
                       "%.1f MiB are needed on GPU %d, and %.1f of its %.1f MiB are free",
                       (double)bytes / 0x1p20, device, (double)room / 0x1p20, (double)all / 0x1p20);
}

static enum status create(struct backend *backend, size_t bytes, void **memory)
{
    *memory = NULL;
    TRY(cuda_device_enter(backend));
    enum status status = cuda_check(lost_of(backend), cudaMalloc(memory, bytes), "cudaMalloc");
    if (status == STATUS_OK)
        return STATUS_OK;
    cudaFree(*memory);
    *memory = NULL;
    return status == STATUS_OUT_OF_MEMORY ? no_room(backend->number, bytes) : status;
}

static void destroy(struct backend *backend, void *memory)
{
    enter_to_give_back(backend);
    if (memory && cudaFree(memory) != cudaSuccess)
        cudaGetLastError();
}

static enum status share(struct backend *backend, void *memory, struct backend_handle *handle)
{
    cudaIpcMemHandle_t raw;
    TRY(cuda_device_enter(backend));
    TRY(cuda_check_refusable(lost_of(backend), cudaIpcGetMemHandle(&raw, memory),
                             "cudaIpcGetMemHandle"));
    memcpy(handle->bytes, &raw, sizeof raw);
    return STATUS_OK;
}

static enum status attach(struct backend *backend, const struct backend_handle *handle,
                          void **memory)
{
    cudaIpcMemHandle_t raw;
    memcpy(&raw, handle->bytes, sizeof raw);
    *memory = NULL;
    TRY(cuda_device_enter(backend));
    return cuda_check_refusable(lost_of(backend),
                                cudaIpcOpenMemHandle(memory, raw, cudaIpcMemLazyEnablePeerAccess),
                                "cudaIpcOpenMemHandle");
}

static void detach(struct backend *backend, void *memory)
{
    enter_to_give_back(backend);
    if (memory && cudaIpcCloseMemHandle(memory) != cudaSuccess)
        cudaGetLastError();
}

/* Uses the calling thread's own stream: the legacy one would wait for every kernel of the device.
 */
static enum status copy(struct backend *backend, const struct field *to, const struct field *from)
{
    volatile int *lost = lost_of(backend);
    assert(to->width == from->width && to->height == from->height);
    assert(to->planes == from->planes && to->count_bytes == from->count_bytes);
    TRY(cuda_device_enter(backend));
    cuda_reach(to->plane[PLANE_COUNT]);
    for (int p = 0; p < PLANES; p++)
        if (to->plane[p])
            TRY(cuda_check(lost, cuda_plane_copy(to, from, (enum plane)p, cudaStreamPerThread),
                           "cudaMemcpyAsync"));
    TRY_CUDA(lost, cudaStreamSynchronize(cudaStreamPerThread));
    return STATUS_OK;
}

static enum status mean_add(struct backend *backend, const struct colour_mean *mean)
{
    struct cuda_device *device = backend->device;
    TRY(cuda_device_enter(backend));
    return cuda_light_add(&device->light, mean, lost_of(backend));
}

static enum status compare(struct backend *backend, const struct colour_compare *compare)
{
    struct cuda_device *device = backend->device;
    TRY(cuda_device_enter(backend));
    return cuda_light_compare(&device->light, compare, lost_of(backend));
}

/* ---- by the number of a device ---- */

static int owner(const void *memory)
{
    struct cudaPointerAttributes attributes;
    bool found = cudaPointerGetAttributes(&attributes, memory) == cudaSuccess;
    cudaGetLastError();
    bool of_device = found && (attributes.type == cudaMemoryTypeDevice ||
                               attributes.type == cudaMemoryTypeManaged);
    return of_device ? attributes.device : -1;
}

/* Makes a device current; returns the one that was, or -1. */
static int device_swap(int device)
{
    int before = -1;
    if (cudaGetDevice(&before) != cudaSuccess)
        before = -1;
    if (before != device)
        cudaSetDevice(device); /* a failure shows in the call that follows */
    return before;
}

static void device_swap_back(int before, int device)
{
    if (before >= 0 && before != device)
        cudaSetDevice(before);
}

static enum status number_create(int device, size_t bytes, void **memory)
{
    int before = device_swap(device);
    *memory = NULL;
    enum status status = cuda_check(NULL, cudaMalloc(memory, bytes), "cudaMalloc");
    if (status == STATUS_OUT_OF_MEMORY)
        status = no_room(device, bytes);
    device_swap_back(before, device);
    return status;
}

static void number_destroy(int device, void *memory)
{
    int before = device_swap(device);
    if (memory && cudaFree(memory) != cudaSuccess)
        cudaGetLastError();
    device_swap_back(before, device);
}

static cudaError_t rows_copy(const struct backend_rows *to, const struct backend_rows *from,
                             size_t bytes, size_t count)
{
    if (to->step_bytes == (int64_t)bytes && from->step_bytes == (int64_t)bytes)
        return cudaMemcpyAsync(to->first, from->first, bytes * count, cudaMemcpyDefault,
                               cudaStreamPerThread);
    return cudaMemcpy2DAsync(to->first, (size_t)to->step_bytes, from->first,
                             (size_t)from->step_bytes, bytes, count, cudaMemcpyDefault,
                             cudaStreamPerThread);
}

static enum status number_copy(int device, const struct backend_rows *to,
                               const struct backend_rows *from, size_t bytes, size_t count)
{
    int before = device_swap(device);
    enum status status = cuda_check(NULL, rows_copy(to, from, bytes, count), "cudaMemcpyAsync");
    if (status == STATUS_OK)
        status =
            cuda_check(NULL, cudaStreamSynchronize(cudaStreamPerThread), "cudaStreamSynchronize");
    device_swap_back(before, device);
    return status;
}

const struct backend_memory cuda_memory = {
    .host_create = host_create,
    .host_destroy = host_destroy,
    .pin = pin,
    .unpin = unpin,
    .create = create,
    .destroy = destroy,
    .share = share,
    .attach = attach,
    .detach = detach,
    .copy = copy,
    .mean_add = mean_add,
    .compare = compare,
    .owner = owner,
    .number_create = number_create,
    .number_destroy = number_destroy,
    .number_copy = number_copy,
};
