/* deepfield view --serve: a server around the live picture. */
#ifndef APP_SERVE_SERVE_H
#define APP_SERVE_SERVE_H

#include <stdbool.h>

#include "app/http/tls.h"
#include "app/serve/serve_session.h"

struct serve_options {
    struct serve_session_options session;
    const char *address; /* IP address, or path of a Unix socket; borrowed */
    const char *hosts;   /* other names of this machine, separated by commas; may be NULL */
    int port, pages;
    struct tls_files tls; /* were checked */
    bool staff;           /* prints an address for the staff of a stand */
    bool watchers;        /* prints an address for those who only look */
    const volatile int *stop;
};

struct serve;

/* Opens the port and prints, on stdout, the address and how to reach it from elsewhere. */
enum status serve_open(struct serve **serve, const struct serve_options *options);

/* Serves until *stop is not 0. */
enum status serve_run(struct serve *serve);

/* `wake` of a live picture. */
void serve_wake(void *serve);

void serve_close(struct serve *serve); /* accepts NULL */

struct serve_session_sums serve_sums(const struct serve *serve);

#endif
