/* The proofs: (0) and (3) of cuda_kernels.h. */
#include "kernels/cuda/cuda_pixel.h"
#include "kernels/escape/cycle.h"
#include "kernels/escape/interior.h"
#include "kernels/escape/return_map.h"

enum {
    SQUARE_THREADS = 64,
    SORT_THREADS = 128,
    SORT_THREAD_BLOCKS = 8,
    REPLAYED = 8,      /* unchecked steps of a replay */
    PERIOD_MAX = 1024, /* longest period of proofs */
    COLD_AGE = 2048,   /* far from proven squares, proofs are tried from this age on */
    COLD_SHARE = 64,   /* far from proven squares, periods are at most age / COLD_SHARE */
    RETURN_THREADS = 128,
    RETURN_THREAD_BLOCKS = 6,
    RETURN_STEPS = 1024,   /* steps of a square's orbit, for a return; >= the longest period */
    RETURNS_MOST = 1 << 15 /* returns of a pixel: about a millisecond */
};

/* Fills device memory before a batch: `begin`, and zeros. */
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

/* The corners of a square, and how far its pixels' c lie from its middle. */
template <class Real>
__device__ __forceinline__ struct cycle_square cycle_square_of(const struct piece &piece, int i,
                                                               Real re[2], Real im[2])
{
    int x = i % piece.squares_in_row * SQUARE_PX, y = i / piece.squares_in_row * SQUARE_PX;
    int right = min(x + SQUARE_PX, piece.grid.width) - 1;
    int below = min(y + SQUARE_PX, piece.grid.height) - 1;
    point_at<false>(piece, (uint32_t)(x | y << 16), re[0], im[0]);
    point_at<false>(piece, (uint32_t)(right | below << 16), re[1], im[1]);
    double dx = grid_diagonal(&piece.grid, right - x, below - y);
    double dy = piece.grid.down_y * (below - y);
    /* Half a diagonal, and more than the roundings of c here and in each pixel. */
    double half =
        0.5 *
        sqrt(fma(piece.grid.step_re, piece.grid.step_re, piece.grid.step_im * piece.grid.step_im)) *
        sqrt(fma(dx, dx, dy * dy));
    struct cycle_square at = {0.5 * ((double)re[0] + (double)re[1]),
                              0.5 * ((double)im[0] + (double)im[1]),
                              (float)(half * (1 + 0x1p-16) + piece.rounding), piece.rounding};
    return at;
}

/* (0) One thread for a square. A square is left to the tests for the cardioid and the disc if they
 * hold at its corners; pixels of cells are no neighbours, so that their squares are not proven. */
template <class Real>
__global__ void squares(const __grid_constant__ struct piece piece, int steps, uint16_t *period)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= piece.squares_in_row * piece.square_rows)
        return;
    Real re[2], im[2];
    struct cycle_square at = cycle_square_of(piece, i, re, im);
    period[i] = 0;
    if (piece.grid.cells)
        return;
    if (interior_surely(re[0], im[0], piece.margin) && interior_surely(re[1], im[1], piece.margin))
        return;
    period[i] = (uint16_t)cycle_proves_square(&at, steps);
}

/* The period of a proven square next to the pixel's, or 0. */
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

/* Repeats the run in which a pixel escaped, unchecked until it is close; returns its steps. */
template <enum formula_plane Plane, bool Cells, class Real>
__device__ __forceinline__ int replay(const struct piece &piece, Real x, Real y, uint32_t at,
                                      int64_t age, int run)
{
    Real cx, cy, norm, begin_x, begin_y, bailout_squared = (Real)piece.bailout;
    bailout_squared *= bailout_squared;
    c_of<Plane, Cells>(piece, at, cx, cy);
    int n = 0;
    do {
        begin_x = x;
        begin_y = y;
#pragma unroll
        for (int k = 0; k < REPLAYED; k++)
            z_step(x, y, cx, cy);
        n += REPLAYED;
    } while (norm_of(x, y) <= bailout_squared && n < run);
    n -= REPLAYED;
    do {
        z_step(begin_x, begin_y, cx, cy);
        norm = norm_of(begin_x, begin_y);
        n++;
    } while (norm <= bailout_squared && n < run);
    if (n <= piece.limit - age)
        pixel_write(piece, at, age + n, (float)norm);
    return n;
}

/* Is the pixel proven interior? `most`: the longest period that is worth a trial. */
__device__ __forceinline__ int proves(const struct piece &piece, double x, double y, double cx,
                                      double cy, uint32_t at, int64_t age, int most)
{
    struct cycle_square square = {cx, cy, 0, piece.rounding};
    struct cycle_orbit now = {x, y, 0, 0, 0};
    int period = period_near(piece, at);
    if (!period && age >= COLD_AGE)
        period = cycle_period(x, y, &square, (int)min(age / COLD_SHARE, (int64_t)most));
    return period && period <= most && cycle_proves(&now, &square, period);
}

/* Makes the map of each square that is not proven; one thread for a square. */
__global__ void __launch_bounds__(SQUARE_THREADS)
    returns_find(const __grid_constant__ struct piece piece)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= piece.squares_in_row * piece.square_rows)
        return;
    double re[2], im[2];
    struct cycle_square at = cycle_square_of(piece, i, re, im);
    piece.maps[i].period = 0;
    if (!piece.late[i])
        return_map_find(&piece.maps[i], &at, RETURN_STEPS);
}

/* Ends pixels that a round has left and whose orbits are bounded from return to return. */
__global__ void __launch_bounds__(RETURN_THREADS, RETURN_THREAD_BLOCKS)
    returns_follow(const __grid_constant__ struct piece piece, int stage)
{
    const struct stage *in = &piece.batch->stage[stage];
    uint32_t count = in->count, first = blockIdx.x * RETURN_THREADS + threadIdx.x;
    const struct pixel_queue queue = piece.queue[stage % 2];
    if (is_stopped(piece) || round_end(&piece, in->age, count) == piece.limit)
        return;
    for (uint32_t i = first; i < count; i += gridDim.x * RETURN_THREADS) {
        uint32_t at = queue.at[i];
        int square = (int)(at >> 16) / SQUARE_PX * piece.squares_in_row;
        square += (int)(at & 0xffff) / SQUARE_PX;
        const struct return_map *map = &piece.maps[square];
        if (queue.left[i] != GOES_ON || piece.late[square] || !map->period ||
            return_map_returns(map, piece.limit) > RETURNS_MOST)
            continue;
        if (blockIdx.x + threadIdx.x == 0 && *piece.host_stop)
            *piece.stop = 1;
        if (*piece.stop)
            return;
        double cx, cy;
        point_at<false>(piece, at, cx, cy);
        if (return_map_proves(map, cx, cy, piece.limit))
            queue.left[i] = PROVEN;
    }
}

/* (3) Each block of threads takes as many pixels at a time, and makes two dense lists of them. */
template <class Real, enum formula_plane Plane, bool Cells>
__global__ void __launch_bounds__(SORT_THREADS, SORT_THREAD_BLOCKS)
    sort(const __grid_constant__ struct piece piece, int stage)
{
    __shared__ uint32_t listed[2][SORT_THREADS], length[2], begin;
    struct stage *in = &piece.batch->stage[stage];
    uint32_t count = in->count, t = threadIdx.x;
    int64_t age = in->age, end = round_end(&piece, age, count);
    int64_t end_of_steps = age + round_length(age, end);
    int run = round_run(age);
    int last = end == piece.limit; /* a proof pays where at least half of the steps are to come */
    int due = Plane == PARAMETER_PLANE && piece.square_steps && end >= 2 * in->proved &&
              piece.limit - end >= end;
    if (__syncthreads_or(is_stopped(piece)))
        return;
    if (blockIdx.x == 0 && t == 0) {
        in[1].age = end;
        in[1].proved = due ? end : in->proved;
    }
    const struct pixel_queue from = piece.queue[stage % 2], to = piece.queue[(stage + 1) % 2];
    /* A proof may cost no more than it saves, nor than a launch may take. */
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
            steps += (unsigned)replay<Plane, Cells>(piece, ((const Real *)from.x)[i],
                                                    ((const Real *)from.y)[i], from.at[i],
                                                    end_of_steps - left - run, run);
        }
        uint32_t i = 0, at = 0;
        Real x = 0, y = 0, cx, cy;
        int goes_on = t < length[1];
        if (goes_on) {
            i = listed[1][t];
            x = ((const Real *)from.x)[i];
            y = ((const Real *)from.y)[i];
            at = from.at[i];
            c_of<Plane, Cells>(piece, at, cx, cy);
            goes_on = !(due && proves(piece, x, y, cx, cy, at, end, (int)most));
        }
        __syncthreads();
        if (t == 0)
            length[1] = 0;
        __syncthreads();
        uint32_t rank = goes_on ? atomicAdd(&length[1], 1) : 0;
        __syncthreads();
        if (t == 0 && length[1])
            begin = atomicAdd(&in[1].count, length[1]);
        __syncthreads();
        if (goes_on)
            enqueue(to, begin + rank, x, y, at);
    }
    add_iterations(&piece.batch->iterations, steps);
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
           thread_blocks_for((long long)piece->squares_in_row * piece->square_rows, SQUARE_THREADS),
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

void launch_returns(const struct launcher *launcher, const struct piece *piece, int stage)
{
    long long squares = (long long)piece->squares_in_row * piece->square_rows;
    returns_find<<<thread_blocks_for(squares, SQUARE_THREADS), SQUARE_THREADS, 0,
                   launcher->stream>>>(*piece);
    returns_follow<<<thread_blocks_persistent(launcher, piece, RETURN_THREADS,
                                              RETURN_THREAD_BLOCKS),
                     RETURN_THREADS, 0, launcher->stream>>>(*piece, stage);
}

void launch_sort(const struct launcher *launcher, const struct piece *piece, int stage)
{
    LAUNCH_PLANE(sort, thread_blocks_persistent(launcher, piece, SORT_THREADS, SORT_THREAD_BLOCKS),
                 SORT_THREADS, *piece, stage);
}
