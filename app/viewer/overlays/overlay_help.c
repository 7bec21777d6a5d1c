#include <math.h>
#include <stdio.h>

#include "app/viewer/overlays/action_words.h"
#include "app/viewer/overlays/overlay.h"
#include "app/viewer/overlays/strings.h"
#include "app/viewer/overlays/style.h"

#define COLUMN_LEAST 420.0 /* a narrower one has keys above what they do, not beside it */
#define LETTER STYLE_LETTER
#define LINE 21.0
#define FOOT 24.0

enum { ROWS_MAX = 2 * ACTIONS, KEYS_BYTES = 512 };

struct row {
    const char *heading; /* NULL: an action */
    enum action action;
    char keys[KEYS_BYTES];
    int lines;
};

struct sheet {
    struct paint *paint;
    struct row row[ROWS_MAX];
    int rows, unbound;
    double keys, help; /* greatest widths of keys and sentences, each on one line */
    double column;     /* width of a column */
    double side;       /* width of the keys in a column; 0: they stand above the sentences */
    int columns, lines;
};

static void row_add(struct sheet *sheet, const char *heading, enum action action,
                    const struct actions *actions)
{
    struct row *row = &sheet->row[sheet->rows++];
    *row = (struct row){.heading = heading, .action = action};
    if (heading)
        return;
    actions_words(actions, action, row->keys, sizeof row->keys);
    double keys = paint_text_width(sheet->paint, LETTER, row->keys);
    double help = paint_text_width(sheet->paint, LETTER, string_action(action));
    sheet->keys = fmax(sheet->keys, keys);
    sheet->help = fmax(sheet->help, help);
}

/* Makes a row for each action with a binding, and a heading wherever the group changes. Other
 * actions are only counted. */
static void rows_make(struct sheet *sheet, const struct actions *actions)
{
    static const enum string groups[] = {
        [GROUP_PLACES] = STRING_PAGE_PLACES,   [GROUP_MOVING] = STRING_GROUP_MOVING,
        [GROUP_COLOURS] = STRING_PAGE_COLOURS, [GROUP_PICTURE] = STRING_GROUP_PICTURE,
        [GROUP_SHOWN] = STRING_GROUP_SHOWN,    [GROUP_PROGRAM] = STRING_GROUP_PROGRAM};
    int group = -1;
    for (int i = ACTION_NONE + 1; i < ACTIONS; i++) {
        if (!actions->binding[i][0].kind) {
            sheet->unbound++;
            continue;
        }
        if (group != action_rows[i].group) {
            group = action_rows[i].group;
            row_add(sheet, string_of(groups[group]), ACTION_NONE, actions);
        }
        row_add(sheet, NULL, (enum action)i, actions);
    }
}

/* Draws the keys beside what they do, or, where there is no room for that, above it. */
static int row_draw(const struct sheet *sheet, const struct row *row, double x, double y, bool seen)
{
    struct paint *paint = sheet->paint;
    uint32_t text = seen ? STYLE_TEXT : 0, dim = seen ? STYLE_DIM : 0;
    double width = sheet->column - 2 * STYLE_GAP;
    if (row->heading)
        return paint_paragraph(paint, x, y, LETTER, LINE, width, seen ? STYLE_ACCENT : 0,
                               row->heading);
    const char *help = string_action(row->action);
    if (sheet->side > 0) {
        int left =
            paint_paragraph(paint, x, y, LETTER, LINE, sheet->side - STYLE_GAP, text, row->keys);
        int right = paint_paragraph(paint, x + sheet->side, y, LETTER, LINE, width - sheet->side,
                                    dim, help);
        return left > right ? left : right;
    }
    int above = paint_paragraph(paint, x, y, LETTER, LINE, width, text, row->keys);
    return above + paint_paragraph(paint, x + STYLE_GAP, y + above * LINE, LETTER, LINE,
                                   width - STYLE_GAP, dim, help);
}

/* Places rows into the columns, from row `first` on; returns how many had room. No row is split,
 * and no heading stands alone. */
static int rows_place(const struct sheet *sheet, int first, const struct paint_area *at)
{
    int column = 0, line = 0, i = first;
    for (; i < sheet->rows; i++) {
        const struct row *row = &sheet->row[i];
        int needed = row->lines + (row->heading && i + 1 < sheet->rows ? row[1].lines : 0);
        if (line > 0 && line + needed > sheet->lines) {
            line = 0;
            column++;
        }
        if (column == sheet->columns)
            break;
        if (at)
            row_draw(sheet, row, at->x + column * sheet->column, at->y + line * LINE, true);
        line += row->lines;
    }
    return i - first;
}

static int columns_set(struct sheet *sheet, double width, int columns)
{
    double whole = sheet->keys + sheet->help + 4 * STYLE_GAP;
    double share = sheet->keys / (sheet->keys + sheet->help);
    sheet->columns = columns;
    sheet->column = fmin(width / columns, whole);
    sheet->side = sheet->column < COLUMN_LEAST ? 0
                  : sheet->column < whole      ? (sheet->column - 2 * STYLE_GAP) * share
                                               : sheet->keys + 2 * STYLE_GAP;
    for (int i = 0; i < sheet->rows; i++)
        sheet->row[i].lines = row_draw(sheet, &sheet->row[i], 0, 0, false);
    return rows_place(sheet, 0, NULL);
}

/* Chooses the fewest columns that show all, else as many as there is room for. */
static void columns_choose(struct sheet *sheet, double width)
{
    int most = (int)fmax(1, floor(width / COLUMN_LEAST)), columns = 1;
    while (columns_set(sheet, width, columns) < sheet->rows && columns < most)
        columns++;
    if (rows_place(sheet, 0, NULL) < sheet->rows)
        return;
    do
        sheet->lines--; /* balances columns: a single row in the last one looks forgotten */
    while (rows_place(sheet, 0, NULL) == sheet->rows);
    sheet->lines++;
}

/* Limits the first row so that the last page is as full as the others. */
static int first_clamped(const struct sheet *sheet, int first)
{
    int last = sheet->rows - 1;
    while (last > 0 && rows_place(sheet, last - 1, NULL) == sheet->rows - (last - 1))
        last--;
    return first < 0 ? 0 : first < last ? first : last;
}

static void foot_draw(const struct sheet *sheet, const struct paint_area *panel,
                      const struct overlay_help *help)
{
    double y = panel->y + panel->height - FOOT, letter = LETTER;
    bool beyond = help->first + help->shown < sheet->rows;
    const char *closes = string_of(STRING_HELP_CLOSES);
    const char *rest = beyond || help->first ? string_of(STRING_HELP_REST) : "";
    double left = panel->x + STYLE_GAP, right = panel->x + panel->width - STYLE_GAP;
    while (letter > 8 && paint_text_width(sheet->paint, letter, closes) + 2 * STYLE_GAP +
                                 paint_text_width(sheet->paint, letter, rest) >
                             right - left)
        letter--;
    double width = paint_text_width(sheet->paint, letter, rest);
    left += paint_text(sheet->paint, left, y, letter, STYLE_DIM, closes) + 3 * STYLE_GAP;
    paint_text(sheet->paint, right - width, y, letter, beyond ? STYLE_ACCENT : STYLE_DIM, rest);
    char unbound[160], count[16];
    snprintf(count, sizeof count, "%d", sheet->unbound);
    string_fill(unbound, sizeof unbound, STRING_HELP_UNBOUND, count);
    if (sheet->unbound &&
        left + paint_text_width(sheet->paint, LETTER, unbound) <= right - width - 3 * STYLE_GAP)
        paint_text(sheet->paint, left, y, LETTER, STYLE_DIM, unbound);
}

struct overlay_help overlay_help(struct paint *paint, const struct actions *actions, int first)
{
    struct sheet sheet = {.paint = paint};
    double width = paint_units(paint, paint->width), height = paint_units(paint, paint->height);
    sheet.lines = (int)fmax(1, floor((height - 4 * STYLE_GAP - FOOT) / LINE));
    rows_make(&sheet, actions);
    columns_choose(&sheet, width - 3 * STYLE_GAP);
    struct overlay_help help = {.first = first_clamped(&sheet, first)};
    struct paint_area panel = {.width = sheet.columns * sheet.column + STYLE_GAP,
                               .height = sheet.lines * LINE + FOOT + 2 * STYLE_GAP};
    panel.x = fmax(STYLE_GAP, (width - panel.width) / 2);
    panel.y = fmax(STYLE_GAP, (height - panel.height) / 2);
    paint_rectangle(paint, panel, STYLE_PAGE);
    help.shown =
        rows_place(&sheet, help.first,
                   &(struct paint_area){.x = panel.x + STYLE_GAP, .y = panel.y + STYLE_GAP});
    foot_draw(&sheet, &panel, &help);
    return help;
}
