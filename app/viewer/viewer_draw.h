/* Drawing of frames, from the state of the viewer to pixels on the screen, and their times. */
#ifndef APP_VIEWER_VIEWER_DRAW_H
#define APP_VIEWER_VIEWER_DRAW_H

#include "app/viewer/core/viewer_state.h"

enum status viewer_draw(struct viewer *viewer);

#endif
