/* The distribution of a picture's continuous counts and distances, and the transfer curve from a
 * count to a position in the palette that follows from it.
 *
 * Pixels in dust, where the count changes from one to the next without any order, weigh less than
 * those of calm ground, so that colours change slowly where an eye could not follow them.
 *
 * It is measured at a subgrid of SUBGRID_WIDTH x SUBGRID_HEIGHT pixels at fixed shares of the
 * picture's width and height, so another size of the same view gives nearly the same, and every
 * backend, tiling and number of ranks exactly the same. Its text is written into the view of a
 * picture: a later render of that view, in another size, as a tile or as a frame of a film, takes
 * the numbers from there and measures nothing.
 *
 * The curve is a monotone cubic through the levels, in the fourth root of the count. At a level
 * below which the share r of the weight lies it has the value
 *     runs * (contrast * r + (1 - contrast) * (0.03 + 0.94 * (s - s_0.03) / (s_0.97 - s_0.03))),
 * s the fourth root: at contrast 1 all colours cover the same area of calm ground (histogram
 * equalisation), at contrast 0 the fourth root covers as many runs unchanged. Only square roots and
 * the basic operations are used, so it is the same bits on every machine. */
#ifndef RENDER_COLOUR_DISTRIBUTION_H
#define RENDER_COLOUR_DISTRIBUTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/colour/look.h"
#include "kernels/field.h"
#include "kernels/status.h"

enum {
    DISTRIBUTION_LEVELS = 21,
    DISTRIBUTION_TEXT_BYTES = 640, /* with the final 0 */
    SUBGRID_WIDTH = 64,
    SUBGRID_HEIGHT = 36,
    SHADE_ROWS = 270 /* height of a picture in the unit of distances */
};

struct distribution {
    double runs;  /* palette runs over the whole picture; 0: nothing was measured */
    double shade; /* strength of the darkening by distance that the picture bears, 0 ... 1 */
    double level[DISTRIBUTION_LEVELS]; /* continuous counts, rising; see distribution_ranks */
};

/* Share of the weight of pixels below each level, 0 ... 1. */
extern const double distribution_ranks[DISTRIBUTION_LEVELS];

/* Measures a whole picture in host memory; for a film or a picture larger than memory, a small one
 * of the same view. Its numbers are rounded to those that distribution_text writes, so that a text
 * preserves them. runs is 0 if no pixel of the subgrid has escaped. */
void distribution_measure(struct distribution *distribution, const struct field *field);

/* Measures a picture of which only every `stride`-th pixel of both directions is known. */
void distribution_measure_coarse(struct distribution *distribution, const struct field *field,
                                 int stride);

/* Position of the pixels of the subgrid, in the columns x and rows y of a picture of width x
 * height; and measurement from these alone, for a picture that is not in memory. `subgrid` has
 * SUBGRID_WIDTH x SUBGRID_HEIGHT pixels. */
void distribution_subgrid(int32_t width, int32_t height, int32_t x[SUBGRID_WIDTH],
                          int32_t y[SUBGRID_HEIGHT]);
void distribution_measure_subgrid(struct distribution *distribution, const struct field *subgrid,
                                  int32_t height);

/* Writes "runs, shade, level, ..., level"; "auto" if nothing was measured. */
void distribution_text(const struct distribution *distribution, char text[DISTRIBUTION_TEXT_BYTES]);

/* Reads that text. STATUS_CONFIG with the error; *distribution is then undefined. */
enum status distribution_parse(struct distribution *distribution, const char *text);

bool distribution_same(const struct distribution *a, const struct distribution *b);

/* Interpolates, `part` 0 ... 1 of the way; returns `to` if either is unmeasured. */
struct distribution distribution_between(const struct distribution *from,
                                         const struct distribution *to, double part);

/* Makes the curve; `runs` > 0, `contrast` 0 ... 1. The distribution must have been measured. */
void curve_make(struct curve *curve, const struct distribution *distribution, double runs,
                double contrast);

#endif
