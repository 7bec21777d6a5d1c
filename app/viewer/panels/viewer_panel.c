#include "app/viewer/panels/viewer_panel.h"

#include <math.h>

#include "app/viewer/panels/viewer_pages.h"

enum { HELP_STEP = 3 };
#define HELP_DRAG 20.0 /* units that a finger goes for a row */

/* Steps, of so many units, that a finger has dragged since the last call, positive upwards. */
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

/* Scrolls help; drawing limits it to rows that there are. */
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
    if (event->kind == INPUT_FINGER_UP && viewer->finger_taps)
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
        if (event->pad_button == INPUT_PAD_EAST)
            return viewer_panel_close(viewer);
        if (event->pad_button != INPUT_PAD_ARROW_UP && event->pad_button != INPUT_PAD_ARROW_DOWN)
            return false;
        help_move(viewer, event->pad_button == INPUT_PAD_ARROW_DOWN ? HELP_STEP : -HELP_STEP);
        return true;
    default:
        return false;
    }
}

bool viewer_panel_take(struct viewer *viewer, const struct input_event *event)
{
    return viewer->panel == PANEL_HELP ? help_panel(viewer, event)
                                       : viewer_pages_take(viewer, event);
}
