/* The head-up display: figures in a corner, a bar for every rank, a line of progress. */
#ifndef APP_VIEWER_OVERLAYS_HUD_H
#define APP_VIEWER_OVERLAYS_HUD_H

#include <stdbool.h>

#include "include/deepfield/deepfield.h"
#include "render/window/paint.h"

enum hud_level { HUD_NOTHING, HUD_SHORT, HUD_FULL, HUD_LEVELS };

struct hud {
    enum hud_level level;
    const deepfield_live_state *state; /* borrowed */
    const struct view *view;           /* the view on the screen; borrowed */
    const struct formula *formula;
    bool limit_automatic, cycling, reduced_motion;
    const char *palette;
    const char *search; /* progress of a search; NULL: there is none */
};

/* The text of one line, from 0; false beyond the last. */
enum { HUD_LINE_BYTES = 160 };
bool hud_line(const struct hud *hud, int line, char text[HUD_LINE_BYTES]);

/* Draws from the upper left corner down to `room` units, and not beyond. Where that is too little
 * letters are smaller, down to a pixel a unit; what has no room then is left out. */
void hud_draw(const struct hud *hud, struct paint *paint, double room);

#endif
