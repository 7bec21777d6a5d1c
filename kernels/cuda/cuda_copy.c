#include "kernels/cuda/cuda_copy.h"

#include <stdbool.h>

static size_t pixel_bytes(const struct field *field, enum plane plane)
{
    return element_bytes(plane_element(plane, field->count_bytes));
}

/* Copies rows without gaps by one command. */
static cudaError_t rows_copy(const struct field *to, const struct field *from, enum plane plane,
                             int32_t first, int32_t rows, cudaStream_t stream)
{
    size_t bytes = pixel_bytes(to, plane), row = (size_t)to->width * bytes;
    void *there = field_row(to, plane, first), *here = field_row(from, plane, first);
    if (to->stride == to->width && from->stride == from->width)
        return cudaMemcpyAsync(there, here, row * (size_t)rows, cudaMemcpyDefault, stream);
    return cudaMemcpy2DAsync(there, (size_t)to->stride * bytes, here, (size_t)from->stride * bytes,
                             row, (size_t)rows, cudaMemcpyDefault, stream);
}

/* Describes one side as a stack of bands. */
static struct cudaPitchedPtr stack_of(const struct field *field, enum plane plane, int32_t band)
{
    size_t step = field->band ? (size_t)(field->band_stride / field->stride) : (size_t)band;
    return make_cudaPitchedPtr(field->plane[plane],
                               (size_t)field->stride * pixel_bytes(field, plane),
                               (size_t)field->width * pixel_bytes(field, plane), step);
}

static cudaError_t bands_copy(const struct field *to, const struct field *from, enum plane plane,
                              int32_t band, int32_t bands, cudaStream_t stream)
{
    struct cudaMemcpy3DParms copy = {.srcPtr = stack_of(from, plane, band),
                                     .dstPtr = stack_of(to, plane, band),
                                     .extent =
                                         make_cudaExtent((size_t)to->width * pixel_bytes(to, plane),
                                                         (size_t)band, (size_t)bands),
                                     .kind = cudaMemcpyDefault};
    return cudaMemcpy3DAsync(&copy, stream);
}

void cuda_reach(const void *memory)
{
    struct cudaPointerAttributes attributes;
    int device = 0, reaches = 0;
    bool found = cudaPointerGetAttributes(&attributes, memory) == cudaSuccess &&
                 cudaGetDevice(&device) == cudaSuccess;
    if (found && attributes.type == cudaMemoryTypeDevice && attributes.device != device &&
        cudaDeviceCanAccessPeer(&reaches, device, attributes.device) == cudaSuccess && reaches)
        cudaDeviceEnablePeerAccess(attributes.device, 0);
    cudaGetLastError(); /* enabled already; or not possible, then copies take the longer way */
}

cudaError_t cuda_plane_copy(const struct field *to, const struct field *from, enum plane plane,
                            cudaStream_t stream)
{
    int32_t band = to->band ? to->band : from->band;
    if (!band || (to->band && from->band && to->band != from->band))
        return band ? cudaErrorInvalidValue : rows_copy(to, from, plane, 0, to->height, stream);
    int32_t bands = to->height / band, rest = to->height % band;
    cudaError_t result = cudaSuccess;
    if (bands)
        result = bands_copy(to, from, plane, band, bands, stream);
    if (rest && result == cudaSuccess)
        result = rows_copy(to, from, plane, bands * band, rest, stream);
    return result;
}
