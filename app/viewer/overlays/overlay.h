/* Overlays on the picture, beside the figures (hud.h), the text box (entry.h) and notices
 * (notice.h). Each of these draws what it is given, and knows nothing else. */
#ifndef APP_VIEWER_OVERLAYS_OVERLAY_H
#define APP_VIEWER_OVERLAYS_OVERLAY_H

#include <stdbool.h>

#include "app/viewer/input/actions.h"
#include "render/live/live.h"
#include "render/reference/point_orbit.h"
#include "render/view/view_motion.h"
#include "render/window/paint.h"

/* All actions and all their bindings, in columns. What does not fit is reached by `first`, the
 * first row to show; any value will do. Returns the row that came first, and how many came. */
struct overlay_help {
    int first, shown;
};
struct overlay_help overlay_help(struct paint *paint, const struct actions *actions, int first);

/* A sentence in the middle of the window; returns the units that are left above it. */
double overlay_sentence(struct paint *paint, const char *text);

/* A text at the lower edge, with a few characters above its right end; returns the units that are
 * left above it. */
double overlay_caption(struct paint *paint, const char *text, const char *where);

/* Each cell in the colour of the rank that computed it. */
void overlay_tiles(struct paint *paint, const struct live_owners *owners);

/* What all ranks do together, for people who see it for the first time: how many points a second,
 * how many ranks' worth of work at once, and a bar for each in the colour of its cells. */
void overlay_cluster(struct paint *paint, const struct live_state *state, double pixels_per_s);
enum { OVERLAY_SHARE_BYTES = 160 };
/* Their work in words: `text`, or another one; "" of one rank, which compares with nothing. */
const char *overlay_cluster_share(const struct live_state *state, char text[OVERLAY_SHARE_BYTES]);

/* The box that is being drawn: two corners in pixels. */
void overlay_box(struct paint *paint, double x0, double y0, double x1, double y1);

/* A cross where a gamepad aims; pixels. */
void overlay_reticle(struct paint *paint, double x, double y);

/* The orbit of a point and external rays: over the picture where that is the plane of the orbit,
 * and shallow, else in a frame of its own; with words in the upper right corner, or across a narrow
 * window. Returns the units that are left for figures above them: INFINITY where they are beside.
 */
struct overlay_orbit {
    const struct view *view;
    const struct point_orbit *orbit;
    int count;  /* limit of the points drawn */
    int period; /* period of the rays; 0: none */
    const struct ray *rays;
    int rays_count;
    double bottom; /* units, where its words end at the latest */
};
double overlay_orbit(struct paint *paint, const struct overlay_orbit *shown);

/* A small picture in a lower corner, with a line of text above it. */
enum overlay_corner { OVERLAY_LEFT, OVERLAY_RIGHT };
#define OVERLAY_INSET_WIDTH 260.0 /* units */
#define OVERLAY_INSET_HEIGHT 195.0
struct paint_area overlay_inset_area(const struct paint *paint, enum overlay_corner corner);
struct paint_area overlay_inset_frame(const struct paint *paint, enum overlay_corner corner);
void overlay_inset(struct paint *paint, enum overlay_corner corner, const struct paint_image *image,
                   const char *title);

/* Where a view lies in the map of the whole set: its outline, or a cross when it is too small. */
void overlay_here(struct paint *paint, enum overlay_corner corner, const struct view *map,
                  const struct view *view);

/* A cross where a point lies in such a map. */
void overlay_point(struct paint *paint, enum overlay_corner corner, const struct view *map,
                   double re, double im);

#endif
