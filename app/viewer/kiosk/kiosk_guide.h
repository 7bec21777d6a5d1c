/* The way around what is black: where a flight of a visitor turns, before it is inside the set and
 * nothing is seen any more. Pure. */
#ifndef APP_VIEWER_KIOSK_KIOSK_GUIDE_H
#define APP_VIEWER_KIOSK_KIOSK_GUIDE_H

#include "render/motion/survey.h"

#define KIOSK_GUIDE_REACH 0.2   /* heights around the fixed point that are judged */
#define KIOSK_GUIDE_SPEED 0.9   /* heights a second by which the fixed point moves at most */
#define KIOSK_GUIDE_SLOWEST 0.1 /* least factor of the speed while it turns */

enum kiosk_way_ahead {
    KIOSK_AHEAD_CLEAR,
    KIOSK_AHEAD_BLACK, /* *x, *y become the nearest position that is not */
    KIOSK_AHEAD_CLOSED /* all of the picture is black */
};

/* Judges what lies around (x, y), pixels of the surveyed picture, within `reach_px`. */
enum kiosk_way_ahead kiosk_guide(const struct survey *survey, double reach_px, double *x,
                                 double *y);

/* Factor of the zoom's speed while its fixed point is so far from where it should be, in heights.
 */
double kiosk_guide_ease(double apart);

/* The position that is most worth a visit, in pixels, where hands reach it; false: there is none.
 */
bool kiosk_guide_best(const struct survey *survey, double *x, double *y);

#endif
