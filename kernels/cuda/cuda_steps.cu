/* The steps: (1) and (2) of cuda_kernels.h.
 *
 * A loop of steps is limited not by the number of its instructions but by reads of registers: they
 * lie in two banks, and a bank gives one of them a cycle. y' = fma(x, y + y, cy) reads three that
 * differ, so it takes longer than a multiply-add should (a step 5 cycles instead of 4 in fp32, 9
 * instead of 8 in fp64), unless x is still there from x' = fma(x, x, t) directly before it. That
 * order comes of ptxas -O1 (CMakeLists.txt) and, in fp32, of cx and cy in the same bank: then y is
 * doubled in place, after t. They are if c is computed before z is there; nothing guarantees it,
 * and MEASURED.md says how to check. */
#include "kernels/cuda/cuda_pixel.h"
#include "kernels/escape/interior.h"

enum {
    FIRST_THREADS = 256, /* 4 x 2 warps of 8 x 4 pixels */
    ROUND_THREADS = 64,
    ROUND_THREAD_BLOCKS = 16, /* resident on a multiprocessor */
    CHUNK_MAX = 256, /* pixels that a warp takes from the queue at a time: atomics are not free */
    REFILL = 8,      /* lanes that must have ended before new pixels are taken */
    CHAINS = 2       /* pixels of the ceiling's threads: hide the latency of multiply-adds */
};

/* Steps of a loop in the code; all runs of rounds are multiples. Those of double-single are ten
 * times as long, and more would not stay in the cache of instructions. */
template <class Real> constexpr int unrolled = 64;
template <> constexpr int unrolled<real_ds> = 8;

/* (1) One thread for a pixel. */
template <class Real, enum formula_plane Plane, bool Cells>
__global__ void __launch_bounds__(FIRST_THREADS) first(const __grid_constant__ struct piece piece)
{
    __shared__ uint32_t survivors[FIRST_THREADS / 32 + 1];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int px = (int)blockIdx.x * 32 + warp % 4 * 8 + lane % 8;
    int py = (int)blockIdx.y * 8 + warp / 4 * 4 + lane / 8;
    uint32_t at = (uint32_t)px | (uint32_t)py << 16;
    int in = px < piece.grid.width && py < piece.grid.height, alive = in, escaped = 0;
    Real cx, cy, x, y;
    c_of<Plane, Cells>(piece, at, cx, cy);
    z_of<Plane, Cells>(piece, at, x, y);
    Real sx = 0, sy = 0, bailout_squared = (Real)piece.bailout;
    bailout_squared *= bailout_squared;
    if (Plane == PARAMETER_PLANE && in && piece.shortcuts &&
        (interior_surely(cx, cy, piece.margin) ||
         (piece.square_steps &&
          piece.period[py / SQUARE_PX * piece.squares_in_row + px / SQUARE_PX])))
        alive = 0;
    int done = 0; /* steps at the start of the run, for lanes that left the loop */
    if (alive)
        for (; done < FIRST_STEPS && done < piece.limit; done += RUN) {
            sx = x;
            sy = y;
#pragma unroll(unrolled <Real>)
            for (int k = 0; k < RUN; k++)
                z_step(x, y, cx, cy);
            escaped = !(norm_of(x, y) <= bailout_squared);
            if (escaped)
                break;
        }
    int64_t count = 0;
    Real norm = 0;
    if (escaped)
        for (int k = 1; k <= RUN; k++) {
            z_step(sx, sy, cx, cy);
            norm = norm_of(sx, sy);
            if (!(norm <= bailout_squared)) {
                count = done + k <= piece.limit ? done + k : 0;
                break;
            }
        }
    if (in)
        pixel_write(piece, at, count, count ? (float)norm : 0.0f);
    add_iterations(&piece.batch->iterations, count   ? (unsigned)count
                                             : alive ? min(piece.limit, (int64_t)done)
                                                     : 0);

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

/* A warp's range of the queue. */
struct chunk {
    uint32_t next, end;
};

/* Takes the next pixel for each lane that wants one; `count` and more: there is none. All lanes
 * have the same chunk. */
__device__ __forceinline__ uint32_t chunk_take(struct chunk *chunk, uint32_t *taken, uint32_t count,
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

/* (2) A lane of a persistent warp: lanes work on pixels at different steps of the same round. A
 * lane without a pixel stays at z = c = 0, and its `left` is negative, by a round's steps at most.
 */
template <class Real> struct stepper {
    Real x, y, cx, cy;
    Real begin_x, begin_y; /* z at the run's start */
    uint32_t i;    /* the pixel's index in the queue, where z of the round's start is kept */
    uint32_t kept; /* a word of that z */
    int left;      /* steps of the round */
};

__device__ __forceinline__ uint32_t word_of(double x)
{
    return (uint32_t)__double2loint(x);
}
__device__ __forceinline__ uint32_t word_of(float x)
{
    return __float_as_uint(x);
}

__device__ __forceinline__ uint32_t word_of(real_ds x)
{
    return __float_as_uint(x.pair.lo);
}

template <class Real> __device__ __forceinline__ void stepper_rest(struct stepper<Real> *w)
{
    memset(w, 0, sizeof *w);
    w->kept = ~word_of(w->x); /* never repeats */
}

template <enum formula_plane Plane, bool Cells, class Real>
__device__ __forceinline__ void stepper_begin(struct stepper<Real> *w, const struct piece &piece,
                                              const struct pixel_queue &queue, uint32_t i,
                                              int steps)
{
    c_of<Plane, Cells>(piece, queue.at[i], w->cx, w->cy);
    w->i = i;
    w->x = ((const Real *)queue.x)[i];
    w->y = ((const Real *)queue.y)[i];
    w->kept = word_of(w->x);
    w->left = steps;
}

/* Takes `run` unchecked steps. */
template <class Real> __device__ __forceinline__ void stepper_run(struct stepper<Real> *w, int run)
{
    w->begin_x = w->x;
    w->begin_y = w->y;
    w->left -= run;
    for (int n = 0; n < run; n += unrolled<Real>)
#pragma unroll
        for (int k = 0; k < unrolled<Real>; k++)
            z_step(w->x, w->y, w->cx, w->cy);
}

/* May the pixel have ended? Called after every run, so as cheap as can be. */
template <class Real>
__device__ __forceinline__ int stepper_may_end(const struct stepper<Real> *w, Real bailout_squared,
                                               int shortcuts)
{
    return !(norm_of(w->x, w->y) <= bailout_squared) | !w->left |
           (shortcuts & (word_of(w->x) == w->kept));
}

/* Puts the pixel back if it has ended; returns the steps that count. */
template <class Real>
__device__ __forceinline__ int stepper_end(struct stepper<Real> *w, const struct pixel_queue &queue,
                                           Real bailout_squared, int shortcuts, int steps, int run)
{
    Real *x = (Real *)queue.x + w->i, *y = (Real *)queue.y + w->i;
    int fate = GOES_ON, taken = steps - w->left;
    if (!(norm_of(w->x, w->y) <= bailout_squared)) {
        fate = ESCAPED - w->left;
        taken -= run;
        w->x = w->begin_x;
        w->y = w->begin_y;
    } else if (shortcuts && w->x == *x && w->y == *y) {
        fate = PROVEN; /* Brent: the orbit repeats */
    } else if (w->left) {
        return 0; /* a word alone was equal */
    }
    *x = w->x;
    *y = w->y;
    queue.left[w->i] = fate;
    stepper_rest(w);
    return taken;
}

template <class Real, enum formula_plane Plane, bool Cells>
__global__ void __launch_bounds__(ROUND_THREADS, ROUND_THREAD_BLOCKS)
    round_steps(const __grid_constant__ struct piece piece, int stage)
{
    struct stage *in = &piece.batch->stage[stage];
    uint32_t count = in->count;
    int64_t age = in->age, end = round_end(&piece, age, count);
    if (is_stopped(piece))
        return;
    const struct pixel_queue queue = piece.queue[stage % 2];
    Real bailout_squared = (Real)piece.bailout;
    bailout_squared *= bailout_squared;
    int run = round_run(age), steps = round_length(age, end), more = 1;
    /* A chunk is worth several warps while the queue is long. */
    uint32_t length = count / (gridDim.x * blockDim.x * 4) * 32;
    length = min(max(length, 32u), (uint32_t)CHUNK_MAX);
    struct chunk chunk = {0, 0};
    unsigned long long taken = 0;
    struct stepper<Real> stepper;
    stepper_rest(&stepper);
    for (;;) {
        unsigned idle = __ballot_sync(EVERY_LANE, stepper.left <= 0);
        if (!more && idle == EVERY_LANE)
            break;
        if (more && __popc(idle) >= REFILL) {
            uint32_t i = chunk_take(&chunk, &in->taken, count, length, idle);
            if (stepper.left <= 0 && i < count)
                stepper_begin<Plane, Cells>(&stepper, piece, queue, i, steps);
            /* A few warps that began before a stop must not do the work of all the others. */
            more = chunk.next < count && !__any_sync(EVERY_LANE, *piece.stop);
            continue;
        }
        int may_end;
        do {
            stepper_run(&stepper, run);
            may_end = stepper_may_end(&stepper, bailout_squared, piece.shortcuts);
        } while (!__any_sync(EVERY_LANE, may_end));
        if (stepper.left >= 0 && may_end)
            taken += (unsigned)stepper_end(&stepper, queue, bailout_squared, piece.shortcuts, steps,
                                           run);
    }
    add_iterations(&piece.batch->iterations, taken);
}

/* The ceiling: takes as many steps as a round, and nothing else. */
template <class Real> __global__ void plain_steps(int runs, double *sink)
{
    Real x[CHAINS] = {0}, y[CHAINS] = {0}, cx[CHAINS], cy = (Real)0.1;
    for (int c = 0; c < CHAINS; c++)
        cx[c] = (Real)(-0.1 - 0.01 * c - 1e-5 * threadIdx.x);
    for (int b = 0; b < runs; b++)
#pragma unroll
        for (int k = 0; k < unrolled<Real>; k++)
#pragma unroll
            for (int c = 0; c < CHAINS; c++)
                z_step(x[c], y[c], cx[c], cy);
    Real sum = 0;
    for (int c = 0; c < CHAINS; c++)
        sum += x[c] + y[c];
    if (sum == (Real)12345)
        *sink = sum;
}

void launch_round(const struct launcher *launcher, const struct piece *piece, int stage)
{
    LAUNCH_PLANE(round_steps,
                 thread_blocks_persistent(launcher, piece, ROUND_THREADS, ROUND_THREAD_BLOCKS),
                 ROUND_THREADS, *piece, stage);
}

void launch_first(const struct launcher *launcher, const struct piece *piece)
{
    dim3 thread_blocks(thread_blocks_for(piece->grid.width, 32),
                       thread_blocks_for(piece->grid.height, 8));
    LAUNCH_PLANE(first, thread_blocks, FIRST_THREADS, *piece);
}

double launch_ceiling(const struct launcher *launcher, int runs, double *sink)
{
    int of_device = launcher->units * 4;
    LAUNCH(plain_steps, of_device, 256, runs, sink);
    return (double)of_device * 256 * CHAINS *
           (launcher->number == NUMBER_DS ? unrolled<real_ds> : unrolled<float>)*runs;
}
