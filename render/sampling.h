/* All samples of a picture: a job for each, and the mean of their colours on rank 0.
 *
 * A sample is added to the mean while the next one is computed, where devices compute. Its field
 * must then stay as it is until the next but one is begun, and that of the centres for ever. */
#ifndef RENDER_SAMPLING_H
#define RENDER_SAMPLING_H

#include "decomposition/tile.h"
#include "decomposition/world.h"
#include "render/samples.h"

/* Tiles of one sample. */
struct part {
    struct tile *tiles;
    uint32_t count;
    float *costs; /* on rank 0, may be NULL: see struct job */
};

struct sampling {
    /* The same on every rank: */
    struct world *world;
    int samples; /* as in struct picture */
    int32_t width, height;
    int32_t part_px, part_overhead_px; /* of SAMPLES_AUTO: see refine_tiles */

    /* Each rank's own: */
    bool overlaps; /* devices compute without this processor */
    void *context;
    /* Computes a sample of these tiles; collective. On rank 0 `field` becomes that sample of the
     * picture. */
    enum status (*compute)(void *context, int sample, const struct part *part, struct field *field);
    /* Rank 0, when the world is lost after the first sample: another world in which compute goes
     * on. The other ranks wait until the program ends. */
    enum status (*alone)(void *context, struct world **world);
    /* Rank 0: as in picture_hooks. */
    enum status (*look)(void *look_context, const struct field *field, const struct look **look);
    void *look_context;

    /* What came of it, on rank 0: */
    uint64_t pixels;     /* to be computed, of all samples that are known of */
    float (*light)[3];   /* [height][width]; NULL with one sample. The caller's */
    double mean_samples; /* a pixel */
    double centres_s;    /* that the first sample took */
};

/* All samples, of these tiles of the whole picture first. Collective; every rank returns the same
 * status. On rank 0 `field` becomes that of the centres. */
enum status sampling_run(struct sampling *sampling, const struct part *whole, struct field *field);

#endif
