/* The ranks of a program, and how they agree.
 *
 * The only module that starts and stops MPI. A process that was not started by mpirun or srun
 * gets a world of one rank and never calls MPI_Init (which costs 0.4 s). A world is used by one
 * thread at a time, which makes its calls of MPI: the one that opened it, or another where MPI's
 * thread level lets it. A process may have several worlds, which know nothing of each other. */
#ifndef DECOMPOSITION_WORLD_WORLD_H
#define DECOMPOSITION_WORLD_WORLD_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/status.h"

struct world;

/* Was this process started by mpirun or srun? Looks at the environment only. */
bool world_launched(void);

/* How many processes the launcher says it has started together, and the variable in which it says
 * so; 0: it does not say. When MPI finds fewer, the launcher belongs to another MPI. */
int world_promised(const char **variable);

/* This process's number among them, as the launcher says it; 0 when it does not. For those who
 * cannot ask MPI. */
int world_rank_promised(void);

/* What a program does to its own process when MPI or rank 0 is gone. A library that is a guest in
 * another program's process does none of it. NULL: not done. */
struct world_hooks {
    /* Called before a call of MPI that blocks, in which no rank can be polled: when it has not
     * returned after so many seconds, the process is to end. 0: it has returned. */
    void (*mpi_blocks)(unsigned seconds);
    /* Called on a rank > 0 when the process of rank 0 has ended: is to end this one, since nobody
     * is left to tell a status to. `text`: a sentence for one rank of each machine, else NULL. If
     * it returns, or there is none, the world is lost (world_lost). */
    void (*root_ended)(const char *text);
    bool root_watched; /* a launcher ends the others with rank 0: they need not look for it */
};

/* Starts MPI if world_launched(). Collective then. `hooks` is copied; NULL: those of a guest. Fails
 * with STATUS_CONFIG where MPI has been started by others. */
enum status world_open(struct world **world, const struct world_hooks *hooks);

/* The ranks of a communicator of the caller, who has started MPI and will end it: `communicator` is
 * the address of an MPI_Comm, so that this header needs no mpi.h. Works on duplicates of it, and
 * changes neither its error handler nor any signal, variable or child of the process. MPI may have
 * been set to give the core away while it waits (Open MPI's mpi_yield_when_idle): that is off until
 * the world is closed. Collective over the communicator.
 *
 * Fails with STATUS_CONFIG, on each rank by itself, where MPI does not run, where its thread level
 * is less than MPI_THREAD_FUNNELED (other threads compute while one calls MPI), where that thread
 * is not MPI's main one and the level less than MPI_THREAD_SERIALIZED, and where the communicator
 * is null or connects two groups. Two worlds that are used by two threads at the same time need
 * MPI_THREAD_MULTIPLE.
 *
 * A rank may come late to a collective, however late: the end of its process alone is a loss. No
 * process is ended by the engine: on rank 0 a lost rank, and on others a rank 0 that has ended or
 * given up a rank, make the world lost (world_lost). */
enum status world_adopt(struct world **world, const void *communicator);

/* A world of this process alone, without MPI: what rank 0 goes on in when its world is lost. */
enum status world_alone(struct world **world);

/* Ends MPI where world_open has started it, and frees the duplicates of world_adopt: collective
 * then, but not in a world that is lost, whose duplicates stay to the end of MPI, and of whose
 * memory that part stays which MPI may still write to. Accepts NULL. */
void world_close(struct world *world);

int world_rank(const struct world *world);
int world_size(const struct world *world);

/* Ranks on this machine: this one's number among them, and how many there are. */
int world_node_rank(const struct world *world);
int world_node_size(const struct world *world);

/* Does this rank share its machine with rank 0? True on rank 0. */
bool world_beside_root(const struct world *world);

/* Node-local size of rank 0's machine (same on every rank). */
int world_root_node_size(const struct world *world);

/* Makes all ranks return the same status: STATUS_OK if all passed it, else the one of the lowest
 * failing rank, whose sentence becomes status_text() everywhere (with "rank N on HOST: " before
 * it where N > 0). Collective. */
enum status world_agree(struct world *world, enum status mine);

/* Rank 0's bytes to every rank, or its failure: `mine` of rank 0, as world_agree returns it; that
 * of the others is not looked at. On other ranks *bytes is allocated and the caller frees it; on
 * rank 0 it is left alone. Any length, beyond 2 GiB too. One collective up to 2 KiB, else three and
 * one more for every GiB. */
enum status world_share(struct world *world, enum status mine, void **bytes, size_t *length);

/* The same of a record, in place, of a length that all know: at most WORLD_TELL_BYTES, in one
 * collective that takes no memory. STATUS_INTERNAL on a rank that expected another length: it runs
 * another program. */
enum { WORLD_TELL_BYTES = 2048 };
enum status world_tell(struct world *world, enum status mine, void *record, size_t length);

/* world_agree, and every rank's record to all in the same collective: at most WORLD_RECORD_BYTES,
 * of the same length everywhere. world_said gives them, until the next exchange. */
enum { WORLD_RECORD_BYTES = 512 };
enum status world_exchange(struct world *world, enum status mine, const void *record,
                           size_t length);
const void *world_said(const struct world *world, int rank);

/* Fixed-size records of all ranks to rank 0: `all` has world_size * length bytes there and may be
 * NULL elsewhere. Collective. */
enum status world_gather(struct world *world, const void *mine, size_t length, void *all);

/* Runs call(context), which may take long and makes no calls of MPI, while rank 0 hears that this
 * rank is there: on another thread, but for rank 0 and a world of one. Returns its status, with its
 * sentence. Not collective. */
enum status world_work(struct world *world, enum status (*call)(void *context), void *context);

/* Rank 0: STATUS_OK, or STATUS_SYSTEM with a sentence about the rank that this world has given up,
 * because its process has ended or it has not answered for half a minute. Then every collective
 * fails so at once, but for world_agree, which returns what it is given, and the program ends by
 * world_abort: MPI would wait for that rank. A guest closes the world. Other ranks, of a guest: the
 * same about rank 0. */
enum status world_lost(const struct world *world);

/* Ends every rank of a world that has started MPI itself, this one too, with this status's exit
 * code. Prints nothing. Any rank. Returns in all other worlds; accepts NULL. */
void world_abort(struct world *world, enum status status);

/* Version line of the MPI library in use, without starting it. Borrowed by this thread. */
const char *world_library(void);

#endif
