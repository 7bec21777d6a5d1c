/* mpirun's command line and environment, for Open MPI 4 and 5 and for MPICH's Hydra.
 * mpirun_variables.inc is the table. */
#ifndef APP_LAUNCH_MPIRUN_H
#define APP_LAUNCH_MPIRUN_H

#include <stdbool.h>

#ifdef DEEPFIELD_MPICH
#define MPIRUN_PACKAGE "mpich"
#define MPIRUN_RECOVERY "the same command goes on from what is kept"
#else
#define MPIRUN_PACKAGE "openmpi-bin"
#define MPIRUN_RECOVERY "mpirun --with-ft ulfm (Open MPI 5) or --enable-recovery (4)"
#endif

/* The launcher on PATH of the MPI that this program was built with; NULL: there is none. Static. */
const char *mpirun_name(void);

/* Has the launcher of this job been told, by an option or a variable that its ranks see, to go on
 * when a rank is killed? srun cannot: its PMIx ends the step. */
bool mpirun_recovers(bool one_machine);

/* Sets what mpirun and ranks on this machine need to know. `trial`: its exit code has to say how a
 * rank ended, so no rank's work is finished by others. */
void mpirun_variables_set(bool trial);

/* The command line that starts `ranks` ranks of this program with one word or two (`name` may be
 * NULL). No other word of the user reaches mpirun, which would read "-x" or ":" as its own. The
 * array is the caller's, the strings are not. NULL and errno when it cannot be made. */
char **mpirun_arguments(long ranks, char *word, char *name);

#endif
