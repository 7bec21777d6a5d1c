#include <math.h>
#include <stdio.h>

#include "app/viewer/overlays/overlay.h"
#include "app/viewer/overlays/strings.h"
#include "app/viewer/overlays/style.h"

#define WIDTH 420.0
#define TITLE 30.0
#define LETTER 20.0
#define BAR 16.0
#define PITCH 22.0
#define RESTS 0.5 /* ranks' worth of work below which all rest */

enum { BARS_MOST = 16 };

/* Ranks' worth of work. */
static double busy_sum(const deepfield_live_state *state)
{
    double busy = 0;
    for (int i = 0; i < state->workers; i++)
        busy += state->worker[i].alive ? state->worker[i].busy : 0;
    return busy;
}

static int alive_of(const deepfield_live_state *state)
{
    int alive = 0;
    for (int i = 0; i < state->workers; i++)
        alive += state->worker[i].alive;
    return alive;
}

const char *overlay_cluster_share(const deepfield_live_state *state, char text[OVERLAY_SHARE_BYTES])
{
    double busy = busy_sum(state);
    char number[STYLE_NUMBER_BYTES];
    if (busy < RESTS)
        return string_of(STRING_STAND_RESTS);
    if (alive_of(state) < 2)
        return ""; /* a single rank is not compared */
    snprintf(number, sizeof number, "%.1f", busy);
    string_fill(text, OVERLAY_SHARE_BYTES, STRING_STAND_TOGETHER, number);
    return text;
}

/* One bar for several ranks, where they are many. */
static double busy_of(const deepfield_live_state *state, int bar, int bars)
{
    int first = bar * state->workers / bars, end = (bar + 1) * state->workers / bars;
    double busy = 0;
    for (int i = first; i < end; i++)
        busy += state->worker[i].alive ? state->worker[i].busy : 0;
    return end > first ? busy / (end - first) : 0;
}

void overlay_cluster(struct paint *paint, const deepfield_live_state *state, double pixels_per_s)
{
    char text[OVERLAY_SHARE_BYTES], number[STYLE_NUMBER_BYTES];
    int bars = state->workers < BARS_MOST ? state->workers : BARS_MOST, alive = alive_of(state);
    double wide = fmin(WIDTH, paint_units(paint, paint->width) - 2 * STYLE_GAP);
    struct paint_area page = {STYLE_GAP, STYLE_GAP, wide, TITLE + 2 * 26 + bars * PITCH + 30};
    double x = page.x + STYLE_GAP, width = page.width - 2 * STYLE_GAP, y = page.y + 8;
    paint_rectangle(paint, page, STYLE_PAGE);
    snprintf(number, sizeof number, "%d", alive);
    string_fill(text, sizeof text, alive == 1 ? STRING_STAND_ONE : STRING_STAND_MANY, number);
    paint_text(paint, x, y, 24, STYLE_ACCENT, text);
    y += TITLE + 4;
    string_fill(text, sizeof text, STRING_STAND_SPEED, style_number(pixels_per_s, number));
    paint_text(paint, x, y, LETTER, STYLE_TEXT, text);
    y += 26;
    paint_text(paint, x, y, LETTER, STYLE_TEXT, overlay_cluster_share(state, text));
    y += 30;
    for (int i = 0; i < bars; i++, y += PITCH)
        paint_bar(paint, (struct paint_area){x, y, width, BAR}, busy_of(state, i, bars),
                  style_worker(state->worker[i * state->workers / bars].rank % 255),
                  STYLE_BAR_BACK);
}
