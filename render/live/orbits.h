/* The choice of the reference orbit: settled pictures have that of their own centre, previews may
 * use one from nearby. For render/live/coordinator.h; the orbits are computed by the
 * thread of orbit_maker.h. */
#ifndef RENDER_LIVE_ORBITS_H
#define RENDER_LIVE_ORBITS_H

#include "render/live/orbit_maker.h"
#include "render/worker/rank_worker.h"

struct orbits {
    struct orbit_maker *maker;
    struct orbit_made *own, *last; /* orbit of this picture; an earlier one, for previews */
    struct orbit_made *coming;     /* orbit under way, without its points; NULL: none */
    uint64_t number;
    bool asked; /* the orbit of this picture and limit was requested */
    double amplification;
    bool amplification_known;
    struct picture_context blocks; /* preview whose blocks are the newest */
    uint64_t blocks_orbit;         /* number of its orbit */
};

void orbits_close(struct orbits *orbits); /* accepts a zeroed one; closes the maker */

/* Requests the orbit of a picture, if one is missing for previews or for the settled picture. */
enum status orbits_want(struct orbits *orbits, struct orbit_request *request, bool for_preview,
                        bool for_final);

/* Takes the orbit that the maker has finished. Fails if it could not be made and this picture has
 * requested it. */
enum status orbits_collect(struct orbits *orbits);

/* Makes the orbit of this picture an earlier one. */
void orbits_retire(struct orbits *orbits);

/* Stops the orbit under way. */
void orbits_stop(struct orbits *orbits);

/* Orbit for a context of this view, number `epoch`; the offset from it is written to the context.
 * NULL: none yet. */
const struct orbit_made *orbits_for(struct orbits *orbits, bool exact, const struct view *view,
                                    uint64_t epoch, struct picture_context *context);

#endif
