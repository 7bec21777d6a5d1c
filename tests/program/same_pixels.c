/* Do two PNG files hold the same pixels? Prints the first that differs. What else is in them, texts
 * and compression, does not matter.
 * usage: same_pixels A.png B.png; ends with 0 if they do, 1 if not, 2 if one cannot be read. */
#include <png.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static png_bytep pixels_of(const char *path, png_image *image)
{
    memset(image, 0, sizeof *image);
    image->version = PNG_IMAGE_VERSION;
    if (!png_image_begin_read_from_file(image, path)) {
        fprintf(stderr, "%s: %s\n", path, image->message);
        return NULL;
    }
    image->format = PNG_FORMAT_RGB;
    png_bytep pixels = malloc(PNG_IMAGE_SIZE(*image));
    if (pixels && png_image_finish_read(image, NULL, pixels, 0, NULL))
        return pixels;
    fprintf(stderr, "%s: %s\n", path, image->message);
    free(pixels);
    return NULL;
}

int main(int argc, char **argv)
{
    png_image a, b;
    if (argc != 3)
        return 2;
    png_bytep first = pixels_of(argv[1], &a), second = pixels_of(argv[2], &b);
    if (!first || !second)
        return 2;
    if (a.width != b.width || a.height != b.height) {
        printf("%u x %u and %u x %u\n", a.width, a.height, b.width, b.height);
        return 1;
    }
    size_t count = (size_t)a.width * a.height, differ = 0;
    for (size_t i = 0; i < count; i++)
        if (memcmp(first + 3 * i, second + 3 * i, 3) != 0 && !differ++)
            printf("pixel %zu %zu: #%02x%02x%02x and #%02x%02x%02x\n", i % a.width, i / a.width,
                   first[3 * i], first[3 * i + 1], first[3 * i + 2], second[3 * i],
                   second[3 * i + 1], second[3 * i + 2]);
    if (differ)
        printf("%zu of %zu pixels differ\n", differ, count);
    free(first);
    free(second);
    return differ > 0;
}
