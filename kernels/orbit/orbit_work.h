/* An orbit between two steps: its state at full precision, and the tests that end it. For the
 * sources of this folder. */
#ifndef KERNELS_ORBIT_ORBIT_WORK_H
#define KERNELS_ORBIT_ORBIT_WORK_H

#include <mpfr.h>

#include "kernels/orbit/fixed.h"
#include "kernels/orbit/formula_orbit.h"
#include "kernels/orbit/nucleus.h"
#include "kernels/orbit/orbit.h"
#include "kernels/orbit/device/orbit_device.h"
#include "kernels/orbit/orbit_state.h"

enum stage {
    STAGE_FIXED,   /* |z|^2 <= FIXED_NORM_MAX */
    STAGE_TAIL,    /* beyond: it escapes in a few steps of MPFR, whatever the radius */
    STAGE_FORMULA, /* any formula, from the first step to the last */
    STAGE_CUT      /* the first points of a longer orbit (orbit_state.h): it cannot go on */
};

struct device_steps; /* device_steps.h */

struct orbit_work {
    struct orbit_options options; /* with the bits that are held */
    enum stage stage;
    struct fixed fixed;
    mpfr_t cx, cy, x, y, xx, yy; /* z in the tail only */
    struct nucleus nucleus;
    struct formula_numbers formula; /* open in STAGE_FORMULA */
    struct orbit_point *point;
    struct orbit_tiny *tiny;
    struct orbit_point *tape; /* as many steps as points */
    struct orbit_small *small;
    int64_t capacity, tiny_capacity, small_capacity;
    int64_t seen;     /* index of the point remembered for cycles (Brent) */
    int64_t next;     /* index of the next one to be remembered */
    int threads;      /* 1, or as many as a team has */
    double step_s[2]; /* seconds of a step by one thread, by the team; 0: not tried */
    int batches;      /* batches since the last trial */
    struct orbit_device device_asked;
    struct device_steps *device; /* NULL: not tried yet */
};

/* Is the state in floating point? */
static inline bool is_formula(const struct orbit *orbit)
{
    return orbit->work->stage == STAGE_FORMULA;
}

/* Limbs of a number of the state. */
static inline int64_t limbs_of(const struct orbit *orbit)
{
    return is_formula(orbit) ? (orbit->bits + 63) / 64 : orbit->work->fixed.limbs;
}

/* Judge the last point, as long as the orbit is within STAGE_FIXED and has not ended. */
void orbit_watch_nucleus(struct orbit *orbit, const struct orbit_point *point);
void orbit_watch_cycle(struct orbit *orbit, const struct orbit_point *point);

/* Makes room for one more step, before that, which could not be undone. */
enum status orbit_room_make(struct orbit *orbit, int64_t limit);

/* Stores the state's z, which is new, and decides whether the orbit ends there. */
void orbit_point_take(struct orbit *orbit);

/* The same of a point whose z is not that of the state, as long as orbit_point_needs does not say
 * that it must be. differs: it is known not to be the remembered z. */
bool orbit_point_needs(const struct orbit *orbit, struct orbit_point point, bool differs);
void orbit_point_judge(struct orbit *orbit, struct orbit_point point);

/* orbit_extend without rounds of cycles, of one orbit. */
enum status orbit_go_on(struct orbit *orbit, int64_t limit);

/* Steps that an orbit of `length` points has taken: one without a point behind them closes a cycle,
 * or ends an orbit that is over because its result is no number. */
int64_t orbit_steps(const struct orbit *orbit, int64_t length);

/* How does an orbit of STAGE_FORMULA end at a number that it came to from `last`? ORBIT_LIMIT: it
 * goes on. */
enum orbit_end orbit_formula_end(const struct orbit *orbit, struct orbit_point point,
                                 struct orbit_point last);

/* Numbers of a state (orbit_state.h): those of z, or of the remembered z. orbit_numbers_are: are
 * they the saved ones, bit for bit? orbit_numbers_take: replaces those of z, or of the remembered
 * z. */
enum orbit_numbers { NUMBERS_OF_Z = 0, NUMBERS_SEEN = 2 };
bool orbit_numbers_are(const struct orbit *orbit, const struct orbit_return *from,
                       enum orbit_numbers which);
void orbit_numbers_take(struct orbit *orbit, enum orbit_numbers to, const struct orbit_return *from,
                        enum orbit_numbers which);

/* Are all points, lists and rows of the tape that are needed for the limit consistent? */
bool orbit_values_hold(const struct orbit *orbit, const struct orbit_return *from, int64_t limit);

/* z_0 of the same orbit, without a disc, for one thread. orbit_destroy also after a failure. */
enum status orbit_create_again(struct orbit *again, const struct orbit *orbit);

#endif
