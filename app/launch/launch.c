#include "app/launch/launch.h"

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

#include "app/launch/launch_check.h"
#include "app/launch/launcher_leave.h"
#include "app/launch/mpirun.h"
#include "app/launch/rank.h"
#include "app/report/event_log.h"
#include "decomposition/thread/clock.h"

enum { START_S = 60, END_S = 10 }; /* for mpirun, without a rank */
enum { ORPHAN_S = 3 };             /* for ranks, without the one that they cannot do without */
enum { STOPPED_S = 30 };           /* for rank 0: as long as it waits for others itself */
#define POLL_S 1.0
enum { LOG_BYTES = 64 << 10 }; /* limit of mpirun's output; the rest is dropped */
enum { LISTENER, LOG, RANKS }; /* indices of `polled` */
enum { SAID_NOTHING = -1 };
#define TOGETHER_S 0.5 /* after a stop request, further ones are the same one */

struct launch {
    pid_t mpirun;
    int words;
    struct pollfd *polled; /* the listener, mpirun's output, then the ranks' sockets */
    pid_t *processes;      /* process ids of the ranks, by the indices of `polled` */
    int *numbers;          /* rank numbers, likewise; -1: not known yet */
    size_t count, most;
    int told;        /* stop requests that were passed on */
    bool joined;     /* a rank came */
    bool ready;      /* rank 0 watches the others */
    bool final;      /* the work cannot be done a second time */
    bool fault;      /* but it could be, by other ranks */
    double lonely_s; /* time since which there has been no rank */
    double orphan_s; /* since when one is gone without which the others wait for ever; 0: none is */
    int lost;        /* number of the rank that is gone, or SAID_NOTHING */
    double polled_s, stopped_s; /* time of the last poll of rank 0; how long it has been stopped */
    int code;                   /* as rank 0 said it, or SAID_NOTHING */
    bool put_down;              /* mpirun did not end by itself */
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

/* Blocks signals outside of ppoll, so that none can be missed between a check and the wait. */
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
    while ((rank = rank_admit(launch->polled[LISTENER].fd, launch->words, &process)) >= 0) {
        if (launch->count == launch->most) {
            close(rank);
            continue;
        }
        launch->polled[launch->count] = (struct pollfd){.fd = rank, .events = POLLIN};
        launch->numbers[launch->count] = -1;
        launch->processes[launch->count++] = process;
        launch->joined = true;
        launch->lonely_s = clock_s();
        if (launch->told) /* its handlers were there before it came */
            kill(process, SIGUSR1);
    }
}

static void word_take(struct launch *launch, size_t place, const struct rank_word *word)
{
    if (word->says == RANK_NUMBER)
        launch->numbers[place] = word->value;
    else if (word->says == RANK_READY)
        launch->ready = true;
    else if (word->says == RANK_FINAL)
        launch->final = true;
    else
        launch->code = word->value;
    launch->fault |= word->says == RANK_FAULT;
}

/* MPI is told to let the others go on (mpirun_variables.inc), but they need rank 0, and to start
 * they need each other. */
static void rank_gone(struct launch *launch, int number)
{
    if (launch->orphan_s == 0 && (number == 0 || !launch->ready)) {
        launch->orphan_s = clock_s();
        launch->lost = number;
    }
}

static void ranks_hear(struct launch *launch)
{
    bool had = launch->count > RANKS;
    for (size_t i = RANKS; i < launch->count; i++) {
        struct rank_word word;
        int heard = 1;
        while (launch->polled[i].revents && (heard = rank_hear(launch->polled[i].fd, &word)) > 0)
            word_take(launch, i, &word);
        if (heard >= 0)
            continue;
        close(launch->polled[i].fd);
        rank_gone(launch, launch->numbers[i]);
        launch->count--;
        launch->polled[i] = launch->polled[launch->count];
        launch->processes[i] = launch->processes[launch->count];
        launch->numbers[i] = launch->numbers[launch->count];
        i--;
    }
    if (had)
        launch->lonely_s = clock_s();
}

static bool process_stopped(pid_t process)
{
    char path[40], text[512] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    FILE *file = fopen(path, "re");
    size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    const char *name_end = length ? strrchr(text, ')') : NULL;
    return name_end && !strncmp(name_end, ") T", 3);
}

/* Watches rank 0, which watches the others. Time in which this process was stopped itself does not
 * count. */
static void root_watch(struct launch *launch)
{
    double now_s = clock_s(), since_s = now_s - launch->polled_s;
    if (since_s < POLL_S / 2)
        return;
    launch->polled_s = now_s;
    for (size_t i = RANKS; i < launch->count; i++)
        if (launch->numbers[i] == 0) {
            bool stopped = process_stopped(launch->processes[i]);
            double counts_s = since_s < 2 * POLL_S ? since_s : 2 * POLL_S;
            launch->stopped_s = stopped ? launch->stopped_s + counts_s : 0;
        }
}

static void log_read(struct launch *launch)
{
    char dropped[4096];
    for (;;) {
        size_t room = LOG_BYTES - launch->log_bytes;
        ssize_t came =
            read(launch->polled[LOG].fd, room ? launch->log + launch->log_bytes : dropped,
                 room ? room : sizeof dropped);
        if (came == 0) { /* the end, which poll would tell for ever */
            close(launch->polled[LOG].fd);
            launch->polled[LOG].fd = -1;
        }
        if (came <= 0)
            return;
        launch->log_bytes += room ? (size_t)came : 0;
    }
}

/* ---- mpirun ---- */

/* Runs in the child. A process group of its own: Ctrl-C at the terminal must reach us alone. */
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
    launcher_leave();
    launch_own_session_remove(launch_session_folder());
    mpirun_variables_set(false);
    execvp(arguments[0], arguments);
    fprintf(stderr, "mpirun cannot be started: %s\n", strerror(errno));
    _exit(status_exit_code(STATUS_SYSTEM));
}

static enum status mpirun_start(struct launch *launch, long ranks, char *name,
                                const sigset_t *before)
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
    launch->polled[LOG] = (struct pollfd){.fd = output[0], .events = POLLIN};
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

/* mpirun has been without a rank for too long: it hangs. Or the ranks wait for one that is gone, or
 * is stopped. */
static bool job_hangs(const struct launch *launch)
{
    double now_s = clock_s();
    if (launch->count == RANKS)
        return now_s - launch->lonely_s > (launch->joined ? END_S : START_S);
    if (launch->orphan_s > 0)
        return now_s - launch->orphan_s > (launch->code == SAID_NOTHING ? ORPHAN_S : END_S);
    return launch->stopped_s > STOPPED_S;
}

static int mpirun_wait(struct launch *launch, const sigset_t *open_mask)
{
    static const struct timespec poll_time = {.tv_sec = (time_t)POLL_S};
    int result = 0;
    launch->polled_s = clock_s();
    while (waitpid(launch->mpirun, &result, WNOHANG) == 0) {
        rank_take(launch);
        stops_pass(launch);
        pause_pass(launch);
        root_watch(launch);
        if (!launch->put_down && job_hangs(launch))
            all_kill(launch);
        if (ppoll(launch->polled, launch->count, &poll_time, open_mask) > 0) {
            ranks_hear(launch);
            log_read(launch);
        }
    }
    rank_take(launch); /* what they said at last */
    for (size_t i = RANKS; i < launch->count; i++)
        launch->polled[i].revents = POLLIN;
    ranks_hear(launch);
    ranks_signal(launch, SIGKILL); /* mpirun was killed, and they were left */
    log_read(launch);
    return result;
}

/* ---- what came of it ---- */

static enum status loss_tell(const struct launch *launch)
{
    if (launch->stopped_s > STOPPED_S)
        return status_fail(STATUS_SYSTEM, "rank 0 was stopped (SIGSTOP) for %d s", STOPPED_S);
    return status_fail(STATUS_SYSTEM,
                       "rank %d has ended: it crashed, was killed, or memory ran out (dmesg says "
                       "whether)",
                       launch->lost);
}

/* Nobody has said why the job failed: mpirun's own troubles (1, 243, 137 for a rank that was
 * killed, ...) are none of our codes. */
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
    if (launch->lost >= 0 || launch->stopped_s > STOPPED_S)
        return loss_tell(launch);
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

/* *code is mpirun's. */
static enum status code_take(const struct launch *launch, int *code)
{
    if (launch->code == SAID_NOTHING && stops) /* the ranks were still starting */
        return status_fail(STATUS_STOPPED, "stopped on request");
    if (launch->code == SAID_NOTHING || (launch->code == 0 && *code != 0 && !launch->put_down))
        return failure_tell(launch, *code);
    *code = launch->code;
    return STATUS_OK;
}

static enum status launch_create(struct launch *launch, long ranks, char **argv, char *name)
{
    launch->words = rank_words_store(ranks, argv);
    launch->most = (size_t)ranks + RANKS;
    launch->polled = calloc(launch->most, sizeof *launch->polled);
    launch->processes = calloc(launch->most, sizeof *launch->processes);
    launch->numbers = calloc(launch->most, sizeof *launch->numbers);
    launch->log = malloc(LOG_BYTES);
    if (launch->words < 0 || !launch->polled || !launch->processes || !launch->numbers ||
        !launch->log)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a list of %ld ranks", ranks);
    launch->polled[LISTENER] = (struct pollfd){.fd = rank_listen(name), .events = POLLIN};
    launch->polled[LOG].fd = -1;
    launch->count = RANKS;
    if (launch->polled[LISTENER].fd < 0)
        return status_fail(STATUS_SYSTEM, "no socket for the ranks: %s", strerror(errno));
    return STATUS_OK;
}

static void launch_destroy(struct launch *launch)
{
    for (size_t i = 0; launch->polled && i < launch->count; i++)
        if (launch->polled[i].fd >= 0)
            close(launch->polled[i].fd);
    if (launch->words >= 0)
        close(launch->words);
    free(launch->polled);
    free(launch->processes);
    free(launch->numbers);
    free(launch->log);
}

/* A stream that is closed stays useless for the ranks, but its number is not taken by a socket. */
static void streams_keep(void)
{
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
        if (fcntl(stream, F_GETFD) < 0)
            (void)!open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/* Would the same work succeed in another start? Not what was stopped on request, nor what has begun
 * to hand out its results; nor where MPI does not work at all. */
static bool may_start_again(const struct launch *launch)
{
    return !stops && launch->joined && !launch->final &&
           (launch->fault || launch->code == SAID_NOTHING);
}

/* The rank that was lost may be where memory ran out, or a device hangs. */
static long ranks_left(const struct launch *launch, long ranks)
{
    bool lost = launch->fault || launch->lost >= 0 || launch->stopped_s > STOPPED_S;
    return lost && ranks > 1 ? ranks - 1 : ranks;
}

/* One start. *left receives with how many ranks another one may succeed, 0 for none. */
static enum status job_run(long ranks, char **argv, const sigset_t *before, int *code, long *left)
{
    char name[RANK_NAME_BYTES];
    struct launch launch = {.words = -1, .lost = SAID_NOTHING, .code = SAID_NOTHING};
    enum status status = launch_create(&launch, ranks, argv, name);
    *left = 0;
    if (status == STATUS_OK)
        status = mpirun_start(&launch, ranks, name, before);
    if (status == STATUS_OK) {
        int result = mpirun_wait(&launch, before);
        *code = WIFEXITED(result) ? WEXITSTATUS(result) : 128 + WTERMSIG(result);
        if (may_start_again(&launch))
            *left = ranks_left(&launch, ranks);
        status = code_take(&launch, code);
    }
    launch_destroy(&launch);
    return status;
}

static void restart_log(const char *path, long ranks, const char *why)
{
    static const volatile int at_once = 1; /* a reader that is gone does not hold up the start */
    struct event_log *log;
    if (event_log_open(&log, path, &at_once) != STATUS_OK) /* rank 0 will say so */
        return;
    event_log_restart(log, ranks, why);
    event_log_close(log);
}

enum status launch_ranks(const struct launch_order *order, char **argv, int *code)
{
    if (!mpirun_name())
        return status_fail(
            STATUS_NO_DEVICE,
            "--ranks %ld needs mpirun, and there is none on PATH; install " MPIRUN_PACKAGE
            ", or leave --ranks out to use all cores without it",
            order->ranks);
    struct launch_room room;
    launch_room_read(order->ranks, &room);
    launch_segments_remove("/dev/shm");
    launch_sessions_remove(room.session_folder, SESSION_OLD_S);
    TRY(launch_room_check(order->ranks, order->crowd, &room));
    streams_keep();
    sigset_t before;
    signals_take(&before);
    signal(SIGPIPE, SIG_IGN); /* without readers of its output a job still has ranks and a code */
    long ranks = order->ranks, left;
    for (long start = 0;; start++) {
        enum status status = job_run(ranks, argv, &before, code, &left);
        if (left == 0 || start == order->restarts)
            return status;
        fprintf(stderr, "deepfield: %s%sstarting again with %ld rank%s (restart %ld of %ld)\n",
                status == STATUS_OK ? "" : status_text(), status == STATUS_OK ? "" : "; ", left,
                left > 1 ? "s" : "", start + 1, order->restarts);
        restart_log(order->log, left, status == STATUS_OK ? "" : status_text());
        ranks = left;
    }
}
