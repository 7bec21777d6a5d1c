#include "render/png_writer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void failed(png_structp png, png_const_charp message)
{
    char *reason = png_get_error_ptr(png);
    snprintf(reason, PNG_REASON_BYTES, "%s%s%s", message, errno ? ": " : "",
             errno ? strerror(errno) : "");
    png_longjmp(png, 1);
}

static void warned(png_structp png, png_const_charp message)
{
    (void)png; /* libpng warns of nothing that the file's reader could notice */
    (void)message;
}

png_structp png_writer_create(char reason[PNG_REASON_BYTES])
{
    return png_create_write_struct(PNG_LIBPNG_VER_STRING, reason, failed, warned);
}
