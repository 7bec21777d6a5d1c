/* The specification of what is computed at every pixel. Plain data; the same on every rank. */
#ifndef KERNELS_SPEC_H
#define KERNELS_SPEC_H

#include <stdint.h>

#include "kernels/formula.h"

/* The number type that the arithmetic of a pixel runs in. Chosen by the plan; ds, double-single
 * (kernels/escape/lanes_ds.h), only where it is asked for. */
enum number { NUMBER_FP32, NUMBER_FP64, NUMBER_DS, NUMBERS };

/* Interior short-cuts never change a count (tests hold that); off in some tests and benchmarks. */
enum shortcuts { SHORTCUTS_ON, SHORTCUTS_OFF };

/* The limit is an int64 so that loops over it can subtract; R^4 must be finite in fp32. */
#define SPEC_LIMIT_MAX INT64_MAX
#define SPEC_BAILOUT_MIN 2.0
#define SPEC_BAILOUT_MAX 1e9
#define SPEC_STRIPES_MAX 64
#define SPEC_TRAP_MAX 1e6 /* coordinates and radius of traps */

/* Raised with every change of a bit of any plane, colour or file: pictures that an older program
 * has begun are then not continued. */
enum { ARITHMETIC_VERSION = 9 };

/* What planes along orbits measure (kernels/escape/orbit_sums.h). */
struct orbit_rule {
    int32_t stripes; /* 1 ... SPEC_STRIPES_MAX */
    /* Centre of the traps, and radius of the circle. */
    double trap_re, trap_im, trap_radius;
};

struct spec {
    int64_t limit;           /* iterations, 1 ... SPEC_LIMIT_MAX */
    double bailout;          /* R, SPEC_BAILOUT_MIN ... SPEC_BAILOUT_MAX */
    unsigned planes;         /* mask of planes, see field.h; PLANE_MASK_END and
                                PLANE_MASK_ORBIT only in fp64 */
    int count_bytes;         /* 4 if limit < 2^32, else 8 */
    struct orbit_rule orbit; /* for PLANE_MASK_ORBIT */
    enum number number;
    enum shortcuts shortcuts;
    struct formula formula; /* zeroed: z^2 + c, the pixel is c */
};

#endif
