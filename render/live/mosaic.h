/* Where does a picture grow? The field as far as it is known, its colours as they are shown, and
 * which cells have changed since somebody looked.
 *
 * A sample that is known at stride s fills the s x s square to its right and below; finer samples
 * replace what they stand in. Each sample is coloured once, as the pixel that it is, so when all
 * are there the colours are those of colour_row_8 for the whole field. Antialiasing passes do not
 * touch the field: they add linear light in memory of their own.
 *
 * One thread paints; no locks here: live.c has one around all of it. */
#ifndef RENDER_LIVE_MOSAIC_H
#define RENDER_LIVE_MOSAIC_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/field.h"
#include "render/colour.h"
#include "render/live/ladder.h"

enum { MOSAIC_NOBODY = 255 };

struct mosaic_cell {
    uint64_t version; /* of the last change */
    int8_t stride;    /* known all over the cell; 0: not */
    uint8_t owner;    /* worker, modulo 255, of what came last; MOSAIC_NOBODY */
    bool stale;       /* recoloured while finer samples were coming: to be painted when they are */
};

struct mosaic {
    int32_t width, height, cell_px, columns, rows;
    struct field field;
    uint32_t *pixels; /* 0xAARRGGBB [height][width]; 0: not known */
    struct mosaic_cell *cell;
    float (*light)[3]; /* sums of passes [height][width]; NULL: none was begun */
    uint64_t version;  /* rises with every change */
    size_t pixels_room, cells_room, field_room; /* allocated; the last in bytes */
};

/* Makes it fit a picture cut like this ladder, all unknown. Memory is kept where it is enough. On
 * failure it is empty. */
enum status mosaic_fit(struct mosaic *mosaic, const struct ladder *ladder, int count_bytes);
void mosaic_destroy(struct mosaic *mosaic); /* accepts a zeroed one */

/* The samples of a piece, as it came home: into the field and the colours of the cell. */
void mosaic_put(struct mosaic *mosaic, const struct look *look, const struct piece *piece,
                const void *bytes);

/* All pieces of a cell are home down to this stride. */
void mosaic_reach(struct mosaic *mosaic, const struct look *look, int32_t cell, int stride,
                  int owner);

/* Colours all that is known anew; passes are to be begun anew. */
void mosaic_recolour(struct mosaic *mosaic, const struct look *look);

/* Passes. Begin: the settled picture is the first of the samples. Put: a whole cell at stride 1,
 * pass number 1 and up; shows the mean. */
enum status mosaic_light_begin(struct mosaic *mosaic, const struct look *look);
void mosaic_light_put(struct mosaic *mosaic, const struct look *look, const struct piece *piece,
                      const void *bytes, int pass);

#endif
