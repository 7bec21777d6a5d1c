/* Measure of a film's change from frame to frame beyond its motion: the mean absolute difference in
 * lightness L* (CIE 1976, 0 ... 100) between a frame and the one before, warped to where it lies in
 * the new view. Flicker of colours shows as a spike. Measured in means of squares, at most
 * CHANGE_WIDTH of them in a row. */
#ifndef RENDER_FILM_FILM_CHANGE_H
#define RENDER_FILM_FILM_CHANGE_H

#include <stdint.h>

#include "kernels/status.h"
#include "render/view/view.h"

enum { CHANGE_WIDTH = 160 };

struct film_change {
    int32_t width, height; /* number of means in a row, and of rows */
    int32_t side_px;       /* side of the square of each mean */
    int32_t frame_width, frame_height;
    float *before, *now; /* [height][width], L*; owned */
    struct view view;    /* view of `before` */
    int64_t frame;       /* number of `before`; < 0: none */
    int threads;         /* threads that compute means; 1, unless the caller has more */
};

enum status film_change_open(struct film_change *change, int32_t width, int32_t height);
void film_change_close(struct film_change *change); /* accepts a zeroed one */

/* Adds the next frame, [height][width] of light. *change is NAN where the frame before is
 * missing. */
enum status film_change_add(struct film_change *change, const float (*light)[3],
                            const struct view *view, int64_t frame, double *difference);

#endif
