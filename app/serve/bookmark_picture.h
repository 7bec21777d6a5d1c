/* Thumbnails of bookmarks for a page: small JPEG files as data URLs. */
#ifndef APP_SERVE_BOOKMARK_PICTURE_H
#define APP_SERVE_BOOKMARK_PICTURE_H

#include <stdint.h>

#include "kernels/status.h"

/* "data:image/jpeg;base64,...", freed by the caller. pixels: 0xffRRGGBB, [height][width].
 * STATUS_OUT_OF_MEMORY. */
enum status bookmark_picture(const uint32_t *pixels, uint32_t width, uint32_t height, char **url);

#endif
