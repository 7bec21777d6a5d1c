/* How easily is a picture read? Three figures of each, and contact sheets.
 * usage: looks [--across N] SHEETS NAME INTERIOR FILE.png ...   (SHEETS-1.png, -2.png, ... are
 * written; "": none)
 *
 * range     brightest less darkest lightness (CIE L*, 0 ... 100), without 5 % at each end
 * commonest share of the pixels in the commonest of 50 intervals of lightness, in percent
 * contrast  mean difference of lightness between pixels 8 px apart, across and down
 *
 * Where less than 0.4 of a picture (INTERIOR) is inside the set, range >= 50, commonest <= 25 and
 * contrast >= 5 are wanted in nine of ten pictures, and 35, 40 and 3 in all. Exit code 1 if not. */
#include <math.h>
#include <png.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/colour/srgb.h"
#include "tests/support/png_rgb.h"

enum { APART_PX = 8, BINS = 50, ACROSS = 3, ACROSS_MOST = 16, SHEET_WIDTH = 960 };

/* Cells of 16:9; a sheet of 960 pixels is 3 by 3, one of other columns has all pictures. */
struct sheet {
    int across, down, width, cell_width, cell_height;
    uint8_t *rgb;
};

struct picture {
    int width, height;
    uint8_t *rgb;
    float *lightness;
};

struct figures {
    double range, commonest, contrast;
};

static double lightness_of(const uint8_t rgb[3])
{
    double y = 0.2126 * srgb_decode(rgb[0] / 255.0) + 0.7152 * srgb_decode(rgb[1] / 255.0) +
               0.0722 * srgb_decode(rgb[2] / 255.0);
    return y > 216.0 / 24389 ? 116 * cbrt(y) - 16 : y * 24389 / 27;
}

static bool picture_load(struct picture *picture, const char *path)
{
    unsigned width, height;
    *picture = (struct picture){.rgb = png_rgb_read(path, &width, &height)};
    if (!picture->rgb)
        return false;
    size_t pixels = (size_t)width * height;
    picture->lightness = malloc(pixels * sizeof *picture->lightness);
    if (!picture->lightness)
        return false;
    picture->width = (int)width;
    picture->height = (int)height;
    for (size_t i = 0; i < pixels; i++)
        picture->lightness[i] = (float)lightness_of(picture->rgb + 3 * i);
    return true;
}

static int compared(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static double mean_difference(const struct picture *picture, int right, int below)
{
    double sum = 0;
    long pairs = 0;
    for (int y = 0; y + below < picture->height; y++)
        for (int x = 0; x + right < picture->width; x++, pairs++) {
            const float *at = picture->lightness + (size_t)y * (size_t)picture->width + x;
            sum += fabs(at[0] - at[below * picture->width + right]);
        }
    return pairs ? sum / (double)pairs : 0;
}

/* Sorts the lightness: to be called last. */
static struct figures measure(struct picture *picture)
{
    size_t pixels = (size_t)picture->width * (size_t)picture->height, bin[BINS] = {0}, most = 0;
    struct figures figures = {
        .contrast =
            (mean_difference(picture, APART_PX, 0) + mean_difference(picture, 0, APART_PX)) / 2};
    for (size_t i = 0; i < pixels; i++) {
        int b = (int)(picture->lightness[i] * BINS / 100);
        bin[b < BINS ? b : BINS - 1]++;
    }
    for (int b = 0; b < BINS; b++)
        most = bin[b] > most ? bin[b] : most;
    figures.commonest = 100 * (double)most / (double)pixels;
    qsort(picture->lightness, pixels, sizeof *picture->lightness, compared);
    figures.range =
        picture->lightness[(pixels - 1) * 95 / 100] - picture->lightness[(pixels - 1) * 5 / 100];
    return figures;
}

/* Into one cell of a sheet: the mean light of the pixels that each of its pixels covers. */
static void cell_draw(struct sheet *sheet, int cell, const struct picture *picture)
{
    int cell_width = sheet->cell_width, cell_height = sheet->cell_height;
    size_t width = (size_t)sheet->width;
    uint8_t *first = sheet->rgb + 3 * ((size_t)(cell / sheet->across * cell_height) * width +
                                       (size_t)(cell % sheet->across * cell_width));
    for (int y = 0; y < cell_height; y++)
        for (int x = 0; x < cell_width; x++) {
            int left = x * picture->width / cell_width, top = y * picture->height / cell_height;
            int right = (x + 1) * picture->width / cell_width;
            int bottom = (y + 1) * picture->height / cell_height;
            double light[3] = {0};
            int count = 0;
            for (int v = top; v < bottom || v == top; v++)
                for (int u = left; u < right || u == left; u++, count++)
                    for (int c = 0; c < 3; c++)
                        light[c] += srgb_decode(
                            picture->rgb[3 * ((size_t)v * (size_t)picture->width + (size_t)u) +
                                         (size_t)c] /
                            255.0);
            for (int c = 0; c < 3; c++)
                first[3 * ((size_t)y * width + (size_t)x) + (size_t)c] =
                    (uint8_t)lround(255 * srgb_encode(light[c] / count));
        }
}

static bool sheet_make(struct sheet *sheet, int across, int pictures)
{
    sheet->across = across;
    sheet->down = across == ACROSS ? ACROSS : (pictures + across - 1) / across;
    sheet->cell_width = across == ACROSS ? SHEET_WIDTH / ACROSS : 160;
    sheet->cell_height = sheet->cell_width * 9 / 16;
    sheet->width = across * sheet->cell_width;
    sheet->rgb = calloc((size_t)sheet->width * (size_t)(sheet->down * sheet->cell_height), 3);
    return sheet->rgb;
}

static bool sheet_write(const char *prefix, int number, struct sheet *sheet)
{
    char path[4096];
    int height = sheet->down * sheet->cell_height;
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)sheet->width,
                       .height = (png_uint_32)height,
                       .format = PNG_FORMAT_RGB};
    snprintf(path, sizeof path, "%s-%d.png", prefix, number);
    bool good = png_image_write_to_file(&image, path, 0, sheet->rgb, 0, NULL);
    memset(sheet->rgb, 0, (size_t)sheet->width * (size_t)height * 3);
    return good;
}

int main(int argc, char **argv)
{
    int across = ACROSS;
    if (argc > 2 && !strcmp(argv[1], "--across")) {
        across = (int)strtol(argv[2], NULL, 10);
        argc -= 2;
        argv += 2;
    }
    if (argc < 5 || (argc - 2) % 3 || across < 1 || across > ACROSS_MOST) {
        fprintf(stderr, "usage: looks [--across N] SHEETS NAME INTERIOR FILE.png ...\n");
        return 64;
    }
    struct sheet sheet;
    int pictures = (argc - 2) / 3, judged = 0, good = 0, bad = 0;
    if (!sheet_make(&sheet, across, pictures))
        return 71;
    printf("%-28s %6s %9s %8s %8s\n", "picture", "range", "commonest", "contrast", "interior");
    for (int i = 0; i < pictures; i++) {
        struct picture picture;
        char **row = argv + 2 + 3 * i;
        double interior = strtod(row[1], NULL);
        if (!picture_load(&picture, row[2])) {
            fprintf(stderr, "looks: cannot read %s\n", row[2]);
            return 66;
        }
        cell_draw(&sheet, i % (sheet.across * sheet.down), &picture);
        struct figures f = measure(&picture);
        bool fine = f.range >= 50 && f.commonest <= 25 && f.contrast >= 5;
        bool poor = f.range < 35 || f.commonest > 40 || f.contrast < 3;
        judged += interior < 0.4;
        good += interior < 0.4 && fine;
        bad += interior < 0.4 && poor;
        printf("%-28s %6.1f %8.1f%% %8.2f %8.3f%s\n", row[0], f.range, f.commonest, f.contrast,
               interior,
               interior >= 0.4 ? "  not judged"
               : poor          ? "  poor"
               : fine          ? ""
                               : "  weak");
        free(picture.rgb);
        free(picture.lightness);
        bool full = (i + 1) % (sheet.across * sheet.down) == 0 || i + 1 == pictures;
        if (*argv[1] && full &&
            !sheet_write(argv[1], i / (sheet.across * sheet.down) + 1, &sheet)) {
            fprintf(stderr, "looks: cannot write a sheet %s\n", argv[1]);
            return 73;
        }
    }
    free(sheet.rgb);
    bool holds = bad == 0 && good * 10 >= judged * 9;
    printf("%d of %d pictures good, %d poor: the goals %s\n", good, judged, bad,
           holds ? "hold" : "do not hold");
    return !holds;
}
