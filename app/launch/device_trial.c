#include "app/launch/device_trial.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/launch/trial.h"

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
    int result;
    switch (trial_run(command, timeout_s, &result)) {
    case TRIAL_ENDED:
        return judge(result, why, bytes);
    case TRIAL_LATE:
        snprintf(why, bytes, "sending device memory does not end within %u s", timeout_s);
        return MPI_DEVICE_CLAIMED;
    default:
        snprintf(why, bytes, "%s cannot be started: %s", command[0], strerror(errno));
        return MPI_DEVICE_CLAIMED;
    }
}
