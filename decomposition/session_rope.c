/* The ropes by which rank 0 rings the bells of other ranks: a word for each, in memory that the
 * ranks of its machine share. MPI cannot wake a process that sleeps. */
#include "decomposition/session_parts.h"

enum { ROPE_BYTES = 64 }; /* one to a cache line */

static uint32_t *rope_of(const struct session *session, int rank)
{
    char *ropes = segment_memory(session->ropes);
    return (uint32_t *)(void *)(ropes + (size_t)rank * ROPE_BYTES);
}

enum status rope_open(struct session *session)
{
    struct world *world = session->world;
    if (world->size == 1)
        return STATUS_OK;
    TRY(segment_open(&session->ropes, world, (size_t)world->size * ROPE_BYTES));
    if (world->rank > 0 && rope_reaches(session, world->rank))
        bell_hang(&session->bell, rope_of(session, world->rank));
    return STATUS_OK;
}

bool rope_reaches(const struct session *session, int rank)
{
    return session->ropes && segment_reaches(session->ropes, rank);
}

void rope_pull(const struct session *session, int rank)
{
    if (rope_reaches(session, rank))
        bell_ring_word(rope_of(session, rank));
}

void rope_close(struct session *session)
{
    segment_close(session->ropes);
}
