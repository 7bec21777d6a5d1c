/* Tiles: the rectangles of an image, in the order in which they are taken. Pure. */
#ifndef DECOMPOSITION_SCHEDULE_TILE_H
#define DECOMPOSITION_SCHEDULE_TILE_H

#include <stdint.h>

#include "kernels/field.h"
#include "kernels/status.h"

struct tile {
    int32_t x, y;          /* first pixel in the image */
    int32_t width, height; /* pixels, >= 1 */
    /* Interleaved: as wide as the image, its rows in bands of `band` whose first rows lie band_step
     * apart in the image; the last band may have fewer. 0: a rectangle. */
    int32_t band, band_step;
};

/* row: left to right, top to bottom. morton: along a Z curve, so that neighbours in the list are
 * neighbours in the image. spiral: from the middle of the image outwards. */
enum tile_order { TILE_ORDER_ROW, TILE_ORDER_MORTON, TILE_ORDER_SPIRAL, TILE_ORDERS };

enum { TILE_COUNT_MAX = 1 << 24 };

/* Number of tiles of tile_px x tile_px (the last ones of a row or column smaller) that cover
 * width x height pixels. */
uint64_t tiles_number(int32_t width, int32_t height, int32_t tile_px);

/* Cuts the image: every pixel lies in exactly one tile. The caller frees *tiles.
 * Fails with STATUS_TOO_LARGE above TILE_COUNT_MAX tiles, saying which tile size would do, and
 * with STATUS_CONFIG for a size below 1; *tiles is NULL then. */
enum status tiles_cut(struct tile **tiles, uint32_t *count, int32_t width, int32_t height,
                      int32_t tile_px, enum tile_order order);

/* Cuts the image into interleaved tiles that all look alike: tile k of n takes the bands k, k + n,
 * k + 2n, ... of `band` rows each. No more tiles than there are bands. Fails as tiles_cut does. */
enum status tiles_interleaved(struct tile **tiles, uint32_t *count, int32_t width, int32_t height,
                              int32_t band, uint32_t tiles_wanted);

/* Leaves out a rectangle of the image, of tiles that are none interleaved: those that lie across
 * its edges are cut there, into up to four. The order stays. STATUS_OUT_OF_MEMORY; the list is as
 * it was then. */
enum status tiles_without(struct tile **tiles, uint32_t *count, const struct tile *hole);

/* The tile's pixels in a field of the whole image. */
struct field tile_window(const struct tile *tile, const struct field *whole);

#endif
