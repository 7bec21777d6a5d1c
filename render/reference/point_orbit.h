/* The orbit of one point of a view, as far as it is drawn, and what it comes to: at any depth,
 * since it is followed with as many digits as the view has. */
#ifndef RENDER_REFERENCE_POINT_ORBIT_H
#define RENDER_REFERENCE_POINT_ORBIT_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/formula.h"
#include "kernels/orbit/ray.h"
#include "kernels/status.h"
#include "render/view/view.h"

enum { POINT_ORBIT_MOST = 10000 };

struct point_orbit_request {
    const struct view *view; /* borrowed */
    struct formula formula;
    double x, y; /* pixels */
    const volatile int *stop;
};

struct point_orbit {
    struct orbit_point z[POINT_ORBIT_MOST + 1]; /* z_0, ... */
    int count;                                  /* of them; fewer if it escapes */
    int64_t escape;        /* n with |z_n|^2 > 8; 0: not among the steps that were taken */
    int period;            /* of the cycle that it comes to; 0: not seen */
    double multiplier;     /* of that cycle, its size: < 1 attracts */
    double log2_potential; /* of a point that escapes */
    bool has_angle;        /* of a shallow view: the external ray through the point */
    struct ray ray;
};

/* Blocks for some milliseconds, longer in views of thousands of digits. */
enum status point_orbit_make(const struct point_orbit_request *request, struct point_orbit *orbit);

#endif
