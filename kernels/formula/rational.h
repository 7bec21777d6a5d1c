/* Formulas that divide or converge: the rows of kernels/formula/rational.inc as data, their steps
 * in doubles, and where their orbits end. Shared by C and CUDA but for the table.
 *
 * The state of an orbit is z_n and z_(n-1). An orbit ends at the smallest n >= 1 at which |z_n| >
 * R, if the row escapes, or |w_n| <= 1/R, w_n = z_n - z_(n-1) or z_n - 1 by the row; both are
 * tested at every step. A z_n that is no finite number is infinity, as is what is divided by 0: of
 * a row that does not escape such an orbit never ends. */
#ifndef KERNELS_FORMULA_RATIONAL_H
#define KERNELS_FORMULA_RATIONAL_H

#include "kernels/escape/shared.h"
#include "kernels/formula.h"

enum rational_register {
    REGISTER_Z,
    REGISTER_P, /* z_(n-1) */
    REGISTER_C,
    REGISTER_A,
    REGISTER_B,
    REGISTER_D,
    REGISTER_E,
    RATIONAL_REGISTERS
};

enum rational_do {
    RATIONAL_sqr, /* a a */
    RATIONAL_mul, /* a b */
    RATIONAL_div, /* a / b */
    RATIONAL_add,
    RATIONAL_sub,
    RATIONAL_scale,  /* (n/d) a */
    RATIONAL_invert, /* (n/d) / a */
    RATIONAL_plus    /* a + n/d */
};

enum rational_ends { ENDS_NEVER, ENDS_AT_REST, ENDS_AT_ONE };

/* The test by which an orbit is over; OVER_NEVER: at infinity, where the row does not escape. */
enum rational_over { OVER_NOT, OVER_FAR, OVER_NEAR, OVER_NEVER };

struct rational_operation {
    enum rational_do does;
    enum rational_register to, a, b;
    int n, d;
};

struct rational_size { /* a step makes size |c|^power r^degree of r */
    int degree;        /* far outside; near a point it converges to it is the rule's order */
    double size;
    int power;
};

/* The rule by which kernels end orbits of a row. */
struct rational_rule {
    enum rational_ends ends;
    int escapes;
    int order; /* order of convergence: 1 is linear; 0: orbits do not converge */
    struct rational_size far, near;
};

enum { RATIONAL_OPERATIONS_MAX = 20, RATIONAL_PERTURBED_MAX = 8, RATIONAL_ROOTS_MOST = 6 };

struct rational_state {
    double x, y, last_x, last_y; /* z_n, z_(n-1) */
};

struct rational_slope { /* a state and its derivative by the pixel's position to the right */
    struct rational_state z;
    double dx, dy, last_dx, last_dy;
};

struct rational_kind {
    const char *name, *summary;
    double begins; /* z_0 in the parameter plane */
    bool has_c;    /* else the dynamic plane is the only one */
    int roots;     /* orbits end at the points e^(2 pi i k / roots); 0: elsewhere */
    struct rational_rule rule;
    int operations;
    struct rational_operation operation[RATIONAL_OPERATIONS_MAX];
    int perturbed; /* operations on u = z - begins; 0: perturbation is not by operations */
    enum formula_operation perturbs[RATIONAL_PERTURBED_MAX];
    void (*step)(struct rational_state *z, double cx, double cy);
    void (*slope)(struct rational_slope *z, double cx, double cy, double by_c);
};

/* [step - FORMULA_STEPS] */
extern const struct rational_kind rational_kinds[FORMULA_ROWS - FORMULA_STEPS];

static inline const struct rational_kind *rational_kind(const struct formula *formula)
{
    return &rational_kinds[formula->step - FORMULA_STEPS];
}

/* How a row is perturbed. By operations: the step of u = z - begins, else an empty one; as Newton's
 * method for z^n = 1, plus c maybe: n, else 0; as a Hénon map: the factor of z_(n-1), else 0; as a
 * magnet: k, else 0. */
struct formula_phase rational_phase(const struct formula *formula);
int rational_newton(const struct formula *formula);
double rational_by_last(const struct formula *formula);
int rational_magnet(const struct formula *formula);

/* Is it perturbed as Newton's method or a magnet, whose steps divide? */
static inline bool rational_divides(const struct formula *formula)
{
    return rational_newton(formula) || rational_magnet(formula);
}

/* Root k of z^n = 1, of a row that has perturbation as Newton's method: real and imaginary part. */
void rational_root(int n, int k, double root[2]);

/* Slots of the tape of a magnet's reference. */
enum { MAGNET_B, MAGNET_G, MAGNET_TAPE };

/* The number of the root that is nearest to (x, y). */
ESCAPE_FN int rational_root_near(const double (*root)[2], int n, double x, double y)
{
    int nearest = 0;
    double most = x; /* root 0 is 1 */
    for (int k = 1; k < n; k++) {
        double along = fma(root[k][0], x, root[k][1] * y);
        nearest = along > most ? k : nearest;
        most = along > most ? along : most;
    }
    return nearest;
}

/* z_0 and c of a pixel at (re, im). */
struct rational_begin {
    struct rational_state z;
    double cx, cy;
};
struct rational_begin rational_begin(const struct formula *formula, double re, double im);

#endif
