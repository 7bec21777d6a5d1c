#include "app/http/status_server.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/http/http_thread.h"
#include "decomposition/thread/clock.h"

#define UNWATCHED_S 0.25 /* time between facts where nobody follows */

struct follower { /* connection that gets events */
    struct lws *wsi;
    double sent_s; /* time of the last event */
    bool owed;     /* has not got the newest event */
};

struct status_server {
    struct http_thread thread;
    struct access access;
    char hosts[512];
    int following; /* atomic: followers */
    pthread_mutex_t mutex;
    struct status_facts facts; /* with the mutex */

    /* The rest is its thread's. */
    struct status_facts served;
    struct follower follower[STATUS_FOLLOWERS];
    char *event; /* LWS_PRE bytes, then the newest event; owned; NULL: none */
    size_t event_length;
    double due_s; /* time of the next event */
};

struct answer { /* to a request */
    char *body; /* LWS_PRE bytes, then the body; owned; NULL: events */
    size_t length;
};

/* ---- events ---- */

static void facts_take(struct status_server *server)
{
    pthread_mutex_lock(&server->mutex);
    status_facts_copy(&server->served, &server->facts);
    pthread_mutex_unlock(&server->mutex);
}

/* A text behind LWS_PRE bytes, between two others; frees `text`. NULL without memory. */
static char *text_frame(char *text, size_t *length, const char *before, const char *after)
{
    size_t begin = strlen(before), end = strlen(after);
    char *framed = text ? malloc(LWS_PRE + begin + *length + end) : NULL;
    if (framed) {
        memcpy(framed + LWS_PRE, before, begin);
        memcpy(framed + LWS_PRE + begin, text, *length);
        memcpy(framed + LWS_PRE + begin + *length, after, end);
        *length += begin + end;
    }
    free(text);
    return framed;
}

static void event_make(struct status_server *server)
{
    facts_take(server);
    size_t length;
    char *text = status_facts_json(&server->served, &length);
    char *event = text_frame(text, &length, "data: ", "\n\n");
    if (!event)
        return;
    free(server->event);
    server->event = event;
    server->event_length = length;
}

/* Makes an event where somebody follows, offers it to all, and closes those that take none. */
static void events_turn(struct status_server *server, double now_s)
{
    if (!__atomic_load_n(&server->following, __ATOMIC_RELAXED))
        return;
    event_make(server);
    for (int i = 0; i < STATUS_FOLLOWERS; i++) {
        struct follower *follower = &server->follower[i];
        if (!follower->wsi)
            continue;
        follower->owed = true;
        if (now_s > follower->sent_s + STATUS_STUCK_S)
            lws_set_timeout(follower->wsi, PENDING_TIMEOUT_HTTP_CONTENT, LWS_TO_KILL_ASYNC);
        else
            lws_callback_on_writable(follower->wsi);
    }
    server->due_s = fmax(server->due_s + 1.0 / STATUS_EVENTS_A_S, now_s);
    http_timer_set(&server->thread.http, server->due_s);
}

static void events_due(void *owner)
{
    events_turn(owner, clock_s());
}

static struct follower *follower_of(struct status_server *server, const struct lws *wsi)
{
    for (int i = 0; i < STATUS_FOLLOWERS; i++)
        if (server->follower[i].wsi == wsi)
            return &server->follower[i];
    return NULL;
}

static void follower_leave(struct status_server *server, const struct lws *wsi)
{
    struct follower *follower = follower_of(server, wsi);
    if (!follower)
        return;
    follower->wsi = NULL;
    __atomic_fetch_sub(&server->following, 1, __ATOMIC_RELAXED);
}

/* The newest event alone: a slow client misses those that came while it did not read. */
static int event_send(struct status_server *server, struct lws *wsi)
{
    struct follower *follower = follower_of(server, wsi);
    if (!follower)
        return -1;
    if (!follower->owed || !server->event || lws_send_pipe_choked(wsi))
        return 0;
    follower->owed = false;
    follower->sent_s = clock_s();
    int sent = lws_write(wsi, (unsigned char *)server->event + LWS_PRE, server->event_length,
                         LWS_WRITE_HTTP);
    return sent < (int)server->event_length ? -1 : 0;
}

/* ---- requests ---- */

static const char policy[] = "default-src 'none'; base-uri 'none'; form-action 'none'; "
                             "frame-ancestors 'none'";

static int follow_begin(struct status_server *server, struct lws *wsi)
{
    struct http_headers headers;
    struct follower *follower = follower_of(server, NULL);
    if (!follower)
        return http_refuse(wsi, HTTP_STATUS_SERVICE_UNAVAILABLE);
    if (http_headers_begin(wsi, &headers, "text/event-stream", HTTP_LENGTH_UNKNOWN, policy) ||
        http_headers_send(wsi, &headers) || lws_http_mark_sse(wsi))
        return -1;
    double now_s = clock_s();
    *follower = (struct follower){.wsi = wsi, .sent_s = now_s};
    if (__atomic_fetch_add(&server->following, 1, __ATOMIC_RELAXED) == 0) {
        server->due_s = now_s;
        events_turn(server, now_s);
    }
    return 0;
}

static int answer_begin(struct lws *wsi, struct answer *answer, const char *type, bool bodiless)
{
    struct http_headers headers;
    if (!answer->body)
        return http_refuse(wsi, HTTP_STATUS_SERVICE_UNAVAILABLE);
    if (http_headers_begin(wsi, &headers, type, answer->length, policy) ||
        http_headers_send(wsi, &headers))
        return -1;
    if (bodiless)
        return lws_http_transaction_completed(wsi) ? -1 : 0;
    lws_callback_on_writable(wsi);
    return 0;
}

static int answer_go_on(struct lws *wsi, struct answer *answer)
{
    if (lws_write(wsi, (unsigned char *)answer->body + LWS_PRE, answer->length,
                  LWS_WRITE_HTTP_FINAL) < (int)answer->length)
        return -1;
    free(answer->body);
    answer->body = NULL;
    return lws_http_transaction_completed(wsi) ? -1 : 0;
}

/* May a page or program that names us so read? */
static bool is_welcome(struct status_server *server, struct lws *wsi)
{
    char host[256], origin[300];
    return http_host_known(wsi, &server->access, host, sizeof host) &&
           http_header(wsi, WSI_TOKEN_ORIGIN, origin, sizeof origin) &&
           (!*origin || access_origin_same(&server->access, origin, host));
}

static int request_begin(struct lws *wsi, struct answer *answer, const char *path)
{
    struct status_server *server = http_owner(wsi);
    bool head = lws_hdr_total_length(wsi, WSI_TOKEN_HEAD_URI) > 0;
    char *text = NULL;
    free(answer->body);
    *answer = (struct answer){.body = NULL};
    if (!head && lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) <= 0)
        return http_refuse(wsi, HTTP_STATUS_METHOD_NOT_ALLOWED);
    if (!is_welcome(server, wsi))
        return http_refuse(wsi, HTTP_STATUS_FORBIDDEN);
    if (!strcmp(path, "/events"))
        return head ? http_refuse(wsi, HTTP_STATUS_METHOD_NOT_ALLOWED) : follow_begin(server, wsi);
    bool json = !strcmp(path, "/status.json");
    if (!json && strcmp(path, "/") != 0)
        return http_refuse(wsi, HTTP_STATUS_NOT_FOUND);
    facts_take(server);
    text = json ? status_facts_json(&server->served, &answer->length)
                : status_facts_html(&server->served, &answer->length);
    answer->body = text_frame(text, &answer->length, "", json ? "\n" : "");
    return answer_begin(wsi, answer, json ? "application/json" : "text/html; charset=utf-8", head);
}

static int status_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                           size_t length)
{
    struct answer *answer = user;
    http_called(wsi);
    switch (reason) {
    case LWS_CALLBACK_HTTP:
        return request_begin(wsi, answer, in);
    case LWS_CALLBACK_HTTP_WRITEABLE:
        return answer->body ? answer_go_on(wsi, answer) : event_send(http_owner(wsi), wsi);
    case LWS_CALLBACK_CLOSED_HTTP:
    case LWS_CALLBACK_HTTP_DROP_PROTOCOL:
        follower_leave(http_owner(wsi), wsi);
        if (answer) {
            free(answer->body);
            answer->body = NULL;
        }
        return 0;
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE: /* there are no sockets here */
        return -1;
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED: /* the loop looks whether to end */
        return 0;
    default:
        return http_callback(wsi, reason, user, in, length);
    }
}

static const struct lws_protocols protocols[] = {
    {.name = "http", .callback = status_callback, .per_session_data_size = sizeof(struct answer)},
    {.name = NULL}};

/* ---- the server ---- */

bool status_server_is_built(void)
{
    return true;
}

/* The address itself, this machine's name, and the names that the user gives. */
static void access_make(struct status_server *server, int port, const char *hosts)
{
    char machine[256] = "";
    if (gethostname(machine, sizeof machine - 1) != 0)
        *machine = '\0';
    snprintf(server->hosts, sizeof server->hosts, "%s,%s", machine, hosts ? hosts : "");
    server->access =
        (struct access){.numbers = true, .port = port, .hosts = server->hosts, .proxies = ""};
}

enum status status_server_open(struct status_server **server, const char *address, int port,
                               const char *hosts, const struct tls_files *tls)
{
    *server = NULL;
    if (!http_address_is_valid(address))
        return status_fail(STATUS_CONFIG,
                           "stand.status_address: '%.60s' is no IPv4 or IPv6 address, as 127.0.0.1 "
                           "is",
                           address);
    struct status_server *made = *server = calloc(1, sizeof *made);
    if (!made)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the status page");
    made->facts.health = "starting";
    made->facts.stage = "attract";
    made->facts.visitor_s = -1;
    memset(made->facts.map, STATUS_MAP_NOBODY, sizeof made->facts.map);
    pthread_mutex_init(&made->mutex, NULL);
    access_make(made, port, hosts);
    const struct http_options options = {.address = address,
                                         .port = port,
                                         .connections = STATUS_CONNECTIONS,
                                         .request_s = STATUS_REQUEST_S,
                                         .tls = tls ? *tls : (struct tls_files){NULL, NULL},
                                         .owner = made,
                                         .protocols = protocols,
                                         .ring = events_due};
    return http_thread_open(&made->thread, &options, "status", "--status-port");
}

void status_server_close(struct status_server *server)
{
    if (!server)
        return;
    http_thread_close(&server->thread);
    free(server->event);
    pthread_mutex_destroy(&server->mutex);
    free(server);
}

void status_server_tell(struct status_server *server, const struct status_facts *facts)
{
    pthread_mutex_lock(&server->mutex);
    status_facts_copy(&server->facts, facts);
    pthread_mutex_unlock(&server->mutex);
}

double status_server_interval_s(const struct status_server *server)
{
    return __atomic_load_n(&server->following, __ATOMIC_RELAXED) ? 1.0 / STATUS_EVENTS_A_S
                                                                 : UNWATCHED_S;
}
