/* Connections of other jobs that join a run: what both ends say first, and bytes that are
 * read and written. Private to decomposition/pool/.
 *
 * The joining end says a hello, is answered, and then both send messages (message.h), header and
 * payload one after the other: CONTEXT, CANCEL, TASK and END to the joined job, READY, DONE and BYE
 * from it, and GOT both ways, each second in which nothing else is said: a link that dies without a
 * sign, or a machine that stands still, is known by its absence. Both run the same program: their
 * identities are compared. */
#ifndef DECOMPOSITION_POOL_JOIN_LINK_H
#define DECOMPOSITION_POOL_JOIN_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/status.h"

enum {
    JOIN_TOKEN_BYTES = 33, /* 32 hexadecimal digits and a NUL */
    JOIN_IDENTITY_BYTES = 160,
    JOINED_MOST = 16,         /* jobs that have joined at a time */
    JOINED_CREDITS_MOST = 64, /* tasks that one has at a time */
    JOINED_THREADS_MOST = 1 << 16,
    JOINED_READY_ALL = 1 /* task of a READY: all ranks of the job are ready, else some */
};

#define JOIN_BEAT_S 1.0    /* each end says that it is there */
#define JOIN_SILENT_S 15.0 /* one that says or reads nothing for so long has left */
#define JOIN_HELLO_S 5.0   /* time for the hello */

struct join_hello { /* plain bytes */
    char magic[8];
    char identity[JOIN_IDENTITY_BYTES];
    char token[JOIN_TOKEN_BYTES];
    char host[64], backend[16];
    uint32_t threads, credits;
};

struct join_reply {
    char magic[8];
    int32_t rank; /* its number; -1: it is refused */
    char why[JOIN_IDENTITY_BYTES + 64];
};

extern const char join_magic[8];

/* The joining end: all of these bytes, waiting for them. STATUS_SYSTEM where the connection ends,
 * or the socket's time for receiving is over, JOIN_SILENT_S. */
enum status join_send(int socket, const void *bytes, size_t length);
enum status join_receive(int socket, void *bytes, size_t length);

/* What can be read or written now, in *done more bytes; false: the connection has ended. */
bool join_read_some(int socket, void *bytes, size_t length, size_t *done);
bool join_write_some(int socket, const void *bytes, size_t length, size_t *done);

#endif
