/* The formula of a picture: its step, and which plane its pixels are points of.
 *
 * The step takes z_n to z_(n+1). In the parameter plane a pixel is c and every orbit begins at
 * z_0 = 0: of z^2 + c, the Mandelbrot set. In the dynamic plane a pixel is z_0, and c is the same
 * for all: a Julia set.
 *
 * A step is a row of kernels/formula/formulas.inc: a list of operations on z, from which its
 * kernels, its derivative, its proof and the texts about it are made. In every row |z'| is |z|^d to
 * roundings before c is added, so that beyond max(2, |c|) an orbit only grows. z^2 + c has kernels
 * of its own, of the same arithmetic, and it alone has periods and distances inside.
 *
 * Or it divides or converges: a row of kernels/formula/rational.inc (formula_rational), with z_0
 * and an end of its own (kernels/formula/rational.h).
 *
 * Or it is an own formula (STEP_OWN): lists of the same operations, which are data, and of which
 * list n mod phases takes z_n to z_(n+1). They are interpreted, with the arithmetic of rows. */
#ifndef KERNELS_FORMULA_H
#define KERNELS_FORMULA_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/status.h"

/* PARAMETER_PLANE is 0: what was zeroed means it. */
enum formula_plane { PARAMETER_PLANE, DYNAMIC_PLANE, FORMULA_PLANES };

/* STEP_mandelbrot is 0 in the same way. Rows from FORMULA_STEPS on are those of rational.inc. */
#define FORMULA(name, ...) STEP_##name,
#define RATIONAL(name, ...) STEP_##name,
enum formula_step {
#include "kernels/formula/formulas.inc"
    FORMULA_STEPS,
    FORMULA_STEPS_LAST = FORMULA_STEPS - 1,
#include "kernels/formula/rational.inc"
    FORMULA_ROWS,
    STEP_OWN
};

/* 1: z' depends on z as a complex number, so that there is a dz'/dz. */
#define FORMULA_HOLOMORPHIC_OF_keep 1
#define FORMULA_HOLOMORPHIC_OF_scale 1
#define FORMULA_HOLOMORPHIC_OF_mul 1
#define FORMULA_HOLOMORPHIC_OF_mul_add 1
#define FORMULA_HOLOMORPHIC_OF_sqr 1
#define FORMULA_HOLOMORPHIC_OF_sqr_add 1
#define FORMULA_HOLOMORPHIC_OF_add 1
#define FORMULA_HOLOMORPHIC_OF_abs_x 0
#define FORMULA_HOLOMORPHIC_OF_abs_y 0
#define FORMULA_HOLOMORPHIC_OF_neg_x 0
#define FORMULA_HOLOMORPHIC_OF_neg_y 0
#define FORMULA_HOLOMORPHIC_OF_swap 0
#define FORMULA_HOLOMORPHIC_OF_sign_y 0
#define OP(operation) *FORMULA_HOLOMORPHIC_OF_##operation
#define FORMULA(name, degree, number, home, summary, operations) \
    FORMULA_HOLOMORPHIC_##name = 1 operations,
enum {
#include "kernels/formula/formulas.inc"
};

enum formula_operation {
    OPERATION_ABS_X,
    OPERATION_ABS_Y,
    OPERATION_NEG_X,
    OPERATION_NEG_Y,
    OPERATION_KEEP,
    OPERATION_MUL, /* by what was kept last */
    OPERATION_SQR,
    OPERATION_ADD,   /* c */
    OPERATION_SWAP,  /* x and y */
    OPERATION_SCALE, /* multiplies by a complex constant */
    /* Gives y the sign of the y that was kept last. Between them stand squares, products with what
     * was kept, folds and signs alone, so that y is the kept one times a polynomial, of which this
     * is the absolute value; it does not jump where both are 0. */
    OPERATION_SIGN_Y,
    /* Operations of rational.inc alone, as perturbation takes them: */
    OPERATION_PLUS,   /* adds a complex constant */
    OPERATION_TIMES_C /* multiplies by c */
};
/* Has the operation a constant? A list has the constants of its operations in their order. */
static inline bool formula_has_factor(enum formula_operation operation)
{
    return operation == OPERATION_SCALE || operation == OPERATION_PLUS;
}

enum {
    FORMULA_OPERATIONS_MAX = 64, /* sum over all phases */
    FORMULA_PHASES_MAX = 16,
    FORMULA_PERTURBED_PHASES_MAX = 8, /* each takes a reference orbit */
    FORMULA_FACTORS_MAX = 8,
    FORMULA_DEGREE_MAX = 64, /* one phase */
    NO_KF = -1
};

/* The lists of an own formula, one behind the other; what is not used is 0. */
struct formula_lists {
    int32_t phases;                  /* 0: none */
    int32_t end[FORMULA_PHASES_MAX]; /* operations up to the end of each list */
    enum formula_operation operation[FORMULA_OPERATIONS_MAX];
    double factor[FORMULA_FACTORS_MAX][2]; /* re, im; of the OPERATION_SCALE in their order */
};

struct formula {
    enum formula_plane plane;
    double c_re, c_im; /* c of the dynamic plane, FORMULA_C_MAX at most; else 0 and not read */
    enum formula_step step;
    struct formula_lists own; /* lists of STEP_OWN; else zeroed */
};

/* Bound of |re| and |im| of c. With a pixel's z_0 within VIEW_CENTRE_MAX every z_1 is finite. */
#define FORMULA_C_MAX 1e6

/* One list, of a row or of an own formula; borrowed from it. That of a rational row is of z less
 * formula_begins. */
struct formula_phase {
    const enum formula_operation *operation;
    const double (*factor)[2]; /* constants of the operations that have one, in their order */
    int operations;
    int degree;  /* |z'| is size |z|^degree to roundings, far outside */
    double size; /* without the factors of TIMES_C */
};

struct formula_slope { /* a point of an orbit with its derivatives by the pixel's position */
    double x, y;
    double x_right, y_right, x_up, y_up; /* to the right, and upwards */
};

struct formula_kind {
    const char *name;    /* as in --formula */
    const char *summary; /* what z^2 + c is for the first */
    int degree;
    bool holomorphic;
    int kalles_fraktaler; /* its FractalType, or NO_KF */
    int operations;
    enum formula_operation operation[FORMULA_OPERATIONS_MAX];
    /* formula_iterate and formula_iterate_slope of this row. */
    void (*step)(double *x, double *y, double cx, double cy);
    void (*slope)(struct formula_slope *slope, double cx, double cy, double by_c);
};
extern const struct formula_kind formula_kinds[FORMULA_STEPS]; /* without rational rows */

/* Is it a row of rational.inc? Then kernels/formula/rational.h says what formula_kind,
 * formula_phase and formula_iterate do not. */
static inline bool formula_rational(const struct formula *formula)
{
    return formula->step >= FORMULA_STEPS && formula->step < FORMULA_ROWS;
}

/* Formulas that the same code computes. What a module does in its own way for each, it has in an
 * array [FORMULA_FAMILIES] of functions. */
enum formula_family {
    FAMILY_QUADRATIC, /* z^2 + c */
    FAMILY_LISTS,     /* operations: the other rows of formulas.inc, and own formulas */
    FAMILY_RATIONAL,  /* rows of rational.inc */
    FORMULA_FAMILIES
};
static inline enum formula_family formula_family(const struct formula *formula)
{
    return formula->step == STEP_mandelbrot ? FAMILY_QUADRATIC
           : formula_rational(formula)      ? FAMILY_RATIONAL
                                            : FAMILY_LISTS;
}

/* The row of formulas.inc, which the formula has to be. */
const struct formula_kind *formula_kind(const struct formula *formula);

/* ---- any formula ---- */

/* Lists that alternate: 1 for a row. */
static inline int formula_phases(const struct formula *formula)
{
    return formula->step == STEP_OWN ? formula->own.phases : 1;
}

/* The list that takes z_n to z_(n+1), where n mod formula_phases is `phase`. */
struct formula_phase formula_phase(const struct formula *formula, int phase);

/* Before which operations is a value folded, given a sign or kept for its sign, that has been
 * changed since the step began? A double of z_n does not tell its sign where its terms cancel, so
 * reference orbits come with these values (kernels/orbit/orbit.h, the tape). Returns their number;
 * before: the operations, rising. Folds of both parts with only signs between them have one. */
int formula_tape(const struct formula_phase *phase, int before[FORMULA_OPERATIONS_MAX]);

int formula_degree(const struct formula *formula); /* the largest of its phases */
bool formula_holomorphic(const struct formula *formula);

/* z_n to z_(n+1), in doubles, as all kernels do it; and with the slope, where `by_c` is the
 * derivative of c by the pixel's position: 1, or 0 in the dynamic plane. */
void formula_iterate(const struct formula *formula, int64_t n, double *x, double *y, double cx,
                     double cy);
void formula_iterate_slope(const struct formula *formula, int64_t n, struct formula_slope *slope,
                           double cx, double cy, double by_c);

/* The base of the logarithm in the fraction of a pixel with this count: ln|z'| / ln|z| of the last
 * step, at |z| = R: degree + ln(size) / ln(R). */
double formula_fraction_base(const struct formula *formula, int64_t count, double bailout);

/* The least bailout radius of an own formula: beyond it, and beyond |c|, every orbit grows in every
 * phase. 2 for a row. STATUS_CONFIG with what to do where no radius up to SPEC_BAILOUT_MAX is
 * proven, of a phase of degree 1, say, or only ones whose powers are no doubles. */
enum status formula_least_bailout(const struct formula *formula, double *bailout);

/* The radius nearest to `wanted` that formula_check accepts. Fails as formula_least_bailout. */
enum status formula_bailout_near(const struct formula *formula, double wanted, double *bailout);

/* The same step in that plane, of a c of 0; formula_check says whether there is one. */
static inline struct formula formula_in(const struct formula *formula, enum formula_plane plane)
{
    struct formula other = *formula;
    other.plane = plane;
    other.c_re = other.c_im = 0;
    return other;
}

/* Is it z^2 + c, which has kernels and periods of its own in any plane? Proofs for squares, nuclei,
 * distances inside and perturbation of its own are of the parameter plane, the Mandelbrot set. */
static inline bool formula_quadratic(const struct formula *formula)
{
    return formula->step == STEP_mandelbrot;
}
static inline bool formula_mandelbrot(const struct formula *formula)
{
    return formula_quadratic(formula) && formula->plane == PARAMETER_PLANE;
}

/* Has it perturbation? Rational rows have. Only 0 may be a critical point of a list, because that
 * is where orbits of the reference begin, one for each list: what has been added to is not
 * multiplied any more, nor given a sign, and lists are FORMULA_PERTURBED_PHASES_MAX at most. */
bool formula_perturbed(const struct formula *formula);

/* Are there parameters at which 0, or the critical point, comes back to where it began, that
 * formula_nucleus.h finds? Not by Newton's method and of Hénon maps. */
bool formula_has_nuclei(const struct formula *formula);

/* What perturbation subtracts from z: z_0 of a rational row in its parameter plane, its critical
 * point, if it is by operations; else 0. */
double formula_begins(const struct formula *formula);

/* Number of orbits that pixels rebase on: those of 0, one for each list; for Nova those of the
 * roots of z^n = 1; for magnets those of 0 and 1 - c; none by Newton's method. For Hénon maps,
 * which do not rebase, that of the view's centre in the parameter plane. */
int formula_critical_orbits(const struct formula *formula);

/* Has it c? Newton's method has none: there is no parameter plane. */
bool formula_has_c(const struct formula *formula);

/* Is it the Julia set of a c? */
static inline bool formula_julia(const struct formula *formula)
{
    return formula->plane == DYNAMIC_PLANE && formula_has_c(formula);
}

/* Number n of the attracting points e^(2 pi i k / n) that orbits end at, which the phase of z_n
 * tells apart; 0: orbits do not end so. */
int formula_roots(const struct formula *formula);

/* Are there distances? Not where orbits converge linearly: nothing bounds them then. */
bool formula_has_distances(const struct formula *formula);

/* What the row does, in a line; "" for STEP_OWN. */
const char *formula_summary(const struct formula *formula);

/* The row, in the parameter plane if it has one, with a c of 0. */
struct formula formula_of_step(enum formula_step step);

/* The names of rows in --formula: `mandelbrot` and `julia`, which are the planes of z^2 + c, and
 * then every other step; NULL behind the last. *formula becomes what is named, with a c of 0. */
const char *formula_name_at(int number, struct formula *formula);

/* The name of the step and, for z^2 + c, the plane; "own" for STEP_OWN, which formula_text writes
 * in full (kernels/formula_text.h). */
const char *formula_name(const struct formula *formula);

/* Are the same pixels the same points of both? The same step, in whatever plane? */
bool formula_same(const struct formula *a, const struct formula *b);
bool formula_same_step(const struct formula *a, const struct formula *b);

/* Do kernels that do not test each step find every count? They need |z| > R to mean that the orbit
 * only grows: R >= formula_least_bailout and R >= |c|, which for a pixel's own c the first step
 * sees to. And R^2d must be finite. STATUS_CONFIG for a c that is not finite or beyond
 * FORMULA_C_MAX, or for a radius that is too small or too large. */
enum status formula_check(const struct formula *formula, double bailout);

#endif
