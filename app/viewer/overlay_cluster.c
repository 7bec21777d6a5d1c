#include <math.h>
#include <stdio.h>

#include "app/viewer/overlay.h"
#include "app/viewer/strings.h"
#include "app/viewer/style.h"

#define WIDTH 420.0
#define TITLE 30.0
#define LETTER 20.0
#define BAR 16.0
#define PITCH 22.0
#define RESTS 0.05 /* of a rank */

enum { BARS_MOST = 16 };

double overlay_cluster_busy(const struct live_state *state)
{
    double busy = 0;
    for (int i = 0; i < state->workers; i++)
        busy += state->worker[i].alive ? state->worker[i].busy : 0;
    return busy;
}

/* One bar for several ranks, where they are many. */
static double busy_of(const struct live_state *state, int bar, int bars)
{
    int first = bar * state->workers / bars, end = (bar + 1) * state->workers / bars;
    double busy = 0;
    for (int i = first; i < end; i++)
        busy += state->worker[i].alive ? state->worker[i].busy : 0;
    return end > first ? busy / (end - first) : 0;
}

void overlay_cluster(struct paint *paint, const struct live_state *state, double pixels_per_s)
{
    char text[160], number[STYLE_NUMBER_BYTES];
    double busy = overlay_cluster_busy(state);
    int bars = state->workers < BARS_MOST ? state->workers : BARS_MOST, alive = 0;
    for (int i = 0; i < state->workers; i++)
        alive += state->worker[i].alive;
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
    snprintf(number, sizeof number, "%.1f", busy);
    string_fill(text, sizeof text, busy < RESTS ? STRING_STAND_RESTS : STRING_STAND_TOGETHER,
                number);
    paint_text(paint, x, y, LETTER, STYLE_TEXT, text);
    y += 30;
    for (int i = 0; i < bars; i++, y += PITCH)
        paint_bar(paint, (struct paint_area){x, y, width, BAR}, busy_of(state, i, bars),
                  style_worker(state->worker[i * state->workers / bars].rank % 255),
                  STYLE_BAR_BACK);
}
