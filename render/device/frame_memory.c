#include "render/device/frame_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "render/disk/memory.h"

enum {
    FRAME_MEMORY_ALIGNMENT = 1 << 21, /* a huge page */
    PAGE = 4096,
    BESIDE_ALIGNMENT = 256
};

static const struct backend_memory *memory_of(const struct device_set *device_set)
{
    return device_set->devices ? device_set->kind->memory : NULL;
}

static void unpin(struct frame_memory *frame_memory, struct device_set *device_set)
{
    if (frame_memory->pinned)
        memory_of(device_set)->unpin(device_set->backend[0], frame_memory->host);
    frame_memory->pinned = false;
}

struct pinning {
    struct frame_memory *frame_memory;
    struct device_set *device_set;
};

static enum status pin_now(void *context)
{
    const struct pinning *pinning = context;
    struct device_set *device_set = pinning->device_set;
    return memory_of(device_set)
        ->pin(device_set->backend[0], pinning->frame_memory->host, pinning->frame_memory->bytes);
}

/* A device that cannot pin still computes: its copies go through blocks of its own, which take
 * longer to make (0.13 s for a picture of 4K) than pinning what is as large: 0.02 ms per MiB of
 * huge pages, 0.3 of small ones. */
static void pin(struct frame_memory *frame_memory, struct world *world,
                struct device_set *device_set)
{
    struct pinning pinning = {frame_memory, device_set};
    if (frame_memory->pinned || !frame_memory->host || !memory_of(device_set))
        return;
    frame_memory->pinned = world_work(world, pin_now, &pinning) == STATUS_OK;
}

static void release_host(struct frame_memory *frame_memory, struct device_set *device_set)
{
    unpin(frame_memory, device_set);
    if (frame_memory->own)
        free(frame_memory->host);
    segment_close(frame_memory->segment);
    frame_memory->segment = NULL;
    frame_memory->host = NULL;
    frame_memory->own = false;
    frame_memory->bytes = 0;
    memory_changed();
}

/* Memory that nobody shares: the other ranks send their tiles. */
static enum status own_host(struct frame_memory *frame_memory, size_t bytes)
{
    size_t whole = (bytes / FRAME_MEMORY_ALIGNMENT + 1) * FRAME_MEMORY_ALIGNMENT;
    frame_memory->host = aligned_alloc(FRAME_MEMORY_ALIGNMENT, whole);
    if (frame_memory->host)
        madvise(frame_memory->host, whole, MADV_HUGEPAGE);
    frame_memory->own = true;
    if (!frame_memory->host)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a picture of %zu bytes", bytes);
    return STATUS_OK;
}

static enum status fit_host(struct frame_memory *frame_memory, struct world *world,
                            struct device_set *device_set, enum status mine, size_t bytes,
                            bool share)
{
    if (frame_memory->bytes >= bytes && (!share || frame_memory->tried))
        return mine;
    release_host(frame_memory, device_set);
    frame_memory->bytes = bytes;
    frame_memory->tried = share;
    if (!share)
        return mine == STATUS_OK && world_rank(world) == 0 ? own_host(frame_memory, bytes) : mine;
    TRY(segment_open(&frame_memory->segment, world, mine, bytes));
    frame_memory->host = segment_memory(frame_memory->segment);
    if (frame_memory->host || world_rank(world) != 0)
        return STATUS_OK;
    return own_host(frame_memory, bytes);
}

static void release_device(struct frame_memory *frame_memory, struct world *world,
                           struct device_set *device_set)
{
    if (!frame_memory->device)
        return;
    if (world_rank(world) == 0)
        memory_of(device_set)->destroy(device_set->backend[0], frame_memory->device);
    else
        memory_of(device_set)->detach(device_set->backend[0], frame_memory->device);
    frame_memory->device = NULL;
    frame_memory->device_bytes = 0;
}

/* A process that is alone needs no handle, and may be where none is to be had. */
static enum status create_device(struct frame_memory *frame_memory, const struct world *world,
                                 struct device_set *device_set, size_t bytes,
                                 struct backend_handle *handle)
{
    if (!device_set->kind) /* opening failed: no error for a caller that only makes light there */
        return status_fail(STATUS_NO_DEVICE, "rank 0 has no GPU open");
    if (!memory_of(device_set))
        return status_fail(STATUS_NO_DEVICE,
                           "transport device needs a GPU on rank 0, and backend '%s' has none; "
                           "take auto, shared or staged",
                           device_set->kind->name);
    TRY(memory_of(device_set)->create(device_set->backend[0], bytes, &frame_memory->device));
    enum status status = STATUS_OK;
    if (world_size(world) > 1)
        status = memory_of(device_set)->share(device_set->backend[0], frame_memory->device, handle);
    if (status != STATUS_OK) {
        memory_of(device_set)->destroy(device_set->backend[0], frame_memory->device);
        frame_memory->device = NULL;
        return status;
    }
    frame_memory->device_bytes = bytes;
    return STATUS_OK;
}

static void attach_device(struct frame_memory *frame_memory, struct world *world,
                          struct device_set *device_set, size_t bytes,
                          const struct backend_handle *handle)
{
    if (!world_beside_root(world))
        snprintf(frame_memory->why, sizeof frame_memory->why,
                 "it is on another machine than rank 0");
    else if (!memory_of(device_set))
        snprintf(frame_memory->why, sizeof frame_memory->why, "it has no GPU");
    else if (memory_of(device_set)->attach(device_set->backend[0], handle, &frame_memory->device) !=
             STATUS_OK)
        snprintf(frame_memory->why, sizeof frame_memory->why, "%s", status_text());
    else
        frame_memory->device_bytes = bytes;
}

/* All ranks close their handles before rank 0 frees. Collective. */
static enum status release_all(struct frame_memory *frame_memory, struct world *world,
                               struct device_set *device_set)
{
    if (world_rank(world) != 0)
        release_device(frame_memory, world, device_set);
    TRY(world_agree(world, STATUS_OK));
    release_device(frame_memory, world, device_set);
    return STATUS_OK;
}

/* Can the picture lie elsewhere? Who asked for that memory is told if it cannot be had at all; who
 * only wants to make something `beside` the picture there can do that elsewhere. */
static bool is_refusal(enum status status, size_t beside)
{
    bool none = status == STATUS_NO_DEVICE || status == STATUS_SYSTEM;
    return status == STATUS_OUT_OF_MEMORY || (beside && none);
}

static enum status fit_device(struct frame_memory *frame_memory, struct world *world,
                              struct device_set *device_set, enum status mine, size_t bytes,
                              size_t beside)
{
    bool root = world_rank(world) == 0;
    struct backend_handle handle = {{0}};
    TRY(release_all(frame_memory, world, device_set));
    frame_memory->shown = true;
    if (root && mine == STATUS_OK)
        mine = create_device(frame_memory, world, device_set, bytes, &handle);
    enum status status = world_tell(world, mine, &handle, sizeof handle);
    if (is_refusal(status, beside)) {
        snprintf(frame_memory->no_device, sizeof frame_memory->no_device, "%s", status_text());
        return root ? STATUS_OK : mine;
    }
    TRY(status);
    if (!root)
        attach_device(frame_memory, world, device_set, bytes, &handle);
    return mine;
}

void frame_memory_release(struct frame_memory *frame_memory, struct device_set *device_set)
{
    release_host(frame_memory, device_set);
}

/* Offset of the memory beside the picture, aligned for the GPU. */
static size_t beside_at(size_t bytes)
{
    return (bytes + BESIDE_ALIGNMENT - 1) / BESIDE_ALIGNMENT * BESIDE_ALIGNMENT;
}

void *frame_memory_beside(const struct frame_memory *frame_memory, size_t bytes)
{
    return (char *)frame_memory->device + beside_at(bytes);
}

void frame_memory_touch(struct frame_memory *frame_memory, struct world *world,
                        struct device_set *device_set, size_t bytes)
{
    if (fit_host(frame_memory, world, device_set, STATUS_OK, bytes, false) != STATUS_OK)
        return;
    volatile char *host = frame_memory->host;
#pragma omp parallel for
    for (size_t at = 0; at < bytes; at += PAGE)
        host[at] = 0;
}

enum status frame_memory_fit(struct frame_memory *frame_memory, struct world *world,
                             struct device_set *device_set, enum status mine, size_t bytes,
                             size_t beside, enum frame_memory_place place)
{
    bool share = place == FRAME_MEMORY_SHARED;
    size_t on_device = beside ? beside_at(bytes) + beside : bytes;
    frame_memory->why[0] = frame_memory->no_device[0] = '\0';
    mine = fit_host(frame_memory, world, device_set, mine, bytes, share);
    if (!beside) /* little of it is copied: pinning 2 GiB costs 0.4 s and saves 0.2 */
        pin(frame_memory, world, device_set);
    /* Rank 0 knows its own size; the others may not have reached it. */
    bool fits = world_rank(world) == 0 && frame_memory->device_bytes >= on_device;
    if (place == FRAME_MEMORY_DEVICE) {
        TRY(world_tell(world, mine, &fits, sizeof fits));
        if (!fits)
            mine = fit_device(frame_memory, world, device_set, mine, on_device, beside);
    }
    if (!frame_memory_reached(frame_memory, place) && !frame_memory->why[0] &&
        frame_memory->segment)
        snprintf(frame_memory->why, sizeof frame_memory->why, "%s",
                 segment_why(frame_memory->segment));
    return mine;
}

void frame_memory_close(struct frame_memory *frame_memory, struct world *world,
                        struct device_set *device_set)
{
    if (frame_memory->shown)
        release_all(frame_memory, world, device_set);
    release_host(frame_memory, device_set);
    *frame_memory = (struct frame_memory){.bytes = 0};
}

bool frame_memory_reached(const struct frame_memory *frame_memory, enum frame_memory_place place)
{
    if (place == FRAME_MEMORY_DEVICE)
        return frame_memory->device != NULL;
    return frame_memory->host != NULL;
}

struct field frame_memory_field(const struct frame_memory *frame_memory,
                                enum frame_memory_place place, const struct field *shape)
{
    if (!frame_memory_reached(frame_memory, place)) {
        struct field none = *shape;
        none.base = NULL;
        memset(none.plane, 0, sizeof none.plane);
        return none;
    }
    struct field field;
    void *base = place == FRAME_MEMORY_DEVICE ? frame_memory->device : frame_memory->host;
    field_over(&field, shape->width, shape->height, shape->planes, shape->count_bytes, base);
    field.space = place == FRAME_MEMORY_DEVICE ? MEMORY_DEVICE : MEMORY_HOST;
    return field;
}
