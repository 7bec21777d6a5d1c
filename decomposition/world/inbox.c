#include "decomposition/world/inbox.h"

#include <stdlib.h>

#include "decomposition/message/block.h"
#include "decomposition/thread/clock.h"

struct inbox_slot {
    struct block block; /* header and payload */
    bool lent;          /* to the caller, until inbox_release */
    int rank;           /* who sends */
    uint64_t sequence;  /* number of the message, in the order of arrival */
    double begun_s;     /* when MPI announced it; on the clock */
};

struct inbox {
    const struct world *world;
    const struct job_memory *memory;
    uint64_t epoch, late, sequence;
    int slots, open;
    struct inbox_slot *slot;
    MPI_Request *request; /* [slots]; MPI_REQUEST_NULL: not receiving */
};

static enum status make_room(struct inbox *inbox, struct inbox_slot *slot, size_t bytes)
{
    if (slot->block.at && slot->block.bytes >= bytes)
        return STATUS_OK;
    block_give(&slot->block);
    return block_take(&slot->block, inbox->memory, bytes);
}

enum status inbox_open(struct inbox **out, const struct world *world, uint64_t epoch, int slots,
                       size_t payload_bytes, const struct job_memory *memory)
{
    *out = NULL;
    struct inbox *inbox = calloc(1, sizeof *inbox);
    if (!inbox)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for an inbox");
    *inbox = (struct inbox){.world = world, .memory = memory, .epoch = epoch};
    enum status status = STATUS_OK;
    inbox->slot = calloc((size_t)slots, sizeof *inbox->slot);
    inbox->request = calloc((size_t)slots, sizeof *inbox->request);
    if (!inbox->slot || !inbox->request)
        status = status_fail(STATUS_OUT_OF_MEMORY, "no memory for an inbox of %d", slots);
    else
        inbox->slots = slots;
    for (int i = 0; i < inbox->slots; i++)
        inbox->request[i] = MPI_REQUEST_NULL;
    for (int i = 0; i < inbox->slots && status == STATUS_OK; i++)
        status = make_room(inbox, &inbox->slot[i], MESSAGE_BYTES + message_padded(payload_bytes));
    if (status != STATUS_OK) {
        inbox_close(inbox);
        return status;
    }
    *out = inbox;
    return STATUS_OK;
}

void inbox_close(struct inbox *inbox)
{
    if (!inbox)
        return;
    for (int i = 0; i < inbox->slots; i++)
        block_give(&inbox->slot[i].block);
    free(inbox->slot);
    free(inbox->request);
    free(inbox);
}

/* A matched probe, so that the receive gets the very message whose length was asked for. */
static enum status receive(struct inbox *inbox, int i, bool *received)
{
    *received = false;
    int flag = 0, units = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    TRY_MPI(
        MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, inbox->world->tiles, &flag, &message, &status));
    if (!flag)
        return STATUS_OK;
    TRY_MPI(MPI_Get_count(&status, inbox->world->unit, &units));
    if (units < 0)
        return status_fail(STATUS_INTERNAL, "a message from rank %d is not in whole units",
                           status.MPI_SOURCE);
    TRY(make_room(inbox, &inbox->slot[i], (size_t)units * MESSAGE_UNIT));
    TRY_MPI(MPI_Imrecv(inbox->slot[i].block.at, units, inbox->world->unit, &message,
                       &inbox->request[i]));
    inbox->slot[i].rank = status.MPI_SOURCE;
    inbox->slot[i].sequence = inbox->sequence++;
    inbox->slot[i].begun_s = clock_s();
    inbox->open++;
    *received = true;
    return STATUS_OK;
}

static enum status receive_all(struct inbox *inbox)
{
    for (int i = 0; i < inbox->slots; i++) {
        bool received = true;
        if (!inbox->slot[i].lent && inbox->request[i] == MPI_REQUEST_NULL)
            TRY(receive(inbox, i, &received));
        if (!received)
            break;
    }
    return STATUS_OK;
}

/* Does `length` speak of bytes in the block, rather than of a field elsewhere? */
static bool carries(const struct message *message)
{
    return message->kind != MESSAGE_TILE && message->kind != MESSAGE_KEPT &&
           message->kind != MESSAGE_IN_PLACE && message->kind != MESSAGE_CONTEXT;
}

static enum status open_message(struct inbox *inbox, int i, const MPI_Status *status,
                                struct arrival *arrival, bool *any)
{
    int units = 0;
    *any = true;
    arrival->rank = status->MPI_SOURCE;
    arrival->message.kind = (enum message_kind)status->MPI_TAG;
    TRY_MPI(MPI_Get_count(status, inbox->world->unit, &units));
    size_t bytes = (size_t)(units < 0 ? 0 : units) * MESSAGE_UNIT;
    struct message message;
    TRY(message_decode(&message, inbox->slot[i].block.at, bytes));
    if (inbox->epoch && message.epoch < inbox->epoch) {
        inbox->late++;
        *any = false;
        return STATUS_OK;
    }
    if (inbox->epoch && message.epoch > inbox->epoch)
        return status_fail(STATUS_INTERNAL,
                           "a message from rank %d is of epoch %llu, but this is epoch %llu",
                           status->MPI_SOURCE, (unsigned long long)message.epoch,
                           (unsigned long long)inbox->epoch);
    if (carries(&message) && message.length > bytes - MESSAGE_BYTES)
        return status_fail(STATUS_INTERNAL, "a message from rank %d says %llu bytes and has %zu",
                           status->MPI_SOURCE, (unsigned long long)message.length,
                           bytes - MESSAGE_BYTES);
    *arrival = (struct arrival){.rank = status->MPI_SOURCE,
                                .message = message,
                                .payload = inbox->slot[i].block.at + MESSAGE_BYTES,
                                .length = bytes - MESSAGE_BYTES,
                                .slot = i,
                                .transfer_s = clock_s() - inbox->slot[i].begun_s};
    inbox->slot[i].lent = true;
    return STATUS_OK;
}

/* Receives complete in any order, but what a rank says later may build on what it said before. */
static bool is_next_of_its_rank(const struct inbox *inbox, int i)
{
    for (int j = 0; j < inbox->slots; j++)
        if (inbox->request[j] != MPI_REQUEST_NULL && inbox->slot[j].rank == inbox->slot[i].rank &&
            inbox->slot[j].sequence < inbox->slot[i].sequence)
            return false;
    return true;
}

enum status inbox_poll(struct inbox *inbox, struct arrival *arrival, bool *any)
{
    *any = false;
    TRY(receive_all(inbox));
    if (inbox->open == 0)
        return STATUS_OK;
    for (int i = 0; i < inbox->slots; i++) {
        if (inbox->request[i] == MPI_REQUEST_NULL || !is_next_of_its_rank(inbox, i))
            continue;
        int done = 0;
        MPI_Status status;
        TRY_MPI(MPI_Test(&inbox->request[i], &done, &status));
        if (done) {
            inbox->open--;
            return open_message(inbox, i, &status, arrival, any);
        }
    }
    return STATUS_OK;
}

void inbox_release(struct inbox *inbox, const struct arrival *arrival)
{
    inbox->slot[arrival->slot].lent = false;
}

enum status inbox_widen(struct inbox *inbox, int rank)
{
    int more = 0;
    for (int i = 0; i < inbox->slots; i++)
        more += inbox->request[i] != MPI_REQUEST_NULL && inbox->slot[i].rank == rank;
    size_t slots = (size_t)(inbox->slots + more);
    struct inbox_slot *slot = realloc(inbox->slot, slots * sizeof *slot);
    inbox->slot = slot ? slot : inbox->slot;
    MPI_Request *request = slot ? realloc(inbox->request, slots * sizeof *request) : NULL;
    if (!request)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for an inbox of %zu", slots);
    inbox->request = request;
    for (; more > 0; more--) {
        inbox->slot[inbox->slots] = (struct inbox_slot){.lent = false};
        inbox->request[inbox->slots++] = MPI_REQUEST_NULL;
    }
    return STATUS_OK;
}

void inbox_give_up(struct inbox *inbox, int rank)
{
    for (int i = 0; i < inbox->slots; i++) {
        if (inbox->request[i] == MPI_REQUEST_NULL || inbox->slot[i].rank != rank)
            continue;
        inbox->request[i] = MPI_REQUEST_NULL;
        inbox->slot[i].block = (struct block){.at = NULL};
        inbox->open--;
    }
}

bool inbox_quiet(const struct inbox *inbox)
{
    return inbox->open == 0;
}

uint64_t inbox_late(const struct inbox *inbox)
{
    return inbox->late;
}
