#include "app/process/probe_result.h"

#include <stdio.h>
#include <stdlib.h>

#include "decomposition/world/world.h"

enum mpi_device probe_result_read(char *why, size_t bytes)
{
    enum mpi_device level = mpi_device_claim(why, bytes);
    return mpi_device_believe(level, getenv(PROBE_RESULT_VARIABLE), world_library(), why, bytes);
}

void probe_result_of_rank(bool *proven, bool *faster, char *why, size_t bytes)
{
    enum mpi_device level = MPI_DEVICE_NO;
    if (world_launched())
        level = probe_result_read(why, bytes);
    else
        snprintf(why, bytes, "one rank sends nothing");
    *proven = level >= MPI_DEVICE_PROVEN;
    *faster = level >= MPI_DEVICE_FASTER;
}
