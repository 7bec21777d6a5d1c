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

/* Message of rank 0: this, the files, and the palette. Plain data: all ranks run one program. */
struct message_file {
    char path[SINK_PATH_BYTES];
    uint64_t place;
    int32_t bits;
    uint32_t planes;
};

struct writers_message {
    _Alignas(64) char folder[SINK_PATH_BYTES]; /* where the files grow */
    uint64_t probe;                            /* stands in a file there */
    uint64_t count;
    struct look look; /* with a palette of the other process */
    struct message_file file[WRITERS_FILES_MOST];
};

/* Message of every rank about its strip. */
struct strip_message {
    struct writers_done done;
    uint64_t length[WRITERS_FILES_MOST];
    uint32_t sum[WRITERS_FILES_MOST];
    int32_t syncs; /* rank 0: the parts are brought to the disk */
};

_Static_assert(sizeof(struct strip_message) <= WORLD_RECORD_BYTES, "it is exchanged");

struct writing {
    struct writers of;
    void *bytes; /* struct writers_message of rank 0, with the colours; each rank has a copy */
    struct look look;
    size_t count;
    struct sink_request request[WRITERS_FILES_MOST];
    uint64_t place[WRITERS_FILES_MOST]; /* offsets at which the files go on */
    struct sink_part part[WRITERS_FILES_MOST];
    struct strip_message message;
    uint64_t shift[WRITERS_FILES_MOST]; /* offset of this rank's parts: length of all before */
    int32_t y;                          /* first row of the round */
    bool syncs;
};

static bool is_root(const struct writing *writing)
{
    return world_rank(writing->of.world) == 0;
}

/* ---- the message of rank 0 ------------------------------------------------------------------- */

/* Writes a file whose content only a rank that sees this very folder can know. */
static enum status probe_write(struct writers_message *message)
{
    const struct folder_bytes piece = {&message->probe, sizeof message->probe};
    bool good = getentropy(&message->probe, sizeof message->probe) == 0;
    int folder = good ? folder_open_own(message->folder) : -1;
    good = folder >= 0 && folder_file_put(folder, PROBE_NAME, &piece, 1, FOLDER_SYNCED);
    int reason = errno;
    if (folder >= 0)
        close(folder);
    if (good)
        return STATUS_OK;
    return status_fail(STATUS_CANNOT_CREATE, "cannot write %s/" PROBE_NAME ": %s", message->folder,
                       folder_reason(reason));
}

static void probe_remove(const struct writers_message *message)
{
    int folder = folder_open_own(message->folder);
    if (folder < 0)
        return;
    (void)unlinkat(folder, PROBE_NAME, 0);
    close(folder);
}

/* Looks for the probe with the lock that the files are written under. */
static enum status probe_look(const struct writers_message *message)
{
    uint64_t there = 0;
    errno = 0;
    int folder = folder_open_own(message->folder);
    int file = folder >= 0 ? folder_file_open(folder, PROBE_NAME, O_RDWR) : -1;
    bool good = file >= 0 && file_bytes_lock(file, true, 0, sizeof there) &&
                file_bytes_get(file, &there, sizeof there, 0) && there == message->probe;
    int reason = errno;
    if (file >= 0)
        close(file);
    if (folder >= 0)
        close(folder);
    if (good)
        return STATUS_OK;
    return status_fail(STATUS_CANNOT_CREATE, "%s is not the folder that rank 0 writes to%s%s",
                       message->folder, reason ? ": " : "", reason ? folder_reason(reason) : "");
}

static enum status message_fill(struct writers_message *message, const struct writers *writers)
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
    if (!realpath(requests->growing_folder, folder) || strlen(folder) >= sizeof message->folder)
        return status_fail(STATUS_CANNOT_CREATE, "cannot open %s: %s", requests->growing_folder,
                           strerror(errno));
    memcpy(message->folder, folder, strlen(folder) + 1);
    message->count = parts->count;
    message->look = *writers->look;
    for (size_t i = 0; i < parts->count; i++) {
        struct message_file *file = &message->file[i];
        snprintf(file->path, sizeof file->path, "%s", requests[i].path);
        file->place = places[i];
        file->bits = requests[i].bits;
        file->planes = requests[i].planes;
    }
    return probe_write(message);
}

static enum status message_make(struct writing *writing, size_t *length)
{
    const struct writers *writers = &writing->of;
    size_t palette;
    const void *colours = palette_bytes(writers->look->palette, &palette);
    *length = sizeof(struct writers_message) + palette;
    writing->bytes = calloc(1, *length);
    if (!writing->bytes)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory to tell the ranks what to write");
    memcpy((char *)writing->bytes + sizeof(struct writers_message), colours, palette);
    return message_fill(writing->bytes, writers);
}

static enum status message_take(struct writing *writing, size_t length)
{
    const struct writers_message *message = writing->bytes;
    writing->look = message->look;
    writing->look.palette =
        palette_of_bytes((const char *)message + sizeof *message, length - sizeof *message);
    if (!writing->look.palette)
        return status_fail(STATUS_INTERNAL, "rank 0 has told of another kind of palette");
    writing->count = (size_t)message->count;
    for (size_t i = 0; i < writing->count; i++) {
        const struct message_file *file = &message->file[i];
        writing->place[i] = file->place;
        writing->request[i] = (struct sink_request){.path = file->path,
                                                    .field = &writing->of.shape,
                                                    .look = &writing->look,
                                                    .bits = file->bits,
                                                    .planes = file->planes,
                                                    .growing_folder = message->folder,
                                                    .stop = writing->of.stop};
    }
    return writing->of.number >= 0 ? probe_look(message) : STATUS_OK;
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
        status = message_make(writing, &length);
    TRY(world_share(world, status, &writing->bytes, &length));
    status = world_agree(world, message_take(writing, length));
    if (is_root(writing))
        probe_remove(writing->bytes);
    return status;
}

/* ---- a round --------------------------------------------------------------------------------- */

static void parts_free(struct writing *writing)
{
    for (size_t i = 0; i < writing->count; i++)
        sink_part_free(&writing->part[i]);
}

static void rows_count(struct writing *writing, const struct field *field)
{
    struct picture_summing summing = {.sums = {.pixels = 0}};
    picture_summing_add(&summing, field);
    writing->message.done.interior = summing.sums.interior;
}

static enum status parts_make(struct writing *writing, const struct sink_rows *rows)
{
    for (size_t i = 0; i < writing->count; i++) {
        TRY(sink_part_make(&writing->request[i], rows, &writing->part[i]));
        writing->message.length[i] = writing->part[i].length;
        writing->message.sum[i] = writing->part[i].sum;
    }
    return STATUS_OK;
}

/* The strip is there: it becomes bytes. */
static enum status strip_take(void *context, int32_t y, const struct field *field,
                              const float (*light)[3])
{
    struct writing *writing = context;
    const struct sink_rows rows = {
        .y = y, .height = field->height, .field = *field, .light = light};
    int before = sink_threads_use(writing->of.threads);
    rows_count(writing, field);
    enum status status = parts_make(writing, &rows);
    sink_threads_use(before);
    return status;
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
    TRY(of->strip(of->context, (int32_t)y, &writing->look, &consumer, &writing->message.done));
    writing->message.done.rows = (int32_t)(left < of->strip_rows ? left : of->strip_rows);
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

static const struct strip_message *message_of(const struct writing *writing, int rank)
{
    return world_said(writing->of.world, rank);
}

/* Finds the offsets of this rank's parts from the messages of all. */
static void places_find(struct writing *writing)
{
    const struct world *world = writing->of.world;
    writing->syncs = message_of(writing, 0)->syncs;
    for (size_t i = 0; i < writing->count; i++) {
        writing->shift[i] = 0;
        for (int rank = 0; rank < world_rank(world); rank++)
            writing->shift[i] += message_of(writing, rank)->length[i];
    }
}

/* Rank 0: adds the rows of the round to the files, and reports them. */
static enum status round_note(struct writing *writing)
{
    const struct writers *of = &writing->of;
    const struct picture_parts *parts = of->consumer->parts;
    int32_t y = writing->y;
    for (int rank = 0; rank < world_size(of->world); rank++) {
        const struct strip_message *message = message_of(writing, rank);
        if (message->done.rows == 0)
            continue;
        TRY(parts->add(of->consumer->context, message->done.rows, message->length, message->sum,
                       message->done.interior));
        y += message->done.rows;
        of->told(of->told_context, rank, &message->done, y);
    }
    return writing->syncs ? parts->keep(of->consumer->context) : STATUS_OK;
}

static void round_end(struct writing *writing)
{
    const struct world *world = writing->of.world;
    for (int rank = 0; rank < world_size(world); rank++) {
        const struct strip_message *message = message_of(writing, rank);
        writing->y += message->done.rows;
        for (size_t i = 0; i < writing->count; i++)
            writing->place[i] += message->length[i];
    }
}

/* Runs a round. `status`: that of rank 0 since the round before. */
static enum status round_run(struct writing *writing, enum status status)
{
    const struct writers *of = &writing->of;
    int64_t round_rows = (int64_t)of->count * of->strip_rows;
    writing->message = (struct strip_message){.syncs = 0};
    if (status == STATUS_OK)
        status = world_work(of->world, strip_make, writing);
    if (is_root(writing))
        writing->message.syncs = of->consumer->parts->due(of->consumer->context) ||
                                 of->shape.height - writing->y <= round_rows;
    if (status == STATUS_OK && stop_asked(of->stop))
        status = status_fail(STATUS_STOPPED, "stopped on request");
    TRY(world_exchange(of->world, status, &writing->message, sizeof writing->message));
    places_find(writing);
    return world_agree(of->world, world_work(of->world, strip_put, writing));
}

enum status writers_run(struct writing *writing)
{
    enum status noted = STATUS_OK;
    while (writing->y < writing->of.shape.height) {
        enum status status = round_run(writing, noted);
        parts_free(writing);
        TRY(status);
        noted = is_root(writing) ? round_note(writing) : STATUS_OK;
        round_end(writing);
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
