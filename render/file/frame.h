/* Centre and zoom of a frame that is given by its corners, its height or hexadecimal numbers.
 *
 * Other programs write locations in these forms. The results are decimal texts as view.h takes
 * them, exact where possible. */
#ifndef RENDER_FILE_FRAME_H
#define RENDER_FILE_FRAME_H

#include "kernels/status.h"

struct frame {
    char *re, *im, *zoom;      /* owned */
    double rotation_deg;       /* counter-clockwise; 0 for upright corners */
    double aspect, corner_deg; /* aspect: width over height; corner_deg: angle at the lower left, 90
                                  unless skewed */
};

enum frame_corner { FRAME_LEFT, FRAME_RIGHT, FRAME_BOTTOM, FRAME_TOP, FRAME_X, FRAME_Y };

/* Frame of the corners (left, top) and (right, bottom), and the lower left one, (x, y), which is
 * (left, bottom) where those are NULL. The centre is exact, the zoom exact to 25 digits.
 * STATUS_BAD_DATA for texts that are no number (view.h) and for a frame without height or width.
 * The caller destroys *frame. */
enum status frame_of_corners(struct frame *frame, const char *const corner[6]);

void frame_destroy(struct frame *frame); /* accepts a zeroed one */

/* Product factor * number, and quotient factor / number, to 25 digits; freed by the caller.
 * STATUS_BAD_DATA for a text that is no number, or not above 0. */
enum status frame_product(double factor, const char *number, char **product);
enum status frame_quotient(double factor, const char *number, char **quotient);

/* Converts a number in base 16 to a decimal one: [+-]1.8c@-5 is 1.8c times 16^-5. The error is less
 * than 1e-39 of its last digit. Freed by the caller; STATUS_BAD_DATA. */
enum status frame_hexadecimal(const char *text, char **decimal);

#endif
