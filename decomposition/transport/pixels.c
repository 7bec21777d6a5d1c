#include "decomposition/transport/pixels.h"

#include <stdlib.h>
#include <string.h>

#include "decomposition/message/block.h"
#include "decomposition/thread/executor.h"
#include "decomposition/transport/packing.h"

enum {
    CHUNK_BYTES = 1 << 19, /* handing one to another thread costs little compared with moving it */
    DEVICE_CHUNK_BYTES = 1 << 22, /* from device to device MPI is twice as fast as in 1 << 19 */
    SMALL_BYTES = 1 << 17,        /* summing so many costs less than handing them over */
    CHUNKS_SENT = 64, /* chunks under way to rank 0: it goes on receiving while this rank sleeps */
    CHUNKS_PACKED = 16, /* the same of packed ones, which take memory besides */
    CHUNKS = 8,         /* chunks that rank 0 expects of a rank at a time */
    CHUNKS_ALL = 32,    /* chunks that it expects of all ranks; each may have one */
};

struct tile_chunk { /* rows of a plane; with plane PLANES: the sum of all planes before it */
    int plane;
    int32_t row, rows;
};

struct transfer { /* a field on its way */
    struct transfer *next;
    struct field field;
    int32_t band;            /* most rows of a chunk, which lie together in the picture; 0: any */
    struct tile_chunk chunk; /* the last one that was posted */
    bool summed;             /* `sum` follows the field */
    bool packed;             /* each chunk is: packing.h */
    uint64_t sum;
    bool *leaving;
    bool failed; /* one of its chunks has failed */
    /* Rank 0: */
    struct message message;
    bool wanted, damaged;
    enum status unpacked;      /* status of the first chunk that could not be unpacked */
    const struct field *frame; /* `field` is to be copied there; NULL: it lies there */
};

struct bounce { /* room that a chunk of a narrow tile, or a packed one, arrives in or leaves from */
    struct bounce *next;
    size_t room;
    _Alignas(MESSAGE_UNIT) unsigned char bytes[];
};

struct flight { /* a chunk under way */
    struct channel *channel;
    MPI_Request request;
    bool taken;                /* it has arrived, and is not needed here any more */
    struct transfer *transfer; /* NULL: it is thrown away */
    void *waste;               /* memory of a chunk that is thrown away */
    struct bounce *bounce;     /* NULL: it arrives at its position */
    struct bounce *packed;     /* the chunk as it travels, if it is packed */
    struct packing *packing;   /* unpacks it; borrowed */
    struct tile_chunk chunk;
    uint64_t bytes, wire; /* bytes of its pixels, and as they travel */
};

struct channel { /* connection between this rank and another */
    int rank;
    struct transfer *first, **last; /* transfers that are not complete, in order */
    struct transfer *posting;       /* the first that has chunks to post */
    struct flight *flight;          /* [ring] of chunks under way and chunks that are being taken */
    unsigned ring;
    unsigned oldest, here, flying; /* chunks here come before those flying */
    uint64_t left;  /* steps of all transfers: each chunk has to arrive, and to be taken */
    uint64_t bytes; /* bytes that have passed, packed or not */
    uint64_t total; /* rank 0: bytes that there will be; UINT64_MAX: not known */
    bool given_up;
    struct message_sum *sum; /* sum of one transfer after the other */
    struct block block;      /* rank 0: memory of the field that is posted, if not the frame's */
};

struct pixels {
    struct pixels_use use;
    struct executor *taker; /* rank 0: a thread that takes chunks in their order; NULL: not begun */
    bool alone;             /* the thread could not be started */
    bool refused;
    int channels;
    struct channel *channel; /* rank 0: one for each other rank; others: one, to rank 0 */
    unsigned most;           /* limit of chunks under way in a channel, at least 1 */
    struct bounce *bounce;   /* list of free ones */
    struct packing *packing; /* NULL: nothing was packed yet */
};

/* --- chunks ----------------------------------------------------------------------------------- */

static size_t pixel_bytes(const struct field *field, int plane)
{
    return element_bytes(plane_element((enum plane)plane, field->count_bytes));
}

/* The chunk after this one; false if it was the last. */
static bool chunk_next(struct tile_chunk *chunk, const struct transfer *transfer)
{
    const struct field *field = &transfer->field;
    int32_t band = transfer->band;
    if (chunk->plane == PLANES)
        return false;
    chunk->row += chunk->rows; /* before the first one: the end of plane -1 */
    if (chunk->row == field->height) {
        do
            chunk->plane++;
        while (chunk->plane < PLANES && !(field->planes & 1u << chunk->plane));
        chunk->row = chunk->rows = 0;
    }
    if (chunk->plane == PLANES)
        return transfer->summed;
    size_t most_bytes = transfer->summed ? CHUNK_BYTES : DEVICE_CHUNK_BYTES;
    size_t rows = most_bytes / (pixel_bytes(field, chunk->plane) * (size_t)field->width);
    int32_t most = band ? band - chunk->row % band : field->height;
    most = most < field->height - chunk->row ? most : field->height - chunk->row;
    chunk->rows = rows < 1 ? 1 : rows < (size_t)most ? (int32_t)rows : most;
    return true;
}

static enum status bounce_take(struct pixels *pixels, struct bounce **bounce, size_t bytes)
{
    struct bounce *kept = pixels->bounce;
    *bounce = kept;
    pixels->bounce = kept ? kept->next : NULL;
    if (kept && kept->room >= bytes)
        return STATUS_OK;
    free(kept);
    const size_t least = packing_room(CHUNK_BYTES);
    size_t room = message_padded(bytes < least ? least : bytes);
    *bounce = aligned_alloc(MESSAGE_UNIT, sizeof **bounce + room);
    if (!*bounce)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a piece of a tile");
    (*bounce)->room = room;
    return STATUS_OK;
}

static void bounce_give(struct pixels *pixels, struct bounce *bounce)
{
    if (!bounce)
        return;
    bounce->next = pixels->bounce;
    pixels->bounce = bounce;
}

/* Device memory is not summed: the processor cannot read it. */
static bool sums(const struct transfer *transfer)
{
    return transfer->summed && transfer->field.space == MEMORY_HOST;
}

static void chunk_sum(const struct flight *flight, const void *bytes)
{
    const struct tile_chunk *chunk = &flight->chunk;
    if (!sums(flight->transfer))
        return;
    if (chunk->row == 0 && (flight->transfer->field.planes & ((1u << chunk->plane) - 1)) == 0)
        message_sum_begin(flight->channel->sum);
    message_sum_add(flight->channel->sum, bytes, flight->bytes);
}

static enum status sum_post(const struct pixels *pixels, struct flight *flight)
{
    struct transfer *transfer = flight->transfer;
    MPI_Comm comm = pixels->use.world->pixels;
    flight->wire = sizeof transfer->sum;
    if (pixels->use.world->rank == 0) {
        TRY_MPI(MPI_Irecv(&transfer->sum, 1, MPI_UINT64_T, flight->channel->rank, MESSAGE_TILE,
                          comm, &flight->request));
        return STATUS_OK;
    }
    transfer->sum = message_sum_end(flight->channel->sum);
    TRY_MPI(MPI_Isend(&transfer->sum, 1, MPI_UINT64_T, 0, MESSAGE_TILE, comm, &flight->request));
    return STATUS_OK;
}

static size_t chunk_element(const struct flight *flight)
{
    return pixel_bytes(&flight->transfer->field, flight->chunk.plane);
}

static enum status packing_take(struct pixels *pixels)
{
    if (!pixels->packing)
        pixels->packing = packing_create();
    return pixels->packing ? STATUS_OK
                           : status_fail(STATUS_OUT_OF_MEMORY, "no memory to pack pixels");
}

static enum status packed_send(struct pixels *pixels, struct flight *flight, const void *at)
{
    size_t length;
    TRY(packing_take(pixels));
    TRY(bounce_take(pixels, &flight->packed, packing_room(flight->bytes)));
    TRY(packing_pack(pixels->packing, at, flight->bytes, chunk_element(flight),
                     flight->packed->bytes, &length));
    flight->wire = length;
    TRY_MPI(MPI_Isend(flight->packed->bytes, (int)length, MPI_BYTE, 0, MESSAGE_TILE,
                      pixels->use.world->pixels, &flight->request));
    return STATUS_OK;
}

static enum status packed_receive(struct pixels *pixels, struct flight *flight)
{
    size_t room = packing_room(flight->bytes);
    TRY(packing_take(pixels));
    TRY(bounce_take(pixels, &flight->packed, room));
    flight->packing = pixels->packing;
    TRY_MPI(MPI_Irecv(flight->packed->bytes, (int)room, MPI_BYTE, flight->channel->rank,
                      MESSAGE_TILE, pixels->use.world->pixels, &flight->request));
    return STATUS_OK;
}

/* Posts a chunk. Into rows that are not together MPI would copy twice, instead of once from process
 * to process or from the network to memory; so those go through a bounce buffer. Counts are of
 * elements, so that an int reaches any row. */
static enum status chunk_post(struct pixels *pixels, struct flight *flight)
{
    const struct field *field = &flight->transfer->field;
    const struct tile_chunk *chunk = &flight->chunk;
    if (chunk->plane == PLANES)
        return sum_post(pixels, flight);
    size_t bytes = pixel_bytes(field, chunk->plane);
    MPI_Datatype element = bytes == 8 ? MPI_UINT64_T : MPI_UINT32_T;
    MPI_Comm comm = pixels->use.world->pixels;
    int count = field->width * chunk->rows;
    void *at = field_row(field, (enum plane)chunk->plane, chunk->row);
    flight->bytes = flight->wire = (uint64_t)count * bytes;
    if (pixels->use.world->rank > 0) {
        chunk_sum(flight, at);
        if (flight->transfer->packed)
            return packed_send(pixels, flight, at);
        TRY_MPI(MPI_Isend(at, count, element, 0, MESSAGE_TILE, comm, &flight->request));
        return STATUS_OK;
    }
    bool bands = field->band && flight->transfer->band != field->band;
    bool together = field->stride == field->width && !bands;
    if (chunk->rows > 1 && !together) {
        TRY(bounce_take(pixels, &flight->bounce, flight->bytes));
        at = flight->bounce->bytes;
    }
    if (flight->transfer->packed)
        return packed_receive(pixels, flight);
    TRY_MPI(
        MPI_Irecv(at, count, element, flight->channel->rank, MESSAGE_TILE, comm, &flight->request));
    return STATUS_OK;
}

/* --- rank 0: chunks that have arrived --------------------------------------------------------- */

static void chunk_scatter(const struct flight *flight)
{
    const struct tile_chunk *chunk = &flight->chunk;
    size_t bytes = flight->bytes / (size_t)chunk->rows;
    for (int32_t row = 0; row < chunk->rows; row++)
        memcpy(field_row(&flight->transfer->field, (enum plane)chunk->plane, chunk->row + row),
               flight->bounce->bytes + (size_t)row * bytes, bytes);
}

/* False: the transfer is broken. */
static bool chunk_unpack(const struct flight *flight)
{
    struct transfer *transfer = flight->transfer;
    const struct tile_chunk *chunk = &flight->chunk;
    void *to = flight->bounce ? (void *)flight->bounce->bytes
                              : field_row(&transfer->field, (enum plane)chunk->plane, chunk->row);
    enum status status = packing_unpack(flight->packing, flight->packed->bytes, flight->wire, to,
                                        flight->bytes, chunk_element(flight));
    if (transfer->unpacked == STATUS_OK)
        transfer->unpacked = status;
    return status == STATUS_OK;
}

/* Unpacks and sums a chunk and copies it to its position. Those of a channel come in order, one at
 * a time, and no two at the same time. */
static enum status chunk_take(void *argument, int thread)
{
    const struct flight *flight = argument;
    struct transfer *transfer = flight->transfer;
    const struct tile_chunk *chunk = &flight->chunk;
    (void)thread;
    if (flight->packed && !chunk_unpack(flight))
        return STATUS_OK;
    if (chunk->plane == PLANES) {
        transfer->damaged = message_sum_end(flight->channel->sum) != transfer->sum;
        return STATUS_OK;
    }
    if (!flight->bounce) {
        chunk_sum(flight, field_row(&transfer->field, (enum plane)chunk->plane, chunk->row));
        return STATUS_OK;
    }
    chunk_sum(flight, flight->bounce->bytes);
    chunk_scatter(flight);
    return STATUS_OK;
}

/* The thread is made for the first chunk that is worth it, and lives as long as the world. */
static bool taker_runs(struct pixels *pixels)
{
    struct world *world = pixels->use.world;
    const struct executor_use use = {.threads = 1,
                                     .depth = CHUNKS_ALL,
                                     .spin_us = pixels->use.spin_us,
                                     .event = pixels->use.event};
    if (pixels->taker || pixels->alone)
        return pixels->taker != NULL;
    pixels->alone = (!world->taker && executor_open(&world->taker) != STATUS_OK) ||
                    executor_begin(world->taker, &use) != STATUS_OK;
    pixels->taker = pixels->alone ? NULL : world->taker;
    return !pixels->alone;
}

static bool taker_has_room(const struct pixels *pixels)
{
    return !pixels->taker || executor_load(pixels->taker) < CHUNKS_ALL;
}

/* Lets the thread take a chunk, so that MPI goes on copying meanwhile; a small one only if others
 * wait there. */
static void chunk_hand_over(struct pixels *pixels, struct flight *flight)
{
    bool idle = !pixels->taker || executor_load(pixels->taker) == 0;
    flight->taken = !flight->bounce && !sums(flight->transfer);
    if (flight->taken)
        return;
    if ((idle && flight->bytes <= SMALL_BYTES) || !taker_runs(pixels)) {
        chunk_take(flight, 0);
        flight->taken = true;
        return;
    }
    executor_push(pixels->taker,
                  &(struct executor_task){.function = chunk_take, .argument = flight});
}

/* Notes the chunks that the thread has taken. */
static void chunks_taken(struct pixels *pixels)
{
    struct executor_task task;
    char text[STATUS_TEXT_BYTES];
    while (pixels->taker && executor_pop(pixels->taker, &task, text)) {
        struct flight *flight = task.argument;
        flight->taken = true;
    }
}

/* --- opening and closing ---------------------------------------------------------------------- */

static enum status out_of_memory(int ranks)
{
    return status_fail(STATUS_OUT_OF_MEMORY, "no memory for pixels of %d ranks", ranks);
}

enum status pixels_open(struct pixels **out, const struct pixels_use *use)
{
    struct pixels *pixels = *out = calloc(1, sizeof *pixels);
    bool root = use->world->rank == 0;
    int channels = root ? use->world->size - 1 : 1;
    if (pixels)
        pixels->channel = calloc((size_t)channels, sizeof *pixels->channel);
    if (!pixels || !pixels->channel)
        return out_of_memory(channels);
    pixels->use = *use;
    int most = CHUNKS_ALL / channels < CHUNKS ? CHUNKS_ALL / channels : CHUNKS;
    unsigned sent = use->world->packs ? CHUNKS_PACKED : CHUNKS_SENT;
    pixels->most = !root ? sent : most > 1 ? (unsigned)most : 1;
    for (; pixels->channels < channels; pixels->channels++) {
        struct channel *channel = &pixels->channel[pixels->channels];
        channel->rank = root ? pixels->channels + 1 : 0;
        channel->last = &channel->first;
        channel->total = UINT64_MAX;
        channel->ring = root ? 2 * CHUNKS : CHUNKS_SENT;
        channel->flight = calloc(channel->ring, sizeof *channel->flight);
        channel->sum = message_sum_create();
        if (!channel->flight || !channel->sum)
            return out_of_memory(channels);
    }
    return STATUS_OK;
}

void pixels_close(struct pixels *pixels)
{
    if (!pixels)
        return;
    executor_end(pixels->taker);
    for (int i = 0; pixels->channel && i < pixels->channels; i++) {
        struct channel *channel = &pixels->channel[i];
        for (unsigned k = 0; k < channel->here; k++) {
            const struct flight *flight = &channel->flight[(channel->oldest + k) % channel->ring];
            bounce_give(pixels, flight->bounce);
            bounce_give(pixels, flight->packed);
        }
        for (struct transfer *next, *transfer = channel->first; transfer; transfer = next) {
            next = transfer->next;
            free(transfer);
        }
        block_give(&channel->block);
        message_sum_destroy(channel->sum);
        free(channel->flight);
    }
    for (struct bounce *next, *bounce = pixels->bounce; bounce; bounce = next) {
        next = bounce->next;
        free(bounce);
    }
    packing_destroy(pixels->packing);
    free(pixels->channel);
    free(pixels);
}

/* --- transfers -------------------------------------------------------------------------------- */

static enum status transfer_add(struct channel *channel, const struct transfer *model)
{
    struct transfer *transfer = malloc(sizeof *transfer);
    if (!transfer)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a tile that is sent");
    *transfer = *model;
    transfer->chunk = (struct tile_chunk){.plane = -1, .row = transfer->field.height};
    for (struct tile_chunk chunk = transfer->chunk; chunk_next(&chunk, transfer);)
        channel->left += 2;
    *channel->last = transfer;
    channel->last = &transfer->next;
    if (!channel->posting)
        channel->posting = transfer;
    return STATUS_OK;
}

enum status pixels_send(struct pixels *pixels, const struct tile *tile, const struct field *field,
                        unsigned how, bool *leaving)
{
    bool summed = how & MESSAGE_SUMMED;
    if (leaving)
        *leaving = true;
    return transfer_add(pixels->channel, &(struct transfer){.field = *field,
                                                            .band = summed ? tile->band : 0,
                                                            .summed = summed,
                                                            .packed = how & MESSAGE_PACKED,
                                                            .leaving = leaving});
}

enum status pixels_expect(struct pixels *pixels, int rank, const struct message *message,
                          bool wanted, const struct tile *tile, const struct field *frame)
{
    bool summed = message->checksum & MESSAGE_SUMMED, host = frame->space == MEMORY_HOST;
    bool packed = message->checksum & MESSAGE_PACKED;
    const struct job_memory *memory = pixels->use.memory;
    bool through_device = !summed && memory && memory->device_take;
    if (message->checksum > (MESSAGE_SUMMED | MESSAGE_PACKED) || (packed && !summed))
        return status_fail(STATUS_INTERNAL, "tile %u from rank %d comes in no way that is known",
                           message->task, rank);
    struct transfer transfer = {.field = tile_window(tile, frame),
                                .band = summed ? tile->band : 0,
                                .summed = summed,
                                .packed = packed,
                                .message = *message,
                                .wanted = wanted,
                                .frame = host && !through_device ? NULL : frame};
    return transfer_add(&pixels->channel[rank - 1], &transfer);
}

/* May the next transfer be posted, and is there memory for it? A channel has one block: the
 * transfer in it must be complete before the next. */
static enum status room_for(const struct pixels *pixels, struct channel *channel, bool *room)
{
    struct transfer *transfer = channel->posting;
    *room = !transfer->frame || transfer->chunk.plane >= 0;
    if (*room)
        return STATUS_OK;
    *room = transfer == channel->first;
    if (!*room)
        return STATUS_OK;
    struct field *field = &transfer->field;
    size_t bytes = transfer->message.length;
    bool host = transfer->frame->space == MEMORY_HOST;
    if (channel->block.bytes < bytes || !channel->block.at) {
        block_give(&channel->block);
        bool taken =
            !transfer->packed && block_try_device(&channel->block, pixels->use.memory, bytes);
        if (!taken && host) {
            transfer->frame = NULL; /* then straight into the picture */
            return STATUS_OK;
        }
        if (!taken)
            TRY(block_take(&channel->block, pixels->use.memory, bytes));
    }
    field_over(field, field->width, field->height, field->planes, field->count_bytes,
               channel->block.at);
    field->space = channel->block.space;
    return STATUS_OK;
}

/* --- progress --------------------------------------------------------------------------------- */

/* Fills the next entry of the ring; it counts as soon as MPI has it. */
static struct flight *flight_begin(struct channel *channel, const struct flight *model)
{
    struct flight *flight =
        &channel->flight[(channel->oldest + channel->here + channel->flying) % channel->ring];
    *flight = *model;
    flight->channel = channel;
    flight->request = MPI_REQUEST_NULL;
    return flight;
}

static bool may_post(const struct pixels *pixels, const struct channel *channel)
{
    return channel->flying < pixels->most && channel->here + channel->flying < channel->ring;
}

/* Posts the next chunk, if there is one and room for it. */
static enum status post(struct pixels *pixels, struct channel *channel, bool *posted)
{
    while (channel->posting && may_post(pixels, channel)) {
        struct transfer *transfer = channel->posting;
        bool room;
        TRY(room_for(pixels, channel, &room));
        if (!room)
            return STATUS_OK;
        if (!chunk_next(&transfer->chunk, transfer)) {
            channel->posting = transfer->next;
            continue;
        }
        TRY(chunk_post(pixels, flight_begin(channel, &(struct flight){.transfer = transfer,
                                                                      .chunk = transfer->chunk})));
        channel->flying++;
        *posted = true;
        return STATUS_OK;
    }
    return STATUS_OK;
}

/* Receives messages of any length, to throw them away. */
static enum status waste(struct pixels *pixels, struct channel *channel)
{
    for (int flag = 1; may_post(pixels, channel);) {
        MPI_Message message;
        MPI_Status status;
        int bytes = 0;
        TRY_MPI(MPI_Improbe(channel->rank, MESSAGE_TILE, pixels->use.world->pixels, &flag, &message,
                            &status));
        if (!flag)
            return STATUS_OK;
        TRY_MPI(MPI_Get_count(&status, MPI_BYTE, &bytes));
        struct flight *flight =
            flight_begin(channel, &(struct flight){.waste = malloc(bytes > 0 ? (size_t)bytes : 1)});
        if (!flight->waste)
            return status_fail(STATUS_OUT_OF_MEMORY, "no memory for %d bytes", bytes);
        flight->bytes = flight->wire = (uint64_t)bytes;
        TRY_MPI(MPI_Imrecv(flight->waste, bytes, MPI_BYTE, &message, &flight->request));
        channel->flying++;
    }
    return STATUS_OK;
}

static enum status deliver(struct pixels *pixels, const struct channel *channel,
                           const struct transfer *transfer)
{
    if (transfer->leaving)
        *transfer->leaving = false;
    if (!pixels->use.arrived || pixels->refused || transfer->failed)
        return STATUS_OK;
    const struct message *message = &transfer->message;
    if (transfer->unpacked != STATUS_OK && transfer->unpacked != STATUS_OUT_OF_MEMORY)
        return status_fail(STATUS_INTERNAL, "tile %u arrived damaged: it cannot be unpacked",
                           message->task);
    if (transfer->unpacked != STATUS_OK)
        return status_fail(transfer->unpacked, "no memory to unpack tile %u", message->task);
    if (transfer->damaged)
        return message_damaged(message);
    return pixels->use.arrived(pixels->use.context, channel->rank, message, transfer->wanted,
                               transfer->frame ? &transfer->field : NULL);
}

/* Called when the first transfer is complete. */
static enum status complete(struct pixels *pixels, struct channel *channel)
{
    struct transfer *transfer = channel->first;
    enum status status = deliver(pixels, channel, transfer);
    channel->first = transfer->next;
    if (!channel->first)
        channel->last = &channel->first;
    if (channel->posting == transfer)
        channel->posting = transfer->next;
    free(transfer);
    return status;
}

/* Is it as long as it should be? A packed one tells its length. */
static enum status chunk_check(struct flight *flight, const MPI_Status *envelope)
{
    MPI_Count bytes = 0;
    uint64_t wanted = flight->chunk.plane == PLANES ? sizeof flight->transfer->sum : flight->bytes;
    TRY_MPI(MPI_Get_elements_x(envelope, MPI_BYTE, &bytes));
    if (flight->packed)
        flight->wire = (uint64_t)bytes;
    if ((uint64_t)bytes == wanted || flight->packed)
        return STATUS_OK;
    return status_fail(STATUS_INTERNAL, "tile %u from rank %d arrived in other pieces",
                       flight->transfer->message.task, flight->channel->rank);
}

/* Has the next chunk arrived, or left? One that failed will not come either. */
static enum status land(struct pixels *pixels, struct channel *channel, bool *any)
{
    struct flight *flight = &channel->flight[(channel->oldest + channel->here) % channel->ring];
    int done = 0;
    MPI_Status envelope;
    enum status status = world_check(MPI_Test(&flight->request, &done, &envelope), "MPI_Test");
    *any = done || status != STATUS_OK;
    if (!*any)
        return STATUS_OK;
    channel->flying--;
    channel->here++;
    bool is_wanted = flight->transfer && pixels->use.world->rank == 0;
    if (status == STATUS_OK && is_wanted)
        status = chunk_check(flight, &envelope);
    channel->bytes += flight->wire;
    if (status == STATUS_OK && is_wanted)
        chunk_hand_over(pixels, flight);
    else
        flight->taken = true;
    if (flight->transfer) {
        flight->transfer->failed |= status != STATUS_OK;
        channel->left--;
    }
    return status;
}

/* Called when the oldest chunk here is taken. */
static enum status chunk_end(struct pixels *pixels, struct channel *channel)
{
    struct flight *flight = &channel->flight[channel->oldest];
    struct transfer *transfer = flight->transfer;
    channel->oldest = (channel->oldest + 1) % channel->ring;
    channel->here--;
    free(flight->waste);
    bounce_give(pixels, flight->bounce);
    bounce_give(pixels, flight->packed);
    if (!transfer)
        return STATUS_OK;
    channel->left--;
    struct tile_chunk next = flight->chunk;
    return chunk_next(&next, transfer) ? STATUS_OK : complete(pixels, channel);
}

static enum status first_of(enum status status, enum status next)
{
    return status == STATUS_OK ? next : status;
}

/* Takes note of the chunks that have arrived or left. */
static enum status channel_land(struct pixels *pixels, struct channel *channel)
{
    enum status status = STATUS_OK;
    for (bool any = true; any && channel->flying > 0 && taker_has_room(pixels);)
        status = first_of(status, land(pixels, channel, &any));
    while (channel->here > 0 && channel->flight[channel->oldest].taken)
        status = first_of(status, chunk_end(pixels, channel));
    return status;
}

/* Posts chunks one by one: between processes of a machine MPI copies a chunk in the call that posts
 * it, and the thread sums it during the next. Ends after a window: messages want their turn. */
static enum status channel_progress(struct pixels *pixels, struct channel *channel)
{
    enum status status = channel_land(pixels, channel);
    if (pixels->refused)
        return first_of(status, waste(pixels, channel));
    bool posted = true;
    for (unsigned posts = 0; posted && posts < pixels->most; posts++) {
        posted = false;
        status = first_of(status, post(pixels, channel, &posted));
        if (posted)
            status = first_of(status, channel_land(pixels, channel));
    }
    return status;
}

enum status pixels_progress(struct pixels *pixels, uint64_t *left)
{
    enum status status = STATUS_OK;
    *left = 0;
    chunks_taken(pixels);
    for (int i = 0; i < pixels->channels; i++) {
        struct channel *channel = &pixels->channel[i];
        enum status one = channel->given_up ? STATUS_OK : channel_progress(pixels, channel);
        status = status == STATUS_OK ? one : status;
        *left += channel->given_up ? 0 : channel->left;
    }
    return status;
}

/* --- the end of a job ------------------------------------------------------------------------- */

/* Receives that are posted will be matched by their own chunks, all other chunks by none. */
void pixels_refuse(struct pixels *pixels)
{
    for (int i = 0; i < pixels->channels && !pixels->refused; i++) {
        struct channel *channel = &pixels->channel[i];
        channel->posting = NULL;
        channel->left = channel->here + 2 * channel->flying;
    }
    pixels->refused = true;
}

uint64_t pixels_sent(const struct pixels *pixels)
{
    return pixels->channel->bytes;
}

void pixels_total(struct pixels *pixels, int rank, uint64_t bytes)
{
    pixels->channel[rank - 1].total = bytes;
}

void pixels_give_up(struct pixels *pixels, int rank)
{
    struct channel *channel = &pixels->channel[rank - 1];
    channel->given_up = true;
    if (channel->flying == 0)
        return;
    channel->block = (struct block){.at = NULL};
    channel->first = NULL;
}

bool pixels_quiet(const struct pixels *pixels, int rank)
{
    const struct channel *channel = &pixels->channel[rank - 1];
    return channel->left == 0 && channel->here + channel->flying == 0 &&
           (channel->total == UINT64_MAX || channel->bytes >= channel->total);
}
