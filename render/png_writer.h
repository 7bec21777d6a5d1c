/* How does libpng say what went wrong while it writes? */
#ifndef RENDER_PNG_WRITER_H
#define RENDER_PNG_WRITER_H

#include <png.h>

enum { PNG_REASON_BYTES = 200 };

/* For png_destroy_write_struct; NULL when memory is out. A failure is written into `reason`, with
 * what errno says if it is not 0, and jumps back to the caller's setjmp. */
png_structp png_writer_create(char reason[PNG_REASON_BYTES]);

#endif
