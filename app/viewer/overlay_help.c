#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/viewer/overlay.h"
#include "app/viewer/style.h"

#define COLUMN 560.0
#define NARROW 480.0
#define KEYS 0.42 /* of a column: for the names of keys */
#define LETTER 15.0
#define LINE 20.0
#define CUT "\xe2\x80\xa6" /* ... as one character */

enum { ROWS_MAX = 2 * ACTIONS };

struct row {
    const char *heading; /* NULL: an action */
    enum action action;
};

/* A heading wherever the group changes. */
static int rows_of(struct row rows[ROWS_MAX])
{
    int count = 0;
    const char *group = "";
    for (int i = ACTION_NONE + 1; i < ACTIONS; i++) {
        if (strcmp(group, action_rows[i].group) != 0) {
            group = action_rows[i].group;
            rows[count++] = (struct row){.heading = group};
        }
        rows[count++] = (struct row){.action = (enum action)i};
    }
    return count;
}

static void text_within(struct paint *paint, double x, double y, double width, uint32_t colour,
                        const char *text)
{
    char cut[256];
    size_t fit = paint_text_fit(paint, LETTER, text, width);
    if (text[fit])
        fit = paint_text_fit(paint, LETTER, text, width - paint_text_width(paint, LETTER, CUT));
    snprintf(cut, sizeof cut, "%.*s%s", (int)fit, text, text[fit] ? CUT : "");
    paint_text(paint, x, y, LETTER, colour, cut);
}

/* The keys beside what they do, or, where there is no room for that, above it. */
static void row_draw(struct paint *paint, const struct actions *actions, const struct row *row,
                     double x, double y, double width)
{
    char keys[256];
    if (row->heading) {
        paint_text(paint, x, y, LETTER, STYLE_ACCENT, row->heading);
        return;
    }
    actions_keys(actions, row->action, keys, sizeof keys);
    if (width < NARROW) {
        text_within(paint, x, y, width, STYLE_TEXT, *keys ? keys : "-");
        text_within(paint, x + STYLE_GAP, y + LINE, width - STYLE_GAP, STYLE_DIM,
                    action_rows[row->action].help);
        return;
    }
    text_within(paint, x, y, width * KEYS - 8, STYLE_TEXT, *keys ? keys : "-");
    text_within(paint, x + width * KEYS, y, width * (1 - KEYS), STYLE_DIM,
                action_rows[row->action].help);
}

int overlay_help(struct paint *paint, const struct actions *actions, int first)
{
    struct row rows[ROWS_MAX];
    int count = rows_of(rows);
    double width = paint_units(paint, paint->width), height = paint_units(paint, paint->height);
    struct paint_area panel = {STYLE_GAP, STYLE_GAP, width - 2 * STYLE_GAP, height - 2 * STYLE_GAP};
    int columns = (int)fmax(1, floor(panel.width / COLUMN));
    double column = (panel.width - STYLE_GAP) / columns;
    double line = column - 2 * STYLE_GAP < NARROW ? 2 * LINE : LINE;
    int lines = (int)fmax(1, floor((panel.height - 2 * STYLE_GAP - LINE) / line));
    first = first < 0 ? 0 : first < count ? first : count - 1;
    int shown = count - first < columns * lines ? count - first : columns * lines;
    int beyond = count - first - shown;
    paint_rectangle(paint, panel, STYLE_PAGE);
    /* Columns of one length: a single row in the last one looks forgotten. */
    lines = (shown + columns - 1) / columns;
    for (int i = 0; i < shown; i++)
        row_draw(paint, actions, &rows[first + i], panel.x + STYLE_GAP + i / lines * column,
                 panel.y + STYLE_GAP + i % lines * line, column - 2 * STYLE_GAP);
    text_within(paint, panel.x + STYLE_GAP, panel.y + panel.height - LINE - 4,
                panel.width - 2 * STYLE_GAP, STYLE_DIM,
                beyond || first ? "Up and Down show the rest; Escape closes" : "Escape closes");
    return beyond;
}
