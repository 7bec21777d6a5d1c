#include "app/launch/launcher_leave.h"

#include <string.h>
#include <unistd.h>

#include "decomposition/world/world.h"

extern char **environ;

static bool begins(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool launcher_passes(const char *variable)
{
    static const char *const signs[] = {"OMPI_",     "PMIX_",  "PMI_",     "SLURM_",
                                        "MV2_COMM_", "HYDRA_", "MPI_LOCAL"};
    /* Signs that a user may have set. mpirun's own notes to its ranks are MCA variables too. */
    static const char *const settings[] = {"OMPI_MCA_", "OMPI_ALLOW_RUN_AS_ROOT"};
    static const char *const notes[] = {"OMPI_MCA_orte_",         "OMPI_MCA_ess",
                                        "OMPI_MCA_pmix",          "OMPI_MCA_mpi_oversubscribe",
                                        "OMPI_MCA_shmem_RUNTIME", "OMPI_MCA_initial_wdir"};
    bool passes = true;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        passes = passes && !begins(variable, signs[i]);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        passes = passes || begins(variable, settings[i]);
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
        passes = passes && !begins(variable, notes[i]);
    return passes;
}

void launcher_leave(void)
{
    size_t kept = 0;
    bool ranked = world_launched(); /* else mpirun has left no notes here: they are the user's */
    for (size_t i = 0; environ && environ[i]; i++)
        if (launcher_passes(environ[i]) ||
            (!ranked && (begins(environ[i], "OMPI_MCA_") || begins(environ[i], "PMIX_MCA_"))))
            environ[kept++] = environ[i];
    if (environ)
        environ[kept] = NULL;
}
