/* What rank 0 continues with when the other ranks are lost between two samples of a picture.
 *
 * A world of this process, the devices that it reaches, and memory of their own: a rank that is
 * only late may still write into the picture of before. MPI is not called any more; the other
 * ranks wait, asleep, until the program ends them. */
#ifndef RENDER_ALONE_H
#define RENDER_ALONE_H

#include "render/studio.h"

struct alone {
    struct world *world;
    struct studio *studio;
};

#define ALONE_TRANSPORT "auto"

/* Like `lost`, and prepared for pictures of this shape. Fails with STATUS_SYSTEM, the sentence of
 * the loss and why this process cannot go on. */
enum status alone_open(struct alone *alone, const struct studio *lost, const struct field *shape,
                       bool is_static);
void alone_close(struct alone *alone); /* accepts a zeroed one */

#endif
