/* The pixels of a small PNG, for thumbnails that deepfield wrote: 8 bits, RGB, not interlaced.
 * Hostile input is normal: libpng decodes only files with valid checksums and at most the requested
 * size. */
#ifndef RENDER_FILE_PNG_PIXELS_H
#define RENDER_FILE_PNG_PIXELS_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/status.h"

/* Reads 0xffRRGGBB, [height][width], into *pixels, freed by the caller; NULL on failure. Every
 * chunk is checked. STATUS_TOO_LARGE: valid so far, but a side is longer than `most_px`, or it is
 * another kind of PNG. STATUS_BAD_DATA: damaged, or no PNG. STATUS_OUT_OF_MEMORY. */
enum status png_pixels_read(const uint8_t *bytes, size_t length, const char *name, uint32_t most_px,
                            uint32_t **pixels, uint32_t *width, uint32_t *height);

#endif
