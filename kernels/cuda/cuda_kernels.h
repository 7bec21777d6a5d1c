/* The kernels of direct iteration: one piece of a field, and the launches that bring it to its
 * end.
 *
 * A pixel's way: (0) squares of pixels are proven interior as a whole; (1) its first steps, in
 * warps of neighbours: most pixels of shallow views end here; (2) rounds: all pixels that are left
 * are in a queue at the same age and are iterated up to the next, each at its own index of the
 * queue; after the first, where the limit is long, the orbits of pixels in small copies of the set
 * are followed from return to return (kernels/escape/return_map.h); (3) after a round the queue is
 * sorted: pixels that escaped are replayed with every step tested, in full warps; for the others,
 * at some ages, a proof is tried; pixels that are left go to the next queue. The launches of a
 * batch are enqueued without waiting; each finds in device memory how many pixels the one before
 * left. */
#ifndef KERNELS_CUDA_CUDA_KERNELS_H
#define KERNELS_CUDA_CUDA_KERNELS_H

#include <cuda_runtime.h>

#include "kernels/escape/shared.h"
#include "kernels/grid.h"
#include "kernels/spec.h"

enum {
    STAGES = 12,        /* limit of a batch; even, so that queues alternate over batches */
    SQUARE_PX = 16,     /* side of the squares that are proven as a whole */
    FIRST_STEPS = 1024, /* (1) */
    ROUND_GROWTH = 2,   /* (2): a round takes as many times the steps that were taken before */
    RUN = 32,           /* (1): unchecked steps between tests */
    RUN_MIN = 64,       /* (2): unchecked steps of young pixels */
    RUN_MAX = 128,      /* (2): unchecked steps of old pixels; all rounds are multiples */
    RUN_AGE = 2048      /* age from which pixels are old */
};

struct stage {      /* state between two launches, in device memory */
    int64_t age;    /* steps that every pixel in the queue has taken */
    int64_t proved; /* age at the last proofs */
    uint32_t count; /* pixels in the queue; the queue is number (stage % 2) */
    uint32_t taken; /* pixels of the queue that the round has taken */
};

struct batch { /* progress, exchanged by device and host */
    struct stage stage[STAGES + 1];
    unsigned long long iterations;
};

struct pixel_queue {
    void *x, *y;   /* z, in the number type */
    uint32_t *at;  /* pixel of the piece: x | y << 16 */
    int32_t *left; /* after a round: enum fate */
};

enum fate { GOES_ON = 0, PROVEN = -1, ESCAPED = -2 }; /* ESCAPED - k: escaped with k steps left */

struct return_map;

struct piece {
    struct grid grid; /* the piece's own */
    int64_t limit;
    int64_t budget;    /* steps of all pixels together that a launch may take */
    int64_t steps_max; /* steps of one pixel that a launch may take */
    double bailout, margin, fraction_offset;
    float rounding;
    int shortcuts, count_bytes;
    int squares_in_row, square_rows;
    int square_steps; /* steps of a square's orbit; 0: no proofs */
    int soon_steps;   /* steps of the proofs that the first steps wait for; <= square_steps */
    uint16_t *period; /* [square_rows][squares_in_row] of squares proven soon; 0: not proven */
    uint16_t *late;   /* the same after square_steps; the first sort needs it */
    struct return_map *maps; /* [square_rows][squares_in_row]; NULL: no returns are followed */
    void *count;             /* plane, packed */
    float *fraction;         /* plane, packed; may be NULL */
    struct pixel_queue queue[2];
    struct batch *batch;
    struct batch *report;          /* copy of `batch` for the host, in pinned memory */
    volatile int *stop;            /* device memory; not 0: launches do nothing */
    const volatile int *host_stop; /* the host's request; each launch copies it to `stop` */
    struct formula formula;
};

struct launcher {
    enum number number;
    int units; /* multiprocessors */
    cudaStream_t stream;
};

/* Each enqueues one launch: cuda_proofs.cu, cuda_steps.cu. None enqueues copies: the device has few
 * queues for them, and a short copy that waits for kernels would delay the long ones of other
 * streams behind it. */
void launch_batch(const struct launcher *launcher, const struct piece *piece, struct stage begin);
void launch_squares_soon(const struct launcher *launcher, const struct piece *piece);
void launch_squares_late(const struct launcher *launcher, const struct piece *piece);
void launch_first(const struct launcher *launcher, const struct piece *piece);
void launch_round(const struct launcher *launcher, const struct piece *piece, int stage);
void launch_returns(const struct launcher *launcher, const struct piece *piece, int stage);
void launch_sort(const struct launcher *launcher, const struct piece *piece, int stage);
void launch_report(const struct launcher *launcher, const struct piece *piece);
/* Takes unchecked steps and nothing else; returns how many all threads take together. */
double launch_ceiling(const struct launcher *launcher, int runs, double *sink);

/* The age after a round that begins at `age` with `count` pixels. */
ESCAPE_FN int64_t round_end(const struct piece *piece, int64_t age, uint32_t count)
{
    int64_t steps = age < INT64_MAX / 4 ? ROUND_GROWTH * age : age, left = piece->limit - age;
    int64_t most = piece->budget / (count ? count : 1);
    steps = steps < most ? steps : most;
    steps = steps < piece->steps_max ? steps : piece->steps_max;
    if (steps < RUN_MAX)
        steps = RUN_MAX;
    return steps < left ? age + steps / RUN_MAX * RUN_MAX : piece->limit;
}

/* Steps of a round. The last run may go beyond the limit: counts above it are not written. */
ESCAPE_FN int round_length(int64_t age, int64_t end)
{
    return (int)((end - age + RUN_MAX - 1) / RUN_MAX * RUN_MAX);
}

/* Unchecked steps of a round between tests. Long runs cost less, but more is repeated where a pixel
 * escapes, and few do later. */
ESCAPE_FN int round_run(int64_t age)
{
    return age < RUN_AGE ? RUN_MIN : RUN_MAX;
}

#endif
