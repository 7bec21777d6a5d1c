/* Probes of MPI: whether it can send this machine's device memory, asked of it or tried in two
 * ranks that may die, and whether two ranks find each other at all. */
#ifndef APP_LAUNCH_PROBE_H
#define APP_LAUNCH_PROBE_H

#include <stdbool.h>
#include <stddef.h>

#include "decomposition/transport/mpi_device.h"

/* The words by which the program knows that it is one of two ranks; in no help text. */
#define PROBE_WORD "probe-mpi-device"
#define PROBE_RANKS_WORD "probe-ranks"

/* The level and the reason, a sentence. Asks before it tries: without a claim nothing is started.
 * In a process that mpirun or srun started nothing is tried: it says what it was told, if MPI still
 * claims it. Blocks for 30 s at most. */
enum mpi_device probe_mpi_device(char *why, size_t bytes);

/* Starts two ranks that do nothing but find each other: how long that took, or why they did not.
 * Blocks for 30 s at most. */
bool probe_ranks(double *seconds, char *why, size_t bytes);

/* Called before ranks are launched: probes if it is `wanted`, and passes the result to the ranks
 * (app/process/probe_result.h). */
void probe_tell(bool wanted);

/* Sends device memory between the two ranks of this world and says on both whether that was
 * faster than by way of the host (mpi_device.h). A rank may die of it. Collective. */
enum status probe_trip(struct world *world, bool *faster);

/* What `deepfield devices` says of MPI and device memory. */
struct probe_answer {
    enum mpi_device level;
    const char *name; /* its name; static */
    char why[256];
    char setting[512]; /* a variable that tells other jobs; "": none */
};

/* Asks MPI; with `prove` tries it, in the two ranks of this world where the user has started them
 * for it, else in two of its own; with `asked` a rank says what its launcher has found. What ranks
 * of the user prove holds between their machines, for jobs that get the setting. `mine`: of this
 * rank so far; every rank returns a failure of any. The answer is rank 0's. Collective. */
enum status probe_answer_find(struct world *world, enum status mine, bool prove, bool asked,
                              struct probe_answer *answer);

/* The programs of the two ranks. Return their exit codes. */
int probe_rank_run(void);
int probe_ranks_run(void);

#endif
