/* The operations of a formula as perturbation takes them: flat, for devices, and as many lists as
 * take turns. Step n, which makes z_(n+1) of z_n, is the list n mod phases. */
#ifndef KERNELS_DEEP_PROGRAM_H
#define KERNELS_DEEP_PROGRAM_H

#include "kernels/escape/shared.h"
#include "kernels/formula.h"

enum { PROGRAM_PHASES = 8 };

struct program_phase {
    int32_t operations, degree;
    int32_t ordered;  /* derivatives are similarities, so that blocks have terms of higher order:
                         no factor of a product is folded or conjugated without the other */
    int32_t added;    /* c is added at the end, and only there */
    double beyond[2]; /* what blocks leave out of (1 + w)^degree beyond w and beyond w^4, over w^2
                         and w^5, for w up to 1/2 */
    uint8_t operation[FORMULA_OPERATIONS_MAX];
    uint8_t taped[FORMULA_OPERATIONS_MAX]; /* 1: the reference's value before it is on the tape */
    uint8_t power[FORMULA_OPERATIONS_MAX]; /* of z, before it */
};

struct program {
    int32_t phases;
    int32_t holomorphic;
    int32_t similar; /* all phases are ordered */
    int32_t added;   /* in all phases, at the end and only there */
    struct program_phase phase[PROGRAM_PHASES];
};

/* Of formulas that take turns, 1 ... PROGRAM_PHASES. */
struct program program_of(const struct formula_kind *const kinds[], int phases);

#endif
