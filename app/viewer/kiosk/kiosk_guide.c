#include "app/viewer/kiosk/kiosk_guide.h"

#include <math.h>

#define SIDE 0.2    /* shares of the width and height that a hand is not sent to */
#define CLEAR 0.3   /* share of cells around the fixed point that is enough to fly on */
#define OUTSIDE 0.5 /* share of cells around the position that it turns to */
#define LOWER 0.6   /* share of the height below which the buttons are */

enum { AROUND = 2 }; /* cells to each side */

/* Share of the cells that have escaped, of those within `reach_px` of a position; 1 where the
 * survey is too coarse to tell. */
static double escaped_around(const struct survey *survey, double reach_px, double x, double y)
{
    int cells = 0, escaped = 0;
    for (int32_t row = 0; row < survey->rows; row++)
        for (int32_t column = 0; column < survey->columns; column++)
            if (hypot(survey_x(survey, column) - x, survey_y(survey, row) - y) <= reach_px) {
                cells++;
                escaped += survey->level[row * survey->columns + column] >= 0;
            }
    return cells ? (double)escaped / cells : 1;
}

/* Have so many of the cells next to this one escaped? */
static bool is_outside(const struct survey *survey, int32_t column, int32_t row, double share)
{
    int cells = 0, escaped = 0;
    for (int32_t y = row - AROUND; y <= row + AROUND; y++)
        for (int32_t x = column - AROUND; x <= column + AROUND; x++)
            if (x >= 0 && y >= 0 && x < survey->columns && y < survey->rows) {
                cells++;
                escaped += survey->level[y * survey->columns + x] >= 0;
            }
    return escaped > 0 && escaped >= share * cells;
}

/* Moves the position to the nearest cell that has escaped, with this share around it. */
static bool nearest_find(const struct survey *survey, double share, double *x, double *y)
{
    double nearest = INFINITY, from_x = *x, from_y = *y;
    for (int32_t row = 0; row < survey->rows; row++)
        for (int32_t column = 0; column < survey->columns; column++) {
            double apart = hypot(survey_x(survey, column) - from_x, survey_y(survey, row) - from_y);
            if (survey->level[row * survey->columns + column] < 0 || apart >= nearest ||
                !is_outside(survey, column, row, share))
                continue;
            nearest = apart;
            *x = survey_x(survey, column);
            *y = survey_y(survey, row);
        }
    return isfinite(nearest);
}

enum kiosk_way_ahead kiosk_guide(const struct survey *survey, double reach_px, double *x, double *y)
{
    if (!survey->columns || escaped_around(survey, reach_px, *x, *y) >= CLEAR)
        return KIOSK_AHEAD_CLEAR;
    return nearest_find(survey, OUTSIDE, x, y) || nearest_find(survey, 0, x, y)
               ? KIOSK_AHEAD_BLACK
               : KIOSK_AHEAD_CLOSED;
}

double kiosk_guide_ease(double apart)
{
    return fmin(fmax(KIOSK_GUIDE_REACH / fmax(apart, 1e-9), KIOSK_GUIDE_SLOWEST), 1);
}

bool kiosk_guide_best(const struct survey *survey, double *x, double *y)
{
    float score[SURVEY_COLUMNS_MOST * SURVEY_ROWS_MOST], best = 0;
    survey_scores(survey, score);
    for (int32_t row = 0; row < survey->rows; row++)
        for (int32_t column = 0; column < survey->columns; column++) {
            double across = survey_x(survey, column) / survey->width;
            double down = survey_y(survey, row) / survey->height;
            float here = score[row * survey->columns + column];
            if (across < SIDE || across > 1 - SIDE || down < SIDE || down > LOWER || here <= best)
                continue;
            best = here;
            *x = survey_x(survey, column);
            *y = survey_y(survey, row);
        }
    return best > 0;
}
