#include "kernels/cuda/cuda_light.h"

#include <assert.h>
#include <string.h>

#include "kernels/colour/pixel.h"
#include "kernels/cuda/cuda_calls.h"

/* Of the pixels of a block of threads; colours of one more column and row are made besides. */
enum { WIDE = 32, HIGH = 8, THREADS = WIDE * HIGH, LINE = WIDE + 1, COLOURS = LINE * (HIGH + 1) };

struct light_work {          /* of a launch */
    struct colour_look look; /* its table in device memory */
    struct colour_planes planes[COLOUR_SAMPLES];
    struct sample_share share[COLOUR_SAMPLES];
    int samples;
    int32_t width, height;
    float (*mean)[3];
};
static_assert(sizeof(struct light_work) <= 4096, "it is a parameter");

__device__ int32_t within(int32_t place, int32_t length)
{
    return place < 0 ? 0 : place < length ? place : length - 1;
}

/* The colours of a block's pixels and of those beside them, from (x, y) on. */
__device__ void colours_make(const struct colour_look *look, const struct light_work *work,
                             const struct colour_planes *planes, int32_t x, int32_t y,
                             float colour[3][COLOURS])
{
    for (int i = (int)threadIdx.x; i < COLOURS; i += THREADS) {
        float light[3];
        colour_pixel(look, planes, within(x + i % LINE, work->width),
                     within(y + i / LINE, work->height), light);
        for (int c = 0; c < 3; c++)
            colour[c][i] = light[c];
    }
}

__global__ void __launch_bounds__(THREADS)
    samples_add(const __grid_constant__ struct light_work work)
{
    __shared__ struct colour_look look; /* threads read different places of its tables */
    __shared__ float colour[3][COLOURS];
    const int column = (int)threadIdx.x % WIDE, row = (int)threadIdx.x / WIDE;
    const int32_t x = (int32_t)blockIdx.x * WIDE, y = (int32_t)blockIdx.y * HIGH;
    const bool inside = x + column < work.width && y + row < work.height;
    float *mean = NULL, sum[3] = {0, 0, 0};
    static_assert(sizeof look % sizeof(int) == 0, "it is copied in these");
    for (int i = (int)threadIdx.x; i < (int)(sizeof look / sizeof(int)); i += THREADS)
        ((int *)&look)[i] = ((const int *)&work.look)[i];
    if (inside) {
        mean = work.mean[(size_t)(y + row) * (size_t)work.width + (size_t)(x + column)];
        for (int c = 0; c < 3 && !work.share[0].is_first; c++)
            sum[c] = mean[c];
    }
    for (int s = 0; s < work.samples; s++) {
        const struct sample_share *share = &work.share[s];
        const int left = share->to_x < 0, above = share->to_y < 0;
        const int own = (row + above) * LINE + column + left;
        const int other = own + share->to_y * LINE;
        __syncthreads(); /* the look is there, and the colours before have been read */
        colours_make(&look, &work, &work.planes[s], x - left, y - above, colour);
        __syncthreads();
        for (int c = 0; c < 3; c++)
            sum[c] =
                share->is_first
                    ? colour[c][own]
                    : colour_average(share, sum[c], colour[c][own], colour[c][other],
                                     colour[c][own + share->to_x], colour[c][other + share->to_x]);
    }
    for (int c = 0; c < 3 && inside; c++)
        mean[c] = sum[c];
}

/* The highest priority: it takes a twentieth of the time that its samples took, and who waits for
 * it waits for all that is before it. */
static enum status light_open(struct cuda_light *light, volatile int *lost)
{
    int lowest = 0, highest = 0;
    if (!light->stream) {
        TRY_CUDA(lost, cudaDeviceGetStreamPriorityRange(&lowest, &highest));
        TRY_CUDA(lost,
                 cudaStreamCreateWithPriority(&light->stream, cudaStreamNonBlocking, highest));
    }
    if (!light->done) /* who waits for it sleeps */
        TRY_CUDA(lost, cudaEventCreateWithFlags(&light->done,
                                                cudaEventBlockingSync | cudaEventDisableTiming));
    if (!light->table)
        TRY_CUDA(lost,
                 cudaMalloc((void **)&light->table, (PALETTE_SAMPLES + 1) * sizeof *light->table));
    return STATUS_OK;
}

static enum status light_launch(const struct cuda_light *light, const struct colour_mean *mean,
                                volatile int *lost)
{
    struct light_work work;
    memset(&work, 0, sizeof work);
    work.look = *mean->look;
    work.look.table = light->table;
    work.samples = mean->samples;
    work.width = mean->width;
    work.height = mean->height;
    work.mean = mean->mean;
    for (int s = 0; s < mean->samples; s++) {
        assert(mean->fields[s].width == mean->width && mean->fields[s].height == mean->height);
        assert(!mean->fields[s].band && mean->fields[s].space == MEMORY_DEVICE);
        work.planes[s] = colour_planes_of(mean->look, &mean->fields[s]);
        work.share[s] = mean->shares[s];
    }
    TRY_CUDA(lost, cudaMemcpyAsync(light->table, mean->look->table,
                                   (PALETTE_SAMPLES + 1) * sizeof *light->table,
                                   cudaMemcpyHostToDevice, light->stream));
    dim3 blocks((unsigned)((mean->width - 1) / WIDE + 1),
                (unsigned)((mean->height - 1) / HIGH + 1));
    samples_add<<<blocks, THREADS, 0, light->stream>>>(work);
    TRY_CUDA(lost, cudaGetLastError());
    return STATUS_OK;
}

enum status cuda_light_add(struct cuda_light *light, const struct colour_mean *mean,
                           volatile int *lost)
{
    size_t bytes = (size_t)mean->width * (size_t)mean->height * sizeof *mean->mean;
    TRY(light_open(light, lost));
    if (mean->samples > 0)
        TRY(light_launch(light, mean, lost));
    TRY_CUDA(lost, cudaEventRecord(light->done, light->stream));
    TRY_CUDA(lost, cudaEventSynchronize(light->done));
    if (!mean->out)
        return STATUS_OK;
    TRY_CUDA(lost,
             cudaMemcpyAsync(mean->out, mean->mean, bytes, cudaMemcpyDeviceToHost, light->stream));
    TRY_CUDA(lost, cudaStreamSynchronize(light->stream));
    return STATUS_OK;
}

void cuda_light_close(struct cuda_light *light, int device)
{
    if (!light->stream && !light->table)
        return;
    cudaSetDevice(device);
    if (light->done)
        cudaEventDestroy(light->done);
    if (light->stream)
        cudaStreamDestroy(light->stream);
    cudaFree(light->table);
    cudaGetLastError();
    memset(light, 0, sizeof *light);
}
