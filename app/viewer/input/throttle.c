#include "app/viewer/input/throttle.h"

#include <math.h>

/* Between requests while the view moves. */
static double wait_of(const struct throttle *throttle)
{
    if (!throttle->covered)
        return throttle->flies ? THROTTLE_FLIGHT_PATIENCE_S : THROTTLE_PATIENCE_S;
    return throttle->flies && !throttle->fine ? THROTTLE_FLIGHT_S : THROTTLE_LEAST_S;
}

enum throttle_kind throttle_decide(const struct throttle *throttle, double now_s, double *until_s)
{
    double rest_s = throttle->changed_s + THROTTLE_REST_S;
    bool first = throttle->asked_s == 0;
    *until_s = INFINITY;
    if (throttle->view_is_new) {
        if (now_s >= rest_s)
            return THROTTLE_ASK_SETTLED;
        double wait_s = wait_of(throttle);
        if (first || now_s >= throttle->asked_s + wait_s)
            return THROTTLE_ASK_MOVING;
        *until_s = fmin(throttle->asked_s + wait_s, rest_s);
        return THROTTLE_WAIT;
    }
    if (throttle->asked_moving && now_s >= rest_s)
        return THROTTLE_ASK_SETTLED;
    if (throttle->look_is_new) {
        double look_s = throttle->asked_s + THROTTLE_LOOK_S;
        if (now_s >= look_s)
            return throttle->asked_moving ? THROTTLE_ASK_MOVING : THROTTLE_ASK_SETTLED;
        *until_s = look_s;
    }
    if (throttle->asked_moving)
        *until_s = fmin(*until_s, rest_s);
    return THROTTLE_WAIT;
}

void throttle_view_changed(struct throttle *throttle, double now_s)
{
    throttle->view_is_new = true;
    throttle->changed_s = now_s;
}

void throttle_covered(struct throttle *throttle, bool covered, bool fine)
{
    throttle->covered = covered;
    throttle->fine = fine;
}

void throttle_asked(struct throttle *throttle, enum throttle_kind kind, double now_s)
{
    if (throttle->view_is_new)
        throttle->covered = throttle->fine = false;
    throttle->view_is_new = throttle->look_is_new = false;
    throttle->asked_moving = kind == THROTTLE_ASK_MOVING;
    throttle->asked_s = now_s;
}

bool throttle_at_rest(const struct throttle *throttle)
{
    return !throttle->view_is_new && !throttle->look_is_new && !throttle->asked_moving &&
           throttle->asked_s > 0;
}
