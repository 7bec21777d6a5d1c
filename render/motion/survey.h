/* A survey of a picture: the levels of its counts on a coarse grid, for the search for views worth
 * seeing. Pure. */
#ifndef RENDER_MOTION_SURVEY_H
#define RENDER_MOTION_SURVEY_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/field.h"

enum { SURVEY_COLUMNS_MOST = 64, SURVEY_ROWS_MOST = 64 };
#define SURVEY_INSIDE (-1.0f) /* level of cells that have not escaped */

struct survey { /* zeroed: empty */
    int32_t columns, rows;
    double width, height;                                /* size of the picture, pixels */
    float level[SURVEY_COLUMNS_MOST * SURVEY_ROWS_MOST]; /* log2 of the continuous count, [rows] */
};

/* Surveys a field of which every `stride`-th pixel is known, from the first; a power of two. */
void survey_take(struct survey *survey, const struct field *field, int stride);

/* Position of a cell's middle, in pixels. */
double survey_x(const struct survey *survey, int32_t column);
double survey_y(const struct survey *survey, int32_t row);

/* Share of the cells that have not escaped. */
double survey_inside(const struct survey *survey);

/* Are the counts noise: have neighbours nothing in common? Then zooming in shows only noise. */
bool survey_is_noise(const struct survey *survey);

/* Scores of the cells, >= 0: structure around a cell, more where counts are high; 0 within the set,
 * where the colour is flat or the counts are noise, and at the edge. score: [rows][columns]. */
void survey_scores(const struct survey *survey, float *score);

#endif
