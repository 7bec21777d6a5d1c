/* A quiet tone that falls without end as the view goes deeper, and rises on the way out, by SDL's
 * audio. Samples are computed, none is stored.
 *
 * It is a sum of sines an octave apart that move together (R. N. Shepard, Circularity in judgments
 * of relative pitch, JASA 36, 1964): each is loud in the middle of the range and silent at its
 * ends, where it goes round. So a pitch stands for any depth, 1e1000 included. */
#ifndef RENDER_WINDOW_TONE_H
#define RENDER_WINDOW_TONE_H

#include "kernels/status.h"

enum { TONE_RATE = 44100, TONE_PARTIALS = 7 };
#define TONE_LOUDEST 0.06 /* largest amplitude; 1 is the greatest that there is */

/* ---- samples; pure ---- */

struct tone_wave {                  /* zeroed: silence */
    double pitch, loudness;         /* wanted: octaves, any number; 0 ... 1 */
    double pitch_now, loudness_now; /* follow them without a click */
    double phase[TONE_PARTIALS];    /* turns */
};

/* The next `count` samples, -TONE_LOUDEST ... TONE_LOUDEST. */
void tone_wave_fill(struct tone_wave *wave, float *samples, int count);

/* ---- the device ---- */

struct tone;

/* Opens the default audio device; after window_open. STATUS_NO_DEVICE with the reason. */
enum status tone_open(struct tone **tone);
void tone_close(struct tone *tone); /* accepts NULL; before window_close */

/* Sets what is wanted: pitch in octaves, loudness 0 ... 1. */
void tone_set(struct tone *tone, double pitch, double loudness);

#endif
