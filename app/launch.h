/* How does `--ranks N` become N ranks? We start mpirun with ourselves as its program. */
#ifndef APP_LAUNCH_H
#define APP_LAUNCH_H

#include "kernels/status.h"

/* Set for the ranks when stderr is a terminal: mpirun gives them a pipe instead of it. */
#define LAUNCH_TERMINAL "DEEPFIELD_STDERR_IS_TERMINAL"

/* Runs `argv` in `ranks` ranks and waits; *code receives the ranks' exit code. Works with Open MPI
 * 4 and 5. INT, TERM and USR1 reach the ranks as USR1, the only one that mpirun passes on without
 * killing them a second later, so a stopped job ends with 75. STATUS_NO_DEVICE when there is no
 * mpirun, STATUS_SYSTEM when it cannot be started or ends with a code that is not ours. Blocks. */
enum status launch_ranks(long ranks, char **argv, int *code);

/* The parts of it. Sets what mpirun needs to know; what the user has set stays. */
void launch_environment(void);

/* mpirun's arguments for `argv` in `ranks` ranks, argv[0] being replaced by this program. The array
 * is the caller's, the strings are not. NULL and errno when it cannot be made. */
char **launch_arguments(long ranks, char *const argv[]);

#endif
