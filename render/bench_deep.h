/* How fast are deep views: the reference, the table of blocks, the pixels?
 *
 * Until counts and fractions are in host memory that the device reaches fast. With several devices
 * each of them also takes its share of the picture, every n-th band of rows.
 */
#ifndef RENDER_BENCH_DEEP_H
#define RENDER_BENCH_DEEP_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/status.h"

struct bench_deep_options {
    int32_t width, height;    /* pixels */
    double accuracy_px;       /* that epsilon follows from */
    const char *backend;      /* a name or "auto"; all its devices of this machine */
    int threads;              /* 0 = all */
    const volatile int *stop; /* may be NULL */
};

struct bench_deep_row {
    const char *name;
    int64_t limit, reference_steps;
    double epsilon;
    double reference_s, table_s, pixels_s; /* medians; the pixels on one device, */
    double pixels_all_s;                   /* and on all; 0: there is only one */
    size_t reference_bytes, table_bytes;
    double steps_px; /* blocks and single steps of a pixel */
    double steps_per_s;
};

/* Calls `row` for each of the six deep_places. Blocks for some ten seconds. STATUS_NO_DEVICE where
 * the backend has none. */
enum status bench_deep(const struct bench_deep_options *options,
                       void (*row)(void *context, const struct bench_deep_row *row), void *context);

#endif
