/* Strips of a picture, and the tiles that they are cut into. */
#ifndef RENDER_PICTURE_STRIP_TILES_H
#define RENDER_PICTURE_STRIP_TILES_H

#include <stdint.h>

#include "render/picture/estimate_windows.h"
#include "render/picture/picture_job.h"

/* The strip whose first row that is wanted is `y`. Pure. */
struct picture_strip strip_at(const struct picture_message *message, int32_t y);

/* A window of the picture, in the place of a strip. Pure. */
struct picture_strip strip_window_at(const struct picture_message *message,
                                     const struct estimate_window *window);

/* Pixels of the strip that the consumer gets, as of what is computed; without rows: none. Pure. */
struct tile strip_wanted(const struct picture_job *job);

/* The consumer's number of the first of these rows. Pure. */
int32_t strip_consumer_row(const struct picture_job *job);

/* Cuts the strip into tiles of one size; each rank alone. STATUS_OUT_OF_MEMORY. */
enum status strip_tiles_cut(struct picture_job *job);

/* Cuts it into tiles of one cost, by a coarse pass. Collective; every rank returns the same
 * status. */
enum status strip_tiles_predict(struct picture_job *job);

/* The tiles of the next strip: those of the strip before do, if it was as high and nothing is
 * predicted. Collective; every rank returns the same status. */
enum status strip_tiles_renew(struct picture_job *job);

#endif
