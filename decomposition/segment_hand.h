/* The way of a block's memory to another process. Private to segment.c.
 *
 * First by the owner's descriptor under /proc, which asks nothing of the owner. The kernel refuses
 * that between containers (namespaces of processes or of users of their own); there the owner
 * hands the descriptor through a Unix socket whose address is abstract: it too has no name in any
 * file system, but is seen in one network namespace only. Both want the same user. */
#ifndef DECOMPOSITION_SEGMENT_HAND_H
#define DECOMPOSITION_SEGMENT_HAND_H

#include <stdbool.h>
#include <stdint.h>

#include "decomposition/segment_block.h"

struct offer {      /* what rank 0 tells about its block; plain bytes */
    uint64_t bytes; /* 0: there is none, `why` says why */
    int32_t process, file;
    int32_t huge;                  /* see segment_huge */
    char name[SEGMENT_NAME_BYTES]; /* of the memfd and of the socket */
    char why[SEGMENT_WHY_BYTES];
};

bool hand_by_proc(const struct offer *offer, struct segment_block *block,
                  char why[SEGMENT_WHY_BYTES]);

/* The owner's end, for so many to come; -1 with the reason in `why`. Never blocks. */
int hand_listen(const struct offer *offer, int callers, char why[SEGMENT_WHY_BYTES]);

/* The caller's end; -1 with the reason in `why`. Never blocks. */
int hand_connect(const struct offer *offer, char why[SEGMENT_WHY_BYTES]);

/* Gives `file` to all who have called by now and are of this user. Never blocks. */
void hand_give(int listener, int file, int callers);

/* Takes what the owner gives; waits for it. */
bool hand_take(int socket, const struct offer *offer, struct segment_block *block,
               char why[SEGMENT_WHY_BYTES]);

#endif
