#include "kernels/cuda/cuda_light.h"

#include <assert.h>
#include <string.h>

#include "kernels/colour/pixel.h"
#include "kernels/cuda/cuda_calls.h"

/* Of the pixels of a block of threads; colours of one more column and row are made besides. */
enum { WIDE = 32, HIGH = 8, THREADS = WIDE * HIGH, LINE = WIDE + 1, COLOURS = LINE * (HIGH + 1) };

static const size_t PIECE = 4 << 20; /* bytes of the mean that come to the host at a time */

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
    const unsigned across = (unsigned)(work.width - 1) / WIDE + 1;
    const int32_t x = (int32_t)(blockIdx.x % across) * WIDE;
    const int32_t y = (int32_t)(blockIdx.x / across) * HIGH;
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
    if (!light->table)
        TRY_CUDA(lost,
                 cudaMalloc((void **)&light->table, (PALETTE_SAMPLES + 1) * sizeof *light->table));
    if (!light->pinned)
        TRY_CUDA(lost, cudaMallocHost((void **)&light->pinned, 2 * PIECE));
    for (int i = 0; i < 2; i++) /* who waits for it sleeps */
        if (!light->here[i])
            TRY_CUDA(lost, cudaEventCreateWithFlags(&light->here[i], cudaEventBlockingSync |
                                                                         cudaEventDisableTiming));
    return STATUS_OK;
}

/* To memory that nobody has pinned: one piece travels while the one before is put there. */
static enum status light_fetch(const struct cuda_light *light, const void *from, void *to,
                               size_t bytes, volatile int *lost)
{
    size_t pieces = (bytes + PIECE - 1) / PIECE;
    for (size_t i = 0; i <= pieces; i++) {
        size_t at = i * PIECE;
        if (i < pieces) {
            size_t length = bytes - at < PIECE ? bytes - at : PIECE;
            TRY_CUDA(lost, cudaMemcpyAsync(light->pinned + i % 2 * PIECE, (const char *)from + at,
                                           length, cudaMemcpyDeviceToHost, light->stream));
            TRY_CUDA(lost, cudaEventRecord(light->here[i % 2], light->stream));
        }
        if (i == 0)
            continue;
        size_t before = at - PIECE, length = bytes - before < PIECE ? bytes - before : PIECE;
        TRY_CUDA(lost, cudaEventSynchronize(light->here[(i - 1) % 2]));
        memcpy((char *)to + before, light->pinned + (i - 1) % 2 * PIECE, length);
    }
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
    unsigned blocks =
        (unsigned)((mean->width - 1) / WIDE + 1) * (unsigned)((mean->height - 1) / HIGH + 1);
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
    if (mean->out)
        return light_fetch(light, mean->mean, mean->out, bytes, lost);
    TRY_CUDA(lost, cudaEventRecord(light->here[0], light->stream));
    TRY_CUDA(lost, cudaEventSynchronize(light->here[0]));
    return STATUS_OK;
}

void cuda_light_close(struct cuda_light *light, int device)
{
    if (!light->stream)
        return;
    cudaSetDevice(device);
    for (int i = 0; i < 2; i++)
        if (light->here[i])
            cudaEventDestroy(light->here[i]);
    cudaStreamDestroy(light->stream);
    cudaFreeHost(light->pinned);
    cudaFree(light->table);
    cudaGetLastError();
    memset(light, 0, sizeof *light);
}
