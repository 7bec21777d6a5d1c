/* What does a GPU keep for the pixels of a picture by perturbation? A copy of the reference orbit,
 * and the blocks that it builds from it: the records and radii that a CPU builds, bit for bit. */
#ifndef KERNELS_CUDA_CUDA_SCENE_H
#define KERNELS_CUDA_CUDA_SCENE_H

#ifdef __cplusplus
extern "C" { /* what it includes, too: those headers are C */
#endif

#include "kernels/cuda/cuda_engine.h"
#include "kernels/deep/deep.h"

struct cuda_scene {
    struct walk_scene scene; /* in device memory */
    enum blocks blocks;
    struct cuda_engine_options engine;
    void *memory;
    size_t bytes;       /* of the orbit and the blocks, */
    size_t table_bytes; /* and of the blocks alone */
};

/* 16 bytes for each step of the orbit, and the table's. STATUS_TOO_LARGE, figures shown, when the
 * device has not so much memory free, or for 2^31 steps and more; else fails as deep_open does, or
 * with STATUS_DEVICE_LOST. The orbit is not needed any more afterwards. */
enum status cuda_scene_open(struct cuda_scene *scene, const struct cuda_engine_options *engine,
                            const struct deep_options *options, const struct orbit *orbit,
                            const struct spec *spec, const struct grid *whole);
void cuda_scene_close(struct cuda_scene *scene); /* accepts a half-open one */

#ifdef __cplusplus
}
#endif

#endif
