#include "app/viewer/overlays/hud.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/viewer/overlays/strings.h"
#include "app/viewer/overlays/style.h"
#include "kernels/formula_text.h"
#include "render/view/view.h"

#define PANEL_WIDTH 430.0
#define RANK_LINE 20.0
#define RANKS_LEAST 4     /* lines of ranks that letters become smaller for */
#define SMALLER 0.25      /* as --ui-scale steps: fonts of few sizes are kept */
#define ORBIT_SWEEP 120.0 /* units */
#define ORBIT_SWEEP_S 3.0

static const char *stage_name(const deepfield_live_state *state)
{
    static const enum string names[] = {[DEEPFIELD_LIVE_NOTHING] = STRING_STAGE_NOTHING,
                                        [DEEPFIELD_LIVE_ORBIT] = STRING_HUD_ORBIT,
                                        [DEEPFIELD_LIVE_COARSE] = STRING_STAGE_COARSE,
                                        [DEEPFIELD_LIVE_QUARTER] = STRING_STAGE_QUARTER,
                                        [DEEPFIELD_LIVE_HALF] = STRING_STAGE_HALF,
                                        [DEEPFIELD_LIVE_FINE] = STRING_STAGE_FINE,
                                        [DEEPFIELD_LIVE_DONE] = STRING_STAGE_FINISHED,
                                        [DEEPFIELD_LIVE_SAMPLES] = STRING_STAGE_SAMPLES,
                                        [DEEPFIELD_LIVE_FAILED] = STRING_STAGE_FAILED};
    if (state->stage == DEEPFIELD_LIVE_DONE && !state->settled)
        return string_of(STRING_STAGE_PREVIEW);
    return string_of(names[state->stage]);
}

static bool computes(const deepfield_live_state *state)
{
    return state->stage != DEEPFIELD_LIVE_NOTHING && state->stage != DEEPFIELD_LIVE_DONE &&
           state->stage != DEEPFIELD_LIVE_FAILED;
}

static void line_add(char *text, enum string string, const char *first, const char *second)
{
    size_t length = strlen(text);
    string_fill(text + length, HUD_LINE_BYTES - length, string, first, second);
}

static double hundredths(double number)
{
    return rint(100 * number) / 100 + 0.0; /* a finder's may be 1e-15; not -0 */
}

static void zoom_line(const struct hud *hud, char *text)
{
    char zoom[STYLE_ZOOM_BYTES], degrees[32], factor[32];
    const struct view *view = hud->view;
    string_fill(text, HUD_LINE_BYTES, STRING_HUD_ZOOM, style_zoom(view->zoom, zoom));
    snprintf(degrees, sizeof degrees, "%.4g", hundredths(view->rotation_deg));
    if (hundredths(view->rotation_deg) != 0)
        line_add(text, STRING_HUD_TURNED, degrees, "");
    snprintf(factor, sizeof factor, "%.4g", view_stretch(&view->shape));
    snprintf(degrees, sizeof degrees, "%.4g", hundredths(view->shape.stretch_deg));
    if (view_stretch(&view->shape) != 1)
        line_add(text, STRING_HUD_STRETCHED, factor, degrees);
}

static void count_line(const struct hud *hud, char *text)
{
    const deepfield_live_state *state = hud->state;
    char least[STYLE_NUMBER_BYTES], most[STYLE_NUMBER_BYTES], stay[16];
    snprintf(stay, sizeof stay, "%.1f", 100 * state->undecided);
    string_fill(text, HUD_LINE_BYTES, state->count_max ? STRING_HUD_COUNTS : STRING_HUD_NO_ESCAPE,
                style_number((double)state->count_min, least),
                style_number((double)state->count_max, most), stay);
}

static void speed_line(const struct hud *hud, char *text)
{
    const deepfield_live_state *state = hud->state;
    char first[STYLE_NUMBER_BYTES], second[STYLE_NUMBER_BYTES], third[STYLE_NUMBER_BYTES];
    if (state->stage == DEEPFIELD_LIVE_ORBIT && state->orbit_most) {
        snprintf(second, sizeof second, "%.1f", state->orbit_s);
        string_fill(text, HUD_LINE_BYTES, STRING_HUD_ORBIT_STEPS,
                    style_number((double)state->orbit_steps, first), second,
                    style_number((double)state->orbit_most, third));
    } else if (state->stage == DEEPFIELD_LIVE_SAMPLES) {
        snprintf(first, sizeof first, "%d", state->samples + 1);
        snprintf(second, sizeof second, "%d", state->samples_wanted);
        string_fill(text, HUD_LINE_BYTES, STRING_HUD_SMOOTHING, first, second);
    } else if (state->stage == DEEPFIELD_LIVE_ORBIT || !computes(state))
        snprintf(text, HUD_LINE_BYTES, "%s", stage_name(state));
    else {
        snprintf(first, sizeof first, "%.0f", 100 * state->done);
        string_fill(text, HUD_LINE_BYTES, STRING_HUD_COMPUTING, stage_name(state), first,
                    style_number(state->iterations_per_s, second));
    }
}

static void formula_line(const struct hud *hud, char *text)
{
    char c[64], says[FORMULA_TEXT_BYTES];
    snprintf(c, sizeof c, "%.9g %+.9g", hud->formula->c_re, hud->formula->c_im);
    if (formula_julia(hud->formula))
        string_fill(text, HUD_LINE_BYTES, STRING_HUD_JULIA, c);
    else if (!formula_quadratic(hud->formula))
        string_fill(text, HUD_LINE_BYTES, STRING_HUD_FORMULA, formula_name(hud->formula),
                    formula_says(hud->formula, says));
    else
        string_fill(text, HUD_LINE_BYTES,
                    hud->cycling ? STRING_HUD_PALETTE_CYCLING : STRING_HUD_PALETTE,
                    *hud->palette == '#' ? string_of(STRING_HUD_PALETTE_PLACE) : hud->palette);
}

bool hud_line(const struct hud *hud, int line, char text[HUD_LINE_BYTES])
{
    const deepfield_live_state *state = hud->state;
    char limit[STYLE_NUMBER_BYTES];
    if (hud->search && hud->level != HUD_NOTHING) { /* the first line, while it lasts */
        snprintf(text, HUD_LINE_BYTES, "%s", hud->search);
        if (line-- == 0)
            return true;
    }
    if (hud->level == HUD_NOTHING || line >= (hud->level == HUD_SHORT ? 2 : 6))
        return false;
    switch (line) {
    case 0:
        zoom_line(hud, text);
        break;
    case 1:
        speed_line(hud, text);
        break;
    case 2:
        string_fill(text, HUD_LINE_BYTES,
                    hud->limit_automatic ? STRING_HUD_LIMIT_AUTOMATIC : STRING_HUD_LIMIT,
                    style_number((double)state->limit, limit));
        break;
    case 3:
        count_line(hud, text);
        break;
    case 4:
        snprintf(text, HUD_LINE_BYTES, "%s", state->method);
        break;
    default:
        formula_line(hud, text);
    }
    return true;
}

/* "rank 3 host  [=====   ]  1234 tiles, message", after a square in the colour of its tiles. */
static void worker_draw(struct paint *paint, double y, double right,
                        const deepfield_live_worker *worker, bool idle)
{
    const double x = 2 * STYLE_GAP;
    char text[128], tiles[STYLE_NUMBER_BYTES], rank[16], host[16];
    paint_rectangle(paint, (struct paint_area){x, y + 4, 10, 10}, style_worker(worker->rank % 255));
    snprintf(rank, sizeof rank, "%d", worker->rank);
    snprintf(host, sizeof host, "%.12s", worker->host);
    string_fill(text, sizeof text, STRING_HUD_RANK, rank, host);
    text[paint_text_fit(paint, 14, text, 140)] = '\0';
    paint_text(paint, x + 16, y, 14, STYLE_DIM, text);
    paint_bar(paint, (struct paint_area){x + 160, y + 4, 80, 10},
              worker->alive && !idle ? worker->busy : 0, STYLE_BAR, STYLE_BAR_BACK);
    string_fill(text, sizeof text,
                !worker->alive        ? STRING_HUD_LOST
                : worker->heard_s > 2 ? STRING_HUD_TILES_SILENT
                                      : STRING_HUD_TILES,
                style_number((double)worker->tiles, tiles),
                worker->transport ? worker->transport : "");
    if (paint_text_width(paint, 14, text) <= right - x - 248) /* all of it or nothing */
        paint_text(paint, x + 248, y, 14, worker->alive ? STYLE_DIM : STYLE_ALARM, text);
}

/* Number of workers that have room; if not all, one line fewer, which says how many more there are.
 */
static int workers_shown(const struct hud *hud, double room)
{
    int lines = (int)fmax(0, floor(room / RANK_LINE));
    return hud->level < HUD_FULL          ? 0
           : hud->state->workers <= lines ? hud->state->workers
           : lines > 0                    ? lines - 1
                                          : 0;
}

static void workers_draw(const struct hud *hud, struct paint *paint, double y, double right,
                         int shown)
{
    char text[64], more[16];
    for (int i = 0; i < shown; i++)
        worker_draw(paint, y + i * RANK_LINE, right, &hud->state->worker[i],
                    hud->state->stage == DEEPFIELD_LIVE_DONE);
    snprintf(more, sizeof more, "%d", hud->state->workers - shown);
    string_fill(text, sizeof text, STRING_HUD_MORE, more);
    if (shown < hud->state->workers)
        paint_text(paint, 2 * STYLE_GAP, y + shown * RANK_LINE, 14, STYLE_DIM, text);
}

/* Draws a bar along the lower edge while something is being computed. */
static void progress_draw(const struct hud *hud, struct paint *paint)
{
    const deepfield_live_state *state = hud->state;
    double width = paint_units(paint, paint->width), bottom = paint_units(paint, paint->height);
    double share = state->stage == DEEPFIELD_LIVE_SAMPLES ? state->sample_done : state->done;
    if (!computes(state))
        return;
    struct paint_area line = {0, bottom - 3, width, 3};
    paint_bar(paint, line, share, STYLE_BAR, STYLE_BAR_BACK);
    if (state->stage ==
        DEEPFIELD_LIVE_ORBIT) { /* its length is not known: a short bar moves to and fro */
        double at = state->orbit_s / ORBIT_SWEEP_S;
        if (!hud->reduced_motion) {
            line.x = (at - floor(at)) * (width + ORBIT_SWEEP) - ORBIT_SWEEP;
            line.width = ORBIT_SWEEP;
        }
        paint_rectangle(paint, line, STYLE_ACCENT);
    }
}

/* Draws as many of the first lines as there is room for; their height. */
static double lines_draw(const struct hud *hud, struct paint *paint, double width, double room,
                         bool seen)
{
    char text[HUD_LINE_BYTES];
    const double x = 2 * STYLE_GAP, y = 1.5 * STYLE_GAP;
    double height = 0;
    for (int i = 0; hud_line(hud, i, text); i++) {
        uint32_t colour = !seen ? 0 : i ? STYLE_DIM : STYLE_TEXT;
        int lines = paint_paragraph(paint, x, y, STYLE_LETTER, STYLE_LINE, width, 0, text);
        if (height + lines * STYLE_LINE > room)
            break;
        paint_paragraph(paint, x, y + height, STYLE_LETTER, STYLE_LINE, width, colour, text);
        height += lines * STYLE_LINE;
    }
    return height;
}

static double width_of(const struct paint *paint)
{
    return fmin(PANEL_WIDTH, paint_units(paint, paint->width) - 2 * STYLE_GAP);
}

/* Height of what must be seen: all lines, and all ranks unless they are many. */
static double height_wanted(const struct hud *hud, struct paint *paint)
{
    double lines = lines_draw(hud, paint, width_of(paint) - 2 * STYLE_GAP, INFINITY, false);
    int ranks = hud->level < HUD_FULL ? 0 : hud->state->workers;
    return lines + (ranks < RANKS_LEAST ? ranks : RANKS_LEAST) * RANK_LINE + 3 * STYLE_GAP;
}

static void panel_draw(const struct hud *hud, struct paint *paint, double room)
{
    struct paint_area panel = {STYLE_GAP, STYLE_GAP, width_of(paint), 0};
    room -= 3 * STYLE_GAP;
    double width = panel.width - 2 * STYLE_GAP, lines = lines_draw(hud, paint, width, room, false);
    int workers = workers_shown(hud, room - lines);
    bool more = hud->level == HUD_FULL && workers < hud->state->workers &&
                room - lines - workers * RANK_LINE >= RANK_LINE;
    panel.height = lines + (workers + more) * RANK_LINE + STYLE_GAP;
    paint_rectangle(paint, panel, STYLE_PANEL);
    lines_draw(hud, paint, width, room, true);
    if (workers || more)
        workers_draw(hud, paint, 1.5 * STYLE_GAP + lines, panel.x + panel.width - STYLE_GAP,
                     workers);
}

void hud_draw(const struct hud *hud, struct paint *paint, double room)
{
    struct paint small = *paint;
    double room_px = room * paint->scale;
    if (hud->level == HUD_NOTHING)
        return;
    while (small.scale > 1 && height_wanted(hud, &small) > paint_units(&small, room_px))
        small.scale = fmax(1, small.scale - SMALLER);
    panel_draw(hud, &small, paint_units(&small, room_px));
    paint->touched = small.touched;
    progress_draw(hud, paint);
}
