#include "kernels/cuda/cuda_pixel.h"
#include "kernels/escape/cycle.h"
#include "kernels/escape/interior.h"

enum {
    SQUARE_THREADS = 64,
    FIRST_THREADS = 256, /* 4 x 2 warps of 8 x 4 pixels */
    CHAINS = 4           /* of the ceiling's threads: hide the latency of multiply-adds */
};

/* What stands in device memory when a batch begins: `begin`, and zeros. */
__global__ void batch_begin(const __grid_constant__ struct piece piece, struct stage begin)
{
    struct stage none = {0, 0, 0, 0};
    for (int i = (int)threadIdx.x; i <= STAGES; i += (int)blockDim.x)
        piece.batch->stage[i] = i ? none : begin;
    if (threadIdx.x == 0)
        piece.batch->iterations = 0;
}

__global__ void batch_report(const __grid_constant__ struct piece piece)
{
    for (int i = (int)threadIdx.x; i <= STAGES; i += (int)blockDim.x)
        piece.report->stage[i] = piece.batch->stage[i];
    if (threadIdx.x == 0)
        piece.report->iterations = piece.batch->iterations;
}

/* (0) One thread a square. A square whose corners the tests for the cardioid and the disc know is
 * left to them. */
template <class Real>
__global__ void squares(const __grid_constant__ struct piece piece, int steps, uint16_t *period)
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
    period[i] = 0;
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
    period[i] = (uint16_t)cycle_proves_square(&at, steps);
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

void launch_batch(const struct launcher *launcher, const struct piece *piece, struct stage begin)
{
    batch_begin<<<1, 32, 0, launcher->stream>>>(*piece, begin);
}

void launch_report(const struct launcher *launcher, const struct piece *piece)
{
    batch_report<<<1, 32, 0, launcher->stream>>>(*piece);
}

static void launch_squares(const struct launcher *launcher, const struct piece *piece, int steps,
                           uint16_t *period)
{
    LAUNCH(squares,
           blocks_for((long long)piece->squares_in_row * piece->square_rows, SQUARE_THREADS),
           SQUARE_THREADS, *piece, steps, period);
}

void launch_squares_soon(const struct launcher *launcher, const struct piece *piece)
{
    launch_squares(launcher, piece, piece->soon_steps, piece->period);
}

void launch_squares_late(const struct launcher *launcher, const struct piece *piece)
{
    launch_squares(launcher, piece, piece->square_steps, piece->late);
}

void launch_first(const struct launcher *launcher, const struct piece *piece)
{
    dim3 blocks(blocks_for(piece->grid.width, 32), blocks_for(piece->grid.height, 8));
    LAUNCH(first, blocks, FIRST_THREADS, *piece);
}

double launch_ceiling(const struct launcher *launcher, int blocks, double *sink)
{
    int of_device = launcher->units * 4;
    LAUNCH(plain_steps, of_device, 256, blocks, sink);
    return (double)of_device * 256 * CHAINS * BLOCK * blocks;
}
