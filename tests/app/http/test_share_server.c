/* Shared pictures over sockets: a phone gets the picture, others get nothing. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <turbojpeg.h>
#include <unistd.h>

#include "app/http/share_server.h"
#include "tests/support/check.h"

enum { WIDTH = 320, HEIGHT = 200, PICTURES = 3 };

static unsigned char answer[1 << 20];
static size_t answered;
static int port;

static struct share_server *server_open(double minutes)
{
    struct share_server *server = NULL;
    enum status status = STATUS_SYSTEM;
    for (port = 22000 + (int)(getpid() % 20000); status == STATUS_SYSTEM && port < 64000; port++) {
        status = share_server_open(&server, "127.0.0.1", port, minutes);
        if (status == STATUS_OK)
            break;
        share_server_close(server);
    }
    assert_int_equal(status, STATUS_OK);
    return server;
}

/* Sends a request and reads its answer; its state. */
static int get(const char *method, const char *path, const char *host)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    char request[512];
    ssize_t got;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct timeval patience = {.tv_sec = 60};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof at), 0);
    int length =
        snprintf(request, sizeof request, "%s %s HTTP/1.0\r\nHost: %s\r\n\r\n", method, path, host);
    assert_int_equal(send(fd, request, (size_t)length, MSG_NOSIGNAL), length);
    for (answered = 0; answered < sizeof answer - 1; answered += (size_t)got)
        if ((got = recv(fd, answer + answered, sizeof answer - 1 - answered, 0)) <= 0)
            break;
    answer[answered] = '\0';
    close(fd);
    return answered > 12 ? (int)strtol((char *)answer + 9, NULL, 10) : 0;
}

static const unsigned char *body(size_t *length)
{
    const char *end = strstr((char *)answer, "\r\n\r\n");
    assert_non_null(end);
    *length = answered - (size_t)(end + 4 - (char *)answer);
    return (const unsigned char *)end + 4;
}

static void picture_add(struct share_server *server, uint32_t colour, char url[SHARE_URL_BYTES])
{
    static uint32_t pixels[WIDTH * HEIGHT];
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        pixels[i] = colour;
    const struct share_request request = {.pixels = pixels,
                                          .width = WIDTH,
                                          .height = HEIGHT,
                                          .stride = WIDTH,
                                          .place = "[view]\nre = 0\n",
                                          .words = {"t", "s", "p", "q"}};
    assert_int_equal(share_server_add(server, &request, url), STATUS_OK);
}

TEST(a_phone_gets_the_picture)
{
    struct share_server *server = server_open(1);
    char url[PICTURES][SHARE_URL_BYTES], path[64], start[64];
    for (int i = 0; i < PICTURES; i++)
        picture_add(server, 0xff000000 | 0x40u << 8 * i, url[i]);
    snprintf(start, sizeof start, "http://127.0.0.1:%d/", port);
    for (int i = 0; i < PICTURES; i++) {
        size_t length;
        int width, height, subsampling, space;
        unsigned char pixel[WIDTH * HEIGHT * 3];
        assert_int_equal(strncmp(url[i], start, strlen(start)), 0);
        const char *name = url[i] + strlen(start) - 1;
        assert_int_equal(get("GET", name, "127.0.0.1:1"), 200);
        assert_non_null(strstr((char *)answer, "<img"));
        assert_non_null(strstr((char *)answer, "no-store"));
        snprintf(path, sizeof path, "%s.ini", name);
        assert_int_equal(get("GET", path, "127.0.0.1:1"), 200);
        assert_string_equal((const char *)body(&length), "[view]\nre = 0\n");
        snprintf(path, sizeof path, "%s.jpg", name);
        assert_int_equal(get("GET", path, "127.0.0.1:1"), 200);
        const unsigned char *jpeg = body(&length);
        tjhandle decoder = tjInitDecompress();
        assert_int_equal(
            tjDecompressHeader3(decoder, jpeg, length, &width, &height, &subsampling, &space), 0);
        assert_true(width == WIDTH && height == HEIGHT);
        assert_int_equal(tjDecompress2(decoder, jpeg, length, pixel, width, 0, height, TJPF_BGR, 0),
                         0);
        for (int c = 0; c < 3; c++)
            assert_in_range(pixel[3 * WIDTH + c], c == i ? 0x3c : 0, c == i ? 0x44 : 4);
        tjDestroy(decoder);
    }
    share_server_close(server);
}

TEST(a_picture_of_many_parts)
{
    static uint32_t pixels[WIDTH * HEIGHT];
    struct share_server *server = server_open(1);
    char url[SHARE_URL_BYTES], path[64], line[64];
    uint32_t random = 1;
    size_t length;
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        pixels[i] = random = random * 1664525u + 1013904223u;
    const struct share_request request = {.pixels = pixels,
                                          .width = WIDTH,
                                          .height = HEIGHT,
                                          .stride = WIDTH,
                                          .place = "",
                                          .words = {"t", "s", "p", "q"}};
    assert_int_equal(share_server_add(server, &request, url), STATUS_OK);
    snprintf(path, sizeof path, "%s.jpg", strrchr(url, '/'));
    for (int i = 0; i < 2; i++) { /* the first changes no byte */
        assert_int_equal(get("GET", path, "127.0.0.1"), 200);
        const unsigned char *jpeg = body(&length);
        snprintf(line, sizeof line, "content-length: %zu\r\n", length);
        assert_non_null(strstr((char *)answer, line));
        assert_true(length > 1 << 16);
        assert_memory_equal(jpeg, "\xff\xd8\xff", 3);
        assert_memory_equal(jpeg + length - 2, "\xff\xd9", 2);
        static unsigned char decoded[WIDTH * HEIGHT * 3], first[WIDTH * HEIGHT * 3];
        tjhandle decoder = tjInitDecompress();
        assert_int_equal(tjDecompress2(decoder, jpeg, length, decoded, WIDTH, 0, HEIGHT, TJPF_BGR,
                                       TJFLAG_STOPONWARNING),
                         0);
        tjDestroy(decoder);
        if (i > 0)
            assert_memory_equal(decoded, first, sizeof first);
        memcpy(first, decoded, sizeof first);
    }
    share_server_close(server);
}

TEST(others_get_nothing)
{
    struct share_server *server = server_open(1e-9 / 60); /* gone at once */
    char url[SHARE_URL_BYTES];
    picture_add(server, 0, url);
    assert_int_equal(get("GET", strrchr(url, '/'), "127.0.0.1"), 404);
    share_server_close(server);
    server = server_open(1);
    picture_add(server, 0, url);
    assert_int_equal(get("GET", strrchr(url, '/'), "127.0.0.1"), 200);
    assert_int_equal(get("GET", strrchr(url, '/'), "evil.example"), 403);
    assert_int_equal(get("POST", strrchr(url, '/'), "127.0.0.1"), 405);
    assert_int_equal(get("GET", "/", "127.0.0.1"), 404);
    assert_int_equal(get("GET", "/0123456789abcdef", "127.0.0.1"), 404);
    assert_int_equal(get("GET", "/../../etc/passwd", "127.0.0.1"), 404);
    share_server_close(server);
}

/* What another program serves at the address is not ours: the picture gets none. */
TEST(a_taken_port_gives_no_address)
{
    struct share_server *first = server_open(1), *second;
    char url[SHARE_URL_BYTES] = "x";
    assert_int_equal(share_server_open(&second, "127.0.0.1", port, 1), STATUS_SYSTEM);
    picture_add(second, 0, url);
    assert_string_equal(url, "");
    share_server_close(second);
    share_server_close(first);
}

TEST(addresses_that_no_phone_can_call)
{
    static const char *const addresses[] = {"", "0.0.0.0", "::", "localhost", "1.2.3", "300.1.1.1"};
    struct share_server *server;
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
        assert_int_equal(share_server_open(&server, addresses[i], 22222, 1), STATUS_CONFIG);
        assert_null(server);
    }
}

int main(void)
{
    return check_run(NULL, NULL);
}
