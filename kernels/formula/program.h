/* A formula as kernels interpret it: its operations, fused as those of rows are.
 *
 * `sqr` and `mul` before `add` are one operation with it, which rounds once less; rows name it. The
 * rest is as it is in struct formula. Shared by C and CUDA. */
#ifndef KERNELS_FORMULA_PROGRAM_H
#define KERNELS_FORMULA_PROGRAM_H

#include "kernels/escape/shared.h"
#include "kernels/formula.h"

/* Operations in the order of enum formula_operation, and then the fused ones. */
#define FORMULA_FUSED(ROW) \
    ROW(abs_x)             \
    ROW(abs_y)             \
    ROW(neg_x)             \
    ROW(neg_y)             \
    ROW(keep) ROW(mul) ROW(sqr) ROW(add) ROW(swap) ROW(scale) ROW(sign_y) ROW(mul_add) ROW(sqr_add)

#define FORMULA_FUSED_VALUE(name) FUSED_##name,
enum formula_fused { FORMULA_FUSED(FORMULA_FUSED_VALUE) FORMULA_FUSED_KINDS };
#undef FORMULA_FUSED_VALUE

struct formula_program {
    int32_t phases;
    int32_t run; /* the least multiple of phases that is 32 or more: orbits begin runs in phase 0 */
    int32_t end[FORMULA_PHASES_MAX];
    uint8_t fused[FORMULA_OPERATIONS_MAX];     /* enum formula_fused */
    uint8_t factor_at[FORMULA_OPERATIONS_MAX]; /* constant of a FUSED_scale */
    double factor[FORMULA_FACTORS_MAX][2];
};

/* Operation *i of list p, as it is computed; *i becomes the last one that is fused into it. */
static inline enum formula_fused formula_fused(const struct formula_lists *own, int p, int *i)
{
    enum formula_operation operation = own->operation[*i];
    bool adds = *i + 1 < own->end[p] && own->operation[*i + 1] == OPERATION_ADD;
    if (!adds || (operation != OPERATION_SQR && operation != OPERATION_MUL))
        return (enum formula_fused)operation;
    ++*i;
    return operation == OPERATION_SQR ? FUSED_sqr_add : FUSED_mul_add;
}

/* The lists of an own formula, or the one of a row of formulas.inc. */
static inline struct formula_lists formula_lists_of(const struct formula *formula)
{
    struct formula_lists lists = formula->own;
    if (formula->step == STEP_OWN)
        return lists;
    const struct formula_phase row = formula_phase(formula, 0);
    memset(&lists, 0, sizeof lists);
    lists.phases = 1;
    lists.end[0] = row.operations;
    memcpy(lists.operation, row.operation, (size_t)row.operations * sizeof *row.operation);
    return lists;
}

/* The program of such a formula. */
static inline struct formula_program formula_program(const struct formula *formula)
{
    const struct formula_lists lists = formula_lists_of(formula), *own = &lists;
    struct formula_program program;
    int i = 0, factors = 0, made = 0;
    memset(&program, 0, sizeof program);
    program.phases = own->phases;
    program.run = (31 / own->phases + 1) * own->phases;
    memcpy(program.factor, own->factor, sizeof program.factor);
    for (int p = 0; p < own->phases; p++) {
        for (; i < own->end[p]; i++) {
            enum formula_fused fused = formula_fused(own, p, &i);
            if (fused == FUSED_scale)
                program.factor_at[made] = (uint8_t)factors++;
            program.fused[made++] = (uint8_t)fused;
        }
        program.end[p] = made;
    }
    return program;
}

#endif
