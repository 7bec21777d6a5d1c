/* One step of an orbit of any formula, in floating point of MPFR, with the values that its folds
 * are done to. For orbit.c.
 *
 * An operation rounds each part once or thrice, relative to that part: x^2 - y^2 is
 * (x + y) (x - y). So what a step gets wrong is below 2^(6 - bits) of the largest value in it.
 *
 * Errors grow by |f'| a step, and so does a pixel of the dynamic plane, but for what c adds in the
 * parameter plane: there bits for the pixel step are bits for the whole orbit. In the dynamic plane
 * a pixel may become smaller, at most by (|z| + s)^d - |z|^d where an orbit comes near 0, and then
 * the orbit needs more bits. Folds change neither size. But under folds two directions of a pixel
 * may grow by different amounts; ORBIT_FOLD_BITS are for that. */
#ifndef KERNELS_ORBIT_FORMULA_ORBIT_H
#define KERNELS_ORBIT_FORMULA_ORBIT_H

#include <mpfr.h>
#include <stdbool.h>

#include "kernels/formula.h"
#include "kernels/orbit/rational_numbers.h"
#include "kernels/orbit/scaled.h"

enum { FORMULA_ROUNDING_LOG2 = 6 };

struct list_tape { /* a list, and which of its values the tape has */
    struct formula_phase list;
    int slots, before[FORMULA_OPERATIONS_MAX]; /* formula_tape */
};

struct formula_numbers { /* once open it must stay where it is */
    bool open;
    struct formula formula;
    struct list_tape tapes[FORMULA_PHASES_MAX]; /* [phase] */
    int phase, seen_phase;                      /* phase of the next step */
    int tape_width;                             /* slots of the longest tape */
    mpfr_t x, y, cx, cy, kept_x, kept_y, seen_x, seen_y, sum, other, factor_x, factor_y;
    double by_last; /* not 0: the step is z^2 + c + by_last z_(n-1); the lists have no operations */
    mpfr_t last_x, last_y, seen_last_x, seen_last_y; /* z_(n-1) */
    struct rational_numbers
        rational; /* open: steps are by these, and the lists have no operations;
                     its tape is z less the nearest root, or B and G of magnets */
    struct complex_scaled pixel, error; /* sizes in the dynamic plane; error: times 2^-bits */
    double log2_need;                   /* most of log2(error / pixel) */
};

/* Functions that are called during a step; either may be NULL. */
struct formula_watch {
    /* Called with the value of slot `slot` of the tape. */
    void (*folds)(void *context, int slot, mpfr_srcptr x, mpfr_srcptr y);
    /* Called before an operation, with the z that it is done to, and its constant, if it has one,
     * in factor_x and factor_y. */
    void (*before)(void *context, enum formula_operation operation);
    void *context;
};

/* z and c are 0. phase: that of the first step. log2_step: size of a pixel of the dynamic plane;
 * -INFINITY: errors are not followed. */
void formula_numbers_open(struct formula_numbers *numbers, const struct formula *formula, int phase,
                          long bits, double log2_step);
void formula_numbers_close(struct formula_numbers *numbers); /* accepts a zeroed one */

void formula_numbers_step(struct formula_numbers *numbers, const struct formula_watch *watch);

/* Values that errors of a step from z_n depend on: z_n, and the tape of Nova and magnets. */
struct formula_values {
    struct complex_scaled z, tape[MAGNET_TAPE];
};

/* Follows the errors of points of the dynamic plane along a step of list `phase` without taking it,
 * as formula_numbers_step does. */
void formula_numbers_follow(struct formula_numbers *numbers, int phase,
                            const struct formula_values *values);

/* k of a list: |z'| = k |z|^d far outside. */
double formula_numbers_size(const struct formula_numbers *numbers,
                            const struct formula_phase *list);

void formula_numbers_remember(struct formula_numbers *numbers);
bool formula_numbers_seen(const struct formula_numbers *numbers); /* the same z and phase? */

#endif
