/* How much a film changes from frame to frame beyond its motion: the mean absolute difference in
 * lightness L* (CIE 1976, 0 ... 100) between a frame and the one before, warped to where it lies in
 * the new view. Flicker of colours is a spike in it. Measured in means of squares, at most
 * CHANGE_WIDTH of them in a row. */
#ifndef RENDER_FILM_FILM_CHANGE_H
#define RENDER_FILM_FILM_CHANGE_H

#include <stdint.h>

#include "kernels/status.h"
#include "render/view/view.h"

enum { CHANGE_WIDTH = 160 };

struct film_change {
    int32_t width, height; /* of the means, ... */
    int32_t side_px;       /* ... each of a square of the frame */
    int32_t frame_width, frame_height;
    float *before, *now; /* [height][width], L*; owned */
    struct view view;    /* of `before` */
    int64_t frame;       /* number of `before`; < 0: none */
    int threads;         /* that make means; 1, unless the caller has more */
};

enum status film_change_open(struct film_change *change, int32_t width, int32_t height);
void film_change_close(struct film_change *change); /* accepts a zeroed one */

/* The next frame, [height][width] of light. NAN where the frame before is not the last one. */
enum status film_change_add(struct film_change *change, const float (*light)[3],
                            const struct view *view, int64_t frame, double *difference);

#endif
