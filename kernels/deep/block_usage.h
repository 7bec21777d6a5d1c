/* Counts of the blocks that the pixels of a picture use, which tiles, for speed, do not keep. */
#ifndef KERNELS_DEEP_BLOCK_USAGE_H
#define KERNELS_DEEP_BLOCK_USAGE_H

#include "kernels/deep/deep.h"

struct deep_level {
    int64_t blocks, hold; /* blocks in the table; those of them that may be used at all */
    uint64_t taken;       /* blocks that pixels used */
};

struct block_usage {
    int64_t pixels;                /* pixels that were followed */
    uint64_t iterations;           /* iterations of all these pixels */
    uint64_t single, unreferenced; /* iterations taken one by one along the reference, without it */
    int levels, shortest;          /* level l: blocks of 2^(shortest + l) steps */
    struct deep_level level[BLOCK_LEVELS];
};

/* Counts the table and follows some pixels, spread over the picture that `whole` is the grid of:
 * up to BLOCK_USAGE_PIXELS, and for a second or so; none after `stop`, which may be NULL, became
 * non-zero. */
enum { BLOCK_USAGE_PIXELS = 384, BLOCK_USAGE_STEPS = 5000000 };
void block_usage_count(struct block_usage *survey, const struct deep *deep,
                       const struct grid *whole, const volatile int *stop);

#endif
