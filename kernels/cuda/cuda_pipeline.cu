#include "kernels/cuda/cuda_pipeline.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/cuda/cuda_calls.h"
#include "kernels/cuda/cuda_copy.h"
#include "kernels/cuda/cuda_stream.h"
#include "kernels/escape/lanes_ds.h"
#include "kernels/stop.h"

enum {
    STREAMS = 8,       /* streams of a slot */
    HURRIED = 2,       /* pieces that keep the device busy until the squares of others are proven */
    SPIN_NS = 2000000, /* time of polling; then naps, so that a core is free for others */
    NAP_NS = 20000
};

static const double STEP_S = 50e-9; /* a step of a single thread takes a third of it on an H200 */
static const double SLICE_SHARE = 0.5; /* for perturbation: its blocks need not begin together */
/* Much smaller pieces do not fill the device; where none is copied to the host while others are
 * computed, larger ones fill it better (films of kf-1e50 at 1080p: 48.5 -> 52.6 frames a second).
 */
static const size_t PIECE_PX = 1 << 19, PIECE_ON_DEVICE_PX = 1 << 20;
static const size_t STREAM_PX_MAX = 1 << 21; /* capacity of a stream that is tried first */
static const size_t STREAM_PX_MIN = 1 << 16; /* capacity that is tried last */

struct slot {
    int taken;
    struct stream stream[STREAMS];
    struct stream_stop stop;
    cudaEvent_t begin;
    struct grid_cell *cells; /* cells of a tile, in device memory; may be NULL */
    size_t cells_room;
};

struct cuda_pipeline {
    struct cuda_pipeline_options options;
    int units;
    double rate[NUMBERS]; /* expected iterations per second */
    struct slot slot[CUDA_SLOTS];
};

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int is_stopped(const struct cuda_pipeline *pipeline)
{
    return stop_asked(pipeline->options.stop);
}

/* Expects four fifths of the rate that the multiply-add units can issue. */
static enum status rates_find(struct cuda_pipeline *pipeline)
{
    int device = pipeline->options.device, khz = 0, ratio = 1, major = 0, minor = 0;
    volatile int *lost = pipeline->options.lost;
    TRY_CUDA(lost,
             cudaDeviceGetAttribute(&pipeline->units, cudaDevAttrMultiProcessorCount, device));
    TRY_CUDA(lost, cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, device));
    TRY_CUDA(lost,
             cudaDeviceGetAttribute(&ratio, cudaDevAttrSingleToDoublePrecisionPerfRatio, device));
    TRY_CUDA(lost, cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    TRY_CUDA(lost, cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
    double cores = major > 8 || (major == 8 && minor) ? 128 : 64;
    pipeline->rate[NUMBER_FP32] = 0.8 * pipeline->units * khz * 1e3 * cores / 4;
    pipeline->rate[NUMBER_DS] = pipeline->rate[NUMBER_FP32] * 4 / DS_INSTRUCTIONS;
    pipeline->rate[NUMBER_FP64] = pipeline->rate[NUMBER_FP32] / (ratio > 0 ? ratio : 1);
    return STATUS_OK;
}

static void slot_close(struct slot *slot)
{
    for (int i = 0; i < STREAMS; i++)
        stream_close(&slot->stream[i]);
    cudaFree(slot->stop.device);
    cudaFree(slot->cells);
    cudaFreeHost((void *)slot->stop.host);
    if (slot->begin)
        cudaEventDestroy(slot->begin);
    memset(slot, 0, sizeof *slot);
}

/* Gives earlier streams the higher priority, so that the first pieces are copied to the host while
 * the others are computed. */
static enum status slot_open(struct slot *slot, size_t pixels, int units, volatile int *lost)
{
    int lowest = 0, highest = 0; /* a higher priority is a smaller number */
    TRY_CUDA(lost, cudaDeviceGetStreamPriorityRange(&lowest, &highest));
    for (int i = 0; i < STREAMS; i++) {
        int priority = highest + i < lowest ? highest + i : lowest;
        TRY(stream_open(&slot->stream[i], pixels, units, priority, lost));
    }
    TRY_CUDA(lost, cudaMalloc((void **)&slot->stop.device, sizeof(int)));
    TRY_CUDA(lost, cudaMallocHost((void **)&slot->stop.host, sizeof(int)));
    TRY_CUDA(lost, cudaEventCreate(&slot->begin));
    return STATUS_OK;
}

static enum status slots_open(struct cuda_pipeline *pipeline, size_t pixels)
{
    enum status status = STATUS_OK;
    for (int s = 0; s < CUDA_SLOTS && status == STATUS_OK; s++)
        status = slot_open(&pipeline->slot[s], pixels, pipeline->units, pipeline->options.lost);
    if (status != STATUS_OK)
        for (int s = 0; s < CUDA_SLOTS; s++)
            slot_close(&pipeline->slot[s]);
    return status;
}

static enum status memory_open(struct cuda_pipeline *pipeline)
{
    enum status status = STATUS_OUT_OF_MEMORY;
    size_t pixels = STREAM_PX_MAX;
    for (; status == STATUS_OUT_OF_MEMORY && pixels >= STREAM_PX_MIN; pixels /= 2)
        status = slots_open(pipeline, pixels);
    if (status != STATUS_OUT_OF_MEMORY)
        return status;
    size_t free_bytes = 0, total = 0;
    TRY_CUDA(pipeline->options.lost, cudaMemGetInfo(&free_bytes, &total));
    return status_fail(STATUS_OUT_OF_MEMORY,
                       "GPU %d: %zu MiB of its memory are needed, %zu are free",
                       pipeline->options.device,
                       CUDA_SLOTS * STREAMS * stream_bytes(STREAM_PX_MIN) >> 20, free_bytes >> 20);
}

enum status cuda_pipeline_open(struct cuda_pipeline **pipeline,
                               const struct cuda_pipeline_options *options)
{
    *pipeline = NULL;
    struct cuda_pipeline *e = (struct cuda_pipeline *)calloc(1, sizeof *e);
    if (!e)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory to open GPU %d", options->device);
    e->options = *options;
    enum status status = cuda_check(options->lost, cudaSetDevice(options->device), "cudaSetDevice");
    if (status == STATUS_OK)
        status = rates_find(e);
    if (status == STATUS_OK)
        status = memory_open(e);
    if (status != STATUS_OK)
        cuda_pipeline_close(e);
    else
        *pipeline = e;
    return status;
}

void cuda_pipeline_close(struct cuda_pipeline *pipeline)
{
    if (!pipeline)
        return;
    if (cudaSetDevice(pipeline->options.device) == cudaSuccess)
        for (int s = 0; s < CUDA_SLOTS; s++)
            slot_close(&pipeline->slot[s]);
    free(pipeline);
}

static struct slot *slot_take(struct cuda_pipeline *pipeline)
{
    for (int s = 0; s < CUDA_SLOTS; s++)
        if (!__atomic_exchange_n(&pipeline->slot[s].taken, 1, __ATOMIC_ACQUIRE))
            return &pipeline->slot[s];
    return NULL;
}

/* The next piece of the tile, row by row; 0 when there is none. Sides are multiples of a square's
 * where they can be. */
static int piece_next(struct rectangle *piece, const struct grid *tile, size_t pixels)
{
    int32_t widest = (int32_t)(pixels / SQUARE_PX);
    if (!piece->width) {
        piece->x = piece->y = 0;
    } else if (piece->x + piece->width < tile->width) {
        piece->x += piece->width;
    } else {
        piece->x = 0;
        piece->y += piece->height;
    }
    if (piece->y >= tile->height)
        return 0;
    int32_t width = tile->width < widest ? tile->width : widest;
    int32_t height = (int32_t)(pixels / (size_t)width) / SQUARE_PX * SQUARE_PX;
    height = height < 1 << 15 ? height : 1 << 15;
    piece->width = tile->width - piece->x < width ? tile->width - piece->x : width;
    piece->height = tile->height - piece->y < height ? tile->height - piece->y : height;
    return 1;
}

/* Pixels of a piece: enough pieces to overlap, each large enough to fill the device, all alike. */
static size_t piece_pixels(const struct grid *tile, size_t wanted, size_t capacity)
{
    size_t all = (size_t)tile->width * (size_t)tile->height;
    size_t pieces = (all + wanted / 2) / wanted;
    pieces = pieces < 1 ? 1 : pieces > STREAMS ? (size_t)STREAMS : pieces;
    size_t pixels = all / pieces + (size_t)tile->width * SQUARE_PX; /* rows are rounded down */
    return pixels < capacity ? pixels : capacity;
}

/* Ends all streams: launches that have not begun become empty; copies of finished pieces arrive. */
static void slot_halt(struct slot *slot)
{
    *slot->stop.host = 1;
    for (int i = 0; i < STREAMS; i++)
        stream_wait(&slot->stream[i]);
}

/* Keeps all streams busy until every piece has been copied. */
static enum status slot_run(struct cuda_pipeline *pipeline, struct slot *slot, struct tile_job *job)
{
    const struct timespec nap = {0, NAP_NS};
    struct rectangle piece = {0, 0, 0, 0};
    size_t capacity = slot->stream[0].pixels;
    if (job->reference) /* the rest of the memory of pixels is room for queued ones, and planes */
        capacity = capacity / 16 * (job->out->planes & PLANE_MASK_ORBIT ? 5 : 10);
    size_t wanted = job->out->space == MEMORY_DEVICE ? PIECE_ON_DEVICE_PX : PIECE_PX;
    size_t pixels = piece_pixels(job->grid, wanted, capacity);
    int more = piece_next(&piece, job->grid, pixels), busy = 1, begun = 0;
    for (int64_t since = now_ns(); more || busy;) {
        int moved = 0;
        busy = 0;
        for (int i = 0; i < STREAMS; i++) {
            struct stream *stream = &slot->stream[i];
            TRY(stream_advance(stream, job, &moved));
            if (stream->state == STREAM_IDLE && more) {
                TRY(stream_begin(stream, job, &piece, &slot->stop, begun++ < HURRIED));
                more = piece_next(&piece, job->grid, pixels);
                moved = 1;
            }
            busy |= stream->state != STREAM_IDLE;
        }
        if (is_stopped(pipeline))
            return status_fail(STATUS_STOPPED, "stopped while computing");
        if (moved)
            since = now_ns();
        else if (now_ns() - since > SPIN_NS) /* polls before: most pieces take microseconds */
            nanosleep(&nap, NULL);
    }
    return STATUS_OK;
}

/* Copies the cells of a tile to the device; `grid` becomes the tile's with that copy. */
static enum status cells_copy(struct slot *slot, const struct grid *tile, struct grid *grid,
                              volatile int *lost)
{
    *grid = *tile;
    if (!tile->cells)
        return STATUS_OK;
    size_t rows = (size_t)((tile->y + tile->height + GRID_CELL - 1) / GRID_CELL);
    size_t count = rows * (size_t)tile->cells_in_row;
    if (slot->cells_room < count) {
        TRY_CUDA(lost, cudaFree(slot->cells));
        slot->cells = NULL;
        slot->cells_room = 0;
        TRY_CUDA(lost, cudaMalloc((void **)&slot->cells, count * sizeof *slot->cells));
        slot->cells_room = count;
    }
    TRY_CUDA(lost, cudaMemcpyAsync(slot->cells, tile->cells, count * sizeof *slot->cells,
                                   cudaMemcpyHostToDevice, slot->stream[0].launcher.stream));
    grid->cells = slot->cells;
    return STATUS_OK;
}

static enum status slot_compute(struct cuda_pipeline *pipeline, struct slot *slot,
                                struct tile_job *job)
{
    volatile int *lost = pipeline->options.lost;
    struct cudaPointerAttributes attributes;
    TRY_CUDA(lost, cudaSetDevice(pipeline->options.device));
    TRY_CUDA(lost, cudaPointerGetAttributes(&attributes, job->out->plane[PLANE_COUNT]));
    job->pageable = attributes.type == cudaMemoryTypeUnregistered;
    cuda_reach(job->out->plane[PLANE_COUNT]);
    for (int i = 0; i < STREAMS; i++)
        slot->stream[i].state = STREAM_IDLE;
    *slot->stop.host = 0;
    cudaStream_t stream = slot->stream[0].launcher.stream;
    struct grid grid;
    TRY(cells_copy(slot, job->grid, &grid, lost));
    job->grid = &grid;
    TRY_CUDA(lost, cudaMemsetAsync(slot->stop.device, 0, sizeof(int), stream));
    TRY_CUDA(lost, cudaEventRecord(slot->begin, stream));
    for (int i = 1; i < STREAMS; i++)
        TRY_CUDA(lost, cudaStreamWaitEvent(slot->stream[i].launcher.stream, slot->begin, 0));
    enum status status = slot_run(pipeline, slot, job);
    if (status != STATUS_OK)
        slot_halt(slot);
    return status;
}

static enum status pipeline_run(struct cuda_pipeline *pipeline, struct tile_job *job,
                                struct backend_work *work)
{
    int64_t begin = now_ns();
    struct slot *slot = slot_take(pipeline);
    assert(slot && "more than CUDA_SLOTS calls at a time");
    job->begin = slot->begin;
    enum status status = slot_compute(pipeline, slot, job);
    __atomic_store_n(&slot->taken, 0, __ATOMIC_RELEASE);
    work->iterations += job->iterations;
    work->kernel_s += job->kernel_s;
    work->busy_s += 1e-9 * (double)(now_ns() - begin);
    return status;
}

static struct tile_job job_make(const struct cuda_pipeline *pipeline, const struct spec *spec,
                                const struct grid *grid, struct field *out)
{
    struct tile_job job;
    memset(&job, 0, sizeof job);
    job.spec = spec;
    job.grid = grid;
    job.out = out;
    job.slice_ns = (int64_t)(pipeline->options.slice_s * SLICE_SHARE * 1e9);
    return job;
}

enum status cuda_pipeline_compute(struct cuda_pipeline *pipeline, const struct spec *spec,
                                  const struct grid *grid, struct field *out,
                                  struct backend_work *work)
{
    struct tile_job job = job_make(pipeline, spec, grid, out);
    job.budget = (int64_t)(pipeline->options.slice_s * pipeline->rate[spec->number] /
                           (STREAMS * CUDA_SLOTS));
    int64_t steps = (int64_t)(pipeline->options.slice_s / STEP_S);
    job.steps_max = steps < 1 << 30 ? steps : 1 << 30;
    return pipeline_run(pipeline, &job, work);
}

enum status cuda_pipeline_deep(struct cuda_pipeline *pipeline,
                               const struct cuda_reference *reference, const struct spec *spec,
                               const struct grid *grid, struct field *out,
                               struct backend_work *work)
{
    struct tile_job job = job_make(pipeline, spec, grid, out);
    job.reference = reference;
    return pipeline_run(pipeline, &job, work);
}

const struct cuda_pipeline_options *cuda_pipeline_options(const struct cuda_pipeline *pipeline)
{
    return &pipeline->options;
}

/* *rate becomes iterations per second. */
static enum status ceiling_run(struct cuda_pipeline *pipeline, enum number number, int runs,
                               double *rate)
{
    volatile int *lost = pipeline->options.lost;
    struct slot *slot = &pipeline->slot[0];
    struct stream *stream = &slot->stream[0];
    stream->launcher.number = number;
    TRY_CUDA(lost, cudaSetDevice(pipeline->options.device));
    TRY_CUDA(lost, cudaEventRecord(slot->begin, stream->launcher.stream));
    double steps = launch_ceiling(&stream->launcher, runs, (double *)stream->memory);
    TRY_CUDA(lost, cudaGetLastError());
    TRY_CUDA(lost, cudaEventRecord(stream->computed, stream->launcher.stream));
    TRY_CUDA(lost, cudaEventSynchronize(stream->computed));
    float ms = 0;
    TRY_CUDA(lost, cudaEventElapsedTime(&ms, slot->begin, stream->computed));
    *rate = steps / (ms > 0 ? ms * 1e-3 : 1);
    return STATUS_OK;
}

double cuda_pipeline_ceiling(struct cuda_pipeline *pipeline, enum number number, double seconds)
{
    double best = 0, rate = 0;
    double slice = seconds < pipeline->options.slice_s ? seconds : pipeline->options.slice_s;
    int runs = 64;
    for (int64_t begin = now_ns(); (double)(now_ns() - begin) < 1e9 * seconds;) {
        if (ceiling_run(pipeline, number, runs, &rate) != STATUS_OK)
            return 0;
        best = rate > best ? rate : best;
        double wanted = slice * rate / (pipeline->units * 4.0 * 256 * 4 * RUN) / 2;
        runs = wanted < 64 ? 64 : wanted > 1e6 ? 1000000 : (int)wanted;
    }
    return best;
}
