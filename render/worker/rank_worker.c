#include "render/worker/rank_worker.h"

#include <stdlib.h>
#include <string.h>

#include "decomposition/thread/clock.h"
#include "decomposition/thread/executor.h"

enum { ALIGNED = 64 };

/* ---- a rank ---------------------------------------------------------------------------------- */

static void *block_take(void *context, size_t bytes)
{
    struct rank_worker *worker = context;
    return device_set_block_take(&worker->device_set, MEMORY_HOST, bytes);
}

static void block_give(void *context, void *block)
{
    struct rank_worker *worker = context;
    device_set_block_give(&worker->device_set, block);
}

static bool on_cores(const struct rank_worker *worker)
{
    return worker->device_set.kind && !worker->device_set.kind->memory;
}

/* Makes each thread a device of its own. */
static void threads_part(struct device_set_options *options)
{
    int threads = options->threads > 0 ? options->threads : backend_cores_usable();
    options->devices = threads < DEVICES_MAX ? threads : DEVICES_MAX;
    options->threads = (threads - 1) / options->devices + 1;
    for (int i = 0; i < options->devices; i++)
        options->device[i] = 0;
}

static void idle_mark(struct rank_worker *worker)
{
    double now = clock_s();
    __atomic_store(&worker->idle_s, &now, __ATOMIC_RELAXED);
}

enum status rank_worker_open(struct rank_worker *worker, const struct device_set_options *options)
{
    const struct backend_kind *kind;
    struct device_set_options mine = *options;
    mine.stop = &worker->give_up;
    pthread_mutex_init(&worker->offers, NULL);
    worker->memory = (struct job_memory){.context = worker, .take = block_take, .give = block_give};
    TRY(backend_kind_find(&kind, options->backend));
    if (!kind->memory)
        threads_part(&mine);
    worker->threads = mine.threads;
    idle_mark(worker); /* the first request has nothing to cancel, however long its orbit takes */
    return device_set_open(&worker->device_set, &mine);
}

static void blocks_drop(struct rank_worker *worker)
{
    worker->blocks = false;
    device_set_deep_close(&worker->device_set);
    deep_close(&worker->deep);
}

static void context_leave(struct rank_worker *worker)
{
    blocks_drop(worker);
    free(worker->bytes);
    worker->bytes = NULL;
    shared_orbit_release(worker->shared);
    worker->shared = NULL;
    worker->reference = (struct reference){0};
}

void rank_worker_close(struct rank_worker *worker)
{
    context_leave(worker);
    free(worker->cells);
    worker->cells = NULL;
    shared_orbit_release(worker->offered[0]);
    shared_orbit_release(worker->offered[1]);
    device_set_close(&worker->device_set);
}

void rank_worker_offer(struct rank_worker *worker, struct shared_orbit *shared)
{
    struct shared_orbit *oldest = shared_orbit_hold(shared);
    pthread_mutex_lock(&worker->offers);
    if (worker->offered[0] != shared) {
        oldest = worker->offered[1];
        worker->offered[1] = worker->offered[0];
        worker->offered[0] = shared;
    }
    pthread_mutex_unlock(&worker->offers);
    shared_orbit_release(oldest);
}

static struct shared_orbit *offer_take(struct rank_worker *worker, uint64_t number)
{
    struct shared_orbit *found = NULL;
    pthread_mutex_lock(&worker->offers);
    for (int i = 0; i < 2 && !found; i++)
        if (worker->offered[i] && worker->offered[i]->number == number)
            found = shared_orbit_hold(worker->offered[i]);
    pthread_mutex_unlock(&worker->offers);
    return found;
}

double rank_worker_idle_s(const struct rank_worker *worker)
{
    double then;
    if (__atomic_load_n(&worker->running, __ATOMIC_ACQUIRE))
        return 0;
    __atomic_load(&worker->idle_s, &then, __ATOMIC_RELAXED);
    return then;
}

/* Keeps the reference, shared or copied: devices borrow it until the next context. A context whose
 * orbit is not offered any more is not the newest either. */
static enum status reference_keep(struct rank_worker *worker, const void *bytes, size_t length)
{
    if ((worker->shared = offer_take(worker, worker->context.orbit))) {
        worker->reference.orbit = worker->shared->orbit;
        return STATUS_OK;
    }
    if (length == 0)
        return status_fail(STATUS_STOPPED, "the context is not the newest");
    worker->bytes = aligned_alloc(ALIGNED, (length + ALIGNED - 1) / ALIGNED * ALIGNED);
    if (!worker->bytes)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a reference orbit of %zu bytes",
                           length);
    memcpy(worker->bytes, bytes, length);
    worker->bytes_orbit = worker->context.orbit;
    worker->reference.bytes = worker->bytes;
    reference_unpack(&worker->reference);
    return STATUS_OK;
}

static enum status blocks_make(struct rank_worker *worker)
{
    struct reference_hooks hooks = {.stop = &worker->give_up};
    const struct picture_context *context = &worker->context;
    struct reference_request request = context->request;
    request.threads = worker->threads * worker->device_set.devices;
    if (!on_cores(worker))
        return reference_open(&worker->reference, &worker->device_set, &context->blocks_view,
                              &context->spec, &request, &hooks);
    request.kernels = backend_kind_of(device_set_device(&worker->device_set, 0))->deep_kernels;
    TRY(reference_deep(&worker->reference, &worker->deep, &context->blocks_view, &context->spec,
                       &request, &hooks));
    worker->deep.options.threads = worker->threads;
    return STATUS_OK;
}

/* Keeps the cells of a context. */
static enum status cells_keep(struct rank_worker *worker, const struct grid_cell *cells)
{
    size_t bytes = (size_t)worker->context.cells * sizeof *cells;
    free(worker->cells);
    worker->cells = bytes ? malloc(bytes) : NULL;
    if (!bytes)
        return STATUS_OK;
    if (!worker->cells)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for %zu bytes of cells", bytes);
    memcpy(worker->cells, cells, bytes);
    return STATUS_OK;
}

static enum status context_enter(void *context, uint64_t epoch, const void *bytes, size_t length)
{
    (void)epoch;
    struct rank_worker *worker = context;
    struct picture_context fresh;
    const struct grid_cell *cells;
    size_t orbit_at;
    TRY(context_unpack(bytes, length, &fresh, &cells, &orbit_at));
    idle_mark(worker);
    bool keeps = worker->blocks && fresh.method == METHOD_PERTURBATION && fresh.blocks_key &&
                 fresh.blocks_key == worker->context.blocks_key;
    bool knows = !keeps && orbit_at == length && worker->bytes && fresh.orbit &&
                 fresh.orbit == worker->bytes_orbit;
    if (knows)
        blocks_drop(worker);
    else if (!keeps)
        context_leave(worker);
    worker->context = fresh;
    TRY(cells_keep(worker, cells));
    if (keeps || fresh.method == METHOD_DIRECT)
        return STATUS_OK;
    if (!fresh.orbit)
        return status_fail(STATUS_INTERNAL, "a context wants blocks that this rank does not have");
    if (!knows)
        TRY(reference_keep(worker, (const char *)bytes + orbit_at, length - orbit_at));
    TRY(blocks_make(worker));
    worker->blocks = true;
    return STATUS_OK;
}

/* ---- pieces ---------------------------------------------------------------------------------- */

struct pool_task work_piece_task(uint64_t epoch, uint64_t id, const struct work_piece *piece,
                                 unsigned planes, int count_bytes)
{
    struct pool_task task = {
        .epoch = epoch, .id = id, .result_bytes = work_piece_bytes(piece, planes, count_bytes)};
    _Static_assert(sizeof *piece <= sizeof task.words, "a piece must fit into a task");
    memcpy(task.words, piece, sizeof *piece);
    return task;
}

static struct grid whole_grid(const struct picture_context *context)
{
    const struct view_numbers *view = &context->view;
    if (context->method == METHOD_DIRECT)
        return view_grid(view, 0, 0, view->width, view->height);
    struct grid grid = reference_grid(view, 0, 0, view->width, view->height);
    grid.centre_re = context->offset_re;
    grid.centre_im = context->offset_im;
    return grid;
}

/* Lowers the priority of a computing thread, once. */
static void computing_priority_lower(const struct rank_worker *worker)
{
    static _Thread_local bool done;
    if (!done && on_cores(worker))
        thread_priority_lower();
    done = true;
}

/* Clears the planes of orbits and periods, the last of a field, which perturbation does not
 * compute. Returns the field without them; `spec` likewise. */
static struct field direct_planes_clear(const struct field *field, struct spec *spec)
{
    struct field known;
    size_t bytes = 0;
    for (int p = PLANE_STRIPE; p < PLANES; p++)
        if (field->plane[p])
            bytes += element_bytes(ELEMENT_F32);
    spec->planes &= ~(unsigned)(PLANE_MASK_ORBIT | PLANE_MASK_ATTRACTOR);
    field_over(&known, field->width, field->height, spec->planes, field->count_bytes, field->base);
    size_t pixels = (size_t)field->width * (size_t)field->height;
    memset((char *)field->base + pixels * planes_bytes(spec->planes, field->count_bytes), 0,
           pixels * bytes);
    return known;
}

static enum status subgrid_compute(struct rank_worker *worker, int thread, const struct grid *grid,
                                   struct field *out, uint64_t *iterations)
{
    const struct spec *spec = &worker->context.spec;
    if (worker->context.method == METHOD_DIRECT)
        return device_set_compute(&worker->device_set, thread, spec, grid, out, iterations);
    struct spec deep = *spec;
    struct field known = direct_planes_clear(out, &deep);
    if (!on_cores(worker))
        return device_set_deep_compute(&worker->device_set, thread, &deep, grid, &known,
                                       iterations);
    struct deep_work work = {0};
    TRY(deep_compute(&worker->deep, &deep, grid, &known, &work));
    *iterations += work.steps;
    return STATUS_OK;
}

/* Scales distances to pixels of the picture, since direct iteration takes the samples of a subgrid
 * as neighbours; perturbation knows the pixel from the reference. A stride is a power of two, so no
 * bit is lost. */
static void distances_scale(const struct field *field, int stride)
{
    static const enum plane lengths[] = {PLANE_DISTANCE_X, PLANE_DISTANCE_Y, PLANE_INSIDE};
    size_t samples = (size_t)field->width * (size_t)field->height;
    for (size_t p = 0; p < sizeof lengths / sizeof *lengths; p++) {
        float *distance = field->plane[lengths[p]];
        for (size_t i = 0; distance && stride > 1 && i < samples; i++)
            distance[i] *= (float)stride;
    }
}

/* Computes a piece of the context's cells. */
static enum status cells_compute(struct rank_worker *worker, int thread,
                                 const struct work_piece *piece, char *result, uint64_t *iterations)
{
    const struct picture_context *context = &worker->context;
    struct grid grid = whole_grid(context);
    uint64_t first = (uint64_t)(piece->y / GRID_CELL) * (uint64_t)context->cells_in_row;
    uint64_t end =
        (uint64_t)((piece->y + piece->height - 1) / GRID_CELL) * (uint64_t)context->cells_in_row +
        (uint64_t)((piece->x + piece->width - 1) / GRID_CELL);
    if (end >= context->cells)
        return status_fail(STATUS_INTERNAL, "a piece of cells that its context does not have");
    grid.x = piece->x;
    grid.y = piece->y % GRID_CELL;
    grid.width = piece->width;
    grid.height = piece->height;
    grid.cells = worker->cells + first;
    grid.cells_in_row = context->cells_in_row;
    struct field out;
    field_over(&out, grid.width, grid.height, context->spec.planes, context->spec.count_bytes,
               result);
    return subgrid_compute(worker, thread, &grid, &out, iterations);
}

static enum status piece_compute(struct rank_worker *worker, int thread,
                                 const struct work_piece *piece, char *result, uint64_t *iterations)
{
    if (piece->of_cells)
        return cells_compute(worker, thread, piece, result, iterations);
    const struct picture_context *context = &worker->context;
    struct grid whole = whole_grid(context);
    struct subgrid subgrid[SUBGRIDS_MOST];
    int count = work_piece_subgrids(piece, subgrid);
    for (int i = 0; i < count; i++) {
        struct grid grid = subgrid_grid(&whole, &subgrid[i], piece->sample);
        struct field out;
        grid.band = piece->band;
        grid.band_step = piece->band_step;
        field_over(&out, grid.width, grid.height, context->spec.planes, context->spec.count_bytes,
                   result);
        TRY(subgrid_compute(worker, thread, &grid, &out, iterations));
        if (context->method == METHOD_DIRECT)
            distances_scale(&out, subgrid[i].stride);
        result += subgrid_bytes(&subgrid[i], context->spec.planes, context->spec.count_bytes);
    }
    return STATUS_OK;
}

static enum status task_compute(void *context, int thread, const struct pool_task *task,
                                struct field *out, uint64_t *iterations)
{
    struct rank_worker *worker = context;
    struct work_piece piece;
    memcpy(&piece, task->words, sizeof piece);
    computing_priority_lower(worker);
    __atomic_add_fetch(&worker->running, 1, __ATOMIC_ACQ_REL);
    enum status status = piece_compute(worker, thread, &piece, out->base, iterations);
    idle_mark(worker);
    __atomic_sub_fetch(&worker->running, 1, __ATOMIC_ACQ_REL);
    return status;
}

struct pool_calls rank_worker_calls(struct rank_worker *worker)
{
    return (struct pool_calls){.context = worker,
                               .prepare = context_enter,
                               .compute = task_compute,
                               .give_up = &worker->give_up};
}
