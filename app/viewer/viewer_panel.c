#include "app/viewer/viewer_panel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/convert.h"
#include "app/viewer/viewer_files.h"

enum { HELP_STEP = 3 };
#define HELP_DRAG 20.0 /* units that a finger goes for a row */
#define BOOKMARKS_DRAG 84.0

static void accept(struct viewer *viewer)
{
    enum entry_for what = viewer->entry_for;
    char *text = viewer->entry.text;
    int32_t width, height;
    viewer->entry.text = NULL;
    viewer_panel_close(viewer);
    if (!text || !*text) {
        free(text);
        return;
    }
    if (what == ENTRY_GO_TO)
        viewer_set_place(viewer, text, strlen(text), "what was typed", PLACE_GIVEN);
    else if (what == ENTRY_OPEN_FILE)
        viewer_file_open(viewer, text);
    else if (convert_size(text, &width, &height) == STATUS_OK)
        viewer_print(viewer, width, height, "");
    else
        viewer_say(viewer, NOTICE_ALARM, "%s", status_text());
    free(text);
}

/* All keys are for the box but Escape, which the table has. */
static bool entry_panel(struct viewer *viewer, const struct input_event *event)
{
    if (event->kind != INPUT_KEY_DOWN && event->kind != INPUT_TEXT)
        return false;
    if (event->key == INPUT_KEY_ESCAPE && event->kind == INPUT_KEY_DOWN)
        return false;
    if (event->kind == INPUT_KEY_DOWN && event->key == 'v' && event->modifiers == INPUT_CTRL) {
        char *text = window_clipboard(viewer->window);
        if (text && !entry_type(&viewer->entry, text))
            viewer_tell(viewer, NOTICE_ALARM, STRING_ENTRY_CLIPBOARD_FULL);
        free(text);
    } else if (entry_take(&viewer->entry, event) == ENTRY_ACCEPTED) {
        accept(viewer);
        return true;
    }
    viewer->overlay_stale = true;
    return true;
}

/* A finger that drags moves what is in the panel: by how many steps of so many units since the last
 * time, positive upwards? */
static int finger_steps(struct viewer *viewer, const struct input_event *event, double units)
{
    double step = units * window_paint(viewer->window)->scale;
    if (event->kind == INPUT_FINGER_DOWN) {
        viewer->finger_y = event->y;
        viewer->finger_taps = true;
    }
    double steps = trunc((viewer->finger_y - event->y) / step);
    viewer->finger_y -= steps * step;
    viewer->finger_taps &= steps == 0;
    return (int)fmax(fmin(steps, ACTIONS), -ACTIONS);
}

static bool is_tap(const struct viewer *viewer, const struct input_event *event)
{
    return event->kind == INPUT_FINGER_UP && viewer->finger_taps;
}

/* Drawing takes it back to where there are rows. */
static void help_move(struct viewer *viewer, int rows)
{
    viewer->help.first += rows;
    viewer->overlay_stale = true;
}

static bool help_key(struct viewer *viewer, int32_t key)
{
    switch (key) {
    case INPUT_KEY_ARROW_UP:
    case INPUT_KEY_ARROW_DOWN:
        help_move(viewer, key == INPUT_KEY_ARROW_DOWN ? HELP_STEP : -HELP_STEP);
        return true;
    case INPUT_KEY_PAGE_UP:
    case INPUT_KEY_PAGE_DOWN:
        help_move(viewer, key == INPUT_KEY_PAGE_DOWN ? viewer->help.shown : -viewer->help.shown);
        return true;
    case INPUT_KEY_HOME:
    case INPUT_KEY_END:
        viewer->help.first = 0;
        help_move(viewer, key == INPUT_KEY_END ? 2 * ACTIONS : 0);
        return true;
    default:
        return false;
    }
}

static bool help_finger(struct viewer *viewer, const struct input_event *event)
{
    int rows = finger_steps(viewer, event, HELP_DRAG);
    if (rows)
        help_move(viewer, rows);
    if (is_tap(viewer, event))
        viewer_panel_close(viewer);
    return true;
}

static bool help_panel(struct viewer *viewer, const struct input_event *event)
{
    switch (event->kind) {
    case INPUT_WHEEL:
        help_move(viewer, event->wheel_y < 0 ? HELP_STEP : -HELP_STEP);
        return true;
    case INPUT_BUTTON_DOWN:
        return viewer_panel_close(viewer);
    case INPUT_FINGER_DOWN:
    case INPUT_FINGER_MOVE:
    case INPUT_FINGER_UP:
        return help_finger(viewer, event);
    case INPUT_KEY_DOWN:
        return help_key(viewer, event->key);
    case INPUT_PAD_DOWN:
        if (event->pad_button != INPUT_PAD_ARROW_UP && event->pad_button != INPUT_PAD_ARROW_DOWN)
            return false;
        help_move(viewer, event->pad_button == INPUT_PAD_ARROW_DOWN ? HELP_STEP : -HELP_STEP);
        return true;
    default:
        return false;
    }
}

static void select_bookmark(struct viewer *viewer, int number)
{
    int count = (int)viewer->bookmarks.count;
    viewer->bookmark = number < 0 ? 0 : number < count ? number : count - 1;
    viewer->overlay_stale = true;
}

static bool bookmarks_key(struct viewer *viewer, int32_t key)
{
    int columns = overlay_bookmark_columns(window_paint(viewer->window));
    switch (key) {
    case INPUT_KEY_ARROW_LEFT:
        select_bookmark(viewer, viewer->bookmark - 1);
        return true;
    case INPUT_KEY_ARROW_RIGHT:
        select_bookmark(viewer, viewer->bookmark + 1);
        return true;
    case INPUT_KEY_ARROW_UP:
        select_bookmark(viewer, viewer->bookmark - columns);
        return true;
    case INPUT_KEY_ARROW_DOWN:
        select_bookmark(viewer, viewer->bookmark + columns);
        return true;
    case INPUT_KEY_ENTER:
        viewer_bookmark_open(viewer, viewer->bookmark);
        return true;
    case INPUT_KEY_DELETE:
        viewer_bookmark_remove(viewer, viewer->bookmark);
        return true;
    default:
        return false;
    }
}

/* Opens the bookmark there; beside them all it closes the list. */
static void bookmarks_hit(struct viewer *viewer, const struct input_event *event)
{
    int number = overlay_bookmark_at(window_paint(viewer->window), &viewer->bookmarks,
                                     viewer->bookmark, event->x, event->y);
    if (number < 0) {
        viewer_panel_close(viewer);
        return;
    }
    viewer->bookmark = number;
    viewer_bookmark_open(viewer, viewer->bookmark);
}

static bool bookmarks_panel(struct viewer *viewer, const struct input_event *event)
{
    int columns = overlay_bookmark_columns(window_paint(viewer->window)), rows;
    switch (event->kind) {
    case INPUT_KEY_DOWN:
        return bookmarks_key(viewer, event->key);
    case INPUT_WHEEL:
        select_bookmark(viewer, viewer->bookmark + (event->wheel_y < 0 ? columns : -columns));
        return true;
    case INPUT_BUTTON_DOWN:
        bookmarks_hit(viewer, event);
        return true;
    case INPUT_FINGER_DOWN:
    case INPUT_FINGER_MOVE:
    case INPUT_FINGER_UP:
        rows = finger_steps(viewer, event, BOOKMARKS_DRAG);
        if (rows)
            select_bookmark(viewer, viewer->bookmark + rows * columns);
        if (is_tap(viewer, event))
            bookmarks_hit(viewer, event);
        return true;
    default:
        return false;
    }
}

bool viewer_panel_take(struct viewer *viewer, const struct input_event *event)
{
    switch (viewer->panel) {
    case PANEL_ENTRY:
        return entry_panel(viewer, event);
    case PANEL_HELP:
        return help_panel(viewer, event);
    case PANEL_BOOKMARKS:
        return bookmarks_panel(viewer, event);
    default:
        return false;
    }
}
