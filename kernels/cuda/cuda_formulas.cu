#include "kernels/cuda/cuda_formulas.h"

#include "kernels/cuda/cuda_own.h"

#define PREFIX f64x1
#define PACK double
#define STEP_FN static __device__ __forceinline__
#include "kernels/formula/steps.h"

enum { UNROLLED = 4 }; /* steps of a run in the code */

/* Two loops are compiled for each formula. The kernels, which keep the lanes busy, call them
 * through tables, once in a run, as cpu_formulas.h does; a kernel for each formula took 6 MB and
 * half a minute of each architecture. */
typedef double2 run_function(double x, double y, double cx, double cy, int steps);
typedef void slope_function(struct slope_state *state, double cx, double cy, double by_c,
                            int steps);

#define FORMULA(name, ...)                                                                      \
    static __device__ __noinline__ double2 run_##name(double x, double y, double cx, double cy, \
                                                      int steps)                                \
    {                                                                                           \
        _Pragma("unroll UNROLLED") for (int k = 0; k < steps; k++)                              \
            step_##name##_f64x1(&x, &y, cx, cy);                                                \
        return make_double2(x, y);                                                              \
    }                                                                                           \
    static __device__ __noinline__ void slope_##name(struct slope_state *state, double cx,      \
                                                     double cy, double by_c, int steps)         \
    {                                                                                           \
        double x = state->x, y = state->y;                                                      \
        struct f64x1_tangent right = {state->right_x, state->right_y, by_c, 0, 0, 0};           \
        struct f64x1_tangent up = {state->up_x, state->up_y, 0, by_c, 0, 0};                    \
        for (int k = 0; k < steps; k++)                                                         \
            slope_##name##_f64x1(&x, &y, cx, cy, &right, &up);                                  \
        *state = {x, y, right.x, right.y, up.x, up.y};                                          \
    }
#include "kernels/formula/formulas.inc"

#define FORMULA(name, ...) run_##name,
static __device__ run_function *const run_of[FORMULA_STEPS] = {
#include "kernels/formula/formulas.inc"
};

#define FORMULA(name, ...) slope_##name,
static __device__ slope_function *const slope_of[FORMULA_STEPS] = {
#include "kernels/formula/formulas.inc"
};

/* Own formulas are interpreted; all lanes take the same branches. */
#define S(word) f64x1_##word
#define OWN_BEGIN(program, i)                                      \
    double factor_x = (program).factor[(program).factor_at[i]][0]; \
    double factor_y = (program).factor[(program).factor_at[i]][1];

static __device__ __noinline__ double2 own_run(const struct formula_program &program, double x_,
                                               double y_, double cx, double cy, int first,
                                               int steps)
{
    int phase = first;
    for (int k = 0; k < steps; k++) {
        double kept_x = x_, kept_y = y_;
        for (int i = phase ? program.end[phase - 1] : 0; i < program.end[phase]; i++) {
            OWN_BEGIN(program, i)
            switch (program.fused[i]) {
#define OWN_STEP(name) \
    case FUSED_##name: \
        STEP_##name break;
                FORMULA_FUSED(OWN_STEP)
#undef OWN_STEP
            }
        }
        phase = phase + 1 < program.phases ? phase + 1 : 0;
    }
    return make_double2(x_, y_);
}

static __device__ __noinline__ void own_slope(const struct formula_program &program,
                                              struct slope_state *state, double cx, double cy,
                                              double by_c, int steps)
{
    double x_ = state->x, y_ = state->y;
    struct f64x1_tangent right = {state->right_x, state->right_y, by_c, 0, 0, 0};
    struct f64x1_tangent up = {state->up_x, state->up_y, 0, by_c, 0, 0};
    int phase = 0;
    for (int k = 0; k < steps; k++) {
        double kept_x = x_, kept_y = y_;
        for (int i = phase ? program.end[phase - 1] : 0; i < program.end[phase]; i++) {
            OWN_BEGIN(program, i)
            switch (program.fused[i]) {
#define OWN_SLOPE(name) \
    case FUSED_##name:  \
        SLOPE_##name(right) SLOPE_##name(up) STEP_##name break;
                FORMULA_FUSED(OWN_SLOPE)
#undef OWN_SLOPE
            }
        }
        phase = phase + 1 < program.phases ? phase + 1 : 0;
    }
    *state = {x_, y_, right.x, right.y, up.x, up.y};
}
#undef S
#undef OWN_BEGIN

static __device__ __forceinline__ double2 steps_whole(const struct formula_piece &work, double x,
                                                      double y, double2 c, int steps)
{
    const enum formula_step step = work.piece.formula.step;
    return step == STEP_OWN ? own_run(work.program, x, y, c.x, c.y, 0, steps)
                            : run_of[step](x, y, c.x, c.y, steps);
}

static __device__ __forceinline__ double2 steps_one(const struct formula_piece &work, double x,
                                                    double y, double2 c, int phase)
{
    const enum formula_step step = work.piece.formula.step;
    return step == STEP_OWN ? own_run(work.program, x, y, c.x, c.y, phase, 1)
                            : run_of[step](x, y, c.x, c.y, 1);
}

static __device__ __forceinline__ void steps_slope(const struct formula_piece &work,
                                                   struct slope_state *state, double2 c,
                                                   double by_c, int steps)
{
    const enum formula_step step = work.piece.formula.step;
    if (step == STEP_OWN)
        own_slope(work.program, state, c.x, c.y, by_c, steps);
    else
        slope_of[step](state, c.x, c.y, by_c, steps);
}

#include "kernels/cuda/cuda_formula_kernel.h"

FORMULA_KERNELS(formula)

__global__ void formula_begin(struct formula_progress *progress, int first)
{
    progress->left = 0;
    progress->iterations = 0;
    if (first)
        progress->next = 0;
}

/* Writes from the kernel, as deep_report does. */
__global__ void formula_report(const struct formula_progress *progress,
                               struct formula_progress *report)
{
    *report = *progress;
}

void launch_formula_begin(struct formula_progress *progress, int first, cudaStream_t stream)
{
    formula_begin<<<1, 1, 0, stream>>>(progress, first);
}

void launch_formula_report(const struct formula_progress *progress, struct formula_progress *report,
                           cudaStream_t stream)
{
    formula_report<<<1, 1, 0, stream>>>(progress, report);
}

unsigned formula_threads(const struct piece *piece, int units)
{
    uint64_t pixels = (uint64_t)piece->grid.width * (uint64_t)piece->grid.height;
    uint64_t most = (uint64_t)units * RESIDENT_WARPS * WARP;
    uint64_t threads = (pixels + FORMULA_THREADS - 1) / FORMULA_THREADS * FORMULA_THREADS;
    return (unsigned)(threads < most ? threads : most);
}

void launch_formula(const struct formula_piece *work, enum formula_pass pass, unsigned threads,
                    int first, cudaStream_t stream)
{
    unsigned thread_blocks = threads / FORMULA_THREADS;
    launch_formula_begin(work->progress, first, stream);
    if (work->own) {
        void *arguments[] = {(void *)work, &first};
        cudaLaunchKernel((const void *)work->own->kernel[pass], thread_blocks, FORMULA_THREADS,
                         arguments, 0, stream);
    } else if (pass == FORMULA_COUNTS) {
        formula_counts<<<thread_blocks, FORMULA_THREADS, 0, stream>>>(*work, first);
    } else {
        formula_slopes<<<thread_blocks, FORMULA_THREADS, 0, stream>>>(*work, first);
    }
    launch_formula_report(work->progress, work->report, stream);
}
