/* How far are pairs of pictures apart? A sheet with a row for each pair: the first, the second, and
 * 64 times the difference of their colours.
 * usage: difference SHEET.png PICTURE.png PICTURE.png [PICTURE.png PICTURE.png...]
 * Prints for each pair its pixels, and the difference of a pixel's channels, at most, that half of
 * them and 90, 99 and all of 100 have. */
#include <png.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/png_rgb.h"

enum { CHANNELS = 3, COLUMNS = 3, TIMES = 64, CHANNEL_MOST = 255 };

struct sheet {
    unsigned width, height; /* pixels of a picture */
    int rows;
    unsigned char *rgb; /* [rows * height][COLUMNS * width][CHANNELS] */
};

/* Puts a picture into its cell. */
static void cell_put(const struct sheet *sheet, int row, int column, const unsigned char *rgb)
{
    const size_t line = (size_t)CHANNELS * sheet->width;
    for (size_t y = 0; y < sheet->height; y++)
        memcpy(sheet->rgb + ((size_t)row * sheet->height + y) * COLUMNS * line +
                   (size_t)column * line,
               rgb + y * line, line);
}

/* Prints the differences that so many of 100 pixels have at most. */
static void quantiles_print(const char *name, const size_t *count, size_t pixels)
{
    static const int percent[] = {50, 90, 99, 100};
    printf("%s %zu pixels, differences of 255 that 50, 90, 99 and 100 %% have at most:", name,
           pixels);
    size_t below = 0;
    for (int i = 0, value = -1; i < 4; i++) {
        while (below * 100 < pixels * (size_t)percent[i])
            below += count[++value];
        printf(" %d", value < 0 ? 0 : value);
    }
    putchar('\n');
}

/* Makes `second` the difference, and prints the pair's line. */
static void difference_make(const struct sheet *sheet, const char *name, const unsigned char *first,
                            unsigned char *second)
{
    const size_t pixels = (size_t)sheet->width * sheet->height;
    size_t count[CHANNEL_MOST + 1] = {0};
    for (size_t i = 0; i < pixels; i++) {
        int largest = 0;
        for (size_t k = i * CHANNELS; k < (i + 1) * CHANNELS; k++) {
            const int apart = abs(first[k] - second[k]);
            largest = apart > largest ? apart : largest;
            second[k] =
                (unsigned char)(TIMES * apart < CHANNEL_MOST ? TIMES * apart : CHANNEL_MOST);
        }
        count[largest]++;
    }
    quantiles_print(name, count, pixels);
}

/* Fills a row; false with a line on standard error. */
static bool row_fill(struct sheet *sheet, int row, const char *first_path, const char *second_path)
{
    unsigned width[2], height[2];
    unsigned char *first = png_rgb_read(first_path, &width[0], &height[0]);
    unsigned char *second = first ? png_rgb_read(second_path, &width[1], &height[1]) : NULL;
    bool same = second && width[0] == width[1] && height[0] == height[1];
    if (same && !sheet->rgb) {
        sheet->width = width[0];
        sheet->height = height[0];
        sheet->rgb = calloc((size_t)sheet->rows * height[0] * COLUMNS * width[0], CHANNELS);
    }
    same = same && sheet->rgb && sheet->width == width[0] && sheet->height == height[0];
    if (same) {
        cell_put(sheet, row, 0, first);
        cell_put(sheet, row, 1, second);
        difference_make(sheet, first_path, first, second);
        cell_put(sheet, row, 2, second);
    } else if (second)
        fprintf(stderr, "%s and %s have other sizes\n", first_path, second_path);
    free(first);
    free(second);
    return same;
}

static bool sheet_write(const char *path, const struct sheet *sheet)
{
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = COLUMNS * sheet->width,
                       .height = (unsigned)sheet->rows * sheet->height,
                       .format = PNG_FORMAT_RGB};
    if (png_image_write_to_file(&image, path, 0, sheet->rgb, 0, NULL))
        return true;
    fprintf(stderr, "%s: %s\n", path, image.message);
    return false;
}

int main(int argc, char **argv)
{
    struct sheet sheet = {.rows = (argc - 2) / 2};
    if (argc < 4 || argc % 2) {
        fputs("usage: difference SHEET.png PICTURE.png PICTURE.png...\n", stderr);
        return 2;
    }
    bool good = true;
    for (int row = 0; row < sheet.rows && good; row++)
        good = row_fill(&sheet, row, argv[2 + 2 * row], argv[3 + 2 * row]);
    good = good && sheet_write(argv[1], &sheet);
    free(sheet.rgb);
    return good ? 0 : 1;
}
