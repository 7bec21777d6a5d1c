/* The autopilot: where a flight goes by itself. Pure, and deterministic: the same seed, surveys and
 * steps give the same motions.
 *
 * It dives towards places with structure, chosen by chance among the best, until nothing is worth
 * going on or a limit is reached; then it goes out again by a part of the way and dives elsewhere.
 * The place that it zooms about moves steadily, never by a jump, and into the middle. */
#ifndef RENDER_MOTION_AUTOPILOT_H
#define RENDER_MOTION_AUTOPILOT_H

#include <stdbool.h>
#include <stdint.h>

#include "render/motion/survey.h"
#include "render/view/view_motion.h"

#define AUTOPILOT_DECIDE_S 0.6     /* between decisions; more often there is no need */
#define AUTOPILOT_LOG2_SPEED 0.9   /* doublings a second on the way in, */
#define AUTOPILOT_LOG2_SPEED_OUT 2 /* and on the way out */
#define AUTOPILOT_TURN_MOST 0.35   /* heights a second that the place it zooms about moves */

enum autopilot_way { AUTOPILOT_IN, AUTOPILOT_OUT };

struct autopilot {
    uint64_t random; /* state of the generator */
    enum autopilot_way way;
    double log2_least, log2_most; /* of the zoom: where it turns */
    double turn_log2;             /* on the way out: where it dives again */
    bool has_target;
    double aim_x, aim_y;       /* about which it zooms, from the middle, in heights */
    double target_x, target_y; /* where that place is to be */
    double log2_speed;         /* now */
    double decided_s;          /* since the last decision */
};

/* Between these zooms. */
struct autopilot autopilot_begin(uint64_t seed, double log2_least, double log2_most);

/* Is it time for a decision? */
bool autopilot_asks(const struct autopilot *autopilot);

/* Decides by the survey of the picture of the view whose zoom is 2^log2_zoom. */
void autopilot_decide(struct autopilot *autopilot, const struct survey *survey, double log2_zoom);

/* The motion of the next seconds, of a view of this size. */
struct view_motion autopilot_step(struct autopilot *autopilot, double elapsed_s, double width,
                                  double height);

/* The view cannot be moved as it wants. */
void autopilot_stopped(struct autopilot *autopilot, unsigned stops, double log2_zoom);

#endif
