#include "app/viewer/core/viewer_sound.h"

#include <math.h>

#include "render/window/tone.h"

#define STEP_S 0.03      /* least time over which a speed is measured */
#define OCTAVE_LOG2 6.0  /* doublings of the zoom for an octave of the tone */
#define LOUDEST_LOG2 1.0 /* doublings a second at which it is loudest */
#define JUMP_LOG2 20.0   /* doublings a second that are no flight but another place */

enum status viewer_sound_open(struct viewer *viewer)
{
    if (!viewer->options->sound)
        return STATUS_OK;
    return viewer_forgive(viewer, tone_open(&viewer->sound.tone));
}

void viewer_sound_close(struct viewer *viewer)
{
    tone_close(viewer->sound.tone);
    viewer->sound.tone = NULL;
}

void viewer_sound_step(struct viewer *viewer, double now_s)
{
    struct viewer_sound *sound = &viewer->sound;
    struct view_numbers numbers;
    double elapsed_s = now_s - sound->stepped_s;
    if (!sound->tone)
        return;
    if (elapsed_s < STEP_S) {
        viewer->wake_s = fmin(viewer->wake_s, sound->stepped_s + STEP_S);
        return;
    }
    if (view_numbers(&viewer->place.view, &numbers) != STATUS_OK)
        return;
    double log2_zoom = view_log10_zoom(&numbers) * log2(10);
    double speed = fabs(log2_zoom - sound->log2_zoom) / elapsed_s;
    sound->log2_zoom = log2_zoom;
    sound->stepped_s = now_s;
    sound->loudness = speed < JUMP_LOG2 ? fmin(speed / LOUDEST_LOG2, 1) : 0;
    tone_set(sound->tone, -log2_zoom / OCTAVE_LOG2, sound->loudness);
    if (sound->loudness > 0) /* until it is silent */
        viewer->wake_s = fmin(viewer->wake_s, now_s + STEP_S);
}
