#include "app/settings/renderer_probed.h"

#include <stdio.h>

#include "app/process/probe_result.h"
#include "decomposition/world/world.h"
#include "library/settings/settings_description.h"

struct renderer_options renderer_probed(const struct config *config)
{
    struct renderer_options options = settings_renderer(config);
    struct renderer_mpi_device *mpi = &options.mpi_device;
    if (mpi->asked && world_launched()) {
        enum mpi_device level = probe_result_read(mpi->why, sizeof mpi->why);
        mpi->proven = level >= MPI_DEVICE_PROVEN;
        mpi->faster = level >= MPI_DEVICE_FASTER;
    } else if (mpi->asked) {
        snprintf(mpi->why, sizeof mpi->why, "one rank sends nothing");
    }
    return options;
}
