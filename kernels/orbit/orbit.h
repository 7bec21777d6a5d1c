/* The reference orbit of a view's centre, of any formula and plane, at any precision, kept as the
 * doubles that perturbation wants, until one of five things is true. In the parameter plane z_0 = 0
 * and c is the centre; in the dynamic plane z_0 is the centre, and the orbit of 0 with the same c,
 * which is what pixels rebase on there, comes with it. So do the orbits of 0 that begin with the
 * other lists of an own formula.
 *
 * - Limit: the limit's steps are done. orbit_extend goes on from there.
 * - Escaped: |z_n| is larger than the radius. z_n is the last point.
 * - Cycle: the state of the computation is, bit for bit, that of `period` steps ago. So it repeats
 *   for ever, which is a theorem about this arithmetic: z_length is z_(length - period).
 * - Nucleus: there is exactly one c' with z_period(c') = 0 in the disc about c that was named, and
 *   z_period is the last point (nucleus.h has the proof). Pixels of the disc that come to the end
 *   rebase on z_0; what rounding adds there is no more than what rounding their c does.
 * - Over: by Newton's method, |z_n - z_(n-1)| <= 1 / radius, or z_(n+1) is infinite; of magnets,
 *   |z_n - 1| <= 1 / radius.
 *
 * Accuracy: each step is within 2^-bits of the exact z^2 + c in each part. An error of one step is
 * the same as another c, by error / |dz_n/dc|, so with bits = log2(limit / pixel step) + 30 the
 * whole orbit is that of a point less than 2^-29 pixels from the centre, as long as |dz_n/dc| is
 * not below 1. The doubles are the nearest ones to the numbers held; a part that is subnormal may
 * be off by one unit. They are the same for every number of threads, and on every machine; and for
 * every number of bits that takes as many limbs, so that views less than a zoom of 2^64 apart
 * mostly have the same orbit.
 *
 * That is z^2 + c in the parameter plane, in fixed point. Every other orbit (formula_orbit.h) is in
 * floating point of that many bits, so both parts have their own relative accuracy, small[] says
 * those that are below the doubles, and the tape has what a fold in the middle of a step is done
 * to. No nucleus ends it.
 *
 * A short cycle is kept for several rounds, so that blocks of ORBIT_ROUND steps fit into them:
 * cycles end the orbits of Misiurewicz points that few digits name (c = i, c = -2), most orbits of
 * Julia sets, and the orbit of 0 where pixels are attracted. */
#ifndef KERNELS_ORBIT_ORBIT_H
#define KERNELS_ORBIT_ORBIT_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/formula.h"
#include "kernels/status.h"

enum {
    ORBIT_BITS_LEAST = 16,
    ORBIT_BITS_MOST = 1 << 23, /* 2.5 million decimal places */
    ORBIT_GUARD_BITS = 30,
    ORBIT_FOLD_BITS = 34, /* added where a formula is not holomorphic, or has up to 64 operations */
    ORBIT_ROUND = 1024    /* a power of two */
};
#define ORBIT_RADIUS_MAX 1e100
#define ORBIT_TINY 0x1p-500 /* below it squares, and soon the number, leave the range of double */

/* ORBIT_FROM_ZERO: the orbit of 0 alone. */
enum orbit_start { ORBIT_FROM_PLANE, ORBIT_FROM_ZERO };
enum orbit_end { ORBIT_LIMIT, ORBIT_ESCAPED, ORBIT_CYCLE, ORBIT_NUCLEUS, ORBIT_OVER };

struct orbit_point {
    double x, y;
};

/* z_index = (x + i y) 2^exponent, of a point both parts of which are below ORBIT_TINY; the larger
 * of |x|, |y| is in [1/2, 1), or both are 0. */
struct orbit_tiny {
    int64_t index, exponent;
    double x, y;
};

/* A value of an orbit of any formula that has a part other than 0 below ORBIT_TINY, or by Newton's
 * method one beyond 1 / ORBIT_TINY: x 2^x_exponent + i y 2^y_exponent, |x| and |y| in [1/2, 1) or
 * 0. */
struct orbit_small {
    int64_t index;
    int32_t slot; /* ORBIT_POINT: z_index; else of the tape of the step from there */
    int32_t zero; /* so that no byte is of any value */
    double x, y;
    int64_t x_exponent, y_exponent;
};
enum { ORBIT_POINT = -1 };

struct orbit_options {
    struct formula formula; /* zeroed: z^2 + c, parameter plane */
    enum orbit_start start;
    int phase; /* list of an own formula that takes the step from z_0 */
    long bits;
    double log2_step;   /* pixel step; read for points of the dynamic plane alone */
    double radius;      /* > 0; a pixel escapes before a reference that goes on to 100 times R, and
                           rests before one that goes on to 1/100 of 1/R */
    double log2_disc;   /* radius of the disc for `nucleus`; -INFINITY: none */
    int threads;        /* most that are used, where a trial shows that they pay; 0: all */
    uint64_t bytes_max; /* most that the points of each may take; 0: no bound */
    const volatile int *stop; /* non-zero: give up with STATUS_STOPPED; may be NULL */
    void (*progress)(void *context, int64_t done, int64_t limit); /* steps; may be NULL */
    void *context;
};

struct orbit { /* read only */
    struct formula formula;
    int phase; /* phase of the step from z_0; for Nova k of the root e^(2 pi i k / n) that z_0 is;
                  for magnets 1 if z_0 is 1 - c, else 0 */
    struct orbit_point c;          /* rounded */
    const struct orbit_point *z;   /* z_0 ... z_(length - 1), for loads of 16 bytes */
    const struct orbit_tiny *tiny; /* by rising index; z_0 is not among them */
    int64_t length, tiny_count;
    /* The tape, [length - 1][tape_width], one step more of a cycle: the values before the
     * operations that formula_tape names. For Nova z_n less the root of z^n = 1 next to it. For
     * magnets, whose z is z - 1 here, MAGNET_B, z - 1 + c, and MAGNET_G, the g that the next z is
     * the square of. None of z^2 + c in its parameter plane. small: by rising index and slot,
     * values with a part below the doubles' range. */
    const struct orbit_point *tape;
    int tape_width;
    const struct orbit_small *small;
    int64_t small_count;
    enum orbit_end end;
    int64_t period;          /* period of a cycle or nucleus, else 0 */
    int64_t shortest;        /* a cycle's period before rounds were added; else 0 */
    int64_t closed;          /* its length before that */
    long bits;               /* bits held: those of the options, or all of the last limb */
    int threads;             /* threads that took the last steps */
    struct orbit_work *work; /* the state at full precision */
    /* The next of the other orbits that pixels rebase on, for as many steps; owned. They begin at
     * 0, of a point of the dynamic plane in all phases, else in those from 1 on. NULL: no more. */
    struct orbit *critical;
};

/* Orbits that a picture of this formula takes: formula_critical_orbits, and in the dynamic plane
 * that of the view's centre; and the bytes of a point of each, with its tape. */
int orbit_count(const struct formula *formula);
size_t orbit_point_bytes(const struct formula *formula);

/* Bits for `limit` steps at a pixel step of 2^log2_step: log2(limit / step) + ORBIT_GUARD_BITS.
 * STATUS_TOO_LARGE beyond ORBIT_BITS_MOST. */
enum status orbit_bits(double log2_step, int64_t limit, long *bits);

/* How many bits should an orbit from a point of the dynamic plane have had, so that its errors stay
 * below 2^-ORBIT_GUARD_BITS pixels all along it? 0: it has them, or four times as many as a pixel
 * step takes; where orbits of a view come closer than that, all of it is inside. */
long orbit_bits_short(const struct orbit *orbit);

/* An orbit of z_0 alone about the centre that two decimal texts name (of ORBIT_FROM_ZERO in the
 * dynamic plane they are not read), and those of 0 that belong to it. STATUS_BAD_DATA for texts
 * that are no numbers, STATUS_TOO_LARGE for more than ORBIT_BITS_MOST. orbit_destroy also after a
 * failure. */
enum status orbit_create(struct orbit *orbit, const struct orbit_options *options, const char *re,
                         const char *im);

/* Goes on until `limit` steps are done or the orbit ends. Polls `stop` in each step. After
 * STATUS_STOPPED, and after STATUS_TOO_LARGE or STATUS_OUT_OF_MEMORY (figures shown), what there is
 * holds, and another call goes on. Calls of one orbit must follow each other. Borrowed pointers of
 * *orbit change. */
enum status orbit_extend(struct orbit *orbit, int64_t limit);

/* At which point would the orbit have ended with a nucleus, had the disc about c been one of
 * 2^log2_disc? 0: at none that is there, or it is not of z^2 + c in the parameter plane. So many
 * steps of an orbit serve the pixels of that disc as the orbit that is made for it. */
int64_t orbit_nucleus(const struct orbit *orbit, double log2_disc);

void orbit_destroy(struct orbit *orbit); /* accepts a zeroed one */

#endif
