/* The mean of the colours of samples, on rank 0: fields are added while the next are computed. */
#ifndef RENDER_PICTURE_AVERAGE_H
#define RENDER_PICTURE_AVERAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/field.h"
#include "kernels/status.h"
#include "render/colour/cells.h"
#include "render/colour/colour.h"
#include "render/device/background.h"
#include "render/device/light_device.h"

struct average_options {
    int32_t width, height;
    bool adapts;                   /* squares get more samples where these differ */
    int samples;                   /* samples of the whole picture */
    struct background *background; /* thread that adds; NULL: the caller's */
    const volatile int *stop;      /* non-zero: average_end fails soon; may be NULL */
    struct light_device device;    /* zeroed: fields lie in host memory */
};

/* Squares that get more samples. */
struct sample_squares {
    uint32_t *number, count; /* number: freed by the caller */
};

struct average;

/* The look is borrowed. STATUS_OUT_OF_MEMORY; *average is to be ended also after a failure. */
enum status average_open(struct average **average, const struct average_options *options,
                         const struct look *look);

/* Adds fields of the whole picture, samples `sample`, ...; `parts`: only the pixels of squares that
 * take part. They must stay as they are until the next but one is added. */
void average_take_whole(struct average *average, const struct field *fields, int sample,
                        int samples, bool parts);

/* Adds a sheet of cells. What is borrowed must stay until average_wait. */
void average_take_cells(struct average *average, const struct field *field,
                        const struct cell_sheet *sheet, const struct cell_stage *stage,
                        const struct sample_share *shares);

/* Counts so many samples of each square that takes part, which come as cells. */
void average_count_squares(struct average *average, int samples);

/* After a stage of so many samples: the squares of the next one; none where no square needs it. The
 * statuses of the device. */
enum status average_refine(struct average *average, int samples, struct sample_squares *squares);

/* Nothing more comes: a device that compared squares gives the light back. */
void average_take_end(struct average *average);

/* Waits until all samples that were taken are added. */
void average_wait(struct average *average);

/* Samples of a pixel, on average. */
double average_samples(const struct average *average);

/* Waits until all are added, and the average is gone. *light: [height][width], the caller's to
 * free; NULL of NULL, and after a failure: that of a device, or STATUS_STOPPED. */
enum status average_end(struct average *average, float (**light)[3]);

/* Without its light. Accepts NULL. */
void average_close(struct average *average);

#endif
