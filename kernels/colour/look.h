/* How counts become light: tables and numbers that render/ makes, as kernels and devices read them.
 * Plain data. */
#ifndef KERNELS_COLOUR_LOOK_H
#define KERNELS_COLOUR_LOOK_H

#include <stdbool.h>

#include "kernels/field.h"
#include "kernels/grid.h"

enum { PALETTE_SAMPLES = 4096, CURVE_SEGMENTS = 32 };

/* A curve from counts to positions in the palette: in segment i, between the knots i - 1 and i, it
 * is c[0][i] + t (c[1][i] + t (c[2][i] + t c[3][i])), t = s - origin[i], s = nu^(1/4). */
struct curve {
    int knots;
    double knot[CURVE_SEGMENTS - 1]; /* rising */
    /* The knots as a binary tree by levels: from k = 1 on, five times k becomes
     * 2 k + (s >= tree[k]); then k - CURVE_SEGMENTS is the segment. */
    double tree[CURVE_SEGMENTS];
    double origin[CURVE_SEGMENTS], c[4][CURVE_SEGMENTS];
};

/* How light is shaded by distances; zeroed: not at all. */
struct shade {
    float relief;   /* 0 ... 1 */
    float lines;    /* darkening towards the set, 0 ... 1 */
    float light[2]; /* direction that light comes from, of length 1, y down */
    float per_px;   /* length of a pixel in the unit of distances here; 0: no shading */
};

enum interior_kind { INTERIOR_COLOUR, INTERIOR_PERIOD, INTERIOR_DISTANCE, INTERIOR_KINDS };

/* What light is multiplied by where a slope faces it, at relief 1, and white that is added. */
#define SHADE_GAIN 0.7f
#define SHADE_WHITE 0.05f
#define DISTANCE_FAR 1e15f /* distances are cut there, so that what comes of them are numbers */

#define INTERIOR_GOLDEN 0.61803398874989485 /* 1 / golden ratio */
#define INTERIOR_DEPTH 8.0f                 /* where half of t^2 is reached: 8/270 of the height */

/* All that a pixel's light follows from, but its numbers. */
struct colour_look {
    const float (*table)[4]; /* [PALETTE_SAMPLES + 1], borrowed; the last one is the first */
    double density;          /* factor of the fourth root of counts; 0: the curve is used */
    double offset;           /* start in the palette */
    double inside_start;     /* start for pixels inside */
    struct curve curve;
    struct shade shade;
    enum interior_kind interior_kind;
    enum plane inside; /* the plane that colours inside come from; PLANE_COUNT: one colour */
    float interior[3];
};

/* What a sample adds to a mean of all before it. It lies between a pixel and one neighbour in each
 * direction, so that of all pixels' weights two are not 0 there. */
struct sample_share {
    float x, y;     /* weight of the neighbour */
    int to_x, to_y; /* direction of the neighbour: -1 or 1 */
    float of_mean;
    bool is_first;
};

enum {
    COLOUR_SAMPLES = 8,              /* most samples that are added together */
    COLOUR_CELL_SAMPLES = 16,        /* most cells that are */
    COLOUR_SQUARE_PX = GRID_CELL - 1 /* side of squares; less at the right and lower edge */
};

/* Cells of squares side by side in a field (kernels/grid.h): number `first` + i at index i. Number
 * n is sample n mod (samples of each) of square n / (samples of each) in a list. */
struct colour_sheet {
    uint64_t first;
    uint32_t count;
    int32_t in_row;
};

/* Samples to be added to the mean of those before, where that lies in a device's memory. */
struct colour_mean {
    const struct colour_look *look;    /* its table in host memory */
    const struct field *fields;        /* samples, in the device's memory, all of one size */
    const struct sample_share *shares; /* where each sample lies */
    int samples;                       /* 0 ... COLOUR_SAMPLES, of cells COLOUR_CELL_SAMPLES */
    const uint32_t *squares; /* host memory: the numbers, row by row in the picture, of those
                                that are added to; NULL: the whole picture is. Never the first
                                sample */
    uint32_t square_count;
    const struct colour_sheet *sheet; /* fields[0] has cells of the squares; NULL: each has a
                                         sample of the whole picture */
    int32_t width, height;            /* pixels */
    float (*mean)[3];                 /* [height][width] in the device's memory */
    float (*out)[3];                  /* the same in host memory: becomes the mean; NULL: not yet */
};

/* Sums over the values (colour_value) of a square and their changes. */
struct colour_sums {
    uint64_t differences, squares; /* squares of the changes, and of the values */
    int32_t value[3];              /* sum of each channel */
    int32_t unused;
};

/* A mean in a device's memory is compared with what it was, and remembered, in these squares. */
struct colour_compare {
    const float (*mean)[3];
    int16_t (*before)[3]; /* values, likewise */
    int32_t width, height;
    const uint32_t *squares; /* host memory, as sums */
    uint32_t square_count;
    struct colour_sums *sums; /* a sum for each square; NULL: none */
};

#endif
