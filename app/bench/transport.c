/* Every transport that works here, for pictures of 1080p, 4K and 8K; the devices copy prepared
 * pixels instead of computing: counts and fractions on CPUs, counts alone on GPUs, of the whole
 * set, since packing depends on them. What arrives is compared with what was sent. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/bench/bench.h"
#include "app/bench/bench_table.h"
#include "app/process/stop.h"
#include "app/bench/idle_report.h"
#include "app/bench/renderer_probed.h"
#include "decomposition/thread/clock.h"
#include "decomposition/transport/link.h"
#include "decomposition/transport/packing.h"
#include "render/plan/sorted.h"

static const struct frame_size {
    int32_t width, height;
} sizes[] = {{1920, 1080}, {3840, 2160}, {7680, 4320}};

enum {
    STEPS = 200,         /* most iterations of a prepared pixel */
    TILES_PER_DEVICE = 2 /* one for each thread of a GPU */
};

/* Medians: of a whole job; of the same copies with nothing else, and for transports by messages the
 * sends of MPI after them; of these sends alone, 0 for transports in place. */
struct transport_row {
    double seconds, plain_s, sends_s;
};

/* State of one rank. */
struct carriage {
    struct renderer *renderer;
    struct field shape;
    const char *transport, *label; /* label: in the table; "packed": staged, and packed */
    struct tile *tiles;
    uint32_t tile_count;
    struct field host;                /* pixels of a whole picture */
    struct field source[DEVICES_MAX]; /* the same pixels in the memory of each device */
    struct field outgoing[2];         /* memory for what plain sends send, by its space */
    bool pinned;                      /* outgoing memory of the host is lent by the renderer */
    struct transport_span *span;      /* [ranks]: bytes that the devices of each rank bring */
    const volatile int *stop;         /* may be NULL */
    uint64_t epoch;
};

static enum status source_create(struct carriage *carriage, int device, const struct field *host)
{
    const struct device_set *device_set = renderer_device_set(carriage->renderer);
    const struct backend_memory *memory = device_set->kind->memory;
    struct field *source = &carriage->source[device];
    *source = *host;
    if (!memory)
        return STATUS_OK;
    size_t bytes;
    void *base;
    TRY(field_bytes(host->width, host->height, host->planes, host->count_bytes, &bytes));
    TRY(memory->create(device_set->backend[device], bytes, &base));
    field_over(source, host->width, host->height, host->planes, host->count_bytes, base);
    source->space = MEMORY_DEVICE;
    return memory->copy(device_set->backend[device], source, host);
}

static void sources_destroy(struct carriage *carriage)
{
    const struct device_set *device_set = renderer_device_set(carriage->renderer);
    for (int d = 0; d < device_set->devices; d++)
        if (device_set->kind->memory && carriage->source[d].base)
            device_set->kind->memory->destroy(device_set->backend[d], carriage->source[d].base);
}

/* A pixel of the whole set by the plain loop. */
static void pixel_make(const struct field *field, int32_t x, int32_t y)
{
    double re = -2.3 + 3.2 * x / field->width, im = 0.9 - 1.8 * y / field->height;
    double zx = 0, zy = 0;
    uint32_t count = 0;
    while (count < STEPS && zx * zx + zy * zy < 1e4) {
        double next = zx * zx - zy * zy + re;
        zy = 2 * zx * zy + im;
        zx = next;
        count++;
    }
    bool escaped = zx * zx + zy * zy >= 1e4;
    *((uint32_t *)field_row(field, PLANE_COUNT, y) + x) = escaped ? count : 0;
    if (field->planes & PLANE_MASK_FRACTION)
        *((float *)field_row(field, PLANE_FRACTION, y) + x) =
            escaped ? (float)fmod(2 - log2(log2(zx * zx + zy * zy) / 2 / log2(100)), 1) : 0;
}

static void pixels_make(const struct field *field)
{
#pragma omp parallel for schedule(dynamic, 8)
    for (int32_t y = 0; y < field->height; y++)
        for (int32_t x = 0; x < field->width; x++)
            pixel_make(field, x, y);
}

/* The pixels of every device of this rank. */
static enum status sources_create(struct carriage *carriage)
{
    const struct field *shape = &carriage->shape;
    struct field *host = &carriage->host;
    TRY(field_create(host, shape->width, shape->height, shape->planes, shape->count_bytes));
    pixels_make(host);
    for (int d = 0; d < renderer_device_set(carriage->renderer)->devices; d++)
        TRY(source_create(carriage, d, host));
    return STATUS_OK;
}

static enum status copy_part(const struct carriage *carriage, int device, const struct tile *tile,
                             struct field *out)
{
    const struct device_set *device_set = renderer_device_set(carriage->renderer);
    struct field part =
        field_window(&carriage->source[device], tile->x, tile->y, tile->width, tile->height);
    if (device_set->kind->memory)
        return device_set->kind->memory->copy(device_set->backend[device], out, &part);
    field_copy(out, &part);
    return STATUS_OK;
}

static enum status copy_tile(void *context, int thread, const struct tile *tile, struct field *out,
                             uint64_t *iterations)
{
    struct carriage *carriage = context;
    (void)iterations;
    return copy_part(carriage, thread % renderer_device_set(carriage->renderer)->active, tile, out);
}

static enum status job_time(struct carriage *carriage, double *seconds)
{
    struct renderer *renderer = carriage->renderer;
    struct job job =
        renderer_job(renderer, &carriage->shape, carriage->transport, carriage->tile_count);
    job.epoch = ++carriage->epoch;
    job.tiles = carriage->tiles;
    job.tile_count = carriage->tile_count;
    job.schedule = &schedule_cyclic;
    job.context = carriage;
    job.compute = copy_tile;
    job.stop = carriage->stop;
    TRY(world_agree(renderer_world(renderer), STATUS_OK));
    double begin = clock_s();
    TRY(job_run(renderer_world(renderer), &job, NULL));
    *seconds = clock_s() - begin;
    return STATUS_OK;
}

/* The rows that so many devices copy, from the number-th on. */
static struct tile share_of(const struct carriage *carriage, int64_t number, int devices)
{
    int64_t height = carriage->shape.height, all = renderer_active(carriage->renderer);
    int32_t from = (int32_t)(height * number / all),
            to = (int32_t)(height * (number + devices) / all);
    return (struct tile){.y = from, .width = carriage->shape.width, .height = to - from};
}

/* Every device copies its share of the rows in one go. */
static enum status copy_share(const struct carriage *carriage, const struct field *frame)
{
    struct renderer *renderer = carriage->renderer;
    int devices = renderer_device_set(renderer)->active;
    enum status status = STATUS_OK;
#pragma omp parallel for num_threads(devices < 1 ? 1 : devices) schedule(static, 1)
    for (int d = 0; d < devices; d++) {
        struct tile rows = share_of(carriage, renderer_info(renderer)->first_device + d, 1);
        struct field out = field_window(frame, 0, rows.y, rows.width, rows.height);
        enum status one = copy_part(carriage, d, &rows, &out);
#pragma omp critical
        status = one == STATUS_OK ? status : one;
    }
    return status;
}

/* The same pixels with nothing else: copies into the picture. */
static enum status copies_time(struct carriage *carriage, double *seconds)
{
    struct world *world = renderer_world(carriage->renderer);
    struct field frame =
        renderer_job(carriage->renderer, &carriage->shape, carriage->transport, 0).frame;
    TRY(world_agree(world, STATUS_OK));
    double begin = clock_s();
    TRY(world_agree(world, copy_share(carriage, &frame)));
    *seconds = clock_s() - begin;
    return STATUS_OK;
}

/* Sends of MPI into rank 0's picture, from memory of the rank: after copies into it, or alone. */
static enum status sends_time(struct carriage *carriage, bool copies, double *seconds)
{
    struct renderer *renderer = carriage->renderer;
    struct world *world = renderer_world(renderer);
    bool sends_device = transport_named(carriage->transport)->device_memory; /* if MPI may */
    enum memory_space space =
        sends_device && carriage->outgoing[MEMORY_DEVICE].base ? MEMORY_DEVICE : MEMORY_HOST;
    struct field frame = carriage->outgoing[space];
    enum status status = STATUS_OK;
    if (world_rank(world) == 0)
        status =
            renderer_fetch(renderer, &carriage->shape, "auto", 0, carriage->shape.height, &frame);
    TRY(world_agree(world, status));
    double begin = clock_s();
    if (copies)
        status = copy_share(carriage, &frame);
    TRY(transport_plain(world, frame.base, carriage->span)); /* whatever: all ranks take part */
    TRY(world_agree(world, status));
    *seconds = clock_s() - begin;
    return STATUS_OK;
}

static enum status outgoing_create(struct carriage *carriage)
{
    const struct field *shape = &carriage->shape;
    struct job job = renderer_job(carriage->renderer, shape, carriage->transport, 0);
    size_t bytes;
    TRY(field_bytes(shape->width, shape->height, shape->planes, shape->count_bytes, &bytes));
    void *base = job.memory->take(job.memory->context, bytes);
    carriage->pinned = base != NULL;
    if (!base && !(base = malloc(bytes)))
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for %zu bytes of pixels", bytes);
    memcpy(base, carriage->host.base, bytes);
    field_over(&carriage->outgoing[MEMORY_HOST], shape->width, shape->height, shape->planes,
               shape->count_bytes, base);
    base = job.memory->device_take ? job.memory->device_take(job.memory->context, bytes) : NULL;
    if (!base)
        return STATUS_OK;
    struct field *device = &carriage->outgoing[MEMORY_DEVICE];
    field_over(device, shape->width, shape->height, shape->planes, shape->count_bytes, base);
    device->space = MEMORY_DEVICE;
    return STATUS_OK;
}

static void outgoing_destroy(struct carriage *carriage)
{
    struct job job = renderer_job(carriage->renderer, &carriage->shape, carriage->transport, 0);
    if (carriage->pinned)
        job.memory->give(job.memory->context, carriage->outgoing[MEMORY_HOST].base);
    else
        free(carriage->outgoing[MEMORY_HOST].base);
    if (carriage->outgoing[MEMORY_DEVICE].base)
        job.memory->device_give(job.memory->context, carriage->outgoing[MEMORY_DEVICE].base);
    memset(carriage->outgoing, 0, sizeof carriage->outgoing);
    carriage->pinned = false;
}

/* Exchanges which bytes the devices of every rank bring. Collective. */
static enum status spans_learn(struct carriage *carriage)
{
    struct renderer *renderer = carriage->renderer;
    struct world *world = renderer_world(renderer);
    size_t row = (size_t)carriage->shape.width * planes_bytes(carriage->shape.planes, 4),
           bytes = (size_t)world_size(world) * sizeof *carriage->span;
    carriage->span = calloc(1, bytes);
    struct tile rows = share_of(carriage, renderer_info(renderer)->first_device,
                                renderer_device_set(renderer)->active);
    struct transport_span own = {.first = (uint64_t)rows.y * row,
                                 .length = (uint64_t)rows.height * row};
    TRY(world_exchange(world,
                       carriage->span
                           ? STATUS_OK
                           : status_fail(STATUS_OUT_OF_MEMORY, "no memory for a list of ranks"),
                       &own, sizeof own));
    for (int rank = 0; rank < world_size(world); rank++)
        memcpy(&carriage->span[rank], world_said(world, rank), sizeof own);
    return STATUS_OK;
}

/* Bands of whole rows: the largest pieces of memory there can be. */
static enum status bands_cut(struct carriage *carriage)
{
    int bands = TILES_PER_DEVICE * renderer_active(carriage->renderer);
    int64_t height = carriage->shape.height;
    carriage->tiles = calloc((size_t)bands, sizeof *carriage->tiles);
    if (!carriage->tiles)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for %d bands", bands);
    carriage->tile_count = (uint32_t)bands;
    for (int64_t b = 0; b < bands; b++) {
        int32_t from = (int32_t)(height * b / bands), to = (int32_t)(height * (b + 1) / bands);
        carriage->tiles[b] =
            (struct tile){.y = from, .width = carriage->shape.width, .height = to - from};
    }
    return STATUS_OK;
}

/* Rank 0: leaves nothing of an earlier picture where this one will be. */
static enum status poison(struct carriage *carriage, size_t bytes)
{
    struct renderer *renderer = carriage->renderer;
    struct field host;
    TRY(renderer_fetch(renderer, &carriage->shape, carriage->transport, 0, carriage->shape.height,
                       &host));
    memset(host.base, 0, bytes);
    struct job job = renderer_job(renderer, &carriage->shape, carriage->transport, 0);
    if (job.frame.space == MEMORY_HOST)
        return STATUS_OK;
    return job.memory->copy(job.memory->context, &job.frame, &host);
}

/* Rank 0: is every byte the one that was sent? */
static enum status bytes_compare(struct carriage *carriage, size_t bytes)
{
    struct field field;
    TRY(renderer_fetch(carriage->renderer, &carriage->shape, carriage->transport, 0,
                       carriage->shape.height, &field));
    const unsigned char *arrived = field.base, *sent = carriage->host.base;
    for (size_t i = 0; i < bytes; i++)
        if (arrived[i] != sent[i])
            return status_fail(STATUS_INTERNAL, "transport %s: byte %zu of %zu did not arrive",
                               carriage->label, i, bytes);
    return STATUS_OK;
}

/* Did every pixel arrive? Collective. */
static enum status arrival_check(struct carriage *carriage)
{
    struct world *world = renderer_world(carriage->renderer);
    const struct field *shape = &carriage->shape;
    bool root = world_rank(world) == 0;
    double seconds;
    size_t bytes;
    TRY(field_bytes(shape->width, shape->height, shape->planes, shape->count_bytes, &bytes));
    TRY(world_agree(world, root ? poison(carriage, bytes) : STATUS_OK));
    TRY(job_time(carriage, &seconds));
    return world_agree(world, root ? bytes_compare(carriage, bytes) : STATUS_OK);
}

/* Measures alternately, so that other load on the machine weighs on all alike. */
static enum status medians(struct carriage *carriage, bool in_place, struct transport_row *row)
{
    double jobs[BENCH_REPEATS], plain[BENCH_REPEATS], alone[BENCH_REPEATS] = {0};
    for (int i = 0; i < BENCH_REPEATS; i++) {
        TRY(job_time(carriage, &jobs[i]));
        TRY(in_place ? copies_time(carriage, &plain[i]) : sends_time(carriage, true, &plain[i]));
        if (!in_place)
            TRY(sends_time(carriage, false, &alone[i]));
    }
    *row = (struct transport_row){.seconds = median(jobs, BENCH_REPEATS),
                                  .plain_s = median(plain, BENCH_REPEATS),
                                  .sends_s = median(alone, BENCH_REPEATS)};
    return STATUS_OK;
}

static enum status transport_measure(struct carriage *carriage, struct transport_row *row)
{
    const char *name = carriage->transport;
    bool packs = !strcmp(carriage->label, "packed");
    if (packs && !packing_is_built())
        return status_fail(STATUS_CONFIG, "packed: this program was built without zstd");
    link_force(renderer_world(carriage->renderer), packs);
    TRY(renderer_prepare(carriage->renderer, STATUS_OK, &carriage->shape, name, 0));
    if (renderer_refusal(carriage->renderer))
        return status_fail(STATUS_NO_DEVICE, "%s", renderer_refusal(carriage->renderer));
    TRY(arrival_check(carriage));
    return medians(carriage, transport_named(name)->in_place, row);
}

static const struct bench_field fields[] = {
    {"transport", "transport", -9, 0, 1, ""},
    {"width", "size", 4, 0, 1, " x"},
    {"height", "", -4, 0, 1, ""},
    {"devices", "devices", 8, 0, 1, ""},
    {"bytes", "MB", 9, 1, 1e-6, ""},
    {"seconds", "ms", 9, 3, 1e3, ""},
    {NULL, "GB/s", 10, 2, 1e-9, ""},
    {"plain_s", "plain ms", 9, 3, 1e3, ""},
    {NULL, "plain GB/s", 10, 2, 1e-9, ""},
    {"ratio", "ratio", 7, 2, 1, ""},
    {"sends_s", "sends ms", 9, 3, 1e3, ""},
    {"root_bytes", "rank 0 MB", 9, 1, 1e-6, ""},
    {"why_not", NULL, 0, 0, 1, ""},
};
enum { FIELDS = sizeof fields / sizeof *fields };

/* Bytes that rank 0 needs beside the picture. */
static uint64_t root_bytes(const struct carriage *carriage, double bytes)
{
    const struct transport_load load = {.tile_bytes = (uint64_t)bytes / carriage->tile_count,
                                        .tiles = carriage->tile_count,
                                        .samples = 1,
                                        .job_bytes = (uint64_t)bytes};
    return transport_named(carriage->transport)->root_bytes(&load);
}

/* `why`: it does not work here; NULL: it does. */
static void row_tell(struct bench_table *table, const struct carriage *carriage,
                     const struct transport_row *row, const char *why)
{
    const struct field *shape = &carriage->shape;
    double bytes = (double)planes_bytes(shape->planes, 4) * shape->width * shape->height;
    bench_table_row(table, (struct bench_cell[FIELDS]){
                               {.text = carriage->label},
                               {.number = shape->width},
                               {.number = shape->height},
                               {.number = renderer_active(carriage->renderer)},
                               {.number = bytes},
                               {.number = why ? NAN : row->seconds},
                               {.number = why ? NAN : bytes / row->seconds},
                               {.number = why ? NAN : row->plain_s},
                               {.number = why ? NAN : bytes / row->plain_s},
                               {.number = why ? NAN : row->seconds / row->plain_s},
                               {.number = row->sends_s > 0 ? row->sends_s : NAN},
                               {.number = why ? NAN : (double)root_bytes(carriage, bytes)},
                               {.text = why, .number = NAN},
                           });
    if (why && !table->as_json)
        printf("          %s\n", why);
}

static enum status size_bench(struct carriage *carriage, const char *const *transports,
                              struct bench_table *table)
{
    for (int i = 0; transports[i]; i++) {
        struct transport_row row = {.seconds = 0};
        carriage->label = transports[i];
        carriage->transport = strcmp(transports[i], "packed") ? transports[i] : "staged";
        enum status status = transport_measure(carriage, &row);
        if (status != STATUS_OK && status != STATUS_CONFIG && status != STATUS_NO_DEVICE)
            return status;
        if (table) /* no rank can use this one, or it works */
            row_tell(table, carriage, &row, status != STATUS_OK ? status_text() : NULL);
    }
    return STATUS_OK;
}

static enum status size_open(struct carriage *carriage)
{
    TRY(renderer_prepare(carriage->renderer, STATUS_OK, &carriage->shape, "auto", 0));
    TRY(world_agree(renderer_world(carriage->renderer), bands_cut(carriage)));
    TRY(world_agree(renderer_world(carriage->renderer), sources_create(carriage)));
    TRY(world_agree(renderer_world(carriage->renderer), outgoing_create(carriage)));
    return spans_learn(carriage);
}

static void size_close(struct carriage *carriage)
{
    outgoing_destroy(carriage);
    sources_destroy(carriage);
    field_destroy(&carriage->host);
    free(carriage->tiles);
    free(carriage->span);
}

/* `table`: on rank 0; NULL on the others. */
static enum status sizes_bench(struct renderer *renderer, struct bench_table *table)
{
    static const char *const alone[] = {"local", NULL},
                             *const alone_gpu[] = {"local", "device", NULL},
                             *const several[] = {"shared", "staged", "packed", "gatherv", NULL},
                             *const several_gpu[] = {"shared", "device",  "staged",
                                                     "packed", "gatherv", NULL},
                             *const several_sent[] = {"shared", "device",  "sent", "staged",
                                                      "packed", "gatherv", NULL};
    const struct renderer_facts *facts = &renderer_info(renderer)->facts;
    bool gpu = facts->gpus > 0, one = facts->ranks == 1;
    const char *const *transports = facts->sends_device ? several_sent
                                    : one               ? (gpu ? alone_gpu : alone)
                                    : gpu               ? several_gpu
                                                        : several;
    enum status status = STATUS_OK;
    uint64_t epoch = 0;
    for (size_t s = 0; status == STATUS_OK && s < sizeof sizes / sizeof *sizes; s++) {
        struct carriage carriage = {
            .renderer = renderer,
            .transport = "auto",
            .stop = table ? &stop_requested : NULL,
            .shape = {.width = sizes[s].width,
                      .height = sizes[s].height,
                      .planes = gpu ? PLANE_MASK_COUNT : PLANE_MASK_COUNT | PLANE_MASK_FRACTION,
                      .count_bytes = 4},
            .epoch = epoch};
        status = size_open(&carriage);
        if (status == STATUS_OK)
            status = size_bench(&carriage, transports, table);
        epoch = carriage.epoch;
        size_close(&carriage);
    }
    return status;
}

static enum status root_run(const struct invocation *invocation, struct renderer *renderer)
{
    struct bench_table table;
    bench_table_begin(&table, invocation, "transport", fields, FIELDS);
    enum status status = sizes_bench(renderer, &table);
    bench_table_rows_end(&table);
    bench_table_renderer(&table, renderer);
    if (status == STATUS_OK && !table.as_json)
        printf("ms: a whole job of 2 tiles per device, which copies them instead of computing.\n"
               "plain: the same copies with nothing around them but a barrier, into the picture;\n"
               "for transports by messages into memory of the rank, and from there MPI_Isend to\n"
               "MPI_Irecv in the picture. ratio: ms over plain. sends: those of MPI alone.\n"
               "rank 0: its memory beside the picture. packed: staged, as over slow links.\n");
    return bench_table_end(&table, status);
}

enum status bench_transport(const struct invocation *invocation)
{
    bool root = world_rank(invocation->world) == 0;
    struct renderer_options options = {0};
    struct renderer *renderer;
    if (root)
        options = renderer_probed(&invocation->config);
    TRY(renderer_open(&renderer, invocation->world, root ? &options : NULL));
    if (root)
        idle_report(invocation, &renderer_info(renderer)->idle);
    enum status status = root ? root_run(invocation, renderer) : sizes_bench(renderer, NULL);
    renderer_close(renderer);
    return status;
}
