/* What rank 0 continues with when the other ranks are lost between two samples of a picture.
 *
 * A world of this process, the devices that it reaches, and memory of their own: a rank that is
 * only late may still write into the picture of before. MPI is not called any more; the other
 * ranks wait, asleep, until the program ends them. */
#ifndef RENDER_PICTURE_ROOT_ONLY_H
#define RENDER_PICTURE_ROOT_ONLY_H

#include "render/device/renderer.h"

struct root_only {
    struct world *world;
    struct renderer *renderer;
};

#define ROOT_ONLY_TRANSPORT "auto"

/* Like `lost`, and prepared for pictures of this shape. Fails with STATUS_SYSTEM, the sentence of
 * the loss and why this process cannot go on. */
enum status root_only_open(struct root_only *root, const struct renderer *lost,
                           const struct field *shape);
void root_only_close(struct root_only *root); /* accepts a zeroed one */

#endif
