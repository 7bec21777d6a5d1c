#include <stdlib.h>
#include <string.h>

#include "decomposition/clock.h"
#include "render/bench_studio.h"
#include "render/sorted.h"

static const struct frame_size {
    int32_t width, height;
} sizes[] = {{1920, 1080}, {3840, 2160}, {7680, 4320}};

enum {
    MARK = 0x5a,         /* every byte that is sent */
    TILES_PER_DEVICE = 2 /* one for each lane of a GPU */
};

/* One rank's part. */
struct carriage {
    struct studio *studio;
    struct field shape;
    const char *transport;
    struct tile *tiles;
    uint32_t tile_count;
    struct field host;                /* a picture's worth of pixels, */
    struct field source[DEVICES_MAX]; /* and at each device */
    struct field outgoing;            /* memory for what plain sends send, */
    bool pinned;                      /* lent by the studio */
    struct transport_span *span;      /* [ranks]: whose devices bring which bytes */
    const volatile int *stop;         /* may be NULL */
    uint64_t epoch;
};

static enum status source_create(struct carriage *carriage, int device, const struct field *host)
{
    const struct crew *crew = &carriage->studio->crew;
    const struct backend_memory *memory = crew->kind->memory;
    struct field *source = &carriage->source[device];
    *source = *host;
    if (!memory)
        return STATUS_OK;
    size_t bytes;
    void *base;
    TRY(field_bytes(host->width, host->height, host->planes, host->count_bytes, &bytes));
    TRY(memory->create(crew->backend[device], bytes, &base));
    field_over(source, host->width, host->height, host->planes, host->count_bytes, base);
    source->space = MEMORY_DEVICE;
    return memory->copy(crew->backend[device], source, host);
}

static void sources_destroy(struct carriage *carriage)
{
    const struct crew *crew = &carriage->studio->crew;
    for (int d = 0; d < crew->devices; d++)
        if (crew->kind->memory && carriage->source[d].base)
            crew->kind->memory->destroy(crew->backend[d], carriage->source[d].base);
}

/* The pixels of every device of this rank. */
static enum status sources_create(struct carriage *carriage)
{
    const struct field *shape = &carriage->shape;
    struct field *host = &carriage->host;
    TRY(field_create(host, shape->width, shape->height, shape->planes, shape->count_bytes));
    size_t bytes;
    TRY(field_bytes(shape->width, shape->height, shape->planes, shape->count_bytes, &bytes));
    memset(host->base, MARK, bytes);
    for (int d = 0; d < carriage->studio->crew.devices; d++)
        TRY(source_create(carriage, d, host));
    return STATUS_OK;
}

static enum status copy_part(const struct carriage *carriage, int device, const struct tile *tile,
                             struct field *out)
{
    const struct crew *crew = &carriage->studio->crew;
    struct field part =
        field_window(&carriage->source[device], tile->x, tile->y, tile->width, tile->height);
    if (crew->kind->memory)
        return crew->kind->memory->copy(crew->backend[device], out, &part);
    field_copy(out, &part);
    return STATUS_OK;
}

static enum status copy_tile(void *context, int lane, const struct tile *tile, struct field *out,
                             uint64_t *iterations)
{
    struct carriage *carriage = context;
    (void)iterations;
    return copy_part(carriage, lane % carriage->studio->crew.active, tile, out);
}

static enum status job_time(struct carriage *carriage, double *seconds)
{
    struct studio *studio = carriage->studio;
    struct job job =
        studio_job(studio, &carriage->shape, carriage->transport, carriage->tile_count);
    job.epoch = ++carriage->epoch;
    job.tiles = carriage->tiles;
    job.tile_count = carriage->tile_count;
    job.schedule = &schedule_cyclic;
    job.context = carriage;
    job.compute = copy_tile;
    job.stop = carriage->stop;
    TRY(world_agree(studio->world, STATUS_OK));
    double begin = clock_s();
    TRY(job_run(studio->world, &job, NULL));
    *seconds = clock_s() - begin;
    return STATUS_OK;
}

/* The rows that so many devices copy, from the number-th on. */
static struct tile share_of(const struct carriage *carriage, int64_t number, int devices)
{
    int64_t height = carriage->shape.height, all = carriage->studio->active;
    int32_t from = (int32_t)(height * number / all),
            to = (int32_t)(height * (number + devices) / all);
    return (struct tile){.y = from, .width = carriage->shape.width, .height = to - from};
}

/* Every device copies its share of the rows in one go. */
static enum status copy_share(const struct carriage *carriage, const struct field *frame)
{
    const struct studio *studio = carriage->studio;
    int devices = studio->crew.active;
    enum status status = STATUS_OK;
#pragma omp parallel for num_threads(devices < 1 ? 1 : devices) schedule(static, 1)
    for (int d = 0; d < devices; d++) {
        struct tile rows = share_of(carriage, studio->first_device + d, 1);
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
    struct world *world = carriage->studio->world;
    struct field frame =
        studio_job(carriage->studio, &carriage->shape, carriage->transport, 0).frame;
    TRY(world_agree(world, STATUS_OK));
    double begin = clock_s();
    TRY(world_agree(world, copy_share(carriage, &frame)));
    *seconds = clock_s() - begin;
    return STATUS_OK;
}

static enum status sends(struct carriage *carriage, bool copies, double *seconds)
{
    struct studio *studio = carriage->studio;
    struct world *world = studio->world;
    struct field frame = carriage->outgoing;
    enum status status = STATUS_OK;
    if (world_rank(world) == 0)
        status = studio_fetch(studio, &carriage->shape, "auto", 0, carriage->shape.height, &frame);
    TRY(world_agree(world, status));
    double begin = clock_s();
    if (copies)
        status = copy_share(carriage, &frame);
    TRY(transport_plain(world, frame.base, carriage->span)); /* whatever: all ranks take part */
    TRY(world_agree(world, status));
    *seconds = clock_s() - begin;
    return STATUS_OK;
}

/* Copies into memory of the rank, and from there sends of MPI into rank 0's picture. */
static enum status copies_and_sends_time(struct carriage *carriage, double *seconds)
{
    return sends(carriage, true, seconds);
}

static enum status sends_time(struct carriage *carriage, double *seconds)
{
    return sends(carriage, false, seconds);
}

static enum status outgoing_create(struct carriage *carriage)
{
    const struct field *shape = &carriage->shape;
    struct job job = studio_job(carriage->studio, shape, carriage->transport, 0);
    size_t bytes;
    TRY(field_bytes(shape->width, shape->height, shape->planes, shape->count_bytes, &bytes));
    void *base = job.memory->take(job.memory->context, bytes);
    carriage->pinned = base != NULL;
    if (!base && !(base = malloc(bytes)))
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for %zu bytes of pixels", bytes);
    memset(base, MARK, bytes);
    field_over(&carriage->outgoing, shape->width, shape->height, shape->planes, shape->count_bytes,
               base);
    return STATUS_OK;
}

static void outgoing_destroy(struct carriage *carriage)
{
    struct job job = studio_job(carriage->studio, &carriage->shape, carriage->transport, 0);
    if (carriage->pinned)
        job.memory->give(job.memory->context, carriage->outgoing.base);
    else
        free(carriage->outgoing.base);
    carriage->outgoing = (struct field){.width = 0};
    carriage->pinned = false;
}

/* Which bytes every rank's devices bring. */
static enum status spans_learn(struct carriage *carriage)
{
    struct studio *studio = carriage->studio;
    struct world *world = studio->world;
    size_t row = (size_t)carriage->shape.width * planes_bytes(carriage->shape.planes, 4),
           bytes = (size_t)world_size(world) * sizeof *carriage->span;
    carriage->span = calloc(1, bytes);
    struct tile rows = share_of(carriage, studio->first_device, studio->crew.active);
    struct transport_span own = {.first = (uint64_t)rows.y * row,
                                 .length = (uint64_t)rows.height * row};
    TRY(world_exchange(world, carriage->span ? STATUS_OK
                                             : status_fail(STATUS_OUT_OF_MEMORY,
                                                           "no memory for a list of ranks"),
                       &own, sizeof own));
    for (int rank = 0; rank < world_size(world); rank++)
        memcpy(&carriage->span[rank], world_said(world, rank), sizeof own);
    return STATUS_OK;
}

/* Bands of whole rows: the largest pieces of memory there can be. */
static enum status bands_cut(struct carriage *carriage)
{
    int bands = TILES_PER_DEVICE * carriage->studio->active;
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
    struct studio *studio = carriage->studio;
    struct field host;
    TRY(studio_fetch(studio, &carriage->shape, carriage->transport, 0, carriage->shape.height,
                     &host));
    memset(host.base, 0, bytes);
    struct job job = studio_job(studio, &carriage->shape, carriage->transport, 0);
    if (job.frame.space == MEMORY_HOST)
        return STATUS_OK;
    return job.memory->copy(job.memory->context, &job.frame, &host);
}

/* Rank 0: is every byte the one that was sent? */
static enum status look(struct carriage *carriage, size_t bytes)
{
    struct field field;
    TRY(studio_fetch(carriage->studio, &carriage->shape, carriage->transport, 0,
                     carriage->shape.height, &field));
    for (size_t i = 0; i < bytes; i++)
        if (((const unsigned char *)field.base)[i] != MARK)
            return status_fail(STATUS_INTERNAL, "transport %s: byte %zu of %zu did not come home",
                               carriage->transport, i, bytes);
    return STATUS_OK;
}

/* Did every pixel come home? Collective. */
static enum status arrival_check(struct carriage *carriage)
{
    struct world *world = carriage->studio->world;
    const struct field *shape = &carriage->shape;
    bool root = world_rank(world) == 0;
    double seconds;
    size_t bytes;
    TRY(field_bytes(shape->width, shape->height, shape->planes, shape->count_bytes, &bytes));
    TRY(world_agree(world, root ? poison(carriage, bytes) : STATUS_OK));
    TRY(job_time(carriage, &seconds));
    return world_agree(world, root ? look(carriage, bytes) : STATUS_OK);
}

static enum status median_of(enum status (*measure)(struct carriage *, double *),
                             struct carriage *carriage, int repeats, double *seconds)
{
    double times[99];
    repeats = repeats < 99 ? repeats : 99;
    for (int i = 0; i < repeats; i++)
        TRY(measure(carriage, &times[i]));
    *seconds = median(times, repeats);
    return STATUS_OK;
}

static enum status road_bench(struct carriage *carriage, struct transport_row *row, int repeats)
{
    const char *road = row->road;
    bool in_place = transport_named(road)->in_place;
    carriage->transport = road;
    TRY(studio_prepare(carriage->studio, STATUS_OK, &carriage->shape, road, true));
    if (studio_refusal(carriage->studio))
        return status_fail(STATUS_NO_DEVICE, "%s", studio_refusal(carriage->studio));
    TRY(arrival_check(carriage));
    TRY(median_of(job_time, carriage, repeats, &row->seconds));
    if (in_place)
        return median_of(copies_time, carriage, repeats, &row->plain_s);
    TRY(median_of(copies_and_sends_time, carriage, repeats, &row->plain_s));
    return median_of(sends_time, carriage, repeats, &row->sends_s);
}

static enum status size_bench(struct carriage *carriage, const char *const *roads,
                              const struct bench_calls *calls, int repeats)
{
    const struct field *shape = &carriage->shape;
    for (int i = 0; roads[i]; i++) {
        struct transport_row row = {.road = roads[i],
                                    .width = shape->width,
                                    .height = shape->height,
                                    .devices = carriage->studio->active,
                                    .bytes = (uint64_t)shape->width * (uint64_t)shape->height * 4};
        enum status status = road_bench(carriage, &row, repeats);
        if (status != STATUS_OK && status != STATUS_CONFIG && status != STATUS_NO_DEVICE)
            return status;
        row.why = status != STATUS_OK ? status_text() : NULL; /* no rank can take this road */
        if (calls)
            calls->transport(calls->context, &row);
    }
    return STATUS_OK;
}

static enum status size_open(struct carriage *carriage, const char *first_road)
{
    TRY(studio_prepare(carriage->studio, STATUS_OK, &carriage->shape, first_road, true));
    TRY(world_agree(carriage->studio->world, bands_cut(carriage)));
    TRY(world_agree(carriage->studio->world, sources_create(carriage)));
    TRY(world_agree(carriage->studio->world, outgoing_create(carriage)));
    return spans_learn(carriage);
}

enum status bench_transport(struct studio *studio, const struct bench_calls *calls, int repeats)
{
    static const char *const alone[] = {"local", NULL},
                             *const alone_gpu[] = {"local", "device", NULL},
                             *const several[] = {"shared", "staged", "gatherv", NULL},
                             *const several_gpu[] = {"shared", "device", "staged", "gatherv", NULL},
                             *const several_sent[] = {"shared", "device",  "sent",
                                                      "staged", "gatherv", NULL};
    bool gpu = studio->facts.gpus > 0, one = studio->facts.ranks == 1;
    const char *const *roads = one ? (gpu ? alone_gpu : alone) : (gpu ? several_gpu : several);
    if (studio->facts.sends_device)
        roads = several_sent;
    enum status status = STATUS_OK;
    struct carriage carriage = {
        .studio = studio, .transport = "auto", .stop = calls ? calls->stop : NULL};
    for (size_t s = 0; status == STATUS_OK && s < sizeof sizes / sizeof *sizes; s++) {
        memset(carriage.source, 0, sizeof carriage.source);
        carriage.shape = (struct field){.width = sizes[s].width,
                                        .height = sizes[s].height,
                                        .planes = PLANE_MASK_COUNT,
                                        .count_bytes = 4};
        status = size_open(&carriage, "auto");
        if (status == STATUS_OK)
            status = size_bench(&carriage, roads, calls, repeats);
        outgoing_destroy(&carriage);
        sources_destroy(&carriage);
        field_destroy(&carriage.host);
        free(carriage.tiles);
        carriage.tiles = NULL;
        free(carriage.span);
        carriage.span = NULL;
    }
    return status;
}
