/* Pages of the panel: settings, places, bookmarks, palettes, the palette editor, files and the text
 * box; and the button that opens them without keys. Rows of one table; each is built by the widgets
 * of ui.h. */
#ifndef APP_VIEWER_PANELS_VIEWER_PAGES_H
#define APP_VIEWER_PANELS_VIEWER_PAGES_H

#include "app/viewer/core/viewer_state.h"

/* STATUS_OUT_OF_MEMORY. */
enum status viewer_pages_open(struct viewer *viewer);
void viewer_pages_close(struct viewer *viewer);

/* Handles an event for the page that is open, or for the button; false: it is for neither. */
bool viewer_pages_take(struct viewer *viewer, const struct input_event *event);

bool viewer_menu_seen(const struct viewer *viewer);

/* Must the button be drawn fainter, or disappear? Else the viewer wakes up when it must. */
bool viewer_menu_due(struct viewer *viewer, double now_s);

/* Area of the window that no page covers. */
struct paint_area viewer_pages_free(const struct viewer *viewer, const struct paint *paint);

void viewer_pages_draw(struct viewer *viewer, struct paint *paint);

#endif
