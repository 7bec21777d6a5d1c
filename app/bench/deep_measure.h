/* Measurement of what a view by perturbation costs on the devices of this machine. */
#ifndef APP_BENCH_DEEP_MEASURE_H
#define APP_BENCH_DEEP_MEASURE_H

#include <stddef.h>
#include <stdint.h>

#include "app/bench/deep_places.h"
#include "kernels/formula.h"
#include "kernels/orbit/orbit.h"
#include "kernels/spec.h"
#include "kernels/status.h"
#include "library/config/config.h"
#include "render/device/device_set.h"
#include "render/view/view.h"

struct bench_deep_with {
    struct device_set *device_set;
    double (*clock)(void); /* times the pixels; clock_s, unless changed after opening */
    double accuracy_px;
    enum number number;
    int threads;
};

struct bench_deep_row {
    int64_t reference_steps;
    double reference_s, table_s, pixels_s; /* medians; pixels_s on one device */
    double pixels_all_s;                   /* median on all devices; 0: there is only one */
    size_t reference_bytes, table_bytes;
    double steps_px; /* blocks and single steps of a pixel */
    double steps_per_s;
    double epsilon;
};

/* Opens all devices; device_set_close also after a failure. */
enum status bench_deep_open(struct bench_deep_with *with, struct device_set *device_set,
                            const struct config *config);

/* The reference orbit of a view, as pictures have it; replaces *orbit. */
enum status bench_deep_orbit(const struct view *view, const struct view_numbers *numbers,
                             const struct spec *spec, int threads, struct orbit *orbit);

/* What a place's picture is made of. */
struct spec bench_deep_spec(const struct deep_place *place, const struct formula *formula,
                            enum number number);

enum status bench_deep_measure(const struct bench_deep_with *with, const struct deep_place *place,
                               const struct formula *formula, const int32_t *size,
                               struct bench_deep_row *row);

#endif
