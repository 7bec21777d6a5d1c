#include "kernels/formula.h"

#include <math.h>

#define PREFIX f64x1
#define PACK double
#define STEP_FN static inline
#include "kernels/formula/steps.h"

/* The operations of a row; those that are fused count as two. */
#define OPERATIONS_abs_x OPERATION_ABS_X,
#define OPERATIONS_abs_y OPERATION_ABS_Y,
#define OPERATIONS_neg_x OPERATION_NEG_X,
#define OPERATIONS_neg_y OPERATION_NEG_Y,
#define OPERATIONS_keep OPERATION_KEEP,
#define OPERATIONS_mul OPERATION_MUL,
#define OPERATIONS_sqr OPERATION_SQR,
#define OPERATIONS_add OPERATION_ADD,
#define OPERATIONS_sqr_add OPERATION_SQR, OPERATION_ADD,
#define OPERATIONS_mul_add OPERATION_MUL, OPERATION_ADD,

#define FORMULA(name, ...)                                                                     \
    static void plain_step_##name(double *x, double *y, double cx, double cy)                  \
    {                                                                                          \
        step_##name##_f64x1(x, y, cx, cy);                                                     \
    }                                                                                          \
    static void plain_slope_##name(struct formula_slope *s, double cx, double cy, double by_c) \
    {                                                                                          \
        struct f64x1_tangent a = {.x = s->x_right, .y = s->y_right, .cx = by_c};               \
        struct f64x1_tangent b = {.x = s->x_up, .y = s->y_up, .cy = by_c};                     \
        slope_##name##_f64x1(&s->x, &s->y, cx, cy, &a, &b);                                    \
        s->x_right = a.x;                                                                      \
        s->y_right = a.y;                                                                      \
        s->x_up = FORMULA_HOLOMORPHIC_##name ? -a.y : b.x;                                     \
        s->y_up = FORMULA_HOLOMORPHIC_##name ? a.x : b.y;                                      \
    }
#include "kernels/formula/formulas.inc"

#define OP(operation) OPERATIONS_##operation
#define FORMULA(text, power, number, says, list)                                         \
    [STEP_##text] = {.name = #text,                                                      \
                     .summary = says,                                                    \
                     .degree = power,                                                    \
                     .holomorphic = FORMULA_HOLOMORPHIC_##text,                          \
                     .kalles_fraktaler = number,                                         \
                     .operations = sizeof(enum formula_operation[]){list} / sizeof(int), \
                     .operation = {list},                                                \
                     .step = plain_step_##text,                                          \
                     .slope = plain_slope_##text},
const struct formula_kind formula_kinds[FORMULA_STEPS] = {
#include "kernels/formula/formulas.inc"
};

int formula_tape(const struct formula_kind *kind, int before[FORMULA_OPERATIONS_MAX])
{
    int count = 0;
    bool changed = false;
    for (int i = 0; i < kind->operations; i++)
        switch (kind->operation[i]) {
        case OPERATION_ABS_X:
        case OPERATION_ABS_Y:
            if (changed)
                before[count++] = i;
            changed = false;
            break;
        case OPERATION_NEG_X:
        case OPERATION_NEG_Y:
        case OPERATION_KEEP:
            break;
        case OPERATION_MUL:
        case OPERATION_SQR:
        case OPERATION_ADD:
            changed = true;
            break;
        }
    return count;
}

static const char julia[] = "julia";

const char *formula_name_at(int number, struct formula *formula)
{
    int step = number < 2 ? 0 : number - 1;
    *formula = (struct formula){.plane = number == 1 ? DYNAMIC_PLANE : PARAMETER_PLANE};
    if (number < 0 || step >= FORMULA_STEPS)
        return NULL;
    formula->step = (enum formula_step)step;
    return number == 1 ? julia : formula_kinds[step].name;
}

const char *formula_name(const struct formula *formula)
{
    bool is_julia = formula_quadratic(formula) && formula->plane == DYNAMIC_PLANE;
    return is_julia ? julia : formula_kind(formula)->name;
}

bool formula_same(const struct formula *a, const struct formula *b)
{
    return a->step == b->step && a->plane == b->plane &&
           (a->plane == PARAMETER_PLANE || (a->c_re == b->c_re && a->c_im == b->c_im));
}

enum status formula_check(const struct formula *formula, double bailout)
{
    if (formula->plane == PARAMETER_PLANE)
        return STATUS_OK;
    double re = formula->c_re, im = formula->c_im, size = hypot(re, im);
    if (!(fabs(re) <= FORMULA_C_MAX && fabs(im) <= FORMULA_C_MAX))
        return status_fail(STATUS_CONFIG,
                           "c = %g %+g i of the Julia set lies beyond +-%g; connected ones "
                           "have c within 2",
                           re, im, FORMULA_C_MAX);
    if (size > bailout)
        return status_fail(STATUS_CONFIG,
                           "a bailout radius of %g is smaller than |c| = %g of the Julia set, so "
                           "orbits come back from beyond it; use --bailout %g",
                           bailout, size, ceil(size));
    return STATUS_OK;
}
