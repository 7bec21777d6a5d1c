/* The communicators of a world. Private to decomposition/: the rest of the program sees
 * world.h only.
 *
 * In a world of one rank `mpi` is false and the communicators are not to be touched. MPI errors
 * are returned, never fatal, and become STATUS_SYSTEM with the library's sentence. */
#ifndef DECOMPOSITION_WORLD_WORLD_COMM_H
#define DECOMPOSITION_WORLD_WORLD_COMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

#include "decomposition/thread/patience.h"
#include "decomposition/world/world.h"

struct executor;
struct presence;
struct root_watch;

struct world_record { /* record of a rank, in world_exchange */
    uint64_t fine;
    unsigned char bytes[WORLD_RECORD_BYTES];
};

enum { WORLD_HOST_BYTES = 64 };

struct world {
    bool mpi;     /* it has communicators */
    bool started; /* this world has started MPI; else the caller has */
    struct world_hooks hooks;
    int rank, size;
    int node_rank, node_size, root_node_size;
    bool beside_root; /* rank 0 is on this machine */
    char host[WORLD_HOST_BYTES];
    size_t share_chunk;            /* bytes per broadcast of world_share; smaller in tests */
    MPI_Comm together;             /* collectives */
    MPI_Comm tiles;                /* tiles and the commands about them, two-sided */
    MPI_Comm pixels;               /* fields that follow their announcement, which is in `tiles` */
    MPI_Comm beats;                /* heartbeats of ranks > 0 */
    MPI_Datatype unit;             /* MESSAGE_UNIT bytes */
    struct world_record *record;   /* [size]: what the ranks have said in world_exchange */
    unsigned char *packed;         /* the records as they arrive */
    void *spare;                   /* see world_share; NULL: was needed */
    void *letter;                  /* what a short collective carries, see spread */
    int agreed[2];                 /* operands of world_agree */
    unsigned spin_us;              /* how long world_wait looks without a nap: of the last pool */
    bool yielded;                  /* MPI would give the core away after every look */
    struct presence *presence;     /* NULL in a world of one */
    struct root_watch *root_watch; /* NULL: without */
    struct executor *taker;        /* a thread of pixels.c; NULL: not needed so far */
    bool packs;                    /* this rank packs the pixels that it sends: link.h */
    bool lost;                     /* a rank has been given up, see world.h */
    double silent_s, lost_s;       /* see presence.h; the same on every rank, shorter in tests */
};

/* Has this rank lost rank 0? MPI may still read and write what it was given for it, so that memory
 * stays. (Rank 0 gives up what belongs to a lost rank one by one.) */
static inline bool world_root_is_lost(const struct world *world)
{
    return world->lost && world->rank > 0;
}

/* STATUS_OK, or STATUS_SYSTEM naming the call and MPI's reason. */
enum status world_check(int mpi_result, const char *call);

/* Is the failure that a process has ended? MPIs with ULFM say so, in a job that may go on. */
bool world_says_ended(int mpi_result);

/* Passes an MPI failure on. */
#define TRY_MPI(call) TRY(world_check((call), #call))

/* Around calls of MPI that block. Those spin, and where cores are scarce they should give the core
 * away after every look (mpi_yield_when_idle, which Open MPI sets itself where ranks outnumber
 * cores). Everywhere else a world turns that off, because we nap between looks: a sched_yield puts
 * this thread behind everybody who computes, and every look in vain could last a time slice. An MPI
 * that cannot be told is left alone. */
void world_block_begin(const struct world *world);
void world_block_end(const struct world *world);

/* Waits for a request, patiently. Fails when the world is lost; MPI may then still read or write
 * what the request is about. */
enum status world_wait(struct world *world, MPI_Request *request);

#endif
