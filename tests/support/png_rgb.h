/* The pixels of a PNG as 8-bit RGB. */
#ifndef TESTS_SUPPORT_PNG_RGB_H
#define TESTS_SUPPORT_PNG_RGB_H

#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* [height][width][3], freed by the caller; NULL with a line on stderr. */
static inline unsigned char *png_rgb_read(const char *path, unsigned *width, unsigned *height)
{
    png_image image;
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    unsigned char *pixels = NULL;
    if (png_image_begin_read_from_file(&image, path)) {
        image.format = PNG_FORMAT_RGB;
        pixels = malloc(PNG_IMAGE_SIZE(image));
        if (pixels && png_image_finish_read(&image, NULL, pixels, 0, NULL)) {
            *width = image.width;
            *height = image.height;
            return pixels;
        }
    }
    fprintf(stderr, "%s: %s\n", path, image.message);
    free(pixels);
    return NULL;
}

#endif
