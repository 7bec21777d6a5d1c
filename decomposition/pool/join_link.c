#include "decomposition/pool/join_link.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/types.h>

const char join_magic[8] = {'d', 'f', 'j', 'o', 'i', 'n', '1', '\n'};

enum status join_send(int socket, const void *bytes, size_t length)
{
    for (size_t done = 0; done < length;) {
        ssize_t sent = send(socket, (const char *)bytes + done, length - done, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return status_fail(STATUS_SYSTEM, "the run that was joined has ended the connection");
        done += (size_t)sent;
    }
    return STATUS_OK;
}

enum status join_receive(int socket, void *bytes, size_t length)
{
    for (size_t done = 0; done < length;) {
        ssize_t got = recv(socket, (char *)bytes + done, length - done, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return status_fail(STATUS_SYSTEM, "the run that was joined has said nothing for %.0f s",
                               JOIN_SILENT_S);
        if (got <= 0)
            return status_fail(STATUS_SYSTEM, "the run that was joined has ended the connection");
        done += (size_t)got;
    }
    return STATUS_OK;
}

static bool again(ssize_t result)
{
    return result < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
}

bool join_read_some(int socket, void *bytes, size_t length, size_t *done)
{
    ssize_t got = recv(socket, bytes, length, MSG_DONTWAIT);
    if (got > 0)
        *done += (size_t)got;
    return got > 0 || again(got);
}

bool join_write_some(int socket, const void *bytes, size_t length, size_t *done)
{
    ssize_t sent = send(socket, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent > 0)
        *done += (size_t)sent;
    return sent > 0 || again(sent);
}
