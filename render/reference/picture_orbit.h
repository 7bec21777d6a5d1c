/* A reference orbit for many pictures near each other: that of the deepest serves them all. */
#ifndef RENDER_REFERENCE_PICTURE_ORBIT_H
#define RENDER_REFERENCE_PICTURE_ORBIT_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/spec.h"
#include "render/reference/reference.h"
#include "render/view/view.h"

struct picture_orbit {
    const struct view *view;   /* whose centre it is of; borrowed */
    const struct orbit *orbit; /* borrowed */
    uint64_t number;           /* of the orbit (struct reference) */
    double amplification;      /* of the errors of blocks, as pictures nearby have found it (struct
                                  picture_reference); 0: each finds its own */
};

/* At which nucleus would the orbit of the centre of such a view end? 0: at none. */
int64_t picture_orbit_nucleus(const struct picture_orbit *other, const struct view *view,
                              const struct view_numbers *numbers);

/* The orbit and what is asked of it, for a picture of that view and spec; false: the orbit of the
 * others does not serve it. nucleus: as above; -1: not known. *orbit is borrowed. */
bool picture_orbit_take(const struct picture_orbit *other, const struct view *view,
                        const struct view_numbers *numbers, const struct spec *spec,
                        int64_t nucleus, struct orbit *orbit, struct reference_request *request);

#endif
