/* Frames: from the state of the viewer to pixels on the screen, and what it took. */
#ifndef APP_VIEWER_VIEWER_DRAW_H
#define APP_VIEWER_VIEWER_DRAW_H

#include "app/viewer/core/viewer_state.h"

enum status viewer_draw(struct viewer *viewer);

#endif
