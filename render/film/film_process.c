#include "render/film/film_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { PIPE_BYTES = 1 << 20 };

static enum status system_failed(const char *what)
{
    return status_fail(STATUS_SYSTEM, "%s: %s", what, strerror(errno));
}

/* What it gets of ours: input, errors, no ignored signals. 0 or an errno. */
static int spawn(struct film_process *process, const char *const *arguments, int in)
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
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK |
                                              POSIX_SPAWN_SETPGROUP);
    /* The texts are only read. */
    int failed = posix_spawnp(&process->pid, arguments[0], &actions, &attributes,
                              (char *const *)(const void *)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return failed;
}

enum status film_process_start(struct film_process *process, const char *const *arguments)
{
    int ends[2];
    *process = (struct film_process){.name = arguments[0], .in = -1};
    process->errors = memfd_create("deepfield-errors", MFD_CLOEXEC);
    if (process->errors < 0)
        return system_failed("no memory file");
    if (pipe2(ends, O_CLOEXEC) < 0) {
        enum status status = system_failed("no pipe");
        close(process->errors);
        return status;
    }
    fcntl(ends[1], F_SETPIPE_SZ, PIPE_BYTES); /* or less, where that is not permitted */
    int failed = spawn(process, arguments, ends[0]);
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

/* Closes all, and returns how it ended; errno-like -1 if nobody knows. */
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

/* The last line that it has said, without what cannot be shown. */
static void last_words(const struct film_process *process, char *text, size_t bytes)
{
    char tail[512] = "";
    off_t size = lseek(process->errors, 0, SEEK_END);
    off_t from = size > (off_t)sizeof tail - 1 ? size - ((off_t)sizeof tail - 1) : 0;
    ssize_t got = size > 0 ? pread(process->errors, tail, sizeof tail - 1, from) : 0;
    size_t length = got > 0 ? (size_t)got : 0;
    while (length && (tail[length - 1] == '\n' || tail[length - 1] == ' '))
        length--;
    tail[length] = '\0';
    const char *line = strrchr(tail, '\n');
    snprintf(text, bytes, "%s", line ? line + 1 : tail);
}

static enum status complain(struct film_process *process, int how)
{
    char said[256];
    last_words(process, said, sizeof said);
    close(process->errors);
    if (*said)
        return status_fail(STATUS_IO, "%s failed: %s", process->name, said);
    if (how >= 0 && WIFSIGNALED(how))
        return status_fail(STATUS_IO, "%s was killed by signal %d", process->name, WTERMSIG(how));
    return status_fail(STATUS_IO, "%s failed with status %d", process->name,
                       how >= 0 ? WEXITSTATUS(how) : how);
}

enum status film_process_write(struct film_process *process, const void *bytes, size_t length)
{
    const char *at = bytes;
    while (length) {
        ssize_t written = write(process->in, at, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return complain(process, ended(process));
        at += written;
        length -= (size_t)written;
    }
    return STATUS_OK;
}

enum status film_process_finish(struct film_process *process)
{
    if (!process->pid)
        return STATUS_OK;
    int how = ended(process);
    if (how != 0)
        return complain(process, how);
    close(process->errors);
    return STATUS_OK;
}

void film_process_kill(struct film_process *process)
{
    if (!process->pid)
        return;
    kill(process->pid, SIGKILL);
    ended(process);
    close(process->errors);
}
