#include "render/canvas.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CANVAS_ALIGNMENT = 1 << 21 }; /* a huge page */

static const struct backend_memory *memory_of(const struct crew *crew)
{
    return crew->devices ? crew->kind->memory : NULL;
}

static void unpin(struct canvas *canvas, struct crew *crew)
{
    if (canvas->pinned)
        memory_of(crew)->unpin(crew->backend[0], canvas->host);
    canvas->pinned = false;
}

struct pinning {
    struct canvas *canvas;
    struct crew *crew;
};

static enum status pin_now(void *context)
{
    const struct pinning *pinning = context;
    struct crew *crew = pinning->crew;
    return memory_of(crew)->pin(crew->backend[0], pinning->canvas->host, pinning->canvas->bytes);
}

/* A device that cannot pin still computes: its copies go through blocks of its own. Takes 0.3 s for
 * a GiB of small pages. */
static void pin(struct canvas *canvas, struct world *world, struct crew *crew)
{
    struct pinning pinning = {canvas, crew};
    if (canvas->pinned || !canvas->host || !memory_of(crew))
        return;
    canvas->pinned = world_work(world, pin_now, &pinning) == STATUS_OK;
}

static void release_host(struct canvas *canvas, struct crew *crew)
{
    unpin(canvas, crew);
    if (canvas->own)
        free(canvas->host);
    segment_close(canvas->segment);
    canvas->segment = NULL;
    canvas->host = NULL;
    canvas->own = false;
    canvas->bytes = 0;
}

/* Memory that nobody shares: the other ranks send their tiles. */
static enum status own_host(struct canvas *canvas, size_t bytes)
{
    canvas->host =
        aligned_alloc(CANVAS_ALIGNMENT, (bytes / CANVAS_ALIGNMENT + 1) * CANVAS_ALIGNMENT);
    canvas->own = true;
    if (!canvas->host)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a picture of %zu bytes", bytes);
    return STATUS_OK;
}

static enum status fit_host(struct canvas *canvas, struct world *world, struct crew *crew,
                            enum status mine, size_t bytes, bool share)
{
    if (canvas->bytes >= bytes && (!share || canvas->tried))
        return mine;
    release_host(canvas, crew);
    canvas->bytes = bytes;
    canvas->tried = share;
    if (!share)
        return mine == STATUS_OK && world_rank(world) == 0 ? own_host(canvas, bytes) : mine;
    TRY(segment_open(&canvas->segment, world, mine, bytes));
    canvas->host = segment_memory(canvas->segment);
    if (canvas->host || world_rank(world) != 0)
        return STATUS_OK;
    return own_host(canvas, bytes);
}

static void release_device(struct canvas *canvas, struct world *world, struct crew *crew)
{
    if (!canvas->device)
        return;
    if (world_rank(world) == 0)
        memory_of(crew)->destroy(crew->backend[0], canvas->device);
    else
        memory_of(crew)->detach(crew->backend[0], canvas->device);
    canvas->device = NULL;
    canvas->device_bytes = 0;
}

/* A process that is alone needs no handle, and may be where none is to be had. */
static enum status create_device(struct canvas *canvas, const struct world *world,
                                 struct crew *crew, size_t bytes, struct backend_handle *handle)
{
    if (!memory_of(crew))
        return status_fail(STATUS_NO_DEVICE,
                           "transport device needs a GPU on rank 0, and backend '%s' has none; "
                           "take auto, shared or staged",
                           crew->kind->name);
    TRY(memory_of(crew)->create(crew->backend[0], bytes, &canvas->device));
    enum status status = STATUS_OK;
    if (world_size(world) > 1)
        status = memory_of(crew)->share(crew->backend[0], canvas->device, handle);
    if (status != STATUS_OK) {
        memory_of(crew)->destroy(crew->backend[0], canvas->device);
        canvas->device = NULL;
        return status;
    }
    canvas->device_bytes = bytes;
    return STATUS_OK;
}

static void attach_device(struct canvas *canvas, struct world *world, struct crew *crew,
                          size_t bytes, const struct backend_handle *handle)
{
    if (!world_beside_root(world))
        snprintf(canvas->why, sizeof canvas->why, "it is on another machine than rank 0");
    else if (!memory_of(crew))
        snprintf(canvas->why, sizeof canvas->why, "it has no GPU");
    else if (memory_of(crew)->attach(crew->backend[0], handle, &canvas->device) != STATUS_OK)
        snprintf(canvas->why, sizeof canvas->why, "%s", status_text());
    else
        canvas->device_bytes = bytes;
}

/* Everybody lets go before rank 0 frees. Collective. */
static enum status release_all(struct canvas *canvas, struct world *world, struct crew *crew)
{
    if (world_rank(world) != 0)
        release_device(canvas, world, crew);
    TRY(world_agree(world, STATUS_OK));
    release_device(canvas, world, crew);
    return STATUS_OK;
}

static enum status fit_device(struct canvas *canvas, struct world *world, struct crew *crew,
                              enum status mine, size_t bytes)
{
    bool root = world_rank(world) == 0;
    struct backend_handle handle = {{0}};
    TRY(release_all(canvas, world, crew));
    canvas->shown = true;
    if (root && mine == STATUS_OK)
        mine = create_device(canvas, world, crew, bytes, &handle);
    enum status status = world_tell(world, mine, &handle, sizeof handle);
    if (status == STATUS_OUT_OF_MEMORY) {
        snprintf(canvas->no_device, sizeof canvas->no_device, "%s", status_text());
        return root ? STATUS_OK : mine;
    }
    TRY(status);
    if (!root)
        attach_device(canvas, world, crew, bytes, &handle);
    return mine;
}

void canvas_release(struct canvas *canvas, struct crew *crew)
{
    release_host(canvas, crew);
}

enum status canvas_fit(struct canvas *canvas, struct world *world, struct crew *crew,
                       enum status mine, size_t bytes, enum canvas_place place, enum canvas_use use)
{
    bool share = place == CANVAS_SHARED || world_size(world) == 1; /* alone: huge pages */
    canvas->why[0] = canvas->no_device[0] = '\0';
    mine = fit_host(canvas, world, crew, mine, bytes, share);
    if (use == CANVAS_MANY || (canvas->segment && segment_huge(canvas->segment)))
        pin(canvas, world, crew);
    /* Rank 0 knows its own size; the others may not have reached it. */
    bool fits = world_rank(world) == 0 && canvas->device_bytes >= bytes;
    if (place == CANVAS_DEVICE) {
        TRY(world_tell(world, mine, &fits, sizeof fits));
        if (!fits)
            mine = fit_device(canvas, world, crew, mine, bytes);
    }
    if (!canvas_reached(canvas, place) && !canvas->why[0] && canvas->segment)
        snprintf(canvas->why, sizeof canvas->why, "%s", segment_why(canvas->segment));
    return mine;
}

void canvas_close(struct canvas *canvas, struct world *world, struct crew *crew)
{
    if (canvas->shown)
        release_all(canvas, world, crew);
    release_host(canvas, crew);
    *canvas = (struct canvas){.bytes = 0};
}

bool canvas_reached(const struct canvas *canvas, enum canvas_place place)
{
    if (place == CANVAS_DEVICE)
        return canvas->device != NULL;
    return canvas->host != NULL;
}

struct field canvas_field(const struct canvas *canvas, enum canvas_place place,
                          const struct field *shape)
{
    if (!canvas_reached(canvas, place)) {
        struct field none = *shape;
        none.base = NULL;
        memset(none.plane, 0, sizeof none.plane);
        return none;
    }
    struct field field;
    void *base = place == CANVAS_DEVICE ? canvas->device : canvas->host;
    field_over(&field, shape->width, shape->height, shape->planes, shape->count_bytes, base);
    field.space = place == CANVAS_DEVICE ? MEMORY_DEVICE : MEMORY_HOST;
    return field;
}
