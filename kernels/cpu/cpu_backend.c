#include "kernels/cpu/cpu_backend.h"

#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/backend.h"
#include "kernels/backend_device.h"
#include "kernels/cpu/cpu.h"
#include "kernels/deep/deep_kernels.h"

#ifdef __x86_64__
#include <cpuid.h>
#endif

/* ---- perturbation: kernels/deep/ on the threads of the backend ---- */

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static enum status cpu_deep_open(struct backend_deep *deep, const struct deep_options *options,
                                 const struct orbit *orbit, const struct spec *spec,
                                 const struct grid *whole)
{
    struct deep *own = deep->reference = calloc(1, sizeof *own);
    if (!own)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a picture by perturbation");
    struct deep_options mine = *options;
    mine.threads = deep->backend->threads;
    mine.kernels = deep->backend->kind->deep_kernels;
    TRY(deep_open(own, &mine, orbit, spec, whole));
    deep->table_bytes = own->table_bytes;
    own->options.stop = deep->backend->stop; /* the stop flag of tiles, not of the reference */
    deep->on_host = own;
    return STATUS_OK;
}

static enum status cpu_deep_compute(const struct backend_deep *deep, const struct spec *spec,
                                    const struct grid *grid, struct field *out,
                                    struct backend_work *work)
{
    double begin = seconds_now();
    struct deep_work steps = {0};
    enum status status = deep_compute(deep->reference, spec, grid, out, &steps);
    work->iterations += steps.steps;
    work->busy_s += seconds_now() - begin;
    return status;
}

static void cpu_deep_close(struct backend_deep *deep)
{
    if (deep->reference)
        deep_close(deep->reference);
    free(deep->reference);
    deep->reference = NULL;
}

struct cpu_device {
    const struct cpu_kernels *kernels;
    void **memory; /* one block per thread */
    void *map;     /* cpu_task.traps, proven and trapped of the largest tile so far */
    size_t map_bytes;
};

int cpu_threads_usable(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return CPU_COUNT(&set);
    return omp_get_num_procs();
}

static void close_device(struct backend *backend)
{
    struct cpu_device *device = backend->device;
    if (!device)
        return;
    for (int t = 0; device->memory && t < backend->threads; t++)
        free(device->memory[t]);
    free(device->memory);
    free(device->map);
    free(device);
    backend->device = NULL;
}

static enum status open_device(struct backend *backend)
{
    const struct cpu_kernels *kernels = backend->kind->data;
    if (backend->threads == 0)
        backend->threads = cpu_threads_usable();
    struct cpu_device *device = backend->device = calloc(1, sizeof *device);
    if (device) {
        device->kernels = kernels;
        device->memory = calloc((size_t)backend->threads, sizeof *device->memory);
    }
    const size_t needs[] = {kernels->memory_bytes, kernels->formulas->memory_bytes,
                            kernels->rational->memory_bytes};
    size_t bytes = 0;
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        bytes = needs[i] > bytes ? needs[i] : bytes;
    bytes = (bytes + 63) / 64 * 64;
    int made = device && device->memory;
    for (int t = 0; made && t < backend->threads; t++)
        made = (device->memory[t] = aligned_alloc(64, bytes)) != NULL;
    if (made)
        return STATUS_OK;
    close_device(backend);
    return status_fail(STATUS_OUT_OF_MEMORY, "no memory for %d threads of %zu bytes",
                       backend->threads, bytes);
}

static struct cpu_task task_of(const struct backend *backend, const struct spec *spec,
                               const struct grid *grid, struct field *out)
{
    int32_t chunks_in_row = (grid->width - 1) / CHUNK + 1;
    struct cpu_task task = {
        .spec = spec,
        .grid = grid,
        .count_32 = out->count_bytes == 4 ? out->plane[PLANE_COUNT] : NULL,
        .count_64 = out->count_bytes == 8 ? out->plane[PLANE_COUNT] : NULL,
        .norm = out->plane[PLANE_FRACTION],
        .distance_x = out->plane[PLANE_DISTANCE_X],
        .distance_y = out->plane[PLANE_DISTANCE_Y],
        .phase = out->plane[PLANE_PHASE],
        .period = out->plane[PLANE_PERIOD],
        .inside = out->plane[PLANE_INSIDE],
        .chunks = (int64_t)chunks_in_row * grid->height,
        .chunks_in_row = chunks_in_row,
        .squares_in_row = (grid->width - 1) / SQUARE + 1,
        .square_rows = (grid->height - 1) / SQUARE + 1,
        .stop = backend->stop,
    };
    for (int p = 0; p < ORBIT_PLANES; p++)
        task.orbit[p] = out->plane[PLANE_STRIPE + p];
    return task;
}

/* Makes an empty map of the task's squares, in memory of the device. */
static enum status map_clear(struct cpu_device *device, struct cpu_task *task)
{
    size_t squares = (size_t)task->squares_in_row * (size_t)task->square_rows;
    size_t traps = squares * QUARTERS * sizeof *task->traps;
    size_t bytes = traps + squares * (sizeof *task->proven + sizeof *task->trapped);
    if (device->map_bytes < bytes) {
        free(device->map);
        device->map = malloc(bytes);
        device->map_bytes = device->map ? bytes : 0;
    }
    if (!device->map)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a map of %zu squares", squares);
    task->traps = device->map;
    task->proven = (uint16_t *)((char *)device->map + traps);
    task->trapped = (uint8_t *)(task->proven + squares);
    memset(task->proven, 0, bytes - traps);
    return STATUS_OK;
}

/* Start of share t when `threads` threads share n things nearly equally. */
static size_t share_start(size_t n, int t, int threads)
{
    return n / (size_t)threads * (size_t)t +
           (n % (size_t)threads < (size_t)t ? n % (size_t)threads : (size_t)t);
}

/* One thread's share: clears and computes, and, when all have computed, makes fractions of norms,
 * follows z and dz to the counts, sums along orbits, and finds attractors where there is no count.
 */
static void thread_share(struct cpu_task *task, const struct cpu_device *device, int t, int threads)
{
    size_t pixels = (size_t)task->grid->width * (size_t)task->grid->height;
    size_t from = share_start(pixels, t, threads), to = share_start(pixels, t + 1, threads);
    if (task->count_32)
        memset(task->count_32 + from, 0, (to - from) * sizeof *task->count_32);
    else
        memset(task->count_64 + from, 0, (to - from) * sizeof *task->count_64);
    float *const planes[] = {task->norm,     task->distance_x, task->distance_y, task->phase,
                             task->orbit[0], task->orbit[1],   task->orbit[2],   task->orbit[3],
                             task->orbit[4], task->period,     task->inside};
    for (size_t p = 0; p < sizeof planes / sizeof *planes; p++)
        if (planes[p])
            memset(planes[p] + from, 0, (to - from) * sizeof *planes[p]);
#pragma omp barrier
    const struct formula *formula = &task->spec->formula;
    const struct cpu_kernels *all = device->kernels;
    const struct cpu_kernels *const families[] = {[FAMILY_QUADRATIC] = all,
                                                  [FAMILY_LISTS] = all->formulas,
                                                  [FAMILY_RATIONAL] = all->rational};
    const struct cpu_kernels *kernels = families[formula_family(formula)];
    /* Verbs that a family does not need are NULL; proofs are about c. */
    bool proofs = task->spec->shortcuts == SHORTCUTS_ON && kernels->prove[task->spec->number] &&
                  formula->plane == PARAMETER_PLANE;
    for (int round = 0; round < ROUNDS && proofs; round++) {
        kernels->prove[task->spec->number](task, (enum cpu_round)round);
#pragma omp barrier
    }
    if (formula->step == STEP_OWN)
        kernels->work_own(task, device->memory[t]);
    else
        kernels->work[task->spec->number](task, device->memory[t]);
#pragma omp barrier
    if (task->norm && kernels->fractions)
        kernels->fractions(task->norm + from, to - from, task->spec->bailout);
    if ((task->distance_x || task->phase) && kernels->slopes)
        kernels->slopes(task, device->memory[t]);
    if (task->spec->planes & PLANE_MASK_ORBIT)
        all->sums(task);
    if (task->period || task->inside)
        kernels->attractors(task);
}

static enum status compute(struct backend *backend, const struct spec *spec,
                           const struct grid *grid, struct field *out, struct backend_work *work)
{
    double begin = seconds_now();
    struct cpu_task task = task_of(backend, spec, grid, out);
    TRY(map_clear(backend->device, &task));
#pragma omp parallel num_threads(backend->threads)
    thread_share(&task, backend->device, omp_get_thread_num(), omp_get_num_threads());
    work->iterations += task.iterations;
    work->busy_s += seconds_now() - begin;
    if (cpu_task_stopped(&task))
        return status_fail(STATUS_STOPPED, "stopped while computing");
    return STATUS_OK;
}

/* Times all threads together: each doubles its own run until it is long enough. */
static double ceiling(struct backend *backend, enum number number, double seconds)
{
    const struct cpu_device *device = backend->device;
    double rate = 0;
#pragma omp parallel num_threads(backend->threads) reduction(+ : rate)
    {
        double sink = 0, spent = 0;
        uint64_t steps = 0;
        for (uint64_t blocks = 1000; spent < seconds; blocks *= 2) {
            double begin = seconds_now();
            steps = device->kernels->ceiling[number](blocks, &sink);
            spent = seconds_now() - begin;
        }
        rate += sink > 1e30 ? 0 : (double)steps / spent;
    }
    return rate;
}

/* Writes the processor's own name; leaves `name` alone where it has none. */
static void cpu_model(char *name, size_t bytes)
{
#ifdef __x86_64__
    unsigned brand[13] = {0};
    for (unsigned leaf = 0; leaf < 3; leaf++) {
        unsigned *at = brand + (size_t)4 * leaf;
        if (!__get_cpuid(0x80000002u + leaf, at, at + 1, at + 2, at + 3))
            return;
    }
    const char *text = (const char *)brand;
    snprintf(name, bytes, "%s", text + strspn(text, " "));
#else
    (void)name;
    (void)bytes;
#endif
}

static enum status cpu_facts(int device, struct device_facts *facts)
{
    (void)device;
    *facts = (struct device_facts){.name = "unknown CPU", .units = cpu_threads_usable()};
    cpu_model(facts->name, sizeof facts->name);
    return STATUS_OK;
}

static void cpu_missing(char *text, size_t bytes)
{
    snprintf(text, bytes, "this processor lacks its instructions. Try --backend auto");
}

static int any_cpu(void)
{
    return 1;
}

#define KIND(instructions, says, there)                  \
    const struct backend_kind backend_##instructions = { \
        .name = #instructions,                           \
        .summary = says,                                 \
        .tiles_at_once = 1,                              \
        .tile_px = 1,                                    \
        .data = &cpu_kernels_##instructions,             \
        .deep_kernels = &deep_kernels_##instructions,    \
        .devices = there,                                \
        .missing = cpu_missing,                          \
        .facts = cpu_facts,                              \
        .open = open_device,                             \
        .compute = compute,                              \
        .deep_open = cpu_deep_open,                      \
        .deep_compute = cpu_deep_compute,                \
        .deep_close = cpu_deep_close,                    \
        .ceiling = ceiling,                              \
        .close = close_device,                           \
    }

static int no_cpu(void)
{
    return 0;
}

#if defined __x86_64__
#define PROCESSOR "x86-64"
#elif defined __aarch64__
#define PROCESSOR "64-bit ARM"
#else
#define PROCESSOR "another kind of processor"
#endif

/* The row of a backend whose instructions other kinds of processors have. */
#define KIND_ELSEWHERE(instructions, says, kind)                                                   \
    static void missing_##instructions(char *text, size_t bytes)                                   \
    {                                                                                              \
        snprintf(text, bytes,                                                                      \
                 "it is for " kind ", and this program is for " PROCESSOR ". Try --backend auto"); \
    }                                                                                              \
    const struct backend_kind backend_##instructions = {                                           \
        .name = #instructions,                                                                     \
        .summary = says,                                                                           \
        .devices = no_cpu,                                                                         \
        .missing = missing_##instructions,                                                         \
    }

#define SUMMARY_AVX2 "CPU with AVX2 and FMA, 256 bits per instruction"
#define SUMMARY_AVX512 "CPU with AVX-512 F and DQ, 512 bits per instruction"
#define SUMMARY_NEON "CPU of 64-bit ARM, 128 bits per instruction"

KIND(scalar, "any CPU, one pixel per instruction", any_cpu);

#ifdef __aarch64__
KIND(neon, SUMMARY_NEON, any_cpu);
#else
KIND_ELSEWHERE(neon, SUMMARY_NEON, "64-bit ARM");
#endif

#ifdef __x86_64__
static int has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static int has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
}

KIND(avx2, SUMMARY_AVX2, has_avx2);

KIND(avx512, SUMMARY_AVX512, has_avx512);
#else
KIND_ELSEWHERE(avx2, SUMMARY_AVX2, "x86-64");

KIND_ELSEWHERE(avx512, SUMMARY_AVX512, "x86-64");
#endif
