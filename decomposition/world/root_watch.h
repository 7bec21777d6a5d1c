/* The connection by which other ranks notice that the process of rank 0, or its machine, has ended.
 * Private to decomposition/.
 *
 * mpirun ends the other ranks when rank 0 is killed; srun leaves them waiting. Rank 0 cannot send
 * heartbeats as they do, since it computes orbits and writes files in the thread that talks. So
 * each rank has an idle TCP connection to it, which the kernel of rank 0's machine keeps and, when
 * the process ends, closes; of a machine that is gone it is the probes (keep-alive) that fail. A
 * rank that finds no way to rank 0 goes on without: then nothing is noticed. IPv4. */
#ifndef DECOMPOSITION_WORLD_ROOT_WATCH_H
#define DECOMPOSITION_WORLD_ROOT_WATCH_H

#include <stdbool.h>
#include <stdint.h>

struct root_watch;

enum { ROOT_ADDRESSES = 8 };

struct root_address {   /* where rank 0 listens; port 0: nowhere */
    uint64_t secret[2]; /* secret that it says first: another program may have the port elsewhere */
    uint32_t address[ROOT_ADDRESSES]; /* addresses of its machine, in network order; 0: no more */
    uint16_t port;                    /* network order */
};

/* Rank 0: listens, for so many other ranks. NULL: it cannot. */
struct root_watch *root_watch_listen(int others, struct root_address *address);

/* Rank 0, now and then: takes in the ranks that have called. */
void root_watch_admit(struct root_watch *watch);

/* Another rank. NULL: there is no watch. */
struct root_watch *root_watch_call(const struct root_address *address);

/* Another rank, now and then: false if rank 0 was there, and is no more. Never waits. */
bool root_watch_poll(struct root_watch *watch);

void root_watch_close(struct root_watch *watch); /* accepts NULL */

#endif
