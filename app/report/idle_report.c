#include "app/report/idle_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/backend.h"

static void cores_report(const struct idle *idle)
{
    char remedy[64] = "let it bind them to more";
    if (getenv("OMPI_COMM_WORLD_SIZE"))
        snprintf(remedy, sizeof remedy, "with mpirun --bind-to none all do");
    else if (getenv("SLURM_STEP_ID"))
        snprintf(remedy, sizeof remedy, "with srun --cpus-per-task=%d all do",
                 idle->cores / idle->ranks);
    fprintf(stderr,
            "deepfield: %d of %d cores of %s compute, since the launcher has bound the ranks to "
            "them; %s\n",
            idle->bound, idle->cores, idle->core_host, remedy);
}

static void gpus_report(const struct idle *idle)
{
    char why[512] = "";
    backend_kinds[0]->missing(why, sizeof why);
    fprintf(stderr, "deepfield: %d GPU%s given to this job on %s, and none computes: %s\n",
            idle->gpus, idle->gpus > 1 ? "s are" : " is", idle->gpu_host, why);
}

void idle_report(const struct invocation *invocation, const struct idle *idle)
{
    const struct config *config = &invocation->config;
    if (config_boolean(config, OPTION_OUTPUT_QUIET))
        return;
    if (idle->ranks)
        cores_report(idle);
    if (idle->gpus && !config_was_set(config, OPTION_COMPUTE_BACKEND))
        gpus_report(idle);
}
