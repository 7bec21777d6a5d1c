/* The worker of a rank: the context of a picture, which every rank is told by the pool
 * (decomposition/pool/pool.h), and the pieces that are computed in it. */
#ifndef RENDER_LIVE_RANK_WORKER_H
#define RENDER_LIVE_RANK_WORKER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "decomposition/pool/job.h"
#include "decomposition/pool/pool.h"
#include "render/device/device_set.h"
#include "render/live/subgrid.h"
#include "render/live/shared_orbit.h"
#include "render/plan/plan.h"
#include "render/reference/reference.h"
#include "render/view/view.h"

struct picture_context { /* plain data */
    struct view_numbers view;
    struct spec spec;
    enum method method;
    /* Perturbation: the centre of the view from the reference, in units of the view's exponent. */
    double offset_re, offset_im;
    /* The blocks are made for this view, which `request` says the offset of; with a key that is not
     * 0 they are kept for the next context if it has the same. The packed orbit follows in the
     * bytes for other ranks, unless all ranks are known to have the blocks. */
    uint64_t blocks_key;
    struct view_numbers blocks_view;
    struct reference_request request;
    uint64_t orbit; /* number of the shared orbit that they are made from; 0: the ranks have them */
};

enum { CONTEXT_PLANES = PLANE_MASK_COUNT | PLANE_MASK_FRACTION }; /* at least */

/* Context and orbit as one block, freed by the caller. shared: NULL: no orbit. */
enum status context_pack(const struct picture_context *context, const struct shared_orbit *shared,
                         void **bytes, size_t *length);

/* A rank's place of work. Processors work with one thread for each piece: teams would wait for each
 * other at every barrier, which on cores that others use too takes longer than the pieces do. */
struct rank_worker {
    struct device_set device_set; /* of processors: a device for each thread */
    struct deep deep;             /* perturbation on processors: what all threads share */
    int threads;
    bool blocks; /* are there, of `context` */
    volatile int give_up;
    struct picture_context context;
    struct reference reference;  /* borrows its orbit from one of these: */
    void *bytes;                 /* as it came from rank 0 */
    struct shared_orbit *shared; /* on rank 0 */
    pthread_mutex_t offers;      /* of */
    struct shared_orbit *offered[2];
    struct job_memory memory; /* for results: what the devices reach fast */
    int running;              /* computes that run; atomic */
    double idle_s;            /* when the last of them ended or a context began; atomic */
};

/* Opens the devices. `options`: as renderer_open has found them; stop is set to that of the worker.
 * The worker must not move until it is closed. */
enum status rank_worker_open(struct rank_worker *worker, const struct device_set_options *options);
void rank_worker_close(struct rank_worker *worker); /* accepts a zeroed one */

/* On rank 0: the orbit of a context that is about to be told, which this rank then reads where it
 * is. Holds the newest two. Any thread. */
void rank_worker_offer(struct rank_worker *worker, struct shared_orbit *shared);

/* The calls of a pool that computes there. */
struct pool_calls rank_worker_calls(struct rank_worker *worker);

/* When the devices of this rank last became idle or began with the newest context; 0: they are at
 * work. Any thread. */
double rank_worker_idle_s(const struct rank_worker *worker);

/* Gives this thread, and those that it makes, a lower priority: it shares the cores with a window
 * that must stay smooth. */
void thread_priority_lower(void);

/* A task for a piece. */
struct pool_task piece_task(uint64_t epoch, uint64_t id, const struct piece *piece, unsigned planes,
                            int count_bytes);

#endif
