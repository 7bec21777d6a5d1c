/* Small pictures with their place inside: PNG files of bookmarks and lists. Any bytes may come. */
#ifndef LIBRARY_SETTINGS_THUMBNAIL_H
#define LIBRARY_SETTINGS_THUMBNAIL_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/status.h"

enum { THUMBNAIL_TEXT_BYTES = 4 << 20 }; /* most of a text */

/* The text of the place, freed by the caller. `name` is for messages. STATUS_BAD_DATA: no PNG, a
 * damaged one, or one of another program. */
enum status thumbnail_text(const char *png, size_t length, const char *name, char **text);

/* The pixels, 0xffRRGGBB, [height][width], freed by the caller; NULL on failure. STATUS_TOO_LARGE:
 * a side is longer than `most_px`. STATUS_BAD_DATA: damaged. */
enum status thumbnail_pixels(const char *png, size_t length, const char *name, uint32_t most_px,
                             uint32_t **pixels, uint32_t *width, uint32_t *height);

#endif
