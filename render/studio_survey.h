/* Which devices do the ranks of a studio drive? Private to studio*.c. */
#ifndef RENDER_STUDIO_SURVEY_H
#define RENDER_STUDIO_SURVEY_H

#include "render/studio.h"

/* Fills crew_options, facts, rows and what a rank needs to know of itself. Collective; every rank
 * returns the same status, as world_agree makes it of `mine` and what comes of it; with a failure
 * of its own this rank may pass no studio. Rank 0 passes options, the others NULL. */
enum status studio_survey(struct studio *studio, struct world *world, enum status mine,
                          const struct studio_options *options);

#endif
