#include <math.h>
#include <string.h>

#include "render/window/tone.h"

#define LOWEST_HZ 41.2      /* lower end of the range of the partials, one octave for each */
#define FOLLOW_PITCH_S 0.08 /* time constants in which pitch and loudness follow */
#define FOLLOW_LOUD_S 0.15
#define SILENT 1e-4

enum { TONE_STEP = 16 }; /* samples for which a partial keeps its frequency */

/* Loudness of a partial at a place in the range, 0 ... 1: a raised cosine. */
static double bell(double at)
{
    return 0.5 - 0.5 * cos(2 * M_PI * at);
}

void tone_wave_fill(struct tone_wave *wave, float *samples, int count)
{
    double pitch_share = 1 - exp(-1 / (FOLLOW_PITCH_S * TONE_RATE));
    double loud_share = 1 - exp(-1 / (FOLLOW_LOUD_S * TONE_RATE));
    double step[TONE_PARTIALS] = {0}, loud[TONE_PARTIALS] = {0};
    if (wave->loudness == 0 && wave->loudness_now < SILENT) {
        wave->loudness_now = 0;
        wave->pitch_now = wave->pitch;
        memset(samples, 0, (size_t)count * sizeof *samples);
        return;
    }
    /* The partials go round, so a far jump, as to another place, is a short way. */
    wave->pitch_now += TONE_PARTIALS * round((wave->pitch - wave->pitch_now) / TONE_PARTIALS);
    for (int i = 0; i < count; i++) {
        wave->pitch_now += (wave->pitch - wave->pitch_now) * pitch_share;
        wave->loudness_now += (wave->loudness - wave->loudness_now) * loud_share;
        double sum = 0;
        for (int k = 0; k < TONE_PARTIALS; k++) {
            if (i % TONE_STEP == 0) {
                double octave =
                    fmod(k + fmod(wave->pitch_now, TONE_PARTIALS) + TONE_PARTIALS, TONE_PARTIALS);
                step[k] = LOWEST_HZ * exp2(octave) / TONE_RATE;
                loud[k] = bell(octave / TONE_PARTIALS) * 2 / TONE_PARTIALS;
            }
            wave->phase[k] += step[k];
            wave->phase[k] -= floor(wave->phase[k]);
            sum += loud[k] * sin(2 * M_PI * wave->phase[k]);
        }
        samples[i] = (float)(TONE_LOUDEST * wave->loudness_now * sum);
    }
}
