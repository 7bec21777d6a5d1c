#include "render/device/device_set.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

struct device_set_block {
    struct device_set_block *next;
    void *memory;
    size_t bytes;
    enum memory_space space;
    bool taken, pinned;
};

enum { HUGE_PAGE = 1 << 21 };

/* Sentences belong to threads; this carries one over. */
struct opening {
    enum status status;
    char text[STATUS_TEXT_BYTES];
};

/* Takes over what a thread's call came to, if it is the first failure. Not by `omp critical`: with
 * the tool that speaks to ThreadSanitizer, LLVM's library (14) crashes at its end when the first
 * thread that had a team is gone, as those of world_work are. */
static void opening_add(struct opening *worst, enum status status)
{
    static pthread_mutex_t adding = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&adding);
    if (status != STATUS_OK && worst->status == STATUS_OK) {
        worst->status = status;
        snprintf(worst->text, sizeof worst->text, "%s", status_text());
    }
    pthread_mutex_unlock(&adding);
}

static enum status opening_end(const struct opening *worst)
{
    return worst->status == STATUS_OK ? STATUS_OK : status_fail(worst->status, "%s", worst->text);
}

/* All at once: each GPU takes a few tenths of a second. */
static enum status devices_open(struct device_set *device_set,
                                const struct device_set_options *options)
{
    struct opening worst = {.status = STATUS_OK};
#pragma omp parallel for num_threads(options->devices > 0 ? options->devices : 1) \
    schedule(static, 1)
    for (int i = 0; i < options->devices; i++) {
        struct backend_options opening = {.device = options->device[i],
                                          .threads = options->threads,
                                          .slice_s = options->slice_s,
                                          .stop = options->stop};
        opening_add(&worst, backend_open(&device_set->backend[i], options->backend, &opening));
    }
    return opening_end(&worst);
}

static void devices_close(struct device_set *device_set)
{
    for (int i = 0; i < device_set->devices; i++)
        backend_close(device_set->backend[i]);
    *device_set = (struct device_set){.blocks = device_set->blocks};
}

enum status device_set_open(struct device_set *device_set, const struct device_set_options *options)
{
    struct device_set_block *blocks = device_set->blocks; /* may be older than the devices */
    *device_set = (struct device_set){.blocks = blocks};
    TRY(backend_kind_find(&device_set->kind, options->backend));
    device_set->devices = options->devices;
    enum status status = devices_open(device_set, options);
    if (status != STATUS_OK) {
        devices_close(device_set);
        return status;
    }
    device_set->active = device_set->devices;
    device_set->threads =
        options->computes ? device_set->devices * device_set->kind->tiles_at_once : 0;
    return STATUS_OK;
}

static void block_empty(const struct device_set *device_set, struct device_set_block *block)
{
    if (block->space != MEMORY_HOST)
        device_set->kind->memory->destroy(device_set->backend[0], block->memory);
    else if (block->pinned)
        device_set->kind->memory->host_destroy(device_set->backend[0], block->memory);
    else
        free(block->memory);
    block->memory = NULL;
    block->bytes = 0;
}

void device_set_close(struct device_set *device_set)
{
    device_set_deep_close(device_set);
    while (device_set->blocks) {
        struct device_set_block *block = device_set->blocks;
        device_set->blocks = block->next;
        if (block->memory)
            block_empty(device_set, block);
        free(block);
    }
    devices_close(device_set);
}

struct backend *device_set_device(const struct device_set *device_set, int thread)
{
    return device_set->backend[thread % device_set->active];
}

enum status device_set_compute(struct device_set *device_set, int thread, const struct spec *spec,
                               const struct grid *grid, struct field *out, uint64_t *iterations)
{
    struct backend_work work = {0};
    enum status status =
        backend_compute(device_set_device(device_set, thread), spec, grid, out, &work);
    *iterations += work.iterations;
    return status;
}

enum status device_set_deep_open(struct device_set *device_set, const struct deep_options *options,
                                 const struct orbit *orbit, const struct spec *spec,
                                 const struct grid *whole)
{
    struct opening worst = {.status = STATUS_OK};
#pragma omp parallel for num_threads(device_set->devices > 0 ? device_set->devices : 1) \
    schedule(static, 1)
    for (int i = 0; i < device_set->devices; i++) {
        enum status status = backend_deep_open(&device_set->deep[i], device_set->backend[i],
                                               options, orbit, spec, whole);
        opening_add(&worst, status == STATUS_DEVICE_LOST ? STATUS_OK : status);
    }
    return opening_end(&worst);
}

void device_set_deep_close(struct device_set *device_set)
{
    for (int i = 0; i < device_set->devices; i++)
        backend_deep_close(&device_set->deep[i]);
}

const struct deep *device_set_deep(const struct device_set *device_set)
{
    return device_set->deep[0].on_host;
}

size_t device_set_deep_bytes(const struct device_set *device_set)
{
    return device_set->deep[0].table_bytes;
}

enum status device_set_deep_compute(struct device_set *device_set, int thread,
                                    const struct spec *spec, const struct grid *grid,
                                    struct field *out, uint64_t *iterations)
{
    struct backend_work work = {0};
    const struct backend_deep *deep = &device_set->deep[thread % device_set->active];
    enum status status = backend_deep_compute(deep, spec, grid, out, &work);
    *iterations += work.iterations;
    return status;
}

double device_set_speed(struct device_set *device_set, enum number number)
{
    double speed = 0;
    for (int i = 0; i < device_set->devices; i++) {
        struct device_facts facts;
        bool known =
            device_set->kind->facts(backend_device(device_set->backend[i]), &facts) == STATUS_OK &&
            facts.limit[number] > 0;
        speed +=
            known ? facts.limit[number] : backend_ceiling(device_set->backend[i], number, 0.005);
    }
    return speed;
}

/* Huge pages: in small ones the first touch costs more than the pixels do. */
static void *ordinary_memory(size_t bytes)
{
    void *memory = aligned_alloc(HUGE_PAGE, bytes);
    if (memory)
        madvise(memory, bytes, MADV_HUGEPAGE);
    return memory;
}

static bool block_fill(struct device_set_block *block, const struct device_set *device_set,
                       size_t bytes)
{
    const struct backend_memory *kind = device_set->devices ? device_set->kind->memory : NULL;
    bool host = block->space == MEMORY_HOST, made = false;
    if (kind)
        made = (host ? kind->host_create : kind->create)(device_set->backend[0], bytes,
                                                         &block->memory) == STATUS_OK;
    block->pinned = host && made;
    if (host && !made) {
        bytes = (bytes / HUGE_PAGE + 1) * HUGE_PAGE;
        block->memory = ordinary_memory(bytes);
        made = block->memory != NULL;
    }
    block->bytes = made ? bytes : 0;
    return made;
}

static struct device_set_block *block_new(struct device_set *device_set, enum memory_space space)
{
    struct device_set_block *block = calloc(1, sizeof *block);
    if (!block)
        return NULL;
    block->space = space;
    block->next = device_set->blocks;
    return device_set->blocks = block;
}

/* The smallest free block that is large enough, else the largest free one; NULL: none is free. */
static struct device_set_block *block_find(const struct device_set *device_set,
                                           enum memory_space space, size_t bytes)
{
    struct device_set_block *found = NULL;
    for (struct device_set_block *block = device_set->blocks; block; block = block->next) {
        if (block->taken || block->space != space)
            continue;
        bool fits = block->bytes >= bytes, had = found && found->bytes >= bytes;
        if (!found || (fits && !had) || (fits == had && fits == (block->bytes < found->bytes)))
            found = block;
    }
    return found;
}

/* One that is too small gives way: many sizes must not leave many blocks. */
void *device_set_block_take(struct device_set *device_set, enum memory_space space, size_t bytes)
{
    struct device_set_block *block = block_find(device_set, space, bytes);
    if (block && block->memory && block->bytes < bytes)
        block_empty(device_set, block);
    if (!block)
        block = block_new(device_set, space);
    if (!block || (!block->memory && !block_fill(block, device_set, bytes)))
        return NULL;
    block->taken = true;
    return block->memory;
}

void device_set_block_give(struct device_set *device_set, void *memory)
{
    for (struct device_set_block *block = device_set->blocks; block; block = block->next)
        if (block->memory == memory)
            block->taken = false;
}
