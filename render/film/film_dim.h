/* Limit of flashes: where a frame would bring the fourth flash of a second, the light of its cells
 * goes only a part of the way from that of the frame before, the same part everywhere and the
 * largest that is safe. Between the middles of cells the factor is interpolated. Where no part is
 * safe the frame before is held. */
#ifndef RENDER_FILM_FILM_DIM_H
#define RENDER_FILM_FILM_DIM_H

#include <stdint.h>

#include "render/motion/film_flash.h"

struct film_dim;

enum status film_dim_create(struct film_dim **dim, int32_t width, int32_t height, int fps);
void film_dim_destroy(struct film_dim *dim); /* accepts NULL */

/* Adds the next frame and changes light and flash where needed; a frame that does not follow the
 * one before begins anew. */
enum status film_dim_frame(struct film_dim *dim, float (*light)[3], struct flash_frame *flash,
                           int64_t number);

/* Adds instead a frame that an earlier run has made, as it was shown. After the last of these the
 * caller sets film_dim_shown to its light. */
enum status film_dim_past(struct film_dim *dim, const struct flash_frame *flash, int64_t number);

/* Light of the frame before, as it was shown: [height][width]. */
float (*film_dim_shown(struct film_dim *dim))[3];

/* Number of frames that were changed. */
int64_t film_dim_count(const struct film_dim *dim);

#endif
