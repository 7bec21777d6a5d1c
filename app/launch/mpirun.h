/* mpirun's command line and environment, for Open MPI 4 and 5 and for MPICH's Hydra.
 * mpirun_variables.inc is the table. */
#ifndef APP_LAUNCH_MPIRUN_H
#define APP_LAUNCH_MPIRUN_H

#include <stdbool.h>

#ifdef DEEPFIELD_MPICH
#define MPIRUN_PACKAGE "mpich"
#else
#define MPIRUN_PACKAGE "openmpi-bin"
#endif

/* The launcher on PATH of the MPI that this program was built with; NULL: there is none. Static. */
const char *mpirun_name(void);

/* Sets what mpirun and ranks on this machine need to know. `trial`: its exit code has to say how a
 * rank ended, so no rank's work is finished by others. */
void mpirun_variables_set(bool trial);

/* The command line that starts `ranks` ranks of this program with one word or two (`name` may be
 * NULL). No other word of the user reaches mpirun, which would read "-x" or ":" as its own. The
 * array is the caller's, the strings are not. NULL and errno when it cannot be made. */
char **mpirun_arguments(long ranks, char *word, char *name);

#endif
