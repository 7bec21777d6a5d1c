/* Flashes of a film made less: where a frame would bring the fourth flash of a second, the light of
 * its cells goes only a part of the way from that of the frame before, the same part everywhere and
 * as much of it as is safe. Between the middles of cells the factor is interpolated. Where no part
 * is safe the frame before is held. */
#ifndef RENDER_FILM_FILM_DIM_H
#define RENDER_FILM_FILM_DIM_H

#include <stdint.h>

#include "render/film/film_flash.h"

struct film_dim;

enum status film_dim_create(struct film_dim **dim, int32_t width, int32_t height, int fps);
void film_dim_destroy(struct film_dim *dim); /* accepts NULL */

/* The next frame; what does not follow the one before begins anew. Changes light and flash where it
 * must. */
enum status film_dim_frame(struct film_dim *dim, float (*light)[3], struct flash_frame *flash,
                           int64_t number);

/* Instead of that for a frame which an earlier run has made: as it was shown. After the last of
 * them film_dim_shown becomes its light. */
enum status film_dim_past(struct film_dim *dim, const struct flash_frame *flash, int64_t number);

/* The frame before, as it was shown: [height][width]. */
float (*film_dim_shown(struct film_dim *dim))[3];

/* Frames that were changed. */
int64_t film_dim_count(const struct film_dim *dim);

#endif
