#include "kernels/cuda/cuda_reference.h"

#include <string.h>

#include "kernels/cuda/cuda_calls.h"
#include "kernels/deep/table_fill.h"

enum {
    THREADS = 64,
    STEPS_AT_ONCE = 1 << 22, /* of the orbit, by one launch: some milliseconds */
    ALIGNMENT = 256
};

struct part { /* of a level, built by one launch */
    int level;
    int64_t from, to;
    int *any; /* becomes 1 if one of its blocks holds */
};

/* A block for each thread. */
__global__ void __launch_bounds__(THREADS)
    blocks_build(const __grid_constant__ struct block_table table,
                 const __grid_constant__ struct table_source source, struct part part)
{
    int64_t i = part.from + (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < part.to && table_fill(&table, &source, part.level, i, i + 1))
        *part.any = 1;
}

static size_t aligned(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static enum status room_check(const struct cuda_reference *reference, const struct orbit *orbit)
{
    size_t room = 0, all = 0;
    TRY_CUDA(reference->pipeline.lost, cudaMemGetInfo(&room, &all));
    if (reference->bytes <= room && orbit->length <= INT32_MAX)
        return STATUS_OK;
    if (reference->bytes <= room)
        return status_fail(STATUS_TOO_LARGE,
                           "a reference orbit of %lld steps is too long for GPUs, whose most is "
                           "%d; use --backend cpu",
                           (long long)orbit->length - 1, INT32_MAX - 1);
    return status_fail(
        STATUS_TOO_LARGE,
        "a reference orbit of %lld steps needs %.1f MiB on GPU %d (orbit %.1f, "
        "blocks %.1f), and of its %.1f MiB only %.1f are free; use --backend cpu",
        (long long)orbit->length - 1, (double)reference->bytes / 0x1p20, reference->pipeline.device,
        (double)(reference->bytes - reference->table_bytes) / 0x1p20,
        (double)reference->table_bytes / 0x1p20, (double)all / 0x1p20, (double)room / 0x1p20);
}

static enum status upload(const struct cuda_reference *reference, void *to, const void *from,
                          size_t bytes)
{
    if (bytes)
        TRY_CUDA(reference->pipeline.lost,
                 cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, cudaStreamPerThread));
    return STATUS_OK;
}

/* The orbit, from what is kept or from the host. */
static enum status orbit_take(struct cuda_reference *reference, const struct orbit *orbit,
                              uint64_t number, size_t points, struct cuda_reference_memory *kept)
{
    struct cuda_reference_memory *own = &reference->own;
    if (kept->orbit && kept->orbit == number && kept->bytes >= reference->bytes) {
        *own = *kept;
        own->orbit = 0; /* until all that may write to it is done */
        memset(kept, 0, sizeof *kept);
        return STATUS_OK;
    }
    cuda_reference_free(kept, reference->pipeline.device);
    TRY(room_check(reference, orbit));
    TRY_CUDA(reference->pipeline.lost, cudaMalloc(&own->memory, reference->bytes));
    own->bytes = reference->bytes;
    TRY(upload(reference, own->memory, orbit->z, (size_t)orbit->length * sizeof *orbit->z));
    TRY(upload(reference, (char *)own->memory + points, orbit->tiny,
               (size_t)orbit->tiny_count * sizeof *orbit->tiny));
    return STATUS_OK;
}

/* One allocation: the orbit, the table, and what its levels answer. */
static enum status memory_take(struct cuda_reference *reference, const struct orbit *orbit,
                               uint64_t number, struct cuda_reference_memory *kept,
                               struct table_source *source, int **any)
{
    volatile int *lost = reference->pipeline.lost;
    size_t points = aligned((size_t)orbit->length * sizeof *orbit->z);
    size_t tiny = aligned((size_t)orbit->tiny_count * sizeof *orbit->tiny);
    if (reference->blocks != BLOCKS_NONE)
        reference->table_bytes = table_plan(&reference->common.table, source);
    reference->bytes =
        points + tiny + aligned(reference->table_bytes) + BLOCK_LEVELS * sizeof **any;
    TRY(orbit_take(reference, orbit, number, points, kept));
    char *memory = (char *)reference->own.memory, *table = memory + points + tiny;
    reference->common.z = source->z = (const struct orbit_point *)memory;
    reference->common.tiny = source->tiny = (const struct orbit_tiny *)(memory + points);
    table_place(&reference->common.table, source, table);
    *any = (int *)(table + aligned(reference->table_bytes));
    TRY_CUDA(lost, cudaMemsetAsync(*any, 0, BLOCK_LEVELS * sizeof **any, cudaStreamPerThread));
    return STATUS_OK;
}

/* Enqueues a level; where it takes several launches, waits for each, so that a stop is heard. */
static enum status level_build(const struct cuda_reference *reference,
                               const struct table_source *source, int level, int *any)
{
    const struct block_table *table = &reference->common.table;
    int64_t count = table_blocks(table, source, level), most = STEPS_AT_ONCE >> table->shortest;
    for (int64_t from = 0; from < count; from += most) {
        if (source->stop && __atomic_load_n(source->stop, __ATOMIC_RELAXED))
            return status_fail(STATUS_STOPPED, "stopped while building blocks");
        struct part part = {level, from, from + most < count ? from + most : count, any + level};
        unsigned thread_blocks = (unsigned)((part.to - part.from + THREADS - 1) / THREADS);
        blocks_build<<<thread_blocks, THREADS, 0, cudaStreamPerThread>>>(*table, *source, part);
        TRY_CUDA(reference->pipeline.lost, cudaGetLastError());
        if (count > most)
            TRY_CUDA(reference->pipeline.lost, cudaStreamSynchronize(cudaStreamPerThread));
    }
    return STATUS_OK;
}

/* All levels; those from the first on in which no block holds are cut off, as a CPU does. */
static enum status table_build_here(struct cuda_reference *reference,
                                    const struct table_source *source, int *any,
                                    int32_t *first_radius)
{
    volatile int *lost = reference->pipeline.lost;
    struct block_table *table = &reference->common.table;
    int answers[BLOCK_LEVELS] = {0};
    for (int level = 0; level < table->levels; level++)
        TRY(level_build(reference, source, level, any));
    TRY_CUDA(lost, cudaMemcpyAsync(answers, any, sizeof answers, cudaMemcpyDeviceToHost,
                                   cudaStreamPerThread));
    if (table->levels)
        TRY_CUDA(lost, cudaMemcpyAsync(first_radius, table->radius[0], sizeof *first_radius,
                                       cudaMemcpyDeviceToHost, cudaStreamPerThread));
    TRY_CUDA(lost, cudaStreamSynchronize(cudaStreamPerThread));
    int levels = 0;
    while (levels < table->levels && answers[levels])
        levels++;
    table->levels = levels;
    if (!levels)
        *first_radius = WIDE_KEY_NONE;
    return STATUS_OK;
}

enum status cuda_reference_open(struct cuda_reference *reference,
                                const struct cuda_pipeline_options *pipeline,
                                const struct deep_options *options, const struct orbit *orbit,
                                const struct spec *spec, const struct grid *whole,
                                struct cuda_reference_memory *kept)
{
    struct table_source source;
    int *any = NULL;
    int32_t first_radius = WIDE_KEY_NONE;
    memset(reference, 0, sizeof *reference);
    reference->pipeline = *pipeline;
    reference->blocks = options->blocks;
    TRY_CUDA(pipeline->lost, cudaSetDevice(pipeline->device));
    TRY(deep_common(&reference->common, &source, options, orbit, spec, whole));
    TRY(memory_take(reference, orbit, options->orbit, kept, &source, &any));
    TRY(table_build_here(reference, &source, any, &first_radius));
    if (options->blocks != BLOCKS_NONE)
        reference->common.direct = deep_direct(orbit, spec, options->epsilon, first_radius);
    reference->own.orbit = options->orbit;
    return STATUS_OK;
}

void cuda_reference_close(struct cuda_reference *reference, struct cuda_reference_memory *kept)
{
    struct cuda_reference_memory *own = &reference->own;
    if (own->orbit && !kept->memory)
        *kept = *own;
    else
        cuda_reference_free(own, reference->pipeline.device);
    memset(reference, 0, sizeof *reference);
}

void cuda_reference_free(struct cuda_reference_memory *memory, int device)
{
    if (memory->memory && cudaSetDevice(device) == cudaSuccess &&
        cudaFree(memory->memory) != cudaSuccess)
        cudaGetLastError();
    memset(memory, 0, sizeof *memory);
}
