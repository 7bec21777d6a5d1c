/* How fast is a reference orbit, beside the plain loop in MPFR?
 *
 * One thread, all threads and MPFR's three squares take turns on the same centre, so that another
 * load on the machine meets all three. All keep the points as doubles and look for escape. */
#ifndef RENDER_BENCH_ORBIT_H
#define RENDER_BENCH_ORBIT_H

#include "kernels/status.h"

struct bench_orbit_row {
    long bits;
    int steps;                           /* of one measurement */
    int threads;                         /* that the orbit with all threads took in the end */
    double one_s, all_s, mpfr_s;         /* of one step; medians */
    double faster_by_one, faster_by_all; /* medians of MPFR's time over ours of the same turn */
    double goal;                         /* for faster_by_one */
    double of_goal;                      /* goal / faster_by_one; 1 or less reaches it */
};

struct bench_orbit_options {
    int threads;              /* 0 = all */
    int repeats;              /* odd */
    const volatile int *stop; /* may be NULL */
};

/* Calls `row` for 256, 1024, 4096, 16384 and 65536 bits. Blocks for about five seconds. */
enum status bench_orbit(const struct bench_orbit_options *options,
                        void (*row)(void *context, const struct bench_orbit_row *row),
                        void *context);

#endif
