#include "render/motion/autopilot.h"

#include <math.h>

#define AIM_S 0.9         /* time constant in which the zoom's fixed point approaches the target */
#define MIDDLE_S 2.5      /* time constant in which the fixed point approaches the middle */
#define SPEED_S 0.8       /* time constant of the speed */
#define NEAR 0.35         /* heights: targets this near to the one before are preferred */
#define KEEP 0.6          /* part of the best score with which the present target is kept */
#define POOR 0.12         /* best score below which a view is a dead end */
#define INSIDE_MOST 0.65  /* part of the picture inside the set above which a view is a dead end */
#define STOP_LOG2 1.8     /* octaves of the way out that remain when its deceleration begins */
#define LOST 0.75         /* heights from the middle beyond which a target is out of sight */
#define OUT_LEAST 3.0     /* fewest octaves of the way out */
#define OUT_MOST 12.0     /* most octaves of the way out */
#define DEAD_END_MOST 6.0 /* most octaves of the way out after a dead end */
#define AROUND 2          /* cells around a target, which may have moved meanwhile */

static double random_unit(struct autopilot *autopilot) /* splitmix64 (Steele et al. 2014) */
{
    uint64_t z = autopilot->random += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

struct autopilot autopilot_begin(uint64_t seed, double log2_least, double log2_most)
{
    return (struct autopilot){.random = seed,
                              .log2_least = log2_least,
                              .log2_most = fmax(log2_most, log2_least + OUT_LEAST),
                              .decided_s = AUTOPILOT_DECIDE_S};
}

bool autopilot_is_due(const struct autopilot *autopilot)
{
    return autopilot->decided_s >= AUTOPILOT_DECIDE_S;
}

static void turn_out(struct autopilot *autopilot, double log2_zoom, double most)
{
    double octaves = OUT_LEAST + (most - OUT_LEAST) * random_unit(autopilot);
    autopilot->way = AUTOPILOT_OUT;
    autopilot->has_target = false;
    autopilot->turn_log2 = fmax(log2_zoom - octaves, autopilot->log2_least);
}

/* ---- choosing ---- */

/* Position of a column of a survey, from the middle, in heights. */
static double height_x(const struct survey *survey, int32_t column)
{
    return (survey_x(survey, column) - survey->width / 2) / survey->height;
}

static double height_y(const struct survey *survey, int32_t row)
{
    return (survey_y(survey, row) - survey->height / 2) / survey->height;
}

/* Best score close to the target. */
static double score_there(const struct autopilot *autopilot, const struct survey *survey,
                          const float *score)
{
    double best = 0;
    int32_t column = (int32_t)floor((autopilot->target_x * survey->height + survey->width / 2) /
                                    survey->width * survey->columns);
    int32_t row = (int32_t)floor((autopilot->target_y + 0.5) * survey->rows);
    for (int32_t y = row - AROUND; y <= row + AROUND; y++)
        for (int32_t x = column - AROUND; x <= column + AROUND; x++)
            if (x >= 0 && y >= 0 && x < survey->columns && y < survey->rows)
                best = fmax(best, (double)score[y * survey->columns + x]);
    return best;
}

/* Weight of a cell as a target: in a dive cells near the direction of flight weigh more. */
static double weight_of(const struct autopilot *autopilot, const struct survey *survey,
                        double score, double best, int32_t column, int32_t row)
{
    if (score < KEEP * best)
        return 0;
    double x = height_x(survey, column), y = height_y(survey, row);
    double apart = autopilot->has_target ? hypot(x - autopilot->target_x, y - autopilot->target_y)
                                         : hypot(x, y) / 2;
    double nearness = exp(-(apart / NEAR) * (apart / NEAR));
    return score * score * nearness;
}

static void target_choose(struct autopilot *autopilot, const struct survey *survey,
                          const float *score, double best)
{
    double sum = 0;
    for (int pass = 0; pass < 2; pass++) {
        double wanted = pass ? random_unit(autopilot) * sum : INFINITY;
        sum = 0;
        for (int32_t j = 0; j < survey->rows; j++)
            for (int32_t i = 0; i < survey->columns; i++) {
                double weight = weight_of(autopilot, survey, (double)score[j * survey->columns + i],
                                          best, i, j);
                sum += weight;
                if (weight > 0 && sum >= wanted) {
                    autopilot->target_x = height_x(survey, i);
                    autopilot->target_y = height_y(survey, j);
                    autopilot->has_target = true;
                    return;
                }
            }
    }
}

void autopilot_decide(struct autopilot *autopilot, const struct survey *survey, double log2_zoom)
{
    float score[SURVEY_COLUMNS_MOST * SURVEY_ROWS_MOST];
    double best = 0;
    autopilot->decided_s = 0;
    if (autopilot->way == AUTOPILOT_OUT) {
        if (log2_zoom - STOP_LOG2 > autopilot->turn_log2)
            return;
        autopilot->way = AUTOPILOT_IN;
        autopilot->has_target = false;
    }
    if (log2_zoom >= autopilot->log2_most) {
        turn_out(autopilot, log2_zoom, OUT_MOST);
        return;
    }
    survey_scores(survey, score);
    for (int32_t i = 0; i < survey->columns * survey->rows; i++)
        best = fmax(best, (double)score[i]);
    bool dead = best < POOR || survey_inside(survey) > INSIDE_MOST || survey_is_noise(survey);
    if (dead && log2_zoom > autopilot->log2_least + 1) {
        turn_out(autopilot, log2_zoom, DEAD_END_MOST);
        return;
    }
    bool keeps = autopilot->has_target && hypot(autopilot->target_x, autopilot->target_y) < LOST &&
                 score_there(autopilot, survey, score) >= KEEP * best;
    if (!keeps)
        target_choose(autopilot, survey, score, best);
}

/* ---- flying ---- */

struct view_motion autopilot_step(struct autopilot *autopilot, double elapsed_s, double width,
                                  double height)
{
    bool in = autopilot->way == AUTOPILOT_IN;
    double target_x = autopilot->has_target ? autopilot->target_x : 0;
    double target_y = autopilot->has_target ? autopilot->target_y : 0;
    double way = 1 - exp(-elapsed_s / AIM_S);
    double dx = (target_x - autopilot->aim_x) * way, dy = (target_y - autopilot->aim_y) * way;
    double length = hypot(dx, dy), most = AUTOPILOT_TURN_MOST * elapsed_s;
    double share = length > most ? most / length : 1;
    autopilot->aim_x += dx * share;
    autopilot->aim_y += dy * share;
    double wanted = !in                     ? -AUTOPILOT_LOG2_SPEED_OUT
                    : autopilot->has_target ? AUTOPILOT_LOG2_SPEED
                                            : 0;
    autopilot->log2_speed += (wanted - autopilot->log2_speed) * (1 - exp(-elapsed_s / SPEED_S));
    autopilot->decided_s += elapsed_s;
    double factor = exp2(autopilot->log2_speed * elapsed_s), kept = exp(-elapsed_s / MIDDLE_S);
    struct view_motion motion = motion_zoom(factor, autopilot->aim_x * height + width / 2,
                                            autopilot->aim_y * height + height / 2);
    double to_x = autopilot->aim_x * kept, to_y = autopilot->aim_y * kept;
    motion.to_x = to_x * height + width / 2;
    motion.to_y = to_y * height + height / 2;
    autopilot->target_x = to_x + (autopilot->target_x - autopilot->aim_x) * factor;
    autopilot->target_y = to_y + (autopilot->target_y - autopilot->aim_y) * factor;
    autopilot->aim_x = to_x;
    autopilot->aim_y = to_y;
    return motion;
}

void autopilot_stopped(struct autopilot *autopilot, unsigned stops, double log2_zoom)
{
    if (stops & VIEW_STOP_IN && autopilot->way == AUTOPILOT_IN)
        turn_out(autopilot, log2_zoom, OUT_MOST);
    if (stops & VIEW_STOP_OUT && autopilot->way == AUTOPILOT_OUT)
        autopilot->turn_log2 = INFINITY; /* the next decision dives */
}
