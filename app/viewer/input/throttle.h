/* The throttle between the hand and the engine: when a request is posted. Pure: it reads no clock
 * and posts nothing itself.
 *
 * A hand makes 60 views a second, and each of them would cancel the picture of the one before when
 * it has hardly begun. So while the view moves the next request waits until the picture under way
 * has a colour everywhere, or for THROTTLE_PATIENCE_S; the screen shows the old picture carried
 * along meanwhile. A flight, which lasts, lets each picture become finer for THROTTLE_FLIGHT_S, and
 * does not cancel one that has no colours yet: the next would have none either. When the view has
 * rested for THROTTLE_REST_S the picture is made at the full accuracy. */
#ifndef APP_VIEWER_INPUT_THROTTLE_H
#define APP_VIEWER_INPUT_THROTTLE_H

#include <stdbool.h>

#define THROTTLE_PATIENCE_S 0.1
#define THROTTLE_LEAST_S 0.01 /* least time between requests, however fast pictures are */
#define THROTTLE_FLIGHT_S 0.06
#define THROTTLE_FLIGHT_PATIENCE_S 1.0
#define THROTTLE_REST_S 0.25
#define THROTTLE_LOOK_S 0.033 /* least time between requests for other colours */

struct throttle {      /* zeroed: no request was posted */
    double changed_s;  /* when the view, or how it is computed, changed last */
    double asked_s;    /* when the last request was posted */
    bool view_is_new;  /* the view has changed since the last request */
    bool look_is_new;  /* the look has changed since the last request */
    bool asked_moving; /* the last request was for previews only */
    bool covered;      /* the last request's picture has a colour everywhere */
    bool fine;         /* all pixels of that picture are computed */
    bool flies;        /* the view moves steadily, for long */
};

enum throttle_kind { THROTTLE_WAIT, THROTTLE_ASK_MOVING, THROTTLE_ASK_SETTLED };

/* Decides what to post now; for THROTTLE_WAIT *until_s is when to decide again at the latest,
 * INFINITY: not before something changes. */
enum throttle_kind throttle_decide(const struct throttle *throttle, double now_s, double *until_s);

void throttle_view_changed(struct throttle *throttle, double now_s);
void throttle_covered(struct throttle *throttle, bool covered, bool fine);
void throttle_asked(struct throttle *throttle, enum throttle_kind kind, double now_s);

/* Has the picture of the last change been requested at the full accuracy? */
bool throttle_at_rest(const struct throttle *throttle);

#endif
