#include "app/launch/program_world.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "app/launch/rank.h"

static void line_write(const char *line, size_t length)
{
    ssize_t ignored = write(STDERR_FILENO, line, length);
    (void)ignored;
}

/* ---- calls of MPI that do not return ---- */

static volatile sig_atomic_t fuse_ticks;

static void fuse_tick(int signal)
{
    static const char text[] =
        "deepfield: MPI does not return: a rank is stopped, or hangs; the job ends\n";
    (void)signal;
    if (fuse_ticks <= 0 || --fuse_ticks > 0) /* a tick may come late: MPI has returned */
        return;
    line_write(text, sizeof text - 1);
    rank_say(RANK_FAULT, status_exit_code(STATUS_SYSTEM));
    _exit(status_exit_code(STATUS_SYSTEM));
}

/* Ticks of a second each, so that time in which the process is stopped does not count. */
static void fuse_light(unsigned seconds)
{
    struct sigaction action = {.sa_handler = seconds ? fuse_tick : SIG_DFL, .sa_flags = SA_RESTART};
    struct itimerval every = {.it_interval.tv_sec = seconds > 0, .it_value.tv_sec = seconds > 0};
    sigemptyset(&action.sa_mask);
    fuse_ticks = (sig_atomic_t)seconds;
    if (seconds)
        sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &every, NULL);
    if (seconds)
        return;
    signal(SIGALRM, SIG_IGN);          /* a tick that still waits for a thread is dropped */
    sigaction(SIGALRM, &action, NULL); /* others may use alarm() */
}

/* ---- the end of rank 0 ---- */

static void end_with_root(const char *text)
{
    char line[STATUS_TEXT_BYTES + 16];
    if (text) {
        int length = snprintf(line, sizeof line, "deepfield: %s\n", text);
        line_write(line, (size_t)length);
    }
    _exit(status_exit_code(STATUS_SYSTEM));
}

/* ---- opening and aborting ---- */

enum status program_world_open(struct world **world)
{
    const struct world_hooks hooks = {
        .mpi_blocks = fuse_light, .root_ended = end_with_root, .root_watched = rank_joined() > 0};
    /* hwloc's OpenCL plug-in loads every GPU driver of the machine during MPI_Init, its gl plug-in
     * looks for X displays, which can mean a question to a name server each. Ranks of other
     * machines choose among cards of networks, so those are looked at. */
    if (world_launched())
        setenv("HWLOC_COMPONENTS", "-gl,-opencl", 0);
    return world_open(world, &hooks);
}

bool program_is_launched(void)
{
    return world_launched();
}

const char *program_mpi(void)
{
    return world_library();
}

void program_world_abort(struct world *world, enum status status)
{
    world_abort(world, status);
    exit(status_exit_code(status));
}
