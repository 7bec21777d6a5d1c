#include "render/crew.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

struct crew_block {
    struct crew_block *next;
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
static enum status devices_open(struct crew *crew, const struct crew_options *options)
{
    struct opening worst = {.status = STATUS_OK};
#pragma omp parallel for num_threads(options->devices > 0 ? options->devices : 1) \
    schedule(static, 1)
    for (int i = 0; i < options->devices; i++) {
        struct backend_options opening = {.device = options->device[i],
                                          .threads = options->threads,
                                          .slice_s = options->slice_s,
                                          .stop = options->stop};
        opening_add(&worst, backend_open(&crew->backend[i], options->backend, &opening));
    }
    return opening_end(&worst);
}

static void devices_close(struct crew *crew)
{
    for (int i = 0; i < crew->devices; i++)
        backend_close(crew->backend[i]);
    *crew = (struct crew){.blocks = crew->blocks};
}

enum status crew_open(struct crew *crew, const struct crew_options *options)
{
    struct crew_block *blocks = crew->blocks; /* may be older than the devices */
    *crew = (struct crew){.blocks = blocks};
    TRY(backend_kind_find(&crew->kind, options->backend));
    crew->devices = options->devices;
    enum status status = devices_open(crew, options);
    if (status != STATUS_OK) {
        devices_close(crew);
        return status;
    }
    crew->active = crew->devices;
    crew->lanes = options->computes ? crew->devices * crew->kind->tiles_at_once : 0;
    return STATUS_OK;
}

void crew_close(struct crew *crew)
{
    crew_deep_close(crew);
    while (crew->blocks) {
        struct crew_block *block = crew->blocks;
        crew->blocks = block->next;
        if (block->space != MEMORY_HOST)
            crew->kind->memory->destroy(crew->backend[0], block->memory);
        else if (block->pinned)
            crew->kind->memory->host_destroy(crew->backend[0], block->memory);
        else
            free(block->memory);
        free(block);
    }
    devices_close(crew);
}

struct backend *crew_device(const struct crew *crew, int lane)
{
    return crew->backend[lane % crew->active];
}

enum status crew_compute(struct crew *crew, int lane, const struct spec *spec,
                         const struct grid *grid, struct field *out, uint64_t *iterations)
{
    struct backend_work work = {0};
    enum status status = backend_compute(crew_device(crew, lane), spec, grid, out, &work);
    *iterations += work.iterations;
    return status;
}

enum status crew_deep_open(struct crew *crew, const struct deep_options *options,
                           const struct orbit *orbit, const struct spec *spec,
                           const struct grid *whole)
{
    struct opening worst = {.status = STATUS_OK};
#pragma omp parallel for num_threads(crew->devices > 0 ? crew->devices : 1) schedule(static, 1)
    for (int i = 0; i < crew->devices; i++) {
        enum status status =
            backend_deep_open(&crew->deep[i], crew->backend[i], options, orbit, spec, whole);
        opening_add(&worst, status == STATUS_DEVICE_LOST ? STATUS_OK : status);
    }
    return opening_end(&worst);
}

void crew_deep_close(struct crew *crew)
{
    for (int i = 0; i < crew->devices; i++)
        backend_deep_close(&crew->deep[i]);
}

const struct deep *crew_deep(const struct crew *crew)
{
    return crew->deep[0].on_host;
}

size_t crew_deep_bytes(const struct crew *crew)
{
    return crew->deep[0].table_bytes;
}

enum status crew_deep_compute(struct crew *crew, int lane, const struct spec *spec,
                              const struct grid *grid, struct field *out, uint64_t *iterations)
{
    struct backend_work work = {0};
    const struct backend_deep *deep = &crew->deep[lane % crew->active];
    enum status status = backend_deep_compute(deep, spec, grid, out, &work);
    *iterations += work.iterations;
    return status;
}

double crew_speed(struct crew *crew, enum number number)
{
    double speed = 0;
    for (int i = 0; i < crew->devices; i++) {
        struct device_facts facts;
        bool known = crew->kind->facts(backend_device(crew->backend[i]), &facts) == STATUS_OK &&
                     facts.limit[number] > 0;
        speed += known ? facts.limit[number] : backend_ceiling(crew->backend[i], number, 0.005);
    }
    return speed;
}

/* Huge pages: in small ones the first touch costs more than the pixels do. */
static void *ordinary_memory(size_t bytes)
{
    size_t length = (bytes / HUGE_PAGE + 1) * HUGE_PAGE;
    void *memory = aligned_alloc(HUGE_PAGE, length);
    if (memory)
        madvise(memory, length, MADV_HUGEPAGE);
    return memory;
}

static bool block_fill(struct crew_block *block, const struct crew *crew, size_t bytes)
{
    const struct backend_memory *kind = crew->devices ? crew->kind->memory : NULL;
    if (block->space != MEMORY_HOST)
        return kind && kind->create(crew->backend[0], bytes, &block->memory) == STATUS_OK;
    block->pinned = kind && kind->host_create(crew->backend[0], bytes, &block->memory) == STATUS_OK;
    if (!block->pinned)
        block->memory = ordinary_memory(bytes);
    return block->memory != NULL;
}

static struct crew_block *block_new(struct crew *crew, enum memory_space space, size_t bytes)
{
    struct crew_block *block = calloc(1, sizeof *block);
    if (!block)
        return NULL;
    block->space = space;
    if (!block_fill(block, crew, bytes)) {
        free(block);
        return NULL;
    }
    block->bytes = bytes;
    block->next = crew->blocks;
    return crew->blocks = block;
}

void *crew_block_take(struct crew *crew, enum memory_space space, size_t bytes)
{
    struct crew_block *block = crew->blocks;
    while (block && (block->taken || block->space != space || block->bytes < bytes))
        block = block->next;
    if (!block)
        block = block_new(crew, space, bytes);
    if (!block)
        return NULL;
    block->taken = true;
    return block->memory;
}

void crew_block_give(struct crew *crew, void *memory)
{
    for (struct crew_block *block = crew->blocks; block; block = block->next)
        if (block->memory == memory)
            block->taken = false;
}
