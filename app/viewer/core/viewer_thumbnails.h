/* Small pictures of the program's places, formulas and tours for the lists of the panel. A run of
 * the program makes those that are missing, once, in the cache folder of the user; the I/O thread
 * loads them. */
#ifndef APP_VIEWER_CORE_VIEWER_THUMBNAILS_H
#define APP_VIEWER_CORE_VIEWER_THUMBNAILS_H

#include "library/settings/tour.h"
#include "app/viewer/core/viewer_state.h"
#include "library/place/data.h"

/* Have the pictures of a list made and loaded; once for each list. */
void viewer_thumbnails_places(struct viewer *viewer, const struct data_names *names);
void viewer_thumbnails_formulas(struct viewer *viewer);
void viewer_thumbnails_tours(struct viewer *viewer, const struct data_names *names,
                             const struct tour *tours);

/* Picture of a place, "formula-NAME" or "tour-NAME"; false: there is none yet. */
bool viewer_thumbnail(const struct viewer *viewer, const char *name, struct paint_image *image);

/* Loads what the run has made, while a list is seen. */
void viewer_thumbnails_poll(struct viewer *viewer, double now_s);
void viewer_thumbnails_close(struct viewer *viewer);

#endif
