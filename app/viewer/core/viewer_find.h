/* Searches for points from the window, and the orbit of the point at the pointer. */
#ifndef APP_VIEWER_CORE_VIEWER_FIND_H
#define APP_VIEWER_CORE_VIEWER_FIND_H

#include "app/viewer/core/viewer_state.h"

/* Begins to search about the pointer. */
/* Gives the view the stretch and the turn in which the island at a point has its own shape. */
enum status viewer_find_shape(struct viewer *viewer, double x, double y);
enum status viewer_find_nucleus(struct viewer *viewer, double x, double y);
enum status viewer_find_misiurewicz(struct viewer *viewer, double x, double y);
enum status viewer_find_embedded(struct viewer *viewer, double x, double y);

/* Begins to search in all of the view. */
enum status viewer_find_in_view(struct viewer *viewer);

/* Stops a search; was there one? */
bool viewer_find_stop(struct viewer *viewer);

/* Goes to the point of a search that has ended; called in each round of the loop. */
enum status viewer_find_poll(struct viewer *viewer, double now_s);

/* The orbit of the point at the pointer: shown or not, of more points or fewer, with the rays of
 * the next period; polled in each round of the loop. */
void viewer_orbit_toggle(struct viewer *viewer);
void viewer_orbit_count(struct viewer *viewer, int step);
void viewer_rays_next(struct viewer *viewer);
void viewer_orbit_poll(struct viewer *viewer);

/* How far a search is; false: there is none. */
bool viewer_find_line(struct viewer *viewer, char text[HUD_LINE_BYTES]);

#endif
