/* Messages on their way to a joined job (join.h): a queue in front of a socket that does not block.
 * Contexts are shared by the queues of all jobs that get them. Private to decomposition/pool/; the
 * caller's lock protects queues and shared bytes. */
#ifndef DECOMPOSITION_POOL_JOIN_OUTBOX_H
#define DECOMPOSITION_POOL_JOIN_OUTBOX_H

#include <stdbool.h>
#include <stddef.h>

#include "decomposition/message/message.h"

struct join_bytes { /* a part of a context */
    int holders;
    size_t length;
    unsigned char at[];
};

struct join_parts { /* what follows the header of a message; NULL: nothing */
    struct join_bytes *head, *rest;
};

/* Copies; the caller holds it. NULL: no memory. */
struct join_bytes *join_bytes_make(const void *bytes, size_t length);
void join_bytes_drop(struct join_bytes *bytes); /* accepts NULL */

struct join_out;

struct join_outbox {
    struct join_out *first, **last;
    const double *now_s; /* the time of who sends; borrowed */
    double moved_s;      /* when bytes last left, or none waited */
};

void join_outbox_open(struct join_outbox *outbox, const double *now_s);
void join_outbox_close(struct join_outbox *outbox); /* drops all */

/* Drops what has not begun to leave, but for answers to a hello: a newer instruction makes it
 * useless. */
void join_outbox_prune(struct join_outbox *outbox);

/* Adds the answer to a hello. False, here and below: no memory. */
bool join_outbox_add_reply(struct join_outbox *outbox, const void *reply, size_t length);

/* Adds a message, of which length and checksum are set here. */
bool join_outbox_add_message(struct join_outbox *outbox, struct message *message,
                             const void *payload, size_t length);

/* The same with a payload in parts, either of which may be NULL; holds them. */
bool join_outbox_add_parts(struct join_outbox *outbox, struct message *message,
                           const struct join_parts *parts);

/* Writes what can be written now; false: the connection has ended. */
bool join_outbox_write(struct join_outbox *outbox, int socket);

#endif
