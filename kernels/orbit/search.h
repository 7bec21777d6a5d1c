/* The lowest period in a box of parameters, along a reference orbit near it.
 *
 * The ball method says of a disc, to first order, which z_n first has a zero in it. It holds only
 * as long as the disc's image is nearly round, so a box is searched as one disc, then as 2 x 2
 * discs, 4 x 4 and so on, each about a c of its own whose orbit is followed as a difference to the
 * reference. Newton's method in doubles then says where in the box the root lies, to some 2^-40 of
 * the box: a beginning for newton.h.
 *
 * For Misiurewicz points the disc about z_n is compared with all -z_m before it. */
#ifndef KERNELS_ORBIT_SEARCH_H
#define KERNELS_ORBIT_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/orbit/newton.h"
#include "kernels/orbit/orbit.h"
#include "kernels/orbit/scaled.h"
#include "kernels/status.h"

enum search_kind { SEARCH_NUCLEUS, SEARCH_MISIUREWICZ };

struct search_box { /* all c = the orbit's c + middle + s right + t up, |s|, |t| <= 1 */
    struct complex_scaled middle, right, up;
};

struct search_options {
    enum search_kind kind;
    int64_t limit; /* largest n */
    int threads;   /* 0: all */
    const volatile int *stop;
    void (*progress)(void *context, double share); /* share if nothing is found; or NULL */
    void *context;
};

struct search_root {
    bool found;
    struct newton_equation equation;
    struct complex_scaled h; /* from the orbit's c */
    struct newton_start start;
};

/* The nucleus of the lowest period in the box; of several, that nearest to the middle. The
 * Misiurewicz point of the lowest period, of those whose spirals are seen there. found is false
 * where none is found: a box may hold one all the same, which the discs were too large for.
 * STATUS_STOPPED, STATUS_OUT_OF_MEMORY. */
enum status search_box(const struct orbit *orbit, const struct search_box *box,
                       const struct search_options *options, struct search_root *root);

/* The root of one equation that Newton's method comes to from the middle of the box. */
enum status search_newton(const struct orbit *orbit, const struct search_box *box,
                          struct newton_equation equation, const volatile int *stop,
                          struct search_root *root);

/* Is orbit's c + h in the box? *from_middle is 0 ... 1 from the middle to the sides. */
bool search_box_has(const struct search_box *box, struct complex_scaled h, double *from_middle);

/* log2 of half the box's diagonal. */
double search_log2_radius(const struct search_box *box);

#endif
