#include "kernels/formula/rational.h"

#define PREFIX f64x1
#define PACK double
#define STEP_FN static inline
#include "kernels/formula/rational_steps.h"

#define RATIONAL(name, ...)                                                                     \
    static void plain_step_##name(struct rational_state *z, double cx, double cy)               \
    {                                                                                           \
        struct f64x1_orbit orbit = {z->x, z->y, z->last_x, z->last_y, 0, 0, 0, 0};              \
        step_##name##_f64x1(&orbit, cx, cy);                                                    \
        *z = (struct rational_state){orbit.x, orbit.y, orbit.last_x, orbit.last_y};             \
    }                                                                                           \
    static void plain_slope_##name(struct rational_slope *s, double cx, double cy, double by_c) \
    {                                                                                           \
        struct f64x1_orbit orbit = {s->z.x, s->z.y, s->z.last_x, s->z.last_y,                   \
                                    s->dx,  s->dy,  s->last_dx,  s->last_dy};                   \
        slope_##name##_f64x1(&orbit, cx, cy, by_c);                                             \
        *s = (struct rational_slope){{orbit.x, orbit.y, orbit.last_x, orbit.last_y},            \
                                     orbit.dx,                                                  \
                                     orbit.dy,                                                  \
                                     orbit.last_dx,                                             \
                                     orbit.last_dy};                                            \
    }
#include "kernels/formula/rational.inc"

#define UP(operation) OPERATION_##operation,
#define UP_BY(operation, number) OPERATION_##operation,
#define NEVER ENDS_NEVER
#define AT_REST ENDS_AT_REST
#define AT_ONE ENDS_AT_ONE
#define FAR(degree, size, power) .far = {degree, size, power},
#define NEAR(size, power) .near = {0, size, power},
#define OF(operation, to, a, b) \
    {RATIONAL_##operation, REGISTER_##to, REGISTER_##a, REGISTER_##b, 1, 1},
#define BY(operation, to, a, n, d) \
    {RATIONAL_##operation, REGISTER_##to, REGISTER_##a, REGISTER_##a, n, d},
#define RATIONAL(text, home, first, of_c, beyond, end, power, attractors, says, sizes, list,      \
                 perturbation)                                                                    \
    {.name = #text,                                                                               \
     .summary = says,                                                                             \
     .begins = first,                                                                             \
     .has_c = of_c,                                                                               \
     .roots = attractors,                                                                         \
     .rule = {.ends = end, .escapes = beyond, .order = power, sizes},                             \
     .operations = sizeof(struct rational_operation[]){list} / sizeof(struct rational_operation), \
     .operation = {list},                                                                         \
     .perturbed = sizeof(int[]){perturbation 0} / sizeof(int) - 1,                                \
     .perturbs = {perturbation OPERATION_KEEP},                                                   \
     .step = plain_step_##text,                                                                   \
     .slope = plain_slope_##text},
const struct rational_kind rational_kinds[FORMULA_ROWS - FORMULA_STEPS] = {
#include "kernels/formula/rational.inc"
};

struct formula_phase rational_phase(const struct formula *formula)
{
#define UP_BY(operation, number) {number, 0},
#define RATIONAL(text, home, first, of_c, beyond, end, power, attractors, says, sizes, list, \
                 perturbation)                                                               \
    {perturbation{0, 0}},
    static const double factors[FORMULA_ROWS - FORMULA_STEPS][RATIONAL_PERTURBED_MAX][2] = {
#include "kernels/formula/rational.inc"
    };
    const struct rational_kind *kind = rational_kind(formula);
    return (struct formula_phase){kind->perturbs, factors[formula->step - FORMULA_STEPS],
                                  kind->perturbed, kind->rule.far.degree, kind->rule.far.size};
}

int rational_newton(const struct formula *formula)
{
#define BY_NEWTON(n) +(n)
#define RATIONAL(text, home, first, of_c, beyond, end, power, attractors, says, sizes, list, \
                 perturbation)                                                               \
    0 perturbation,
    static const int degree[FORMULA_ROWS - FORMULA_STEPS] = {
#include "kernels/formula/rational.inc"
    };
    return formula_rational(formula) ? degree[formula->step - FORMULA_STEPS] : 0;
}

double rational_by_last(const struct formula *formula)
{
#define BY_LAST(n, d) +(double)(n) / (d)
#define RATIONAL(text, home, first, of_c, beyond, end, power, attractors, says, sizes, list, \
                 perturbation)                                                               \
    0 perturbation,
    static const double factor[FORMULA_ROWS - FORMULA_STEPS] = {
#include "kernels/formula/rational.inc"
    };
    return formula_rational(formula) ? factor[formula->step - FORMULA_STEPS] : 0;
}

int rational_magnet(const struct formula *formula)
{
#define BY_MAGNET(k) +(k)
#define RATIONAL(text, home, first, of_c, beyond, end, power, attractors, says, sizes, list, \
                 perturbation)                                                               \
    0 perturbation,
    static const int degree[FORMULA_ROWS - FORMULA_STEPS] = {
#include "kernels/formula/rational.inc"
    };
    return formula_rational(formula) ? degree[formula->step - FORMULA_STEPS] : 0;
}

struct rational_begin rational_begin(const struct formula *formula, double re, double im)
{
    if (formula->plane == DYNAMIC_PLANE)
        return (struct rational_begin){{re, im, 0, 0}, formula->c_re, formula->c_im};
    return (struct rational_begin){{rational_kind(formula)->begins, 0, 0, 0}, re, im};
}

void rational_root(int n, int k, double root[2])
{
    enum { ROOTS_LEAST = 3 };
    /* e^(2 pi i k / n), k up to n / 2 */
    static const double upper[][RATIONAL_ROOTS_MOST / 2 + 1][2] = {
        {{1, 0}, {-0.5, 0.86602540378443864676}},
        {{1, 0}, {0, 1}, {-1, 0}},
        {{1, 0},
         {0.30901699437494742410, 0.95105651629515357212},
         {-0.80901699437494742410, 0.58778525229247312917}},
        {{1, 0}, {0.5, 0.86602540378443864676}, {-0.5, 0.86602540378443864676}, {-1, 0}}};
    const double *at = upper[n - ROOTS_LEAST][2 * k <= n ? k : n - k];
    root[0] = at[0];
    root[1] = 2 * k <= n ? at[1] : -at[1];
}
