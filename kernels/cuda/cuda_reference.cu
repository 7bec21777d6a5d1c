/* The blocks of own formulas have kernels of their own: cuda_deep_own.cu. */
#define DEEP_ROWS_ALONE
#include "kernels/cuda/cuda_reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/cuda_calls.h"
#include "kernels/cuda/deep/cuda_blocks_build.h"
#include "kernels/formula/rational.h"
#include "kernels/stop.h"

enum {
    STEPS_AT_ONCE = 1 << 22, /* steps of the orbit in one launch: some milliseconds */
    /* Arrays of orbits; for Newton's method, Nova and magnets also tables and newton_common. */
    ARRAYS = 4 * FORMULA_REFERENCES + 1
};

/* The memory of a reference: the arrays of its orbits, then the tables, the answers of their
 * levels, and the struct that the pixels of a formula share. */
struct array {
    const void *from; /* host memory */
    size_t bytes, at;
};
struct reference_layout {
    struct array array[ARRAYS];
    int arrays;
    int64_t steps; /* steps of the longest orbit */
    size_t orbits, tables, answers, common, narrow, end;
};

static void array_add(struct reference_layout *layout, const void *from, size_t bytes)
{
    struct array array = {from, bytes, cuda_memory_take(&layout->orbits, bytes)};
    layout->array[layout->arrays++] = array;
}

/* Adds an orbit's points, and the points that doubles do not hold. */
static void orbit_add(struct reference_layout *layout, const struct orbit *orbit, bool formula)
{
    size_t steps = (size_t)orbit->length - (orbit->end != ORBIT_CYCLE);
    layout->steps = orbit->length > layout->steps ? orbit->length - 1 : layout->steps;
    array_add(layout, orbit->z, (size_t)orbit->length * sizeof *orbit->z);
    if (!formula) {
        array_add(layout, orbit->tiny, (size_t)orbit->tiny_count * sizeof *orbit->tiny);
        return;
    }
    array_add(layout, orbit->tape, steps * (size_t)orbit->tape_width * sizeof *orbit->tape);
    array_add(layout, orbit->small, (size_t)orbit->small_count * sizeof *orbit->small);
}

static enum status room_check(const struct cuda_reference *reference, int64_t steps)
{
    size_t room = 0, all = 0;
    TRY_CUDA(reference->pipeline.lost, cudaMemGetInfo(&room, &all));
    if (reference->bytes <= room && steps < INT32_MAX)
        return STATUS_OK;
    if (reference->bytes <= room)
        return status_fail(STATUS_TOO_LARGE,
                           "a reference orbit of %lld steps is too long for GPUs, whose most is "
                           "%d; use --backend cpu",
                           (long long)steps, INT32_MAX - 1);
    return status_fail(
        STATUS_TOO_LARGE,
        "a reference orbit of %lld steps needs %.1f MiB on GPU %d (orbit %.1f, "
        "blocks %.1f), and of its %.1f MiB only %.1f are free; use --backend cpu",
        (long long)steps, (double)reference->bytes / 0x1p20, reference->pipeline.device,
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

/* Takes the orbits from the kept memory or from the host. */
static enum status memory_take(struct cuda_reference *reference,
                               const struct reference_layout *layout, uint64_t number,
                               struct cuda_reference_memory *kept)
{
    struct cuda_reference_memory *own = &reference->own;
    if (kept->orbit && kept->orbit == number && kept->bytes >= reference->bytes) {
        *own = *kept;
        own->orbit = 0; /* until nothing writes to the memory any more */
        memset(kept, 0, sizeof *kept);
        return STATUS_OK;
    }
    cuda_reference_free(kept, reference->pipeline.device);
    TRY(room_check(reference, layout->steps));
    TRY_CUDA(reference->pipeline.lost, cudaMalloc(&own->memory, reference->bytes));
    own->bytes = reference->bytes;
    for (int i = 0; i < layout->arrays; i++)
        TRY(upload(reference, (char *)own->memory + layout->array[i].at, layout->array[i].from,
                   layout->array[i].bytes));
    return STATUS_OK;
}

/* Enqueues a level; where it takes several launches, waits for each, so that a stop is seen. */
static enum status level_build(const struct cuda_reference *reference,
                               const struct block_table *table, const struct formula_source *source,
                               int level, int *any)
{
    int64_t count = table_blocks(table, &source->table, level);
    int64_t most = STEPS_AT_ONCE >> table->shortest;
    for (int64_t from = 0; from < count; from += most) {
        if (stop_asked(source->table.stop))
            return status_fail(STATUS_STOPPED, "stopped while building blocks");
        struct block_range range = {level, from, from + most < count ? from + most : count,
                                    any + level};
        unsigned thread_blocks =
            (unsigned)((range.to - range.from + BLOCKS_THREADS - 1) / BLOCKS_THREADS);
        if (reference->is_own)
            launch_own_blocks(table, source, &range, thread_blocks);
        else
            (source->common
                 ? blocks_build<true>
                 : blocks_build<false>)<<<thread_blocks, BLOCKS_THREADS, 0, cudaStreamPerThread>>>(
                *table, *source, range);
        TRY_CUDA(reference->pipeline.lost, cudaGetLastError());
        if (count > most)
            TRY_CUDA(reference->pipeline.lost, cudaStreamSynchronize(cudaStreamPerThread));
    }
    return STATUS_OK;
}

/* Builds all levels, and cuts off those from the first on in which no block holds, as a CPU does.
 */
static enum status table_build_here(const struct cuda_reference *reference,
                                    struct block_table *table, const struct formula_source *source,
                                    int *any, int32_t *first_radius)
{
    volatile int *lost = reference->pipeline.lost;
    int answers[BLOCK_LEVELS] = {0};
    *first_radius = WIDE_KEY_NONE;
    for (int level = 0; level < table->levels; level++)
        TRY(level_build(reference, table, source, level, any));
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

/* Completes a layout behind the orbits; `tables`: their number. */
static void layout_complete(struct cuda_reference *reference, struct reference_layout *layout,
                            int tables)
{
    layout->end = layout->orbits;
    layout->tables = cuda_memory_take(&layout->end, reference->table_bytes);
    layout->answers = cuda_memory_take(&layout->end, (size_t)tables * BLOCK_LEVELS * sizeof(int));
    layout->common = layout->end;
    if (reference->formula)
        cuda_memory_take(&layout->end, sizeof *reference->formula);
    layout->narrow = layout->end;
    reference->bytes = layout->end;
}

/* Rounds the points of an orbit to floats. */
__global__ void __launch_bounds__(BLOCKS_THREADS)
    points_narrow(const struct orbit_point *from, struct complex_f32 *to, int64_t count)
{
    const int64_t m = (int64_t)blockIdx.x * BLOCKS_THREADS + threadIdx.x;
    if (m < count)
        to[m] = complex_narrow(point_load(&from[m]));
}

/* Enqueues the rounding of points in device memory. */
static enum status points_enqueue(const struct cuda_reference *reference,
                                  const struct orbit_point *from, struct complex_f32 *to,
                                  size_t count)
{
    const unsigned thread_blocks = (unsigned)((count + BLOCKS_THREADS - 1) / BLOCKS_THREADS);
    if (!count)
        return STATUS_OK;
    points_narrow<<<thread_blocks, BLOCKS_THREADS, 0, cudaStreamPerThread>>>(from, to,
                                                                             (int64_t)count);
    TRY_CUDA(reference->pipeline.lost, cudaGetLastError());
    return STATUS_OK;
}

/* Makes what pixels share that go on in fp32. */
static enum status late_open(struct cuda_reference *reference,
                             const struct reference_layout *layout, int64_t length)
{
    struct complex_f32 *z = (struct complex_f32 *)((char *)reference->own.memory + layout->narrow);
    TRY(points_enqueue(reference, reference->common.z, z, (size_t)length));
    TRY_CUDA(reference->pipeline.lost, cudaStreamSynchronize(cudaStreamPerThread));
    reference->common_f32 = late_common(&reference->common);
    reference->common_f32.z = z;
    return STATUS_OK;
}

/* Opens a reference of z^2 + c in its parameter plane. */
static enum status quadratic_open(struct cuda_reference *reference,
                                  const struct deep_options *options, const struct orbit *orbit,
                                  const struct spec *spec, const struct table_source *shared,
                                  struct cuda_reference_memory *kept)
{
    struct reference_layout layout = {{{NULL, 0, 0}}, 0, 0, 0, 0, 0, 0, 0, 0};
    struct formula_source source = {*shared, NULL, 0, 0};
    const bool late = deep_is_late(options, spec);
    struct block_table *table = &reference->common.table;
    int32_t first_radius;
    orbit_add(&layout, orbit, false);
    if (reference->blocks != BLOCKS_NONE)
        reference->table_bytes = table_plan(table, &source.table);
    layout_complete(reference, &layout, 1);
    if (late) {
        cuda_memory_take(&layout.end, (size_t)orbit->length * sizeof(struct complex_f32));
        reference->bytes = layout.end;
    }
    TRY(memory_take(reference, &layout, options->orbit, kept));
    char *memory = (char *)reference->own.memory;
    int *any = (int *)(memory + layout.answers);
    reference->common.z = source.table.z =
        (const struct orbit_point *)(memory + layout.array[0].at);
    reference->common.tiny = source.table.tiny =
        (const struct orbit_tiny *)(memory + layout.array[1].at);
    table_place(table, &source.table, memory + layout.tables);
    TRY_CUDA(reference->pipeline.lost,
             cudaMemsetAsync(any, 0, BLOCK_LEVELS * sizeof *any, cudaStreamPerThread));
    TRY(table_build_here(reference, table, &source, any, &first_radius));
    if (options->blocks != BLOCKS_NONE)
        reference->common.direct = deep_direct(orbit, spec, options, first_radius);
    return late ? late_open(reference, &layout, orbit->length) : STATUS_OK;
}

/* Sets the pointers to an orbit's three arrays in the device's memory. */
static void reference_lay_out(struct formula_reference *reference, const struct array *array,
                              char *memory)
{
    reference->z = (const struct orbit_point *)(memory + array[0].at);
    reference->tape = (const struct orbit_point *)(memory + array[1].at);
    reference->small = (const struct orbit_small *)(memory + array[2].at);
}

/* Builds all tables, one after the other; radius: the first radius of each. */
static enum status tables_build_here(struct cuda_reference *reference,
                                     const struct reference_layout *layout,
                                     const struct table_source *shared, int32_t *radius)
{
    struct formula_common *common = reference->formula;
    char *memory = (char *)reference->own.memory;
    int *any = (int *)(memory + layout->answers);
    size_t end = layout->tables;
    TRY_CUDA(reference->pipeline.lost,
             cudaMemsetAsync(any, 0, (size_t)common->references * BLOCK_LEVELS * sizeof *any,
                             cudaStreamPerThread));
    for (int i = 0; i < common->references; i++) {
        struct formula_source source = formula_source_of(common, shared, i);
        size_t bytes = table_plan(&common->table[i], &source.table);
        source.common = (const struct formula_common *)(memory + layout->common);
        table_place(&common->table[i], &source.table, memory + cuda_memory_take(&end, bytes));
        TRY(table_build_here(reference, &common->table[i], &source, any + i * BLOCK_LEVELS,
                             &radius[i]));
    }
    return STATUS_OK;
}

/* Limits of direct steps, from host copies of the radii that they depend on. */
static struct direct_limits limits_of(const struct formula_common *common, double epsilon,
                                      bool late, const int32_t *radius)
{
    struct formula_common seen = *common;
    for (int i = 0; i < seen.references; i++)
        seen.table[i].radius[0] = &radius[i];
    return formula_direct_limits(&seen, epsilon, late);
}

/* Places for the orbits of a formula in fp32 behind all else, and for what pixels share. */
static void formula_narrow_take(struct cuda_reference *reference, struct reference_layout *layout,
                                const struct orbit *orbit)
{
    cuda_memory_take(&layout->end, sizeof(struct formula_common_f32));
    for (; orbit; orbit = orbit->critical) {
        cuda_memory_take(&layout->end, formula_orbit_points(orbit) * sizeof(struct complex_f32));
        cuda_memory_take(&layout->end, formula_orbit_values(orbit) * sizeof(struct complex_f32));
    }
    reference->bytes = layout->end;
}

/* Makes what pixels of a formula share in fp32. */
static enum status formula_late_open(struct cuda_reference *reference,
                                     const struct reference_layout *layout,
                                     const struct orbit *orbit)
{
    struct formula_common_f32 common = formula_late_common(reference->formula);
    char *memory = (char *)reference->own.memory;
    size_t end = layout->narrow;
    char *of_device = memory + cuda_memory_take(&end, sizeof common);
    for (int i = 0; i < common.references; i++, orbit = orbit->critical) {
        struct formula_reference_f32 *to = &common.reference[i];
        const size_t points = formula_orbit_points(orbit), values = formula_orbit_values(orbit);
        struct complex_f32 *z =
            (struct complex_f32 *)(memory + cuda_memory_take(&end, points * sizeof *z));
        struct complex_f32 *tape =
            (struct complex_f32 *)(memory + cuda_memory_take(&end, values * sizeof *tape));
        TRY(points_enqueue(reference, to->points, z, points));
        TRY(points_enqueue(reference, to->values, tape, values));
        to->z = z;
        to->tape = tape;
    }
    TRY(upload(reference, of_device, &common, sizeof common));
    TRY_CUDA(reference->pipeline.lost, cudaStreamSynchronize(cudaStreamPerThread));
    reference->common_f32 = common.shared;
    reference->formula_f32_on_device = (const struct formula_common_f32 *)of_device;
    return STATUS_OK;
}

/* Opens a reference of every other formula and plane. */
static enum status formula_open(struct cuda_reference *reference,
                                const struct deep_options *options, const struct orbit *orbit,
                                const struct spec *spec, const struct table_source *shared,
                                struct cuda_reference_memory *kept)
{
    struct reference_layout layout = {{{NULL, 0, 0}}, 0, 0, 0, 0, 0, 0, 0, 0};
    const bool late = deep_is_late(options, spec);
    int32_t radius[FORMULA_REFERENCES];
    struct formula_common *common = (struct formula_common *)calloc(1, sizeof *common);
    reference->formula = common;
    if (!common)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the references of a picture");
    common->shared = reference->common;
    TRY(formula_references_fill(common, orbit, spec));
    for (const struct orbit *one = orbit; one; one = one->critical)
        orbit_add(&layout, one, true);
    for (int i = 0; i < common->references && reference->blocks != BLOCKS_NONE; i++) {
        struct formula_source source = formula_source_of(common, shared, i);
        cuda_memory_take(&reference->table_bytes, table_plan(&common->table[i], &source.table));
    }
    layout_complete(reference, &layout, common->references);
    if (late)
        formula_narrow_take(reference, &layout, orbit);
    TRY(memory_take(reference, &layout, options->orbit, kept));
    char *memory = (char *)reference->own.memory;
    for (int i = 0; i < common->references; i++)
        reference_lay_out(&common->reference[i], &layout.array[3 * i], memory);
    reference->formula_on_device = (const struct formula_common *)(memory + layout.common);
    if (reference->blocks != BLOCKS_NONE) {
        TRY(upload(reference, memory + layout.common, common, sizeof *common));
        TRY(tables_build_here(reference, &layout, shared, radius));
        common->shared.direct = limits_of(common, options->epsilon, late, radius);
    }
    reference->common.direct = common->shared.direct;
    TRY(upload(reference, memory + layout.common, common, sizeof *common));
    TRY_CUDA(reference->pipeline.lost, cudaStreamSynchronize(cudaStreamPerThread));
    return late ? formula_late_open(reference, &layout, orbit) : STATUS_OK;
}

/* Makes a table of the host one at `to`, in device memory. */
static void table_move(struct block_table *table, char *to)
{
    const char *memory = (const char *)table->record[0];
    for (int level = 0; level < table->levels; level++) {
        const char *record = (const char *)table->record[level];
        const char *radius = (const char *)table->radius[level];
        table->record[level] = (const struct quadratic_block *)(to + (record - memory));
        table->radius[level] = (const int32_t *)(to + (radius - memory));
    }
}

/* Makes memory for arrays of the host. */
static enum status memory_make(struct cuda_reference *reference,
                               const struct reference_layout *layout, size_t table_bytes,
                               int64_t steps)
{
    reference->bytes = layout->orbits;
    reference->table_bytes = table_bytes;
    TRY(room_check(reference, steps));
    TRY_CUDA(reference->pipeline.lost, cudaMalloc(&reference->own.memory, reference->bytes));
    reference->own.bytes = reference->bytes;
    return STATUS_OK;
}

/* Uploads all arrays; pointers of the last one are those of the device already. */
static enum status arrays_upload(const struct cuda_reference *reference,
                                 const struct reference_layout *layout)
{
    for (int i = 0; i < layout->arrays; i++)
        TRY(upload(reference, (char *)reference->own.memory + layout->array[i].at,
                   layout->array[i].from, layout->array[i].bytes));
    TRY_CUDA(reference->pipeline.lost, cudaStreamSynchronize(cudaStreamPerThread));
    return STATUS_OK;
}

/* Size of a table: records of all levels, then their radii, as table_place has them. */
static size_t table_bytes_of(const struct block_table *table)
{
    const char *record = (const char *)table->record[0], *radius = (const char *)table->radius[0];
    size_t records = table->levels ? (size_t)(radius - record) : 0;
    return records / sizeof(struct quadratic_block) *
           (sizeof(struct quadratic_block) + sizeof(int32_t));
}

/* Copies orbits, tables and newton_common of the host to the device. */
static enum status newton_copy(struct cuda_reference *reference, const struct deep *host,
                               const struct orbit *orbit)
{
    struct newton_common common = *host->newton;
    struct reference_layout layout = {{{NULL, 0, 0}}, 0, 0, 0, 0, 0, 0, 0, 0};
    for (const struct orbit *one = orbit; one; one = one->critical)
        orbit_add(&layout, one, true);
    int tables = layout.arrays;
    for (int i = 0; i < common.references; i++)
        array_add(&layout, common.table[i].record[0], table_bytes_of(&common.table[i]));
    array_add(&layout, &common, sizeof common);
    TRY(memory_make(reference, &layout, host->table_bytes, layout.steps));
    char *memory = (char *)reference->own.memory;
    for (int i = 0; i < common.references; i++) {
        reference_lay_out(&common.reference[i], &layout.array[3 * i], memory);
        table_move(&common.table[i], memory + layout.array[tables + i].at);
    }
    reference->newton_on_device =
        (const struct newton_common *)(memory + layout.array[layout.arrays - 1].at);
    reference->kind = common.kind;
    return arrays_upload(reference, &layout);
}

/* Copies the same of a Hénon map. */
static enum status henon_copy(struct cuda_reference *reference, const struct deep *host,
                              const struct orbit *orbit)
{
    struct henon_common common = *host->henon;
    struct reference_layout layout = {{{NULL, 0, 0}}, 0, 0, 0, 0, 0, 0, 0, 0};
    array_add(&layout, orbit->z, (size_t)orbit->length * sizeof *orbit->z);
    array_add(&layout, common.table.record[0], common.table.levels ? host->table_bytes : 0);
    array_add(&layout, &common, sizeof common);
    TRY(memory_make(reference, &layout, host->table_bytes, orbit->length));
    char *memory = (char *)reference->own.memory;
    common.shared.z = (const struct orbit_point *)(memory + layout.array[0].at);
    table_move(&common.table, memory + layout.array[1].at);
    reference->henon_on_device = (const struct henon_common *)(memory + layout.array[2].at);
    return arrays_upload(reference, &layout);
}

/* Opens a reference of Newton's method, Nova, a magnet or a Hénon map: the host makes the blocks.
 */
static enum status host_open(struct cuda_reference *reference, const struct deep_options *options,
                             const struct orbit *orbit, const struct spec *spec,
                             const struct grid *whole, struct cuda_reference_memory *kept)
{
    struct deep host;
    struct deep_options own = *options;
    own.threads = 0;
    own.kernels = NULL;
    cuda_reference_free(kept, reference->pipeline.device);
    enum status status = deep_open(&host, &own, orbit, spec, whole);
    if (status == STATUS_OK) {
        reference->common = host.common;
        status = (host.newton ? newton_copy : henon_copy)(reference, &host, orbit);
    }
    deep_close(&host);
    return status;
}

enum status cuda_reference_open(struct cuda_reference *reference,
                                const struct cuda_pipeline_options *pipeline,
                                const struct deep_options *options, const struct orbit *orbit,
                                const struct spec *spec, const struct grid *whole,
                                struct cuda_reference_memory *kept)
{
    struct table_source source;
    memset(reference, 0, sizeof *reference);
    reference->pipeline = *pipeline;
    reference->blocks = options->blocks;
    reference->is_own = program_is_own(&spec->formula);
    TRY_CUDA(pipeline->lost, cudaSetDevice(pipeline->device));
    if (rational_divides(&spec->formula) || rational_by_last(&spec->formula) != 0)
        return host_open(reference, options, orbit, spec, whole, kept);
    TRY(deep_common(&reference->common, &source, options, orbit, spec, whole));
    /* Without blocks kernels are the same: there is no level, and no slope at which a pixel may
     * leave its reference. */
    reference->common.direct.slope_least = NAN;
    TRY((formula_mandelbrot(&spec->formula) ? quadratic_open : formula_open)(
        reference, options, orbit, spec, &source, kept));
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
    free(reference->formula);
    memset(reference, 0, sizeof *reference);
}

void cuda_reference_free(struct cuda_reference_memory *memory, int device)
{
    if (memory->memory && cudaSetDevice(device) == cudaSuccess &&
        cudaFree(memory->memory) != cudaSuccess)
        cudaGetLastError();
    memset(memory, 0, sizeof *memory);
}
