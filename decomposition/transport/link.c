#include "decomposition/transport/link.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "decomposition/message/message.h"
#include "decomposition/thread/clock.h"
#include "decomposition/transport/packing.h"
#include "decomposition/world/world_comm.h"

#define SHORTER 1.25 /* factor by which packing has to win */
#define PACKED 0.6   /* share of the bytes that is left of counts and fractions, seldom more */

enum {
    TRIP_BYTES = 1 << 18,
    TRIP_BYTES_LEAST = 1 << 14,
    TRIPS_BYTES = 1 << 24, /* most bytes that rank 0 takes from all ranks at once */
    SHORT_BYTES = 64,
    TRIPS = 3, /* the first makes the connection, the second tells its latency */
    TRIP_TAG = MESSAGE_KINDS,
    REPLY_TAG
};

bool link_packs(const struct link_speeds *speeds)
{
    double plain_s = 1 / speeds->link;
    double packed_s = fmax(PACKED / speeds->link, fmax(1 / speeds->pack, 1 / speeds->unpack));
    return plain_s > SHORTER * packed_s;
}

/* ---- speeds of this processor ---- */

/* Counts with some noise, as near the border of the set: packed to about the share above. */
static void pixels_make(uint32_t *pixels, size_t count)
{
    uint64_t random = 1;
    for (size_t i = 0; i < count; i++) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        pixels[i] = (uint32_t)(1000 + i / 64) ^ (uint32_t)(random >> 48);
    }
}

static enum status packing_time(struct link_speeds *speeds, int away)
{
    size_t length = 0, count = TRIP_BYTES / sizeof(uint32_t);
    uint32_t *pixels = malloc(TRIP_BYTES);
    unsigned char *packed = malloc(packing_room(TRIP_BYTES));
    struct packing *packing = packing_create();
    enum status status = pixels && packed && packing
                             ? STATUS_OK
                             : status_fail(STATUS_OUT_OF_MEMORY, "no memory to try packing");
    for (int i = 0; i < 2 && status == STATUS_OK; i++) { /* the first touches the memory */
        pixels_make(pixels, count);
        double begin_s = clock_s();
        status = packing_pack(packing, pixels, TRIP_BYTES, sizeof *pixels, packed, &length);
        double packed_s = clock_s();
        if (status == STATUS_OK)
            status = packing_unpack(packing, packed, length, pixels, TRIP_BYTES, sizeof *pixels);
        speeds->pack = TRIP_BYTES / (packed_s - begin_s);
        speeds->unpack = TRIP_BYTES / (clock_s() - packed_s) / away;
    }
    packing_destroy(packing);
    free(packed);
    free(pixels);
    return status;
}

/* ---- trips to rank 0 ---- */

/* Sends to rank 0 and waits for its reply, which comes behind what is sent: where this fails both
 * may still be under way. */
static enum status trip_make(struct world *world, unsigned char *bytes, int length, double *seconds)
{
    MPI_Request request[2];
    double begin_s = clock_s();
    TRY_MPI(MPI_Irecv(bytes + length, 1, MPI_BYTE, 0, REPLY_TAG, world->pixels, &request[1]));
    TRY_MPI(MPI_Isend(bytes, length, MPI_BYTE, 0, TRIP_TAG, world->pixels, &request[0]));
    TRY(world_wait(world, &request[0]));
    TRY(world_wait(world, &request[1]));
    *seconds = clock_s() - begin_s;
    return STATUS_OK;
}

/* Rank 0: takes what every rank on another machine sends, and replies to each. Where this fails,
 * the rest may still arrive in `bytes`. */
static enum status trips_take(struct world *world, const bool *away, unsigned char *bytes,
                              int length)
{
    MPI_Request *request = calloc((size_t)world->size, sizeof *request);
    size_t used = 0;
    char reply = 0;
    enum status status =
        request ? STATUS_OK
                : status_fail(STATUS_OUT_OF_MEMORY, "no memory for %d ranks", world->size);
    for (int rank = 1; rank < world->size && status == STATUS_OK; rank++)
        if (away[rank]) {
            status = world_check(MPI_Irecv(bytes + used, length, MPI_BYTE, rank, TRIP_TAG,
                                           world->pixels, &request[rank]),
                                 "MPI_Irecv");
            used += (size_t)length;
        }
    for (int rank = 1; rank < world->size && status == STATUS_OK; rank++)
        if (away[rank]) {
            status = world_wait(world, &request[rank]);
            if (status == STATUS_OK)
                status = world_check(MPI_Send(&reply, 1, MPI_BYTE, rank, REPLY_TAG, world->pixels),
                                     "MPI_Send");
        }
    free(request);
    return status;
}

/* All ranks on other machines go at the same time; those of rank 0's machine wait. */
static enum status trips_time(struct world *world, const bool *away, int count,
                              struct link_speeds *speeds)
{
    int length = TRIPS_BYTES / count;
    length = length > TRIP_BYTES ? TRIP_BYTES : length;
    length = length < TRIP_BYTES_LEAST ? TRIP_BYTES_LEAST : length;
    size_t room = world->rank ? (size_t)length + 1 : (size_t)length * (size_t)count;
    unsigned char *bytes = calloc(room, 1);
    double seconds[TRIPS] = {0};
    bool ended = true; /* every trip of this rank */
    enum status status = world_agree(
        world,
        bytes ? STATUS_OK : status_fail(STATUS_OUT_OF_MEMORY, "no memory to try the network"));
    for (int i = 0; i < TRIPS && status == STATUS_OK; i++) {
        int now = i + 1 < TRIPS ? SHORT_BYTES : length;
        if (world->rank == 0)
            status = trips_take(world, away, bytes, now);
        else if (away[world->rank])
            status = trip_make(world, bytes, now, &seconds[i]);
        ended = status == STATUS_OK;
        status = world_agree(world, status);
    }
    if (ended) /* otherwise MPI may write there: waiting for a lost rank would take for ever */
        free(bytes);
    double net_s = seconds[TRIPS - 1] - seconds[TRIPS - 2];
    speeds->link = length / fmax(net_s, 1e-9);
    return status;
}

/* ---- the decision ---- */

struct link_record { /* what ranks exchange */
    bool away, packs;
    struct link_speeds speeds;
};

static int away_count(const struct world *world, bool *away)
{
    int count = 0;
    for (int rank = 0; rank < world->size; rank++) {
        const struct link_record *record = world_said(world, rank);
        away[rank] = record->away;
        count += record->away;
    }
    return count;
}

static enum status measure(struct world *world, const bool *away, int count,
                           struct link_record *mine)
{
    enum status status = mine->away ? packing_time(&mine->speeds, count) : STATUS_OK;
    TRY(world_agree(world, status));
    TRY(trips_time(world, away, count, &mine->speeds));
    mine->packs = mine->away && link_packs(&mine->speeds);
    return STATUS_OK;
}

static void facts_sum(const struct world *world, struct link_facts *facts)
{
    for (int rank = 0; rank < world->size; rank++) {
        const struct link_record *record = world_said(world, rank);
        const struct link_speeds *speeds = &record->speeds;
        facts->away += record->away;
        facts->packing += record->packs;
        bool first = !(facts->slowest.link > 0);
        if (record->away && speeds->link > 0 && (first || speeds->link < facts->slowest.link))
            facts->slowest = *speeds;
    }
}

enum status link_learn(struct world *world, enum packing_wish wish, struct link_facts *facts)
{
    struct link_record mine = {.away = !world_beside_root(world)};
    *facts = (struct link_facts){.away = 0};
    world->packs = false;
    if (wish == PACKING_ALWAYS && !packing_is_built())
        return status_fail(STATUS_CONFIG, "compute.packing: this program was built without zstd; "
                                          "install libzstd-dev and build it again");
    if (!world->mpi || wish == PACKING_NEVER || !packing_is_built())
        return STATUS_OK;
    bool *away = calloc((size_t)world->size, sizeof *away);
    TRY(world_exchange(world,
                       away ? STATUS_OK
                            : status_fail(STATUS_OUT_OF_MEMORY, "no memory for a list of ranks"),
                       &mine, sizeof mine));
    int count = away_count(world, away);
    enum status status = STATUS_OK;
    if (wish == PACKING_ALWAYS)
        mine.packs = world->rank > 0;
    else if (count > 0)
        status = measure(world, away, count, &mine);
    free(away);
    if (wish == PACKING_AUTO && count == 0)
        return STATUS_OK;
    TRY(world_exchange(world, status, &mine, sizeof mine));
    facts_sum(world, facts);
    world->packs = mine.packs;
    return STATUS_OK;
}

void link_force(struct world *world, bool packs)
{
    world->packs = packs && world->rank > 0 && packing_is_built();
}
