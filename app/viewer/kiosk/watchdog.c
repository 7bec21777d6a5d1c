#include "app/viewer/kiosk/watchdog.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define LEAST_S 0.5

/* A path, or '@' and a name of the abstract namespace. */
static int connected(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(path);
    if ((*path != '/' && *path != '@') || length >= sizeof address.sun_path)
        return -1;
    memcpy(address.sun_path, path, length);
    if (*path == '@')
        address.sun_path[0] = '\0';
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    socklen_t bytes = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
    if (fd >= 0 && connect(fd, (const struct sockaddr *)&address, bytes) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

struct watchdog watchdog_open(void)
{
    const char *path = getenv("NOTIFY_SOCKET");
    return (struct watchdog){.socket = path ? connected(path) : -1};
}

void watchdog_close(struct watchdog *watchdog)
{
    if (watchdog->socket >= 0)
        close(watchdog->socket);
    watchdog->socket = -1;
}

void watchdog_presented(struct watchdog *watchdog, double now_s)
{
    static const char up[] = "READY=1\nWATCHDOG=1", alive[] = "WATCHDOG=1";
    if (watchdog->socket < 0 || (watchdog->said_s > 0 && now_s < watchdog->said_s + LEAST_S))
        return;
    const char *text = watchdog->said_s > 0 ? alive : up;
    watchdog->said_s = now_s;
    ssize_t ignored = send(watchdog->socket, text, strlen(text), MSG_NOSIGNAL);
    (void)ignored;
}
