/* The autopilot: an automatic flight. Pure, and deterministic: the same seed, surveys and steps
 * give the same motions.
 *
 * It dives towards cells with structure, drawn at random among the best, until none is left or a
 * limit is reached; then it zooms out by a part of the way and dives elsewhere. The fixed point of
 * its zoom moves steadily, never by a jump, and towards the middle. */
#ifndef RENDER_MOTION_AUTOPILOT_H
#define RENDER_MOTION_AUTOPILOT_H

#include <stdbool.h>
#include <stdint.h>

#include "render/motion/survey.h"
#include "render/view/view_motion.h"

#define AUTOPILOT_DECIDE_S 0.6     /* interval between decisions */
#define AUTOPILOT_LOG2_SPEED 0.9   /* doublings of the zoom per second on the way in */
#define AUTOPILOT_LOG2_SPEED_OUT 2 /* doublings per second on the way out */
#define AUTOPILOT_TURN_MOST 0.35   /* heights per second that the fixed point moves at most */

enum autopilot_way { AUTOPILOT_IN, AUTOPILOT_OUT };

struct autopilot {
    uint64_t random; /* state of the generator */
    enum autopilot_way way;
    double log2_least, log2_most; /* range of log2 of the zoom, at whose ends it reverses */
    double turn_log2;             /* log2 of the zoom at which the way out ends */
    bool has_target;
    double aim_x, aim_y;       /* fixed point of the zoom, from the middle, in heights */
    double target_x, target_y; /* target of the fixed point, likewise */
    double log2_speed;         /* present speed */
    double decided_s;          /* seconds since the last decision */
};

/* Begins a flight between these zooms. */
struct autopilot autopilot_begin(uint64_t seed, double log2_least, double log2_most);

/* Is it time for a decision? */
bool autopilot_is_due(const struct autopilot *autopilot);

/* Decides by the survey of the picture of the view whose zoom is 2^log2_zoom. */
void autopilot_decide(struct autopilot *autopilot, const struct survey *survey, double log2_zoom);

/* Motion of the next `elapsed_s` of a view of this size. */
struct view_motion autopilot_step(struct autopilot *autopilot, double elapsed_s, double width,
                                  double height);

/* Notes that the last motion was cut short by `stops`. */
void autopilot_stopped(struct autopilot *autopilot, unsigned stops, double log2_zoom);

#endif
