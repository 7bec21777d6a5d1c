/* The widgets of panels: sliders, buttons, lists, texts, worked by mouse, wheel, fingers, keys and
 * gamepad alike. Nuklear lays them out, clips and scrolls them, and has buttons and the square of
 * colours; fingers, and the focus that keys and gamepads move, are ours.
 *
 * A panel is built anew for every event, and once more to be drawn: ui_begin, widgets from the top
 * down, ui_end. What a widget returns is what the event did to it; without an event nothing
 * happens. Lengths are units of render/window/paint.h. All of it is of the window's thread. */
#ifndef APP_VIEWER_PANELS_UI_H
#define APP_VIEWER_PANELS_UI_H

#include <stdbool.h>

#include "app/viewer/overlays/entry.h"
#include "kernels/status.h"
#include "render/window/event.h"
#include "render/window/paint.h"

struct ui;

enum status ui_create(struct ui **ui); /* STATUS_OUT_OF_MEMORY */
void ui_destroy(struct ui *ui);        /* accepts NULL */

/* Begins another panel at its top, with the focus on its first widget behind the head. */
void ui_reset(struct ui *ui);

/* Area of the panel: at the right edge of the window, or along the lower edge of a narrow one. The
 * middle of the picture is never covered. */
struct paint_area ui_area(const struct paint *paint);
enum {
    UI_WIDTH = 412,       /* width of the panel, where the window has so many units */
    UI_WIDTH_LEAST = 320, /* the panel lies along the lower edge where this is too wide */
    UI_TEXT_WIDTH = 234   /* least width of a text beside a mark, in the narrowest window */
};
#define UI_SHARE 0.4        /* most of the window's width that a panel at the right covers */
#define UI_SHARE_BELOW 0.47 /* share of its height for one along the lower edge */

/* Is the event the panel's? Not those of the mouse and of fingers that begin beside it, and keys
 * without a meaning in it, which are the picture's. */
bool ui_wants(const struct ui *ui, const struct paint *paint, const struct input_event *event);

/* Tabs of the head, each with an icon, and with its name where the panel is high enough. */
enum ui_icon {
    UI_ICON_SETTINGS,
    UI_ICON_PLACES,
    UI_ICON_TOURS,
    UI_ICON_FORMULAS,
    UI_ICON_BOOKMARKS,
    UI_ICON_PALETTES,
    UI_ICON_COLOURS,
    UI_ICON_FILM
};
struct ui_tab {
    const char *name;
    enum ui_icon icon;
};
struct ui_tabs {
    const struct ui_tab *tab;
    int count, chosen; /* chosen -1: the panel is none of them */
};

/* Begins a pass; `event` is NULL to draw. Returns what the event did to the head: the number of the
 * tab that was chosen, or one of these. The title stands at the top where no tab says it. */
enum { UI_STAYS = -1, UI_CLOSES = -2 };
int ui_begin(struct ui *ui, struct paint *paint, const struct input_event *event,
             const struct ui_tabs *tabs, const char *title);
void ui_end(struct ui *ui);

/* A line of text at the left, and one at the right; either may be "". */
void ui_line(struct ui *ui, const char *left, const char *right);
void ui_paragraph(struct ui *ui, const char *text);
void ui_heading(struct ui *ui, const char *text);

/* Buttons in rows of as many as there is room for; the number of the one that was pressed, or -1.
 */
int ui_buttons(struct ui *ui, const char *const *labels, int count);

/* Has the value been changed? Below a line with its name and the value in words. */
bool ui_slider(struct ui *ui, const char *name, const char *words, double *value, double least,
               double most, double step);

/* A choice among several values: -1 for the one before, 1 for the next, else 0. */
int ui_choice(struct ui *ui, const char *name, const char *words);

/* Has it been switched? */
bool ui_switch(struct ui *ui, const char *name, bool on);

/* A text to type; returns the answer of entry_take. Clipboard keys are served by the functions. A
 * finger or a gamepad that presses the text opens keys below it. */
struct ui_clipboard {
    char *(*paste)(void *context); /* to be freed; NULL: none */
    void (*copy)(void *context, const char *text);
    void *context;
};
enum entry_answer ui_entry(struct ui *ui, struct entry *entry,
                           const struct ui_clipboard *clipboard);

/* A row of a list: a picture or none, and a text; marked if it is the one in use. Pictures are
 * borrowed until ui_end, here and below. */
enum ui_answer { UI_NOTHING, UI_CHOSEN, UI_REMOVED };
enum ui_answer ui_row(struct ui *ui, const struct paint_image *image, const char *text,
                      bool marked);

/* A row with a small picture, a title and a note below it. */
enum ui_answer ui_card(struct ui *ui, const struct paint_image *image, const char *title,
                       const char *note, bool marked);

/* Scrolls to the next widget in the first pass of a panel: to what is in use now. */
void ui_seek(struct ui *ui);

/* Gives the next widget the focus in the first pass of a panel, instead of the first one. */
void ui_focus(struct ui *ui);

/* Text that stands in the next ui_entry while that is empty; borrowed until then. */
void ui_prompt(struct ui *ui, const char *text);

/* A cell of a grid of pictures with a text below; the grid is as wide as there is room for. */
void ui_grid(struct ui *ui, int width, int height);
enum ui_answer ui_cell(struct ui *ui, const struct paint_image *image, const char *text);

/* Has the colour, sRGB 0 ... 1, been changed? By a square and three sliders with these names. */
bool ui_colour(struct ui *ui, double rgb[3], const char *const names[3]);

/* A strip of colours with handles at positions 0 ... 1. Returns the handle that is pressed or
 * dragged, -1 for none, and in *position where it is dragged to, < 0: it is only selected. After a
 * double click beside all handles it returns `count`, and in *position that of the click. */
int ui_strip(struct ui *ui, const struct paint_image *image, const double *positions, int count,
             int selected, double *position);

/* Is a text being typed into? */
bool ui_types(const struct ui *ui);

#endif
