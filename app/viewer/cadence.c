#include "app/viewer/cadence.h"

#include <math.h>

enum cadence_kind cadence_decide(const struct cadence *cadence, double now_s, double *until_s)
{
    double rest_s = cadence->changed_s + CADENCE_REST_S;
    bool first = cadence->asked_s == 0;
    *until_s = INFINITY;
    if (cadence->view_is_new) {
        if (now_s >= rest_s)
            return CADENCE_ASK_SETTLED;
        double wait_s = cadence->covered ? CADENCE_LEAST_S : CADENCE_PATIENCE_S;
        if (first || now_s >= cadence->asked_s + wait_s)
            return CADENCE_ASK_MOVING;
        *until_s = fmin(cadence->asked_s + wait_s, rest_s);
        return CADENCE_WAIT;
    }
    if (cadence->asked_moving && now_s >= rest_s)
        return CADENCE_ASK_SETTLED;
    if (cadence->look_is_new) {
        double look_s = cadence->asked_s + CADENCE_LOOK_S;
        if (now_s >= look_s)
            return cadence->asked_moving ? CADENCE_ASK_MOVING : CADENCE_ASK_SETTLED;
        *until_s = look_s;
    }
    if (cadence->asked_moving)
        *until_s = fmin(*until_s, rest_s);
    return CADENCE_WAIT;
}

void cadence_view_changed(struct cadence *cadence, double now_s)
{
    cadence->view_is_new = true;
    cadence->changed_s = now_s;
}

void cadence_covered(struct cadence *cadence, bool covered)
{
    cadence->covered = covered;
}

void cadence_asked(struct cadence *cadence, enum cadence_kind kind, double now_s)
{
    if (cadence->view_is_new)
        cadence->covered = false;
    cadence->view_is_new = cadence->look_is_new = false;
    cadence->asked_moving = kind == CADENCE_ASK_MOVING;
    cadence->asked_s = now_s;
}

bool cadence_at_rest(const struct cadence *cadence)
{
    return !cadence->view_is_new && !cadence->look_is_new && !cadence->asked_moving &&
           cadence->asked_s > 0;
}
