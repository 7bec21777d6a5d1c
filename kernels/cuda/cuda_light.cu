#include "kernels/cuda/cuda_light.h"

#include <assert.h>
#include <string.h>

#include "kernels/colour/pixel.h"
#include "kernels/cuda/cuda_calls.h"

/* Pixels of a block of threads; colours of one more column and row are made, too. */
enum { WIDE = 32, HIGH = 8, THREADS = WIDE * HIGH, LINE = WIDE + 1, COLOURS = LINE * (HIGH + 1) };

static const size_t CHUNK = 4 << 20; /* bytes of the mean that come to the host at a time */

struct light_work { /* parameter of a launch: samples of the whole picture, or of squares */
    struct colour_look look; /* its table in device memory */
    struct colour_planes planes[COLOUR_SAMPLES];
    struct sample_share share[COLOUR_CELL_SAMPLES];
    int samples;
    int32_t width, height;
    float (*mean)[3];
    const uint32_t *squares;   /* device memory; NULL: all of the picture */
    struct colour_sheet sheet; /* sheet of squares; count 0: their planes are the whole picture's */
};
static_assert(sizeof(struct light_work) <= 4096, "it is a parameter");
static_assert(sizeof(struct colour_look) % sizeof(int) == 0, "it is copied in these");

/* Copies the look to shared memory, by all threads of a block: they read different entries of its
 * tables. */
template <int THREADS_OF_BLOCK>
__device__ void look_share(struct colour_look *shared, const struct light_work *work)
{
    for (int i = (int)threadIdx.x; i < (int)(sizeof *shared / sizeof(int)); i += THREADS_OF_BLOCK)
        ((int *)shared)[i] = ((const int *)&work->look)[i];
}

__device__ int32_t within(int32_t position, int32_t length)
{
    return position < 0 ? 0 : position < length ? position : length - 1;
}

/* Makes the colours of a block's pixels and of their neighbours, from (x, y) on. */
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
    __shared__ struct colour_look look;
    __shared__ float colour[3][COLOURS];
    const int column = (int)threadIdx.x % WIDE, row = (int)threadIdx.x / WIDE;
    const unsigned across = (unsigned)(work.width - 1) / WIDE + 1;
    const int32_t x = (int32_t)(blockIdx.x % across) * WIDE;
    const int32_t y = (int32_t)(blockIdx.x / across) * HIGH;
    const bool inside = x + column < work.width && y + row < work.height;
    float *mean = NULL, sum[3] = {0, 0, 0};
    look_share<THREADS>(&look, &work);
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

/* ---- squares --------------------------------------------------------------------------------- */

enum { SIDE = COLOUR_SQUARE_PX, CELL = GRID_CELL * GRID_CELL, CELL_THREADS = 96 };

/* Finds the pixels that the colours of a sample of a square come from. False: on another sheet. */
__device__ bool spans_make(const struct light_work *work, const struct colour_square *square, int s,
                           struct colour_span span[2])
{
    const struct sample_share *share = &work->share[s];
    int32_t cell[2] = {-1, -1};
    if (work->sheet.count) {
        uint64_t number = (uint64_t)blockIdx.x * (unsigned)work->samples + (unsigned)s;
        if (number < work->sheet.first || number >= work->sheet.first + work->sheet.count)
            return false;
        uint32_t index = (uint32_t)(number - work->sheet.first);
        cell[0] = (int32_t)(index % (uint32_t)work->sheet.in_row) * GRID_CELL;
        cell[1] = (int32_t)(index / (uint32_t)work->sheet.in_row) * GRID_CELL;
    }
    span[0] = colour_span_of(square->x, square->width, work->width, cell[0], share->to_x);
    span[1] = colour_span_of(square->y, square->height, work->height, cell[1], share->to_y);
    return true;
}

/* A block has a square: its first threads add a pixel each, and all of them make the colours. */
__global__ void __launch_bounds__(CELL_THREADS)
    squares_add(const __grid_constant__ struct light_work work)
{
    __shared__ struct colour_look look;
    __shared__ float colour[3][CELL];
    const int thread = (int)threadIdx.x, column = thread % SIDE, row = thread / SIDE;
    const struct colour_square square =
        colour_square_at(work.squares[blockIdx.x], work.width, work.height);
    const bool inside = column < square.width && row < square.height;
    float *mean = NULL, sum[3] = {0, 0, 0};
    look_share<CELL_THREADS>(&look, &work);
    if (inside) {
        mean =
            work.mean[(size_t)(square.y + row) * (size_t)work.width + (size_t)(square.x + column)];
        for (int c = 0; c < 3; c++)
            sum[c] = mean[c];
    }
    for (int s = 0; s < work.samples; s++) {
        const struct sample_share *share = &work.share[s];
        struct colour_span span[2];
        if (!spans_make(&work, &square, s, span)) /* the same for all threads */
            continue;
        __syncthreads(); /* the look is there, and the colours before have been read */
        if (thread < CELL) {
            float light[3];
            colour_pixel(&look, &work.planes[work.sheet.count ? 0 : s],
                         colour_span_index(&span[0], thread % GRID_CELL),
                         colour_span_index(&span[1], thread / GRID_CELL), light);
            for (int c = 0; c < 3; c++)
                colour[c][thread] = light[c];
        }
        __syncthreads();
        const int own = (row + span[1].own) * GRID_CELL + column + span[0].own;
        const int other = own + share->to_y * GRID_CELL;
        for (int c = 0; c < 3 && inside; c++)
            sum[c] = colour_average(share, sum[c], colour[c][own], colour[c][other],
                                    colour[c][own + share->to_x], colour[c][other + share->to_x]);
    }
    for (int c = 0; c < 3 && inside; c++)
        mean[c] = sum[c];
}

struct compare_work {
    const float (*mean)[3];
    int16_t (*before)[3];
    int32_t width, height;
    const uint32_t *squares;  /* device memory */
    struct colour_sums *sums; /* device memory */
};

enum { SUMS = 5 };

/* A block has a square, a thread a pixel of it. */
__global__ void __launch_bounds__(SIDE *SIDE) squares_compare(const struct compare_work work)
{
    __shared__ unsigned long long all[SUMS];
    const int thread = (int)threadIdx.x, column = thread % SIDE, row = thread / SIDE;
    const struct colour_square square =
        colour_square_at(work.squares[blockIdx.x], work.width, work.height);
    unsigned long long sum[SUMS] = {0, 0, 0, 0, 0}; /* differences, squares, values */
    if (thread < SUMS)
        all[thread] = 0;
    if (column < square.width && row < square.height) {
        size_t at = (size_t)(square.y + row) * (size_t)work.width + (size_t)(square.x + column);
        for (int c = 0; c < 3; c++) {
            int32_t now = colour_value(work.mean[at][c]), apart = now - work.before[at][c];
            work.before[at][c] = (int16_t)now;
            sum[0] += (unsigned)(apart * apart);
            sum[1] += (unsigned)(now * now);
            sum[2 + c] = (unsigned)now;
        }
    }
    for (int i = 0; i < SUMS; i++)
        for (int apart = 16; apart > 0; apart /= 2)
            sum[i] += __shfl_down_sync(0xffffffffu, sum[i], (unsigned)apart);
    __syncthreads();
    for (int i = 0; i < SUMS && thread % 32 == 0; i++)
        atomicAdd(&all[i], sum[i]);
    __syncthreads();
    if (thread == 0) {
        struct colour_sums *sums = &work.sums[blockIdx.x];
        sums->differences = all[0];
        sums->squares = all[1];
        for (int c = 0; c < 3; c++)
            sums->value[c] = (int32_t)all[2 + c];
    }
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* Opens a stream of the highest priority: a mean takes a twentieth of the time of its samples, and
 * the thread that waits for it waits for all that is before it. */
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
        TRY_CUDA(lost, cudaMallocHost((void **)&light->pinned, 2 * CHUNK));
    for (int i = 0; i < 2; i++) /* threads that wait for an event sleep */
        if (!light->here[i])
            TRY_CUDA(lost, cudaEventCreateWithFlags(&light->here[i], cudaEventBlockingSync |
                                                                         cudaEventDisableTiming));
    return STATUS_OK;
}

/* Copies to memory that is not pinned: one chunk travels while the one before is put there. */
static enum status light_fetch(const struct cuda_light *light, const void *from, void *to,
                               size_t bytes, volatile int *lost)
{
    size_t chunks = (bytes + CHUNK - 1) / CHUNK;
    for (size_t i = 0; i <= chunks; i++) {
        size_t at = i * CHUNK;
        if (i < chunks) {
            size_t length = bytes - at < CHUNK ? bytes - at : CHUNK;
            TRY_CUDA(lost, cudaMemcpyAsync(light->pinned + i % 2 * CHUNK, (const char *)from + at,
                                           length, cudaMemcpyDeviceToHost, light->stream));
            TRY_CUDA(lost, cudaEventRecord(light->here[i % 2], light->stream));
        }
        if (i == 0)
            continue;
        size_t before = at - CHUNK, length = bytes - before < CHUNK ? bytes - before : CHUNK;
        TRY_CUDA(lost, cudaEventSynchronize(light->here[(i - 1) % 2]));
        memcpy((char *)to + before, light->pinned + (i - 1) % 2 * CHUNK, length);
    }
    return STATUS_OK;
}

/* Uploads a list of squares, and makes room for their sums. */
static enum status squares_upload(struct cuda_light *light, const uint32_t *squares, uint32_t count,
                                  volatile int *lost)
{
    if (count > light->room) {
        light->room = 0;
        TRY_CUDA(lost, cudaStreamSynchronize(light->stream));
        TRY_CUDA(lost, cudaFree(light->squares));
        light->squares = NULL;
        TRY_CUDA(lost, cudaFree(light->sums));
        light->sums = NULL;
        TRY_CUDA(lost, cudaMalloc((void **)&light->squares, count * sizeof *squares));
        TRY_CUDA(lost, cudaMalloc((void **)&light->sums, count * sizeof *light->sums));
        light->room = count;
    }
    TRY_CUDA(lost, cudaMemcpyAsync(light->squares, squares, count * sizeof *squares,
                                   cudaMemcpyHostToDevice, light->stream));
    return STATUS_OK;
}

static struct light_work work_of(const struct cuda_light *light, const struct colour_mean *mean)
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
        assert(!mean->squares || !mean->shares[s].is_first);
        work.share[s] = mean->shares[s];
        if (s == 0 || !mean->sheet)
            work.planes[s] = colour_planes_of(mean->look, &mean->fields[s]);
        assert(mean->squares ||
               (mean->fields[s].width == mean->width && mean->fields[s].height == mean->height &&
                !mean->fields[s].band && mean->fields[s].space == MEMORY_DEVICE));
    }
    if (mean->sheet)
        work.sheet = *mean->sheet;
    return work;
}

static enum status light_launch(struct cuda_light *light, const struct colour_mean *mean,
                                volatile int *lost)
{
    struct light_work work = work_of(light, mean);
    TRY_CUDA(lost, cudaMemcpyAsync(light->table, mean->look->table,
                                   (PALETTE_SAMPLES + 1) * sizeof *light->table,
                                   cudaMemcpyHostToDevice, light->stream));
    if (mean->squares) {
        TRY(squares_upload(light, mean->squares, mean->square_count, lost));
        work.squares = light->squares;
        squares_add<<<mean->square_count, CELL_THREADS, 0, light->stream>>>(work);
    } else {
        unsigned blocks =
            (unsigned)((mean->width - 1) / WIDE + 1) * (unsigned)((mean->height - 1) / HIGH + 1);
        samples_add<<<blocks, THREADS, 0, light->stream>>>(work);
    }
    TRY_CUDA(lost, cudaGetLastError());
    return STATUS_OK;
}

static enum status light_wait(const struct cuda_light *light, volatile int *lost)
{
    TRY_CUDA(lost, cudaEventRecord(light->here[0], light->stream));
    TRY_CUDA(lost, cudaEventSynchronize(light->here[0]));
    return STATUS_OK;
}

enum status cuda_light_add(struct cuda_light *light, const struct colour_mean *mean,
                           volatile int *lost)
{
    size_t bytes = (size_t)mean->width * (size_t)mean->height * sizeof *mean->mean;
    TRY(light_open(light, lost));
    if (mean->samples > 0 && (!mean->squares || mean->square_count > 0))
        TRY(light_launch(light, mean, lost));
    if (mean->out)
        return light_fetch(light, mean->mean, mean->out, bytes, lost);
    return light_wait(light, lost);
}

enum status cuda_light_compare(struct cuda_light *light, const struct colour_compare *compare,
                               volatile int *lost)
{
    uint32_t count = compare->square_count;
    TRY(light_open(light, lost));
    if (count == 0)
        return STATUS_OK;
    TRY(squares_upload(light, compare->squares, count, lost));
    struct compare_work work = {compare->mean,   compare->before, compare->width,
                                compare->height, light->squares,  light->sums};
    squares_compare<<<count, SIDE * SIDE, 0, light->stream>>>(work);
    TRY_CUDA(lost, cudaGetLastError());
    if (compare->sums)
        return light_fetch(light, light->sums, compare->sums, count * sizeof *compare->sums, lost);
    return light_wait(light, lost);
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
    cudaFree(light->squares);
    cudaFree(light->sums);
    cudaGetLastError();
    memset(light, 0, sizeof *light);
}
