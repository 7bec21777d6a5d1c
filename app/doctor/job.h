/* Findings about the program and its job: version, MPI, the launcher, Slurm. */
#ifndef APP_DOCTOR_JOB_H
#define APP_DOCTOR_JOB_H

#include "app/doctor/diagnosis.h"
#include "kernels/status.h"

struct world;

/* Adds nothing on ranks > 0. Starts two ranks for a trial where this process is in no job; blocks
 * for 30 s at most. */
void job_examine(struct diagnoses *diagnoses, const struct world *world);

/* Ranks of the job on this machine. */
int job_ranks_here(const struct world *world);

/* Rank 0: *all receives the diagnoses of all ranks, [*ranks]; freed by the caller. Others: NULL.
 * Collective. STATUS_OUT_OF_MEMORY. */
enum status job_gather(struct world *world, const struct diagnoses *mine, struct diagnoses **all,
                       int *ranks);

#endif
