#include "render/truth/verify.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/escape/distance.h"
#include "render/plan/sorted.h"

#define CHANCE 0.001        /* chance that right counts are called wrong, by each of two tests */
#define CROSSING 1.8        /* 2/pi / (ln 2 / 2), see verify.h */
#define BORDER_CROSSING 2.0 /* a pixel of the set that lies within a pixel or so of its border */
#define LIKELY 0.5          /* a sample with this chance or more may be wrong without comment */

/* Largest error of the sum of the chances. Measured on the sixteen views of configs/views at 3840 x
 * 2160, 3,000 samples each: where the chance is below LIKELY 323 mismatches were found and 344
 * expected; in single views 0.70 to 1.30 times as many, as their numbers (7 to 72) let one
 * expect. */
#define EXPECTED_SLACK 1.1

int verify_sample_mismatches(const struct verify_sample *sample)
{
    return sample->truth.certified && sample->got != sample->truth.count;
}

static int escaped(const struct verify_sample *sample)
{
    return sample->truth.certified && sample->truth.count > 0;
}

/* Quantile by nearest rank of `count` sorted values; 0 of none. */
static double quantile(const double *sorted, int count, double q)
{
    return count ? sorted[(int)floor(q * (count - 1) + 0.5)] : 0;
}

static void judge_errors(struct verify_report *report)
{
    double *errors = calloc((size_t)report->samples + 1, sizeof *errors);
    int count = 0;
    for (int i = 0; errors && i < report->samples; i++)
        if (escaped(&report->sample[i]))
            errors[count++] = report->sample[i].error_px;
    if (count)
        sort_values(errors, (size_t)count);
    report->error_median_px = quantile(errors, count, 0.5);
    report->error_p99_px = quantile(errors, count, 0.99);
    report->error_max_px = quantile(errors, count, 1);
    free(errors);
}

/* Least movement of a pixel by rounding: half a unit in the last place of half a pixel. */
#define MOVED_LEAST_PX 0x1p-55

/* Chance that rounding alone changes this count. The median stands in where the sample's own error
 * is small: an error near the distance to the set cannot be measured by dz/dc and comes out too
 * small, or 0 where orbits are so chaotic that both are below what doubles hold. */
static double crossing_chance(const struct verify_sample *sample, double median_px)
{
    double moved_px = fmax(fmax(median_px, sample->error_px), MOVED_LEAST_PX);
    if (!sample->truth.certified)
        return 0;
    if (!escaped(sample) && sample->truth.change_px == 0)
        return fmin(1, BORDER_CROSSING * median_px);
    return fmin(1, CROSSING * moved_px / sample->truth.change_px);
}

/* Smallest k that a Poisson number of the given mean exceeds with a chance of at most CHANCE. */
static int poisson_most(double mean)
{
    double term = exp(-mean), sum = term;
    int k = 0;
    while (sum < 1 - CHANCE && k < 10 * mean + 100)
        sum += term *= mean / ++k;
    return k;
}

/* Slack of planes, where the pixel is moved: a fraction or a phase, absolute, or a distance,
 * relative. A fraction changes by 2 / (ln 2 d) a pixel, a phase by ln|z| / (pi d), and all are
 * stored as floats. */
#define PLANE_SLACK 1e-5
#define PLANE_SLOPE 100.0
#define PLANE_SLACK_MOST 0.1 /* nearer to the set planes cannot be judged */

/* Factor of the change that the second derivatives give. Where dz is 0 or nearly, as where an
 * earlier z_n is, or on lines of a formula whose derivative is no similarity, planes change much
 * faster: an error across the gradient is not measured. */
#define BEND_SLOPE 4.0

/* Factor of the distance to a fold. Across a fold dz jumps, so where a fold is so near that
 * rounding may have moved the pixel over it the distance has two values. The movement is known to a
 * hundredth, and to a power of 2. */
#define FOLD_NEAR 100.0

/* The direction of a vector v of length 1 in the plane, as the image has it: with M the image's map
 * to the plane, of area 1, it is M^T v / |M^T v|^2 (kernels/escape/distance.h). Returns log2 of its
 * length. */
static double vector_in_image(const struct verify_report *report, double angle, double *x,
                              double *y)
{
    const struct view_shape *shape = &report->shape;
    double root = sqrt(view_stretch(shape)), turn = shape->stretch_deg * (M_PI / 180);
    double along = cos(angle - turn) / root, across = sin(angle - turn) * root;
    double norm = sqrt(along * along + across * across);
    turn -= report->rotation_deg * (M_PI / 180);
    *x = (along * cos(turn) - across * sin(turn)) / norm;
    double up = (along * sin(turn) + across * cos(turn)) / norm;
    *y = shape->mirrored ? up : -up;
    return -log2(norm);
}

/* Error of a distance d = 2 ln|w| w / dw, see kernels/field.h; in parts of |d|, or of the longest
 * that floats hold (kernels/escape/distance.h), which a dw of 0 gives, to the right. */
static double distance_off(const struct verify_report *report, const struct truth *truth, double is,
                           enum plane plane)
{
    double w_abs = hypot(truth->w_re, truth->w_im);
    double log2_length = log2(2 * w_abs * fabs(log(w_abs))) - truth->log2_dz - report->log2_step;
    double angle = atan2(truth->w_im, truth->w_re) - truth->dz_rad + (w_abs < 1 ? M_PI : 0);
    double x, y;
    log2_length += vector_in_image(report, angle, &x, &y);
    if (truth->log2_dz == -INFINITY) {
        log2_length = DISTANCE_MOST;
        x = 1;
        y = 0;
    }
    double lead = floor(log2_length + log2(fmax(fabs(x), fabs(y))));
    return fabs(is / exp2(log2_length - fmax(lead - DISTANCE_MOST, 0)) -
                (plane == PLANE_DISTANCE_X ? x : y));
}

/* Difference of a plane from the truth, for a pixel whose count is right. */
static double plane_off(const struct verify_report *report, const struct verify_sample *sample,
                        enum plane plane)
{
    const struct truth *truth = &sample->truth;
    double is = sample->plane[plane], off;
    if (truth->lost && plane != PLANE_FRACTION && (plane != PLANE_PHASE || !truth->near))
        return fabs(is);
    if (plane == PLANE_FRACTION)
        return fabs(is - fmin(fmax(sample->fraction, 0), 1));
    if (plane != PLANE_PHASE)
        return distance_off(report, truth, is, plane);
    off = is - atan2(truth->z_im, truth->z_re) / (2 * M_PI);
    return fabs(off - round(off));
}

/* Judges the period of a pixel that does not escape. A period that was not found is not wrong. */
static void judge_period(struct verify_report *report, const struct verify_sample *sample)
{
    const struct truth *truth = &sample->truth;
    float period = sample->plane[PLANE_PERIOD];
    if (!(report->planes & PLANE_MASK_PERIOD) || !truth->certified || !truth->period)
        return;
    report->periods++;
    report->periods_missing += period == 0;
    report->wrong[PLANE_PERIOD] += period != 0 && (double)period != (double)truth->period;
}

/* Slack of a distance. A stretch by F turns vectors by up to F times as much, and a pixel is
 * sqrt(F) long. */
static double distance_slack(const struct verify_report *report, const struct truth *truth,
                             double slack, double moved_px)
{
    double factor = view_stretch(&report->shape);
    if (truth->fold_px > 0 && truth->fold_px < FOLD_NEAR * moved_px)
        return INFINITY;
    return pow(fmax(factor, 1 / factor), 1.5) *
           (slack + BEND_SLOPE * fmax(moved_px, MOVED_LEAST_PX) * truth->bend);
}

/* Judges an average or a trap of a pixel that escaped. */
static void judge_sum(struct verify_report *report, const struct verify_sample *sample,
                      enum plane plane)
{
    const struct truth *truth = &sample->truth;
    double slack = truth->sums_slack[plane - PLANE_STRIPE];
    if (!(report->planes & 1u << plane) || !escaped(sample) || sample->got != truth->count)
        return;
    report->sums_judged += slack < PLANE_SLACK_MOST;
    report->wrong[plane] +=
        !(fabs((double)sample->plane[plane] - truth->sums[plane - PLANE_STRIPE]) <= slack);
}

static void judge_planes(struct verify_report *report, const struct verify_sample *sample)
{
    const struct truth *truth = &sample->truth;
    if (!sample->got)
        judge_period(report, sample);
    double moved_px = fmax(report->error_median_px, fmax(sample->error_px, sample->end_px));
    double slack = PLANE_SLACK + PLANE_SLOPE * moved_px / truth->distance_px;
    double of_distance = distance_slack(report, truth, slack, moved_px);
    for (int p = PLANE_FRACTION; p < PLANES; p++)
        if ((1u << p & PLANE_MASK_ATTRACTOR) != 0) /* plane of the inside: 0 elsewhere */
            report->wrong[p] += sample->got && sample->plane[p] != 0;
        else if (!sample->got)
            report->wrong[p] += sample->plane[p] != 0;
        else if ((1u << p & PLANE_MASK_ORBIT) != 0)
            judge_sum(report, sample, (enum plane)p);
        else if (report->planes & 1u << p && escaped(sample) && sample->got == truth->count &&
                 slack < PLANE_SLACK_MOST)
            report->wrong[p] += !(plane_off(report, sample, (enum plane)p) <=
                                  (1u << p & PLANE_MASK_DISTANCE ? of_distance : slack));
}

int verify_wrong_sums(const struct verify_report *report)
{
    int wrong = 0;
    for (int p = PLANE_STRIPE; p <= PLANE_TRAP_CIRCLE; p++)
        wrong += report->wrong[p];
    return wrong;
}

int verify_wrong_distances(const struct verify_report *report)
{
    return report->wrong[PLANE_DISTANCE_X] + report->wrong[PLANE_DISTANCE_Y];
}

static void judge_sample(struct verify_report *report, const struct verify_sample *sample)
{
    int differs = verify_sample_mismatches(sample);
    double chance = crossing_chance(sample, report->error_median_px);
    report->certified += sample->truth.certified;
    report->inside += sample->truth.certified && !sample->truth.count;
    report->matches += sample->truth.certified && !differs;
    report->mismatches += differs;
    report->astray += sample->got != sample->recomputed;
    judge_planes(report, sample);
    report->expected += chance;
    if (chance < LIKELY) {
        report->rare_mismatches += differs;
        report->rare_expected += chance;
    }
    if (differs) {
        report->far_mismatches += sample->truth.change_px > report->far_px;
        report->mismatch_distance_px = fmax(report->mismatch_distance_px, sample->truth.change_px);
    }
}

/* Is the measured error well beyond the predicted one? */
static bool error_complain(struct verify_report *report)
{
    const struct measure {
        const char *what;
        double px, factor;
    } measures[] = {
        {"the median backward error is", report->error_median_px, VERIFY_ERROR_FACTOR},
        {"the backward error of 1 in 100 pixels is", report->error_p99_px, VERIFY_ERROR_FACTOR},
        {"the largest backward error is", report->error_max_px, VERIFY_ERROR_FACTOR_MOST},
    };
    for (size_t i = 0; i < sizeof measures / sizeof *measures; i++)
        if (measures[i].px > measures[i].factor * report->predicted_px) {
            snprintf(report->complaint, sizeof report->complaint,
                     "%s %.2g pixels, %.2g times the %.2g predicted", measures[i].what,
                     measures[i].px, measures[i].px / report->predicted_px, report->predicted_px);
            return true;
        }
    return false;
}

static void complain(struct verify_report *report)
{
    char *text = report->complaint;
    size_t bytes = sizeof report->complaint;
    int distances = verify_wrong_distances(report);
    if (!report->certified)
        snprintf(text, bytes, "no sample could be certified, so nothing is proven");
    else if (report->astray)
        snprintf(text, bytes,
                 "%d of %d counts differ from those of the same pixels computed again, alone",
                 report->astray, report->samples);
    else if (error_complain(report))
        return;
    else if (report->far_mismatches)
        snprintf(text, bytes,
                 "%d counts are wrong at more than %.2g pixels from where they change (up to %.2g)",
                 report->far_mismatches, report->far_px, report->mismatch_distance_px);
    else if (report->rare_mismatches > report->rare_most)
        snprintf(text, bytes,
                 "%d counts are wrong that should be right; rounding explains %.2g, and by chance "
                 "at most %d",
                 report->rare_mismatches, report->rare_expected, report->rare_most);
    else if (report->wrong[PLANE_FRACTION] + distances + report->wrong[PLANE_PHASE])
        snprintf(text, bytes,
                 "%d fractions, %d distances and %d phases are wrong where the counts are right",
                 report->wrong[PLANE_FRACTION], distances, report->wrong[PLANE_PHASE]);
    else if (verify_wrong_sums(report))
        snprintf(text, bytes,
                 "%d averages and traps along orbits are wrong where the counts are "
                 "right",
                 verify_wrong_sums(report));
    else if (report->wrong[PLANE_PERIOD] + report->wrong[PLANE_INSIDE])
        snprintf(text, bytes,
                 "%d of %d periods that are proven, and %d distances inside, are wrong",
                 report->wrong[PLANE_PERIOD], report->periods, report->wrong[PLANE_INSIDE]);
}

void verify_judge(struct verify_report *report)
{
    report->certified = report->inside = report->matches = report->mismatches = 0;
    report->astray = report->far_mismatches = report->rare_mismatches = 0;
    report->periods = report->periods_missing = report->sums_judged = 0;
    memset(report->wrong, 0, sizeof report->wrong);
    report->expected = report->rare_expected = report->mismatch_distance_px = 0;
    report->complaint[0] = '\0';
    judge_errors(report);
    /* The chance of any mismatch beyond d is at most samples * 1.8 e / d; d where that is
     * CHANCE. */
    report->far_px =
        fmax(VERIFY_FAR_PX, report->samples * CROSSING * report->error_median_px / CHANCE);
    for (int i = 0; i < report->samples; i++)
        judge_sample(report, &report->sample[i]);
    report->rare_most = poisson_most(EXPECTED_SLACK * report->rare_expected);
    complain(report);
    report->verdict = report->complaint[0]                          ? VERIFY_WRONG
                      : !report->mismatches                         ? VERIFY_RIGHT
                      : 2 * report->mismatches <= report->certified ? VERIFY_ROUNDED
                                                                    : VERIFY_NOISE;
}

const char *verify_verdict_name(enum verify_verdict verdict)
{
    static const char *const names[] = {[VERIFY_RIGHT] = "right",
                                        [VERIFY_ROUNDED] = "rounded",
                                        [VERIFY_NOISE] = "noise",
                                        [VERIFY_WRONG] = "wrong"};
    return names[verdict];
}
