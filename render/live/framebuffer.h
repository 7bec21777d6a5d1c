/* The progressive framebuffer: the samples of the field so far, their colours on the screen, and
 * which cells have changed since the last copy.
 *
 * A sample that is known at stride s fills the s x s square to its right and below; finer samples
 * replace parts of it. Each sample is coloured once, as its own pixel, so when all have arrived the
 * colours are those of colour_row_8 for the whole field. Further samples of the pixels do not touch
 * the field: they are written to others (render/live/kept_samples.h), and added to the mean of the
 * colours when all pixels of one have arrived (render/colour/samples.h).
 *
 * A first picture of a large screen is mostly squares: cells whose first samples lie
 * FRAMEBUFFER_PACKED_LEAST or more apart keep one colour for each sample, and the copy makes
 * squares of them. They become pixels when finer samples arrive.
 *
 * One thread paints, any thread copies, and a copy does not wait for the painter, which may have to
 * wait for a core. Pixels lie in strips of FRAMEBUFFER_STRIP_ROWS rows, each with a lock (every
 * FRAMEBUFFER_STRIPS-th has the same one), which is held while rows of a cell are painted or
 * copied. A cell gets its version after it has been painted, so one that was copied half painted is
 * copied again, and one that was being painted is left for the next copy; only a copy of all waits
 * for its strip, because it must leave no holes. Another picture clears nothing: its cells are
 * blank until something is painted there. The field has no lock: only the painter accesses it until
 * it is final, and then others may hold it (framebuffer_share) while the painter uses another.
 *
 * Callers must not call framebuffer_begin during a copy. */
#ifndef RENDER_LIVE_FRAMEBUFFER_H
#define RENDER_LIVE_FRAMEBUFFER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "kernels/field.h"
#include "render/colour/colour.h"
#include "render/colour/samples.h"
#include "render/live/kept_samples.h"
#include "render/live/refinement.h"
#include "render/motion/changed_blocks.h"

enum {
    FRAMEBUFFER_NOBODY = 255,
    FRAMEBUFFER_STRIPS = 64,
    FRAMEBUFFER_STRIP_ROWS = SUBGRID_STRIDE_MOST,
    FRAMEBUFFER_PACKED_LEAST = 4 /* least stride of packed cells */
};

struct framebuffer_cell {
    uint64_t version; /* version of the last change */
    int8_t stride;    /* stride that is known in the whole cell; 0: none */
    int8_t packed;    /* its colours are in `packed`, one for so many pixels; 0: in `pixels` */
    uint8_t owner;    /* worker, modulo 255, of the last samples; FRAMEBUFFER_NOBODY: none */
    bool blank; /* nothing is painted: its pixels are those of an older picture, and count as 0 */
    bool stale; /* recoloured while finer samples were expected: to be painted when they have
                   arrived */
};

/* Memory of a field, freed when the last holder releases it. */
struct framebuffer_share;
struct framebuffer_share *framebuffer_share_hold(struct framebuffer_share *share);
void framebuffer_share_release(struct framebuffer_share *share); /* any thread; accepts NULL */

struct framebuffer {
    int32_t width, height, cell_px, columns, rows;
    struct field field; /* memory: that of `share` */
    struct framebuffer_share *share;
    uint32_t *pixels; /* 0xAARRGGBB [height][width], invalid in blank cells */
    /* Colours of packed cells, that of sample (x, y) at [y / cell.packed][x / cell.packed] of rows
     * of packed_stride; memory: behind `pixels`. */
    uint32_t *packed;
    int32_t packed_stride;
    struct framebuffer_cell *cell;
    struct kept_samples kept;        /* further samples of the pixels */
    struct field sampled;            /* the one that is being computed */
    struct framebuffer_share *light; /* mean of their colours; NULL: none */
    size_t pixels_room, cells_room;  /* allocated, packed pixels included */
    uint64_t version;                /* rises with every change */
    /* protects `version` and the cells, except what only the painter writes */
    pthread_mutex_t mutex;
    pthread_rwlock_t strip[FRAMEBUFFER_STRIPS]; /* locks of the pixels */
};

void framebuffer_open(struct framebuffer *framebuffer);
void framebuffer_close(struct framebuffer *framebuffer);

/* Memory for another picture; NULL: the present memory suffices. */
struct framebuffer_memory {
    struct framebuffer_share *share;
    uint32_t *pixels;
    struct framebuffer_cell *cell;
    struct framebuffer_share *light;
    struct kept_samples kept; /* to be freed */
    size_t pixels_room, cells_room;
};

/* Allocates memory for another picture, which can take long; no lock is held. The field must not be
 * held by new holders from now on. */
enum status framebuffer_prepare(const struct framebuffer *framebuffer,
                                const struct refinement *refinement, unsigned planes,
                                int count_bytes, struct framebuffer_memory *memory);

/* Begins a picture with the cells of this refinement (NULL: no pixels), all unknown. Fast; memory
 * that is not needed any more is in `memory` afterwards. */
void framebuffer_begin(struct framebuffer *framebuffer, const struct refinement *refinement,
                       unsigned planes, int count_bytes, struct framebuffer_memory *memory);
void framebuffer_memory_destroy(struct framebuffer_memory *memory); /* can take long, too */

/* ---- the painter ---- */

/* Puts the samples of a piece that arrived into the field and the colours of the cell. Gives up,
 * and returns false, when `wanted`, called now and then (NULL: never), returns false: the piece
 * must then be put again before its cells are reached. */
bool framebuffer_put(struct framebuffer *framebuffer, const struct look *look,
                     const struct work_piece *piece, const void *bytes,
                     bool (*wanted)(void *context), void *context);

/* Notes that all pieces of a cell have arrived down to this stride. */
void framebuffer_reach(struct framebuffer *framebuffer, const struct look *look, int32_t cell,
                       int stride, int owner);

/* Recolours all known samples, which shows when all are done; the mean must begin anew. Gives up,
 * and returns false, when `wanted`, called now and then (NULL: never), returns false: then it must
 * be called again before the colours are valid. */
bool framebuffer_recolour(struct framebuffer *framebuffer, const struct look *look,
                          bool (*wanted)(void *context), void *context);

/* Further samples, 1 and up; the settled picture is sample 0. Begin: allocates memory for one. Put:
 * puts its pieces at stride 1. End: all of it has arrived. */
enum status framebuffer_sample_begin(struct framebuffer *framebuffer, int sample);
void framebuffer_sample_put(struct framebuffer *framebuffer, const struct work_piece *piece,
                            const void *bytes);
void framebuffer_sample_end(struct framebuffer *framebuffer, int sample);

/* Prepares the memory of the mean, to which samples from `first` on are to be added.
 * STATUS_OUT_OF_MEMORY. */
enum status framebuffer_mean_begin(struct framebuffer *framebuffer, int first);

/* Adds samples first ... last, which are there (kept_samples_last), to the mean of those before,
 * which is shown; gives up as framebuffer_recolour does, and then there is no mean any more. */
bool framebuffer_samples_add(struct framebuffer *framebuffer, const struct look *look, int first,
                             int last, bool (*wanted)(void *context), void *context);

/* Mean of the colours, [height][width][3]; valid while the share is held. */
float *framebuffer_share_light(struct framebuffer_share *share);

/* ---- parts of the module ---- */

/* Lock of the strip that has row y. */
static inline pthread_rwlock_t *framebuffer_strip(struct framebuffer *framebuffer, int32_t y)
{
    return &framebuffer->strip[y / FRAMEBUFFER_STRIP_ROWS % FRAMEBUFFER_STRIPS];
}

/* Makes pixels of the squares of a packed cell, which stays packed until it has a new version. */
void framebuffer_cell_unpack(struct framebuffer *framebuffer, int32_t cell);

/* ---- any thread ---- */

/* Copies the cells that have changed since *version (0: all) to [height][stride] pixels, and
 * updates *version; pixels are 0 where nothing is known. Cells that are just being painted will
 * change again: they are left out, unless all are wanted or they have no pixels yet. Returns
 * whether any were copied, and marks them in `changed` (NULL: not wanted). */
bool framebuffer_copy(struct framebuffer *framebuffer, uint64_t *version, uint32_t *pixels,
                      int32_t stride, uint8_t (*changed)[CHANGED_BLOCKS_MOST]);

/* Copies the workers that computed the cells: owner[rows][columns]. */
void framebuffer_owners(struct framebuffer *framebuffer, uint8_t *owner);

#endif
