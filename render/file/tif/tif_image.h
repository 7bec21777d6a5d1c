/* An image of a TIFF: its tags, and its tiles as bytes: differences of samples to the pixel to the
 * left, deflated to a zlib stream.
 *
 * TIFF Revision 6.0, Aldus, 1992, sections 14 and 15; TIFF Technical Note 2 of Adobe Photoshop,
 * 2002 (deflate). */
#ifndef RENDER_FILE_TIF_TIF_IMAGE_H
#define RENDER_FILE_TIF_TIF_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tiffio.h>

#include "render/deflate/deflate.h"

enum {
    TIF_TILE_PX = 256,
    TIF_TILE_PX_LEAST = 16 /* tile sides are multiples of it */
};

struct tif_shape {
    int32_t width, height; /* size in pixels */
    int32_t tile_rows;     /* a multiple of TIF_TILE_PX_LEAST */
    int bits;              /* bits of a sample: 8 or 16 */
};

size_t tif_pixel_bytes(int bits);
uint32_t tif_tiles_across(const struct tif_shape *shape);
uint32_t tif_tiles_down(const struct tif_shape *shape);

/* Bytes of the samples of a tile, and most bytes of it when it is compressed. */
size_t tif_tile_bytes(const struct tif_shape *shape);
size_t tif_tile_most(const struct tif_shape *shape);

/* Sets size, tiles, compression and colours of the directory that libtiff has open; false if it
 * fails. */
bool tif_shape_set(TIFF *tiff, const struct tif_shape *shape);

/* Compresses the tile of rows[count] with `length` bytes each, `stride` bytes apart, to
 * packer->out, which has tif_tile_most bytes as packer->in has tif_tile_bytes; returns its length.
 * Where the tile reaches beyond the picture, the last pixel is repeated to the right, and rows are
 * zero. */
size_t tif_tile_pack(const struct packer *packer, const struct tif_shape *shape,
                     const uint8_t *rows, size_t stride, size_t length, int32_t count);

/* Decompresses a tile to samples[tif_tile_bytes], which are aligned as uint16_t. False for bytes
 * that are not one. */
bool tif_tile_unpack(const struct tif_shape *shape, const uint8_t *bytes, size_t length,
                     uint8_t *samples);

#endif
