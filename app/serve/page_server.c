#include "app/serve/page_server.h"

#include <libwebsockets.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/http/http_server.h"
#include "app/http/socket_path.h"
#include "app/serve/page_strings.h"
#include "app/serve/served_files.h"
#include "decomposition/thread/clock.h"

enum { REQUEST_S = 10 }; /* time for a request to be complete */

struct page_server {
    struct http_server http;
    const struct page_server_options options;
    int pages;
    bool listens;
    struct socket_file socket; /* the one of a path; the way to it, by this folder or -1 */
    char passing[SOCKET_PATH_BYTES];
    int folder;
    struct frame_bytes message;
    struct served_file strings; /* texts of the page; its bytes are owned */
    enum status status;         /* first failure, whose sentence is in `text` */
    char text[STATUS_TEXT_BYTES];
};

struct request { /* answer to a request of HTTP */
    const struct served_file *file;
    size_t sent;
};

struct socket { /* connection of a page */
    struct visitor *page;
    char *bytes; /* message that has not ended yet; owned */
    size_t length;
};

static struct page_server *server_of(struct lws *wsi)
{
    return http_owner(wsi);
}

static void failure_keep(struct page_server *server, enum status status)
{
    if (status == STATUS_OK || server->status != STATUS_OK)
        return;
    server->status = status;
    snprintf(server->text, sizeof server->text, "%s", status_text());
}

/* ---- who asks ---- */

/* Does the address of the request have the token of this right? */
static bool token_in_query(const struct access *access, enum access_right right, struct lws *wsi)
{
    char argument[128];
    for (int i = 0;
         lws_hdr_copy_fragment(wsi, argument, sizeof argument, WSI_TOKEN_HTTP_URI_ARGS, i) > 0; i++)
        if (!strncmp(argument, "t=", 2))
            return access_of_token(access, argument + 2) == right;
    return false;
}

static bool token_in_cookie(const struct access *access, enum access_right right, struct lws *wsi)
{
    char cookies[HTTP_HEADER_BYTES];
    return http_header(wsi, WSI_TOKEN_HTTP_COOKIE, cookies, sizeof cookies) &&
           access_in_cookies(access, right, cookies);
}

/* ---- files ---- */

static const struct served_file *file_named(const struct page_server *server, const char *name)
{
    name = *name ? name : server->options.first;
    for (int i = 0; i < served_files_count; i++)
        if (!strcmp(served_files[i].name, name))
            return &served_files[i];
    return strcmp(server->strings.name, name) ? NULL : &server->strings;
}

/* Nothing from elsewhere, no script in the page, no frame around it. Older browsers do not count
 * the socket to 'self', so it is named; the host is one of those that were checked. */
static bool policy_make(struct lws *wsi, char policy[static 900])
{
    char host[256];
    if (!http_header(wsi, WSI_TOKEN_HOST, host, sizeof host))
        return false;
    snprintf(policy, 900,
             "default-src 'none'; script-src 'self'; style-src 'self'; "
             "connect-src 'self' ws://%s wss://%s; img-src 'self' blob: data:; base-uri 'none'; "
             "form-action 'none'; frame-ancestors 'none'",
             host, host);
    return true;
}

/* The browser gets the token as a cookie of this folder, which no script can read. */
static int cookie_add(struct lws *wsi, struct http_headers *headers, const struct access *access,
                      enum access_right right)
{
    char cookie[128];
    snprintf(cookie, sizeof cookie, ACCESS_COOKIE "=%s; HttpOnly; SameSite=Strict%s",
             access_token(access, right),
             server_of(wsi)->options.tls.certificate ? "; Secure" : "");
    return http_headers_add(wsi, headers, "set-cookie:", cookie);
}

/* cookie: the right whose token the browser is given; ACCESS_NONE: it has it. */
static int file_begin(struct lws *wsi, struct request *request, const struct access *access,
                      enum access_right cookie)
{
    struct http_headers headers;
    char policy[900];
    if (!policy_make(wsi, policy) ||
        http_headers_begin(wsi, &headers, request->file->type, request->file->length, policy) ||
        (cookie != ACCESS_NONE && cookie_add(wsi, &headers, access, cookie)) ||
        http_headers_send(wsi, &headers))
        return -1;
    request->sent = 0;
    lws_callback_on_writable(wsi);
    return 0;
}

static int file_go_on(struct lws *wsi, struct request *request)
{
    unsigned char bytes[LWS_PRE + 4096];
    if (!request->file)
        return -1;
    size_t left = request->file->length - request->sent;
    size_t now = left < 4096 ? left : 4096;
    memcpy(bytes + LWS_PRE, request->file->bytes + request->sent, now);
    bool last = now == left;
    if (lws_write(wsi, bytes + LWS_PRE, now, last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) !=
        (int)now)
        return -1;
    request->sent += now;
    if (last)
        return lws_http_transaction_completed(wsi) ? -1 : 0;
    lws_callback_on_writable(wsi);
    return 0;
}

static int request_begin(struct lws *wsi, struct request *request, const char *path)
{
    const struct access *access = server_of(wsi)->options.access;
    char host[256];
    request->file = NULL;
    if (!lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI))
        return http_refuse(wsi, HTTP_STATUS_METHOD_NOT_ALLOWED);
    if (!http_host_known(wsi, access, host, sizeof host))
        return http_refuse(wsi, HTTP_STATUS_FORBIDDEN);
    enum access_right right = ACCESS_NONE;
    const char *name = access_path_inside(access, path, &right);
    bool new_here = name && token_in_query(access, right, wsi);
    if (!name || (!new_here && !token_in_cookie(access, right, wsi)))
        return http_refuse(wsi, HTTP_STATUS_FORBIDDEN);
    request->file = file_named(server_of(wsi), name);
    return request->file ? file_begin(wsi, request, access, new_here ? right : ACCESS_NONE)
                         : http_refuse(wsi, HTTP_STATUS_NOT_FOUND);
}

/* ---- the session's clock ---- */

static void turn(struct page_server *server)
{
    double now_s = clock_s(), until_s = now_s + 1;
    if (server->status != STATUS_OK)
        return;
    failure_keep(server, serve_session_answers(server->options.session, now_s));
    failure_keep(server, serve_session_turn(server->options.session, now_s, &until_s));
    http_timer_set(&server->http, fmax(until_s, now_s + 0.001));
    lws_callback_on_writable_all_protocol(
        server->http.context,
        lws_vhost_name_to_protocol(lws_get_vhost_by_name(server->http.context, "default"),
                                   "deepfield"));
}

static void turn_due(void *owner)
{
    turn(owner);
}

/* ---- sockets ---- */

/* The last place is kept for staff, where there is a stand, since its whole public may lead; else
 * for a page that may lead. */
static bool is_full(const struct page_server *server, enum access_right right)
{
    enum access_right kept = *server->options.access->staff ? ACCESS_STAFF : ACCESS_LEAD;
    return server->pages >= server->options.pages - (right < kept);
}

/* The right of a request for the socket, by its folder; ACCESS_NONE: it has none. */
static enum access_right socket_right(const struct access *access, struct lws *wsi)
{
    char path[128];
    enum access_right right = ACCESS_NONE;
    if (!http_header(wsi, WSI_TOKEN_GET_URI, path, sizeof path))
        return ACCESS_NONE;
    const char *name = access_path_inside(access, path, &right);
    return name && !strcmp(name, "socket") && token_in_cookie(access, right, wsi) ? right
                                                                                  : ACCESS_NONE;
}

/* May this request become a socket? 0: yes. */
static int socket_filter(struct lws *wsi)
{
    struct page_server *server = server_of(wsi);
    const struct access *access = server->options.access;
    char host[256], origin[300];
    if (!http_host_known(wsi, access, host, sizeof host) ||
        !http_header(wsi, WSI_TOKEN_ORIGIN, origin, sizeof origin) ||
        !access_origin_same(access, origin, host))
        return 1;
    enum access_right right = socket_right(access, wsi);
    return right == ACCESS_NONE || is_full(server, right);
}

static int socket_open(struct lws *wsi, struct socket *socket)
{
    struct page_server *server = server_of(wsi);
    enum access_right right = socket_right(server->options.access, wsi);
    *socket = (struct socket){.page = NULL};
    if (right == ACCESS_NONE || is_full(server, right))
        return -1;
    socket->page = serve_session_join(server->options.session, right, clock_s());
    if (!socket->page)
        return -1;
    server->pages++;
    lws_callback_on_writable(wsi);
    return 0;
}

static void socket_end(struct lws *wsi, struct socket *socket)
{
    struct page_server *server = server_of(wsi);
    if (socket->page) {
        serve_session_leave(server->options.session, socket->page, clock_s());
        server->pages--;
    }
    free(socket->bytes);
    *socket = (struct socket){.page = NULL};
}

static int socket_refuse(struct lws *wsi)
{
    lws_close_reason(wsi, LWS_CLOSE_STATUS_POLICY_VIOLATION, NULL, 0);
    return -1;
}

/* A piece of a message; obeys the message when it is whole. */
static int socket_receive(struct lws *wsi, struct socket *socket, const char *piece, size_t length)
{
    struct page_server *server = server_of(wsi);
    if (lws_frame_is_binary(wsi) || socket->length + length > PAGE_MESSAGE_MOST)
        return socket_refuse(wsi);
    char *bytes = realloc(socket->bytes, socket->length + length + 1);
    if (!bytes)
        return -1;
    memcpy(bytes + socket->length, piece, length);
    socket->bytes = bytes;
    socket->length += length;
    bytes[socket->length] = '\0';
    if (!lws_is_final_fragment(wsi) || lws_remaining_packet_payload(wsi))
        return 0;
    enum status status =
        serve_session_take(server->options.session, socket->page, bytes, socket->length, clock_s());
    free(socket->bytes);
    socket->bytes = NULL;
    socket->length = 0;
    if (status == STATUS_BAD_DATA)
        return socket_refuse(wsi);
    if (status != STATUS_OK)
        return -1;
    turn(server);
    return 0;
}

static int socket_send(struct lws *wsi, struct socket *socket)
{
    struct page_server *server = server_of(wsi);
    struct frame_bytes *message = &server->message;
    double now_s = clock_s();
    bool is_text;
    if (visitor_is_dead(socket->page, now_s))
        return -1;
    if (lws_send_pipe_choked(wsi)) { /* what was given before is not sent yet */
        lws_callback_on_writable(wsi);
        return 0;
    }
    enum status status =
        serve_session_give(server->options.session, socket->page, now_s, message, &is_text);
    if (status != STATUS_OK) {
        failure_keep(server, status);
        return -1;
    }
    if (!message->length)
        return 0;
    if (lws_write(wsi, message->bytes + message->before, message->length,
                  is_text ? LWS_WRITE_TEXT : LWS_WRITE_BINARY) < (int)message->length)
        return -1;
    if (visitor_due(server->options.session, socket->page, now_s))
        lws_callback_on_writable(wsi);
    return 0;
}

/* ---- callbacks ---- */

static int page_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                         size_t length)
{
    http_called(wsi);
    switch (reason) {
    case LWS_CALLBACK_HTTP:
        return request_begin(wsi, user, in);
    case LWS_CALLBACK_HTTP_WRITEABLE:
        return file_go_on(wsi, user);
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
        turn(server_of(wsi));
        return 0;
    default:
        return http_callback(wsi, reason, user, in, length);
    }
}

static int socket_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                           size_t length)
{
    http_called(wsi);
    switch (reason) {
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        return socket_filter(wsi);
    case LWS_CALLBACK_ESTABLISHED:
        return socket_open(wsi, user);
    case LWS_CALLBACK_RECEIVE:
        return socket_receive(wsi, user, in, length);
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return socket_send(wsi, user);
    case LWS_CALLBACK_CLOSED:
        socket_end(wsi, user);
        return 0;
    default:
        return 0;
    }
}

/* ---- the server ---- */

/* The file of texts, which pages ask for as for the others. */
static enum status strings_prepare(struct page_server *server)
{
    char *script;
    size_t length;
    TRY(page_strings_make(&script, &length));
    server->strings = (struct served_file){"strings.js", "text/javascript; charset=utf-8",
                                           (const unsigned char *)script, length};
    return STATUS_OK;
}

static const struct lws_protocols protocols[] = {
    {.name = "http", .callback = page_callback, .per_session_data_size = sizeof(struct request)},
    {.name = "deepfield",
     .callback = socket_callback,
     .per_session_data_size = sizeof(struct socket),
     .rx_buffer_size = 4096},
    {.name = NULL}};

bool page_server_is_built(void)
{
    return true;
}

enum status page_server_open(struct page_server **server, const struct page_server_options *options)
{
    struct page_server *made = *server = calloc(1, sizeof *made);
    if (!made)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a server");
    memcpy((void *)&made->options, options, sizeof *options);
    made->message.before = LWS_PRE;
    made->folder = -1;
    TRY(strings_prepare(made));
    bool path = socket_path_is(options->address);
    if (path) {
        TRY(socket_path_free(options->address));
        made->folder = socket_path_passing(options->address, made->passing);
    }
    const struct http_options http = {.address = path ? made->passing : options->address,
                                      .port = options->port,
                                      .connections = SERVER_CONNECTIONS,
                                      .request_s = REQUEST_S,
                                      .tls = options->tls,
                                      .owner = made,
                                      .protocols = protocols,
                                      .ring = turn_due};
    made->listens = http_server_open(&made->http, &http) == STATUS_OK;
    if (path && !made->listens)
        return status_fail(STATUS_SYSTEM, "no page at %.200s: no socket can be made there",
                           options->address);
    if (path)
        made->socket = socket_path_file(options->address);
    return made->listens
               ? STATUS_OK
               : status_fail(STATUS_SYSTEM,
                             "no page on %s port %d: the port is taken, or the address is not this "
                             "machine's; --serve takes another port, --serve-address another "
                             "address",
                             options->address, options->port);
}

void page_server_close(struct page_server *server)
{
    if (!server)
        return;
    if (server->folder >= 0)
        close(server->folder);
    http_server_close(&server->http);
    if (server->listens && socket_path_is(server->options.address))
        socket_path_remove(server->options.address, server->socket);
    free(server->message.bytes);
    free((void *)server->strings.bytes);
    free(server);
}

enum status page_server_run(struct page_server *server, const volatile int *stop)
{
    turn(server);
    while (!*stop && server->status == STATUS_OK && http_server_round(&server->http))
        ;
    return server->status == STATUS_OK ? STATUS_OK
                                       : status_fail(server->status, "%s", server->text);
}

void page_server_wake(struct page_server *server)
{
    http_server_wake(&server->http);
}
