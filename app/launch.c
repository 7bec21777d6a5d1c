#include "app/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t stops;

static void note(int signal)
{
    (void)signal;
    stops++;
}

/* Is there an executable of this name on PATH? */
static bool on_path(const char *name)
{
    const char *path = getenv("PATH");
    for (const char *at = path ? path : "/usr/bin:/bin"; at;) {
        size_t length = strcspn(at, ":");
        char file[4096];
        snprintf(file, sizeof file, "%.*s/%s", length ? (int)length : 1, length ? at : ".", name);
        if (access(file, X_OK) == 0)
            return true;
        at = at[length] ? at + length + 1 : NULL;
    }
    return false;
}

/* Names of both generations: Open MPI 4 reads OMPI_MCA_..., 5 reads PRTE_MCA_... and ignores the
 * older ones. */
void launch_environment(void)
{
    static const char *const always[][2] = {
        {"OMPI_MCA_rmaps_base_oversubscribe", "true"},
        {"PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe"},
        {"OMPI_MCA_mpi_yield_when_idle", "true"},
        /* hwloc looks for X displays, which takes seconds where "localhost" is unknown, and its
         * OpenCL plug-in may load an LLVM that replaces signal handlers. */
        {"HWLOC_COMPONENTS", "-gl,-opencl"},
    };
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        setenv(always[i][0], always[i][1], 0);
    if (geteuid() == 0) {
        setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 0);
        setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0);
    }
    if (!on_path("ssh") && !on_path("rsh")) {
        /* Open MPI wants one even if all ranks are here, unless it is given another name. */
        setenv("OMPI_MCA_plm_rsh_agent", "false", 0);
        setenv("PRTE_MCA_plm_ssh_agent", "false", 0);
    }
    if (isatty(STDERR_FILENO))
        setenv(LAUNCH_TERMINAL, "1", 1);
}

/* In the child. A process group of its own: Ctrl-C at the terminal must reach us alone. */
static _Noreturn void mpirun_exec(char **arguments, const sigset_t *mask)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    int nothing = open("/dev/null", O_RDONLY); /* a background group may not read the terminal */
    if (nothing >= 0)
        dup2(nothing, STDIN_FILENO);
    sigprocmask(SIG_SETMASK, mask, NULL);
    execvp(arguments[0], arguments);
    fprintf(stderr, "deepfield: mpirun cannot be started: %s\n", strerror(errno));
    _exit(status_exit_code(STATUS_SYSTEM));
}

/* Passes stop requests on until the child is gone: the first as USR1, further ones as TERM. mpirun
 * loses a USR1 that comes while it is starting its ranks (seen in the first 0.1 s), so that one is
 * repeated; the ranks do not mind. INT, TERM and USR1 are blocked outside of ppoll, so none can be
 * missed between a look and a wait. */
static int child_wait(pid_t child, const sigset_t *open_mask)
{
    static const struct timespec again = {.tv_nsec = 300 * 1000 * 1000};
    int told = 0, result = 0;
    while (waitpid(child, &result, WNOHANG) == 0) {
        if (stops == 1)
            kill(child, SIGUSR1);
        else if (stops > told)
            kill(child, SIGTERM);
        told = stops;
        ppoll(NULL, 0, told == 1 ? &again : NULL, open_mask);
    }
    return result;
}

/* mpirun's own troubles (1, 243, 137 for a rank that was killed, ...) are none of our codes. */
static enum status code_take(int result, int *code)
{
    *code = WIFEXITED(result) ? WEXITSTATUS(result) : 128 + WTERMSIG(result);
    if (stops && *code != 0) /* mpirun gives 1, or 138, when the ranks were still starting */
        *code = status_exit_code(STATUS_STOPPED);
    for (int status = 0; status < STATUS_KINDS; status++)
        if (*code == status_exit_code((enum status)status))
            return STATUS_OK;
    if (*code > 128 && *code <= 128 + SIGRTMAX)
        return status_fail(
            STATUS_SYSTEM, "a rank, or mpirun, was ended by signal %d%s", *code - 128,
            *code == 128 + SIGKILL ? ": killed, or memory ran out (dmesg says whether)" : "");
    return status_fail(STATUS_SYSTEM, "mpirun ended with code %d; what it says is above", *code);
}

static void nothing_to_do(int signal)
{
    (void)signal;
}

static void signals_take(sigset_t *before)
{
    sigset_t ours;
    sigemptyset(&ours);
    const int stopping[] = {SIGINT, SIGTERM, SIGUSR1};
    struct sigaction action = {.sa_handler = note};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof stopping / sizeof *stopping; i++) {
        sigaddset(&ours, stopping[i]);
        sigaction(stopping[i], &action, NULL);
    }
    sigaddset(&ours, SIGCHLD);
    action.sa_handler = nothing_to_do; /* SIGCHLD must end ppoll */
    sigaction(SIGCHLD, &action, NULL);
    sigprocmask(SIG_BLOCK, &ours, before);
}

char **launch_arguments(long ranks, char *const argv[])
{
    static char number[24], program[4096];
    static const char *const head[] = {"mpirun",         "--quiet",   "-n",   number, "--map-by",
                                       ":OVERSUBSCRIBE", "--bind-to", "none", program};
    enum { HEAD = sizeof head / sizeof *head };
    size_t count = 0;
    while (argv[count])
        count++;
    char **arguments = calloc(HEAD + count + 1, sizeof *arguments);
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (!arguments || length <= 0) {
        free(arguments);
        return NULL;
    }
    program[length] = '\0';
    snprintf(number, sizeof number, "%ld", ranks);
    memcpy(arguments, head, sizeof head);
    memcpy(arguments + HEAD, argv + 1, count * sizeof *argv);
    return arguments;
}

enum status launch_ranks(long ranks, char **argv, int *code)
{
    if (!on_path("mpirun"))
        return status_fail(STATUS_NO_DEVICE,
                           "--ranks %ld needs mpirun, and there is none on PATH; install "
                           "openmpi-bin, or leave --ranks out to use all cores without it",
                           ranks);
    char **arguments = launch_arguments(ranks, argv);
    if (!arguments)
        return status_fail(STATUS_SYSTEM, "the program's own file is not known: %s",
                           strerror(errno));
    launch_environment();
    sigset_t before;
    signals_take(&before);
    pid_t child = fork();
    if (child == 0)
        mpirun_exec(arguments, &before);
    free(arguments);
    if (child < 0)
        return status_fail(STATUS_SYSTEM, "mpirun cannot be started: %s", strerror(errno));
    return code_take(child_wait(child, &before), code);
}
