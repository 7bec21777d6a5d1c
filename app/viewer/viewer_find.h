/* Finding a point from the window: what keys ask for, and going there. */
#ifndef APP_VIEWER_VIEWER_FIND_H
#define APP_VIEWER_VIEWER_FIND_H

#include "app/viewer/viewer_state.h"

/* Begins to search about the pointer. */
enum status viewer_find_nucleus(struct viewer *viewer, double x, double y);
enum status viewer_find_misiurewicz(struct viewer *viewer, double x, double y);
enum status viewer_find_embedded(struct viewer *viewer, double x, double y);

/* The same in all of the view. */
enum status viewer_find_in_view(struct viewer *viewer);

/* Stops a search; was there one? */
bool viewer_find_stop(struct viewer *viewer);

/* Goes to what was found; to be called in each turn of the loop. */
enum status viewer_find_look(struct viewer *viewer, double now_s);

/* How far a search is; false: there is none. */
bool viewer_find_line(struct viewer *viewer, char text[HUD_LINE_BYTES]);

#endif
