/* Sizes of images: pixels, names of screens, and paper at a resolution. */
#ifndef LIBRARY_TEXT_IMAGE_SIZE_H
#define LIBRARY_TEXT_IMAGE_SIZE_H

#include <stdint.h>

#include "kernels/status.h"

enum { IMAGE_DPI_MAX = 10000 };

/* Forms that are read, for messages and help. */
#define IMAGE_SIZE_FORMS                                                                          \
    "WxH, or 720p, 1080p, 1440p, 4k, 8k, 16k, or paper: A0 to A6, letter, tabloid, 84x59cm, mm, " \
    "in, as A1@150dpi, A4:portrait@300dpi"

struct image_size {
    int32_t width, height; /* pixels, 1 ... IMAGE_SIDE_MAX */
    double dpi;            /* resolution in print; 0: none was given */
};

/* Reads "640x360", "4k", "640x360@96dpi", "A1@150dpi", "letter:portrait@300dpi", "84x59cm@200dpi",
 * in either case. Paper lies in landscape format unless it says portrait; its sides are rounded to
 * whole pixels. Fails with STATUS_CONFIG. */
enum status image_size_read(const char *text, struct image_size *size);

#endif
