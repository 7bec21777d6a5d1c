#include "app/launch/rank.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "decomposition/world/world.h"
#include "kernels/number_text.h"
#include "render/disk/file_bytes.h"

enum { STREAMS = 3 }; /* stdout, stderr, the words */

union stream_letter { /* aligned for its head, as cmsg(3) wants it */
    struct cmsghdr head;
    char bytes[CMSG_SPACE(STREAMS * sizeof(int))];
};

static bool peer_is_ours(int socket, pid_t *pid)
{
    struct ucred peer = {0};
    socklen_t length = sizeof peer;
    bool known = getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0;
    *pid = peer.pid;
    return known && peer.pid > 0 && peer.uid == geteuid();
}

/* ---- the launcher's end ---- */

int rank_listen(char name[RANK_NAME_BYTES])
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    socklen_t length = sizeof address.sun_family; /* the kernel chooses the name: NUL, 5 digits */
    int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener < 0)
        return -1;
    if (bind(listener, (struct sockaddr *)&address, length) != 0)
        goto fail;
    length = sizeof address;
    if (getsockname(listener, (struct sockaddr *)&address, &length) != 0 ||
        listen(listener, SOMAXCONN) != 0)
        goto fail;
    int digits = (int)(length - offsetof(struct sockaddr_un, sun_path)) - 1;
    snprintf(name, RANK_NAME_BYTES, "%.*s", digits, address.sun_path + 1);
    return listener;
fail:
    close(listener);
    return -1;
}

static bool word_store(int words, const char *word)
{
    size_t length = strlen(word) + 1;
    return TEMP_FAILURE_RETRY(write(words, word, length)) == (ssize_t)length;
}

int rank_words_store(long ranks, char *const argv[])
{
    char number[24];
    snprintf(number, sizeof number, "%ld", ranks);
    int words = memfd_create("deepfield words", MFD_CLOEXEC);
    bool stored = words >= 0 && word_store(words, number);
    for (; stored && *argv; argv++)
        stored = word_store(words, *argv);
    if (stored || words < 0)
        return words;
    close(words);
    return -1;
}

int rank_admit(int listener, int words, pid_t *pid)
{
    int rank = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (rank < 0)
        return -1;
    const int streams[STREAMS] = {STDOUT_FILENO, STDERR_FILENO, words};
    char nothing = 0;
    struct iovec byte = {.iov_base = &nothing, .iov_len = 1};
    union stream_letter letter = {0};
    struct msghdr message = {.msg_iov = &byte,
                             .msg_iovlen = 1,
                             .msg_control = letter.bytes,
                             .msg_controllen = sizeof letter.bytes};
    letter.head = (struct cmsghdr){
        .cmsg_len = CMSG_LEN(sizeof streams), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(&letter.head), streams, sizeof streams);
    if (peer_is_ours(rank, pid) && sendmsg(rank, &message, MSG_NOSIGNAL) == 1)
        return rank;
    close(rank);
    return -1;
}

int rank_hear(int socket, struct rank_word *word)
{
    ssize_t came = recv(socket, word, sizeof *word, MSG_DONTWAIT);
    if (came == sizeof *word)
        return 1;
    return came < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
}

/* ---- the rank's end ---- */

static int launcher = -1;
static long joined; /* ranks that it has started */

static bool streams_take(int streams[STREAMS])
{
    char nothing;
    struct iovec byte = {.iov_base = &nothing, .iov_len = 1};
    union stream_letter letter = {0};
    struct msghdr message = {.msg_iov = &byte,
                             .msg_iovlen = 1,
                             .msg_control = letter.bytes,
                             .msg_controllen = sizeof letter.bytes};
    ssize_t came;
    do
        came = recvmsg(launcher, &message, MSG_CMSG_CLOEXEC);
    while (came < 0 && errno == EINTR);
    if (came != 1 || letter.head.cmsg_type != SCM_RIGHTS ||
        letter.head.cmsg_len != CMSG_LEN(STREAMS * sizeof *streams))
        return false;
    memcpy(streams, CMSG_DATA(&letter.head), STREAMS * sizeof *streams);
    return true;
}

/* MPI's complaints stay where they were, at mpirun. Both generations read the variable; a third
 * name is that of PMIx, which both use. */
static void streams_put(const int streams[STREAMS])
{
    char number[16];
    snprintf(number, sizeof number, "%d", fcntl(STDERR_FILENO, F_DUPFD, STREAMS));
    setenv("OPAL_OUTPUT_STDERR_FD", number, 1);
    setenv("PMIX_OUTPUT_STDERR_FD", number, 1);
    dup2(streams[0], STDOUT_FILENO);
    dup2(streams[1], STDERR_FILENO);
    close(streams[0]);
    close(streams[1]);
    signal(SIGTTOU, SIG_IGN); /* not of the terminal's foreground group, but it may write there */
}

/* Reads words, each with its NUL, into an array. */
static char **words_load(int file, int *count)
{
    size_t length;
    char *text = file_bytes_all(file, UINT32_MAX, &length), **words = NULL;
    if (text && length && text[length - 1] == '\0') {
        *count = 0;
        for (size_t i = 0; i < length; i++)
            *count += text[i] == '\0';
        words = calloc((size_t)*count + 1, sizeof *words);
    }
    if (!words) {
        free(text);
        return NULL;
    }
    for (int i = 0; i < *count; i++) {
        words[i] = text;
        text += strlen(text) + 1;
    }
    return words;
}

static bool launcher_reach(const char *name)
{
    pid_t pid;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int digits = snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "%s", name);
    socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)digits);
    launcher = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    return launcher >= 0 && digits < RANK_NAME_BYTES &&
           connect(launcher, (struct sockaddr *)&address, length) == 0 &&
           peer_is_ours(launcher, &pid);
}

enum status rank_join(const char *name, int *argc, char ***argv)
{
    int streams[STREAMS];
    if (!launcher_reach(name) || !streams_take(streams)) {
        close(launcher);
        launcher = -1;
        return status_fail(STATUS_SYSTEM, "the deepfield that started this rank does not answer");
    }
    char **words = words_load(streams[2], argc);
    close(streams[2]);
    if (!words)
        return status_fail(STATUS_SYSTEM, "the words of the command line did not arrive");
    joined = number_whole(*words);
    *argv = words + 1;
    --*argc;
    streams_put(streams);
    rank_say(RANK_NUMBER, world_rank_promised());
    return STATUS_OK;
}

long rank_joined(void)
{
    return joined;
}

void rank_say(enum rank_says says, int value)
{
    struct rank_word word = {.says = says, .value = value};
    if (launcher >= 0)
        (void)!send(launcher, &word, sizeof word, MSG_NOSIGNAL);
}
