#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/viewer/overlay.h"
#include "app/viewer/strings.h"
#include "app/viewer/style.h"

#define CELL_WIDTH 216.0
#define CELL_LEAST 180.0
#define CELL_HEIGHT 168.0
#define TITLE_HEIGHT 30.0
#define CUT "\xe2\x80\xa6" /* ... as one character */
#define UP "\xe2\x96\xb2"  /* triangles */
#define DOWN "\xe2\x96\xbc"
#define HEAD 40.0
#define FOOT 22.0
#define HEAD_LETTER 14.0 /* two lines of it have room, if the window is narrow */

struct layout {
    struct paint_area panel;
    double cell_width, cell_height;
    int columns, rows, first; /* first: number of the bookmark in the upper left cell */
    bool foot;                /* there are more than have room */
};

static double width_inside(const struct paint *paint)
{
    return paint_units(paint, paint->width) - 4 * STYLE_GAP;
}

int overlay_bookmark_columns(const struct paint *paint)
{
    return (int)fmax(1, floor(width_inside(paint) / CELL_LEAST));
}

static void rows_fit(struct layout *layout)
{
    double room = layout->panel.height - HEAD - (layout->foot ? FOOT : 0);
    layout->cell_height = fmin(CELL_HEIGHT, room);
    layout->rows = (int)fmax(1, floor(room / layout->cell_height));
}

/* Whole rows, so many on that the selected one is seen. */
static struct layout layout_of(const struct paint *paint, size_t count, int selected)
{
    struct layout layout = {.panel = {STYLE_GAP, STYLE_GAP,
                                      paint_units(paint, paint->width) - 2 * STYLE_GAP,
                                      paint_units(paint, paint->height) - 2 * STYLE_GAP},
                            .columns = overlay_bookmark_columns(paint)};
    layout.cell_width = fmin(CELL_WIDTH, (width_inside(paint) + STYLE_GAP) / layout.columns);
    rows_fit(&layout);
    layout.foot = (size_t)layout.columns * (size_t)layout.rows < count;
    rows_fit(&layout);
    int row = selected / layout.columns;
    layout.first = row < layout.rows ? 0 : (row - layout.rows + 1) * layout.columns;
    return layout;
}

static struct paint_area cell_of(const struct layout *layout, int place)
{
    return (struct paint_area){
        layout->panel.x + STYLE_GAP + place % layout->columns * layout->cell_width,
        layout->panel.y + HEAD + place / layout->columns * layout->cell_height,
        layout->cell_width - STYLE_GAP, layout->cell_height - STYLE_GAP};
}

static void cell_draw(struct paint *paint, struct paint_area cell, const struct bookmark *bookmark,
                      bool selected)
{
    char text[128];
    const char *title = *bookmark->title ? bookmark->title : bookmark->name;
    double picture = cell.height - TITLE_HEIGHT, most = cell.width - 8;
    paint_rectangle(paint, cell, STYLE_PANEL_LIGHT);
    if (bookmark->pixels && bookmark->width > 0 && bookmark->height > 0) {
        struct paint_image image = {bookmark->pixels, bookmark->width, bookmark->height,
                                    bookmark->width};
        double scale = fmin(cell.width / bookmark->width, picture / bookmark->height);
        double width = bookmark->width * scale, height = bookmark->height * scale;
        struct paint_area area = {cell.x + (cell.width - width) / 2,
                                  cell.y + (picture - height) / 2, width, height};
        paint_image(paint, area, &image, 255);
    }
    size_t fit = paint_text_fit(paint, 14, title, most);
    if (title[fit])
        fit = paint_text_fit(paint, 14, title, most - paint_text_width(paint, 14, CUT));
    snprintf(text, sizeof text, "%.*s%s", (int)fit, title, title[fit] ? CUT : "");
    paint_text(paint, cell.x + 4, cell.y + picture + 6, 14, STYLE_TEXT, text);
    if (selected)
        paint_border(paint, cell, 3, STYLE_ACCENT);
}

/* How many more there are, and where: nobody looks for what cannot be seen to be there. */
static void foot_draw(struct paint *paint, const struct layout *layout, int count)
{
    int above = layout->first, below = count - above - layout->columns * layout->rows;
    char text[96] = "", more[64], number[16];
    int numbers[] = {above, below};
    for (int i = 0; i < 2; i++) {
        size_t used = strlen(text);
        snprintf(number, sizeof number, "%d", numbers[i]);
        string_fill(more, sizeof more, STRING_BOOKMARKS_MORE, number);
        if (numbers[i] > 0)
            snprintf(text + used, sizeof text - used, "%s%s %s", used ? "   " : "", i ? DOWN : UP,
                     more);
    }
    double right = layout->panel.x + layout->panel.width - STYLE_GAP;
    paint_text(paint, right - paint_text_width(paint, HEAD_LETTER, text),
               layout->panel.y + layout->panel.height - FOOT, HEAD_LETTER, STYLE_ACCENT, text);
}

void overlay_bookmarks(struct paint *paint, const struct bookmarks *bookmarks, int selected)
{
    struct layout layout = layout_of(paint, bookmarks->count, selected);
    char head[160], count[24];
    paint_rectangle(paint, layout.panel, STYLE_PAGE);
    snprintf(count, sizeof count, "%zu", bookmarks->count);
    string_fill(head, sizeof head, bookmarks->count ? STRING_BOOKMARKS_HEAD : STRING_BOOKMARKS_NONE,
                count);
    paint_paragraph(paint, layout.panel.x + STYLE_GAP, layout.panel.y + 0.6 * STYLE_GAP,
                    HEAD_LETTER, HEAD_LETTER + 2, layout.panel.width - 2 * STYLE_GAP, STYLE_TEXT,
                    head);
    for (int i = 0; i < layout.columns * layout.rows; i++) {
        int number = layout.first + i;
        if (number < (int)bookmarks->count)
            cell_draw(paint, cell_of(&layout, i), &bookmarks->bookmark[number], number == selected);
    }
    if (layout.foot)
        foot_draw(paint, &layout, (int)bookmarks->count);
}

int overlay_bookmark_at(const struct paint *paint, const struct bookmarks *bookmarks, int selected,
                        double x_px, double y_px)
{
    struct layout layout = layout_of(paint, bookmarks->count, selected);
    double x = paint_units(paint, x_px), y = paint_units(paint, y_px);
    for (int i = 0; i < layout.columns * layout.rows; i++) {
        struct paint_area cell = cell_of(&layout, i);
        if (x >= cell.x && x < cell.x + cell.width && y >= cell.y && y < cell.y + cell.height &&
            layout.first + i < (int)bookmarks->count)
            return layout.first + i;
    }
    return -1;
}
