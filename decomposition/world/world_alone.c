#include <stdlib.h>
#include <unistd.h>

#include "decomposition/world/presence.h"
#include "decomposition/world/world_comm.h"

enum status world_alone(struct world **out)
{
    struct world *world = *out = calloc(1, sizeof *world);
    struct world_record *record = calloc(1, sizeof *record);
    if (!world || !record) {
        free(world);
        free(record);
        *out = NULL;
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the list of ranks");
    }
    *world = (struct world){.size = 1,
                            .node_size = 1,
                            .root_node_size = 1,
                            .beside_root = true,
                            .share_chunk = (size_t)1 << 30,
                            .silent_s = PRESENCE_SILENT_S,
                            .lost_s = PRESENCE_LOST_S,
                            .together = MPI_COMM_NULL,
                            .tiles = MPI_COMM_NULL,
                            .pixels = MPI_COMM_NULL,
                            .beats = MPI_COMM_NULL,
                            .unit = MPI_DATATYPE_NULL,
                            .record = record};
    gethostname(world->host, sizeof world->host - 1);
    return STATUS_OK;
}
