#include "app/doctor/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/launch/mpirun.h"
#include "app/launch/probe.h"
#include "decomposition/world/launcher.h"
#include "decomposition/world/world.h"
#include "include/deepfield/deepfield.h"
#include "library/config/revision.h"

extern char **environ;

/* Variables that are settings: what they change is easily forgotten. */
static void settings_examine(struct diagnoses *diagnoses)
{
    char names[320] = "";
    int length = 0;
    for (char **at = environ; at && *at && length < (int)sizeof names - 1; at++)
        if (!strncmp(*at, "DEEPFIELD_", 10))
            length += snprintf(names + length, sizeof names - (size_t)length, "%s%.*s",
                               length ? " " : "", (int)strcspn(*at, "="), *at);
    if (length)
        diagnosis_add(diagnoses, VERDICT_NOTE, "variables", NULL, "set: %s", names);
}

static void launcher_examine(struct diagnoses *diagnoses)
{
    char why[256];
    double seconds;
    if (!mpirun_name())
        diagnosis_add(diagnoses, VERDICT_NOTE, "ranks", "install " MPIRUN_PACKAGE,
                      "no mpirun on PATH: no --ranks; one process uses all cores and GPUs without");
    else if (probe_ranks(&seconds, why, sizeof why))
        diagnosis_add(diagnoses, VERDICT_FINE, "ranks", NULL, "%s starts two in %.1f s",
                      mpirun_name(), seconds);
    else
        diagnosis_add(diagnoses, VERDICT_WRONG, "ranks",
                      "the mpirun of this MPI has to be first on PATH (module load); mpirun -n 2 "
                      "deepfield devices shows what it says",
                      "%s", why);
}

static void slurm_examine(struct diagnoses *diagnoses)
{
    const char *job = getenv("SLURM_JOB_ID"), *nodes = getenv("SLURM_JOB_NUM_NODES");
    const char *tasks = getenv("SLURM_NTASKS"), *gpus = getenv("SLURM_GPUS_ON_NODE");
    if (!job)
        return;
    diagnosis_add(diagnoses, VERDICT_FINE, "slurm", NULL,
                  "job %s: nodes %s, tasks %s, GPUs of a node %s", job, nodes ? nodes : "1",
                  tasks ? tasks : "not set", gpus ? gpus : "none");
    if (gpus && launcher_gpus() == 0)
        diagnosis_add(diagnoses, VERDICT_WRONG, "slurm",
                      "unset CUDA_VISIBLE_DEVICES, or ask for GPUs by --gpus-per-task",
                      "GPUs are allocated, and CUDA_VISIBLE_DEVICES hides them");
}

/* What a killed rank costs in this job. */
static void recovery_examine(struct diagnoses *diagnoses, bool one_machine)
{
    const bool step = getenv("SLURM_STEP_ID") && !getenv("OMPI_COMM_WORLD_SIZE");
    if (mpirun_recovers(one_machine))
        diagnosis_add(diagnoses, VERDICT_FINE, "killed ranks", NULL,
                      "others compute what one has: the job goes on");
    else
        diagnosis_add(diagnoses, VERDICT_NOTE, "killed ranks",
                      step ? "the same command goes on; or mpirun in an allocation, told to recover"
                           : MPIRUN_RECOVERY,
                      step ? "Slurm ends the step when a rank is killed"
                           : "the launcher may end the job when a rank is killed");
}

void job_examine(struct diagnoses *diagnoses, const struct world *world)
{
    if (world_rank(world) > 0)
        return;
    diagnosis_add(diagnoses, VERDICT_FINE, "version", NULL, "deepfield %s, revision %s",
                  deepfield_version(), deepfield_revision);
    diagnosis_add(diagnoses, VERDICT_FINE, "MPI", NULL, "%s", world_library());
    settings_examine(diagnoses);
    slurm_examine(diagnoses);
    if (world_launched()) {
        diagnosis_add(diagnoses, VERDICT_FINE, "ranks", NULL, "%d in this job", world_size(world));
        recovery_examine(diagnoses, world_node_size(world) == world_size(world));
    } else
        launcher_examine(diagnoses);
}

int job_ranks_here(const struct world *world)
{
    return world_node_size(world);
}

enum status job_gather(struct world *world, const struct diagnoses *mine, struct diagnoses **all,
                       int *ranks)
{
    bool root = world_rank(world) == 0;
    *ranks = world_size(world);
    *all = root ? calloc((size_t)world_size(world), sizeof **all) : NULL;
    enum status status =
        root && !*all ? status_fail(STATUS_OUT_OF_MEMORY, "no memory for diagnoses") : STATUS_OK;
    TRY(world_agree(world, status));
    return world_gather(world, mine, sizeof *mine, *all);
}
