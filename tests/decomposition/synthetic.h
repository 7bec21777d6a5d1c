/* A picture whose every pixel is known: for testing who computes what and how it travels, without
 * computing anything. A pixel's value is a hash of its coordinates. */
#ifndef TESTS_DECOMPOSITION_SYNTHETIC_H
#define TESTS_DECOMPOSITION_SYNTHETIC_H

#include <stdbool.h>
#include <stdint.h>

#include "decomposition/pool/job.h"

enum { THREADS_MOST = 4, RANKS_MOST = 64, LOSSES_MOST = 8, LENT_MOST = 16 };

struct synthetic_loss { /* a device that falls off the bus */
    int rank, thread;   /* thread -1: all of that rank */
    uint32_t after;     /* tiles that this thread computes before */
};

struct synthetic {
    /* What to make; the caller fills it in. */
    int32_t width, height, tile_px;
    uint32_t interleaved; /* > 0: instead of squares so many interleaved tiles, in bands of tile_px
                             rows */
    unsigned planes;
    int count_bytes;
    int rank; /* of this process */
    int threads, credits;
    double speed;
    unsigned spin_us;
    struct executor *executor; /* kept from job to job; NULL: not */
    uint64_t epoch;
    const struct transport_kind *transports[RANKS_MOST];
    bool on_device; /* the picture says that it is not in host memory */
    bool lends;     /* so does memory that this rank lends, which MPI may send */
    /* Memory that all ranks of this machine see, for pictures that others compute into. */
    void *segment;

    /* Trouble to make. Zero: none. */
    enum status fail_with; /* compute of tile `fail_tile` returns it */
    uint32_t fail_tile;
    bool others_wait;          /* tiles other than that are endless until give_up */
    enum status arrival_fails; /* the second tile that arrives returns it */
    int stop_rank;             /* -1: none; this rank's stop flag is set ... */
    uint32_t stop_tile;        /* ... when it computes or takes this tile or a later one */
    unsigned (*cost_us)(const struct tile *tile, const struct synthetic *); /* slept per tile */
    void (*notice)(void *context, const char *text);                        /* of the job */
    struct synthetic_loss loss[LOSSES_MOST];
    int losses;

    /* The state of a run. */
    struct tile *tiles;
    uint32_t tile_count;
    struct field image; /* rank 0, and who computes into it */
    uint8_t *seen;      /* rank 0: how often each tile arrived */
    uint32_t delivered;
    int progress_calls;
    uint32_t thread_tiles[THREADS_MOST]; /* computed by each thread */
    bool thread_lost[THREADS_MOST];
    int called_after_loss; /* atomic, as the next two */
    int in_compute, in_compute_most;
    int borrowed, given_back, copied; /* job_memory */
    size_t borrowed_bytes;
    bool copying;        /* as a device copies, not the processor */
    int lent, lent_back; /* of the device; the second wish is not granted */
    struct synthetic_lent {
        unsigned char *at;
        size_t bytes;
    } lent_block[LENT_MOST];
    volatile int stop, give_up;
    struct job_memory memory;
};

/* Does this lie in device memory that is lent? */
bool synthetic_lent(const struct synthetic *synthetic, const void *address);

/* Cuts the tiles and makes room; destroy frees both. Exits the process on failure. */
void synthetic_create(struct synthetic *synthetic);
void synthetic_destroy(struct synthetic *synthetic);

/* The job over it; `job` borrows `synthetic`. */
void synthetic_job(struct synthetic *synthetic, const struct schedule_kind *schedule,
                   struct job *job);

/* Rank 0: has every tile arrived once, with the right bytes? */
bool synthetic_whole(const struct synthetic *synthetic);

#endif
