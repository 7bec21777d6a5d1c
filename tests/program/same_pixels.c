/* Do two files, PNG or .npy, hold the same pixels? Prints the first that differs. What else is in
 * them, texts and compression, does not matter.
 * usage: same_pixels A B [X Y]: B is the whole of A, or the part of it from pixel (X, Y) on; ends
 * with 0 if they do, 1 if not, 2 if one cannot be read. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/png_rgb.h"

struct pixels {
    unsigned width, height, bytes; /* bytes: of a pixel */
    unsigned char *data;           /* [height][width][bytes] */
};

static int png_read(struct pixels *pixels, const char *path)
{
    pixels->bytes = 3;
    pixels->data = png_rgb_read(path, &pixels->width, &pixels->height);
    return pixels->data != NULL;
}

/* As deepfield writes them: version 1, little endian, two dimensions. */
static int npy_read(struct pixels *pixels, const char *path)
{
    unsigned char head[10];
    char text[4096] = "", *shape, *type;
    FILE *file = fopen(path, "rb");
    unsigned length = 0, good = file && fread(head, 1, sizeof head, file) == sizeof head;
    if (good)
        length = head[8] + 256U * head[9];
    good = good && length < sizeof text && fread(text, 1, length, file) == length;
    good = good && (type = strstr(text, "'<")) && (shape = strstr(text, "'shape': (")) &&
           sscanf(type + 3, "%u", &pixels->bytes) == 1 &&
           sscanf(shape, "'shape': (%u, %u)", &pixels->height, &pixels->width) == 2;
    size_t bytes = good ? (size_t)pixels->bytes * pixels->width * pixels->height : 0;
    pixels->data = malloc(bytes + 1);
    good = good && pixels->data && fread(pixels->data, 1, bytes, file) == bytes;
    if (file)
        fclose(file);
    if (!good)
        fprintf(stderr, "%s: no such .npy file\n", path);
    return (int)good;
}

static int pixels_read(struct pixels *pixels, const char *path)
{
    size_t length = strlen(path);
    int npy = length > 4 && !strcmp(path + length - 4, ".npy");
    return npy ? npy_read(pixels, path) : png_read(pixels, path);
}

static void pixel_print(const struct pixels *pixels, const unsigned char *pixel)
{
    for (unsigned i = 0; i < pixels->bytes; i++)
        printf("%s%02x", i ? "" : "#", pixel[i]);
}

int main(int argc, char **argv)
{
    struct pixels a = {0}, b = {0};
    if (argc != 3 && argc != 5)
        return 2;
    if (!pixels_read(&a, argv[1]) || !pixels_read(&b, argv[2]))
        return 2;
    unsigned x0 = argc > 3 ? (unsigned)atoi(argv[3]) : 0,
             y0 = argc > 3 ? (unsigned)atoi(argv[4]) : 0;
    int fits = argc > 3 ? x0 + b.width <= a.width && y0 + b.height <= a.height
                        : a.width == b.width && a.height == b.height;
    if (!fits || a.bytes != b.bytes) {
        printf("%u x %u and %u x %u\n", a.width, a.height, b.width, b.height);
        return 1;
    }
    size_t count = (size_t)b.width * b.height, differ = 0;
    for (size_t i = 0; i < count; i++) {
        size_t x = i % b.width, y = i / b.width, size = a.bytes;
        const unsigned char *first = a.data + size * (a.width * (y + y0) + x + x0);
        const unsigned char *second = b.data + size * i;
        if (memcmp(first, second, size) == 0 || differ++)
            continue;
        printf("pixel %zu %zu: ", x, y);
        pixel_print(&a, first);
        printf(" and ");
        pixel_print(&b, second);
        printf("\n");
    }
    if (differ)
        printf("%zu of %zu pixels differ\n", differ, count);
    free(a.data);
    free(b.data);
    return differ > 0;
}
