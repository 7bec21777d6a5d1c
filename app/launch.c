#include "app/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/launch_check.h"
#include "app/mpirun.h"
#include "app/rank.h"
#include "decomposition/clock.h"
#include "decomposition/mpi_device.h"

enum { START_S = 60, END_S = 10 }; /* for mpirun, without a rank */
enum { LOG_BYTES = 64 << 10 };     /* of what mpirun says; the rest is dropped */
enum { LISTENER, LOG, RANKS };     /* places of `looks` */
enum { SAID_NOTHING = -1 };
#define TOGETHER_S 0.5 /* of stop requests */

struct launch {
    pid_t mpirun;
    int words;
    struct pollfd *looks; /* the listener, mpirun's output, then the ranks' sockets */
    pid_t *processes;     /* of the ranks, at the same places */
    size_t count, most;
    int told;        /* stop requests that were passed on */
    bool joined;     /* a rank came */
    double lonely_s; /* since when there has been no rank */
    int code;        /* as rank 0 said it, or SAID_NOTHING */
    bool put_down;   /* mpirun did not end by itself */
    char *log;
    size_t log_bytes;
};

/* ---- signals ---- */

static volatile sig_atomic_t stops, pauses;

/* `timeout` signals a process and its group, and a terminal that closes does so twice: requests
 * that come together are one. */
static bool is_new(void)
{
    static double last_s;
    double now_s = clock_s();
    bool new = !stops || now_s - last_s > TOGETHER_S;
    last_s = new ? now_s : last_s;
    return new;
}

static void note(int signal)
{
    if (signal == SIGTSTP)
        pauses = 1;
    else if (signal != SIGCHLD && is_new()) /* SIGCHLD only ends ppoll */
        stops++;
}

/* They are blocked outside of ppoll, so none can be missed between a look and a wait. */
static void signals_take(sigset_t *before)
{
    static const int taken[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGTSTP, SIGCHLD};
    sigset_t ours;
    sigemptyset(&ours);
    struct sigaction action = {.sa_handler = note}, old;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        if (taken[i] == SIGHUP && sigaction(SIGHUP, NULL, &old) == 0 && old.sa_handler == SIG_IGN)
            continue; /* nohup */
        sigaddset(&ours, taken[i]);
        sigaction(taken[i], &action, NULL);
    }
    sigprocmask(SIG_BLOCK, &ours, before);
}

static void ranks_signal(const struct launch *launch, int signal)
{
    for (size_t i = RANKS; i < launch->count; i++)
        kill(launch->processes[i], signal);
}

/* The ranks and mpirun, which have process groups of their own. */
static void all_kill(struct launch *launch)
{
    ranks_signal(launch, SIGKILL);
    kill(-launch->mpirun, SIGKILL);
    launch->put_down = true;
}

static void stops_pass(struct launch *launch)
{
    for (; launch->told < stops; launch->told++) {
        if (launch->told == 0)
            ranks_signal(launch, SIGUSR1);
        else if (launch->told == 1)
            kill(launch->mpirun, SIGTERM);
        else
            all_kill(launch);
    }
}

/* Ctrl-Z reaches us alone. */
static void pause_pass(struct launch *launch)
{
    if (!pauses)
        return;
    pauses = 0;
    ranks_signal(launch, SIGSTOP);
    raise(SIGSTOP);
    launch->lonely_s = clock_s(); /* the time in between does not count */
    ranks_signal(launch, SIGCONT);
}

/* ---- ranks ---- */

static void rank_take(struct launch *launch)
{
    pid_t process;
    int rank;
    while ((rank = rank_admit(launch->looks[LISTENER].fd, launch->words, &process)) >= 0) {
        if (launch->count == launch->most) {
            close(rank);
            continue;
        }
        launch->looks[launch->count] = (struct pollfd){.fd = rank, .events = POLLIN};
        launch->processes[launch->count++] = process;
        launch->joined = true;
        launch->lonely_s = clock_s();
        if (launch->told) /* its handlers were there before it came */
            kill(process, SIGUSR1);
    }
}

static void ranks_hear(struct launch *launch)
{
    bool had = launch->count > RANKS;
    for (size_t i = RANKS; i < launch->count; i++) {
        int heard = 1;
        while (launch->looks[i].revents && heard > 0)
            heard = rank_hear(launch->looks[i].fd, &launch->code);
        if (heard >= 0)
            continue;
        close(launch->looks[i].fd);
        launch->count--;
        launch->looks[i] = launch->looks[launch->count];
        launch->processes[i] = launch->processes[launch->count];
        i--;
    }
    if (had)
        launch->lonely_s = clock_s();
}

static void log_read(struct launch *launch)
{
    char dropped[4096];
    for (;;) {
        size_t room = LOG_BYTES - launch->log_bytes;
        ssize_t came = read(launch->looks[LOG].fd, room ? launch->log + launch->log_bytes : dropped,
                            room ? room : sizeof dropped);
        if (came == 0) { /* the end, which poll would tell for ever */
            close(launch->looks[LOG].fd);
            launch->looks[LOG].fd = -1;
        }
        if (came <= 0)
            return;
        launch->log_bytes += room ? (size_t)came : 0;
    }
}

/* ---- mpirun ---- */

/* In the child. A process group of its own: Ctrl-C at the terminal must reach us alone. */
static _Noreturn void mpirun_exec(char **arguments, int output, const sigset_t *mask, pid_t parent)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) /* it ended before it was watched */
        _exit(status_exit_code(STATUS_SYSTEM));
    signal(SIGPIPE, SIG_DFL);
    int nothing = open("/dev/null", O_RDONLY); /* a background group may not read the terminal */
    if (nothing >= 0)
        dup2(nothing, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    sigprocmask(SIG_SETMASK, mask, NULL);
    mpi_device_job_leave();
    mpirun_variables_set();
    execvp(arguments[0], arguments);
    fprintf(stderr, "mpirun cannot be started: %s\n", strerror(errno));
    _exit(status_exit_code(STATUS_SYSTEM));
}

static enum status mpirun_start(struct launch *launch, long ranks, char *name, sigset_t *before)
{
    int output[2];
    char word[] = RANK_WORD;
    char **arguments = mpirun_arguments(ranks, word, name);
    if (!arguments)
        return status_fail(STATUS_SYSTEM, "the program's own file is not known: %s",
                           strerror(errno));
    if (pipe2(output, O_CLOEXEC) != 0) {
        free(arguments);
        return status_fail(STATUS_SYSTEM, "no pipe for mpirun: %s", strerror(errno));
    }
    fcntl(output[0], F_SETFL, O_NONBLOCK);
    launch->looks[LOG] = (struct pollfd){.fd = output[0], .events = POLLIN};
    signals_take(before);
    signal(SIGPIPE, SIG_IGN); /* nobody reads what is said: the code and the ranks remain */
    pid_t parent = getpid();
    launch->mpirun = fork();
    if (launch->mpirun == 0)
        mpirun_exec(arguments, output[1], before, parent);
    free(arguments);
    close(output[1]);
    if (launch->mpirun < 0)
        return status_fail(STATUS_SYSTEM, "mpirun cannot be started: %s", strerror(errno));
    setpgid(launch->mpirun, launch->mpirun); /* here too: who comes first */
    launch->lonely_s = clock_s();
    return STATUS_OK;
}

/* mpirun has been without a rank for too long: it hangs. */
static bool mpirun_hangs(const struct launch *launch)
{
    return launch->count == RANKS &&
           clock_s() - launch->lonely_s > (launch->joined ? END_S : START_S);
}

static int mpirun_wait(struct launch *launch, const sigset_t *open_mask)
{
    static const struct timespec look_again = {.tv_sec = 1};
    int result = 0;
    while (waitpid(launch->mpirun, &result, WNOHANG) == 0) {
        rank_take(launch);
        stops_pass(launch);
        pause_pass(launch);
        if (!launch->put_down && mpirun_hangs(launch))
            all_kill(launch);
        bool lonely = launch->count == RANKS;
        if (ppoll(launch->looks, launch->count, lonely ? &look_again : NULL, open_mask) > 0) {
            ranks_hear(launch);
            log_read(launch);
        }
    }
    rank_take(launch); /* what they said at last */
    for (size_t i = RANKS; i < launch->count; i++)
        launch->looks[i].revents = POLLIN;
    ranks_hear(launch);
    ranks_signal(launch, SIGKILL); /* mpirun was killed, and they were left */
    log_read(launch);
    return result;
}

/* ---- what came of it ---- */

/* Nobody has said why the job failed: mpirun's own troubles (1, 243, 137 for a rank that was
 * killed,
 * ...) are none of our codes. */
static enum status failure_tell(const struct launch *launch, int code)
{
    fwrite(launch->log, 1, launch->log_bytes, stderr);
    if (launch->log_bytes == LOG_BYTES)
        fputs("\n[...]\n", stderr);
    if (!launch->joined)
        return status_fail(STATUS_SYSTEM, "mpirun has started no rank%s; it ended with code %d%s",
                           launch->put_down ? " within a minute" : "", code,
                           launch->log_bytes ? ", and what it says is above" : "");
    const char *above = launch->log_bytes ? "; what it says is above" : "";
    if (launch->put_down)
        return status_fail(STATUS_SYSTEM,
                           "mpirun did not end %d s after its ranks, and was killed%s", END_S,
                           above);
    if (code > 128 && code <= 128 + SIGRTMAX)
        return status_fail(
            STATUS_SYSTEM, "a rank, or mpirun, was ended by signal %d%s", code - 128,
            code == 128 + SIGKILL ? ": killed, or memory ran out (dmesg says whether)" : "");
    return status_fail(STATUS_SYSTEM, "mpirun ended with code %d%s", code, above);
}

static enum status code_take(const struct launch *launch, int result, int *code)
{
    *code = WIFEXITED(result) ? WEXITSTATUS(result) : 128 + WTERMSIG(result);
    if (launch->code > 0 || (launch->code == 0 && launch->put_down))
        *code = launch->code;
    else if (stops && *code != 0) /* mpirun gives 1, or 138, when the ranks were still starting */
        return status_fail(STATUS_STOPPED, "stopped on request");
    else if (*code != 0 || !launch->joined)
        return failure_tell(launch, *code);
    return STATUS_OK;
}

static enum status launch_create(struct launch *launch, long ranks, char **argv, char *name)
{
    launch->words = rank_words_store(argv);
    launch->most = (size_t)ranks + RANKS;
    launch->looks = calloc(launch->most, sizeof *launch->looks);
    launch->processes = calloc(launch->most, sizeof *launch->processes);
    launch->log = malloc(LOG_BYTES);
    if (launch->words < 0 || !launch->looks || !launch->processes || !launch->log)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a list of %ld ranks", ranks);
    launch->looks[LISTENER] = (struct pollfd){.fd = rank_listen(name), .events = POLLIN};
    launch->looks[LOG].fd = -1;
    launch->count = RANKS;
    if (launch->looks[LISTENER].fd < 0)
        return status_fail(STATUS_SYSTEM, "no socket for the ranks: %s", strerror(errno));
    return STATUS_OK;
}

static void launch_destroy(struct launch *launch)
{
    for (size_t i = 0; launch->looks && i < launch->count; i++)
        if (launch->looks[i].fd >= 0)
            close(launch->looks[i].fd);
    if (launch->words >= 0)
        close(launch->words);
    free(launch->looks);
    free(launch->processes);
    free(launch->log);
}

/* A stream that is closed stays useless for the ranks, but its number is not taken by a socket. */
static void streams_keep(void)
{
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
        if (fcntl(stream, F_GETFD) < 0)
            (void)!open("/dev/null", O_RDONLY | O_CLOEXEC);
}

enum status launch_ranks(long ranks, enum crowd crowd, char **argv, int *code)
{
    if (!mpirun_found())
        return status_fail(STATUS_NO_DEVICE,
                           "--ranks %ld needs mpirun, and there is none on PATH; install "
                           "openmpi-bin, or leave --ranks out to use all cores without it",
                           ranks);
    struct launch_room room;
    launch_room_look(ranks, &room);
    launch_leftovers_remove("/dev/shm", room.session_folder);
    TRY(launch_room_check(ranks, crowd, &room));
    streams_keep();
    sigset_t before;
    char name[RANK_NAME_BYTES];
    struct launch launch = {.words = -1, .code = SAID_NOTHING};
    enum status status = launch_create(&launch, ranks, argv, name);
    if (status == STATUS_OK)
        status = mpirun_start(&launch, ranks, name, &before);
    if (status == STATUS_OK)
        status = code_take(&launch, mpirun_wait(&launch, &before), code);
    launch_destroy(&launch);
    return status;
}
