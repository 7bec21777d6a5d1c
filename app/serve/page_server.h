/* The routes of the page: the files that it is made of, and the sockets of those that see it, on
 * one thread (app/http/http_server.h).
 *
 * Input from the network is hostile. Who has no token gets 403 and nothing else; sizes, rates,
 * connections and times are bounded. */
#ifndef APP_SERVE_PAGE_SERVER_H
#define APP_SERVE_PAGE_SERVER_H

#include "app/http/access.h"
#include "app/http/tls.h"
#include "app/serve/serve_session.h"

enum { SERVER_CONNECTIONS = 96 }; /* sockets of all kinds */

struct page_server;

struct page_server_options {
    const char *address; /* IPv4 or IPv6 address of this machine, or path of a Unix socket;
                            borrowed */
    int port;
    int pages;            /* pages at most */
    struct tls_files tls; /* were checked */
    const struct access *access;
    struct serve_session *session;
    const char *first; /* file that is shown where none is named */
};

/* Is libwebsockets in this build? Otherwise page_server_open fails with a sentence that says what
 * is missing. */
bool page_server_is_built(void);

/* STATUS_SYSTEM: the port is taken, or the address is not this machine's. */
enum status page_server_open(struct page_server **server,
                             const struct page_server_options *options);
void page_server_close(struct page_server *server); /* accepts NULL */

/* Serves until *stop is not 0, or something fails. */
enum status page_server_run(struct page_server *server, const volatile int *stop);

/* Lets page_server_run look at the session. Any thread, signal handlers apart. */
void page_server_wake(struct page_server *server);

#endif
