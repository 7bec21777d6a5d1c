/* A picture whose every pixel is known: for testing who computes what and how it travels, without
 * computing anything. A pixel's value is a hash of its coordinates. */
#ifndef TESTS_DECOMPOSITION_SYNTHETIC_H
#define TESTS_DECOMPOSITION_SYNTHETIC_H

#include <stdbool.h>
#include <stdint.h>

#include "decomposition/job.h"

struct synthetic {
    /* What to make; the caller fills it in. */
    int32_t width, height, tile_px;
    unsigned planes;
    int count_bytes;
    int rank; /* of this process */
    uint64_t epoch;

    /* Trouble to make. Zero: none. */
    enum status fail_with; /* compute of tile `fail_tile` returns it */
    uint32_t fail_tile;
    bool others_wait;          /* tiles other than that are endless until give_up */
    enum status deliver_fails; /* the second deliver returns it */
    int stop_rank;             /* -1: none; this rank's stop flag is set ... */
    uint32_t stop_tile;        /* ... when it computes or takes home this tile or a later one */
    unsigned (*cost_us)(const struct tile *tile, const struct synthetic *); /* slept per tile */

    /* The state of a run. */
    struct tile *tiles;
    uint32_t tile_count;
    struct field image; /* rank 0 */
    uint8_t *seen;      /* rank 0: how often each pixel came home */
    uint32_t delivered;
    int progress_calls;
    volatile int stop, give_up;
};

/* Cuts the tiles and makes room; destroy frees both. Exits the process on failure. */
void synthetic_create(struct synthetic *synthetic);
void synthetic_destroy(struct synthetic *synthetic);

/* The job over it; `job` borrows `synthetic`. */
void synthetic_job(struct synthetic *synthetic, const struct schedule_kind *schedule,
                   const struct transport_kind *transport, struct job *job);

/* Rank 0: has every pixel come home once, with the right bytes? */
bool synthetic_whole(const struct synthetic *synthetic);

#endif
