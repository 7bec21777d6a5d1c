/* Description of a picture: the settings that the app has read from arguments and files. */
#ifndef RENDER_VIEW_DESCRIPTION_H
#define RENDER_VIEW_DESCRIPTION_H

#include <stdbool.h>
#include <stdint.h>

#include "decomposition/schedule/tile.h"
#include "kernels/deep/block.h"
#include "kernels/spec.h"
#include "render/view/view.h"

enum precision { PRECISION_AUTO, PRECISION_FP32, PRECISION_DS, PRECISION_FP64 };
enum plan_forecast { FORECAST_AUTO, FORECAST_ON, FORECAST_OFF, FORECASTS };
enum plan_writers { WRITERS_AUTO, WRITERS_ONE, WRITERS_ALL };

#define ACCURACY_DEFAULT_PX 0.01 /* a hundredth of a pixel, which is not visible */
#define ACCURACY_EXACT_PX 1e-9   /* as exact as doubles: the accuracy of --exact */
#define ERROR_MAX_PX 0.05        /* greatest error: the least accuracy that can be set */

struct picture_known;

struct picture { /* plain data */
    struct view view;
    struct spec spec;   /* spec of each pixel; the plan sets number and count_bytes */
    struct tile region; /* pixels of the view that are wanted: a picture of their own, with the bits
                           that they have in the whole one; width 0: all */
    int samples;        /* a pixel; 1 or 0: its centre. SAMPLES_AUTO: see render/colour/refine.h */
    double accuracy_px;
    enum precision precision;
    int32_t tile_px;      /* 0 = the plan chooses */
    const char *schedule; /* a name or "auto"; borrowed */
    enum plan_forecast forecast;
    const char *transport; /* a name or "auto"; borrowed */
    const char *backend;   /* a name or "auto"; borrowed. For verify; a renderer has its own */
    int threads;           /* for verify; a renderer has its own */
    enum blocks blocks;    /* approximation that perturbation uses */
    struct tile hole; /* pixels that are not read; a picture that is computed in one strip may leave
                         them unwritten; width 0: none */
    bool of_many;     /* a frame of a film: figures that only explain its plan are left out */
    bool light_alone; /* only colours are wanted: the field may stay on a device */
    bool host_colours;       /* colours that rank 0's processor makes, and no GPU: look_is_plain */
    bool survey;             /* perturbation counts which blocks are used, for the report */
    const char *orbit_cache; /* folder that keeps reference orbits; NULL: none; borrowed */
    int32_t strip_rows;      /* strip_rows of the plan of an interrupted run; 0: the plan chooses */
    enum plan_writers writers;
    int32_t part_rows; /* ranks other than 0 write multiples of so many rows; 0: the files are of
                          kinds that rank 0 alone writes */
    int32_t part_pixel_bytes; /* bytes of a pixel in all files, at most */
    uint64_t memory_bytes;    /* memory that it may take on rank 0's machine (plan_memory). 0: no
                                 limit, the whole picture at a time */
    const struct picture_known *known; /* NULL: nothing is known; borrowed */
};

#endif
