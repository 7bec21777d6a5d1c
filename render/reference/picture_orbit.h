/* A reference orbit shared by many pictures near each other: that of the deepest serves them
 * all. */
#ifndef RENDER_REFERENCE_PICTURE_ORBIT_H
#define RENDER_REFERENCE_PICTURE_ORBIT_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/spec.h"
#include "render/reference/reference.h"
#include "render/view/view.h"

struct picture_orbit {
    const struct view *view;   /* view whose centre the orbit belongs to; borrowed */
    const struct orbit *orbit; /* borrowed */
    uint64_t number;           /* number of the orbit (struct reference) */
    double amplification; /* amplification of the errors of blocks, found by pictures nearby (struct
                             picture_reference); 0: each finds its own */
};

/* Nucleus (its period) at which the orbit of the centre of such a view would end; 0: none. */
int64_t picture_orbit_nucleus(const struct picture_orbit *other, const struct view *view,
                              const struct view_numbers *numbers);

/* Makes the orbit and the request for a picture of that view and spec; false: the shared orbit does
 * not serve it. nucleus: as above; -1: not known. *orbit is borrowed. */
bool picture_orbit_take(const struct picture_orbit *other, const struct view *view,
                        const struct view_numbers *numbers, const struct spec *spec,
                        int64_t nucleus, struct orbit *orbit, struct reference_request *request);

#endif
