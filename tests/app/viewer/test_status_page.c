/* The operator's page: what it says, and that hostile clients neither end it nor keep others from
 * it. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "app/viewer/kiosk/status_page.h"
#include "decomposition/thread/clock.h"
#include "tests/support/check.h"

static const struct status_page_facts facts = {.health = "reduced",
                                               .stage = "visitor",
                                               .up_s = 61,
                                               .visitor_s = 3.5,
                                               .visitors = 7,
                                               .frames = 1234,
                                               .workers = 4,
                                               .workers_alive = 3,
                                               .devices_lost = 1,
                                               .errors = 2,
                                               .error = "a \"device\" <b>fell</b>\\ off\n"};

static char answer[8192];

static const char *asked(const char *request)
{
    int length = status_page_answer(&facts, request, answer, sizeof answer);
    assert_int_equal(length, strlen(answer));
    const char *body = strstr(answer, "\r\n\r\n");
    assert_non_null(body);
    return body + 4;
}

TEST(test_answers)
{
    const char *body = asked("GET /status.json HTTP/1.0\r\n\r\n");
    assert_true(!strncmp(answer, "HTTP/1.0 200 OK\r\n", 17));
    assert_non_null(strstr(answer, "Content-Type: application/json\r\n"));
    assert_non_null(strstr(body, "\"health\":\"reduced\""));
    assert_non_null(strstr(body, "\"last_visitor_s\":3.5"));
    assert_non_null(strstr(body, "\"frames\":1234"));
    assert_non_null(strstr(body, "\"last_error\":\"a device bfell/b off\""));
    char length[64];
    snprintf(length, sizeof length, "Content-Length: %zu\r\n", strlen(body));
    assert_non_null(strstr(answer, length));
    assert_non_null(strstr(asked("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), "3 of 4"));
    assert_null(strstr(answer, "<b>"));
    assert_non_null(strstr(answer, "last visitor<td>4 s ago"));
    struct status_page_facts fresh = facts;
    fresh.visitor_s = -1;
    status_page_answer(&fresh, "GET / HTTP/1.0\r\n\r\n", answer, sizeof answer);
    assert_non_null(strstr(answer, "last visitor<td>none yet"));
    asked("GET /?refresh=1 HTTP/1.0\r\n\r\n");
    assert_non_null(strstr(answer, "200 OK"));
    assert_string_equal(asked("HEAD / HTTP/1.0\r\n\r\n"), "");
}

TEST(test_refusals)
{
    static const char *const not_found[] = {"GET /../../etc/passwd HTTP/1.0",
                                            "GET /status.jsonx X",
                                            "GET /statu X",
                                            "GET ",
                                            "GET",
                                            "GET http://x/ HTTP/1.0",
                                            "GET //  "};
    for (size_t i = 0; i < sizeof not_found / sizeof *not_found; i++) {
        asked(not_found[i]);
        if (!strstr(answer, "404") && !strstr(answer, "405"))
            fail_msg("'%s' was answered by %s", not_found[i], answer);
    }
    static const char *const methods[] = {"POST / HTTP/1.0", "DELETE /status.json HTTP/1.0",
                                          "get / HTTP/1.0",  "",
                                          "\r\n\r\n",        "PUT / X"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        asked(methods[i]);
        assert_non_null(strstr(answer, "405"));
    }
    status_page_answer(&facts, "GET / HTTP/1.0", answer, 64); /* cut, not beyond */
    assert_true(strlen(answer) == 63);
}

/* ---- over sockets ---- */

static int port;

static struct status_page *page_open(void)
{
    struct status_page *page = NULL;
    enum status status = STATUS_SYSTEM;
    for (port = 20000 + (int)(getpid() % 20000); status == STATUS_SYSTEM && port < 64000; port++) {
        status = status_page_open(&page, "127.0.0.1", port);
        if (status == STATUS_OK)
            break;
        status_page_close(page);
    }
    assert_int_equal(status, STATUS_OK);
    status_page_tell(page, &facts);
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
    send(fd, "GET /status.json HTTP/1.0\r\n\r\n", 29, MSG_NOSIGNAL);
    return received(fd) > 100 && strstr(answer, "200 OK");
}

TEST(test_served)
{
    struct status_page *page = page_open();
    assert_true(answers());
    int fd = client(); /* in pieces */
    said(fd, "GET /sta");
    nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
    said(fd, "tus.json HTTP/1.0\r");
    nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
    said(fd, "\n\r\n");
    assert_true(received(fd) > 100);
    status_page_close(page);
    /* The port is free again, and a wrong address is told. */
    struct status_page *again = NULL, *other = NULL;
    assert_int_equal(status_page_open(&again, "127.0.0.1", port), STATUS_OK);
    assert_int_equal(status_page_open(&other, "localhost", port), STATUS_CONFIG);
    status_page_close(other);
    status_page_close(again);
}

/* A port that another program has is told, and the page is there once it is free. */
TEST(test_taken_port)
{
    struct status_page *first = page_open(), *second = NULL;
    assert_int_equal(status_page_open(&second, "127.0.0.1", port), STATUS_SYSTEM);
    assert_non_null(strstr(status_text(), "--status-port"));
    status_page_tell(second, &(struct status_page_facts){.health = "second", .stage = "attract"});
    status_page_close(first);
    double begin_s = clock_s();
    bool there = false;
    while (!there && clock_s() < begin_s + 100 * STATUS_PAGE_AGAIN_S) {
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
    status_page_close(second);
}

/* Where no descriptor is left for a connection, it waits, and so does the thread: it took a whole
 * core, since poll has the connection to report for as long as nobody takes it. */
TEST(test_no_descriptors)
{
    struct status_page *page = page_open();
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
    send(fd, "GET / HTTP/1.0\r\n\r\n", 18, MSG_NOSIGNAL);
    assert_true(received(fd) > 100);
    status_page_close(page);
}

TEST(test_garbage_and_long_lines)
{
    struct status_page *page = page_open();
    static char line[STATUS_PAGE_REQUEST * 2];
    memset(line, 'a', sizeof line);
    int fd = client();
    send(fd, line, sizeof line, MSG_NOSIGNAL);
    assert_int_equal(received(fd), 0);
    fd = client();
    send(fd, "GET /\0HTTP\r\n\r\n", 14, MSG_NOSIGNAL);
    assert_int_equal(received(fd), 0);
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
    status_page_close(page);
}

/* Clients that send a byte now and then have their time like all others, and what is full is free
 * again after it. */
TEST(test_slow_clients)
{
    struct status_page *page = page_open();
    int slow[STATUS_PAGE_CLIENTS];
    double begin_s = clock_s();
    for (int i = 0; i < STATUS_PAGE_CLIENTS; i++)
        slow[i] = client();
    while (clock_s() < begin_s + STATUS_PAGE_S + 0.5) {
        for (int i = 0; i < STATUS_PAGE_CLIENTS; i++)
            send(slow[i], "G", 1, MSG_NOSIGNAL);
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    }
    bool free_again = false;
    for (int i = 0; i < 100 && !free_again; i++) { /* a machine that is busy */
        free_again = answers();
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    }
    assert_true(free_again);
    for (int i = 0; i < STATUS_PAGE_CLIENTS; i++)
        close(slow[i]);
    /* Who holds connections when it ends does not hold it up. */
    int held = client();
    said(held, "GET / HTTP/1.0\r\n");
    status_page_close(page);
    close(held);
}
