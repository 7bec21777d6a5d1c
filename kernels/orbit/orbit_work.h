/* An orbit between two steps: its state at full precision, and the tests that end it. For the
 * sources of this folder. */
#ifndef KERNELS_ORBIT_ORBIT_WORK_H
#define KERNELS_ORBIT_ORBIT_WORK_H

#include <mpfr.h>

#include "kernels/orbit/fixed.h"
#include "kernels/orbit/formula_orbit.h"
#include "kernels/orbit/nucleus.h"
#include "kernels/orbit/orbit.h"

enum stage {
    STAGE_FIXED,   /* |z|^2 <= FIXED_NORM_MAX */
    STAGE_TAIL,    /* beyond: it escapes in a few steps of MPFR, as large as the radius may be */
    STAGE_FORMULA, /* any formula, from the first step to the last */
    STAGE_CUT      /* the first points of a longer orbit (orbit_state.h): it cannot go on */
};

struct work {
    struct orbit_options options; /* bits: those held */
    enum stage stage;
    struct fixed fixed;
    mpfr_t cx, cy, x, y, xx, yy; /* z in the tail only */
    struct nucleus nucleus;
    struct formula_numbers formula; /* of STAGE_FORMULA */
    struct orbit_point *point;
    struct orbit_tiny *tiny;
    struct orbit_point *tape; /* as many steps as points */
    struct orbit_small *small;
    int64_t capacity, tiny_capacity, small_capacity;
    int64_t seen;     /* index of the point remembered for cycles (Brent), */
    int64_t next;     /* and of the next one to be remembered */
    int threads;      /* 1, or as many as a team has */
    double step_s[2]; /* of one thread, of the team; 0: not tried */
    int batches;      /* since the last trial */
};

/* Judge the last point, as long as the orbit is within STAGE_FIXED and has not ended. */
void orbit_watch_nucleus(struct orbit *orbit, const struct orbit_point *point);
void orbit_watch_cycle(struct orbit *orbit, const struct orbit_point *point);

/* z_0 of the same orbit, without a disc, for one thread. orbit_destroy also after a failure. */
enum status orbit_create_again(struct orbit *again, const struct orbit *orbit);

#endif
