/* A job: all tiles of one picture, computed by the ranks and transported to rank 0.
 *
 * A schedule says who computes which tile when; a transport says how a finished tile arrives,
 * one for each rank. job_run ties them together. A rank computes if it has threads, each with one
 * tile at a time. Its other thread, the caller of job_run, exchanges messages with the other ranks;
 * so a running compute can be told to give up, and tiles travel while the next are computed.
 * Rank 0 coordinates and may compute too. With one rank the same code runs, and MPI is never
 * started.
 *
 * Invariants: every tile message carries magic, version, epoch, tile, level, length and checksum;
 * one of an older epoch is dropped and counted. No rank waits in a collective while another still
 * computes. A job leaves no message behind, and no rank writes into the frame any more when it
 * returns. A rank has at most `credits` tiles given to it. Waiting ranks nap; they spin only for
 * spin_us, and only as long as no other thread wants their core.
 *
 * Faults: a thread whose compute says STATUS_DEVICE_LOST ends, and its tile goes to another; when
 * the last thread of a rank is gone, so does everything that rank had, under any schedule. The
 * picture is complete all the same, and the report says what was lost. A rank that does not answer
 * for some seconds, or whose process has ended (presence.h), is treated likewise, but is welcome
 * again. One that does not answer when the picture is complete is not waited for: the job ends
 * well, and the world is lost (world_lost); it may still write into the frame, final values only.
 * But `gatherv` needs every rank in the end: without one the job fails with that sentence.
 *
 * Collectives: two for a job, the opening, in which the ranks exchange threads, credits and speeds,
 * and the closing. */
#ifndef DECOMPOSITION_POOL_JOB_H
#define DECOMPOSITION_POOL_JOB_H

#include <stdint.h>

#include "decomposition/message/job_memory.h"
#include "decomposition/pool/join_link.h"
#include "decomposition/schedule/schedule.h"
#include "decomposition/schedule/tile.h"
#include "decomposition/transport/transport.h"
#include "decomposition/world/world.h"
#include "kernels/field.h"

struct executor;
struct pool_joined;

struct job_rank { /* what one rank did */
    char host[64];
    uint32_t tiles; /* tiles computed, those that another rank had sooner included */
    uint64_t iterations;
    double busy_s;       /* time inside compute, all threads together */
    double wait_s;       /* time in the job outside compute, all threads together */
    uint64_t bytes_sent; /* pixels sent to rank 0 in messages */
    int32_t computes;    /* 1 if this rank had a thread to work with */
    int32_t threads, threads_lost;
    /* As rank 0 saw it: */
    int32_t silences; /* times that it did not answer for some seconds */
    int32_t missing;  /* 1: it did not answer when the job ended; the figures are the last known */
    double unheard_s; /* time that rank 0 has polled for it in vain */
};

struct job_progress { /* progress as known on rank 0 */
    uint32_t tiles_done, tiles;
    uint64_t pixels_done, pixels;
    uint64_t iterations;
    double share;   /* part of the work that is done, by the predicted cost of tiles if known */
    double seconds; /* since the job began */
    int samples;    /* samples of a pixel, if who adds jobs up to a picture says so; 0: not said */
    /* Figures of each rank, and those of earlier jobs of the picture; borrowed, NULL: not known */
    const struct job_rank *rank, *rank_before;
    int ranks;
    /* Likewise of jobs that have joined this run, in the places that were taken so far */
    const struct job_rank *joined, *joined_before;
    int joined_count, joined_before_count;
};

struct job {
    /* --- the same on every rank --- */
    uint64_t epoch; /* greater than that of any job before it in this world */
    const struct tile *tiles;
    uint32_t tile_count;
    unsigned planes;
    int count_bytes;
    const struct schedule_kind *schedule;
    /* [world size]: how each rank's tiles arrive. Rank 0's own have arrived when they are computed
     * (`local`, whatever stands here); of a rank without threads: any. */
    const struct transport_kind *const *transports;

    /* --- each rank's own --- */
    /* The whole picture as this rank reaches it; borrowed. On rank 0 always: host memory, or device
     * memory when `space` says so. On others where their transport writes in place; else zeroed. */
    struct field frame;
    int threads; /* computing threads; 0: this rank does not compute */
    /* Keeps the threads from job to job; NULL: they live as long as job_run. */
    struct executor *executor;
    int credits;  /* tiles this rank is to have at a time: 2 for each device; >= threads */
    double speed; /* speed of all its devices together, iterations per second; 0 = not known */
    const struct job_memory *memory; /* may be NULL */
    /* Time that a waiting thread polls before it naps, microseconds. 0 where the ranks compute
     * with the cores of this machine; about 1000 where devices do and cores are idle: pictures of
     * milliseconds feel the 60 us that a nap takes at least. */
    unsigned spin_us;

    /* Rank 0: predicted iterations of each tile, falling; borrowed. NULL: not known. */
    const float *costs;
    /* Rank 0: jobs of other allocations that compute tiles, too (pool.h); NULL: none may join. */
    const struct pool_joined *joined;

    void *context; /* handed to the calls */
    /* Computes one tile into `out` (borrowed; a window of the frame, or packed in host memory or
     * in what device_take gave; undefined contents) and adds to *iterations. Called by `threads`
     * threads at once, `thread` = 0 ... threads - 1 says by which. Blocks. May open OpenMP teams;
     * may not call MPI. Only a pixel's final value is ever written. Fails with STATUS_DEVICE_LOST:
     * this thread's device is gone, see above. Any other failure ends the job on all ranks, unless
     * every tile has been computed by then. */
    enum status (*compute)(void *context, int thread, const struct tile *tile, struct field *out,
                           uint64_t *iterations);
    /* The pixels of this tile are in the frame now; once for each tile. Rank 0 only, on the thread
     * that called job_run, while compute may be running. A failure ends the job. May be NULL. */
    enum status (*arrived)(void *context, uint32_t tile_number);
    /* Rank 0 only, on the thread that called job_run, about 10 times a second and at the end. May
     * be NULL. */
    void (*progress)(void *context, const struct job_progress *progress);
    /* Rank 0 only, on the thread that called job_run: a rank does not answer, or answers again, or
     * a job joins or leaves, as a sentence. May be NULL. */
    void (*notice)(void *context, const char *text);
    /* Non-zero: give up as soon as possible with STATUS_STOPPED. May be NULL. Each rank polls its
     * own; one that is set ends the job on all. */
    const volatile int *stop;
    /* Set to 1 on a rank whose computing has become useless: the job has failed, or another rank
     * was sooner with the last tiles; back to 0 when nothing runs any more. Compute should poll it
     * often and return any failure, which is then ignored. May be NULL. Written and best read with
     * __atomic builtins, relaxed. */
    volatile int *give_up;
};

struct job_report { /* filled on rank 0; `rank` has world_size rows and is freed by the caller */
    struct job_rank *rank;
    struct job_rank joined[JOINED_MOST]; /* jobs that have joined, in their places */
    int joined_count;
    double seconds;
    uint64_t late_dropped; /* messages of older epochs */
    uint32_t twice;        /* tiles computed by two ranks because one was slow; the first counted */
    uint32_t threads_lost; /* threads lost on all ranks */
    /* The first of them, if any: */
    int lost_rank;
    char lost_text[STATUS_TEXT_BYTES];
};

/* Should rank 0 compute with its cores, given the world? Only when no other rank shares its
 * machine: otherwise the cores are theirs. The same answer on every rank. (Whether it does is said
 * by job.threads; a device of its own is another reason.) */
bool job_root_computes(const struct world *world);

/* Runs the job. Collective; every rank returns the same status and text ("rank N on HOST: ..." when
 * a rank > 0 failed). Fails with STATUS_NO_DEVICE when no rank has a thread, and with
 * STATUS_DEVICE_LOST when the last is gone before the picture is complete. On failure the tiles
 * that have arrived stand. `report` may be NULL; on ranks > 0 it is zeroed; on failure its rows are
 * those of the ranks that could still say. Costs about 10 us per tile beyond its pixels. */
enum status job_run(struct world *world, const struct job *job, struct job_report *report);

/* Adds what a rank did in another job; of what was lost the newer account stands. */
void job_rank_add(struct job_rank *to, const struct job_rank *from);

/* Adds rows of jobs that have joined, by their places; rows [JOINED_MOST]. */
void job_joined_add(struct job_rank *rows, int *count, const struct job_rank *more, int more_count);

/* Adds what another job in the same world did to `all`, which may be zeroed. Takes the rows of
 * `one`. Of silent ranks and lost threads the newer account stands. */
void job_report_add(struct job_report *all, struct job_report *one, int ranks);

#endif
