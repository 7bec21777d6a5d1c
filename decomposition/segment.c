#include "decomposition/segment.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decomposition/segment_block.h"
#include "decomposition/segment_hand.h"

enum place { ELSEWHERE, ASKING, REACHED }; /* of a rank */

struct segment {
    struct segment_block block;
    char why[2 * SEGMENT_WHY_BYTES];
    unsigned char place[]; /* by rank, the same on every rank */
};

/* --- what the ranks tell each other ---------------------------------------------------------- */

/* Everybody's place to all. No rank comes out before every rank has gone in. */
static enum status places_tell(struct segment *segment, struct world *world, enum status mine)
{
    unsigned char own = segment ? segment->place[world_rank(world)] : ELSEWHERE;
    TRY(world_exchange(world, mine, &own, sizeof own));
    for (int rank = 0; rank < world_size(world); rank++)
        segment->place[rank] = *(const unsigned char *)world_said(world, rank);
    return STATUS_OK;
}

static int places_count(const struct segment *segment, const struct world *world, enum place place)
{
    int count = 0;
    for (int rank = 0; rank < world_size(world); rank++)
        count += segment->place[rank] == place;
    return count;
}

/* --- opening --------------------------------------------------------------------------------- */

/* Fails only for want of memory, which no other transport would mend. */
static enum status offer_make(struct segment *segment, const struct world *world, size_t bytes,
                              struct offer *offer)
{
    if (world_root_node_size(world) == 1) {
        snprintf(offer->why, sizeof offer->why, "no other rank is on rank 0's machine");
        return STATUS_OK;
    }
    segment_block_name(offer->name);
    TRY(segment_block_create(&segment->block, offer->name, bytes, offer->why));
    offer->bytes = segment->block.bytes;
    offer->process = getpid();
    offer->file = segment->block.file;
    offer->huge = segment->block.huge;
    return STATUS_OK;
}

static void take_by_proc(struct segment *segment, const struct world *world,
                         const struct offer *offer)
{
    int rank = world_rank(world);
    if (!world_beside_root(world))
        snprintf(segment->why, sizeof segment->why, "rank 0 is on another machine");
    else if (rank == 0 || hand_by_proc(offer, &segment->block, segment->why))
        segment->place[rank] = REACHED;
    else
        segment->place[rank] = ASKING;
}

/* Where a rank that asked ends up: with the memory, or with both reasons why not. */
static void socket_settle(struct segment *segment, int rank, bool reached, const char *why)
{
    size_t used = strlen(segment->why);
    if (reached)
        segment->why[0] = '\0';
    else
        snprintf(segment->why + used, sizeof segment->why - used, "; %s", why);
    segment->place[rank] = reached ? REACHED : ELSEWHERE;
}

/* The calls of all who ask wait in the listener's queue when places_tell returns, so that rank 0
 * need not wait for any of them. */
static enum status take_by_socket(struct segment *segment, struct world *world, struct offer *offer)
{
    int rank = world_rank(world), callers = places_count(segment, world, ASKING), end = -1;
    bool asking = segment->place[rank] == ASKING;
    char why[SEGMENT_WHY_BYTES] = "";
    if (rank == 0)
        end = hand_listen(offer, callers, offer->why);
    enum status status = world_tell(world, STATUS_OK, offer, sizeof *offer);
    if (status == STATUS_OK && asking && !offer->why[0])
        end = hand_connect(offer, why);
    if (status == STATUS_OK)
        status = places_tell(segment, world, STATUS_OK);
    if (status == STATUS_OK && rank == 0 && end >= 0)
        hand_give(end, segment->block.file, callers);
    if (status == STATUS_OK && asking)
        socket_settle(segment, rank, end >= 0 && hand_take(end, offer, &segment->block, why),
                      offer->why[0] ? offer->why : why);
    if (end >= 0)
        close(end);
    TRY(status);
    return places_tell(segment, world, STATUS_OK);
}

/* Memory that nobody shares is none. */
static void settle(struct segment *segment, const struct world *world)
{
    segment_block_close_file(&segment->block);
    if (places_count(segment, world, REACHED) > 1)
        return;
    segment->place[0] = ELSEWHERE;
    if (world_rank(world) == 0) {
        segment_block_close(&segment->block);
        snprintf(segment->why, sizeof segment->why, "no other rank could map it");
    }
}

/* `mine`: of this rank so far; a segment that could not be had is part of it, and NULL. */
static enum status open_together(struct segment *segment, struct world *world, enum status mine,
                                 size_t bytes)
{
    struct offer offer = {.bytes = 0};
    if (world_rank(world) == 0 && mine == STATUS_OK)
        mine = offer_make(segment, world, bytes, &offer);
    TRY(world_tell(world, mine, &offer, sizeof offer));
    if (offer.bytes == 0) {
        if (segment)
            snprintf(segment->why, sizeof segment->why, "%s", offer.why);
        return world_agree(world, mine);
    }
    if (mine == STATUS_OK)
        take_by_proc(segment, world, &offer);
    TRY(places_tell(segment, world, mine));
    if (places_count(segment, world, ASKING))
        TRY(take_by_socket(segment, world, &offer));
    segment->block.huge = offer.huge;
    settle(segment, world);
    return STATUS_OK;
}

static enum status open_alone(struct segment *segment, size_t bytes)
{
    TRY(segment_block_private(&segment->block, bytes));
    segment->place[0] = REACHED;
    return STATUS_OK;
}

enum status segment_open(struct segment **out, struct world *world, enum status mine, size_t bytes)
{
    *out = NULL;
    struct segment *segment = calloc(1, sizeof *segment + (size_t)world_size(world));
    enum status status = mine;
    if (segment)
        segment->block.file = -1;
    else if (mine == STATUS_OK)
        status = status_fail(STATUS_OUT_OF_MEMORY, "no memory for the description of a segment");
    if (world_size(world) > 1)
        status = open_together(segment, world, status, bytes);
    else if (status == STATUS_OK)
        status = open_alone(segment, bytes);
    if (status != STATUS_OK) {
        segment_close(segment);
        return status;
    }
    *out = segment;
    return STATUS_OK;
}

/* --- questions and the end ------------------------------------------------------------------- */

void *segment_memory(const struct segment *segment)
{
    return segment->block.memory;
}

bool segment_huge(const struct segment *segment)
{
    return segment->block.memory && segment->block.huge;
}

bool segment_reaches(const struct segment *segment, int rank)
{
    return segment->place[rank] == REACHED;
}

const char *segment_why(const struct segment *segment)
{
    return segment->why;
}

void segment_close(struct segment *segment)
{
    if (!segment)
        return;
    segment_block_close(&segment->block);
    free(segment);
}
