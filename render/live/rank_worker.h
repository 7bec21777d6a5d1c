/* The worker of a rank: the context of a picture, which the pool sends to every rank
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
    /* Perturbation: offset of the view's centre from the reference, in units of the view's
     * exponent. */
    double offset_re, offset_im;
    /* View of the blocks, with the offset in `request`; with a key that is not 0 they are kept for
     * the next context with the same key. The packed orbit follows in the bytes for other ranks,
     * unless all ranks are known to have the blocks. */
    uint64_t blocks_key;
    struct view_numbers blocks_view;
    struct reference_request request;
    uint64_t orbit; /* number of the shared orbit for the blocks; 0: the ranks have them */
};

enum { CONTEXT_PLANES = PLANE_MASK_COUNT | PLANE_MASK_FRACTION }; /* least planes of a context */

/* Packs context and orbit into one block of bytes, freed by the caller. shared: NULL: no orbit. */
enum status context_pack(const struct picture_context *context, const struct shared_orbit *shared,
                         void **bytes, size_t *length);

/* Worker of a rank. On processors one thread computes each piece: teams would wait at every
 * barrier, which on cores shared with other programs takes longer than the pieces. */
struct rank_worker {
    struct device_set device_set; /* devices; on processors one for each thread */
    struct deep deep;             /* perturbation on processors: data shared by all threads */
    int threads;
    bool blocks; /* blocks of `context` exist */
    volatile int give_up;
    struct picture_context context;
    struct reference reference;  /* reference; borrows its orbit from one of these two */
    void *bytes;                 /* message of rank 0 */
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
struct pool_task live_piece_task(uint64_t epoch, uint64_t id, const struct live_piece *piece,
                                 unsigned planes, int count_bytes);

#endif
