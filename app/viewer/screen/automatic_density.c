#include "app/viewer/screen/automatic_density.h"

#include <math.h>

#include "app/viewer/input/throttle.h"

#define GLIDE_S 0.4 /* duration of a glide from one distribution to the next */
#define DRIFT_S 2.0 /* time in which the distribution of a flight follows the measured one */
/* Octaves of the way out in which it does: what comes into view has counts below all that have
 * colours yet. With DRIFT_S alone an autopilot's contrast was half of that at rest. */
#define DRIFT_OUT_LOG2 0.5

static bool glide(struct automatic_density *density, struct place *place, double now_s,
                  double *wake_s)
{
    double share = fmin((now_s - density->begun_s) / GLIDE_S, 1);
    if (share < 1 && now_s - density->stepped_s < THROTTLE_LOOK_S) {
        *wake_s = fmin(*wake_s, density->stepped_s + THROTTLE_LOOK_S);
        return false;
    }
    density->stepped_s = now_s;
    density->glides = share < 1;
    place->distribution =
        distribution_between(&density->from, &density->to, share * share * (3 - 2 * share));
    *wake_s = fmin(*wake_s, now_s + THROTTLE_LOOK_S);
    return true;
}

/* Uses a new measurement of the wanted picture: at once, or by a glide. */
static bool measured_take(struct automatic_density *density, struct place *place,
                          const deepfield_live_state *state,
                          const struct distribution *distribution, double begin_s)
{
    struct distribution now = place->distribution;
    bool fixed = place->look.density > 0, first = density->soon || fixed || !(now.runs > 0);
    bool measured = distribution->runs > 0;
    if (measured && !first && !state->settled)
        return false;
    density->seen = state->measured;
    if (measured && first) {
        density->soon = false;
        place->distribution = *distribution;
    } else if (measured) {
        density->glides = !distribution_same(&now, distribution);
        density->from = now;
        density->to = *distribution;
        density->begun_s = begin_s;
    }
    return measured && first;
}

/* Part of the way to the measured distribution. */
static double drift_share(const struct automatic_density *density, double now_s)
{
    double elapsed_s = fmin(fmax(now_s - density->stepped_s, 0), DRIFT_S);
    double out_log2 = fmax(density->drifted_log2_zoom - density->log2_zoom, 0);
    return 1 - exp(-fmax(elapsed_s / DRIFT_S, out_log2 / DRIFT_OUT_LOG2));
}

/* Drifts towards the last measurement, for the next picture: those that are shown keep their
 * colours. */
static void drift(struct automatic_density *density, struct place *place,
                  const deepfield_live_state *state, const struct distribution *distribution,
                  double now_s)
{
    bool known = place->distribution.runs > 0 && !density->soon;
    density->glides = false;
    density->seen = DENSITY_UNSEEN; /* the last picture of a flight may be the one at its end */
    if (!(distribution->runs > 0) || state->measured == density->drifted)
        return;
    place->distribution = known ? distribution_between(&place->distribution, distribution,
                                                       drift_share(density, now_s))
                                : *distribution;
    density->soon = false;
    density->drifted = state->measured;
    density->drifted_log2_zoom = density->log2_zoom;
    density->stepped_s = now_s;
}

void automatic_density_renew(struct automatic_density *density, bool at_once)
{
    *density = (struct automatic_density){.seen = DENSITY_UNSEEN,
                                          .drifted = density->drifted,
                                          .soon = at_once,
                                          .drifted_log2_zoom = NAN};
}

bool automatic_density_step(struct automatic_density *density, struct place *place,
                            const deepfield_live_state *state, const struct distribution *measured,
                            enum automatic_density_sight sight, double now_s, double *wake_s)
{
    bool changed = false;
    if (sight == DENSITY_FLIES) {
        drift(density, place, state, measured, now_s);
        return false;
    }
    density->drifted_log2_zoom = NAN;
    if (sight == DENSITY_MOVES) {
        if (density->glides)
            density->seen = DENSITY_UNSEEN; /* to be taken again: the same picture may settle */
        density->glides = false;
    } else if (sight != DENSITY_OTHER && state->measured != density->seen &&
               state->measured_picture == state->picture)
        changed = measured_take(density, place, state, measured,
                                sight == DENSITY_AT_ONCE ? now_s - GLIDE_S : now_s);
    if (density->glides)
        changed |= glide(density, place, now_s, wake_s);
    return changed && !(place->look.density > 0);
}
