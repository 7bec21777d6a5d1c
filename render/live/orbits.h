/* The choice of the reference orbit: settled pictures have that of their own centre, previews may
 * use one from nearby. For the coordinator of render/live/live.c; the orbits are computed by the
 * thread of orbit_maker.h. */
#ifndef RENDER_LIVE_ORBITS_H
#define RENDER_LIVE_ORBITS_H

#include "render/live/orbit_maker.h"
#include "render/live/rank_worker.h"

struct orbits {
    struct orbit_maker *maker;
    struct orbit_made *own, *last; /* of this picture; one from before, for previews */
    struct orbit_made *coming;     /* what the maker is at, without its points; NULL: nothing */
    uint64_t number;
    bool asked; /* of the maker, for this picture and limit */
    double amplification;
    bool amplification_known;
    struct picture_context blocks; /* the preview whose blocks are the newest, */
    uint64_t blocks_orbit;         /* and the number of its orbit */
};

void orbits_close(struct orbits *orbits); /* accepts a zeroed one; closes the maker */

/* Asks for the orbit of a picture, if one is missing that is wanted for previews or for the settled
 * picture. */
enum status orbits_want(struct orbits *orbits, struct orbit_request *request, bool for_preview,
                        bool for_final);

/* Takes what the maker has. Fails if it cannot be made and this picture has asked for it. */
enum status orbits_collect(struct orbits *orbits);

/* The orbit of this picture is from now on one from before. */
void orbits_retire(struct orbits *orbits);

/* Gives up what the maker is at. */
void orbits_stop(struct orbits *orbits);

/* The orbit that there is for a context of this view, number `epoch`; its offset from it is noted
 * there. NULL: none yet. */
const struct orbit_made *orbits_for(struct orbits *orbits, bool exact, const struct view *view,
                                    uint64_t epoch, struct picture_context *context);

#endif
