#include "render/picture/writers.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/stop.h"
#include "render/disk/file_bytes.h"
#include "render/disk/folder.h"
#include "render/file/sink.h"
#include "render/picture/picture_sums.h"

#define PROBE_NAME "seen-by-all"

/* What rank 0 tells: this, the files, and the palette. Plain data: all ranks run one program. */
struct told_file {
    char path[SINK_PATH_BYTES];
    uint64_t place;
    int32_t bits;
    uint32_t planes;
};

struct told {
    _Alignas(64) char folder[SINK_PATH_BYTES]; /* where the files grow */
    uint64_t probe;                            /* stands in a file there */
    uint64_t count;
    struct look look; /* with a palette of the other process */
    struct told_file file[WRITERS_FILES_MOST];
};

/* What every rank says of its strip. */
struct said {
    struct writers_done done;
    uint64_t length[WRITERS_FILES_MOST];
    uint32_t sum[WRITERS_FILES_MOST];
    int32_t syncs; /* rank 0: the parts are brought to the disk */
};

_Static_assert(sizeof(struct said) <= WORLD_RECORD_BYTES, "it is exchanged");

struct writing {
    struct writers of;
    void *bytes; /* struct told of rank 0, with the colours; each rank has a copy */
    struct look look;
    size_t count;
    struct sink_request request[WRITERS_FILES_MOST];
    uint64_t place[WRITERS_FILES_MOST]; /* offsets at which the files go on */
    struct sink_part part[WRITERS_FILES_MOST];
    struct said said;
    uint64_t shift[WRITERS_FILES_MOST]; /* offset of this rank's parts: length of all before */
    int32_t y;                          /* first row of the turn */
    bool syncs;
};

static bool is_root(const struct writing *writing)
{
    return world_rank(writing->of.world) == 0;
}

/* ---- what the ranks need to know ------------------------------------------------------------- */

/* A file that only who sees this very folder can know. */
static enum status probe_write(struct told *told)
{
    const struct folder_bytes piece = {&told->probe, sizeof told->probe};
    bool good = getentropy(&told->probe, sizeof told->probe) == 0;
    int folder = good ? folder_open_own(told->folder) : -1;
    good = folder >= 0 && folder_file_put(folder, PROBE_NAME, &piece, 1, FOLDER_SYNCED);
    int reason = errno;
    if (folder >= 0)
        close(folder);
    if (good)
        return STATUS_OK;
    return status_fail(STATUS_CANNOT_CREATE, "cannot write %s/" PROBE_NAME ": %s", told->folder,
                       folder_reason(reason));
}

static void probe_remove(const struct told *told)
{
    int folder = folder_open_own(told->folder);
    if (folder < 0)
        return;
    (void)unlinkat(folder, PROBE_NAME, 0);
    close(folder);
}

/* With the lock that the files are written under. */
static enum status probe_look(const struct told *told)
{
    uint64_t there = 0;
    errno = 0;
    int folder = folder_open_own(told->folder);
    int file = folder >= 0 ? folder_file_open(folder, PROBE_NAME, O_RDWR) : -1;
    bool good = file >= 0 && file_bytes_lock(file, true, 0, sizeof there) &&
                file_bytes_get(file, &there, sizeof there, 0) && there == told->probe;
    int reason = errno;
    if (file >= 0)
        close(file);
    if (folder >= 0)
        close(folder);
    if (good)
        return STATUS_OK;
    return status_fail(STATUS_CANNOT_CREATE, "%s is not the folder that rank 0 writes to%s%s",
                       told->folder, reason ? ": " : "", reason ? folder_reason(reason) : "");
}

static enum status told_fill(struct told *told, const struct writers *writers)
{
    const struct picture_parts *parts = writers->consumer->parts;
    const struct sink_request *requests;
    uint64_t places[WRITERS_FILES_MOST];
    char folder[PATH_MAX];
    if (parts->count > WRITERS_FILES_MOST)
        return status_fail(STATUS_CANNOT_CREATE, "several ranks write %d files at most",
                           WRITERS_FILES_MOST);
    TRY(parts->begin(writers->consumer->context, &requests, places));
    errno = ENAMETOOLONG;
    if (!realpath(requests->growing_folder, folder) || strlen(folder) >= sizeof told->folder)
        return status_fail(STATUS_CANNOT_CREATE, "cannot open %s: %s", requests->growing_folder,
                           strerror(errno));
    memcpy(told->folder, folder, strlen(folder) + 1);
    told->count = parts->count;
    told->look = *writers->look;
    for (size_t i = 0; i < parts->count; i++) {
        struct told_file *file = &told->file[i];
        snprintf(file->path, sizeof file->path, "%s", requests[i].path);
        file->place = places[i];
        file->bits = requests[i].bits;
        file->planes = requests[i].planes;
    }
    return probe_write(told);
}

static enum status told_make(struct writing *writing, size_t *length)
{
    const struct writers *writers = &writing->of;
    size_t palette;
    const void *colours = palette_bytes(writers->look->palette, &palette);
    *length = sizeof(struct told) + palette;
    writing->bytes = calloc(1, *length);
    if (!writing->bytes)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory to tell the ranks what to write");
    memcpy((char *)writing->bytes + sizeof(struct told), colours, palette);
    return told_fill(writing->bytes, writers);
}

static enum status told_take(struct writing *writing, size_t length)
{
    const struct told *told = writing->bytes;
    writing->look = told->look;
    writing->look.palette =
        palette_of_bytes((const char *)told + sizeof *told, length - sizeof *told);
    if (!writing->look.palette)
        return status_fail(STATUS_INTERNAL, "rank 0 has told of another kind of palette");
    writing->count = (size_t)told->count;
    for (size_t i = 0; i < writing->count; i++) {
        const struct told_file *file = &told->file[i];
        writing->place[i] = file->place;
        writing->request[i] = (struct sink_request){.path = file->path,
                                                    .field = &writing->of.shape,
                                                    .look = &writing->look,
                                                    .bits = file->bits,
                                                    .planes = file->planes,
                                                    .growing_folder = told->folder,
                                                    .stop = writing->of.stop};
    }
    return writing->of.number >= 0 ? probe_look(told) : STATUS_OK;
}

enum status writers_open(struct writing **out, const struct writers *writers)
{
    struct writing *writing = *out = calloc(1, sizeof *writing);
    struct world *world = writers->world;
    assert(writers->number < 0 || writers->threads >= 1);
    size_t length = 0;
    enum status status = STATUS_OK;
    if (writing)
        writing->of = *writers;
    else
        status = status_fail(STATUS_OUT_OF_MEMORY, "no memory to write with");
    TRY(world_agree(world, status));
    writing->y = writers->rows_before;
    if (is_root(writing))
        status = told_make(writing, &length);
    TRY(world_share(world, status, &writing->bytes, &length));
    status = world_agree(world, told_take(writing, length));
    if (is_root(writing))
        probe_remove(writing->bytes);
    return status;
}

/* ---- a turn ---------------------------------------------------------------------------------- */

static void parts_free(struct writing *writing)
{
    for (size_t i = 0; i < writing->count; i++)
        sink_part_free(&writing->part[i]);
}

static void rows_count(struct writing *writing, const struct field *field)
{
    struct picture_summing summing = {.sums = {.pixels = 0}};
    picture_summing_add(&summing, field);
    writing->said.done.interior = summing.sums.interior;
}

/* The strip is there: it becomes bytes. */
static enum status strip_take(void *context, int32_t y, const struct field *field,
                              const float (*light)[3])
{
    struct writing *writing = context;
    const struct sink_rows rows = {
        .y = y, .height = field->height, .field = *field, .light = light};
    sink_threads_use(writing->of.threads);
    rows_count(writing, field);
    for (size_t i = 0; i < writing->count; i++) {
        TRY(sink_part_make(&writing->request[i], &rows, &writing->part[i]));
        writing->said.length[i] = writing->part[i].length;
        writing->said.sum[i] = writing->part[i].sum;
    }
    return STATUS_OK;
}

static enum status strip_make(void *context)
{
    struct writing *writing = context;
    const struct writers *of = &writing->of;
    const struct picture_consumer consumer = {.context = writing, .strip = strip_take};
    int64_t y = writing->y + (int64_t)of->number * of->strip_rows;
    if (of->number < 0 || y >= of->shape.height)
        return STATUS_OK;
    int64_t left = of->shape.height - y;
    TRY(of->strip(of->context, (int32_t)y, &writing->look, &consumer, &writing->said.done));
    writing->said.done.rows = (int32_t)(left < of->strip_rows ? left : of->strip_rows);
    return STATUS_OK;
}

static enum status strip_put(void *context)
{
    struct writing *writing = context;
    for (size_t i = 0; i < writing->count; i++)
        TRY(sink_part_put(&writing->request[i], &writing->part[i],
                          writing->place[i] + writing->shift[i], writing->syncs));
    return STATUS_OK;
}

static const struct said *said_by(const struct writing *writing, int rank)
{
    return world_said(writing->of.world, rank);
}

/* From what all have said. */
static void places_find(struct writing *writing)
{
    const struct world *world = writing->of.world;
    writing->syncs = said_by(writing, 0)->syncs;
    for (size_t i = 0; i < writing->count; i++) {
        writing->shift[i] = 0;
        for (int rank = 0; rank < world_rank(world); rank++)
            writing->shift[i] += said_by(writing, rank)->length[i];
    }
}

/* Rank 0: what stands around the rows of the turn. */
static enum status turn_note(struct writing *writing)
{
    const struct writers *of = &writing->of;
    const struct picture_parts *parts = of->consumer->parts;
    int32_t y = writing->y;
    for (int rank = 0; rank < world_size(of->world); rank++) {
        const struct said *said = said_by(writing, rank);
        if (said->done.rows == 0)
            continue;
        TRY(parts->add(of->consumer->context, said->done.rows, said->length, said->sum,
                       said->done.interior));
        y += said->done.rows;
        of->told(of->told_context, rank, &said->done, y);
    }
    return writing->syncs ? parts->keep(of->consumer->context) : STATUS_OK;
}

static void turn_end(struct writing *writing)
{
    const struct world *world = writing->of.world;
    for (int rank = 0; rank < world_size(world); rank++) {
        const struct said *said = said_by(writing, rank);
        writing->y += said->done.rows;
        for (size_t i = 0; i < writing->count; i++)
            writing->place[i] += said->length[i];
    }
}

/* `status`: of rank 0 since the turn before. */
static enum status turn_run(struct writing *writing, enum status status)
{
    const struct writers *of = &writing->of;
    int64_t turn = (int64_t)of->count * of->strip_rows;
    writing->said = (struct said){.syncs = 0};
    if (status == STATUS_OK)
        status = world_work(of->world, strip_make, writing);
    if (is_root(writing))
        writing->said.syncs = of->consumer->parts->due(of->consumer->context) ||
                              of->shape.height - writing->y <= turn;
    if (status == STATUS_OK && stop_asked(of->stop))
        status = status_fail(STATUS_STOPPED, "stopped on request");
    TRY(world_exchange(of->world, status, &writing->said, sizeof writing->said));
    places_find(writing);
    return world_agree(of->world, world_work(of->world, strip_put, writing));
}

enum status writers_run(struct writing *writing)
{
    enum status noted = STATUS_OK;
    while (writing->y < writing->of.shape.height) {
        enum status status = turn_run(writing, noted);
        parts_free(writing);
        TRY(status);
        noted = is_root(writing) ? turn_note(writing) : STATUS_OK;
        turn_end(writing);
    }
    return world_agree(writing->of.world, noted);
}

void writers_close(struct writing *writing)
{
    if (!writing)
        return;
    parts_free(writing);
    free(writing->bytes);
    free(writing);
}
