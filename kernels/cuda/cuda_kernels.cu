#include "kernels/cuda/cuda_kernels.h"

#include "kernels/escape/cycle.h"
#include "kernels/escape/fraction.h"
#include "kernels/escape/interior.h"
#include "kernels/escape/pixel.h"

#define EVERY_LANE 0xffffffffu

enum {
    FIRST_THREADS = 256, /* 4 x 2 warps of 8 x 4 pixels */
    ROUND_THREADS = 64,
    ROUND_BLOCKS = 24, /* of a multiprocessor */
    SPARSE = 16,       /* lanes at which a warp hands on its pixels when the queue is empty */
    REFILL = 8,        /* lanes that must have ended before new pixels are taken */
    PERIOD_MAX = 1024, /* of proofs */
    COLD_SHARE = 32,   /* periods up to this part of a pixel's age are looked for */
    CHAINS = 4         /* of the ceiling's threads: hide the latency of multiply-adds */
};

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

/* Places in a list for the lanes that want one; one atomic for the warp. */
__device__ __forceinline__ uint32_t places(uint32_t *length, unsigned wants)
{
    unsigned lane = threadIdx.x % 32;
    uint32_t first = 0;
    if (wants && lane == 0)
        first = atomicAdd(length, (uint32_t)__popc(wants));
    return __shfl_sync(EVERY_LANE, first, 0) + (uint32_t)__popc(wants & ((1u << lane) - 1));
}

template <class Real>
__device__ __forceinline__ void enqueue(const struct queue &queue, uint32_t i, Real x, Real y,
                                        int64_t age, uint32_t at)
{
    ((Real *)queue.x)[i] = x;
    ((Real *)queue.y)[i] = y;
    queue.age[i] = age;
    queue.at[i] = at;
}

/* Does the host want an end? What it says reaches the next launch: its memory is far away. */
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
    if (i >= piece.squares_in_row * piece.square_rows || is_stopped(piece))
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
    if (is_stopped(piece))
        return;
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
                x, y, (int64_t)FIRST_STEPS, at);
}

/* (2) A persistent warp: its lanes hold pixels at different places of the same round. */
template <class Real> struct lane_state {
    Real x, y, cx, cy, kept_x, kept_y; /* Brent: z at the round's start */
    uint32_t at;
    int left; /* blocks until the round's end */
};

enum lane_is { EMPTY, RUNNING, ESCAPED, SURVIVED };

/* Writes down what became of the lanes that have ended; `end`: age when no blocks are left. */
template <class Real>
__device__ __forceinline__ void put_away(const struct piece &piece, const lane_state<Real> &l,
                                         int is, int stage, int64_t end)
{
    unsigned set = __ballot_sync(EVERY_LANE, is == ESCAPED);
    if (set) {
        uint32_t i = places(&piece.batch->escaped, set);
        if (is == ESCAPED)
            enqueue(piece.escapes, i, l.x, l.y, end - (int64_t)(l.left + 1) * BLOCK, l.at);
    }
    set = __ballot_sync(EVERY_LANE, is == SURVIVED);
    if (set) {
        uint32_t i = places(&piece.batch->stage[stage + 1].count, set);
        if (is == SURVIVED)
            enqueue(piece.queue[(stage + 1) % 2], i, l.x, l.y, end - (int64_t)l.left * BLOCK, l.at);
    }
}

template <class Real>
__global__ void __launch_bounds__(ROUND_THREADS, ROUND_BLOCKS)
    round_steps(const __grid_constant__ struct piece piece, int stage, int final)
{
    struct stage *in = &piece.batch->stage[stage];
    uint32_t count = in->count;
    int64_t age = round_end(&piece, in->age, count);
    if (is_stopped(piece))
        return;
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        in[1].age = age;
        in[1].proved = in->proved;
    }
    const struct queue queue = piece.queue[stage % 2];
    Real bailout_squared = (Real)piece.bailout;
    bailout_squared *= bailout_squared;
    int64_t end = age > INT64_MAX - BLOCK ? age : (age + BLOCK - 1) / BLOCK * BLOCK;
    int last = age == piece.limit, sparse = final ? 0 : SPARSE;
    int is = EMPTY, more = 1;
    unsigned taken = 0;
    lane_state<Real> l;
    for (;;) {
        int running = __popc(__ballot_sync(EVERY_LANE, is == RUNNING));
        if (running <= (more ? 32 - REFILL : sparse)) {
            if (!more && is == RUNNING)
                is = SURVIVED;
            put_away(piece, l, is, stage, end);
            if (!more)
                break;
            uint32_t i = places(&in->taken, __ballot_sync(EVERY_LANE, is != RUNNING));
            more = __shfl_sync(EVERY_LANE, i, 31) < count;
            if (is != RUNNING) {
                is = EMPTY;
                if (i < count) {
                    is = RUNNING;
                    l.kept_x = l.x = ((const Real *)queue.x)[i];
                    l.kept_y = l.y = ((const Real *)queue.y)[i];
                    l.at = queue.at[i];
                    l.left = (int)((end - queue.age[i]) / BLOCK);
                    place_of(piece, l.at, l.cx, l.cy);
                }
            }
        }
        if (is == RUNNING) {
            Real x = l.x, y = l.y;
#pragma unroll
            for (int k = 0; k < BLOCK; k++)
                step(x, y, l.cx, l.cy);
            l.left--;
            if (!(norm_of(x, y) <= bailout_squared)) {
                is = ESCAPED;
            } else {
                l.x = x;
                l.y = y;
                taken++;
                if (piece.shortcuts && x == l.kept_x && y == l.kept_y)
                    is = EMPTY;
                else if (!l.left)
                    is = last ? EMPTY : SURVIVED;
            }
        }
    }
    add_iterations(piece, (unsigned long long)taken * BLOCK);
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

/* (3) One thread a pixel; those that are not proven go on to the next queue. */
template <class Real>
__global__ void __launch_bounds__(ROUND_THREADS)
    proofs(const __grid_constant__ struct piece piece, int stage)
{
    struct stage *in = &piece.batch->stage[stage];
    uint32_t count = in->count;
    int64_t age = in->age;
    int due = age >= 2 * in->proved && age < piece.limit;
    if (is_stopped(piece))
        return;
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        in[1].age = age;
        in[1].proved = due ? age : in->proved;
    }
    const struct queue from = piece.queue[stage % 2], to = piece.queue[(stage + 1) % 2];
    /* Not more than may be saved, nor than a launch may take. */
    int64_t most = min(piece.budget / (16 * (count ? (int64_t)count : 1)), (piece.limit - age) / 8);
    most = min(most, (int64_t)PERIOD_MAX);
    uint32_t whole = (count + 31) / 32 * 32;
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < whole;
         i += gridDim.x * blockDim.x) {
        Real x = 0, y = 0, cx, cy;
        uint32_t at = 0;
        int64_t own_age = 0;
        int goes_on = i < count;
        if (goes_on) {
            x = ((const Real *)from.x)[i];
            y = ((const Real *)from.y)[i];
            own_age = from.age[i];
            at = from.at[i];
        }
        if (goes_on && due) {
            place_of(piece, at, cx, cy);
            struct cycle_place place = {cx, cy, 0, piece.rounding};
            struct cycle_orbit now = {x, y, 0, 0, 0};
            int period = period_near(piece, at);
            if (!period)
                period = cycle_period(x, y, &place, (int)min(age / COLD_SHARE, most));
            goes_on = !(period && period <= most && cycle_proves(&now, &place, period));
        }
        unsigned set = __ballot_sync(EVERY_LANE, goes_on);
        uint32_t j = places(&in[1].count, set);
        if (goes_on)
            enqueue(to, j, x, y, own_age, at);
    }
}

/* (4) */
template <class Real>
__global__ void __launch_bounds__(ROUND_THREADS) replay(const __grid_constant__ struct piece piece)
{
    if (is_stopped(piece))
        return;
    uint32_t count = piece.batch->escaped, whole = (count + 31) / 32 * 32;
    Real bailout_squared = (Real)piece.bailout;
    bailout_squared *= bailout_squared;
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < whole;
         i += gridDim.x * blockDim.x) {
        int n = 0;
        if (i < count) {
            Real x = ((const Real *)piece.escapes.x)[i], cx, cy, norm;
            Real y = ((const Real *)piece.escapes.y)[i];
            uint32_t at = piece.escapes.at[i];
            place_of(piece, at, cx, cy);
            do {
                step(x, y, cx, cy);
                norm = norm_of(x, y);
                n++;
            } while (norm <= bailout_squared && n < BLOCK);
            if (n <= piece.limit - piece.escapes.age[i])
                write(piece, at, piece.escapes.age[i] + n, (float)norm);
        }
        add_iterations(piece, (unsigned)n);
    }
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
static unsigned blocks_persistent(const struct launcher *launcher, const struct piece *piece)
{
    unsigned pixels = blocks_for((long long)piece->grid.width * piece->grid.height, ROUND_THREADS);
    unsigned device = (unsigned)launcher->units * ROUND_BLOCKS;
    return pixels < device ? pixels : device;
}

void launch_round(const struct launcher *launcher, const struct piece *piece, int stage, int final)
{
    LAUNCH(round_steps, blocks_persistent(launcher, piece), ROUND_THREADS, *piece, stage, final);
}

void launch_proofs(const struct launcher *launcher, const struct piece *piece, int stage)
{
    LAUNCH(proofs, blocks_persistent(launcher, piece), ROUND_THREADS, *piece, stage);
}

void launch_replay(const struct launcher *launcher, const struct piece *piece)
{
    LAUNCH(replay, blocks_persistent(launcher, piece), ROUND_THREADS, *piece);
}

double launch_ceiling(const struct launcher *launcher, int blocks, double *sink)
{
    int of_device = launcher->units * 4;
    LAUNCH(plain_steps, of_device, 256, blocks, sink);
    return (double)of_device * 256 * CHAINS * BLOCK * blocks;
}
