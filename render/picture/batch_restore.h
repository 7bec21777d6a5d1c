/* Tiles of a batch that an interrupted run has left. */
#ifndef RENDER_PICTURE_BATCH_RESTORE_H
#define RENDER_PICTURE_BATCH_RESTORE_H

#include <stdbool.h>

#include "render/picture/picture_job.h"

/* Does an interrupted run know of tiles of this strip? The same on every rank. */
bool batch_is_restored(const struct picture_job *job);

/* Leaves out of a batch what is known, which is in the frame then. `rest` has the memory of `all`,
 * which the caller frees. Collective; every rank returns the same status. */
enum status batch_shorten(struct picture_job *job, const struct tile_batch *all,
                          struct tile_batch *rest);

#endif
