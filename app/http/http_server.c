#include "app/http/http_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "app/http/socket_path.h"
#include "decomposition/thread/clock.h"

#define AT_ONCE_S 0.001 /* a round that took less had nothing to wait for */
#define REST_NS 50000000L

enum {
    PING_S = 20,
    GONE_S = 45, /* without an answer to a ping */
    AT_ONCE_MOST = 16,
    OWN_DESCRIPTORS = 8 /* descriptors of the library, besides connections */
};

void *http_owner(struct lws *wsi)
{
    const struct http_server *server = lws_context_user(lws_get_context(wsi));
    return server->owner;
}

void http_called(struct lws *wsi)
{
    struct http_server *server = lws_context_user(lws_get_context(wsi));
    server->calls++;
}

/* ---- headers ---- */

bool http_header(struct lws *wsi, enum lws_token_indexes token, char *text, size_t bytes)
{
    *text = '\0';
    int length = lws_hdr_total_length(wsi, token);
    return length <= 0 ||
           ((size_t)length < bytes && lws_hdr_copy(wsi, text, (int)bytes, token) >= 0);
}

bool http_host_known(struct lws *wsi, const struct access *access, char *host, size_t bytes)
{
    return http_header(wsi, WSI_TOKEN_HOST, host, bytes) && access_host_known(access, host);
}

int http_headers_add(struct lws *wsi, struct http_headers *headers, const char *name,
                     const char *value)
{
    return lws_add_http_header_by_name(wsi, (const unsigned char *)name,
                                       (const unsigned char *)value, (int)strlen(value),
                                       &headers->at, headers->end);
}

int http_headers_begin(struct lws *wsi, struct http_headers *headers, const char *type,
                       uint64_t length, const char *policy)
{
    static const char *const rows[][2] = {{"x-content-type-options:", "nosniff"},
                                          {"referrer-policy:", "no-referrer"},
                                          {"cross-origin-opener-policy:", "same-origin"},
                                          {"cross-origin-resource-policy:", "same-origin"},
                                          {"cache-control:", "no-store"}};
    headers->at = headers->bytes + LWS_PRE;
    headers->end = headers->bytes + sizeof headers->bytes - 1;
    if (lws_add_http_common_headers(wsi, HTTP_STATUS_OK, type,
                                    length == HTTP_LENGTH_UNKNOWN ? LWS_ILLEGAL_HTTP_CONTENT_LEN
                                                                  : (lws_filepos_t)length,
                                    &headers->at, headers->end))
        return 1;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (http_headers_add(wsi, headers, rows[i][0], rows[i][1]))
            return 1;
    return http_headers_add(wsi, headers, "content-security-policy:", policy);
}

int http_headers_send(struct lws *wsi, struct http_headers *headers)
{
    return lws_finalize_write_http_header(wsi, headers->bytes + LWS_PRE, &headers->at,
                                          headers->end);
}

int http_refuse(struct lws *wsi, unsigned state)
{
    if (lws_return_http_status(wsi, state, NULL))
        return -1;
    return lws_http_transaction_completed(wsi) ? -1 : 0;
}

/* ---- connections ---- */

int http_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                  size_t length)
{
    struct http_server *server = lws_context_user(lws_get_context(wsi));
    switch (reason) {
    case LWS_CALLBACK_FILTER_NETWORK_CONNECTION:
        return server->connections >= server->connections_most;
    case LWS_CALLBACK_WSI_CREATE:
        server->connections++;
        return 0;
    case LWS_CALLBACK_WSI_DESTROY:
        server->connections--;
        return 0;
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE: /* HTTP/2 would come before all checks and times */
        return strcasecmp(in, "websocket") == 0 ? 0 : -1;
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION: /* a socket of no protocol of ours */
        return 1;
    default:
        return lws_callback_http_dummy(wsi, reason, user, in, length);
    }
}

/* ---- the server ---- */

static const lws_retry_bo_t liveness = {.secs_since_valid_ping = PING_S,
                                        .secs_since_valid_hangup = GONE_S};

/* What the library has to say is about hostile clients, and for nobody. */
static void line_drop(int level, const char *line)
{
    (void)level;
    (void)line;
}

struct lws_context *http_context_create(const struct lws_context_creation_info *info)
{
    lws_set_log_level(0, line_drop);
    return lws_create_context(info);
}

/* HTTP/2 would come before all checks and times. */
void http_tls_set(struct lws_context_creation_info *info, const struct tls_files *tls)
{
    if (!tls->certificate)
        return;
#ifndef LWS_WITH_TLS
    (void)info; /* tls_check refuses them */
#else
    info->options |= LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
    info->ssl_cert_filepath = tls->certificate;
    info->ssl_private_key_filepath = tls->key;
    info->alpn = "http/1.1";
#ifdef SSL_OP_NO_TLSv1_1
    info->ssl_options_set = SSL_OP_NO_SSLv3 | SSL_OP_NO_TLSv1 | SSL_OP_NO_TLSv1_1 |
                            SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION;
#endif
#endif
}

/* Can this address and port be listened on? The library leaks a little for each port that it cannot
 * have, and a taken one is tried again for as long as the program runs. */
static bool port_is_free(const char *address, int port)
{
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)};
    bool is_four = inet_pton(AF_INET, address, &four.sin_addr) == 1;
    const struct sockaddr *at = is_four ? (struct sockaddr *)&four : (struct sockaddr *)&six;
    socklen_t length = is_four ? sizeof four : sizeof six;
    int yes = 1, fd;
    if (!is_four && inet_pton(AF_INET6, address, &six.sin6_addr) != 1)
        return true; /* the library's to judge */
    fd = socket(is_four ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return false;
    bool is_free = setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
                   bind(fd, at, length) == 0 && listen(fd, 1) == 0;
    close(fd);
    return is_free;
}

enum status http_server_open(struct http_server *server, const struct http_options *options)
{
    *server = (struct http_server){.owner = (void *)(uintptr_t)options->owner,
                                   .ring = options->ring,
                                   .connections_most = options->connections};
    bool path = socket_path_is(options->address);
    if (!port_is_free(options->address, options->port))
        return STATUS_SYSTEM;
    struct lws_context_creation_info info = {
        .port = path ? 0 : options->port, /* the library takes 0 alone for a path */
        .iface = options->address,
        .protocols = options->protocols,
        .vhost_name = "default",
        .options = LWS_SERVER_OPTION_VALIDATE_UTF8 | LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND |
                   (path ? LWS_SERVER_OPTION_UNIX_SOCK : 0) |
                   (strchr(options->address, ':') ? 0 : LWS_SERVER_OPTION_DISABLE_IPV6),
        .gid = (gid_t)-1,
        .uid = (uid_t)-1,
        .user = server,
        .timeout_secs = (unsigned)options->request_s,
        .keepalive_timeout = options->request_s,
        .max_http_header_data = HTTP_HEADER_BYTES,
        .max_http_header_pool = (unsigned short)options->connections,
        .fd_limit_per_thread = (unsigned)(options->connections + OWN_DESCRIPTORS),
        .retry_and_idle_policy = &liveness};
    http_tls_set(&info, &options->tls);
    server->context = http_context_create(&info);
    return server->context ? STATUS_OK : STATUS_SYSTEM;
}

void http_server_close(struct http_server *server)
{
    if (server->context) {
        lws_sul_cancel(&server->timer);
        lws_context_destroy(server->context);
    }
    server->context = NULL;
}

static void timer_ring(lws_sorted_usec_list_t *timer)
{
    struct http_server *server = lws_container_of(timer, struct http_server, timer);
    server->due_s = 0;
    server->ring(server->owner);
}

void http_timer_set(struct http_server *server, double due_s)
{
    double left_s = due_s - clock_s();
    server->due_s = due_s;
    lws_sul_schedule(server->context, 0, &server->timer, timer_ring,
                     left_s > 0 ? 1 + (int64_t)(1e6 * left_s) : 1);
}

/* Sleeps through the last part of a millisecond before the timer is due: the library waits for
 * whole ones, and would ask the system again and again until then (1 % of a core for 20 events a
 * second). */
static void timer_await(const struct http_server *server)
{
    double left_s = server->due_s > 0 ? server->due_s - clock_s() : 0;
    if (left_s > 0 && left_s < AT_ONCE_S)
        nanosleep(&(struct timespec){.tv_nsec = (long)(1e9 * left_s)}, NULL);
}

/* Rests where a connection waits for which this process has no descriptor left: it stays ready, and
 * the library's loop would take a whole core. */
static void descriptors_await(struct http_server *server, bool at_once)
{
    server->at_once = at_once ? server->at_once + 1 : 0;
    if (server->at_once < AT_ONCE_MOST)
        return;
    server->at_once = 0;
    int spare = dup(STDERR_FILENO);
    if (spare >= 0)
        close(spare);
    else if (errno == EMFILE || errno == ENFILE)
        nanosleep(&(struct timespec){.tv_nsec = REST_NS}, NULL);
}

bool http_server_round(struct http_server *server)
{
    uint64_t calls = server->calls;
    timer_await(server);
    double begun_s = clock_s();
    if (lws_service(server->context, 0) < 0)
        return false;
    descriptors_await(server, calls == server->calls && clock_s() - begun_s < AT_ONCE_S);
    return true;
}

void http_server_wake(struct http_server *server)
{
    lws_cancel_service(server->context);
}
