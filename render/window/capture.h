/* Writing of pixels of the screen, or of a frame, as a PNG file. */
#ifndef RENDER_WINDOW_CAPTURE_H
#define RENDER_WINDOW_CAPTURE_H

#include "kernels/status.h"
#include "render/disk/atomic_file.h"
#include "render/window/paint.h"

/* Writes an 8-bit RGB PNG, without alpha. `view_text`, as ini text, is embedded where
 * render/file/png_text.h finds it; it may be NULL. Any thread. STATUS_CANNOT_CREATE, STATUS_IO,
 * STATUS_OUT_OF_MEMORY. Cost: 50 ms for 1920 x 1080. */
enum status capture_write(const struct paint_image *image, const char *view_text, const char *path,
                          enum overwrite overwrite);

#endif
