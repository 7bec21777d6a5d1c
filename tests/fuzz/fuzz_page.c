/* Any bytes as what clients of the served page do: connections and sockets that are opened, bytes
 * and frames that are sent, floods, and clients that do not read. The server goes on, and a good
 * client gets its page. Steps are a byte and what belongs to it. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "app/serve/page_server.h"
#include "app/viewer/core/remote.h"
#include "include/deepfield/deepfield.h"
#include "library/config/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SLOTS = 4, STEPS_MOST = 40, FLOOD = 60, ANSWER_MS = 60000, WIDTH = 64, HEIGHT = 48 };

enum step { PLAIN, SOCKET, BYTES, TEXT, FRAME, AGAIN, READ, END, STEP_KINDS };

struct input {
    const uint8_t *data;
    size_t size;
};

static struct {
    char folder[32], path[64];
    struct access access;
    struct remote *remote;
    struct page_server *server;
    pthread_t thread;
    int ended; /* atomic */
} served = {.folder = "/tmp/deepfield-fuzz-XXXXXX"};

static void must(int holds)
{
    if (!holds)
        __builtin_trap();
}

/* ---- the server, which stays for all inputs ---- */

static void *serve(void *context)
{
    static const int never;
    (void)context;
    enum status status = page_server_run(served.server, &never);
    fprintf(stderr, "the server has ended: %s\n", status == STATUS_OK ? "" : status_text());
    __atomic_store_n(&served.ended, 1, __ATOMIC_RELEASE);
    return NULL;
}

/* Puts a picture where a window would, so that frames are sent. */
static void picture_put(void)
{
    static uint32_t pixels[HEIGHT][WIDTH];
    static struct remote_facts facts;
    const struct warp_image image = {pixels[0], WIDTH, HEIGHT, WIDTH};
    pixels[0][0]++;
    if (!facts.place.view.re)
        must(place_create(&facts.place, WIDTH, HEIGHT) == STATUS_OK);
    facts.final = true;
    remote_picture_put(served.remote, &image, NULL, 0);
    remote_facts_put(served.remote, &facts);
    page_server_wake(served.server);
}

/* Settings of a place. */
static void config_begin(struct config *config)
{
    must(config_create(config) == STATUS_OK);
    must(config_set(config, OPTION_VIEW_RE, "-0.5", "fuzz", STATUS_CONFIG) == STATUS_OK);
    must(config_set(config, OPTION_VIEW_IM, "0", "fuzz", STATUS_CONFIG) == STATUS_OK);
    must(config_set(config, OPTION_VIEW_ZOOM, "1", "fuzz", STATUS_CONFIG) == STATUS_OK);
}

static void folder_remove(void)
{
    unlink(served.path);
    rmdir(served.folder);
}

static void server_open(void)
{
    static struct config config;
    static struct serve_session *session;
    const deepfield_world_options of_world = {.size = sizeof of_world, .data = DATA_FOLDER};
    deepfield_world *world;
    must(deepfield_world_open(&world, &of_world) == DEEPFIELD_OK && mkdtemp(served.folder));
    snprintf(served.path, sizeof served.path, "%s/page", served.folder);
    atexit(folder_remove);
    config_begin(&config);
    must(remote_create(&served.remote) == STATUS_OK);
    must(access_create(&served.access, 80, true, NULL, NULL) == STATUS_OK);
    const struct serve_session_options of_session = {
        .world = world, .config = &config, .data = DATA_FOLDER, .window = served.remote};
    must(serve_session_create(&session, &of_session) == STATUS_OK);
    const struct page_server_options options = {.address = served.path,
                                                .port = 80,
                                                .pages = 8,
                                                .access = &served.access,
                                                .session = session};
    must(page_server_open(&served.server, &options) == STATUS_OK);
    must(pthread_create(&served.thread, NULL, serve, NULL) == 0);
}

/* ---- clients ---- */

static int connection_open(void)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    snprintf(at.sun_path, sizeof at.sun_path, "%s", served.path);
    must(fd >= 0 && connect(fd, (const struct sockaddr *)&at, sizeof at) == 0);
    return fd;
}

/* Sends what fits now: a server that does not read is not waited for. */
static void bytes_send(int fd, const void *bytes, size_t length)
{
    if (fd >= 0 && length)
        (void)!send(fd, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static int socket_open(bool leads)
{
    char head[600];
    enum access_right right = leads ? ACCESS_LEAD : ACCESS_WATCH;
    int fd = connection_open();
    int length = snprintf(
        head, sizeof head,
        "GET /%s%s/socket HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\n"
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: "
        "AAAAAAAAAAAAAAAAAAAAAA==\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: deepfield\r\n"
        "Cookie: deepfield=%s\r\n\r\n",
        served.access.folder, access_folder_end(right), access_token(&served.access, right));
    bytes_send(fd, head, (size_t)length);
    return fd;
}

/* Sends a frame whose mask is zero. */
static void frame_send(int fd, uint8_t first, const uint8_t *bytes, size_t length)
{
    uint8_t frame[6 + 255] = {first, (uint8_t)(0x80 | (length > 125 ? 125 : length))};
    length = length > 125 ? 125 : length;
    memcpy(frame + 6, bytes, length);
    bytes_send(fd, frame, 6 + length);
}

static void answer_read(int fd)
{
    char bytes[4096];
    struct pollfd poll_of = {.fd = fd, .events = POLLIN};
    if (fd >= 0 && poll(&poll_of, 1, 1) == 1)
        (void)!recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
}

/* Does a good client get the lists that greet each page? */
static bool is_greeted(void)
{
    char bytes[4096] = "";
    size_t length = 0;
    ssize_t more = 1;
    int fd = socket_open(true);
    struct pollfd poll_of = {.fd = fd, .events = POLLIN};
    while (more > 0 && !memmem(bytes, length, "\"lists\"", 7) && length < sizeof bytes) {
        must(TEMP_FAILURE_RETRY(poll(&poll_of, 1, ANSWER_MS)) == 1);
        more = TEMP_FAILURE_RETRY(recv(fd, bytes + length, sizeof bytes - length, 0));
        length += more > 0 ? (size_t)more : 0;
    }
    close(fd);
    return memmem(bytes, length, "\"lists\"", 7);
}

/* Tries until the server has seen that the other clients are gone, which leave no room. */
static void greeting_check(void)
{
    for (int ms = 0; !is_greeted(); ms++) {
        must(ms < ANSWER_MS);
        usleep(1000);
    }
}

/* ---- steps ---- */

static uint8_t byte_take(struct input *input)
{
    if (!input->size)
        return 0;
    input->size--;
    return *input->data++;
}

static struct input bytes_take(struct input *input)
{
    size_t length = byte_take(input);
    struct input taken = {input->data, length < input->size ? length : input->size};
    input->data += taken.size;
    input->size -= taken.size;
    return taken;
}

static void step_do(struct input *input, int *slot)
{
    uint8_t step = byte_take(input);
    struct input bytes = {NULL, 0};
    int kind = step % STEP_KINDS;
    if (kind == PLAIN || kind == SOCKET || kind == END) {
        if (*slot >= 0)
            close(*slot);
        *slot = kind == END ? -1 : kind == PLAIN ? connection_open() : socket_open(step & 16);
        return;
    }
    if (kind == READ) {
        answer_read(*slot);
        return;
    }
    uint8_t first = kind == FRAME ? byte_take(input) : 0x81;
    bytes = bytes_take(input);
    if (kind == BYTES)
        bytes_send(*slot, bytes.data, bytes.size);
    else
        for (int i = 0; i < (kind == AGAIN ? FLOOD : 1); i++)
            frame_send(*slot, first, bytes.data, bytes.size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input input = {data, size};
    struct remote_command command;
    int slot[SLOTS] = {-1, -1, -1, -1};
    if (!served.server)
        server_open();
    picture_put();
    for (int i = 0; i < STEPS_MOST && input.size; i++) {
        uint8_t which = byte_take(&input);
        step_do(&input, &slot[which % SLOTS]);
        while (remote_command_next(served.remote, &command))
            free(command.text);
    }
    picture_put();
    for (int i = 0; i < SLOTS; i++) {
        answer_read(slot[i]);
        if (slot[i] >= 0)
            close(slot[i]);
    }
    greeting_check();
    must(!__atomic_load_n(&served.ended, __ATOMIC_ACQUIRE));
    return 0;
}
