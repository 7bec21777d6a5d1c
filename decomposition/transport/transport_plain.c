#include "decomposition/transport/transport.h"

#include <stdlib.h>

#include "decomposition/world/world_comm.h"

enum { PLAIN_BYTES = 1 << 20 }; /* size of a message; all are under way at once */

static int plain_post(const struct world *world, unsigned char *whole,
                      const struct transport_span *span, int rank, MPI_Request *request)
{
    int posted = 0;
    for (uint64_t done = 0; done < span->length; done += PLAIN_BYTES) {
        uint64_t left = span->length - done;
        int bytes = left < PLAIN_BYTES ? (int)left : PLAIN_BYTES;
        void *at = whole + span->first + done;
        if (world->rank == 0)
            MPI_Irecv(at, bytes, MPI_BYTE, rank, 0, world->pixels, &request[posted++]);
        else
            MPI_Isend(at, bytes, MPI_BYTE, 0, 0, world->pixels, &request[posted++]);
    }
    return posted;
}

/* Waits for each by itself: the result is then that of the message which failed, where that of
 * MPI_Waitall is MPI_ERR_IN_STATUS. */
static int plain_wait(MPI_Request *request, int posted)
{
    int result = MPI_SUCCESS;
    for (int i = 0; i < posted; i++) {
        int one = MPI_Wait(&request[i], MPI_STATUS_IGNORE);
        if (result == MPI_SUCCESS)
            result = one;
    }
    return result;
}

enum status transport_plain(struct world *world, void *whole, const struct transport_span *span)
{
    uint64_t messages = 0;
    for (int rank = 1; rank < world->size; rank++)
        messages += span[rank].length / PLAIN_BYTES + 1;
    MPI_Request *request = calloc(messages, sizeof *request);
    enum status status = world_agree(world, request ? STATUS_OK
                                                    : status_fail(STATUS_OUT_OF_MEMORY,
                                                                  "no memory for %llu messages",
                                                                  (unsigned long long)messages));
    if (status != STATUS_OK) {
        free(request);
        return status;
    }
    int posted = 0;
    for (int rank = 1; rank < world->size; rank++)
        if (world->rank == 0 || world->rank == rank)
            posted += plain_post(world, whole, &span[rank], rank, request + posted);
    world_block_begin(world);
    int result = plain_wait(request, posted);
    world_block_end(world);
    free(request);
    return world_check(result, "MPI_Wait");
}
