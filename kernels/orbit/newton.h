/* Newton's method for a root c of z_n(c) + z_m(c) = 0, m < n, at a precision that grows with it.
 *
 * m = 0 asks for a nucleus: z_n = 0, of period n. m > 0 asks for a Misiurewicz point: from
 * z_n = -z_m follows z_(n+1) = z_(m+1), so its orbit has the preperiod m + 1 and the period n - m.
 * Points of smaller preperiods solve z_n = z_m instead, so there is nothing to divide out: z_(n+1)
 * - z_(m+1) = (z_n - z_m) (z_n + z_m).
 *
 * A pass goes once along the orbit of the current c and finds the equation's value with two
 * derivatives; the root of that parabola is the next c, with three times as many right digits. The
 * orbit is tapered (taper.h), the derivatives have as many bits as this pass can use; they, and all
 * that is followed in doubles, have a thread of their own.
 *
 * What is proven (nucleus.h): the disc of radius 2^log2_disc about c has exactly one root, which is
 * a root for no smaller n of the same kind: its period is n, or n - m and no less. The bound of the
 * error is an estimate, from how fast the passes converge. */
#ifndef KERNELS_ORBIT_NEWTON_H
#define KERNELS_ORBIT_NEWTON_H

#include <mpfr.h>
#include <stdbool.h>
#include <stdint.h>

#include "kernels/orbit/scaled.h"
#include "kernels/status.h"

struct newton_equation {
    int64_t n, m; /* 0 <= m < n */
};

struct newton_options {
    int threads;              /* most that are used; 0: all */
    const volatile int *stop; /* non-zero: give up with STATUS_STOPPED; may be NULL */
    void (*progress)(void *context, double share); /* estimated share of the work; or NULL */
    void *context;
};

/* Largest error: 2^log2_error, and for a nucleus its component's size times 2^-bits_below_size if
 * that is less. */
struct newton_goal {
    double log2_error;
    double bits_below_size;
};

/* Estimates of a root before the first pass, as log2; NAN: none. */
struct newton_start {
    double error; /* distance of c */
    double curve; /* half of the second derivative over the first */
    double size;  /* size of a nucleus's component */
};

struct newton {
    mpfr_t cx, cy;
    struct newton_start estimate; /* for the current c */
    bool proven;
    double log2_disc; /* INFINITY: nothing is proven */
    int passes;
    /* At the root, as doubles: */
    struct complex_scaled slope;      /* d(z_n + z_m)/dc */
    struct complex_scaled bend;       /* half of its derivative */
    struct complex_scaled growth;     /* m = 0: dz_n/dz_1 = 2^(n-1) z_1 ... z_(n-1) */
    struct complex_scaled growth_dc;  /* m = 0: derivative of growth by c */
    struct complex_scaled multiplier; /* m > 0: that of the cycle, 2^p z_(m+1) ... z_n */
};

/* Begins at a c that lies nearer than 2^start.error, by an estimate, to the wanted root. */
void newton_begin(struct newton *newton, mpfr_srcptr cx, mpfr_srcptr cy, struct newton_start start);
void newton_end(struct newton *newton);

/* STATUS_STOPPED; STATUS_TOO_LARGE where it would need more than ORBIT_BITS_MOST; STATUS_BAD_DATA
 * where it does not converge. Blocks. */
enum status newton_refine(struct newton *newton, struct newton_equation equation,
                          const struct newton_goal *goal, const struct newton_options *options);

#endif
