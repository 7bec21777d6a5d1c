/* The mean of linear light over a rectangle of a frame. */
#ifndef RENDER_MOTION_LIGHT_MEAN_H
#define RENDER_MOTION_LIGHT_MEAN_H

#include <stdint.h>

/* Computes the mean of `columns` x `rows` pixels from (x, y) on, at least one; `light` is
 * [height][width]. Relative error below 1e-5. Thread: any. */
void light_mean(const float (*light)[3], int32_t width, int32_t x, int32_t y, int32_t columns,
                int32_t rows, double mean[3]);

#endif
