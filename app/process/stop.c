#include "app/process/stop.h"

#include <signal.h>
#include <unistd.h>

volatile int stop_requested;

static volatile int held; /* number of threads in which files get their names */

static void note(int signal)
{
    static volatile sig_atomic_t interrupts;
    if (signal == SIGINT && interrupts++ && !__atomic_load_n(&held, __ATOMIC_SEQ_CST))
        _exit(75); /* STATUS_STOPPED; only async-signal-safe calls here */
    __atomic_store_n(&stop_requested, 1, __ATOMIC_RELAXED); /* other threads look at it */
}

enum status stop_held_commit(struct atomic_file_set *set)
{
    __atomic_add_fetch(&held, 1, __ATOMIC_SEQ_CST);
    enum status status = atomic_file_set_commit(set);
    __atomic_sub_fetch(&held, 1, __ATOMIC_SEQ_CST);
    return status;
}

void stop_listen(void)
{
    struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR2, &action, NULL);
    struct sigaction hangup;
    if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN) /* nohup */
        sigaction(SIGHUP, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}
