/* Overlays on the picture, other than the figures (hud.h), the text box (entry.h) and notices
 * (notice.h). Each function draws its arguments, and has no state. */
#ifndef APP_VIEWER_OVERLAYS_OVERLAY_H
#define APP_VIEWER_OVERLAYS_OVERLAY_H

#include "app/viewer/input/actions.h"
#include "app/viewer/overlays/rank_times.h"
#include "include/deepfield/deepfield.h"
#include "render/view/view_motion.h"
#include "render/window/paint.h"

/* Draws all actions and their bindings in columns, from row `first` on, which may be any number.
 * Returns the row that was drawn first, and how many were. */
struct overlay_help {
    int first, shown;
};
struct overlay_help overlay_help(struct paint *paint, const struct actions *actions, int first);

/* Draws a sentence in the middle of the window; returns the units that are left above it. */
double overlay_sentence(struct paint *paint, const char *text);

/* Draws a text at the lower edge, with a few characters above its right end; returns the units that
 * are left above it. */
double overlay_caption(struct paint *paint, const char *text, const char *where);

/* Draws each cell in the colour of the rank that computed it. */
struct overlay_owners { /* numbers of workers: deepfield_live_owners */
    uint8_t worker[DEEPFIELD_LIVE_BLOCKS][DEEPFIELD_LIVE_BLOCKS]; /* [rows][columns] */
    int32_t columns, rows, side;
};
void overlay_tiles(struct paint *paint, const struct overlay_owners *owners);

/* Draws along the lower edge where the time of each rank goes, in letters that are read from afar:
 * how many compute, how many times faster than one, and a strip of the last seconds for each rank
 * in the colour of its cells. */
struct overlay_times {
    const struct rank_times *times;
    const deepfield_live_state *state;
    double now_s; /* on the clock of the state's moments */
    bool sparks;  /* the newest parts of the picture travel from their rank's row to their places */
};
bool overlay_times(struct paint *paint, const struct overlay_times *shown); /* does any travel? */
double overlay_times_height(const struct paint *paint, const struct rank_times *times); /* units */

/* Factor by which the workers are faster than one alone, of this picture; 0: one computes, or not
 * both were measured. */
double overlay_times_factor(const deepfield_live_state *state);

/* The row at a position in pixels, from 0, or what else is there. */
enum { OVERLAY_TIMES_BESIDE = -4, OVERLAY_TIMES_NOTHING, OVERLAY_TIMES_LESS, OVERLAY_TIMES_MORE };
int overlay_times_at(const struct paint *paint, const struct rank_times *times, double x_px,
                     double y_px);

/* Draws the box of a gesture: two corners in pixels. */
void overlay_box(struct paint *paint, double x0, double y0, double x1, double y1);

/* Draws a cross where a gamepad aims; pixels. */
void overlay_reticle(struct paint *paint, double x, double y);

/* Draws the orbit of a point and external rays: over the picture where that is the plane of the
 * orbit, and shallow, else in a frame of its own; with words in the upper right corner, or across a
 * narrow window. Returns the units that are left for figures above the words, INFINITY where
 * figures are beside them. */
struct overlay_path { /* an orbit of deepfield_picture_orbit, with its memory */
    deepfield_orbit facts;
    double point[DEEPFIELD_ORBIT_POINTS][2], ray[DEEPFIELD_RAY_POINTS][2];
};
struct overlay_ray { /* an external ray of deepfield_ray */
    double point[DEEPFIELD_RAY_POINTS][2];
    int32_t count;
};
struct overlay_orbit {
    const struct view *view;
    const struct overlay_path *orbit;
    int count;  /* limit of the points drawn */
    int period; /* period of the rays; 0: none */
    const struct overlay_ray *rays;
    int rays_count;
    double bottom; /* lowest end of the words, units */
};
double overlay_orbit(struct paint *paint, const struct overlay_orbit *shown);

/* Draws a small picture in a lower corner, with a line of text above it. */
enum overlay_corner { OVERLAY_LEFT, OVERLAY_RIGHT };
#define OVERLAY_INSET_WIDTH 260.0 /* units */
#define OVERLAY_INSET_HEIGHT 195.0
struct paint_area overlay_inset_area(const struct paint *paint, enum overlay_corner corner);
struct paint_area overlay_inset_frame(const struct paint *paint, enum overlay_corner corner);
void overlay_inset(struct paint *paint, enum overlay_corner corner, const struct paint_image *image,
                   const char *title);

/* Draws where a view lies in the map of the whole set: its outline, or a cross if it is too small.
 */
void overlay_here(struct paint *paint, enum overlay_corner corner, const struct view *map,
                  const struct view *view);

/* Draws a cross where a point lies in the map of the whole set. */
void overlay_point(struct paint *paint, enum overlay_corner corner, const struct view *map,
                   double re, double im);

#endif
