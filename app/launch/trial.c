#include "app/launch/trial.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/launch/launch_check.h"
#include "app/launch/launcher_leave.h"
#include "decomposition/thread/clock.h"
#include "decomposition/thread/patience.h"

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
    launch_own_session_remove(launch_session_folder());
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

enum trial trial_run(char *const command[], unsigned timeout_s, int *result)
{
    pid_t parent = getpid(), child = fork();
    if (child == 0)
        command_exec(command, parent);
    if (child < 0)
        return TRIAL_NOT_BEGUN;
    *result = 127 << 8; /* exit code 127, should another thread have waited for the child */
    if (ended(child, timeout_s, result))
        return TRIAL_ENDED;
    put_down(child);
    return TRIAL_LATE;
}
