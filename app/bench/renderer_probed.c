#include "app/bench/renderer_probed.h"

#include "app/process/probe_result.h"
#include "library/settings/settings_description.h"

struct renderer_options renderer_probed(const struct config *config)
{
    struct renderer_options options = settings_renderer(config);
    struct renderer_mpi_device *mpi = &options.mpi_device;
    if (mpi->asked)
        probe_result_of_rank(&mpi->proven, &mpi->faster, mpi->why, sizeof mpi->why);
    return options;
}
