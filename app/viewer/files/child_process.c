#include "app/viewer/files/child_process.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "decomposition/thread/clock.h"
#include "render/disk/file_bytes.h"
#include "render/disk/run_status.h"

#define STOP_MOST_S 10.0

extern char **environ;

enum { WORDS_MOST = 32, PATH_BYTES = 4200, NICE = 10, POLL_MS = 200 };

struct child_process {
    pthread_t thread;
    pthread_mutex_t mutex;
    struct child_state state; /* under the mutex */
    pid_t process;
    double stopped_s; /* when it was asked to end; 0: it was not; under the mutex */
    int errors;       /* file in memory: its standard error */
    char watched[PATH_BYTES];
    void (*wake)(void *context);
    void *context;
};

static enum status system_failed(const char *what)
{
    return status_fail(STATUS_SYSTEM, "%s: %s", what, strerror(errno));
}

/* A file in memory that holds the text, or nothing. */
static int input_make(const char *text)
{
    int input = memfd_create("deepfield-input", MFD_CLOEXEC);
    size_t length = text ? strlen(text) : 0;
    if (input < 0)
        return -1;
    for (size_t done = 0; done < length;) {
        ssize_t written = write(input, text + done, length - done);
        if (written <= 0) {
            close(input);
            return -1;
        }
        done += (size_t)written;
    }
    lseek(input, 0, SEEK_SET);
    return input;
}

/* 0 or an errno. */
static int process_spawn(struct child_process *child, const char *const *words, int input)
{
    const char *arguments[WORDS_MOST + 4] = {"deepfield"};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t all, none;
    int count = 1;
    for (int i = 0; words[i] && i < WORDS_MOST; i++)
        arguments[count++] = words[i];
    arguments[count++] = "--set";
    arguments[count] = "compute.join_file="; /* jobs join the viewer, whose settings it shares */
    sigfillset(&all);
    sigemptyset(&none);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, child->errors, STDERR_FILENO);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    /* posix_spawn only reads the texts */
    int failed = posix_spawn(&child->process, "/proc/self/exe", &actions, &attributes,
                             (char *const *)(const void *)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (!failed)
        setpriority(PRIO_PROCESS, (id_t)child->process, NICE);
    return failed;
}

/* Last line of its standard error, without the name of the program. */
static void last_line(const struct child_process *child, char *text, size_t bytes)
{
    static const char name[] = "deepfield: ";
    char line[STATUS_TEXT_BYTES];
    file_last_line(child->errors, line, sizeof line);
    snprintf(text, bytes, "%s",
             line + (strncmp(line, name, sizeof name - 1) ? 0 : sizeof name - 1));
}

/* Reads how far it has come; returns whether that is news. */
static bool progress_read(struct child_process *child)
{
    struct run_status status = {0};
    if (!*child->watched || run_status_read(&status, child->watched) != STATUS_OK)
        return false;
    pthread_mutex_lock(&child->mutex);
    bool news = fabs(status.share - child->state.share) >= 0.001;
    child->state.share = status.share;
    child->state.left_s = status.left_s;
    pthread_mutex_unlock(&child->mutex);
    run_status_destroy(&status);
    return news;
}

/* Kills a run that does not end when it is asked to. */
static void patience_end(struct child_process *child)
{
    pthread_mutex_lock(&child->mutex);
    if (child->stopped_s > 0 && clock_s() > child->stopped_s + STOP_MOST_S)
        kill(child->process, SIGKILL);
    pthread_mutex_unlock(&child->mutex);
}

static void *thread_run(void *context)
{
    struct child_process *child = context;
    char text[STATUS_TEXT_BYTES];
    int how = 0;
    pid_t ended;
    while (!(ended = waitpid(child->process, &how, WNOHANG)) || (ended < 0 && errno == EINTR)) {
        if (progress_read(child) && child->wake)
            child->wake(child->context);
        patience_end(child);
        nanosleep(&(struct timespec){.tv_nsec = POLL_MS * 1000 * 1000}, NULL);
    }
    last_line(child, text, sizeof text);
    pthread_mutex_lock(&child->mutex);
    child->state.code = ended > 0 && WIFEXITED(how) ? WEXITSTATUS(how) : -1;
    memcpy(child->state.text, text, sizeof text);
    child->state.ended = true;
    pthread_mutex_unlock(&child->mutex);
    if (child->wake)
        child->wake(child->context);
    return NULL;
}

static void child_free(struct child_process *child)
{
    if (child->errors >= 0)
        close(child->errors);
    pthread_mutex_destroy(&child->mutex);
    free(child);
}

static enum status child_begin(struct child_process *child, const struct child_order *order)
{
    int input = input_make(order->input);
    if (input < 0 || child->errors < 0) {
        if (input >= 0)
            close(input);
        return system_failed("no memory file");
    }
    int failed = process_spawn(child, order->words, input);
    close(input);
    if (failed)
        return status_fail(STATUS_SYSTEM, "cannot start deepfield: %s", strerror(failed));
    if ((failed = pthread_create(&child->thread, NULL, thread_run, child)) == 0)
        return STATUS_OK;
    kill(child->process, SIGKILL);
    waitpid(child->process, NULL, 0);
    return status_fail(STATUS_SYSTEM, "no thread: %s", strerror(failed));
}

enum status child_process_start(struct child_process **child, const struct child_order *order,
                                void (*wake)(void *context), void *context)
{
    struct child_process *fresh = *child = calloc(1, sizeof *fresh);
    if (!fresh)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for another process");
    pthread_mutex_init(&fresh->mutex, NULL);
    fresh->state.share = fresh->state.left_s = -1;
    fresh->wake = wake;
    fresh->context = context;
    fresh->errors = memfd_create("deepfield-errors", MFD_CLOEXEC);
    if (order->watched)
        snprintf(fresh->watched, sizeof fresh->watched, "%s" RUN_STATUS_SUFFIX, order->watched);
    enum status status = child_begin(fresh, order);
    if (status != STATUS_OK) {
        child_free(fresh);
        *child = NULL;
    }
    return status;
}

struct child_state child_process_state(struct child_process *child)
{
    pthread_mutex_lock(&child->mutex);
    struct child_state state = child->state;
    pthread_mutex_unlock(&child->mutex);
    return state;
}

void child_process_stop(struct child_process *child)
{
    if (!child)
        return;
    pthread_mutex_lock(&child->mutex);
    if (!child->state.ended && !(child->stopped_s > 0)) {
        kill(child->process, SIGTERM); /* a second one would end it at once */
        child->stopped_s = clock_s();
    }
    pthread_mutex_unlock(&child->mutex);
}

void child_process_close(struct child_process *child)
{
    if (!child)
        return;
    child_process_stop(child);
    pthread_join(child->thread, NULL);
    child_free(child);
}
