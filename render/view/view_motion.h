/* Motions of a view: pan, zoom, turn, box and pinch, at any depth.
 *
 * A place in a picture is two doubles: pixels from its upper left corner, x right, y down; the
 * middle of pixel (3, 5) is (3.5, 5.5). A motion is: what was seen at one place is to be
 * seen at another, enlarged and turned about it. The functions below make motions, which is
 * arithmetic; view_move applies one, exactly.
 *
 * A view that was moved is finite and within its range, whatever the motions were. Its centre keeps
 * VIEW_GUARD_DIGITS decimal places beyond a pixel and no more, so that its text does not grow; the
 * rounding moves what is seen by less than 1e-20 px. Its zoom keeps 17 digits, and the centre is
 * computed for the zoom as it is written, so that a place stays where it was all the same.
 *
 * A centre is moved in decimal, as it is written (decimal.h): so a motion costs hardly more than
 * the copy of its text, and whoever keeps a view needs no other form of it. */
#ifndef RENDER_VIEW_VIEW_MOTION_H
#define RENDER_VIEW_VIEW_MOTION_H

#include "kernels/status.h"
#include "kernels/formula.h"
#include "render/view/view.h"

enum { VIEW_GUARD_DIGITS = 20 };

struct view_motion {
    double from_x, from_y; /* what is seen here, in the old view, */
    double to_x, to_y;     /* is to be seen here, in the new one; pixels */
    double factor;         /* times the zoom, > 0 */
    double turn_deg;       /* what is seen turns clockwise: added to the rotation, or, of a
                              mirrored view, subtracted */
};

struct view_motion motion_pan(double right_px, double down_px); /* of what is seen */
struct view_motion motion_zoom(double factor, double x, double y);
struct view_motion motion_turn(double turn_deg, double x, double y);

/* Two fingers, from two places to two others. Fingers that begin or end within MOTION_FINGERS_PX of
 * each other only move the picture: their angle and distance say nothing. */
#define MOTION_FINGERS_PX 8.0
struct view_motion motion_fingers(const double from[2][2], const double to[2][2]);

/* The box with these two corners is to fill a picture of width x height; at least one of its sides
 * does. A box smaller than a pixel counts as one pixel. */
struct view_motion motion_box(double width, double height, double x0, double y0, double x1,
                              double y1);

/* How far may one go? */
struct view_range {
    const char *home_re, *home_im; /* where the whole set is seen */
    double home_zoom;              /* in a picture at least as wide as high */
    bool home_mirrored;
    double zoom_least;
    double centre_most;     /* of |centre|: all within it can be brought to the middle */
    double log2_step_least; /* of c per pixel */
};

extern const struct view_range range_parameter_plane; /* about the Mandelbrot set */
extern const struct view_range range_dynamic_plane;   /* and any other */

/* Of every row that of the plane of c, and of Julia sets one for all rows that do not divide. What
 * has no perturbation ends with doubles. */
const struct view_range *view_range_of(const struct formula *formula);

/* What kept a motion from being made whole: bits. */
enum view_stop { VIEW_STOP_OUT = 1, VIEW_STOP_IN = 2, VIEW_STOP_EDGE = 4 };

/* Makes the motion. A view that was outside of the range may stay there but not go farther: out, or
 * in where it is too deep. Numbers that are not finite are no motion. A turn that comes to
 * within 1e-10 degrees of a multiple of 1e-6 comes to that: there and back is 0. *stops tells what
 * was in the way; it may be NULL. STATUS_OUT_OF_MEMORY leaves *view as it was.
 * Cost on one core of an AMD EPYC: 9 us at a zoom of 1e10, 0.1 ms at 1e100000. */
enum status view_move(struct view *view, const struct view_range *range,
                      const struct view_motion *motion, unsigned *stops);

/* The whole set, upright, in a picture of the view's size, or of width x height if the view is
 * zeroed. */
enum status view_home(struct view *view, const struct view_range *range, int32_t width,
                      int32_t height);

/* Another size: the centre stays in the middle, the picture as high in the plane as it was; higher
 * only where its pixels would become too small for the range, and smaller than they were. */
enum status view_resize(struct view *view, const struct view_range *range, int32_t width,
                        int32_t height);

/* The point of the plane at a place, rounded to doubles. */
enum status view_point(const struct view *view, double x, double y, double *re, double *im);

/* Where an old picture lies in a new view. With (x, y) a place of the old picture, from its middle,
 * the same point of the plane is seen in the new picture, from its middle, at
 *     x' = scale (x cos angle - y sin angle) + dx_px
 *     y' = scale (x sin angle + y cos angle) + dy_px.
 * y points down, so a positive angle turns clockwise for the eye. */
struct placement {
    double scale;     /* >= 0; 0 where the old picture is too small for doubles to say, or the
                         mirror image */
    double angle_rad; /* -pi ... pi */
    double dx_px, dy_px;
};

/* As exact as doubles are, to 1e-9 px of a picture that is still in sight, at any depth. What is
 * beyond doubles comes as +-1e300: always finite. Cost: that of view_move. */
enum status view_placement(const struct view *from, const struct view *to,
                           struct placement *placement);

#endif
