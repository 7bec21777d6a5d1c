#include <math.h>
#include <stdio.h>

#include "app/viewer/overlays/overlay.h"
#include "app/viewer/overlays/strings.h"
#include "app/viewer/overlays/style.h"

#define LETTER 24.0 /* least size of letters, for who stands before the screen */
#define LETTER_SHARE \
    24.0                /* lines of letters in the height of the window, for who stands 3 m away */
#define BIG 1.6         /* size of the factor, in letters */
#define ROWS_SHARE 0.26 /* most of the height of the window for all rows */
#define ROW 1.5         /* most height of a row, in letters */
#define LABEL 5.5       /* width of a label, in letters */
#define LEGEND 0.7      /* size of the legend, in letters */
#define SPARK_S 0.6     /* time of a part on its way to its place */
#define SPARK_TAIL 0.2  /* length of its tail, as a share of the way */

enum { ALPHA_MOST = 255, TEXT_BYTES = 160 };

/* ---- where things are ---- */

struct layout { /* units */
    double letter, row, left, right, rows, legend;
    struct paint_area page, less, more;
};

static struct layout layout_of(const struct paint *paint, int rows)
{
    double wide = paint_units(paint, paint->width), high = paint_units(paint, paint->height);
    struct layout at = {.letter = floor(fmax(LETTER, high / LETTER_SHARE))};
    double head = (BIG + 1) * at.letter * 1.25, button = head - STYLE_GAP;
    at.row = fmax(fmin(ROW * at.letter, ROWS_SHARE * high / fmax(rows, 1)), 12);
    double legend = LEGEND * at.letter * 1.4;
    double height = head + rows * at.row + legend + 2 * STYLE_GAP;
    at.page =
        (struct paint_area){STYLE_GAP, high - height - STYLE_GAP, wide - 2 * STYLE_GAP, height};
    at.left = at.page.x + STYLE_GAP + LABEL * at.letter;
    at.right = at.page.x + at.page.width - STYLE_GAP;
    at.rows = at.page.y + STYLE_GAP + head;
    at.legend = at.rows + rows * at.row + STYLE_GAP / 2;
    at.more = (struct paint_area){at.right - button, at.page.y + STYLE_GAP, button, button};
    at.less = at.more;
    at.less.x -= button + STYLE_GAP;
    return at;
}

static bool is_inside(const struct paint_area *area, double x, double y)
{
    return x >= area->x && x < area->x + area->width && y >= area->y && y < area->y + area->height;
}

int overlay_times_at(const struct paint *paint, const struct rank_times *times, double x_px,
                     double y_px)
{
    struct layout at = layout_of(paint, times->rows);
    double x = paint_units(paint, x_px), y = paint_units(paint, y_px);
    if (!is_inside(&at.page, x, y))
        return OVERLAY_TIMES_BESIDE;
    if (is_inside(&at.less, x, y))
        return OVERLAY_TIMES_LESS;
    if (is_inside(&at.more, x, y))
        return OVERLAY_TIMES_MORE;
    double row = floor((y - at.rows) / at.row);
    return row >= 0 && row < times->rows ? (int)row : OVERLAY_TIMES_NOTHING;
}

double overlay_times_height(const struct paint *paint, const struct rank_times *times)
{
    return layout_of(paint, times->rows).page.height + STYLE_GAP;
}

/* ---- words ---- */

/* Draws text no wider than `width`, in smaller letters if need be. */
static void text_fit(struct paint *paint, double x, double y, double size, double width,
                     uint32_t colour, const char *text)
{
    double wide = paint_text_width(paint, size, text);
    paint_text(paint, x, y, wide > width ? fmax(floor(size * width / wide), 8) : size, colour,
               text);
}

double overlay_times_factor(const deepfield_live_state *state)
{
    return state->computing > 1 && state->picture_s > 0 && state->picture_one_s > 0
               ? state->picture_one_s / state->picture_s
               : 0;
}

static void head_draw(struct paint *paint, const struct layout *at,
                      const deepfield_live_state *state)
{
    char text[TEXT_BYTES], first[STYLE_NUMBER_BYTES], second[STYLE_NUMBER_BYTES];
    double factor = overlay_times_factor(state), x = at->page.x + STYLE_GAP;
    double width = at->less.x - STYLE_GAP - x, y = at->page.y + STYLE_GAP / 2;
    snprintf(first, sizeof first, "%.1f", factor);
    if (factor > 0)
        string_fill(text, sizeof text, STRING_RANKS_FASTER, first);
    else
        snprintf(text, sizeof text, "%s",
                 state->computing > 1 && !(state->picture_one_s > 0)
                     ? string_of(STRING_RANKS_MEASURE)
                     : "");
    text_fit(paint, x, y, (factor > 0 ? BIG : 1) * at->letter, width, STYLE_ACCENT, text);
    y += BIG * at->letter * 1.25;
    snprintf(first, sizeof first, "%d", state->computing);
    snprintf(second, sizeof second, "%d", state->workers);
    string_fill(text, sizeof text, STRING_RANKS_COMPUTE, first, second);
    text_fit(paint, x, y, at->letter, width, STYLE_TEXT, text);
    double used = fmin(paint_text_width(paint, at->letter, text), width);
    snprintf(first, sizeof first, state->picture_s < 1 ? "%.2f" : "%.1f", state->picture_s);
    string_fill(text, sizeof text, STRING_RANKS_PICTURE, first);
    if (state->picture_s > 0 && width - used > 8 * at->letter)
        text_fit(paint, x + used + at->letter, y, at->letter, width - used - at->letter, STYLE_DIM,
                 text);
}

static void button_draw(struct paint *paint, const struct paint_area *area, bool plus)
{
    double x = area->x + area->width / 2, y = area->y + area->height / 2, arm = area->width / 4;
    paint_rectangle(paint, *area, STYLE_PANEL_LIGHT);
    paint_border(paint, *area, 2, STYLE_BORDER);
    paint_line(paint, x - arm, y, x + arm, y, 4, STYLE_TEXT);
    if (plus)
        paint_line(paint, x, y - arm, x, y + arm, 4, STYLE_TEXT);
}

/* ---- rows ---- */

static int rank_of(const struct rank_times *times, const deepfield_live_state *state, int row)
{
    int first, end;
    rank_times_workers(times, row, &first, &end);
    return end > first ? state->worker[first].rank : 0;
}

static void colours_of(int rank, uint32_t colour[RANK_TIMES])
{
    colour[RANK_COMPUTES] = style_worker(rank % 255);
    colour[RANK_TRANSFERS] = STYLE_TEXT;
    colour[RANK_COMPOSES] = STYLE_ACCENT;
    colour[RANK_WAITS] = UINT32_C(0xff6a7078);
}

static void label_draw(struct paint *paint, const struct overlay_times *shown,
                       const struct layout *at, int row, uint32_t colour)
{
    const deepfield_live_state *state = shown->state;
    char text[TEXT_BYTES], number[STYLE_NUMBER_BYTES];
    int first, end;
    rank_times_workers(shown->times, row, &first, &end);
    snprintf(number, sizeof number, "%d", rank_of(shown->times, state, row));
    if (end > first + 1)
        snprintf(number, sizeof number, "%d ... %d", state->worker[first].rank,
                 state->worker[end - 1].rank);
    bool gpu = end > first && state->load[first].gpu;
    string_fill(text, sizeof text, STRING_HUD_RANK, number, gpu ? "GPU" : "");
    double size = floor(fmin(at->letter, at->row * 0.7));
    text_fit(paint, at->page.x + STYLE_GAP, at->rows + row * at->row + (at->row - size * 1.2) / 2,
             size, at->left - at->page.x - 2 * STYLE_GAP, colour, text);
}

static void row_draw(struct paint *paint, const struct overlay_times *shown,
                     const struct layout *at, int row)
{
    double y = at->rows + row * at->row, high = at->row - 3, share[RANK_TIMES];
    double pitch = (at->right - at->left) / (RANK_TIMES_COLUMNS - 1);
    uint32_t colour[RANK_TIMES];
    colours_of(rank_of(shown->times, shown->state, row), colour);
    bool in = rank_times_shares(shown->times, row, 0, share);
    label_draw(paint, shown, at, row, in ? colour[RANK_COMPUTES] : STYLE_DIM);
    paint_rectangle(paint, (struct paint_area){at->left, y, at->right - at->left, high},
                    STYLE_BAR_BACK);
    for (int age = 1; age < RANK_TIMES_COLUMNS; age++) {
        double foot = y + high;
        rank_times_shares(shown->times, row, age, share);
        for (int part = 0; part < RANK_TIMES; part++) {
            double top = foot - share[part] * high;
            if (share[part] > 0)
                paint_rectangle(
                    paint, (struct paint_area){at->right - age * pitch, top, pitch, foot - top},
                    colour[part]);
            foot = top;
        }
    }
    if (!in)
        text_fit(paint, at->right - LABEL * at->letter, y, floor(fmin(at->letter, high * 0.7)),
                 LABEL * at->letter - STYLE_GAP, STYLE_TEXT, string_of(STRING_RANKS_PAUSES));
}

static void legend_draw(struct paint *paint, const struct layout *at)
{
    static const enum string names[RANK_TIMES] = {[RANK_COMPUTES] = STRING_RANKS_COMPUTES,
                                                  [RANK_TRANSFERS] = STRING_RANKS_TRANSFERS,
                                                  [RANK_COMPOSES] = STRING_RANKS_COMPOSES,
                                                  [RANK_WAITS] = STRING_RANKS_WAITS};
    uint32_t colour[RANK_TIMES];
    double size = floor(LEGEND * at->letter), x = at->page.x + STYLE_GAP, side = size * 0.8;
    colours_of(1, colour);
    for (int part = 0; part < RANK_TIMES; part++) {
        const char *name = string_of(names[part]);
        if (x + side + 4 + paint_text_width(paint, size, name) > at->right)
            return;
        struct paint_area swatch = {x, at->legend + size * 0.25, side, side};
        paint_rectangle(paint, swatch, colour[part]);
        if (part == RANK_COMPUTES) { /* each rank has a colour of its own */
            swatch.x += side / 2;
            swatch.width /= 2;
            paint_rectangle(paint, swatch, style_worker(2));
        }
        x += side + 6;
        x += paint_text(paint, x, at->legend, size, STYLE_TEXT, name) + size;
    }
}

/* ---- parts on their way ---- */

static int row_of(const struct rank_times *times, int worker)
{
    for (int row = 0; row < times->rows; row++) {
        int first, end;
        rank_times_workers(times, row, &first, &end);
        if (worker >= first && worker < end)
            return row;
    }
    return 0;
}

static uint32_t faded(uint32_t colour, double share)
{
    return (colour & UINT32_C(0xffffff)) | (uint32_t)lround(ALPHA_MOST * share) << 24;
}

/* Draws the edge of its place, which lights up. */
static void edge_draw(struct paint *paint, const deepfield_live_arrival *part, uint32_t colour,
                      double age)
{
    struct paint_area area = {paint_units(paint, part->x), paint_units(paint, part->y),
                              paint_units(paint, part->width), paint_units(paint, part->height)};
    paint_border(paint, area, 3, faded(colour, 1 - age));
}

/* Draws it on its way from the newest column of its row to its place in the picture. */
static void spark_draw(struct paint *paint, const struct overlay_times *shown,
                       const struct layout *at, const deepfield_live_arrival *part, uint32_t colour,
                       double age)
{
    double way = 2 * age, tail = fmax(way - SPARK_TAIL, 0), disc = at->letter / 2;
    double x0 = at->right, y0 = at->rows + (row_of(shown->times, part->worker) + 0.5) * at->row;
    double far_x = paint_units(paint, part->x + part->width / 2.0) - x0;
    double far_y = paint_units(paint, part->y + part->height / 2.0) - y0;
    double x = x0 + far_x * way, y = y0 + far_y * way;
    if (way >= 1)
        return;
    paint_line(paint, x0 + far_x * tail, y0 + far_y * tail, x, y, 3, faded(colour, 0.7));
    paint_disc(paint, (struct paint_area){x - disc / 2, y - disc / 2, disc, disc}, colour);
}

/* Draws the newest parts: their edges, or themselves. False: there are none. */
static bool sparks_draw(struct paint *paint, const struct overlay_times *shown,
                        const struct layout *at, bool edges)
{
    const deepfield_live_state *state = shown->state;
    bool any = false;
    for (uint64_t k = 0; shown->sparks && k < DEEPFIELD_LIVE_ARRIVALS && k < state->arrivals; k++) {
        const deepfield_live_arrival *part =
            &state->arrival[(state->arrivals - k) % DEEPFIELD_LIVE_ARRIVALS];
        double age = (shown->now_s - part->at_s) / SPARK_S;
        if (age < 0 || age >= 1 || part->worker >= state->workers)
            continue;
        uint32_t colour = style_worker(state->worker[part->worker].rank % 255);
        if (edges)
            edge_draw(paint, part, colour, age);
        else
            spark_draw(paint, shown, at, part, colour, age);
        any = true;
    }
    return any;
}

bool overlay_times(struct paint *paint, const struct overlay_times *shown)
{
    struct layout at = layout_of(paint, shown->times->rows);
    sparks_draw(paint, shown, &at, true);
    paint_rectangle(paint, at.page, STYLE_PAGE);
    head_draw(paint, &at, shown->state);
    button_draw(paint, &at.less, false);
    button_draw(paint, &at.more, true);
    for (int row = 0; row < shown->times->rows; row++)
        row_draw(paint, shown, &at, row);
    legend_draw(paint, &at);
    return sparks_draw(paint, shown, &at, false);
}
