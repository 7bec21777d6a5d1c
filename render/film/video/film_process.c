#include "render/film/video/film_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "decomposition/thread/clock.h"
#include "kernels/stop.h"
#include "render/disk/file_bytes.h"
#include "render/disk/pipe.h"

extern char **environ;

enum { PIPE_BYTES = 1 << 20 };
enum { QUIET_S = 60, STOPPED_QUIET_S = 2, STOPPED_MOST_S = 10 };
enum { LOOK_MS = 50, END_LOOK_MS = 5 };

static enum status system_failed(const char *what)
{
    return status_fail(STATUS_SYSTEM, "%s: %s", what, strerror(errno));
}

/* Starts the program with our pipe as input, our file for errors, and no ignored signals. 0 or an
 * errno. */
static int spawn(struct film_process *process, const char *const *arguments, int folder, int in)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, process->errors, STDERR_FILENO);
    if (folder >= 0)
        posix_spawn_file_actions_addfchdir_np(&actions, folder);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK |
                                              POSIX_SPAWN_SETPGROUP);
    /* posix_spawnp only reads the texts */
    int failed = posix_spawnp(&process->pid, arguments[0], &actions, &attributes,
                              (char *const *)(const void *)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return failed;
}

enum status film_process_start(struct film_process *process, const char *const *arguments,
                               int folder, const volatile int *stop)
{
    int ends[2];
    *process =
        (struct film_process){.name = arguments[0], .in = -1, .stop = stop, .quiet_s = QUIET_S};
    process->errors = memfd_create("deepfield-errors", MFD_CLOEXEC);
    if (process->errors < 0)
        return system_failed("no memory file");
    if (pipe2(ends, O_CLOEXEC) < 0) {
        enum status status = system_failed("no pipe");
        close(process->errors);
        return status;
    }
    fcntl(ends[1], F_SETPIPE_SZ, PIPE_BYTES); /* smaller, where that is not permitted */
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    int failed = spawn(process, arguments, folder, ends[0]);
    close(ends[0]);
    if (!failed) {
        process->in = ends[1];
        return STATUS_OK;
    }
    close(ends[1]);
    close(process->errors);
    process->pid = 0;
    if (failed == ENOENT)
        return status_fail(STATUS_NO_DEVICE, "there is no %s on PATH", arguments[0]);
    return status_fail(STATUS_SYSTEM, "cannot start %s: %s", arguments[0], strerror(failed));
}

/* Closes its input, waits if it was killed, and returns its exit status; -1 if that is unknown. */
static int ended(struct film_process *process)
{
    int how = -1;
    if (process->in >= 0)
        close(process->in);
    process->in = -1;
    while (process->pid > 0 && waitpid(process->pid, &how, 0) < 0 && errno == EINTR)
        ;
    process->pid = 0;
    return how;
}

static enum status complain(struct film_process *process, int how)
{
    char said[256];
    file_last_line(process->errors, said, sizeof said);
    close(process->errors);
    if (how >= 0 && WIFSIGNALED(how))
        return status_fail(STATUS_IO, "%s was killed by signal %d%s%s%s", process->name,
                           WTERMSIG(how),
                           WTERMSIG(how) == SIGKILL ? ": by somebody, or memory ran out (dmesg "
                                                      "says whether)"
                                                    : "",
                           *said ? "; it has said: " : "", said);
    if (*said)
        return status_fail(STATUS_IO, "%s failed: %s", process->name, said);
    return status_fail(STATUS_IO, "%s failed with status %d", process->name,
                       how >= 0 ? WEXITSTATUS(how) : how);
}

/* ---- waiting for it -------------------------------------------------------------------------- */

struct process_wait { /* deadlines of a wait, in seconds of the clock */
    double looked_s, alive_s;
    double stopped_s; /* time of the stop request; 0: none yet */
    unsigned long ticks;
};

/* Clock ticks of the processor used by all its threads. */
static unsigned long ticks_of(pid_t pid)
{
    char path[40], text[1024] = "";
    unsigned long user = 0, system = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    int file = TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_CLOEXEC));
    ssize_t length = file >= 0 ? read(file, text, sizeof text - 1) : 0;
    if (file >= 0)
        close(file);
    const char *name_end = length > 0 ? strrchr(text, ')') : NULL;
    if (name_end) /* state, 10 numbers, and the ticks */
        (void)sscanf(name_end, ") %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %lu %lu", &user,
                     &system);
    return user + system;
}

static struct process_wait patience_begin(const struct film_process *process)
{
    double now_s = clock_s();
    return (struct process_wait){now_s, now_s, 0, ticks_of(process->pid)};
}

/* May the wait go on? Time in which this process itself was stopped does not count. */
static enum status process_wait_poll(struct film_process *process, struct process_wait *patience)
{
    double now_s = clock_s(), away_s = now_s - patience->looked_s;
    unsigned long ticks = ticks_of(process->pid);
    bool stops = stop_asked(process->stop);
    if (ticks != patience->ticks || away_s > 1)
        patience->alive_s = now_s;
    patience->ticks = ticks;
    patience->looked_s = now_s;
    if (stops && patience->stopped_s == 0)
        patience->stopped_s = now_s;
    double alive_s = patience->alive_s;
    if (stops && now_s - patience->stopped_s < STOPPED_MOST_S &&
        now_s - (alive_s > patience->stopped_s ? alive_s : patience->stopped_s) < STOPPED_QUIET_S)
        return STATUS_OK;
    if (!stops && now_s - alive_s < process->quiet_s)
        return STATUS_OK;
    int pid = (int)process->pid;
    film_process_kill(process);
    if (stops)
        return status_fail(STATUS_STOPPED,
                           "%s (process %d) did not end after the request to stop; what it was "
                           "encoding is lost",
                           process->name, pid);
    return status_fail(STATUS_IO,
                       "%s (process %d) has done nothing for %.0f s: it was stopped, or waits for "
                       "its disk",
                       process->name, pid, process->quiet_s);
}

static enum status bytes_write(struct film_process *process, const char *at, size_t length)
{
    struct process_wait patience = patience_begin(process);
    while (length) {
        ssize_t written = write(process->in, at, length);
        if (written < 0 && errno == EAGAIN) {
            struct pollfd room = {.fd = process->in, .events = POLLOUT};
            if (poll(&room, 1, LOOK_MS) == 0)
                TRY(process_wait_poll(process, &patience));
            continue;
        }
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return complain(process, ended(process));
        patience.alive_s = clock_s();
        at += written;
        length -= (size_t)written;
    }
    return STATUS_OK;
}

enum status film_process_write(struct film_process *process, const void *bytes, size_t length)
{
    struct pipe_hold hold;
    pipe_hold_begin(&hold);
    enum status status = bytes_write(process, bytes, length);
    pipe_hold_end(&hold);
    return status;
}

enum status film_process_finish(struct film_process *process)
{
    if (!process->pid)
        return STATUS_OK;
    int how = -1, look = 0;
    struct process_wait patience = patience_begin(process);
    close(process->in);
    process->in = -1;
    for (pid_t gone; (gone = waitpid(process->pid, &how, WNOHANG)) != process->pid; look++) {
        if (gone < 0 && errno != EINTR)
            break;
        nanosleep(&(struct timespec){.tv_nsec = END_LOOK_MS * 1000000}, NULL);
        if (look % (LOOK_MS / END_LOOK_MS) == 0)
            TRY(process_wait_poll(process, &patience));
    }
    process->pid = 0;
    if (how != 0)
        return complain(process, how);
    close(process->errors);
    return STATUS_OK;
}

void film_process_kill(struct film_process *process)
{
    if (!process->pid)
        return;
    kill(-process->pid, SIGKILL); /* kills its group */
    ended(process);
    close(process->errors);
}
