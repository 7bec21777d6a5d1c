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

struct formula_turn { /* a list, and its tape */
    struct formula_phase list;
    int tape, before[FORMULA_OPERATIONS_MAX];
};

struct formula_numbers { /* once open it must stay where it is */
    bool open;
    struct formula formula;
    struct formula_turn turn[FORMULA_PHASES_MAX];
    int phase, seen_phase; /* of the next step */
    int tape_width;        /* of the longest tape */
    mpfr_t x, y, cx, cy, kept_x, kept_y, seen_x, seen_y, sum, other, factor_x, factor_y;
    double by_last;                                  /* not 0: of z^2 + c + by_last z_(n-1), and */
    mpfr_t last_x, last_y, seen_last_x, seen_last_y; /* z_(n-1); the lists have no operations */
    struct rational_numbers rational; /* open: by these, and the lists have no operations; its tape
                                         is z less the root next to it, or B and G of magnets */
    struct complex_scaled pixel, error; /* of the dynamic plane; error: times 2^-bits */
    double log2_need;                   /* most of log2(error / pixel) */
};

/* What looks on in a step; either function may be NULL. */
struct formula_watch {
    /* What is folded at slot `slot` of the tape. */
    void (*folds)(void *context, int slot, mpfr_srcptr x, mpfr_srcptr y);
    /* Before an operation, with the z that it is done to, and its constant, if it has one, in
     * factor_x and factor_y. */
    void (*before)(void *context, enum formula_operation operation);
    void *context;
};

/* z and c are 0. phase: of the first step. log2_step: of a pixel of the dynamic plane; -INFINITY:
 * errors are not followed. */
void formula_numbers_open(struct formula_numbers *numbers, const struct formula *formula, int phase,
                          long bits, double log2_step);
void formula_numbers_close(struct formula_numbers *numbers); /* accepts a zeroed one */

void formula_numbers_step(struct formula_numbers *numbers, const struct formula_watch *watch);

/* What errors of a step from z_n depend on: z_n, and what Nova and magnets have on the tape then.
 */
struct formula_values {
    struct complex_scaled z, tape[MAGNET_TAPE];
};

/* Takes the errors of points of the dynamic plane along a step that is not taken, by list `phase`:
 * they become what formula_numbers_step makes of them. */
void formula_numbers_follow(struct formula_numbers *numbers, int phase,
                            const struct formula_values *values);

/* k of |z'| = k |z|^d of a list, far outside. */
double formula_numbers_size(const struct formula_numbers *numbers,
                            const struct formula_phase *list);

void formula_numbers_remember(struct formula_numbers *numbers);
bool formula_numbers_seen(const struct formula_numbers *numbers); /* in the same phase */

#endif
