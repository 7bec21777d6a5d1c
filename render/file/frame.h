/* Centre and zoom of a frame that is given by its corners, its height or hexadecimal numbers.
 *
 * Other programs say where they look in their own ways. The results here are decimal texts as
 * view.h takes them; what can be exact is. */
#ifndef RENDER_FILE_FRAME_H
#define RENDER_FILE_FRAME_H

#include "kernels/status.h"

struct frame {
    char *re, *im, *zoom; /* owned */
    double rotation_deg;  /* counter-clockwise; 0 for upright corners */
    double aspect,
        corner_deg; /* width over height; the angle at the lower left, 90 unless skewed */
};

enum frame_corner { FRAME_LEFT, FRAME_RIGHT, FRAME_BOTTOM, FRAME_TOP, FRAME_X, FRAME_Y };

/* (left, top) and (right, bottom) are corners, and so is the lower left one, (x, y), which is
 * (left, bottom) where those are NULL. The centre is exact, the zoom right to 25 digits.
 * STATUS_BAD_DATA for what is no number (view.h) and for a frame without height or width. The
 * caller destroys *frame. */
enum status frame_of_corners(struct frame *frame, const char *const corner[6]);

void frame_destroy(struct frame *frame); /* accepts a zeroed one */

/* factor * number, and factor / number, to 25 digits; freed by the caller. STATUS_BAD_DATA for what
 * is no number, for 0 and for less. */
enum status frame_product(double factor, const char *number, char **product);
enum status frame_quotient(double factor, const char *number, char **quotient);

/* [+-]1.8c@-5: a number in base 16, times 16^-5. As a decimal number it is off by less than
 * 1e-39 of its last digit. Freed by the caller; STATUS_BAD_DATA. */
enum status frame_hexadecimal(const char *text, char **decimal);

#endif
