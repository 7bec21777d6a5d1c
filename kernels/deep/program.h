/* Operations of a formula as perturbation takes them: flat, for devices, in one list for each
 * phase. Step n, which makes z_(n+1) of z_n, is the list n mod phases. */
#ifndef KERNELS_DEEP_PROGRAM_H
#define KERNELS_DEEP_PROGRAM_H

#include "kernels/escape/fraction.h"
#include "kernels/escape/shared.h"
#include "kernels/formula.h"

enum { PROGRAM_PHASES = FORMULA_PERTURBED_PHASES_MAX };

/* 0: no list has constants, swaps, signs that are put back or products with c. Kernels of rows
 * alone say so before this header: asking cost them 7 to 10 % of their time on processors, and
 * registers on GPUs. The steps of rows are compiled, one by one, on processors: formula_rows.h. */
#ifdef DEEP_ROWS_ALONE
enum { DEEP_OWN = 0 };
#else
enum { DEEP_OWN = 1 };
#endif

struct program_phase {
    int32_t operations, degree;
    int32_t ordered;  /* derivatives are similarities, so that blocks have terms of higher order:
                         no factor of a product is folded or conjugated without the other */
    int32_t added;    /* c is a summand: nothing is multiplied by it */
    double beyond[2]; /* what blocks leave out of (1 + w)^degree beyond w and beyond w^4, over w^2
                         and w^5, for w up to 1/2 */
    uint8_t operation[FORMULA_OPERATIONS_MAX];
    uint8_t taped[FORMULA_OPERATIONS_MAX]; /* 1: the reference's value before it is on the tape */
    uint8_t power[FORMULA_OPERATIONS_MAX]; /* power of z before the operation */
};

struct program_constants { /* constants of a phase that rows do not have */
    double size;           /* |z'| is size |z|^degree, but for c */
    double stretch;        /* (size degree)^2: |dz'|^2 over |dz|^2 |z|^(2 degree - 2) */
    double factor[FORMULA_FACTORS_MAX][2];    /* re, im of the constants of operations */
    float factor_f32[FORMULA_FACTORS_MAX][2]; /* the same, rounded */
    float stretch_f32;
    uint8_t factor_at[FORMULA_OPERATIONS_MAX]; /* index of an operation's factor */
    struct fraction_scale fraction;            /* scale of the fraction behind this list's step */
};

struct program {
    int32_t phases;
    int32_t holomorphic;
    int32_t similar; /* all phases are ordered */
    int32_t added;   /* c is a summand in all phases */
    struct program_phase phase[PROGRAM_PHASES];
};

struct program_list { /* a phase, borrowed */
    const struct program_phase *phase;
    const struct program_constants *constants;
};

/* Lists of a formula that has perturbation. */
struct program program_of(const struct formula *formula);

/* Does the formula need kernels with DEEP_OWN? Own formulas, Lambda and FORMULA_MAPPED rows do. */
bool program_is_own(const struct formula *formula);

/* Constants of each phase; c: that of the view's centre, or of a Julia set. */
void program_constants_of(const struct formula *formula, double bailout, double c_re, double c_im,
                          struct program_constants constants[PROGRAM_PHASES]);

#endif
