/* The mean of samples that lie in the memory of rank 0's first device, which makes it there. */
#ifndef RENDER_DEVICE_LIGHT_DEVICE_H
#define RENDER_DEVICE_LIGHT_DEVICE_H

#include "render/colour/cells.h"
#include "render/colour/samples.h"
#include "render/device/device_set.h"

struct light_device {
    struct device_set *device_set; /* NULL: there is none */
    float (*mean)[3];              /* means of all pixels in its memory; with SAMPLES_AUTO the
                                      values that they are compared with follow */
};

/* Numbers of squares of a picture that take part; see render/colour/refine.h. */
struct light_squares {
    const uint32_t *list;
    uint32_t count;
};

/* Adds samples `sample`, sample + 1, ... of the whole picture, as light_add_all does; with none
 * nothing changes. out: host memory that becomes the mean; NULL: more samples are to come. Blocks;
 * one call at a time for a device set. */
enum status light_device_add(const struct light_device *device, const struct look *look,
                             const struct field *fields, int sample, int samples,
                             const struct light *light, float (*out)[3]);

/* Adds sample `sample` of the whole picture in some squares. Likewise. */
enum status light_device_add_squares(const struct light_device *device, const struct look *look,
                                     const struct field *field, int sample,
                                     const struct light_squares *squares,
                                     const struct light *light);

/* As cell_sheet_add does. Likewise. */
enum status light_device_add_sheet(const struct light_device *device, const struct look *look,
                                   const struct field *field, const struct cell_sheet *sheet,
                                   const struct cell_stage *stage,
                                   const struct sample_share *shares, const struct light *light);

/* Compares the mean with what was remembered, and remembers it. sums: of each square; NULL: only
 * remembers. Blocks; not beside those above. */
enum status light_device_compare(const struct light_device *device,
                                 const struct light_squares *squares, const struct light *light,
                                 struct colour_sums *sums);

#endif
