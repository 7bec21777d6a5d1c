/* Sound of the viewer: depth as pitch, while the view moves in or out. */
#ifndef APP_VIEWER_CORE_VIEWER_SOUND_H
#define APP_VIEWER_CORE_VIEWER_SOUND_H

#include "app/viewer/core/viewer_state.h"

/* Opens the audio device where sound is wanted; a machine without one is no reason to end. */
enum status viewer_sound_open(struct viewer *viewer);
void viewer_sound_close(struct viewer *viewer);
void viewer_sound_step(struct viewer *viewer, double now_s);

#endif
