/* A tile that the threads of one CPU device compute, and the table of kernels that each instruction
 * set fills in. */
#ifndef KERNELS_CPU_CPU_H
#define KERNELS_CPU_CPU_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernels/backend.h"
#include "kernels/escape/orbit_sums.h"
#include "kernels/stop.h"

enum {
    RUN = 32,             /* steps between tests; a run that escapes is repeated with tests */
    CHUNK = 1024,         /* pixels of one row of the tile that a thread takes at a time */
    FIRST_KEEP_AGE = 512, /* age at which Brent starts; shorter orbits are not worth comparing */
    TRAP_AGE = 1 << 17,   /* age at which Brent starts where a trap is known */
    DUE_RUNS = 4,   /* runs between checks for slots that are due; a check costs a third of a run */
    SLOPE_RUN = 32, /* steps of z and dz between checks for slots that are due */
    SQUARE = 16,    /* side of the squares that are proven interior as a whole */
    SUBSQUARE = 4,  /* side of the subsquares that are proven where the whole square is not */
    SUBSQUARES = SQUARE / SUBSQUARE,
    QUARTERS = 4,       /* quarters of a square, row by row */
    SAMPLE = 4,         /* the first round tries one square of so many, in both directions */
    PROOF_STEPS = 8192, /* steps of a square's orbit, for a proof */
    BEND_LIMIT = 2048,  /* below this limit pixels take fewer steps than proofs by bend.h */
    STOP_RUNS = 64      /* runs between polls of the stop flag, of up to ten microseconds */
};

/* Proofs are tried for a sample of a tile's squares, and only if one succeeds for the others: a
 * tile without interior pays for the sample alone. */
enum cpu_round { ROUND_SAMPLE, ROUND_REST, ROUNDS };

struct cpu_square {              /* smaller at the tile's edges */
    int32_t x, y, width, height; /* pixels, in the tile */
    size_t number;               /* index in the map of squares */
};

/* A box that traps the orbits of a quarter of a square that is not proven: an orbit no farther than
 * `half` in each direction from w + D (c - c_0), at the end of a run, never leaves any more. */
struct cpu_trap {
    double x, y, dx, dy, cx, cy;
    double half; /* 0: there is no trap */
};

struct cpu_task { /* shared by the threads; everything but next and iterations is read only */
    const struct spec *spec;
    const struct grid *grid;
    uint32_t *count_32; /* one of these two is the count plane */
    uint64_t *count_64;
    float *norm; /* the fraction plane, which holds |z|^2 of z^2 + c until all pixels are done; may
                    be NULL */
    float *distance_x, *distance_y; /* may be NULL, both */
    float *phase;                   /* may be NULL */
    float *period, *inside;         /* each may be NULL */
    int64_t chunks;                 /* number of chunks in the tile */
    int32_t chunks_in_row;
    uint16_t *proven;       /* map of squares, row by row; a bit for each subsquare: 1 = interior */
    struct cpu_trap *traps; /* [squares][QUARTERS], for squares where `trapped` is not 0 */
    uint8_t *trapped;
    atomic_int any_trap;
    int32_t squares_in_row, square_rows;
    atomic_int any_proven;
    atomic_llong next_square[ROUNDS]; /* first square that no thread has taken */
    const volatile int *stop;         /* may be NULL */
    /* First chunk that no thread has taken, for its counts, slopes and attractors: */
    atomic_llong next, next_slope, next_attractor;
    atomic_ullong iterations; /* sum of the threads that have finished */
    /* For sums along orbits; behind the others, so that the code of kernels that count stays as it
     * is. */
    float *orbit[ORBIT_PLANES]; /* planes from PLANE_STRIPE on; each may be NULL */
    atomic_llong next_sums;
};

struct cpu_chunk {
    int32_t x, y; /* first pixel, in the tile */
    int length;   /* pixels, to the right */
    size_t index; /* index of the first pixel in the tile's planes */
};

static inline int cpu_task_stopped(const struct cpu_task *task)
{
    return stop_asked(task->stop);
}

/* Takes the next chunk of a pass; 0 if there is none or the work was stopped. */
static inline int cpu_task_chunk(struct cpu_task *task, atomic_llong *next, struct cpu_chunk *chunk)
{
    int64_t number = atomic_fetch_add_explicit(next, 1, memory_order_relaxed);
    if (number >= task->chunks || cpu_task_stopped(task))
        return 0;
    int32_t width = task->grid->width;
    chunk->y = (int32_t)(number / task->chunks_in_row);
    chunk->x = (int32_t)(number % task->chunks_in_row) * CHUNK;
    chunk->length = width - chunk->x < CHUNK ? width - chunk->x : CHUNK;
    chunk->index = (size_t)chunk->y * (size_t)width + (size_t)chunk->x;
    return 1;
}

/* Takes the next square of a round; 0 if there is none or the work was stopped. */
static inline int cpu_task_square(struct cpu_task *task, enum cpu_round round,
                                  struct cpu_square *square)
{
    int32_t stride = round == ROUND_SAMPLE ? SAMPLE : 1;
    int32_t in_row = (task->squares_in_row + stride - 1) / stride;
    int32_t rows = (task->square_rows + stride - 1) / stride;
    int32_t width = task->grid->width, height = task->grid->height;
    int none =
        round == ROUND_REST && !atomic_load_explicit(&task->any_proven, memory_order_relaxed);
    while (!none && !cpu_task_stopped(task)) {
        int64_t taken =
            atomic_fetch_add_explicit(&task->next_square[round], 1, memory_order_relaxed);
        if (taken >= (int64_t)in_row * rows)
            break;
        int32_t column = (int32_t)(taken % in_row) * stride,
                row = (int32_t)(taken / in_row) * stride;
        if (round == ROUND_REST && column % SAMPLE == 0 && row % SAMPLE == 0)
            continue; /* was in the sample */
        square->x = column * SQUARE;
        square->y = row * SQUARE;
        square->width = width - square->x < SQUARE ? width - square->x : SQUARE;
        square->height = height - square->y < SQUARE ? height - square->y : SQUARE;
        square->number = (size_t)row * (size_t)task->squares_in_row + (size_t)column;
        return 1;
    }
    return 0;
}

static inline void cpu_task_proven(struct cpu_task *task, size_t number, unsigned parts)
{
    task->proven[number] = (uint16_t)parts;
    if (parts)
        atomic_store_explicit(&task->any_proven, 1, memory_order_relaxed);
}

/* The trap of a pixel; NULL: there is none. */
static inline const struct cpu_trap *cpu_task_trap(const struct cpu_task *task, size_t index)
{
    size_t width = (size_t)task->grid->width, x = index % width, y = index / width;
    size_t square = y / SQUARE * (size_t)task->squares_in_row + x / SQUARE;
    const struct cpu_trap *trap =
        &task->traps[square * QUARTERS + y / (SQUARE / 2) % 2 * 2 + x / (SQUARE / 2) % 2];
    return task->trapped[square] && trap->half > 0 ? trap : NULL;
}

/* Marks the pixels of a chunk that lie in proven subsquares. */
static inline void cpu_task_mark(const struct cpu_task *task, const struct cpu_chunk *chunk,
                                 uint8_t *inside)
{
    const uint16_t *row = task->proven + (size_t)(chunk->y / SQUARE) * (size_t)task->squares_in_row;
    int first = chunk->y % SQUARE / SUBSQUARE * SUBSQUARES;
    for (int i = 0; i < chunk->length; i += SUBSQUARE) { /* chunks begin at multiples of SQUARE */
        int x = chunk->x + i;
        if (row[x / SQUARE] >> (first + x % SQUARE / SUBSQUARE) & 1)
            memset(inside + i, 1,
                   (size_t)(chunk->length - i < SUBSQUARE ? chunk->length - i : SUBSQUARE));
    }
}

static inline void cpu_task_escaped(struct cpu_task *task, size_t index, int64_t count, float norm)
{
    if (task->count_32)
        task->count_32[index] = (uint32_t)count;
    else
        task->count_64[index] = (uint64_t)count;
    if (task->norm)
        task->norm[index] = norm;
}

static inline void cpu_task_iterations(struct cpu_task *task, uint64_t iterations)
{
    atomic_fetch_add_explicit(&task->iterations, iterations, memory_order_relaxed);
}

/* Kernels of one instruction set; cpu_kernels.h fills the table in. */
struct cpu_kernels {
    size_t memory_bytes; /* memory that work() needs per thread, 64-byte aligned */
    /* One thread's share of a tile's counts. */
    void (*work[NUMBERS])(struct cpu_task *task, void *memory);
    /* The same for own formulas, in fp64. */
    void (*work_own)(struct cpu_task *task, void *memory);
    /* One thread's share of a round of proofs; between rounds the threads wait for each other. */
    void (*prove[NUMBERS])(struct cpu_task *task, enum cpu_round round);
    /* One thread's share of distances and phases, when all counts are known; in doubles. */
    void (*slopes)(struct cpu_task *task, void *memory);
    /* One thread's share of averages and traps along orbits, likewise. */
    void (*sums)(struct cpu_task *task);
    /* One thread's share of periods and distances inside. */
    void (*attractors)(struct cpu_task *task);
    /* Converts |z|^2 to fractions in place. */
    void (*fractions)(float *norms, size_t count, double bailout);
    /* Runs `runs` runs of unchecked steps; returns steps done, *sink gets a number to keep. */
    uint64_t (*ceiling[NUMBERS])(uint64_t runs, double *sink);
    /* Kernels of all formulas: memory_bytes, work in fp64 and work_own, which give fractions, and
     * slopes. */
    const struct cpu_kernels *formulas;
    /* Kernels of formulas that divide or converge: memory_bytes, and work in fp64, which gives all
     * planes at once. */
    const struct cpu_kernels *rational;
};

extern const struct cpu_kernels cpu_kernels_scalar, cpu_formulas_scalar, cpu_rational_scalar;
#ifdef __x86_64__
extern const struct cpu_kernels cpu_kernels_avx2, cpu_formulas_avx2, cpu_rational_avx2;
extern const struct cpu_kernels cpu_kernels_avx512, cpu_formulas_avx512, cpu_rational_avx512;
#elif defined __aarch64__
extern const struct cpu_kernels cpu_kernels_neon, cpu_formulas_neon, cpu_rational_neon;
#endif

#endif
