#include "render/motion/survey.h"

#include <math.h>

enum {
    REACH = 3, /* cells to each side that a score takes into account */
    EDGE = 2,  /* cells at the edges that are no targets */
    FAR = 4
};

#define FLAT 0.03     /* mean step between neighbours, octaves, below which colours are flat */
#define STEP_MOST 1.0 /* largest value of a step */
#define EDGE_STEP 0.5 /* step from inside to outside */
/* Mean step above which neighbours have nothing in common: it is 0.60 to 0.79 in the haze of a
 * Burning Ship, 0.04 to 0.50 in 20 views of configs/views, and near their densest points 0.65. In
 * the haze it is 0.89 to 1 of the step to cells FAR away, in those views 0.39 to 0.86. */
#define NOISE 0.55
#define NOISE_PLACE 0.65
#define NOISE_RATIO 0.88
#define DENSE 0.5
#define INSIDE_MOST 0.3 /* largest share of cells inside around a target */
#define DEEPER_MOST 3.0 /* octaves over the picture's mean above which counts score no more */

static int32_t cells_of(int32_t side, int stride, int32_t most)
{
    int32_t cells = side / stride;
    cells = cells < most ? cells : most;
    return cells > 1 ? cells : 1;
}

void survey_take(struct survey *survey, const struct field *field, int stride)
{
    const float *fraction = field->plane[PLANE_FRACTION];
    *survey = (struct survey){.columns = cells_of(field->width, stride, SURVEY_COLUMNS_MOST),
                              .rows = cells_of(field->height, stride, SURVEY_ROWS_MOST),
                              .width = field->width,
                              .height = field->height};
    for (int32_t j = 0; j < survey->rows; j++)
        for (int32_t i = 0; i < survey->columns; i++) {
            int32_t x = (int32_t)survey_x(survey, i), y = (int32_t)survey_y(survey, j);
            size_t at = (size_t)(y - y % stride) * (size_t)field->stride + (size_t)(x - x % stride);
            uint64_t count = field_count_at(field, at);
            double nu = (double)count + (count && fraction ? (double)fraction[at] : 0);
            survey->level[j * survey->columns + i] = count ? (float)log2(nu) : SURVEY_INSIDE;
        }
}

double survey_x(const struct survey *survey, int32_t column)
{
    return (column + 0.5) * survey->width / survey->columns;
}

double survey_y(const struct survey *survey, int32_t row)
{
    return (row + 0.5) * survey->height / survey->rows;
}

static double mean_level(const struct survey *survey)
{
    double sum = 0;
    int escaped = 0;
    for (int32_t i = 0; i < survey->columns * survey->rows; i++)
        if (survey->level[i] >= 0) {
            sum += (double)survey->level[i];
            escaped++;
        }
    return escaped ? sum / escaped : 0;
}

double survey_inside(const struct survey *survey)
{
    int32_t cells = survey->columns * survey->rows, inside = 0;
    for (int32_t i = 0; i < cells; i++)
        inside += survey->level[i] < 0;
    return cells ? (double)inside / cells : 0;
}

static double step_between(float a, float b)
{
    if (a < 0 && b < 0)
        return 0;
    return a < 0 || b < 0 ? EDGE_STEP : fmin(fabs((double)a - (double)b), STEP_MOST);
}

/* Structure by the mean step between neighbours: 0 for flat colour and for noise. */
static double structure_of(double step)
{
    double order = fmin(fmax((NOISE_PLACE - step) / (NOISE_PLACE - DENSE), 0), 1);
    return step < FLAT ? 0 : step * order;
}

static float score_of(const struct survey *survey, int32_t column, int32_t row, double mean)
{
    double steps = 0, deeper = 0;
    int pairs = 0, cells = 0, inside = 0;
    for (int32_t y = row - REACH; y <= row + REACH; y++)
        for (int32_t x = column - REACH; x <= column + REACH; x++) {
            if (x < 0 || y < 0 || x >= survey->columns || y >= survey->rows)
                continue;
            const float *level = &survey->level[y * survey->columns + x];
            cells++;
            inside += *level < 0;
            deeper += *level < 0 ? 0 : (double)*level - mean;
            if (x + 1 < survey->columns && x < column + REACH) {
                steps += step_between(level[0], level[1]);
                pairs++;
            }
            if (y + 1 < survey->rows && y < row + REACH) {
                steps += step_between(level[0], level[survey->columns]);
                pairs++;
            }
        }
    double structure = structure_of(pairs ? steps / pairs : 0), share = (double)inside / cells;
    if (share > INSIDE_MOST || survey->level[row * survey->columns + column] < 0)
        return 0;
    double depth = cells > inside ? deeper / (cells - inside) : 0;
    return (float)(structure * (1 + fmin(fmax(depth, -0.75), DEEPER_MOST)) * (1 - share));
}

/* Mean step from cells that have escaped to escaped cells so far to the right and down. */
static double mean_step(const struct survey *survey, int32_t away)
{
    double steps = 0;
    int pairs = 0;
    for (int32_t j = 0; j + away < survey->rows; j++)
        for (int32_t i = 0; i + away < survey->columns; i++) {
            const float *level = &survey->level[j * survey->columns + i];
            float others[2] = {level[away], level[away * survey->columns]};
            for (int k = 0; k < 2; k++)
                if (level[0] >= 0 && others[k] >= 0) {
                    steps += step_between(level[0], others[k]);
                    pairs++;
                }
        }
    return pairs ? steps / pairs : 0;
}

bool survey_is_noise(const struct survey *survey)
{
    double step = mean_step(survey, 1);
    return step > NOISE && step > NOISE_RATIO * mean_step(survey, FAR);
}

void survey_scores(const struct survey *survey, float *score)
{
    double mean = mean_level(survey);
    for (int32_t j = 0; j < survey->rows; j++)
        for (int32_t i = 0; i < survey->columns; i++) {
            bool edge =
                i < EDGE || j < EDGE || i >= survey->columns - EDGE || j >= survey->rows - EDGE;
            score[j * survey->columns + i] = edge ? 0 : score_of(survey, i, j, mean);
        }
}
