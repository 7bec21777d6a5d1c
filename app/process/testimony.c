#include "app/process/testimony.h"

#include <stdlib.h>

#include "decomposition/world/world.h"

enum mpi_device testimony_read(char *why, size_t bytes)
{
    enum mpi_device level = mpi_device_claim(why, bytes);
    return mpi_device_believe(level, getenv(TESTIMONY_VARIABLE), world_library(), why, bytes);
}
