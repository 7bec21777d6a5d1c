#include "decomposition/pixels.h"

#include <stdlib.h>
#include <string.h>

#include "decomposition/block.h"

enum {
    PIECE_BYTES = 1 << 18, /* fits a second-level cache beside what MPI needs */
    PIECES = 8,            /* under way at a time with a rank, ... */
    PIECES_ALL = 64        /* ... and with all of them, but for one each */
};

struct piece { /* rows of a plane */
    int plane;
    int32_t row, rows;
};

struct transfer { /* of a field */
    struct transfer *next;
    struct field field;
    int32_t band;       /* rows that lie together in the picture; 0: all */
    struct piece piece; /* the last one that was posted */
    bool *leaving;
    bool failed; /* a piece of it */
    /* Rank 0: */
    struct message message;
    bool wanted;
    const struct field *frame; /* `field` is to be copied there */
};

union bounce { /* where a piece of a narrow tile arrives */
    union bounce *next;
    unsigned char bytes[PIECE_BYTES];
};

struct flight { /* a piece under way */
    MPI_Request request;
    struct transfer *transfer; /* NULL: what is thrown away, in */
    void *waste;
    union bounce *bounce; /* NULL: it arrives in its place */
    struct piece piece;
    uint64_t bytes;
};

struct channel { /* between this rank and another */
    int rank;
    struct transfer *first, **last; /* that are not complete, in order */
    struct transfer *posting;       /* the first that has pieces to post */
    struct flight flight[PIECES];   /* a ring */
    unsigned oldest, flying;
    uint64_t left, bytes; /* pieces of what is on the list; bytes that have passed */
    uint64_t total;       /* rank 0: that there will be; UINT64_MAX: not known */
    bool given_up;
    struct message_sum *sum; /* rank 0: of the first transfer */
    struct block block;      /* rank 0: for a field that is copied; of the one that is posted */
};

struct pixels {
    const struct world *world;
    const struct job_memory *memory;
    pixels_arrived *arrived;
    void *context;
    bool released, refused;
    int channels;
    struct channel *channel; /* of rank 1 ...; on others one, to rank 0 */
    unsigned most;           /* pieces under way in a channel */
    union bounce *bounce;    /* that are free */
};

/* --- pieces ----------------------------------------------------------------------------------- */

static size_t pixel_bytes(const struct field *field, int plane)
{
    return element_bytes(plane_element((enum plane)plane, field->count_bytes));
}

/* The piece after this one; false if it was the last. */
static bool piece_next(struct piece *piece, const struct field *field, int32_t band)
{
    piece->row += piece->rows; /* before the first one: the end of plane -1 */
    if (piece->row == field->height) {
        do
            piece->plane++;
        while (piece->plane < PLANES && !(field->planes & 1u << piece->plane));
        piece->row = 0;
    }
    if (piece->plane == PLANES)
        return false;
    size_t rows = PIECE_BYTES / (pixel_bytes(field, piece->plane) * (size_t)field->width);
    int32_t most = band ? band - piece->row % band : field->height;
    most = most < field->height - piece->row ? most : field->height - piece->row;
    piece->rows = rows < 1 ? 1 : rows < (size_t)most ? (int32_t)rows : most;
    return true;
}

static enum status bounce_take(struct pixels *pixels, union bounce **bounce)
{
    *bounce = pixels->bounce ? pixels->bounce : aligned_alloc(MESSAGE_UNIT, sizeof **bounce);
    if (!*bounce)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a piece of a tile");
    pixels->bounce = pixels->bounce ? pixels->bounce->next : NULL;
    return STATUS_OK;
}

static void bounce_give(struct pixels *pixels, union bounce *bounce)
{
    if (!bounce)
        return;
    bounce->next = pixels->bounce;
    pixels->bounce = bounce;
}

/* A piece is within a band, where rows lie `stride` apart. Into rows that are not together MPI
 * would copy twice, instead of once from process to process or from the network to memory; so those
 * bounce off memory that stays in the cache. Counts are of elements, so that an int reaches any
 * row. */
static enum status piece_post(struct pixels *pixels, const struct channel *channel,
                              struct flight *flight)
{
    const struct field *field = &flight->transfer->field;
    const struct piece *piece = &flight->piece;
    size_t bytes = pixel_bytes(field, piece->plane);
    MPI_Datatype element = bytes == 8 ? MPI_UINT64_T : MPI_UINT32_T;
    MPI_Comm comm = pixels->world->pixels;
    int count = field->width * piece->rows;
    void *at = field_row(field, (enum plane)piece->plane, piece->row);
    flight->bytes = (uint64_t)count * bytes;
    if (pixels->world->rank > 0) {
        TRY_MPI(MPI_Isend(at, count, element, 0, MESSAGE_TILE, comm, &flight->request));
        return STATUS_OK;
    }
    if (piece->rows > 1 && field->stride != field->width) {
        TRY(bounce_take(pixels, &flight->bounce));
        at = flight->bounce->bytes;
    }
    TRY_MPI(MPI_Irecv(at, count, element, channel->rank, MESSAGE_TILE, comm, &flight->request));
    return STATUS_OK;
}

/* Sums what is here, and puts it in its place. */
static void piece_take(const struct channel *channel, const struct flight *flight)
{
    const struct field *field = &flight->transfer->field;
    const struct piece *piece = &flight->piece;
    bool sums = flight->transfer->message.checksum && field->space == MEMORY_HOST;
    bool together = field->stride == field->width;
    int32_t rows = together ? piece->rows : 1;
    size_t bytes = flight->bytes / (size_t)piece->rows * (size_t)rows;
    if (sums && flight->bounce)
        message_sum_add(channel->sum, flight->bounce->bytes, flight->bytes);
    for (int32_t row = 0; row < piece->rows; row += rows) {
        void *place = field_row(field, (enum plane)piece->plane, piece->row + row);
        if (flight->bounce)
            memcpy(place, flight->bounce->bytes + (size_t)row * bytes, bytes);
        else if (sums)
            message_sum_add(channel->sum, place, bytes);
    }
}

/* --- opening and closing ---------------------------------------------------------------------- */

enum status pixels_open(struct pixels **out, const struct world *world,
                        const struct job_memory *memory, pixels_arrived *arrived, void *context)
{
    struct pixels *pixels = *out = calloc(1, sizeof *pixels);
    bool root = world->rank == 0;
    int channels = root ? world->size - 1 : 1;
    if (pixels)
        pixels->channel = calloc((size_t)channels, sizeof *pixels->channel);
    if (!pixels || !pixels->channel)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for pixels of %d ranks", channels);
    pixels->world = world;
    pixels->memory = memory;
    pixels->arrived = arrived;
    pixels->context = context;
    int most = PIECES_ALL / channels < PIECES ? PIECES_ALL / channels : PIECES;
    pixels->most = most > 1 ? (unsigned)most : 1;
    for (; pixels->channels < channels; pixels->channels++) {
        struct channel *channel = &pixels->channel[pixels->channels];
        channel->rank = root ? pixels->channels + 1 : 0;
        channel->last = &channel->first;
        channel->total = UINT64_MAX;
        if (root && !(channel->sum = message_sum_create()))
            return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a checksum");
    }
    return STATUS_OK;
}

void pixels_close(struct pixels *pixels)
{
    if (!pixels)
        return;
    for (int i = 0; pixels->channel && i < pixels->channels; i++) {
        struct channel *channel = &pixels->channel[i];
        for (struct transfer *next, *transfer = channel->first; transfer; transfer = next) {
            next = transfer->next;
            free(transfer);
        }
        block_give(&channel->block);
        message_sum_destroy(channel->sum);
    }
    for (union bounce *next, *bounce = pixels->bounce; bounce; bounce = next) {
        next = bounce->next;
        free(bounce);
    }
    free(pixels->channel);
    free(pixels);
}

/* --- what is to travel ------------------------------------------------------------------------ */

static enum status add(struct channel *channel, const struct transfer *model)
{
    struct transfer *transfer = malloc(sizeof *transfer);
    if (!transfer)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a tile that is sent");
    *transfer = *model;
    transfer->piece = (struct piece){.plane = -1, .row = transfer->field.height};
    for (struct piece piece = transfer->piece;
         piece_next(&piece, &transfer->field, transfer->band);)
        channel->left++;
    *channel->last = transfer;
    channel->last = &transfer->next;
    if (!channel->posting)
        channel->posting = transfer;
    return STATUS_OK;
}

enum status pixels_send(struct pixels *pixels, const struct tile *tile, const struct field *field,
                        bool *leaving)
{
    if (leaving)
        *leaving = true;
    return add(pixels->channel, &(struct transfer){.field = *field,
                                                   .band = tile->band,
                                                   .message.kind = MESSAGE_TILE,
                                                   .leaving = leaving});
}

enum status pixels_expect(struct pixels *pixels, int rank, const struct message *message,
                          bool wanted, const struct tile *tile, const struct field *frame)
{
    struct transfer transfer = {.field = tile_window(tile, frame),
                                .band = tile->band,
                                .message = *message,
                                .wanted = wanted,
                                .frame = frame->space == MEMORY_HOST ? NULL : frame};
    return add(&pixels->channel[rank - 1], &transfer);
}

/* May the next transfer be posted, and is there memory for it? One block a channel: its owner must
 * be through before the next. */
static enum status room_for(const struct pixels *pixels, struct channel *channel, bool *room)
{
    struct transfer *transfer = channel->posting;
    *room = pixels->released || transfer->message.kind != MESSAGE_KEPT;
    if (!*room || !transfer->frame || transfer->piece.plane >= 0)
        return STATUS_OK;
    *room = transfer == channel->first;
    if (!*room)
        return STATUS_OK;
    struct field *field = &transfer->field;
    if (channel->block.bytes < transfer->message.length) {
        block_give(&channel->block);
        TRY(block_take_device(&channel->block, pixels->memory, transfer->message.length));
    }
    field_over(field, field->width, field->height, field->planes, field->count_bytes,
               channel->block.at);
    field->space = channel->block.space;
    return STATUS_OK;
}

/* --- progress --------------------------------------------------------------------------------- */

static enum status post(struct pixels *pixels, struct channel *channel)
{
    while (channel->posting && channel->flying < pixels->most) {
        struct transfer *transfer = channel->posting;
        bool room;
        TRY(room_for(pixels, channel, &room));
        if (!room)
            return STATUS_OK;
        if (!piece_next(&transfer->piece, &transfer->field, transfer->band)) {
            channel->posting = transfer->next;
            continue;
        }
        struct flight *flight = &channel->flight[(channel->oldest + channel->flying) % PIECES];
        *flight = (struct flight){
            .request = MPI_REQUEST_NULL, .transfer = transfer, .piece = transfer->piece};
        TRY(piece_post(pixels, channel, flight));
        channel->flying++;
    }
    return STATUS_OK;
}

/* Takes in whatever comes, of any length. */
static enum status waste(struct pixels *pixels, struct channel *channel)
{
    for (int flag = 1; channel->flying < pixels->most;) {
        MPI_Message message;
        MPI_Status status;
        int bytes = 0;
        TRY_MPI(MPI_Improbe(channel->rank, MESSAGE_TILE, pixels->world->pixels, &flag, &message,
                            &status));
        if (!flag)
            return STATUS_OK;
        struct flight *flight = &channel->flight[(channel->oldest + channel->flying) % PIECES];
        TRY_MPI(MPI_Get_count(&status, MPI_BYTE, &bytes));
        *flight = (struct flight){.waste = malloc(bytes > 0 ? (size_t)bytes : 1)};
        if (!flight->waste)
            return status_fail(STATUS_OUT_OF_MEMORY, "no memory for %d bytes", bytes);
        flight->bytes = (uint64_t)bytes;
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
    if (!pixels->arrived || pixels->refused || transfer->failed)
        return STATUS_OK;
    const struct message *message = &transfer->message;
    bool summed = message->checksum && transfer->field.space == MEMORY_HOST;
    if (summed && message_sum_end(channel->sum) != message->checksum)
        return message_damaged(message);
    return pixels->arrived(pixels->context, channel->rank, message, transfer->wanted,
                           transfer->frame ? &transfer->field : NULL);
}

/* The first transfer is complete. */
static enum status complete(struct pixels *pixels, struct channel *channel)
{
    struct transfer *transfer = channel->first;
    enum status status = deliver(pixels, channel, transfer);
    channel->first = transfer->next;
    if (!channel->first)
        channel->last = &channel->first;
    if (channel->posting == transfer)
        channel->posting = transfer->next;
    if (channel->sum)
        message_sum_begin(channel->sum);
    free(transfer);
    return status;
}

static enum status piece_check(const struct channel *channel, const struct flight *flight,
                               const MPI_Status *envelope)
{
    MPI_Count bytes = 0;
    TRY_MPI(MPI_Get_elements_x(envelope, MPI_BYTE, &bytes));
    if ((uint64_t)bytes == flight->bytes)
        return STATUS_OK;
    return status_fail(STATUS_INTERNAL, "tile %u from rank %d arrived in other pieces",
                       flight->transfer->message.task, channel->rank);
}

/* A piece that failed will not come either. */
static enum status land(struct pixels *pixels, struct channel *channel, bool *any)
{
    struct flight *flight = &channel->flight[channel->oldest];
    int done = 0;
    MPI_Status envelope;
    enum status status = world_check(MPI_Test(&flight->request, &done, &envelope), "MPI_Test");
    *any = done || status != STATUS_OK;
    if (!*any)
        return STATUS_OK;
    channel->oldest = (channel->oldest + 1) % PIECES;
    channel->flying--;
    channel->bytes += flight->bytes;
    free(flight->waste);
    struct transfer *transfer = flight->transfer;
    if (!transfer)
        return status;
    channel->left--;
    if (status == STATUS_OK && pixels->world->rank == 0)
        status = piece_check(channel, flight, &envelope);
    if (status == STATUS_OK && channel->sum)
        piece_take(channel, flight);
    bounce_give(pixels, flight->bounce);
    transfer->failed |= status != STATUS_OK;
    struct piece next = flight->piece;
    if (piece_next(&next, &transfer->field, transfer->band))
        return status;
    enum status last = complete(pixels, channel);
    return status == STATUS_OK ? last : status;
}

static enum status channel_progress(struct pixels *pixels, struct channel *channel)
{
    enum status status = STATUS_OK;
    for (bool any = true; any && channel->flying > 0;) {
        enum status one = land(pixels, channel, &any);
        status = status == STATUS_OK ? one : status;
    }
    enum status posted = pixels->refused ? waste(pixels, channel) : post(pixels, channel);
    return status == STATUS_OK ? posted : status;
}

enum status pixels_progress(struct pixels *pixels, uint64_t *left)
{
    enum status status = STATUS_OK;
    *left = 0;
    for (int i = 0; i < pixels->channels; i++) {
        struct channel *channel = &pixels->channel[i];
        enum status one = channel->given_up ? STATUS_OK : channel_progress(pixels, channel);
        status = status == STATUS_OK ? one : status;
        *left += channel->given_up ? 0 : channel->left;
    }
    return status;
}

/* --- the end of a job ------------------------------------------------------------------------- */

void pixels_release(struct pixels *pixels)
{
    pixels->released = true;
}

/* Pieces that are posted will be matched by what they were posted for, all others by nothing. */
void pixels_refuse(struct pixels *pixels)
{
    for (int i = 0; i < pixels->channels && !pixels->refused; i++) {
        struct channel *channel = &pixels->channel[i];
        channel->posting = NULL;
        channel->left = channel->flying;
    }
    pixels->refused = true;
}

void pixels_total(struct pixels *pixels, int rank, uint64_t bytes)
{
    pixels->channel[rank - 1].total = bytes;
}

void pixels_give_up(struct pixels *pixels, int rank)
{
    struct channel *channel = &pixels->channel[rank - 1];
    channel->given_up = true;
    if (channel->flying > 0)
        channel->block = (struct block){.at = NULL};
}

bool pixels_quiet(const struct pixels *pixels, int rank)
{
    const struct channel *channel = &pixels->channel[rank - 1];
    return channel->left == 0 && channel->flying == 0 &&
           (channel->total == UINT64_MAX || channel->bytes >= channel->total);
}
