/* Motions of a view: pan, zoom, turn, box and pinch, at any depth.
 *
 * A position in a picture is two doubles: pixels from its upper left corner, x right, y down; the
 * middle of pixel (3, 5) is (3.5, 5.5). A motion moves the point of the plane at one position to
 * another, and enlarges and turns the view about it. The functions below make motions, which is
 * arithmetic; view_move applies one, exactly.
 *
 * A view that was moved is finite and within its range, whatever the motions were. Its centre keeps
 * VIEW_GUARD_DIGITS decimal places beyond a pixel and no more, so that its text does not grow; the
 * rounding moves the picture by less than 1e-20 px. Its zoom keeps 17 digits, and the centre is
 * computed for the zoom as it is written, so that a fixed point stays fixed all the same.
 *
 * A centre is moved in decimal, as it is written (decimal.h): so a motion costs hardly more than a
 * copy of its text, and a view needs no second form. */
#ifndef RENDER_VIEW_VIEW_MOTION_H
#define RENDER_VIEW_VIEW_MOTION_H

#include "kernels/status.h"
#include "kernels/formula.h"
#include "render/view/view.h"

enum { VIEW_GUARD_DIGITS = 20 };

struct view_motion {
    double from_x, from_y; /* position in the old view, in pixels */
    double to_x, to_y;     /* position of the same point in the new view, in pixels */
    double factor;         /* factor of the zoom, > 0 */
    double turn_deg; /* clockwise turn of the picture: added to the rotation, or subtracted in a
                        mirrored view */
};

struct view_motion motion_pan(double right_px, double down_px); /* moves the picture */
struct view_motion motion_zoom(double factor, double x, double y);
struct view_motion motion_turn(double turn_deg, double x, double y);

/* Motion of two fingers, from two positions to two others. Fingers that begin or end within
 * MOTION_FINGERS_PX of each other only move the picture: their angle and distance say nothing. */
#define MOTION_FINGERS_PX 8.0
struct view_motion motion_fingers(const double from[2][2], const double to[2][2]);

/* Motion by which the box with these two corners fills a picture of width x height; at least one of
 * its sides does. A box smaller than a pixel counts as one pixel. */
struct view_motion motion_box(double width, double height, double x0, double y0, double x1,
                              double y1);

/* Limits of motions. */
struct view_range {
    const char *home_re, *home_im; /* centre of the view that shows the whole set */
    double home_zoom; /* zoom that shows the whole set in a picture at least as wide as high */
    bool home_mirrored;
    double zoom_least;
    double centre_most; /* largest |centre|: all points within it can be brought to the middle */
    double log2_step_least; /* smallest step of c per pixel */
};

extern const struct view_range range_parameter_plane; /* range of the Mandelbrot set */
extern const struct view_range range_dynamic_plane;   /* range of Julia sets */

/* Range of a formula: each row has one for the plane of c; the Julia sets of all rows that do not
 * divide share one. Formulas without perturbation end at the precision of doubles. */
const struct view_range *view_range_of(const struct formula *formula);

/* Limits that cut a motion short: bits. */
enum view_stop { VIEW_STOP_OUT = 1, VIEW_STOP_IN = 2, VIEW_STOP_EDGE = 4 };

/* Applies the motion. A view that was outside of the range may stay there but not go farther out,
 * or deeper. Numbers that are not finite are no motion. A rotation within 1e-10 degrees of a
 * multiple of 1e-6 becomes that multiple: there and back is 0. *stops: the limits that cut it
 * short; it may be NULL. STATUS_OUT_OF_MEMORY leaves *view as it was. Cost on one core of an AMD
 * EPYC: 9 us at a zoom of 1e10, 0.1 ms at 1e100000. */
enum status view_move(struct view *view, const struct view_range *range,
                      const struct view_motion *motion, unsigned *stops);

/* Sets the view to the whole set, upright, in a picture of the view's size, or of width x height if
 * the view is zeroed. */
enum status view_home(struct view *view, const struct view_range *range, int32_t width,
                      int32_t height);

/* Sets another size: the centre stays in the middle, the picture as high in the plane as it was;
 * higher only where its pixels would become too small for the range, and smaller than they were. */
enum status view_resize(struct view *view, const struct view_range *range, int32_t width,
                        int32_t height);

/* Point of the plane at a position, rounded to doubles. */
enum status view_point(const struct view *view, double x, double y, double *re, double *im);

/* The same as decimal texts that tell neighbours apart by 1e-20 of a pixel; freed by the caller.
 * Positions beyond 1e9 px lose digits. STATUS_OUT_OF_MEMORY: both are NULL. */
enum status view_point_text(const struct view *view, double x, double y, char **re, char **im);

/* Placement of an old picture in a new view. With (x, y) a position in the old picture, from its
 * middle, the same point of the plane is in the new picture, from its middle, at
 *     x' = scale (x cos angle - y sin angle) + dx_px
 *     y' = scale (x sin angle + y cos angle) + dy_px.
 * y points down, so a positive angle turns clockwise for the eye. */
struct placement {
    double scale;     /* >= 0; 0 where the old picture is too small for doubles to say, or the
                         mirror image */
    double angle_rad; /* -pi ... pi */
    double dx_px, dy_px;
};

/* Placement as exact as doubles are, to 1e-9 px of a picture that is still visible, at any depth.
 * Values beyond doubles become +-1e300: always finite. Cost: that of view_move. */
enum status view_placement(const struct view *from, const struct view *to,
                           struct placement *placement);

#endif
