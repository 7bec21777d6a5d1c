#include "kernels/cuda/cuda_rational.h"

#include "kernels/cuda/cuda_patch.h"

#define PREFIX f64x1
#define PACK double
#define STEP_FN static __device__ __forceinline__
#include "kernels/formula/rational_steps.h"

/* n / x, or NaN; n is 1, or a constant, which is divided by `/`. The instructions are those of nvcc
 * without its branch for an x, 1/x or error that is not normal: then the result is NaN, but for 1/x
 * below 2^-1022. */
static __device__ __forceinline__ double unseen_div(double n, double x)
{
    double guess;
    if (n != 1)
        return n / x;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(guess) : "d"(x));
    guess = __hiloint2double(__double2hiint(guess), __double2hiint(x) + 0x300402);
    double error = fma(-x, guess, 1.0);
    const double better = fma(guess, fma(error, error, error), guess);
    return fma(better, fma(-x, better, 1.0), better);
}

/* The same steps with that division. */
#define unseen_splat f64x1_splat
#define unseen_neg f64x1_neg
#define unseen_add f64x1_add
#define unseen_sub f64x1_sub
#define unseen_mul f64x1_mul
#define unseen_fma f64x1_fma
#define unseen_fnma f64x1_fnma
#undef PREFIX
#define PREFIX unseen
#define STEP_FN static __device__ __forceinline__
#include "kernels/formula/rational_steps.h"

enum {
    RATIONAL_RUN = 32,   /* steps between votes of the lanes */
    OLD = 512,           /* steps after which pixels are old */
    OLD_RUN = 128,       /* steps of old pixels between votes */
    AT_ONCE = 16,        /* steps of old pixels that are tested together */
    POLL = 64,           /* votes between polls of the clock */
    REFILL = 8,          /* lanes that are done before new pixels are taken */
    FIRST_KEEP = 512,    /* n at which Brent starts */
    RESIDENT_WARPS = 24, /* warps of a multiprocessor: 80 registers for a thread */
};

/* Does every step from |z| > R on at least double |z|? Then nothing in a run has ended that is
 * within R at its end. |c z (1 - z)| >= |c| (|z| - 1) |z|; and |z^2 + c - p / 2| >= (|z| - 3/2) |z|
 * where |c| and |p| are no more than |z|, which p, the z before, is from the first |z| > R on. */
static __device__ __forceinline__ bool only_grows(enum formula_step step, double2 c, double bailout)
{
    const double norm = fma(c.x, c.x, c.y * c.y), square = bailout * bailout;
    if (step == STEP_lambda)
        return bailout > 2 && (bailout - 2) * (bailout - 2) * norm > 5;
    return step == STEP_phoenix && bailout >= 4 && norm <= square;
}

/* Does may_be_over hold for good after an orbit of Magnet is over? Let w be z - 1. Then
 * w' = 2 q + q^2, where q is w^2 / (c + 2 w) or w^3 / (c^2 + 3 c w + 3 w^2), so that
 * |w'| < |w| / 2 where |w| <= 2/R and |c| >= 16/R, and roundings are far smaller than 1/R. And
 * |z'| >= 2 |z| where |z| >= R >= 32 and |c| <= R/16, until what overflows leaves NaNs, for good.
 */
static __device__ __forceinline__ bool stays_over(enum rational_ends ends, double2 c,
                                                  double bailout)
{
    const double norm = fma(c.x, c.x, c.y * c.y), square = bailout * bailout;
    return ends == ENDS_AT_ONE && bailout >= 32 && bailout <= 4096 && norm * square >= 256 &&
           256 * norm <= square;
}

/* May the orbit be over here, far away or at 1? */
static __device__ __forceinline__ bool may_be_over(double x, double y, double bailout)
{
    const double square = bailout * bailout, rest = x - 1;
    return !(4 * fma(x, x, y * y) <= square) || fma(rest, rest, y * y) * square <= 4;
}

/* A function for each formula: takes up to `steps` steps, with the derivative or without. Returns
 * the step at which the orbit is over, or 0. */
typedef int rational_run(struct rational_lane *lane, double2 c, double of_c, double bailout,
                         int steps);

#define NEVER ENDS_NEVER
#define AT_REST ENDS_AT_REST
#define AT_ONE ENDS_AT_ONE
#define FAR(degree, size, power) {degree, size, power},
#define NEAR(size, power) {0, size, power},
/* Takes steps that are not tested one by one, as long as none may be the last. */
#define RATIONAL_UNSEEN(unseen_step)                                                              \
    if (steps == OLD_RUN && stays_over(rule.ends, c, bailout)) {                                  \
        struct unseen_orbit u = {z.x, z.y, z.last_x, z.last_y, z.dx, z.dy, z.last_dx, z.last_dy}; \
        for (bool may = false; k < steps && !may;) {                                              \
            const struct unseen_orbit begin = u;                                                  \
            _Pragma("unroll") for (int i = 0; i < AT_ONCE; i++) unseen_step;                      \
            may = may_be_over(u.x, u.y, bailout);                                                 \
            u = may ? begin : u;                                                                  \
            k += may ? 0 : AT_ONCE;                                                               \
        }                                                                                         \
        z = {u.x, u.y, u.last_x, u.last_y, u.dx, u.dy, u.last_dx, u.last_dy};                     \
        state = {z.x, z.y, z.last_x, z.last_y};                                                   \
        rational_rest(&rule, &state, &x, &y);                                                     \
        was = k ? fma(x, x, y * y) : was;                                                         \
    }
#define RATIONAL_LOOP(name, step, unseen_step)                                            \
    struct f64x1_orbit z = {lane->z.z.x, lane->z.z.y, lane->z.z.last_x, lane->z.z.last_y, \
                            lane->z.dx,  lane->z.dy,  lane->z.last_dx,  lane->z.last_dy}; \
    struct rational_state state;                                                          \
    const bool converges = rule.ends != ENDS_NEVER; /* else `before` is not needed */     \
    double x, y, was = lane->before;                                                      \
    int over = 0, k = 0;                                                                  \
    if (only_grows(STEP_##name, c, bailout)) {                                            \
        const struct f64x1_orbit begin = z;                                               \
        _Pragma("unroll 4") for (int i = 0; i < steps; i++) step;                         \
        if (fma(z.x, z.x, z.y * z.y) <= bailout * bailout) {                              \
            lane->z = {{z.x, z.y, z.last_x, z.last_y}, z.dx, z.dy, z.last_dx, z.last_dy}; \
            return 0;                                                                     \
        }                                                                                 \
        z = begin;                                                                        \
    }                                                                                     \
    RATIONAL_UNSEEN(unseen_step)                                                          \
    while (k < steps && !over) {                                                          \
        k++;                                                                              \
        if (converges)                                                                    \
            lane->before = was;                                                           \
        step;                                                                             \
        state = {z.x, z.y, z.last_x, z.last_y};                                           \
        if (converges) {                                                                  \
            rational_rest(&rule, &state, &x, &y);                                         \
            was = fma(x, x, y * y);                                                       \
        }                                                                                 \
        over = rational_over(&rule, &state, bailout) == OVER_NOT ? 0 : k;                 \
    }                                                                                     \
    if (converges)                                                                        \
        lane->before = over ? lane->before : was;                                         \
    lane->z = {{z.x, z.y, z.last_x, z.last_y}, z.dx, z.dy, z.last_dx, z.last_dy};         \
    return over;
#define RATIONAL(name, home, begins, has_c, escapes, ends, order, roots, summary, sizes, ...)      \
    static __device__ __noinline__ int run_##name(struct rational_lane *lane, double2 c,           \
                                                  double of_c, double bailout, int steps)          \
    {                                                                                              \
        const struct rational_rule rule = {ends, escapes, order, sizes};                           \
        RATIONAL_LOOP(name, step_##name##_f64x1(&z, c.x, c.y), step_##name##_unseen(&u, c.x, c.y)) \
    }                                                                                              \
    static __device__ __noinline__ int slope_##name(struct rational_lane *lane, double2 c,         \
                                                    double of_c, double bailout, int steps)        \
    {                                                                                              \
        const struct rational_rule rule = {ends, escapes, order, sizes};                           \
        RATIONAL_LOOP(name, slope_##name##_f64x1(&z, c.x, c.y, of_c),                              \
                      slope_##name##_unseen(&u, c.x, c.y, of_c))                                   \
    }
#include "kernels/formula/rational.inc"

#define RATIONAL(name, ...) {run_##name, slope_##name},
static __device__ rational_run *const run_of[FORMULA_ROWS - FORMULA_STEPS][2] = {
#include "kernels/formula/rational.inc"
};

static __device__ __forceinline__ double2 c_at(const struct piece &piece, uint32_t at)
{
    double2 c = make_double2(piece.formula.c_re, piece.formula.c_im);
    if (piece.formula.plane == PARAMETER_PLANE)
        point_at<true>(piece, at, c.x, c.y);
    return c;
}

/* Begins a pixel at n = 0. */
static __device__ __forceinline__ void lane_begin(const struct rational_piece &work,
                                                  struct rational_lane &lane, uint32_t at)
{
    const bool dynamic = work.piece.formula.plane == DYNAMIC_PLANE;
    memset(&lane, 0, sizeof lane);
    lane.at = at;
    lane.busy = 1;
    lane.z.z.x = work.begins;
    lane.z.dx = dynamic;
    if (dynamic)
        point_at<true>(work.piece, at, lane.z.z.x, lane.z.z.y);
    lane.before = rational_before(&work.rule, lane.z.z.x, lane.z.z.y);
    lane.kept.x = INFINITY; /* equals nothing that goes on */
    lane.keep_at = FIRST_KEEP;
}

/* count 0: the orbit is never over. */
static __device__ __forceinline__ void
lane_write(const struct rational_piece &work, struct rational_lane &lane, double2 c, int64_t count)
{
    const struct piece &piece = work.piece;
    struct rational_values values = {0.0f, {0.0f, 0.0f}, 0.0f};
    enum rational_over over =
        count ? rational_over(&work.rule, &lane.z.z, piece.bailout) : OVER_NEVER;
    size_t index = index_of(piece, lane.at);
    if (over == OVER_NEVER)
        count = 0;
    else
        values =
            rational_values(&work.rule, over, &lane.z, lane.before, c.x, c.y, piece.bailout,
                            piece.grid.step_re, piece.grid.step_im, work.distance_x || work.phase);
    count_store(piece, index, count);
    if (piece.fraction)
        piece.fraction[index] = values.fraction;
    slope_store(work, piece.grid, index, values.distance, values.phase);
    lane.busy = 0;
}

static __device__ __forceinline__ bool same_state(const struct rational_state &a,
                                                  const struct rational_state &b)
{
    return a.x == b.x && a.y == b.y && a.last_x == b.last_x && a.last_y == b.last_y;
}

/* Takes a run; returns its steps. */
static __device__ __forceinline__ int lane_run(const struct rational_piece &work,
                                               struct rational_lane &lane, double2 c)
{
    const struct piece &piece = work.piece;
    const int slopes = work.distance_x || work.phase;
    int64_t left = piece.limit - lane.n;
    int most = lane.n < OLD ? RATIONAL_RUN : OLD_RUN, steps = left < most ? (int)left : most;
    int over = run_of[piece.formula.step - FORMULA_STEPS][slopes](
        &lane, c, piece.formula.plane == PARAMETER_PLANE, piece.bailout, steps);
    if (over) {
        lane_write(work, lane, c, lane.n + over);
        return over;
    }
    lane.n += steps;
    if (lane.n == piece.limit || (piece.shortcuts && same_state(lane.z.z, lane.kept))) {
        lane_write(work, lane, c, 0);
    } else if (lane.n >= lane.keep_at) {
        lane.kept = lane.z.z;
        lane.keep_at = lane.n < INT64_MAX / 2 ? 2 * lane.n : INT64_MAX;
    }
    return steps;
}

/* Gives pixels to idle lanes; says whether there may be more. */
static __device__ __forceinline__ bool pixels_take(const struct rational_piece &work,
                                                   struct rational_lane &lane)
{
    unsigned idle = __ballot_sync(EVERY_LANE, !lane.busy);
    uint32_t at;
    bool more;
    if (patch_take(work.piece.grid, &work.progress->next, idle, &at, &more) && !lane.busy)
        lane_begin(work, lane, at);
    return more;
}

__global__ void __launch_bounds__(FORMULA_THREADS, RESIDENT_WARPS *WARP / FORMULA_THREADS)
    rational_fields(const __grid_constant__ struct rational_piece work, int first)
{
    struct rational_lane *saved = &work.lanes[blockIdx.x * FORMULA_THREADS + threadIdx.x];
    struct rational_lane lane;
    memset(&lane, 0, sizeof lane);
    bool more = patches_left(work.piece.grid, &work.progress->next);
    if (!first)
        lane = *saved;
    double2 c = make_double2(0, 0);
    if (lane.busy)
        c = c_at(work.piece, lane.at);
    unsigned long long iterations = 0;
    int64_t end_ns = clock_ns() + work.slice_ns;
    for (uint32_t round = 1; round % POLL != 0 || !slice_over(work.piece, end_ns); round++) {
        unsigned busy = __ballot_sync(EVERY_LANE, lane.busy);
        if (!busy && !more)
            break;
        if (more && __popc(busy) <= WARP - REFILL) {
            bool was_busy = lane.busy;
            more = pixels_take(work, lane);
            if (!was_busy && lane.busy)
                c = c_at(work.piece, lane.at);
            continue;
        }
        if (lane.busy)
            iterations += (unsigned long long)lane_run(work, lane, c);
        __syncwarp();
    }
    *saved = lane;
    more |= __any_sync(EVERY_LANE, lane.busy) != 0;
    if (threadIdx.x % WARP == 0 && more)
        atomicAdd(&work.progress->left, 1u);
    add_iterations(&work.progress->iterations, iterations);
}

void launch_rational(const struct rational_piece *work, unsigned threads, int first,
                     cudaStream_t stream)
{
    launch_formula_begin(work->progress, first, stream);
    rational_fields<<<threads / FORMULA_THREADS, FORMULA_THREADS, 0, stream>>>(*work, first);
    launch_formula_report(work->progress, work->report, stream);
}
