/* One pixel of a picture computed again, alone and on this processor, for comparison: the same
 * arithmetic as the picture's, bit for bit, in the plainest code; and with z, which fields do not
 * have. */
#ifndef RENDER_GROWING_RECOMPUTE_H
#define RENDER_GROWING_RECOMPUTE_H

#include <stdint.h>

#include "kernels/spec.h"
#include "render/plan/plan.h"
#include "render/reference/reference.h"
#include "render/view/view.h"

struct recomputed {
    int64_t count;
    double z_re, z_im;       /* z after the requested steps, whether or not it escaped before */
    double last_re, last_im; /* z of the step before, of a formula that divides or converges */
};

struct recompute { /* data that the pixels of a picture share; read only */
    struct view_numbers numbers;
    struct spec spec;
    struct deep deep; /* blocks of perturbation */
    struct recomputed (*pixel)(const struct recompute *picture, int32_t x, int32_t y, int64_t at);
};

/* Opens a picture that was computed by this method, with its reference (borrowed); direct iteration
 * does not read `kept`. recompute_close also after a failure. */
enum status recompute_open(struct recompute *picture, const struct view *view,
                           const struct spec *spec, enum method method,
                           const struct kept_reference *kept, const volatile int *stop);

/* Computes pixel (x, y), with z after `at` steps; 0: no z is wanted. Thread: any. */
struct recomputed recompute_pixel(const struct recompute *picture, int32_t x, int32_t y,
                                  int64_t at);

void recompute_close(struct recompute *picture); /* accepts a zeroed one */

#endif
