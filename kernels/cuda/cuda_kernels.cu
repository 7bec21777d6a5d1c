#include "kernels/cuda/cuda_kernels.h"

#include "kernels/escape/cycle.h"
#include "kernels/escape/fraction.h"
#include "kernels/escape/interior.h"
#include "kernels/escape/pixel.h"

#define EVERY_LANE 0xffffffffu

enum {
    FIRST_THREADS = 256, /* 4 x 2 warps of 8 x 4 pixels */
    ROUND_THREADS = 64,
    ROUND_BLOCKS = 32, /* of a multiprocessor */
    CHUNK_MAX = 256,   /* pixels that a warp takes from the queue at a time: atomics are not free */
    REFILL = 8,        /* lanes that must have ended before new pixels are taken */
    SORT_THREADS = 128,
    SORT_BLOCKS = 8,
    PERIOD_MAX = 1024, /* of proofs */
    COLD_AGE = 4096,   /* far from proven squares, proofs are tried from this age on */
    COLD_SHARE = 32,   /* for periods up to this part of it */
    CHAINS = 4         /* of the ceiling's threads: hide the latency of multiply-adds */
};

/* Blocks of ROUND_THREADS that a multiprocessor can hold: registers are shared out for so many. */
#if __CUDA_ARCH__ == 750 || __CUDA_ARCH__ == 860 || __CUDA_ARCH__ == 870
#define ROUND_RESIDENT 16
#elif __CUDA_ARCH__ == 890 || __CUDA_ARCH__ >= 1200
#define ROUND_RESIDENT 24
#else
#define ROUND_RESIDENT ROUND_BLOCKS
#endif

/* The step and the norm by the real's type; the arithmetic is that of the CPU. */
__device__ __forceinline__ void step(double &x, double &y, double cx, double cy)
{
    MANDELBROT_STEP(f64x1, x, y, cx, cy);
}
__device__ __forceinline__ void step(float &x, float &y, float cx, float cy)
{
    MANDELBROT_STEP(f32x1, x, y, cx, cy);
}
__device__ __forceinline__ double norm_of(double x, double y)
{
    return MANDELBROT_NORM(f64x1, x, y);
}
__device__ __forceinline__ float norm_of(float x, float y)
{
    return MANDELBROT_NORM(f32x1, x, y);
}

template <class Real>
__device__ __forceinline__ void place_of(const struct piece &piece, uint32_t at, Real &cx, Real &cy)
{
    double re, im;
    pixel_c(&piece.grid, piece.grid.x + (int32_t)(at & 0xffff), piece.grid.y + (int32_t)(at >> 16),
            &re, &im);
    cx = (Real)re;
    cy = (Real)im;
}

__device__ __forceinline__ void write(const struct piece &piece, uint32_t at, int64_t count,
                                      float norm)
{
    size_t index = (size_t)(at >> 16) * (size_t)piece.grid.width + (at & 0xffff);
    if (piece.count_bytes == 4)
        ((uint32_t *)piece.count)[index] = (uint32_t)count;
    else
        ((uint64_t *)piece.count)[index] = (uint64_t)count;
    if (piece.fraction)
        piece.fraction[index] = fraction_of(norm, piece.fraction_offset);
}

template <class Real>
__device__ __forceinline__ void enqueue(const struct queue &queue, uint32_t i, Real x, Real y,
                                        uint32_t at)
{
    ((Real *)queue.x)[i] = x;
    ((Real *)queue.y)[i] = y;
    queue.at[i] = at;
}

/* Does the host want an end? What it says reaches the next launches: its memory is far away. The
 * lanes of a warp get the same answer, warps may not. */
__device__ __forceinline__ int is_stopped(const struct piece &piece)
{
    if (blockIdx.x + blockIdx.y + threadIdx.x == 0 && *piece.host_stop)
        *piece.stop = 1;
    return *piece.stop;
}

__device__ __forceinline__ void add_iterations(const struct piece &piece, unsigned long long steps)
{
    for (int d = 16; d; d /= 2)
        steps += __shfl_xor_sync(EVERY_LANE, steps, d);
    if (threadIdx.x % 32 == 0 && steps)
        atomicAdd(&piece.batch->iterations, steps);
}

/* (0) One thread a square. A square whose corners the tests for the cardioid and the disc know is
 * left to them. */
template <class Real> __global__ void squares(const __grid_constant__ struct piece piece)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= piece.squares_in_row * piece.square_rows)
        return;
    int x = i % piece.squares_in_row * SQUARE_PX, y = i / piece.squares_in_row * SQUARE_PX;
    int right = min(x + SQUARE_PX, piece.grid.width) - 1;
    int below = min(y + SQUARE_PX, piece.grid.height) - 1;
    Real re[2], im[2];
    place_of(piece, (uint32_t)(x | y << 16), re[0], im[0]);
    place_of(piece, (uint32_t)(right | below << 16), re[1], im[1]);
    piece.period[i] = 0;
    if (interior_surely(re[0], im[0], piece.margin) && interior_surely(re[1], im[1], piece.margin))
        return;
    double dx = right - x, dy = below - y;
    /* Half a diagonal, and more than what the roundings of c here and in each pixel can be. */
    double half =
        0.5 *
        sqrt(fma(piece.grid.step_re, piece.grid.step_re, piece.grid.step_im * piece.grid.step_im)) *
        sqrt(fma(dx, dx, dy * dy));
    struct cycle_place at = {0.5 * ((double)re[0] + (double)re[1]),
                             0.5 * ((double)im[0] + (double)im[1]),
                             (float)(half * (1 + 0x1p-16) + piece.rounding), piece.rounding};
    piece.period[i] = (uint16_t)cycle_proves_square(&at, piece.square_steps);
}

/* (1) One thread a pixel. */
template <class Real>
__global__ void __launch_bounds__(FIRST_THREADS) first(const __grid_constant__ struct piece piece)
{
    __shared__ uint32_t survivors[FIRST_THREADS / 32 + 1];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int px = (int)blockIdx.x * 32 + warp % 4 * 8 + lane % 8;
    int py = (int)blockIdx.y * 8 + warp / 4 * 4 + lane / 8;
    uint32_t at = (uint32_t)px | (uint32_t)py << 16;
    int in = px < piece.grid.width && py < piece.grid.height, alive = in, escaped = 0;
    Real x = 0, y = 0, sx = 0, sy = 0, cx, cy, bailout_squared = (Real)piece.bailout;
    bailout_squared *= bailout_squared;
    place_of(piece, at, cx, cy);
    if (in && piece.shortcuts &&
        (interior_surely(cx, cy, piece.margin) ||
         (piece.square_steps &&
          piece.period[py / SQUARE_PX * piece.squares_in_row + px / SQUARE_PX])))
        alive = 0;
    int done = 0; /* steps at the start of the block, for lanes that left the loop */
    if (alive)
        for (; done < FIRST_STEPS && done < piece.limit; done += BLOCK) {
            sx = x;
            sy = y;
#pragma unroll
            for (int k = 0; k < BLOCK; k++)
                step(x, y, cx, cy);
            escaped = !(norm_of(x, y) <= bailout_squared);
            if (escaped)
                break;
        }
    int64_t count = 0;
    Real norm = 0;
    if (escaped)
        for (int k = 1; k <= BLOCK; k++) {
            step(sx, sy, cx, cy);
            norm = norm_of(sx, sy);
            if (!(norm <= bailout_squared)) {
                count = done + k <= piece.limit ? done + k : 0;
                break;
            }
        }
    if (in)
        write(piece, at, count, count ? (float)norm : 0.0f);
    add_iterations(piece, count ? (unsigned)count : alive ? min(piece.limit, (int64_t)done) : 0);

    int survives = alive && !escaped && piece.limit > FIRST_STEPS;
    unsigned set = __ballot_sync(EVERY_LANE, survives);
    if (lane == 0)
        survivors[warp] = (uint32_t)__popc(set);
    __syncthreads();
    if (threadIdx.x == 0) {
        uint32_t total = 0;
        for (int w = 0; w < FIRST_THREADS / 32; w++) {
            uint32_t of_warp = survivors[w];
            survivors[w] = total;
            total += of_warp;
        }
        uint32_t begin = total ? atomicAdd(&piece.batch->stage[0].count, total) : 0;
        survivors[FIRST_THREADS / 32] = begin;
    }
    __syncthreads();
    if (survives)
        enqueue(piece.queue[0],
                survivors[FIRST_THREADS / 32] + survivors[warp] +
                    (uint32_t)__popc(set & ((1u << lane) - 1)),
                x, y, at);
}

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
__global__ void __launch_bounds__(ROUND_THREADS, ROUND_RESIDENT)
    round_steps(const __grid_constant__ struct piece piece, int stage)
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
    Real x = 0, y = 0, cx = 0, cy = 0;
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
                x = ((const Real *)queue.x)[i];
                y = ((const Real *)queue.y)[i];
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
            } else if (piece.shortcuts && x == ((const Real *)queue.x)[i] &&
                       y == ((const Real *)queue.y)[i]) {
                fate = PROVEN; /* Brent: z is that of the round's start */
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
            period = max(period, (int)piece.period[y * piece.squares_in_row + x]);
    return period;
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
    int last = end == piece.limit, due = piece.square_steps && !last && end >= 2 * in->proved;
    if (__syncthreads_or(is_stopped(piece)))
        return;
    if (blockIdx.x == 0 && t == 0) {
        in[1].age = end;
        in[1].proved = due ? end : in->proved;
    }
    const struct queue from = piece.queue[stage % 2], to = piece.queue[(stage + 1) % 2];
    /* Not more than may be saved, nor than a launch may take. */
    int64_t most = min(piece.budget / (16 * (count ? (int64_t)count : 1)), (piece.limit - end) / 8);
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
        else if (fate == GOES_ON && !last)
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

template <class Real> __global__ void plain_steps(int blocks, double *sink)
{
    Real x[CHAINS] = {0}, y[CHAINS] = {0}, cx[CHAINS], cy = (Real)0.1;
    for (int c = 0; c < CHAINS; c++)
        cx[c] = (Real)(-0.1 - 0.01 * c - 1e-5 * threadIdx.x);
    for (int b = 0; b < blocks; b++)
#pragma unroll
        for (int k = 0; k < BLOCK; k++)
#pragma unroll
            for (int c = 0; c < CHAINS; c++)
                step(x[c], y[c], cx[c], cy);
    Real sum = 0;
    for (int c = 0; c < CHAINS; c++)
        sum += x[c] + y[c];
    if (sum == (Real)12345)
        *sink = sum;
}

static unsigned blocks_for(long long threads, int of_block)
{
    return (unsigned)((threads + of_block - 1) / of_block);
}

#define LAUNCH(kernel, blocks, threads, ...)                                           \
    do {                                                                               \
        if (launcher->number == NUMBER_FP64)                                           \
            kernel<double><<<(blocks), (threads), 0, launcher->stream>>>(__VA_ARGS__); \
        else                                                                           \
            kernel<float><<<(blocks), (threads), 0, launcher->stream>>>(__VA_ARGS__);  \
    } while (0)

void launch_squares(const struct launcher *launcher, const struct piece *piece)
{
    LAUNCH(squares, blocks_for((long long)piece->squares_in_row * piece->square_rows, 64), 64,
           *piece);
}

void launch_first(const struct launcher *launcher, const struct piece *piece)
{
    dim3 blocks(blocks_for(piece->grid.width, 32), blocks_for(piece->grid.height, 8));
    LAUNCH(first, blocks, FIRST_THREADS, *piece);
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

double launch_ceiling(const struct launcher *launcher, int blocks, double *sink)
{
    int of_device = launcher->units * 4;
    LAUNCH(plain_steps, of_device, 256, blocks, sink);
    return (double)of_device * 256 * CHAINS * BLOCK * blocks;
}
