/* What do the ranks need for a picture by perturbation? The reference orbit of its centre, made on
 * rank 0 and sent to all, and the blocks that each rank builds from it. */
#ifndef RENDER_REFERENCE_H
#define RENDER_REFERENCE_H

#include <stdbool.h>

#include "decomposition/world.h"
#include "kernels/orbit/orbit.h"
#include "render/crew.h"
#include "render/view.h"

struct reference {
    struct orbit orbit; /* on rank 0; elsewhere what is needed of it, in `bytes` */
    void *bytes;        /* as it came from rank 0; owned */
};

/* What a pixel of the picture adds to the reference's c, at any depth. */
struct grid reference_grid(const struct view_numbers *numbers, int32_t x, int32_t y, int32_t width,
                           int32_t height);

/* Rank 0: the orbit of the view's centre. STATUS_STOPPED when `stop` becomes non-zero, which may be
 * NULL; STATUS_TOO_LARGE, figures shown, when it takes more than this rank's share of a quarter of
 * the memory that is free. */
enum status reference_make(struct reference *reference, const struct view *view,
                           const struct view_numbers *numbers, const struct spec *spec,
                           const struct world *world, const volatile int *stop);

/* The orbit to every rank. Collective, in which every rank returns the same status. */
enum status reference_share(struct reference *reference, struct world *world);

/* The blocks, for pixels within accuracy_px, on every device of the crew. Of a long orbit short
 * ones are left out until they fit into 1 GiB. It is not the free memory that decides, because
 * pixels would then have other last bits on other ranks. The crew borrows the orbit until
 * crew_deep_close. */
enum status reference_open(const struct reference *reference, struct crew *crew,
                           const struct view_numbers *numbers, const struct spec *spec,
                           double accuracy_px, const volatile int *stop);

void reference_close(struct reference *reference); /* accepts a zeroed one */

#endif
