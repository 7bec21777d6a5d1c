#include "render/disk/pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "kernels/stop.h"
#include "render/disk/folder.h"

enum {
    STOP_POLL_MS = 20, /* interval between polls of the stop flag */
    TOLD_MS = 300 /* wait before the hook is called: a reader that starts at the same time causes no
                     message */
};

static void (*_Atomic waits_tell)(const char *path);

void pipe_waits_hook(void (*tell)(const char *path))
{
    waits_tell = tell;
}

static bool is_pipe(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISFIFO(about.st_mode);
}

/* Opens the path and judges a link once it is open: others may put theirs where there was none
 * before. */
static int open_no_link_of_others(const char *path, int flags)
{
    int writing = O_WRONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK | flags;
    int file = TEMP_FAILURE_RETRY(open(path, writing | O_NOFOLLOW, 0666));
    if (file >= 0 || errno != ELOOP)
        return file;
    if (folder_link_of_others(path)) {
        errno = ELOOP;
        return -1;
    }
    return TEMP_FAILURE_RETRY(open(path, writing, 0666));
}

/* Refuses a file with a second name: it may be anybody's, linked here by others. */
static int refuse_second_name(int file)
{
    struct stat about;
    if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode) || about.st_nlink <= 1)
        return file;
    close(file);
    errno = EMLINK;
    return -1;
}

int pipe_open(const char *path, int flags, const volatile int *stop)
{
    for (int waited_ms = 0;; waited_ms += STOP_POLL_MS) {
        int file = open_no_link_of_others(path, flags);
        if (file >= 0)
            return refuse_second_name(file);
        if (errno != ENXIO || !is_pipe(path))
            return file;
        if (stop_asked(stop)) {
            errno = ECANCELED;
            return -1;
        }
        void (*tell)(const char *path) = waits_tell;
        if (waited_ms == TOLD_MS && tell)
            tell(path);
        nanosleep(&(struct timespec){.tv_nsec = STOP_POLL_MS * 1000000L}, NULL);
    }
}

void pipe_hold_begin(struct pipe_hold *hold)
{
    sigset_t broken, waiting;
    sigemptyset(&broken);
    sigaddset(&broken, SIGPIPE);
    hold->pending = sigpending(&waiting) == 0 && sigismember(&waiting, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &broken, &hold->before);
}

void pipe_hold_end(const struct pipe_hold *hold)
{
    int reason = errno;
    sigset_t broken;
    sigemptyset(&broken);
    sigaddset(&broken, SIGPIPE);
    while (!hold->pending && sigtimedwait(&broken, NULL, &(struct timespec){0}) < 0 &&
           errno == EINTR)
        continue;
    pthread_sigmask(SIG_SETMASK, &hold->before, NULL);
    errno = reason;
}

/* Writes in parts that a pipe takes without blocking as soon as it takes anything. */
static bool parts_write(int file, const char *bytes, size_t length, const volatile int *stop)
{
    size_t done = 0;
    while (done < length) {
        size_t part = length - done < PIPE_BUF ? length - done : PIPE_BUF;
        struct pollfd wanted = {.fd = file, .events = POLLOUT};
        ssize_t written = 0;
        if (poll(&wanted, 1, STOP_POLL_MS) > 0)
            written = write(file, bytes + done, part);
        if (written < 0 && errno != EAGAIN && errno != EINTR)
            return false;
        done += written > 0 ? (size_t)written : 0;
        if (written <= 0 && stop_asked(stop)) {
            errno = ECANCELED;
            return false;
        }
    }
    return true;
}

bool pipe_write(int file, const char *bytes, size_t length, const volatile int *stop)
{
    struct pipe_hold hold;
    pipe_hold_begin(&hold);
    bool written = parts_write(file, bytes, length, stop);
    pipe_hold_end(&hold);
    return written;
}
