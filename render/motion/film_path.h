/* The path of a film: the views of its frames, interpolated between keyframes.
 *
 * Between two keyframes the logarithm of the zoom runs from one to the other, and the centre with
 * it so that both keyframes lie on one straight flight: with s = 1 / zoom
 *     c = c_1 + (c_0 - c_1) (s - s_1) / (s_0 - s_1),
 * along which one point of the plane is fixed on the screen. So a film that has one centre at all
 * keyframes keeps it in the middle, to the last digit, and a film that moves to another point
 * arrives there as it zooms in. Where both zooms are equal the centre moves evenly. Rotation,
 * palette offset, relief and the logarithm of the stretch are interpolated linearly in that of the
 * zoom, too.
 *
 * The speed is constant, except within the ease of a keyframe: the seconds in which a motion comes
 * to rest at it, or begins. There it follows 3 x^2 - 2 x^3. */
#ifndef RENDER_MOTION_FILM_PATH_H
#define RENDER_MOTION_FILM_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/status.h"
#include "render/view/view.h"
#include "render/view/view_motion.h"

enum { FILM_KEYFRAMES_MOST = 4000 };
#define FILM_TURNS_MOST_DEG 36000.0
#define FILM_OFFSET_MOST 1000.0
#define FILM_EASE_S 1.0 /* ease at both ends of a film, where nothing else is said */

struct film_keyframe {
    double time_s;
    const char *re, *im, *zoom; /* numbers (render/view/view.h); owned by the path */
    double rotation_deg;        /* may exceed 360: the frame turns through all of it */
    double offset; /* offset in the palette, may exceed 1: colours run through all of it */
    double relief; /* relief, 0 ... 1; NAN: that of the look */
    double ease_s; /* >= 0 */
    /* stretch; 0: that of the path; the mirror is always that of the path */
    struct view_shape stretch;
    double log2_zoom; /* set by film_path_add */
};

struct film_path {
    struct film_keyframe *keyframe; /* keyframes by rising time, the first at 0; owned */
    size_t count;
    struct view_shape shape; /* shape of all its views */
};

/* Colour settings of a frame that change along the path. */
struct film_shade {
    double offset, relief; /* as in struct film_keyframe */
};

/* Adds a copy of a keyframe. STATUS_BAD_DATA where it is not later than the one before, or a number
 * is invalid. */
enum status film_path_add(struct film_path *path, const struct film_keyframe *keyframe);

void film_path_destroy(struct film_path *path); /* accepts a zeroed one */

double film_path_seconds(const struct film_path *path);

/* log2 of the zoom at a time, which is clamped to the film's. */
double film_path_log2_zoom(const struct film_path *path, double time_s);
struct film_shade film_path_shade(const struct film_path *path, double time_s);
double film_path_rotation_deg(const struct film_path *path, double time_s);

/* Sets the view of a frame of width x height. *view: as for view_set. STATUS_OUT_OF_MEMORY,
 * STATUS_BAD_DATA for a rotation or zoom that no view has. */
enum status film_path_view(const struct film_path *path, double time_s, int32_t width,
                           int32_t height, struct view *view);

/* Sets the view of one centre at another zoom. */
enum status film_view_zoomed(const struct view *centre, double log2_zoom, double rotation_deg,
                             int32_t width, int32_t height, struct view *view);

/* Range of log2 of the zoom, and the keyframe with the largest. */
struct film_depth {
    double low, high;
    size_t deepest;
};
struct film_depth film_path_depth(const struct film_path *path);

/* Have all keyframes one centre, to the letter, and one stretch; and one rotation? */
bool film_path_is_centred(const struct film_path *path);
bool film_path_is_upright(const struct film_path *path);

/* Progress, 0 ... 1, after `time_s` of a motion of `seconds` with eases at both ends. Eases that do
 * not fit are cut to halves of it. */
double film_eased(double time_s, double seconds, double ease_in_s, double ease_out_s);

#endif
