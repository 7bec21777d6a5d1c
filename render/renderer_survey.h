/* The devices that the ranks of a renderer drive. Private to renderer*.c. */
#ifndef RENDER_RENDERER_SURVEY_H
#define RENDER_RENDERER_SURVEY_H

#include "render/renderer.h"

/* Fills device_set_options, facts, rows and what a rank needs to know of itself. Collective; every
 * rank returns the same status, as world_agree makes it of `mine` and what comes of it; with a
 * failure of its own this rank may pass no renderer. Rank 0 passes options, the others NULL. */
enum status renderer_survey(struct renderer *renderer, struct world *world, enum status mine,
                            const struct renderer_options *options);

#endif
