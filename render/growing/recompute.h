/* One pixel of a picture computed again, alone and on this processor, for comparing: the same
 * arithmetic as the picture's, bit for bit, in the plainest way; and with z, which no field keeps.
 */
#ifndef RENDER_GROWING_RECOMPUTE_H
#define RENDER_GROWING_RECOMPUTE_H

#include <stdint.h>

#include "kernels/spec.h"
#include "render/plan/plan.h"
#include "render/reference/reference.h"
#include "render/view/view.h"

struct recomputed {
    int64_t count;
    double z_re, z_im;       /* z after the steps asked for, escaped before or not */
    double last_re, last_im; /* the z before, of a formula that divides or converges */
};

struct recompute { /* what the pixels of a picture share; read only */
    struct view_numbers numbers;
    struct spec spec;
    struct deep deep; /* of perturbation */
    struct recomputed (*pixel)(const struct recompute *picture, int32_t x, int32_t y, int64_t at);
};

/* For a picture by this method, with the reference that it was made with (borrowed); by direct
 * iteration `kept` is not read. recompute_close also after a failure. */
enum status recompute_open(struct recompute *picture, const struct view *view,
                           const struct spec *spec, enum method method,
                           const struct kept_reference *kept, const volatile int *stop);

/* Pixel (x, y), with z after `at` steps; 0: no z is wanted. Any thread. */
struct recomputed recompute_pixel(const struct recompute *picture, int32_t x, int32_t y,
                                  int64_t at);

void recompute_close(struct recompute *picture); /* accepts a zeroed one */

#endif
