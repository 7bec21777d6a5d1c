#include "app/viewer/kiosk/challenge.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LOG_2 0.69314718055994530942
#define PI 3.14159265358979323846
#define LANDED 1e-4 /* distance within which an orbit in doubles has come to a fixed point */

enum { PREPERIOD_MOST = 60, ARMS_MOST = 40 };

const struct challenge challenges[CHALLENGES] = {
    {.text = STRING_CHALLENGE_COPY},
    {.text = STRING_CHALLENGE_BALL, .disc = true, .period = 5},
    {.text = STRING_CHALLENGE_NEEDLE, .period = 3},
    {.text = STRING_CHALLENGE_SPIRAL, .misiurewicz = true, .arms = 5},
    {.text = STRING_CHALLENGE_TOP, .period = 4, .off_axis = true},
    {.text = STRING_CHALLENGE_FEWEST, .touches = true},
};

/* ---- judging ---- */

bool challenge_is_met(const struct challenge *challenge, const struct challenge_found *found)
{
    if (challenge->misiurewicz != found->misiurewicz)
        return false;
    if (challenge->misiurewicz)
        return misiurewicz_arms(found->re, found->im, found->preperiod, found->period) ==
               challenge->arms;
    return found->disc == challenge->disc && found->period > 1 &&
           (!challenge->period || found->period == challenge->period) &&
           (!challenge->off_axis || fabs(found->im) > found->size_heights * 1e-3) &&
           found->size_heights >= CHALLENGE_LARGE;
}

/* Is the end of the orbit of c at this point? */
static bool lands(double c_re, double c_im, int64_t steps, double re, double im)
{
    double x = 0, y = 0;
    for (int64_t i = 0; i < steps; i++) {
        double x_next = x * x - y * y + c_re;
        y = 2 * x * y + c_im;
        x = x_next;
    }
    return hypot(x - re, y - im) < LANDED;
}

/* Denominator of the limb with a multiplier whose logarithm is this; 0: none up to ARMS_MOST. */
static int limb_of(double log_size, double turn)
{
    double least = 1;
    int arms = 0;
    for (int q = 2; q <= ARMS_MOST; q++)
        for (int p = 1; p < q; p++) {
            double radius = LOG_2 / q, apart = remainder(turn - 2 * PI * p / q, 2 * PI);
            double away = hypot(log_size - radius, apart) / radius;
            if (away < least) {
                least = away;
                arms = q;
            }
        }
    return arms;
}

int misiurewicz_arms(double re, double im, int64_t preperiod, int64_t period)
{
    double a = 1 - 4 * re, b = -4 * im,
           size = hypot(a, b); /* fixed points: (1 -+ sqrt(1 - 4c))/2 */
    double root_re = sqrt((size + a) / 2), root_im = copysign(sqrt((size - a) / 2), b);
    double alpha_re = (1 - root_re) / 2, alpha_im = -root_im / 2;
    if (period != 1 || preperiod < 1 || preperiod > PREPERIOD_MOST)
        return 0;
    if (lands(re, im, preperiod, (1 + root_re) / 2, root_im / 2))
        return 1;
    if (!lands(re, im, preperiod, alpha_re, alpha_im))
        return 0;
    return limb_of(log(2 * hypot(alpha_re, alpha_im)), atan2(alpha_im, alpha_re));
}

/* ---- the run ---- */

void challenge_begin(struct challenge_run *run, double now_s)
{
    run->number = run->begun_s > 0 ? (run->number + 1) % CHALLENGES : 0;
    run->on = true;
    run->met = false;
    run->begun_s = now_s;
    run->touches = 0;
}

void challenge_day(struct challenge_run *run)
{
    memset(run->has_best, 0, sizeof run->has_best);
}

void challenge_end(struct challenge_run *run)
{
    run->on = false;
}

static double result(const struct challenge_run *run)
{
    return challenges[run->number].touches ? run->touches : run->met_s - run->begun_s;
}

void challenge_meet(struct challenge_run *run, double now_s)
{
    double *best = &run->best[run->number];
    run->met = true;
    run->met_s = now_s;
    *best = run->has_best[run->number] ? fmin(*best, result(run)) : result(run);
    run->has_best[run->number] = true;
}

bool challenge_step(struct challenge_run *run, double now_s)
{
    if (!run->on || !run->met || now_s < run->met_s + CHALLENGE_PRAISED_S)
        return false;
    run->on = false;
    return true;
}

const char *challenge_sentence(const struct challenge_run *run, double now_s,
                               char text[CHALLENGE_BYTES])
{
    const struct challenge *challenge = &challenges[run->number];
    char number[24], best[24];
    *text = '\0';
    if (!run->on)
        return text;
    double value = run->met             ? result(run)
                   : challenge->touches ? run->touches
                                        : now_s - run->begun_s;
    snprintf(number, sizeof number, "%.0f", fmin(fmax(value, 0), 1e9));
    snprintf(best, sizeof best, "%.0f", run->best[run->number]);
    if (run->met)
        string_fill(text, CHALLENGE_BYTES,
                    challenge->touches ? STRING_CHALLENGE_MET_TOUCHES : STRING_CHALLENGE_MET,
                    number, best);
    else
        string_fill(text, CHALLENGE_BYTES,
                    challenge->touches ? STRING_CHALLENGE_TOUCHES : STRING_CHALLENGE_SECONDS,
                    string_of(challenge->text), number);
    return text;
}
