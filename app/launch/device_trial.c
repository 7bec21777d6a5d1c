#include "app/launch/device_trial.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/launch/launcher_leave.h"
#include "decomposition/thread/clock.h"
#include "decomposition/thread/patience.h"

/* ---- the ranks ---- */

enum status device_trial_trip(struct world *world, const struct mpi_device_memory *memory,
                              unsigned timeout_s, bool *faster)
{
    alarm(timeout_s);
    enum status status = mpi_device_trip(world, memory, faster);
    alarm(0);
    return status;
}

/* Codes of no status, and not 0: an mpirun that hides how its ranks ended proves nothing. */
enum { FASTER_CODE = 3, PROVEN_CODE };

int device_trial_exit_code(enum status status, bool faster)
{
    if (status == STATUS_OK)
        return faster ? FASTER_CODE : PROVEN_CODE;
    return status_exit_code(status);
}

/* ---- their parent ---- */

static _Noreturn void command_exec(char *const command[], pid_t parent)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) /* it ended before it was watched */
        _exit(127);
    int nothing = open("/dev/null", O_RDWR); /* a crash there is an answer, not to be reported */
    for (int stream = 0; nothing >= 0 && stream < 3; stream++)
        dup2(nothing, stream);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    launcher_leave();
    execvp(command[0], command);
    _exit(127);
}

/* Has it ended in time? Naps: SIGCHLD belongs to others. */
static bool ended(pid_t child, double within_s, int *result)
{
    double until = clock_s() + within_s;
    pid_t gone;
    while ((gone = waitpid(child, result, WNOHANG)) == 0 && clock_s() < until)
        patience_nap(5000);
    return gone != 0;
}

/* Asks mpirun first, which then ends its ranks; killed, it would leave them. */
static void put_down(pid_t child)
{
    enum { GRACE_S = 5 };
    int result;
    kill(child, SIGTERM);
    if (ended(child, GRACE_S, &result))
        return;
    kill(-child, SIGKILL);
    waitpid(child, &result, 0);
}

static enum mpi_device judge(int result, char *why, size_t bytes)
{
    int code = WIFEXITED(result) ? WEXITSTATUS(result) : 128 + WTERMSIG(result);
    if (code == PROVEN_CODE || code == FASTER_CODE) {
        snprintf(why, bytes,
                 "4 KiB and 4 MiB of device memory went to another rank's device and host memory%s",
                 code == FASTER_CODE ? ", faster than by way of the host" : "");
        return code == FASTER_CODE ? MPI_DEVICE_FASTER : MPI_DEVICE_PROVEN;
    }
    if (code == status_exit_code(STATUS_NO_DEVICE)) {
        snprintf(why, bytes, "MPI, when started, says no; or there is no device");
        return MPI_DEVICE_NO;
    }
    if (code == 128 + SIGALRM)
        snprintf(why, bytes, "sending device memory to another rank does not end");
    else if (code == status_exit_code(STATUS_BAD_DATA))
        snprintf(why, bytes, "device memory sent to another rank arrives changed");
    else if (code > 128)
        snprintf(why, bytes, "sending device memory ends a rank by signal %d (%s)", code - 128,
                 strsignal(code - 128));
    else
        snprintf(why, bytes, "the ranks that tried it ended with code %d", code);
    return MPI_DEVICE_CLAIMED;
}

enum mpi_device device_trial_make(char *const command[], unsigned timeout_s, char *why,
                                  size_t bytes)
{
    pid_t parent = getpid(), child = fork();
    if (child == 0)
        command_exec(command, parent);
    if (child < 0) {
        snprintf(why, bytes, "%s cannot be started: %s", command[0], strerror(errno));
        return MPI_DEVICE_CLAIMED;
    }
    int result = 127 << 8; /* exit code 127, should another thread have waited for the child */
    if (ended(child, timeout_s, &result))
        return judge(result, why, bytes);
    put_down(child);
    snprintf(why, bytes, "sending device memory does not end within %u s", timeout_s);
    return MPI_DEVICE_CLAIMED;
}
