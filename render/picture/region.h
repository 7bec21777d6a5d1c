/* A region of a picture: pixels of the whole picture's grid, with the bits that they have there. */
#ifndef RENDER_PICTURE_REGION_H
#define RENDER_PICTURE_REGION_H

#include <stdbool.h>

#include "render/view/description.h"

/* Pixels that are wanted: the region, or all. Pure. */
struct tile region_wanted(const struct picture *picture);

/* Pixels that are computed for them: more where samples of neighbours reach into the region, and no
 * less than the distribution of the whole picture needs; its sides lie between squares of adaptive
 * sampling (render/colour/refine.h), or where the image ends. Pure. */
struct tile region_computed(const struct picture *picture);

/* Is less than the image computed? Pure. */
bool region_is_part(const struct view_numbers *view);

#endif
