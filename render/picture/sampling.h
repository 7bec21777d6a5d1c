/* All samples of a picture, and the mean of their colours on rank 0.
 *
 * A job is samples of the whole picture, or of parts of it (render/colour/cells.h). It is added to
 * the mean while the next one is computed, where devices compute, and the last one while the caller
 * does something else. Its fields must then stay as they are until the next but one is begun, of
 * this picture or of another with the same background, and that of the centres as long as the
 * picture. */
#ifndef RENDER_PICTURE_SAMPLING_H
#define RENDER_PICTURE_SAMPLING_H

#include "decomposition/schedule/tile.h"
#include "decomposition/world/world.h"
#include "render/colour/samples.h"
#include "render/device/background.h"
#include "render/device/light_device.h"
#include "render/picture/average.h"

/* Tiles and samples that one job computes. */
struct tile_batch {
    struct tile *tiles;
    uint32_t count;
    float *costs; /* on rank 0, may be NULL: see struct job */
    int sample;   /* number of the first sample of the whole picture */
    int samples;  /* number of samples, 0 is one: behind `count` tiles of the first one lie as
                     many of each other one */
    const struct grid_cell *cells; /* not NULL: the tiles are of a picture of these cells */
    int32_t cells_in_row;          /* cells side by side */
};

struct sampling {
    /* The same on every rank: */
    struct world *world;
    int samples;           /* as in struct picture */
    int32_t width, height; /* size of the picture, or of the strip of it that is computed */
    int32_t above, left;   /* first row and column in the picture */
    int32_t cells_px;      /* side of tiles of cells, for SAMPLES_AUTO */
    int at_once;           /* samples that a job computes, at most; 0 is 1, as for SAMPLES_AUTO */
    bool lights;           /* fields lie on rank 0's device, which makes light of them, also of one
                              sample a pixel */

    /* Each rank's own: */
    struct background *background; /* where devices compute without this processor; else NULL */
    struct light_device device;    /* rank 0's, where that lights */
    const volatile int *stop;      /* may be NULL */
    void *context;
    /* Computes job number 0 (from the centres on), 1, ...; collective. On rank 0 `fields`, as large
     * as the picture, become what it has computed, one for each sample. */
    enum status (*compute)(void *context, uint64_t job, const struct tile_batch *batch,
                           struct field *fields);
    /* Rank 0, when the world is lost before a job: another world in which compute goes on. The
     * other ranks wait until the program ends. */
    enum status (*alone)(void *context, struct world **world);
    /* Rank 0: as in picture_hooks. */
    enum status (*look)(void *look_context, const struct field *field, const struct look **look);
    void *look_context;

    /* Results, on rank 0: */
    uint64_t pixels;         /* pixels to be computed, of all samples that are known of */
    struct average *average; /* NULL with one sample that no device lights. The caller's to end */
    double mean_samples;     /* mean number of samples of a pixel */
    double centres_s;        /* time of the first job */

    uint64_t jobs; /* jobs that were begun */
};

/* One job. Collective; every rank returns the same status. On rank 0 `fields` become what it has
 * computed. */
enum status sampling_job(struct sampling *sampling, const struct tile_batch *batch,
                         struct field *fields);

/* All samples, of these tiles of the whole picture first. Collective; every rank returns the same
 * status. On rank 0 `field` becomes that of the centres. The look is borrowed until the average has
 * ended. */
enum status sampling_run(struct sampling *sampling, const struct tile_batch *whole,
                         struct field *field);

#endif
