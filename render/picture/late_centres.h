/* The centres of a picture whose samples lie on rank 0's device, on their way to host memory while
 * further samples are computed. Rank 0. */
#ifndef RENDER_PICTURE_LATE_CENTRES_H
#define RENDER_PICTURE_LATE_CENTRES_H

#include "render/device/background.h"
#include "render/device/renderer.h"

struct late_centres { /* zeroed: none are wanted */
    struct renderer *renderer;
    struct field host, device;
    struct background *background; /* NULL: not begun */
    enum status status;            /* status of the copy, with its sentence in `why` */
    char why[STATUS_TEXT_BYTES];
};

/* Fetches the pixels that a distribution is measured by (distribution_subgrid). */
enum status late_centres_open(struct late_centres *centres, struct renderer *renderer,
                              const struct field *host, const struct field *device);

/* Begins with all others, unless it has begun. */
void late_centres_begin(struct late_centres *centres);

/* Waits until all centres are in host memory. */
enum status late_centres_wait(struct late_centres *centres);

void late_centres_close(
    struct late_centres *centres); /* also before the end; accepts a zeroed one */

#endif
