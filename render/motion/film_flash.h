/* The check of a film for flashes: WCAG 2.2, success criterion 2.3.1, general and red flashes.
 *
 * A flash is a pair of opposing changes of the relative luminance by 0.1 or more, where the darker
 * one is below 0.8; or, where one of them is a saturated red, R / (R + G + B) >= 0.8, of 320 max(R
 * - G - B, 0) by more than 20, in linear light. Changes are measured in FLASH_COLUMNS x FLASH_ROWS
 * cells, from one extremum to the next. At most three flashes are allowed in any second in a
 * quarter or more of the cells of any third of the picture's width and height, which is the share
 * of 10 degrees of the field of view on a screen of 1024 x 768 at the usual distance. Means of
 * cells do not show finer patterns, which the criterion excepts. */
#ifndef RENDER_MOTION_FILM_FLASH_H
#define RENDER_MOTION_FILM_FLASH_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/status.h"

enum {
    FLASH_COLUMNS = 36,
    FLASH_ROWS = 24,
    FLASH_CELLS = FLASH_COLUMNS * FLASH_ROWS,
    FLASH_MOST = 3 /* flashes allowed in a second */
};

/* Frame for the check: mean linear light of its cells, in 1 / 65535. */
struct flash_frame {
    uint16_t light[FLASH_CELLS][3];
};

/* light: [height][width]. */
void flash_frame_make(struct flash_frame *frame, const float (*light)[3], int32_t width,
                      int32_t height, int threads);

/* State of the check: changes in the last second. */
struct flash_state;

enum status flash_create(struct flash_state **state, int fps);
void flash_destroy(struct flash_state *state); /* accepts NULL */

/* Adds the next frame; returns the flashes in the second that ends with it, in halves. */
int flash_add(struct flash_state *state, const struct flash_frame *frame);

/* Result of flash_add, without adding the frame. */
int flash_try(const struct flash_state *state, const struct flash_frame *frame);

/* Check of pictures at uneven times: advances by frames without a change; adds a picture at the
 * time of the last of them; and returns the result of that, without adding it. flash_add is a wait
 * of one frame and a change. */
int flash_wait(struct flash_state *state, int64_t frames);
int flash_change(struct flash_state *state, const struct flash_frame *frame);
int flash_try_change(const struct flash_state *state, const struct flash_frame *frame);

#endif
