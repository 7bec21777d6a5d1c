/* The worker of a rank: the context of a picture, which the pool sends to every rank
 * (decomposition/pool/pool.h), and the pieces that are computed in it. */
#ifndef RENDER_WORKER_RANK_WORKER_H
#define RENDER_WORKER_RANK_WORKER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "decomposition/message/job_memory.h"
#include "decomposition/pool/pool.h"
#include "render/device/device_set.h"
#include "render/reference/reference.h"
#include "render/worker/context.h"
#include "render/worker/shared_orbit.h"
#include "render/worker/subgrid.h"

/* Worker of a rank. On processors one thread computes each piece: teams would wait at every
 * barrier, which on cores shared with other programs takes longer than the pieces. */
struct rank_worker {
    struct device_set device_set; /* devices; on processors one for each thread */
    struct deep deep;             /* perturbation on processors: data shared by all threads */
    int threads;
    bool blocks; /* blocks of `context` exist */
    volatile int give_up;
    struct picture_context context;
    struct grid_cell *cells;     /* [context.cells] */
    struct reference reference;  /* reference; borrows its orbit from one of these two */
    void *bytes;                 /* message of rank 0 */
    uint64_t bytes_orbit;        /* number of the orbit in it */
    struct shared_orbit *shared; /* shared orbit, on rank 0 */
    pthread_mutex_t offers;      /* protects `offered` */
    struct shared_orbit *offered[2];
    struct job_memory memory; /* memory for results that devices reach fast */
    int running;              /* number of running computations; atomic */
    double idle_s;            /* time since which none runs: the last one ended, a context began, or
                                 the devices were opened; atomic */
};

/* Opens the devices. `options`: as renderer_open has found them; stop is set to that of the worker.
 * The worker must not move until it is closed. */
enum status rank_worker_open(struct rank_worker *worker, const struct device_set_options *options);
void rank_worker_close(struct rank_worker *worker); /* accepts a zeroed one */

/* Offers, on rank 0, the orbit of the next context, which this rank then reads without a copy.
 * Holds the newest two. Thread: any. */
void rank_worker_offer(struct rank_worker *worker, struct shared_orbit *shared);

/* Callbacks for a pool that computes with this worker. */
struct pool_calls rank_worker_calls(struct rank_worker *worker);

/* Time when the devices of this rank last became idle or began the newest context; 0: they are at
 * work. Thread: any. */
double rank_worker_idle_s(const struct rank_worker *worker);

/* Makes a task for a piece. */
struct pool_task work_piece_task(uint64_t epoch, uint64_t id, const struct work_piece *piece,
                                 unsigned planes, int count_bytes);

#endif
