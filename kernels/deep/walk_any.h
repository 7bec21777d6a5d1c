/* How does a walk go on whose blocks and scene are known only at run time? For single pixels: a
 * kernel for many has them as constants. On processors. */
#ifndef KERNELS_DEEP_WALK_ANY_H
#define KERNELS_DEEP_WALK_ANY_H

#include "kernels/deep/walk_wide.h"

static inline int walk_on_any(struct walk *walk, const struct walk_scene *scene, enum blocks blocks,
                              int64_t most)
{
    return scene->exponent ? walk_on(walk, scene, blocks, 0, 1, most)
                           : walk_on(walk, scene, blocks, 0, 0, most);
}

#endif
