/* The cost of each part of a picture, in iterations, by a pass of a device over few pixels that a
 * forecast is made from. */
#ifndef RENDER_DEVICE_COST_MAP_H
#define RENDER_DEVICE_COST_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/backend.h"
#include "kernels/spec.h"

enum { COST_SAMPLE_PX = 8 }; /* side of the square of a sample: one pixel of 64 */

/* Computes the planes of a spec for a grid, adding to *iterations. */
struct cost_device {
    const struct spec *spec;
    void *context;
    enum status (*compute)(void *context, const struct grid *grid, struct field *out,
                           uint64_t *iterations);
};

/* The coarse pass, the pixel in the middle of every square of COST_SAMPLE_PX pixels, can be shared
 * out in parts: each is [cost_part] iterations of pixels, in an order that cost_join knows. */
size_t cost_part(const struct grid *whole, int parts);

/* *iterations: what it took, added. */
enum status cost_samples(const struct cost_device *device, const struct grid *whole, int part,
                         int parts, float *samples, uint64_t *iterations);

/* All parts, one behind the other and so many bytes apart, become `cost` [rows][columns]. */
void cost_join(const struct grid *whole, int parts, const float *samples, size_t apart,
               float *cost);

#endif
