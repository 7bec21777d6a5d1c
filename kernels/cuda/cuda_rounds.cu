/* The rounds: (2) and (3) of cuda_kernels.h. */
#include "kernels/cuda/cuda_pixel.h"
#include "kernels/escape/cycle.h"

enum {
    ROUND_THREADS = 64,
    ROUND_BLOCKS = 24, /* of a multiprocessor, where it takes so many */
    CHUNK_MAX = 256,   /* pixels that a warp takes from the queue at a time: atomics are not free */
    REFILL = 8,        /* lanes that must have ended before new pixels are taken */
    SORT_THREADS = 128,
    SORT_BLOCKS = 8,
    PERIOD_MAX = 1024, /* of proofs */
    COLD_AGE = 4096,   /* far from proven squares, proofs are tried from this age on */
    COLD_SHARE = 32    /* for periods up to this part of it */
};

/* Registers are kept few enough for these many blocks; a small multiprocessor refuses more. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ % 100 == 0 && __CUDA_ARCH__ >= 800
#define ROUND_BOUNDS __launch_bounds__(ROUND_THREADS, ROUND_BLOCKS)
#else
#define ROUND_BOUNDS __launch_bounds__(ROUND_THREADS, 16)
#endif

/* (2) A persistent warp: its lanes hold pixels at different places of the same round. */
enum fate { GOES_ON = 0, PROVEN = -1, ESCAPED = -2 }; /* ESCAPED - k: with k blocks left */

/* A warp's part of the queue. */
struct chunk {
    uint32_t next, end;
};

/* The next pixel for each lane that wants one; `count` and more: there is none. All lanes know the
 * chunk. */
__device__ __forceinline__ uint32_t take(struct chunk *chunk, uint32_t *taken, uint32_t count,
                                         uint32_t length, unsigned wants)
{
    uint32_t lane = threadIdx.x % 32, want = (uint32_t)__popc(wants);
    uint32_t i = chunk->next + (uint32_t)__popc(wants & ((1u << lane) - 1));
    uint32_t over = chunk->next + want;
    if (over > chunk->end) { /* the rest of this chunk, the beginning of another */
        uint32_t first = 0;
        if (lane == 0)
            first = atomicAdd(taken, length);
        first = __shfl_sync(EVERY_LANE, first, 0);
        if (i >= chunk->end)
            i = first + (i - chunk->end);
        over = first + (over - chunk->end);
        chunk->end = min(first + length, max(count, first));
    }
    chunk->next = over;
    return i;
}

template <class Real>
__global__ void ROUND_BOUNDS round_steps(const __grid_constant__ struct piece piece, int stage)
{
    struct stage *in = &piece.batch->stage[stage];
    uint32_t count = in->count;
    int64_t age = in->age, end = round_end(&piece, age, count);
    if (is_stopped(piece))
        return;
    const struct queue queue = piece.queue[stage % 2];
    Real bailout_squared = (Real)piece.bailout;
    bailout_squared *= bailout_squared;
    int blocks = round_blocks(age, end), left = 0, running = 0, more = 1;
    /* Chunks of several warps' worth while there is plenty. */
    uint32_t length = count / (gridDim.x * blockDim.x * 4) * 32;
    length = min(max(length, 32u), (uint32_t)CHUNK_MAX);
    struct chunk chunk = {0, 0};
    uint32_t i = 0;
    unsigned long long taken = 0;
    Real x = 0, y = 0, cx = 0, cy = 0, kept_x = 0, kept_y = 0; /* kept: z at the round's start */
    for (;;) {
        unsigned idle = __ballot_sync(EVERY_LANE, !running);
        if (more ? __popc(idle) >= REFILL : idle == EVERY_LANE) {
            if (!more)
                break;
            uint32_t next = take(&chunk, &in->taken, count, length, idle);
            more = chunk.next < count;
            if (!running && next < count) {
                i = next;
                running = 1;
                kept_x = x = ((const Real *)queue.x)[i];
                kept_y = y = ((const Real *)queue.y)[i];
                place_of(piece, queue.at[i], cx, cy);
                left = blocks;
            }
        }
        if (running) {
            Real begin_x, begin_y;
            int escaped = 0;
            for (int b = 0; b < BURST && !escaped; b++) {
                begin_x = x;
                begin_y = y;
#pragma unroll
                for (int k = 0; k < BLOCK; k++)
                    step(x, y, cx, cy);
                left--;
                escaped = !(norm_of(x, y) <= bailout_squared);
            }
            int fate = GOES_ON;
            if (escaped) {
                x = begin_x;
                y = begin_y;
                fate = ESCAPED - left;
            } else if (piece.shortcuts && x == kept_x && y == kept_y) {
                fate = PROVEN; /* Brent: the orbit repeats */
            }
            if (fate != GOES_ON || !left) {
                ((Real *)queue.x)[i] = x;
                ((Real *)queue.y)[i] = y;
                queue.left[i] = fate;
                running = 0;
                taken += (unsigned)(blocks - left - escaped);
            }
        }
    }
    add_iterations(piece, taken * BLOCK);
}

/* The period of a proven square beside the pixel, or 0. */
__device__ __forceinline__ int period_near(const struct piece &piece, uint32_t at)
{
    int column = (int)(at & 0xffff) / SQUARE_PX, row = (int)(at >> 16) / SQUARE_PX, period = 0;
    for (int y = max(row - 1, 0); y <= min(row + 1, piece.square_rows - 1); y++)
        for (int x = max(column - 1, 0); x <= min(column + 1, piece.squares_in_row - 1); x++)
            period = max(period, (int)piece.late[y * piece.squares_in_row + x]);
    return period;
}

/* Was the pixel's square proven only after the first steps had begun? */
__device__ __forceinline__ int is_proven_late(const struct piece &piece, uint32_t at)
{
    int column = (int)(at & 0xffff) / SQUARE_PX, row = (int)(at >> 16) / SQUARE_PX;
    return piece.late[row * piece.squares_in_row + column];
}

/* Repeats the block in which a pixel escaped; returns its steps. */
template <class Real>
__device__ __forceinline__ int replay(const struct piece &piece, Real x, Real y, uint32_t at,
                                      int64_t age)
{
    Real cx, cy, norm, bailout_squared = (Real)piece.bailout;
    bailout_squared *= bailout_squared;
    place_of(piece, at, cx, cy);
    int n = 0;
    do {
        step(x, y, cx, cy);
        norm = norm_of(x, y);
        n++;
    } while (norm <= bailout_squared && n < BLOCK);
    if (n <= piece.limit - age)
        write(piece, at, age + n, (float)norm);
    return n;
}

/* Is the pixel proven interior? `most`: the longest period that is worth a trial. */
__device__ __forceinline__ int proves(const struct piece &piece, double x, double y, double cx,
                                      double cy, uint32_t at, int64_t age, int most)
{
    struct cycle_place place = {cx, cy, 0, piece.rounding};
    struct cycle_orbit now = {x, y, 0, 0, 0};
    int period = period_near(piece, at);
    if (!period && age >= COLD_AGE)
        period = cycle_period(x, y, &place, (int)min(age / COLD_SHARE, (int64_t)most));
    return period && period <= most && cycle_proves(&now, &place, period);
}

/* (3) Blocks of threads take as many pixels at a time, and make two dense lists of them. */
template <class Real>
__global__ void __launch_bounds__(SORT_THREADS, SORT_BLOCKS)
    sort(const __grid_constant__ struct piece piece, int stage)
{
    __shared__ uint32_t listed[2][SORT_THREADS], length[2], begin;
    struct stage *in = &piece.batch->stage[stage];
    uint32_t count = in->count, t = threadIdx.x;
    int64_t age = in->age, end = round_end(&piece, age, count);
    int64_t end_of_blocks = age + (int64_t)round_blocks(age, end) * BLOCK;
    int last = end == piece.limit; /* a proof pays where at least half of the steps are to come */
    int due = piece.square_steps && end >= 2 * in->proved && piece.limit - end >= end;
    if (__syncthreads_or(is_stopped(piece)))
        return;
    if (blockIdx.x == 0 && t == 0) {
        in[1].age = end;
        in[1].proved = due ? end : in->proved;
    }
    const struct queue from = piece.queue[stage % 2], to = piece.queue[(stage + 1) % 2];
    /* Not more than may be saved, nor than a launch may take. */
    int64_t most = min(piece.budget / (64 * (count ? (int64_t)count : 1)), (piece.limit - end) / 8);
    most = min(most, (int64_t)PERIOD_MAX);
    unsigned steps = 0;
    for (uint32_t first = blockIdx.x * SORT_THREADS; first < count;
         first += gridDim.x * SORT_THREADS) {
        if (t < 2)
            length[t] = 0;
        __syncthreads();
        int fate = first + t < count ? from.left[first + t] : PROVEN;
        if (fate <= ESCAPED)
            listed[0][atomicAdd(&length[0], 1)] = first + t;
        else if (fate == GOES_ON && !last &&
                 !(piece.square_steps && is_proven_late(piece, from.at[first + t])))
            listed[1][atomicAdd(&length[1], 1)] = first + t;
        __syncthreads();
        if (t < length[0]) {
            uint32_t i = listed[0][t];
            int64_t left = ESCAPED - from.left[i];
            steps += (unsigned)replay(piece, ((const Real *)from.x)[i], ((const Real *)from.y)[i],
                                      from.at[i], end_of_blocks - (left + 1) * BLOCK);
        }
        uint32_t i = 0, at = 0;
        Real x = 0, y = 0, cx, cy;
        int goes_on = t < length[1];
        if (goes_on) {
            i = listed[1][t];
            x = ((const Real *)from.x)[i];
            y = ((const Real *)from.y)[i];
            at = from.at[i];
            place_of(piece, at, cx, cy);
            goes_on = !(due && proves(piece, x, y, cx, cy, at, end, (int)most));
        }
        __syncthreads();
        if (t == 0)
            length[1] = 0;
        __syncthreads();
        uint32_t place = goes_on ? atomicAdd(&length[1], 1) : 0;
        __syncthreads();
        if (t == 0 && length[1])
            begin = atomicAdd(&in[1].count, length[1]);
        __syncthreads();
        if (goes_on)
            enqueue(to, begin + place, x, y, at);
    }
    add_iterations(piece, steps);
}

/* Enough blocks for the whole device, and no more than the piece can keep busy. */
static unsigned blocks_persistent(const struct launcher *launcher, const struct piece *piece,
                                  int threads, int blocks_of_unit)
{
    unsigned pixels = blocks_for((long long)piece->grid.width * piece->grid.height, threads);
    unsigned device = (unsigned)(launcher->units * blocks_of_unit);
    return pixels < device ? pixels : device;
}

void launch_round(const struct launcher *launcher, const struct piece *piece, int stage)
{
    LAUNCH(round_steps, blocks_persistent(launcher, piece, ROUND_THREADS, ROUND_BLOCKS),
           ROUND_THREADS, *piece, stage);
}

void launch_sort(const struct launcher *launcher, const struct piece *piece, int stage)
{
    LAUNCH(sort, blocks_persistent(launcher, piece, SORT_THREADS, SORT_BLOCKS), SORT_THREADS,
           *piece, stage);
}
