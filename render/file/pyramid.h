/* Tiles of a picture at its size, at half of that, and so on down to one pixel, made from its rows
 * as they come.
 *
 * Deep Zoom (schemas.microsoft.com/deepzoom/2008): level n is the picture 2^(levels - 1 - n) times
 * as small, rounded up; LEVEL/X_Y.png (or .jpg) has PYRAMID_TILE_PX pixels a side and
 * PYRAMID_OVERLAP_PX more of each neighbour. Pixels of the last level are those of a PNG of the
 * picture; those of smaller levels are means in linear light of two by two pixels, or fewer at
 * edges, of the next larger one, then encoded as any picture is. The bytes do not depend on
 * threads, nor on how many rows come at once.
 *
 * Rows wait in files until a row of tiles is whole, so memory holds a few rows of the picture,
 * whatever its width. */
#ifndef RENDER_FILE_PYRAMID_H
#define RENDER_FILE_PYRAMID_H

#include "render/file/sink.h"

enum { PYRAMID_TILE_PX = 510, PYRAMID_OVERLAP_PX = 1, PYRAMID_LEVELS_MOST = 32 };

struct pyramid;

struct pyramid_mark { /* state for resuming, beside the number of rows */
    uint64_t sum;
    int32_t light_file; /* 0 or 1: the file of pending rows */
    int32_t unused;
};

/* Number of levels, from one pixel to the whole picture. */
int pyramid_levels(int32_t width, int32_t height);

/* Most bytes of tiles and of the files beside them; UINT64_MAX if more than that. */
uint64_t pyramid_bytes_most(int32_t width, int32_t height);

/* Suffix of tiles, "png" or "jpg". */
const char *pyramid_format(const struct sink_request *request);

/* Creates a pyramid. Tiles go to the folder `tiles`, pending rows to `waiting`; both are borrowed,
 * as the request. *pyramid is to be destroyed also after a failure. STATUS_IO,
 * STATUS_OUT_OF_MEMORY. */
enum status pyramid_create(struct pyramid **pyramid, const struct sink_request *request, int tiles,
                           int waiting);

/* Adds the next rows. STATUS_IO, STATUS_OUT_OF_MEMORY, STATUS_STOPPED. */
enum status pyramid_add(struct pyramid *pyramid, const struct sink_rows *rows);

/* Syncs all. The files of the mark before stay. STATUS_IO. */
enum status pyramid_checkpoint(struct pyramid *pyramid, struct pyramid_mark *mark);

/* Resumes one just created: its next row is `y`. STATUS_BAD_DATA if files are missing. */
enum status pyramid_resume(struct pyramid *pyramid, const struct pyramid_mark *mark, int32_t y);

void pyramid_destroy(struct pyramid *pyramid); /* accepts NULL */

#endif
