#include "app/launch/mpirun.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/process/executable.h"

/* Launchers of the MPI that this program was built with, the surest name first: where a folder has
 * those of several MPIs "mpirun" may be that of another one, which starts worlds of one rank. */
static const char *const launchers[] = {
#ifdef DEEPFIELD_MPICH
    "mpiexec.hydra", "mpiexec.mpich",
#endif
    "mpirun"};

const char *mpirun_name(void)
{
    char path[4096];
    int found = executable_find(launchers, sizeof launchers / sizeof *launchers, path, sizeof path);
    return found >= 0 ? launchers[found] : NULL;
}

bool mpirun_recovers(bool one_machine)
{
    static const struct {
        const char *name;
        bool across; /* also a job of several machines */
    } rows[] = {
        {"OMPI_MCA_orte_enable_recovery", true}, /* --enable-recovery of Open MPI 4 */
        {"OMPI_MCA_mpi_ft_enable", true},        /* --with-ft ulfm of Open MPI 5 */
        {"PRTE_MCA_state_base_recoverable",      /* --enable-recovery of 5; its TCP ends the job */
         false},
    };
    bool told = false;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *value = getenv(rows[i].name);
        told |= (rows[i].across || one_machine) && value && strcmp(value, "0") != 0 &&
                strcmp(value, "false") != 0;
    }
    return told;
}

enum { ANY, LOCAL, FORCED, OURS };

void mpirun_variables_set(bool trial)
{
    static const struct {
        int kind;
        const char *name, *value;
    } rows[] = {
#define VARIABLE(kind, name, value) {kind, name, value},
#include "app/launch/mpirun_variables.inc"
#undef VARIABLE
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].kind != OURS || !trial)
            setenv(rows[i].name, rows[i].value, rows[i].kind == FORCED);
}

char **mpirun_arguments(long ranks, char *word, char *name)
{
    static char mpirun[64], option[] = "-n", number[24], program[4096];
    const char *launcher = mpirun_name();
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0)
        return NULL;
    program[length] = '\0';
    snprintf(mpirun, sizeof mpirun, "%s", launcher ? launcher : "mpirun"); /* exec says the rest */
    snprintf(number, sizeof number, "%ld", ranks);
    char *const words[] = {mpirun, option, number, program, word, name, NULL};
    char **arguments = malloc(sizeof words);
    if (arguments)
        memcpy(arguments, words, sizeof words);
    return arguments;
}
