/* The orbit of one point of a view, as far as it is drawn, with its cycle or escape; at any depth,
 * since it is computed with as many digits as the view has. */
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
    double x, y; /* position in the view, pixels */
    const volatile int *stop;
};

struct point_orbit {
    struct orbit_point z[POINT_ORBIT_MOST + 1]; /* z_0, ... */
    int count;                                  /* number of points; fewer if the orbit escapes */
    int64_t escape;        /* n with |z_n|^2 > 8; 0: did not escape in these steps */
    int period;            /* period of the cycle that it comes to; 0: none found */
    double multiplier;     /* absolute value of the multiplier of that cycle: < 1 attracts */
    double log2_potential; /* log2 of the potential of a point that escapes */
    bool has_angle;        /* shallow views: the external ray through the point is known */
    struct ray ray;
};

/* Computes the orbit. Blocks for some milliseconds, longer in views of thousands of digits. */
enum status point_orbit_make(const struct point_orbit_request *request, struct point_orbit *orbit);

#endif
