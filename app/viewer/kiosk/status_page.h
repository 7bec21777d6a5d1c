/* The operator's page of a stand: facts about the viewer's health, by HTTP, read only.
 *
 * `/` is a small page for people, `/status.json` one for programs; all else is refused. No client
 * blocks its thread: at most STATUS_PAGE_CLIENTS connections of STATUS_PAGE_S each, from the first
 * byte to the last, and STATUS_PAGE_REQUEST bytes of a request.
 *
 * Written by hand, since libmicrohttpd (Debian 12: 0.9.75) limits the silence of a connection, not
 * its length, so that clients which send a byte now and then hold all of them; and it brings GnuTLS
 * with all its dependencies into every rank. */
#ifndef APP_VIEWER_KIOSK_STATUS_PAGE_H
#define APP_VIEWER_KIOSK_STATUS_PAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/status.h"

enum {
    STATUS_PAGE_CLIENTS = 16, /* more are closed at once */
    STATUS_PAGE_REQUEST = 2048,
    STATUS_PAGE_TEXT = 256
};
#define STATUS_PAGE_S 2.0
#define STATUS_PAGE_AGAIN_S 2.0 /* time between attempts to open a port that is taken */

struct status_page_facts {
    const char *health;     /* "ok", "reduced", "failing"; a literal */
    const char *stage;      /* "visitor", "countdown", "attract"; a literal */
    double up_s, visitor_s; /* time since the start; since the last input, < 0: none yet */
    uint64_t visitors, frames, events, pictures;
    double frame_p99_ms, reaction_p99_ms, coarse_p99_ms;
    double flashes; /* count in the worst second */
    int workers, workers_alive, devices_lost, errors;
    uint64_t memory_bytes;
    char error[STATUS_PAGE_TEXT]; /* the newest */
};

struct status_page;

/* STATUS_CONFIG for an invalid address; STATUS_SYSTEM when the port is taken, which is tried again
 * until the page is closed, or when there is no thread. *page can be used after any failure. */
enum status status_page_open(struct status_page **page, const char *address, int port);
void status_page_close(struct status_page *page); /* accepts NULL */

/* Sets the facts that are served from now on. Any thread. */
void status_page_tell(struct status_page *page, const struct status_page_facts *facts);

/* The answer to the bytes of a whole request; returns its length. Pure. */
int status_page_answer(const struct status_page_facts *facts, const char *request, char *answer,
                       int bytes);

#endif
