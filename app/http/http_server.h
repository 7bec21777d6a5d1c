/* HTTP by libwebsockets, for every set of routes: the thread that runs a server serves it;
 * connections, headers and times are bounded, hosts and origins are checked.
 *
 * A set of routes is an array of protocols, of which the first answers plain requests and calls
 * http_callback for reasons that it does not handle itself. Input from the network is hostile. */
#ifndef APP_HTTP_HTTP_SERVER_H
#define APP_HTTP_HTTP_SERVER_H

#include <libwebsockets.h>
#include <stdbool.h>
#include <stdint.h>

#include "app/http/access.h"
#include "app/http/tls.h"

enum { HTTP_HEADER_BYTES = 4096 };

struct http_server {
    struct lws_context *context; /* NULL: does not listen */
    void *owner;                 /* state of the routes: http_owner */
    void (*ring)(void *owner);
    lws_sorted_usec_list_t timer;
    double due_s; /* when it rings; 0: it does not */
    int connections, connections_most;
    uint64_t calls; /* number of calls of the routes' functions */
    int at_once;    /* rounds in sequence that had nothing to wait for, and called nothing */
};

struct http_options {
    const char *address; /* IPv4 or IPv6 address of this machine, or path of a Unix socket whose
                            name is free (socket_path.h) */
    int port;
    int connections;      /* sockets at most, of all kinds; more are closed at once */
    int request_s;        /* time for a request to be complete, and for a connection without one */
    struct tls_files tls; /* were checked; without them it does not encrypt */
    const void *owner;    /* handed to the routes */
    const struct lws_protocols *protocols; /* ends with a row without a name */
    void (*ring)(void *owner);             /* what http_timer_set calls */
};

/* Listens. `server` stays where it is until it is closed. STATUS_SYSTEM, without a sentence: the
 * port is taken, or the address is not this machine's. */
enum status http_server_open(struct http_server *server, const struct http_options *options);
void http_server_close(struct http_server *server); /* accepts one that does not listen */

/* Waits for something to happen, and serves it. False: the library has failed. */
bool http_server_round(struct http_server *server);

/* Lets the thread of the server call `ring` at this time (clock_s), in the place of what was set
 * before. That thread alone. */
void http_timer_set(struct http_server *server, double due_s);

/* Lets http_server_round call with LWS_CALLBACK_EVENT_WAIT_CANCELLED. Any thread. */
void http_server_wake(struct http_server *server);

/* A context of the library, which says nothing on stderr; NULL: it cannot be made. */
struct lws_context *http_context_create(const struct lws_context_creation_info *info);

/* Lets a context encrypt: by TLS 1.2 or newer, and HTTP/1.1 alone. */
void http_tls_set(struct lws_context_creation_info *info, const struct tls_files *tls);

/* ---- for routes ---- */

void *http_owner(struct lws *wsi);

/* What a set of routes does where it has nothing of its own to do. */
int http_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                  size_t length);

/* Counts a call of a function of the routes: each calls this first. */
void http_called(struct lws *wsi);

/* Copies a header; one that is not there is "". False: it is too long. */
bool http_header(struct lws *wsi, enum lws_token_indexes token, char *text, size_t bytes);

/* Copies the header "Host". False: it is none of ours, or too long. */
bool http_host_known(struct lws *wsi, const struct access *access, char *host, size_t bytes);

/* Headers of an answer. */
struct http_headers {
    unsigned char bytes[LWS_PRE + 2048], *at, *end;
};
#define HTTP_LENGTH_UNKNOWN UINT64_MAX

/* Begins an answer of 200, with what guards it: not kept, not sniffed, not shown in frames.
 * `policy`: the Content-Security-Policy. Not 0: no room, or no memory. */
int http_headers_begin(struct lws *wsi, struct http_headers *headers, const char *type,
                       uint64_t length, const char *policy);
int http_headers_add(struct lws *wsi, struct http_headers *headers, const char *name,
                     const char *value);
int http_headers_send(struct lws *wsi, struct http_headers *headers);

/* Answers with a status alone; returns what the route is to return. */
int http_refuse(struct lws *wsi, unsigned state);

#endif
