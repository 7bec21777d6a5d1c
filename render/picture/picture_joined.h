/* Jobs that have joined the run of a picture (decomposition/pool/join.h): what they are told of it,
 * and its tiles as pieces of that context. Rank 0. */
#ifndef RENDER_PICTURE_PICTURE_JOINED_H
#define RENDER_PICTURE_PICTURE_JOINED_H

#include "render/picture/picture_job.h"

/* Workers of other jobs for the batch that is about to be computed; NULL: none may join. */
const struct pool_joined *picture_joined_tiles(struct picture_job *job);

/* The picture has ended: who joins now waits for the next. */
void picture_joined_end(const struct picture_job *job);

#endif
