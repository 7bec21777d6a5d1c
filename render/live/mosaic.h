/* Where does a picture grow? The field as far as it is known, its colours as they are shown, and
 * which cells have changed since somebody looked.
 *
 * A sample that is known at stride s fills the s x s square to its right and below; finer samples
 * replace what they stand in. Each sample is coloured once, as the pixel that it is, so when all
 * are there the colours are those of colour_row_8 for the whole field. Further samples of the
 * pixels do not touch the field: they come into another one, and are added to the mean of the
 * colours when all of one are there (render/samples.h).
 *
 * One thread paints, any thread copies what is there, and a copy waits for no painter, who may have
 * to wait for a core. Pixels lie in strips of MOSAIC_STRIP_ROWS rows, each with a lock (every
 * MOSAIC_STRIPS-th has the same one), which is held while rows of a cell are painted or copied. A
 * cell gets its version after it has been painted, so one that was copied half painted is copied
 * again, and one that was being painted is left for the next copy; only a copy of all waits for its
 * strip, because it must leave no holes. Another picture clears nothing:
 * its cells are blank until something is painted there. The field has no lock: only the painter
 * touches it until it is final, and then others may hold it (mosaic_share) while the painter goes
 * on with another.
 *
 * Only mosaic_begin must not meet a copy: the callers see to that. */
#ifndef RENDER_LIVE_MOSAIC_H
#define RENDER_LIVE_MOSAIC_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "kernels/field.h"
#include "render/colour.h"
#include "render/live/ladder.h"
#include "render/samples.h"

enum { MOSAIC_NOBODY = 255, MOSAIC_STRIPS = 64, MOSAIC_STRIP_ROWS = LATTICE_STRIDE_MOST };

struct mosaic_cell {
    uint64_t version; /* of the last change */
    int8_t stride;    /* known all over the cell; 0: not */
    uint8_t owner;    /* worker, modulo 255, of what came last; MOSAIC_NOBODY */
    bool blank;       /* nothing is painted: its pixels are of an older picture, and stand for 0 */
    bool stale;       /* recoloured while finer samples were coming: to be painted when they are */
};

/* The memory of a field, which goes back when the last lets go of it. */
struct mosaic_share;
struct mosaic_share *mosaic_share_hold(struct mosaic_share *share);
void mosaic_share_release(struct mosaic_share *share); /* any thread; accepts NULL */

struct mosaic {
    int32_t width, height, cell_px, columns, rows;
    struct field field; /* its base is that of `share` */
    struct mosaic_share *share;
    uint32_t *pixels; /* 0xAARRGGBB [height][width], but for cells that are blank */
    struct mosaic_cell *cell;
    struct field sampled;           /* further samples of the pixels; base NULL: none was begun, */
    struct mosaic_share *light;     /* nor has the mean of their colours memory */
    size_t pixels_room, cells_room; /* allocated */
    uint64_t version;               /* rises with every change */
    pthread_mutex_t mutex;          /* of `version` and the cells, but for what the painter reads */
    pthread_rwlock_t strip[MOSAIC_STRIPS]; /* of the pixels */
};

void mosaic_open(struct mosaic *mosaic);
void mosaic_close(struct mosaic *mosaic);

/* Memory for another picture; NULL: that which there is will do. */
struct mosaic_memory {
    struct mosaic_share *share;
    uint32_t *pixels;
    struct mosaic_cell *cell;
    struct mosaic_share *light;
    void *sampled;
    size_t pixels_room, cells_room;
};

/* Takes long where much has to be allocated, and nobody waits for it. The field must not be held by
 * anybody new from now on. */
enum status mosaic_prepare(const struct mosaic *mosaic, const struct ladder *ladder,
                           unsigned planes, int count_bytes, struct mosaic_memory *memory);

/* A picture cut like this ladder (NULL: of no pixels), all unknown. At once; what is not needed any
 * more is then in `memory`. */
void mosaic_begin(struct mosaic *mosaic, const struct ladder *ladder, unsigned planes,
                  int count_bytes, struct mosaic_memory *memory);
void mosaic_memory_destroy(struct mosaic_memory *memory); /* takes long, too */

/* ---- the painter ---- */

/* The samples of a piece, as it came home: into the field and the colours of the cell. */
void mosaic_put(struct mosaic *mosaic, const struct look *look, const struct piece *piece,
                const void *bytes);

/* All pieces of a cell are home down to this stride. */
void mosaic_reach(struct mosaic *mosaic, const struct look *look, int32_t cell, int stride,
                  int owner);

/* Colours all that is known anew, which is seen when all of it is done; further samples are to
 * begin anew. Gives up, and returns false, when `wanted` (NULL: it is), asked now and then, says
 * so: then it must be called again before the colours mean anything. */
bool mosaic_recolour(struct mosaic *mosaic, const struct look *look, bool (*wanted)(void *context),
                     void *context);

/* Further samples, 1 and up; the settled picture is sample 0. Begin: memory for them. Put: pieces
 * at stride 1. Add, when all of one are there: the mean is shown; gives up as mosaic_recolour does,
 * and then there is no mean any more. */
enum status mosaic_sample_begin(struct mosaic *mosaic, int sample);
void mosaic_sample_put(struct mosaic *mosaic, const struct piece *piece, const void *bytes);
bool mosaic_sample_add(struct mosaic *mosaic, const struct look *look, int sample,
                       bool (*wanted)(void *context), void *context);

/* The mean of the colours, [height][width][3]; as long as the share is held. */
float *mosaic_share_light(struct mosaic_share *share);

/* ---- any thread ---- */

/* Copies the cells that have changed since *version (0: all) to [height][stride] pixels, and brings
 * it up to date; 0 where nothing is known. Cells that are just being painted change once more,
 * after that: they are left out, if not all are wanted. Returns whether there were any. */
bool mosaic_copy(struct mosaic *mosaic, uint64_t *version, uint32_t *pixels, int32_t stride);

/* Who computed what: owner[rows][columns]. */
void mosaic_owners(struct mosaic *mosaic, uint8_t *owner);

#endif
