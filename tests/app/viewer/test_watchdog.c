/* What a service manager hears: that the program is up, once, and that it is alive, not too often;
 * and nothing, without harm, where nobody listens. */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "app/viewer/kiosk/watchdog.h"
#include "tests/support/check.h"

static int listener(const char *name, socklen_t length)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    memcpy(address.sun_path, name, length);
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address,
                          (socklen_t)offsetof(struct sockaddr_un, sun_path) + length),
                     0);
    return fd;
}

static const char *heard(int fd)
{
    static char text[128];
    ssize_t got = recv(fd, text, sizeof text - 1, 0);
    text[got > 0 ? got : 0] = '\0';
    return text;
}

static void check_news(int fd)
{
    struct watchdog watchdog = watchdog_open();
    assert_string_equal(heard(fd), "");
    watchdog_presented(&watchdog, 100);
    assert_string_equal(heard(fd), "READY=1\nWATCHDOG=1");
    for (int i = 1; i < 100; i++)
        watchdog_presented(&watchdog, 100 + i * 0.004);
    assert_string_equal(heard(fd), "");
    watchdog_presented(&watchdog, 100.6);
    assert_string_equal(heard(fd), "WATCHDOG=1");
    close(fd);
    watchdog_presented(&watchdog, 200); /* the manager is gone */
    watchdog_close(&watchdog);
    watchdog_close(&watchdog);
}

TEST(test_path)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/deepfield-watchdog-%d", (int)getpid());
    int fd = listener(path, (socklen_t)strlen(path));
    setenv("NOTIFY_SOCKET", path, 1);
    check_news(fd);
    unlink(path);
}

TEST(test_abstract_name)
{
    char name[64];
    snprintf(name, sizeof name, "@deepfield-watchdog-%d", (int)getpid());
    setenv("NOTIFY_SOCKET", name, 1);
    socklen_t length = (socklen_t)strlen(name);
    name[0] = '\0';
    check_news(listener(name, length));
}

TEST(test_nobody_listens)
{
    static const char *const names[] = {"", "relative", "/nowhere/at/all", "@", NULL};
    char longer[400];
    memset(longer, 'a', sizeof longer - 1);
    longer[0] = '/';
    longer[sizeof longer - 1] = '\0';
    for (int i = 0; names[i]; i++) {
        setenv("NOTIFY_SOCKET", names[i], 1);
        struct watchdog watchdog = watchdog_open();
        watchdog_presented(&watchdog, 1);
        watchdog_close(&watchdog);
    }
    setenv("NOTIFY_SOCKET", longer, 1);
    struct watchdog watchdog = watchdog_open();
    assert_int_equal(watchdog.socket, -1);
    unsetenv("NOTIFY_SOCKET");
    assert_int_equal(watchdog_open().socket, -1);
}
