/* A thread that serves a set of routes, and tries a port that is taken again until it is free. */
#ifndef APP_HTTP_HTTP_THREAD_H
#define APP_HTTP_HTTP_THREAD_H

#include <pthread.h>

#include "app/http/http_server.h"

#define HTTP_AGAIN_S 1.0 /* time between attempts to open a port that is taken */

struct http_thread { /* zeroed: none */
    struct http_server http;
    struct http_options options;
    char address[64];
    pthread_t thread;
    bool runs;
    int ends;    /* atomic: the thread is to end */
    int listens; /* atomic: the context is there */
};

/* Is it an IPv4 or IPv6 address that options may have? */
bool http_address_is_valid(const char *address);

/* Starts the thread, with all signals blocked, which are for threads that expect them.
 * STATUS_SYSTEM: the port is taken, or the address is not this machine's, which is tried again;
 * STATUS_OUT_OF_MEMORY: there is no thread. `name`: of the thread; `another`: the setting that
 * takes another port. */
enum status http_thread_open(struct http_thread *thread, const struct http_options *options,
                             const char *name, const char *another);
void http_thread_close(struct http_thread *thread); /* accepts a zeroed one */

#endif
