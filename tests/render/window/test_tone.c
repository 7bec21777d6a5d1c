/* The tone: bounded, without clicks, silent when nothing moves, and its pitch follows. */
#include <math.h>
#include <stdlib.h>

#include "render/window/tone.h"
#include "tests/support/check.h"

enum { SECOND = TONE_RATE };

static float samples[SECOND];

/* Amplitude of a frequency in the samples, by its discrete Fourier coefficient. */
static double amplitude_at(double hertz)
{
    double re = 0, im = 0;
    for (int i = 0; i < SECOND; i++) {
        double turn = 2 * M_PI * hertz * i / TONE_RATE;
        re += (double)samples[i] * cos(turn);
        im += (double)samples[i] * sin(turn);
    }
    return 2 * hypot(re, im) / SECOND;
}

TEST(test_tone_is_quiet_and_without_clicks)
{
    struct tone_wave wave = {.loudness = 0};
    double before = 0;
    tone_wave_fill(&wave, samples, SECOND);
    for (int i = 0; i < SECOND; i++)
        assert_true(samples[i] == 0);
    for (int round = 0; round < 6; round++) {
        wave.loudness = round % 2 ? 0 : 1;
        wave.pitch -= round == 4 ? 1e6 : 0.4; /* a jump of the pitch, too */
        tone_wave_fill(&wave, samples, SECOND);
        for (int i = 0; i < SECOND; i++) {
            double now = (double)samples[i];
            assert_true(fabs(now) <= TONE_LOUDEST && fabs(now - before) < 0.2 * TONE_LOUDEST);
            before = now;
        }
    }
    assert_true(fabs(before) < 1e-4);
}

/* The partial in the middle of the range is the loudest, and lies lower for what is deeper; an
 * octave of all partials farther is the same again. */
TEST(test_tone_falls_with_depth)
{
    struct tone_wave wave = {.pitch = 0, .loudness = 1};
    tone_wave_fill(&wave, samples, SECOND);
    tone_wave_fill(&wave, samples, SECOND);
    double middle_hz = 41.2 * 8;
    assert_true(amplitude_at(middle_hz) > 10 * amplitude_at(1.3 * middle_hz));
    wave.pitch = -0.25;
    tone_wave_fill(&wave, samples, SECOND);
    tone_wave_fill(&wave, samples, SECOND);
    double lower_hz = middle_hz * exp2(-0.25);
    assert_true(amplitude_at(lower_hz) > 10 * amplitude_at(middle_hz));
    wave.pitch = -554; /* 1e1000 */
    tone_wave_fill(&wave, samples, SECOND);
    tone_wave_fill(&wave, samples, SECOND);
    assert_true(amplitude_at(middle_hz) > 0.2 * TONE_LOUDEST);
}

int main(void)
{
    return check_run(NULL, NULL);
}
