#include "app/viewer/kiosk/status_page.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "decomposition/thread/clock.h"

#define REST_S 1.0 /* wait when no connection can be accepted for want of descriptors */

enum { BODY = 4096, ANSWER = BODY + 512, LISTENER = STATUS_PAGE_CLIENTS, STOPPER, POLLED };

struct client {
    int fd; /* -1: free */
    double until_s;
    int got, length, sent; /* bytes; length 0: the request is not whole yet */
    char request[STATUS_PAGE_REQUEST + 1];
    char answer[ANSWER];
};

struct status_page {
    struct sockaddr_in at;
    double rest_s;            /* time until which the listener is not polled */
    int listener, stopper[2]; /* < 0: the port is not ours yet; a pipe whose byte ends the thread */
    pthread_t thread;
    bool runs;
    pthread_mutex_t mutex;
    struct status_page_facts facts;
    struct client client[STATUS_PAGE_CLIENTS];
};

/* ---- answers ---- */

/* Copies a text without characters that would end a string of JSON or begin a tag of HTML. */
static void plain(char *to, const char *from, size_t bytes)
{
    size_t used = 0;
    for (; *from && used + 1 < bytes; from++)
        if ((unsigned char)*from >= ' ' && (unsigned char)*from < 127 && !strchr("\"\\<>&", *from))
            to[used++] = *from;
    to[used] = '\0';
}

static int json_make(const struct status_page_facts *facts, char *body)
{
    char error[STATUS_PAGE_TEXT];
    plain(error, facts->error, sizeof error);
    return snprintf(
        body, BODY,
        "{\"health\":\"%s\",\"stage\":\"%s\",\"up_s\":%.1f,\"last_visitor_s\":%.1f,"
        "\"visitors\":%llu,\"frames\":%llu,\"events\":%llu,\"pictures\":%llu,"
        "\"frame_p99_ms\":%.3f,\"reaction_p99_ms\":%.3f,\"coarse_p99_ms\":%.3f,"
        "\"worst_flashes_per_s\":%.1f,\"workers\":%d,\"workers_alive\":%d,\"devices_lost\":%d,"
        "\"errors\":%d,\"memory_bytes\":%llu,\"last_error\":\"%s\"}\n",
        facts->health, facts->stage, facts->up_s, facts->visitor_s,
        (unsigned long long)facts->visitors, (unsigned long long)facts->frames,
        (unsigned long long)facts->events, (unsigned long long)facts->pictures, facts->frame_p99_ms,
        facts->reaction_p99_ms, facts->coarse_p99_ms, facts->flashes, facts->workers,
        facts->workers_alive, facts->devices_lost, facts->errors,
        (unsigned long long)facts->memory_bytes, error);
}

static int html_make(const struct status_page_facts *facts, char *body)
{
    char error[STATUS_PAGE_TEXT], visitor[32] = "none yet";
    plain(error, facts->error, sizeof error);
    if (facts->visitor_s >= 0)
        snprintf(visitor, sizeof visitor, "%.0f s ago", facts->visitor_s);
    return snprintf(
        body, BODY,
        "<!doctype html><html lang=en><meta charset=utf-8><meta http-equiv=refresh content=5>"
        "<title>deepfield: %s</title><h1>deepfield: %s</h1><table>"
        "<tr><td>now<td>%s<tr><td>up<td>%.0f s<tr><td>last visitor<td>%s"
        "<tr><td>visitors<td>%llu<tr><td>pictures shown<td>%llu, 99 of 100 within %.1f ms"
        "<tr><td>answer to a hand<td>99 of 100 within %.1f ms"
        "<tr><td>coarse picture<td>99 of 100 within %.0f ms"
        "<tr><td>flashes in the worst second<td>%.1f of 3"
        "<tr><td>ranks<td>%d of %d<tr><td>devices lost<td>%d"
        "<tr><td>memory<td>%.1f MB<tr><td>errors<td>%d %s</table>"
        "<p><a href=/status.json>status.json</a></html>\n",
        facts->health, facts->health, facts->stage, facts->up_s, visitor,
        (unsigned long long)facts->visitors, (unsigned long long)facts->frames, facts->frame_p99_ms,
        facts->reaction_p99_ms, facts->coarse_p99_ms, facts->flashes, facts->workers_alive,
        facts->workers, facts->devices_lost, (double)facts->memory_bytes / 1e6, facts->errors,
        error);
}

/* Is this the path of the request, followed by a blank or a query? */
static bool asks_for(const char *request, const char *path)
{
    size_t length = strlen(path);
    const char *rest = strchr(request, ' ');
    return rest && !strncmp(rest + 1, path, length) && strchr(" ?\r\n", rest[1 + length]);
}

int status_page_answer(const struct status_page_facts *facts, const char *request, char *answer,
                       int bytes)
{
    char body[BODY] = "";
    const char *state = "200 OK", *type = "text/html; charset=utf-8";
    bool head = !strncmp(request, "HEAD ", 5);
    int length = 0;
    if (!head && strncmp(request, "GET ", 4) != 0)
        state = "405 Method Not Allowed";
    else if (asks_for(request, "/"))
        length = html_make(facts, body);
    else if (asks_for(request, "/status.json")) {
        type = "application/json";
        length = json_make(facts, body);
    } else
        state = "404 Not Found";
    if (!length) {
        type = "text/plain";
        length = snprintf(body, sizeof body, "%s\n", state);
    }
    length = length < BODY ? length : BODY - 1;
    int used = snprintf(answer, (size_t)bytes,
                        "HTTP/1.0 %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n"
                        "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
                        "%sConnection: close\r\n\r\n%s",
                        state, type, length,
                        !strncmp(state, "405", 3) ? "Allow: GET, HEAD\r\n" : "", head ? "" : body);
    return used < bytes ? used : bytes - 1;
}

/* ---- connections ---- */

static void client_end(struct client *client)
{
    close(client->fd);
    client->fd = -1;
}

static void client_accept(struct status_page *page)
{
    int fd = accept(page->listener, NULL, NULL);
    if (fd < 0) { /* the client still waits, so poll would return at once, for ever */
        if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
            page->rest_s = clock_s() + REST_S;
        return;
    }
    fcntl(fd, F_SETFL, O_NONBLOCK);
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    for (int i = 0; i < STATUS_PAGE_CLIENTS; i++)
        if (page->client[i].fd < 0) {
            struct client *client = &page->client[i];
            client->fd = fd;
            client->got = client->length = client->sent = 0;
            client->until_s = clock_s() + STATUS_PAGE_S;
            return;
        }
    close(fd);
}

/* Is the request complete? Its first line is enough to answer, but a client that is still sending
 * may lose the answer. */
static bool is_whole(const struct client *client)
{
    return strstr(client->request, "\r\n\r\n") || strstr(client->request, "\n\n");
}

static void client_read(struct status_page *page, struct client *client)
{
    ssize_t got = recv(client->fd, client->request + client->got,
                       (size_t)(STATUS_PAGE_REQUEST - client->got), 0);
    if (got <= 0) {
        client_end(client);
        return;
    }
    client->got += (int)got;
    client->request[client->got] = '\0';
    bool garbage = strlen(client->request) < (size_t)client->got; /* a NUL */
    if (garbage || (!is_whole(client) && client->got == STATUS_PAGE_REQUEST)) {
        client_end(client);
        return;
    }
    if (!is_whole(client))
        return;
    pthread_mutex_lock(&page->mutex);
    struct status_page_facts facts = page->facts;
    pthread_mutex_unlock(&page->mutex);
    client->length = status_page_answer(&facts, client->request, client->answer, ANSWER);
}

static void client_write(struct client *client)
{
    ssize_t sent = send(client->fd, client->answer + client->sent,
                        (size_t)(client->length - client->sent), MSG_NOSIGNAL);
    client->sent += sent > 0 ? (int)sent : 0;
    if (sent <= 0 || client->sent == client->length) {
        shutdown(client->fd, SHUT_WR);
        client_end(client);
    }
}

/* Ends clients whose time is over; returns the wait until the next one's is. */
static double clients_expire(struct status_page *page, double now_s)
{
    double wait_s = 3600;
    for (int i = 0; i < STATUS_PAGE_CLIENTS; i++) {
        struct client *client = &page->client[i];
        if (client->fd >= 0 && now_s >= client->until_s)
            client_end(client);
        if (client->fd >= 0)
            wait_s = fmin(wait_s, client->until_s - now_s);
    }
    return wait_s;
}

static bool listener_open(struct status_page *page)
{
    int yes = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return false;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(fd, (const struct sockaddr *)&page->at, sizeof page->at) != 0 ||
        listen(fd, STATUS_PAGE_CLIENTS) != 0) {
        close(fd);
        return false;
    }
    page->listener = fd;
    return true;
}

/* Opens the listener if it is not open; returns the wait until it may be polled or opened again. */
static double listener_poll(struct status_page *page, double now_s)
{
    if (page->listener < 0 && now_s >= page->rest_s && !listener_open(page))
        page->rest_s = now_s + STATUS_PAGE_AGAIN_S;
    return now_s < page->rest_s ? page->rest_s - now_s : 3600;
}

static void *serve(void *context)
{
    struct status_page *page = context;
    struct pollfd polled[POLLED];
    for (;;) {
        double now_s = clock_s(), rest_s = listener_poll(page, now_s);
        int wait_ms = (int)ceil(1e3 * fmin(clients_expire(page, now_s), rest_s));
        for (int i = 0; i < STATUS_PAGE_CLIENTS; i++) {
            struct client *client = &page->client[i];
            polled[i] = (struct pollfd){client->fd, client->length ? POLLOUT : POLLIN, 0};
        }
        bool rests = now_s < page->rest_s;
        polled[LISTENER] = (struct pollfd){rests ? -1 : page->listener, POLLIN, 0};
        polled[STOPPER] = (struct pollfd){page->stopper[0], POLLIN, 0};
        int ready = poll(polled, POLLED, wait_ms);
        if (ready < 0) /* no memory, or fewer descriptors allowed than these */
            poll(NULL, 0, (int)(1e3 * REST_S));
        if (ready <= 0)
            continue;
        if (polled[STOPPER].revents)
            return NULL;
        for (int i = 0; i < STATUS_PAGE_CLIENTS; i++) {
            if (polled[i].revents & POLLOUT)
                client_write(&page->client[i]);
            else if (polled[i].revents)
                client_read(page, &page->client[i]);
        }
        if (polled[LISTENER].revents)
            client_accept(page);
    }
}

/* ---- the page ---- */

/* Starts the thread with all signals blocked, which are for threads that expect them. */
static enum status thread_start(struct status_page *page)
{
    sigset_t all, before;
    if (pipe(page->stopper) != 0)
        return status_fail(STATUS_SYSTEM, "no pipe for the status page");
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    page->runs = pthread_create(&page->thread, NULL, serve, page) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return page->runs ? STATUS_OK : status_fail(STATUS_SYSTEM, "no thread for the status page");
}

enum status status_page_open(struct status_page **page, const char *address, int port)
{
    struct status_page *made = *page = calloc(1, sizeof *made);
    if (!made)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the status page");
    made->listener = made->stopper[0] = made->stopper[1] = -1;
    made->facts.health = "starting";
    made->facts.stage = "attract";
    for (int i = 0; i < STATUS_PAGE_CLIENTS; i++)
        made->client[i].fd = -1;
    pthread_mutex_init(&made->mutex, NULL);
    made->at = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    if (inet_pton(AF_INET, address, &made->at.sin_addr) != 1)
        return status_fail(STATUS_CONFIG,
                           "stand.status_address: '%.60s' is no IPv4 address, as 127.0.0.1 is",
                           address);
    bool listens = listener_open(made);
    made->rest_s = listens ? 0 : clock_s() + STATUS_PAGE_AGAIN_S;
    TRY(thread_start(made));
    return listens ? STATUS_OK
                   : status_fail(STATUS_SYSTEM,
                                 "no status page on %s:%d yet: the port is taken, or the address "
                                 "is not this machine's; it is tried again every %.0f s, and "
                                 "--status-port takes another",
                                 address, port, STATUS_PAGE_AGAIN_S);
}

void status_page_close(struct status_page *page)
{
    if (!page)
        return;
    if (page->runs) {
        ssize_t ignored = write(page->stopper[1], "", 1);
        (void)ignored;
        pthread_join(page->thread, NULL);
    }
    for (int i = 0; i < STATUS_PAGE_CLIENTS; i++)
        if (page->client[i].fd >= 0)
            client_end(&page->client[i]);
    if (page->listener >= 0)
        close(page->listener);
    for (int i = 0; i < 2; i++)
        if (page->stopper[i] >= 0)
            close(page->stopper[i]);
    pthread_mutex_destroy(&page->mutex);
    free(page);
}

void status_page_tell(struct status_page *page, const struct status_page_facts *facts)
{
    pthread_mutex_lock(&page->mutex);
    page->facts = *facts;
    pthread_mutex_unlock(&page->mutex);
}
