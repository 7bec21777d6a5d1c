/* The world of the program: MPI as the program starts it, and the ends of its process.
 *
 * The engine ends no process by itself (world_hooks in decomposition/world/world.h). The program
 * does: a call of MPI that does not return has a limit in SIGALRM's ticks, and ranks > 0 end with
 * the process of rank 0. */
#ifndef APP_LAUNCH_PROGRAM_WORLD_H
#define APP_LAUNCH_PROGRAM_WORLD_H

#include <stdbool.h>

#include "decomposition/world/world.h"

/* world_open, with the program's hooks. Collective in a job. Before there are threads. */
enum status program_world_open(struct world **world);

/* Has mpirun, srun or another launcher started this process? */
bool program_is_launched(void);

/* Name and version of the MPI. */
const char *program_mpi(void);

/* Ends every rank, and this process, with the status's exit code. Prints nothing. Accepts NULL. */
_Noreturn void program_world_abort(struct world *world, enum status status);

#endif
