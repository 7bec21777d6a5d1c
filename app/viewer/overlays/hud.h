/* The head-up display: figures in a corner, a bar for every rank, a line of progress. */
#ifndef APP_VIEWER_OVERLAYS_HUD_H
#define APP_VIEWER_OVERLAYS_HUD_H

#include <stdbool.h>

#include "render/live/live.h"
#include "render/window/paint.h"

enum hud_level { HUD_NOTHING, HUD_SHORT, HUD_FULL, HUD_LEVELS };

struct hud {
    enum hud_level level;
    const struct live_state *state; /* borrowed */
    const struct view *view;        /* likewise: what is on the screen now */
    const struct formula *formula;
    bool limit_automatic, cycling, reduced_motion;
    const char *palette;
    const char *search; /* how far a search is; NULL: there is none */
};

/* The text of one line, from 0; false beyond the last. */
enum { HUD_LINE_BYTES = 160 };
bool hud_line(const struct hud *hud, int line, char text[HUD_LINE_BYTES]);

/* From the upper left corner down to `room` units, and not beyond. Where there is less than it
 * takes letters are smaller, down to a pixel a unit; what has no room then is left out. */
void hud_draw(const struct hud *hud, struct paint *paint, double room);

#endif
