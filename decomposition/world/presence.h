/* Process watch: the ranks that are there, and those that answer. Private to decomposition/.
 *
 * MPI tells of neither a rank that was killed nor of one that hangs. So a rank > 0 sends rank 0 a
 * heartbeat, an empty message on a communicator of its own, from the thread that talks, whatever
 * its threads compute: while it waits for a collective, in a pool, and beside long calls
 * (world_work). Rank 0 adds up for how long it has polled for a message of each rank in vain. A
 * poll adds little, so that time in which rank 0 did not poll itself (it computed, or the machine
 * was asleep) does not count against others. A rank is silent after silent_s (others get its work,
 * and it is welcome again) and lost after lost_s (nobody waits for it any longer), or when the
 * kernel says that its process has ended, which it does at once for those on rank 0's machine.
 *
 * The other ranks notice the end of rank 0's process (root_watch.h), and end as well, or their
 * world is lost. */
#ifndef DECOMPOSITION_WORLD_PRESENCE_H
#define DECOMPOSITION_WORLD_PRESENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "decomposition/world/root_watch.h"
#include "decomposition/world/world_comm.h"

/* A thread that talks may have to wait for a core for a second or two where many want one. MPI
 * starts and ends ranks in as long. */
enum { PRESENCE_SILENT_S = 10, PRESENCE_LOST_S = 30 };
/* Limits of MPI_Init and MPI_Finalize, in seconds. */
enum { FUSE_START_S = 300, FUSE_END_S = 30 };

struct whereabouts { /* how a rank tells rank 0 where it is */
    char host[WORLD_HOST_BYTES];
    int64_t process;             /* process number of the rank */
    uint64_t numbers;            /* space of process numbers: containers have their own */
    int32_t beside_root;         /* on rank 0's machine */
    int32_t node_size;           /* ranks on its machine */
    struct root_address listens; /* address of rank 0 */
};

/* Begins the watch of a world that has its communicators. The ranks exchange `own`, which is
 * filled whatever the status (world_exchange), and presence_meet takes what all have said. */
enum status presence_open(struct world *world, struct whereabouts *own);
void presence_meet(struct world *world);
void presence_close(struct world *world); /* accepts one that was never opened, or is half open */

/* A rank > 0: sends a heartbeat if it is time for one. To be called ten times a second or more. */
void presence_beat(struct world *world);

/* A rank > 0 that sends none, now and then: gives the world up when the process of rank 0 has ended
 * some seconds ago (world_hooks.root_ended). presence_beat does it, too. */
void presence_root(struct world *world);

/* The rest is rank 0's; in a world of one everybody answers. */

/* Takes the heartbeats. True if it has judged the ranks anew, about ten times a second. */
bool presence_poll(const struct world *world);

/* All ranks have taken part in a collective that has just ended. */
void presence_met(struct world *world);

/* Another message of this rank has come. */
void presence_heard(const struct world *world, int rank);

/* For how long rank 0 has polled for a message of this rank in vain, seconds. */
double presence_unheard_s(const struct world *world, int rank);

const char *presence_host(const struct world *world, int rank); /* "": not known yet; on ranks > 0
                                                                     this one's */
bool presence_answers(const struct world *world, int rank);     /* neither silent nor ended */
bool presence_lost(const struct world *world, int rank);

/* Has the process of this rank ended, and would the kernel tell? */
bool presence_ended(const struct world *world, int rank);
bool presence_watched(const struct world *world, int rank);

/* Fails with STATUS_SYSTEM and a sentence about this rank; from now on the world is lost, see
 * world.h. */
enum status presence_give_up(struct world *world, int rank);

/* One poll during a wait for the other ranks: sends heartbeats on ranks > 0; fails on rank 0 when a
 * rank is lost, and on others when rank 0 is. */
enum status presence_wait(struct world *world);

#endif
