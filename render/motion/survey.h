/* A survey of a picture: the levels of its counts on a coarse grid, for whoever looks for places
 * worth seeing. Pure. */
#ifndef RENDER_MOTION_SURVEY_H
#define RENDER_MOTION_SURVEY_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/field.h"
#include "kernels/formula.h"
#include "render/view/view.h"

enum { SURVEY_COLUMNS_MOST = 64, SURVEY_ROWS_MOST = 64 };
#define SURVEY_INSIDE (-1.0f) /* not escaped */

struct survey { /* zeroed: of nothing */
    int32_t columns, rows;
    double width, height;                                /* of the picture, pixels */
    float level[SURVEY_COLUMNS_MOST * SURVEY_ROWS_MOST]; /* log2 of the continuous count, [rows] */
};

/* Of a field of which every `stride`-th pixel is known, from the first; a power of two. */
void survey_take(struct survey *survey, const struct field *field, int stride);

/* Of a formula in a view, without a picture: computed here, in doubles, up to SURVEY_LIMIT
 * iterations, in some milliseconds. Of nothing where doubles do not tell cells apart. */
enum { SURVEY_LIMIT = 1000 };
void survey_compute(struct survey *survey, const struct view_numbers *view,
                    const struct formula *formula, double bailout);

/* Where a cell's middle is, in pixels. */
double survey_x(const struct survey *survey, int32_t column);
double survey_y(const struct survey *survey, int32_t row);

/* Share of the cells that have not escaped. */
double survey_inside(const struct survey *survey);

/* Do neighbours have nothing in common? Then it looks like sand, however far one goes in. */
bool survey_is_noise(const struct survey *survey);

/* How much there is to see about each cell, >= 0: structure, more where counts are high; 0 within
 * the set, where the colour is flat or the counts are noise, and too near to the edge to say.
 * score: [rows][columns]. */
void survey_scores(const struct survey *survey, float *score);

/* Is there something to see about a tenth of the cells? */
bool survey_shows(const struct survey *survey);

#endif
