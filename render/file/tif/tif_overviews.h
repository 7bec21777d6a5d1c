/* Smaller copies of the picture in a TIFF, so that a program can show all of a large one at once:
 * each half as wide and high as the one before, rounded up, until one is a tile.
 *
 * They are directories of their own behind that of the picture, marked as of reduced resolution,
 * as in a cloud optimized GeoTIFF: there GDAL (QGIS) and OpenSlide (QuPath) look for them.
 * OpenSlide does not look into SubIFDs. A pixel is the mean of two by two in linear light.
 *
 * They are made of the tiles of the file when all of these are there, tile by tile: so what makes
 * the picture, where it was interrupted and how many processes wrote it changes nothing, and no
 * more than a few tiles of each thread are in memory.
 *
 * TIFF Revision 6.0, Aldus, 1992, NewSubfileType; OGC 21-026, Cloud Optimized GeoTIFF, 2023. */
#ifndef RENDER_FILE_TIF_TIF_OVERVIEWS_H
#define RENDER_FILE_TIF_TIF_OVERVIEWS_H

#include "render/file/sink.h"
#include "render/file/tif/tif_image.h"

enum { TIF_OVERVIEWS_SIDE = 4096 }; /* side above which a picture has them by default */

struct tif_overviews {
    TIFF *tiff;
    FILE *stream; /* stream of the file, which can be read, too */
    const struct sink_request *request;
    struct tif_shape shape; /* shape of the picture */
    int threads;
    const struct packer *packer; /* [threads] */
};

/* Number of copies that the request wants. */
int tif_overviews_count(const struct sink_request *request, int32_t tile_rows);

/* Most bytes of them; UINT64_MAX if more than that. */
uint64_t tif_overviews_bytes_most(const struct sink_request *request,
                                  const struct tif_shape *shape);

/* Writes the directory of the picture, all of whose tiles are written, and the copies with theirs.
 * False, with errno, 0 where libtiff told the reason to its handler, after a failure or a stop
 * request. */
bool tif_overviews_write(const struct tif_overviews *overviews);

#endif
