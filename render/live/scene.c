#include "render/live/scene.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "decomposition/clock.h"

enum {
    ALIGNED = 64,
    NICE = 5 /* of threads that compute with cores: the window's thread goes before them */
};

/* Where the reference begins in the bytes. */
static size_t head_bytes(void)
{
    return (sizeof(struct scene) + ALIGNED - 1) / ALIGNED * ALIGNED;
}

enum status scene_pack(const struct scene *scene, const struct shared_orbit *shared, void **bytes,
                       size_t *length)
{
    *length = head_bytes() + (shared ? reference_packed(&shared->orbit) : 0);
    *bytes = calloc(1, *length);
    if (!*bytes)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a scene of %zu bytes", *length);
    memcpy(*bytes, scene, sizeof *scene);
    if (shared)
        reference_pack(&shared->orbit, (char *)*bytes + head_bytes());
    return STATUS_OK;
}

/* ---- a rank ---------------------------------------------------------------------------------- */

static void *block_take(void *context, size_t bytes)
{
    struct scene_room *room = context;
    return crew_block_take(&room->crew, MEMORY_HOST, bytes);
}

static void block_give(void *context, void *block)
{
    struct scene_room *room = context;
    crew_block_give(&room->crew, block);
}

static bool on_cores(const struct scene_room *room)
{
    return room->crew.kind && !room->crew.kind->memory;
}

/* Each thread is a device of its own. */
static void threads_part(struct crew_options *options)
{
    int threads = options->threads > 0 ? options->threads : backend_cores_usable();
    options->devices = threads < DEVICES_MAX ? threads : DEVICES_MAX;
    options->threads = (threads - 1) / options->devices + 1;
    for (int i = 0; i < options->devices; i++)
        options->device[i] = 0;
}

enum status scene_room_open(struct scene_room *room, const struct crew_options *options)
{
    const struct backend_kind *kind;
    struct crew_options mine = *options;
    mine.stop = &room->give_up;
    pthread_mutex_init(&room->offers, NULL);
    room->memory = (struct job_memory){.context = room, .take = block_take, .give = block_give};
    TRY(backend_kind_find(&kind, options->backend));
    if (!kind->memory)
        threads_part(&mine);
    room->threads = mine.threads;
    return crew_open(&room->crew, &mine);
}

static void scene_leave(struct scene_room *room)
{
    room->blocks = false;
    crew_deep_close(&room->crew);
    deep_close(&room->deep);
    free(room->bytes);
    room->bytes = NULL;
    shared_orbit_release(room->shared);
    room->shared = NULL;
    room->reference = (struct reference){0};
}

void scene_room_close(struct scene_room *room)
{
    scene_leave(room);
    shared_orbit_release(room->offered[0]);
    shared_orbit_release(room->offered[1]);
    crew_close(&room->crew);
}

void scene_room_offer(struct scene_room *room, struct shared_orbit *shared)
{
    struct shared_orbit *oldest = shared_orbit_hold(shared);
    pthread_mutex_lock(&room->offers);
    if (room->offered[0] != shared) {
        oldest = room->offered[1];
        room->offered[1] = room->offered[0];
        room->offered[0] = shared;
    }
    pthread_mutex_unlock(&room->offers);
    shared_orbit_release(oldest);
}

static struct shared_orbit *offer_take(struct scene_room *room, uint64_t number)
{
    struct shared_orbit *found = NULL;
    pthread_mutex_lock(&room->offers);
    for (int i = 0; i < 2 && !found; i++)
        if (room->offered[i] && room->offered[i]->number == number)
            found = shared_orbit_hold(room->offered[i]);
    pthread_mutex_unlock(&room->offers);
    return found;
}

static void idle_mark(struct scene_room *room)
{
    double now = clock_s();
    __atomic_store(&room->idle_s, &now, __ATOMIC_RELAXED);
}

double scene_idle_s(const struct scene_room *room)
{
    double then;
    if (__atomic_load_n(&room->running, __ATOMIC_ACQUIRE))
        return 0;
    __atomic_load(&room->idle_s, &then, __ATOMIC_RELAXED);
    return then;
}

/* The reference where it is, or in memory of ours: devices borrow it until the next scene. A scene
 * whose orbit is not offered any more is not the newest either. */
static enum status reference_keep(struct scene_room *room, const void *bytes, size_t length)
{
    if ((room->shared = offer_take(room, room->scene.orbit))) {
        room->reference.orbit = room->shared->orbit;
        return STATUS_OK;
    }
    if (length == 0)
        return status_fail(STATUS_STOPPED, "the scene is not the newest");
    room->bytes = aligned_alloc(ALIGNED, (length + ALIGNED - 1) / ALIGNED * ALIGNED);
    if (!room->bytes)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a reference orbit of %zu bytes",
                           length);
    memcpy(room->bytes, bytes, length);
    room->reference.bytes = room->bytes;
    reference_unpack(&room->reference);
    return STATUS_OK;
}

static enum status blocks_make(struct scene_room *room)
{
    struct reference_hooks hooks = {.stop = &room->give_up};
    const struct scene *scene = &room->scene;
    struct reference_wish wish = scene->wish;
    wish.threads = room->threads * room->crew.devices;
    if (!on_cores(room))
        return reference_open(&room->reference, &room->crew, &scene->blocks_view, &scene->spec,
                              &wish, &hooks);
    wish.kernels = backend_kind_of(crew_device(&room->crew, 0))->deep_kernels;
    TRY(reference_deep(&room->reference, &room->deep, &scene->blocks_view, &scene->spec, &wish,
                       &hooks));
    room->deep.options.threads = room->threads;
    return STATUS_OK;
}

static enum status scene_enter(void *context, uint64_t epoch, const void *bytes, size_t length)
{
    (void)epoch;
    struct scene_room *room = context;
    struct scene fresh;
    memcpy(&fresh, bytes, sizeof fresh);
    idle_mark(room);
    bool keeps = room->blocks && fresh.method == METHOD_PERTURBATION && fresh.blocks_key &&
                 fresh.blocks_key == room->scene.blocks_key;
    if (!keeps)
        scene_leave(room);
    room->scene = fresh;
    if (keeps || fresh.method == METHOD_DIRECT)
        return STATUS_OK;
    if (!fresh.orbit)
        return status_fail(STATUS_INTERNAL, "a scene wants blocks that this rank does not have");
    TRY(reference_keep(room, (const char *)bytes + head_bytes(), length - head_bytes()));
    TRY(blocks_make(room));
    room->blocks = true;
    return STATUS_OK;
}

/* ---- pieces ---------------------------------------------------------------------------------- */

struct session_task scene_task(uint64_t epoch, uint64_t id, const struct piece *piece,
                               unsigned planes, int count_bytes)
{
    struct session_task task = {
        .epoch = epoch, .id = id, .result_bytes = piece_bytes(piece, planes, count_bytes)};
    _Static_assert(sizeof *piece <= sizeof task.words, "a piece must fit into a task");
    memcpy(task.words, piece, sizeof *piece);
    return task;
}

static struct grid whole_grid(const struct scene *scene)
{
    const struct view_numbers *view = &scene->view;
    if (scene->method == METHOD_DIRECT)
        return view_grid(view, 0, 0, view->width, view->height);
    struct grid grid = reference_grid(view, 0, 0, view->width, view->height);
    grid.centre_re = scene->offset_re;
    grid.centre_im = scene->offset_im;
    return grid;
}

void scene_step_back(void)
{
    id_t thread = (id_t)syscall(SYS_gettid);
    setpriority(PRIO_PROCESS, thread, getpriority(PRIO_PROCESS, thread) + NICE);
}

/* Once for each lane that computes with cores. */
static void lane_step_back(const struct scene_room *room)
{
    static _Thread_local bool done;
    if (!done && on_cores(room))
        scene_step_back();
    done = true;
}

/* Perturbation finds no periods: those planes, the last of a field, become 0. What is left of it,
 * and of `spec`. */
static struct field attractors_clear(const struct field *field, struct spec *spec)
{
    struct field known;
    size_t bytes = 0;
    for (int p = PLANE_PERIOD; p < PLANES; p++)
        if (field->plane[p])
            bytes += element_bytes(ELEMENT_F32);
    spec->planes &= ~(unsigned)PLANE_MASK_ATTRACTOR;
    field_over(&known, field->width, field->height, spec->planes, field->count_bytes, field->base);
    size_t pixels = (size_t)field->width * (size_t)field->height;
    memset((char *)field->base + pixels * planes_bytes(spec->planes, field->count_bytes), 0,
           pixels * bytes);
    return known;
}

static enum status subgrid_compute(struct scene_room *room, int lane, const struct grid *grid,
                                   struct field *out, uint64_t *iterations)
{
    const struct spec *spec = &room->scene.spec;
    if (room->scene.method == METHOD_DIRECT)
        return crew_compute(&room->crew, lane, spec, grid, out, iterations);
    struct spec deep = *spec;
    struct field known = attractors_clear(out, &deep);
    if (!on_cores(room))
        return crew_deep_compute(&room->crew, lane, &deep, grid, &known, iterations);
    struct deep_work work = {0};
    TRY(deep_compute(&room->deep, &deep, grid, &known, &work));
    *iterations += work.steps;
    return STATUS_OK;
}

/* Direct iteration takes the samples of a subgrid for neighbours: distances become those in pixels
 * of the picture, which perturbation has been told with the reference. A stride is a power of two,
 * so no bit is lost. */
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

static enum status piece_compute(struct scene_room *room, int lane, const struct piece *piece,
                                 char *result, uint64_t *iterations)
{
    const struct scene *scene = &room->scene;
    struct grid whole = whole_grid(scene);
    struct subgrid subgrid[SUBGRIDS_MOST];
    int count = piece_subgrids(piece, subgrid);
    for (int i = 0; i < count; i++) {
        struct grid grid = subgrid_grid(&whole, &subgrid[i], piece->sample);
        struct field out;
        field_over(&out, grid.width, grid.height, scene->spec.planes, scene->spec.count_bytes,
                   result);
        TRY(subgrid_compute(room, lane, &grid, &out, iterations));
        if (scene->method == METHOD_DIRECT)
            distances_scale(&out, subgrid[i].stride);
        result += subgrid_bytes(&subgrid[i], scene->spec.planes, scene->spec.count_bytes);
    }
    return STATUS_OK;
}

static enum status task_compute(void *context, int lane, const struct session_task *task,
                                void *result, uint64_t *iterations)
{
    struct scene_room *room = context;
    struct piece piece;
    memcpy(&piece, task->words, sizeof piece);
    lane_step_back(room);
    __atomic_add_fetch(&room->running, 1, __ATOMIC_ACQ_REL);
    enum status status = piece_compute(room, lane, &piece, result, iterations);
    idle_mark(room);
    __atomic_sub_fetch(&room->running, 1, __ATOMIC_ACQ_REL);
    return status;
}

struct session_calls scene_calls(struct scene_room *room)
{
    return (struct session_calls){
        .context = room, .scene = scene_enter, .compute = task_compute, .give_up = &room->give_up};
}
