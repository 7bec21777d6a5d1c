/* The mean of samples that lie in the memory of rank 0's first device, which makes it there. */
#ifndef RENDER_LIGHT_DEVICE_H
#define RENDER_LIGHT_DEVICE_H

#include "render/device_set.h"
#include "render/samples.h"

struct light_device {
    struct device_set *device_set; /* NULL: there is none */
    float (*mean)[3];              /* in its memory, for all pixels */
};

/* Adds samples `sample`, sample + 1, ... of the whole picture, as light_add_all does; with none
 * nothing changes. out: host memory that becomes the mean; NULL: more samples are to come. Blocks;
 * one call at a time for a device set. */
enum status light_device_add(const struct light_device *device, const struct look *look,
                             const struct field *fields, int sample, int samples,
                             const struct light *light, float (*out)[3]);

#endif
