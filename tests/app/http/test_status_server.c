/* The status feed over sockets: hostile clients neither end it nor keep others from it. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "app/http/http_thread.h"
#include "app/http/status_server.h"
#include "decomposition/thread/clock.h"
#include "tests/support/check.h"

#define HOST "Host: localhost\r\n"

static const struct status_facts facts = {
    .health = "reduced", .stage = "visitor", .frames = 1234, .ranks = 1, .rank = {{.alive = true}}};

static char answer[1 << 16];

static int port;

static struct status_server *page_open(void)
{
    struct status_server *page = NULL;
    enum status status = STATUS_SYSTEM;
    for (port = 20000 + (int)(getpid() % 20000); status == STATUS_SYSTEM && port < 64000; port++) {
        status = status_server_open(&page, "127.0.0.1", port, "named", NULL);
        if (status == STATUS_OK)
            break;
        status_server_close(page);
    }
    assert_int_equal(status, STATUS_OK);
    status_server_tell(page, &facts);
    return page;
}

static int client(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct timeval patience = {.tv_sec = 60};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof at), 0);
    return fd;
}

/* What comes back until the other side ends. */
static size_t received(int fd)
{
    size_t used = 0;
    ssize_t got;
    while ((got = recv(fd, answer + used, sizeof answer - 1 - used, 0)) > 0)
        used += (size_t)got;
    answer[used] = '\0';
    close(fd);
    return used;
}

static void said(int fd, const char *text)
{
    assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

static bool answers(void)
{
    int fd = client();
    static const char request[] = "GET /status.json HTTP/1.0\r\n" HOST "\r\n";
    send(fd, request, sizeof request - 1, MSG_NOSIGNAL);
    return received(fd) > 100 && strstr(answer, "200 OK");
}

/* The status of the answer to this request; 0: there is none. */
static int state_of(const char *request)
{
    int fd = client();
    said(fd, request);
    received(fd);
    bool is_answer = !strncmp(answer, "HTTP/1.", 7) && answer[8] == ' ';
    return is_answer ? (int)strtol(answer + 9, NULL, 10) : 0;
}

TEST(test_refusals)
{
    static const struct {
        int wanted;
        const char *request;
    } rows[] = {{200, "GET / HTTP/1.0\r\n" HOST "\r\n"},
                {200, "HEAD /status.json HTTP/1.0\r\n" HOST "\r\n"},
                {200, "GET / HTTP/1.0\r\nHost: 192.168.1.5:8017\r\n\r\n"},
                {200, "GET / HTTP/1.0\r\nHost: named:1\r\nOrigin: http://named:1\r\n\r\n"},
                {403, "GET / HTTP/1.0\r\n\r\n"},
                {403, "GET / HTTP/1.0\r\nHost: evil.example\r\n\r\n"},
                {403, "GET /events HTTP/1.0\r\n" HOST "Origin: http://evil.example\r\n\r\n"},
                {403, "GET /status.json HTTP/1.0\r\n" HOST "Origin: null\r\n\r\n"},
                {404, "GET /status.jsonx HTTP/1.0\r\n" HOST "\r\n"},
                {404, "GET /etc/passwd HTTP/1.0\r\n" HOST "\r\n"},
                {405, "POST / HTTP/1.0\r\n" HOST "Content-Length: 0\r\n\r\n"},
                {405, "DELETE /status.json HTTP/1.0\r\n" HOST "\r\n"},
                {405, "HEAD /events HTTP/1.0\r\n" HOST "\r\n"}};
    struct status_server *page = page_open();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int got = state_of(rows[i].request);
        if (got != rows[i].wanted)
            fail_msg("'%s' was answered by %d, not %d", rows[i].request, got, rows[i].wanted);
    }
    assert_int_equal(state_of("HEAD / HTTP/1.0\r\n" HOST "\r\n"), 200);
    assert_string_equal(strstr(answer, "\r\n\r\n"), "\r\n\r\n");
    status_server_close(page);
}

/* Reads until there are so many events. */
static void events_await(int fd, int wanted)
{
    size_t used = 0;
    int events = 0;
    while (events < wanted) {
        ssize_t got = recv(fd, answer + used, sizeof answer - 1 - used, 0);
        assert_true(got > 0);
        used += (size_t)got;
        answer[used] = '\0';
        events = 0;
        for (const char *at = answer; (at = strstr(at, "data: {")) != NULL; at++)
            events++;
    }
}

/* Followers get events, those who read none delay nobody, and one too many is refused. */
TEST(test_events)
{
    static const char request[] = "GET /events HTTP/1.1\r\n" HOST "\r\n";
    struct status_server *page = page_open();
    int fd[STATUS_FOLLOWERS];
    assert_true(status_server_interval_s(page) > 1.0 / STATUS_EVENTS_A_S);
    for (int i = 0; i < STATUS_FOLLOWERS; i++) {
        fd[i] = client();
        said(fd[i], request);
    }
    for (int i = 1; i < STATUS_FOLLOWERS; i += 3) {
        events_await(fd[i], 3);
        assert_non_null(strstr(answer, "text/event-stream"));
    }
    assert_int_equal(state_of("GET /events HTTP/1.0\r\n" HOST "\r\n"), 503);
    assert_true(answers());
    assert_true(status_server_interval_s(page) <= 1.0 / STATUS_EVENTS_A_S);
    for (int i = 0; i < STATUS_FOLLOWERS; i++)
        close(fd[i]);
    bool is_free = false;
    for (int i = 0; i < 100 && !is_free; i++) {
        fd[0] = client();
        said(fd[0], request);
        ssize_t got = recv(fd[0], answer, sizeof answer - 1, 0);
        answer[got > 0 ? got : 0] = '\0';
        is_free = strstr(answer, "200 OK") != NULL;
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
        close(fd[0]);
    }
    assert_true(is_free);
    status_server_close(page);
}

TEST(test_served)
{
    struct status_server *page = page_open();
    assert_true(answers());
    int fd = client(); /* in pieces */
    said(fd, "GET /sta");
    nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
    said(fd, "tus.json HTTP/1.0\r\n" HOST "\r");
    nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
    said(fd, "\n");
    assert_true(received(fd) > 100);
    status_server_close(page);
    /* The port is free again, and a wrong address is told. */
    struct status_server *again = NULL, *other = NULL;
    assert_int_equal(status_server_open(&again, "127.0.0.1", port, NULL, NULL), STATUS_OK);
    assert_int_equal(status_server_open(&other, "localhost", port, NULL, NULL), STATUS_CONFIG);
    status_server_close(other);
    status_server_close(again);
}

/* A port that another program has is told, and the page is there once it is free. */
TEST(test_taken_port)
{
    struct status_server *first = page_open(), *second = NULL;
    assert_int_equal(status_server_open(&second, "127.0.0.1", port, NULL, NULL), STATUS_SYSTEM);
    assert_non_null(strstr(status_text(), "--status-port"));
    status_server_tell(second, &(struct status_facts){.health = "second", .stage = "attract"});
    status_server_close(first);
    double begin_s = clock_s();
    bool there = false;
    while (!there && clock_s() < begin_s + 100 * HTTP_AGAIN_S) {
        int fd = socket(AF_INET, SOCK_STREAM, 0);
        struct sockaddr_in at = {.sin_family = AF_INET,
                                 .sin_port = htons((uint16_t)port),
                                 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        there = connect(fd, (struct sockaddr *)&at, sizeof at) == 0;
        close(fd);
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    }
    assert_true(answers());
    assert_non_null(strstr(answer, "second"));
    status_server_close(second);
}

/* Where no descriptor is left for a connection, it waits, and so does the thread: it took a whole
 * core, since poll has the connection to report for as long as nobody takes it. */
TEST(test_no_descriptors)
{
    struct status_server *page = page_open();
    struct rlimit limit, none;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    int fd = socket(AF_INET, SOCK_STREAM, 0), filled[64], fills = 0;
    while (fills < 64 && (fills == 0 || filled[fills - 1] < 62))
        filled[fills++] = dup(fd);
    none = (struct rlimit){(rlim_t)filled[fills - 1] + 1, limit.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    clock_t before = clock();
    assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof at), 0);
    nanosleep(&(struct timespec){.tv_nsec = 700000000}, NULL);
    double spent_s = (double)(clock() - before) / CLOCKS_PER_SEC;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_true(spent_s < 0.1);
    for (int i = 0; i < fills; i++)
        close(filled[i]);
    said(fd, "GET / HTTP/1.0\r\n" HOST "\r\n");
    assert_true(received(fd) > 100);
    status_server_close(page);
}

TEST(test_garbage_and_long_lines)
{
    struct status_server *page = page_open();
    static char line[1 << 14];
    memset(line, 'a', sizeof line);
    int fd = client();
    send(fd, line, sizeof line, MSG_NOSIGNAL);
    received(fd);
    assert_null(strstr(answer, "200 OK"));
    fd = client();
    send(fd, "GET /\0HTTP\r\n\r\n", 14, MSG_NOSIGNAL);
    received(fd);
    assert_null(strstr(answer, "200 OK"));
    uint64_t seed = 1;
    for (int i = 0; i < 50; i++) {
        fd = client();
        for (size_t at = 0; at < sizeof line; at++)
            line[at] = (char)check_random(&seed);
        send(fd, line, 1 + check_random(&seed) % sizeof line, MSG_NOSIGNAL);
        if (i % 2)
            shutdown(fd, SHUT_WR);
        if (i % 3)
            close(fd); /* without waiting for an answer */
        else {
            shutdown(fd, SHUT_WR);
            received(fd);
        }
    }
    assert_true(answers());
    status_server_close(page);
}

/* Clients that send a byte now and then have their time like all others, and what is full is free
 * again after it. */
TEST(test_slow_clients)
{
    struct status_server *page = page_open();
    int slow[STATUS_CONNECTIONS];
    double begin_s = clock_s();
    for (int i = 0; i < STATUS_CONNECTIONS; i++)
        slow[i] = client();
    while (clock_s() < begin_s + STATUS_REQUEST_S + 0.5) {
        for (int i = 0; i < STATUS_CONNECTIONS; i++)
            send(slow[i], "G", 1, MSG_NOSIGNAL);
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    }
    bool free_again = false;
    for (int i = 0; i < 100 && !free_again; i++) { /* a machine that is busy */
        free_again = answers();
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    }
    assert_true(free_again);
    for (int i = 0; i < STATUS_CONNECTIONS; i++)
        close(slow[i]);
    /* Who holds connections when it ends does not hold it up. */
    int held = client();
    said(held, "GET / HTTP/1.0\r\n");
    status_server_close(page);
    close(held);
}
