/* The progressive framebuffer: the field as far as it is known, its colours as they are shown, and
 * which cells have changed since somebody looked.
 *
 * A sample that is known at stride s fills the s x s square to its right and below; finer samples
 * replace what they stand in. Each sample is coloured once, as the pixel that it is, so when all
 * are there the colours are those of colour_row_8 for the whole field. Further samples of the
 * pixels do not touch the field: they come into another one, and are added to the mean of the
 * colours when all of one are there (render/colour/samples.h).
 *
 * One thread paints, any thread copies what is there, and a copy waits for no painter, who may have
 * to wait for a core. Pixels lie in strips of FRAMEBUFFER_STRIP_ROWS rows, each with a lock (every
 * FRAMEBUFFER_STRIPS-th has the same one), which is held while rows of a cell are painted or
 * copied. A cell gets its version after it has been painted, so one that was copied half painted is
 * copied again, and one that was being painted is left for the next copy; only a copy of all waits
 * for its strip, because it must leave no holes. Another picture clears nothing: its cells are
 * blank until something is painted there. The field has no lock: only the painter touches it until
 * it is final, and then others may hold it (framebuffer_share) while the painter goes on with
 * another.
 *
 * Only framebuffer_begin must not meet a copy: the callers see to that. */
#ifndef RENDER_LIVE_FRAMEBUFFER_H
#define RENDER_LIVE_FRAMEBUFFER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "kernels/field.h"
#include "render/colour/colour.h"
#include "render/colour/samples.h"
#include "render/live/refinement.h"

enum {
    FRAMEBUFFER_NOBODY = 255,
    FRAMEBUFFER_STRIPS = 64,
    FRAMEBUFFER_STRIP_ROWS = SUBGRID_STRIDE_MOST
};

struct framebuffer_cell {
    uint64_t version; /* of the last change */
    int8_t stride;    /* known all over the cell; 0: not */
    uint8_t owner;    /* worker, modulo 255, of what came last; FRAMEBUFFER_NOBODY */
    bool blank;       /* nothing is painted: its pixels are of an older picture, and stand for 0 */
    bool stale;       /* recoloured while finer samples were coming: to be painted when they are */
};

/* The memory of a field, which goes back when the last lets go of it. */
struct framebuffer_share;
struct framebuffer_share *framebuffer_share_hold(struct framebuffer_share *share);
void framebuffer_share_release(struct framebuffer_share *share); /* any thread; accepts NULL */

struct framebuffer {
    int32_t width, height, cell_px, columns, rows;
    struct field field; /* its base is that of `share` */
    struct framebuffer_share *share;
    uint32_t *pixels; /* 0xAARRGGBB [height][width], but for cells that are blank */
    struct framebuffer_cell *cell;
    struct field sampled;            /* further samples of the pixels; base NULL: none was begun, */
    struct framebuffer_share *light; /* nor has the mean of their colours memory */
    size_t pixels_room, cells_room;  /* allocated */
    uint64_t version;                /* rises with every change */
    pthread_mutex_t mutex; /* of `version` and the cells, but for what the painter reads */
    pthread_rwlock_t strip[FRAMEBUFFER_STRIPS]; /* of the pixels */
};

void framebuffer_open(struct framebuffer *framebuffer);
void framebuffer_close(struct framebuffer *framebuffer);

/* Memory for another picture; NULL: that which there is will do. */
struct framebuffer_memory {
    struct framebuffer_share *share;
    uint32_t *pixels;
    struct framebuffer_cell *cell;
    struct framebuffer_share *light;
    void *sampled;
    size_t pixels_room, cells_room;
};

/* Takes long where much has to be allocated, and nobody waits for it. The field must not be held by
 * anybody new from now on. */
enum status framebuffer_prepare(const struct framebuffer *framebuffer,
                                const struct refinement *refinement, unsigned planes,
                                int count_bytes, struct framebuffer_memory *memory);

/* A picture cut like this refinement (NULL: of no pixels), all unknown. At once; what is not needed
 * any more is then in `memory`. */
void framebuffer_begin(struct framebuffer *framebuffer, const struct refinement *refinement,
                       unsigned planes, int count_bytes, struct framebuffer_memory *memory);
void framebuffer_memory_destroy(struct framebuffer_memory *memory); /* takes long, too */

/* ---- the painter ---- */

/* The samples of a piece, as it arrived: into the field and the colours of the cell. */
void framebuffer_put(struct framebuffer *framebuffer, const struct look *look,
                     const struct piece *piece, const void *bytes);

/* All pieces of a cell have arrived down to this stride. */
void framebuffer_reach(struct framebuffer *framebuffer, const struct look *look, int32_t cell,
                       int stride, int owner);

/* Colours all that is known anew, which is seen when all of it is done; further samples are to
 * begin anew. Gives up, and returns false, when `wanted` (NULL: it is), asked now and then, says
 * so: then it must be called again before the colours mean anything. */
bool framebuffer_recolour(struct framebuffer *framebuffer, const struct look *look,
                          bool (*wanted)(void *context), void *context);

/* Further samples, 1 and up; the settled picture is sample 0. Begin: memory for them. Put: pieces
 * at stride 1. Add, when all of one are there: the mean is shown; gives up as framebuffer_recolour
 * does, and then there is no mean any more. */
enum status framebuffer_sample_begin(struct framebuffer *framebuffer, int sample);
void framebuffer_sample_put(struct framebuffer *framebuffer, const struct piece *piece,
                            const void *bytes);
bool framebuffer_sample_add(struct framebuffer *framebuffer, const struct look *look, int sample,
                            bool (*wanted)(void *context), void *context);

/* The mean of the colours, [height][width][3]; as long as the share is held. */
float *framebuffer_share_light(struct framebuffer_share *share);

/* ---- any thread ---- */

/* Copies the cells that have changed since *version (0: all) to [height][stride] pixels, and brings
 * it up to date; 0 where nothing is known. Cells that are just being painted change once more,
 * after that: they are left out, if not all are wanted and there are pixels of them. Returns
 * whether there were any. */
bool framebuffer_copy(struct framebuffer *framebuffer, uint64_t *version, uint32_t *pixels,
                      int32_t stride);

/* Who computed what: owner[rows][columns]. */
void framebuffer_owners(struct framebuffer *framebuffer, uint8_t *owner);

#endif
