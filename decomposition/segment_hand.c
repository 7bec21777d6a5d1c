#include "decomposition/segment_hand.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>
#include <unistd.h>

enum { PATIENCE_MS = 20000 }; /* the owner gives at once; it may have to wait for a core */

/* --- by /proc -------------------------------------------------------------------------------- */

bool hand_by_proc(const struct offer *offer, struct segment_block *block,
                  char why[SEGMENT_WHY_BYTES])
{
    char path[64], wanted[SEGMENT_NAME_BYTES + 32], found[sizeof wanted];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)offer->process, (int)offer->file);
    snprintf(wanted, sizeof wanted, "/memfd:%s (deleted)", offer->name);
    /* Where numbers of processes mean something else this may be anything: look before opening. */
    ssize_t length = readlink(path, found, sizeof found - 1);
    found[length < 0 ? 0 : length] = '\0';
    if (length >= 0 && strcmp(found, wanted) != 0) {
        snprintf(why, SEGMENT_WHY_BYTES, "%s is not rank 0's memory (another container?)", path);
        return false;
    }
    int file = length < 0 ? -1 : open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) {
        snprintf(why, SEGMENT_WHY_BYTES, "%s: %s", path, strerror(errno));
        return false;
    }
    return segment_block_map(block, file, offer->bytes, why);
}

/* --- by socket ------------------------------------------------------------------------------- */

static socklen_t address_of(const struct offer *offer, struct sockaddr_un *address)
{
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    size_t length = strnlen(offer->name, sizeof offer->name - 1);
    memcpy(address->sun_path + 1, offer->name, length); /* the leading 0 makes it abstract */
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
}

static int refused(int end, const char *call, char why[SEGMENT_WHY_BYTES])
{
    snprintf(why, SEGMENT_WHY_BYTES, "%s: %s", call, strerror(errno));
    if (end >= 0)
        close(end);
    return -1;
}

int hand_listen(const struct offer *offer, int callers, char why[SEGMENT_WHY_BYTES])
{
    struct sockaddr_un address;
    socklen_t length = address_of(offer, &address);
    int end = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (end < 0 || bind(end, (struct sockaddr *)&address, length) != 0 || listen(end, callers) != 0)
        return refused(end, "socket of rank 0", why);
    return end;
}

int hand_connect(const struct offer *offer, char why[SEGMENT_WHY_BYTES])
{
    struct sockaddr_un address;
    socklen_t length = address_of(offer, &address);
    int end = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (end < 0 || connect(end, (struct sockaddr *)&address, length) != 0)
        return refused(end, "socket to rank 0", why);
    return end;
}

union control { /* of one message with one descriptor; the union aligns it */
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
};

static void give(int end, int file)
{
    union control control = {.bytes = {0}};
    struct iovec byte = {.iov_base = &(char){'.'}, .iov_len = 1};
    struct msghdr message = {.msg_iov = &byte,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof file);
    memcpy(CMSG_DATA(header), &file, sizeof file);
    sendmsg(end, &message, MSG_NOSIGNAL); /* who cannot take it says so */
}

static bool same_user(int end)
{
    struct ucred peer;
    socklen_t length = sizeof peer;
    return getsockopt(end, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer.uid == geteuid();
}

void hand_give(int listener, int file, int callers)
{
    enum { STRANGERS = 64 }; /* every user of the machine sees the address; an end there must be */
    for (int i = 0; i < callers + STRANGERS; i++) {
        int end = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (end < 0 && (errno == EAGAIN || errno == EMFILE))
            return;
        if (end >= 0 && same_user(end))
            give(end, file);
        if (end >= 0)
            close(end);
    }
}

bool hand_take(int socket, const struct offer *offer, struct segment_block *block,
               char why[SEGMENT_WHY_BYTES])
{
    union control control;
    char byte;
    struct iovec place = {.iov_base = &byte, .iov_len = 1};
    struct msghdr message = {.msg_iov = &place,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    struct pollfd ready = {.fd = socket, .events = POLLIN};
    int polled;
    do
        polled = poll(&ready, 1, PATIENCE_MS);
    while (polled < 0 && errno == EINTR);
    struct cmsghdr *header = NULL;
    if (polled == 1 && recvmsg(socket, &message, MSG_CMSG_CLOEXEC) == 1)
        header = CMSG_FIRSTHDR(&message);
    if (!header || header->cmsg_type != SCM_RIGHTS || header->cmsg_len != CMSG_LEN(sizeof(int))) {
        snprintf(why, SEGMENT_WHY_BYTES, "rank 0 gave nothing through its socket");
        return false;
    }
    int file;
    memcpy(&file, CMSG_DATA(header), sizeof file);
    return segment_block_map(block, file, offer->bytes, why);
}
