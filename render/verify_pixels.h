/* The choice of the pixels of a picture that are proven. */
#ifndef RENDER_VERIFY_PIXELS_H
#define RENDER_VERIFY_PIXELS_H

#include "kernels/field.h"
#include "render/verify.h"

/* Sets x, y and what the picture has there for `count` samples: half of them evenly over the
 * picture, a quarter where counts change fastest and a quarter on the border of what does not
 * escape, or of the former kind where nothing is. `picture` has counts and fractions, in host
 * memory. The same seed takes the same pixels of the same picture. */
void verify_pixels(const struct field *picture, uint64_t seed, struct verify_sample *sample,
                   int count);

#endif
