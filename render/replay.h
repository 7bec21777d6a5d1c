/* What does one pixel of a picture come to when it is computed again, alone, on this processor? The
 * same arithmetic as the picture's, bit for bit, in the plainest way; and with z, which no field
 * keeps. */
#ifndef RENDER_REPLAY_H
#define RENDER_REPLAY_H

#include <stdint.h>

#include "decomposition/world.h"
#include "kernels/spec.h"
#include "render/plan.h"
#include "render/reference.h"
#include "render/view.h"

struct replay {
    int64_t count;
    double z_re, z_im; /* z after the steps asked for, escaped before or not */
};

struct replayer {
    struct view_numbers numbers;
    struct spec spec;
    struct reference reference; /* of perturbation; its own, made as the picture's was, */
    struct deep deep;           /* and its blocks */
    struct replay (*pixel)(const struct replayer *replayer, int32_t x, int32_t y, int64_t at);
};

/* For pictures by this plan. STATUS_STOPPED when `stop`, which may be NULL, becomes non-zero while
 * a reference is made. replayer_close also after a failure. */
enum status replayer_open(struct replayer *replayer, const struct view *view,
                          const struct spec *spec, const struct plan *plan, enum blocks blocks,
                          const struct world *world, const volatile int *stop);

/* Pixel (x, y), with z after `at` steps; 0: no z is wanted. Any thread. */
struct replay replay_pixel(const struct replayer *replayer, int32_t x, int32_t y, int64_t at);

void replayer_close(struct replayer *replayer); /* accepts a zeroed one */

#endif
