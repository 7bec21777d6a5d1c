/* How alike do two pictures look? ssim A.png B.png prints their mean structural similarity: Wang,
 * Bovik, Sheikh, Simoncelli, Image quality assessment (2004), of lightness as 8-bit samples give it
 * (0.299 R + 0.587 G + 0.114 B), windows of 11 x 11 pixels with a Gaussian of 1.5, K1 = 0.01,
 * K2 = 0.03, windows inside the picture only. With a third word, a number, it fails below it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/png_rgb.h"

enum { REACH = 5, TAPS = 2 * REACH + 1 };

struct image {
    int width, height;
    double *light;
};

static int image_read(struct image *image, const char *path)
{
    unsigned width, height;
    unsigned char *samples = png_rgb_read(path, &width, &height);
    if (!samples)
        return 0;
    size_t pixels = (size_t)width * height;
    *image = (struct image){(int)width, (int)height, malloc(pixels * sizeof(double))};
    for (size_t i = 0; image->light && i < pixels; i++)
        image->light[i] =
            0.299 * samples[3 * i] + 0.587 * samples[3 * i + 1] + 0.114 * samples[3 * i + 2];
    free(samples);
    return image->light != NULL;
}

/* Weighted means of a b over windows, [height - 10][width - 10]. */
static double *means(const struct image *image, const double *a, const double *b)
{
    double tap[TAPS], sum = 0;
    for (int i = 0; i < TAPS; i++)
        sum += tap[i] = exp(-(i - REACH) * (i - REACH) / (2 * 1.5 * 1.5));
    int width = image->width - 2 * REACH, height = image->height - 2 * REACH;
    double *line = malloc((size_t)image->height * (size_t)width * sizeof *line);
    double *mean = calloc((size_t)height * (size_t)width, sizeof *mean);
    if (!line || !mean)
        abort();
    for (int y = 0; y < image->height; y++)
        for (int x = 0; x < width; x++) {
            double at = 0;
            for (int i = 0; i < TAPS; i++) {
                size_t k = (size_t)y * (size_t)image->width + (size_t)(x + i);
                at += tap[i] / sum * a[k] * (b ? b[k] : 1);
            }
            line[(size_t)y * (size_t)width + (size_t)x] = at;
        }
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            for (int i = 0; i < TAPS; i++)
                mean[(size_t)y * (size_t)width + (size_t)x] +=
                    tap[i] / sum * line[(size_t)(y + i) * (size_t)width + (size_t)x];
    free(line);
    return mean;
}

static double ssim(const struct image *one, const struct image *other)
{
    const double c1 = 0.01 * 255 * 0.01 * 255, c2 = 0.03 * 255 * 0.03 * 255;
    double *a = means(one, one->light, NULL), *b = means(one, other->light, NULL);
    double *aa = means(one, one->light, one->light), *bb = means(one, other->light, other->light);
    double *ab = means(one, one->light, other->light), sum = 0;
    size_t windows = (size_t)(one->width - 2 * REACH) * (size_t)(one->height - 2 * REACH);
    for (size_t i = 0; i < windows; i++) {
        double va = aa[i] - a[i] * a[i], vb = bb[i] - b[i] * b[i], vab = ab[i] - a[i] * b[i];
        sum += (2 * a[i] * b[i] + c1) * (2 * vab + c2) /
               ((a[i] * a[i] + b[i] * b[i] + c1) * (va + vb + c2));
    }
    free(a);
    free(b);
    free(aa);
    free(bb);
    free(ab);
    return sum / (double)windows;
}

int main(int argc, char **argv)
{
    struct image one = {0}, other = {0};
    if (argc < 3 || argc > 4) {
        fprintf(stderr, "ssim A.png B.png [LEAST]\n");
        return 64;
    }
    if (!image_read(&one, argv[1]) || !image_read(&other, argv[2]))
        return 66;
    if (one.width != other.width || one.height != other.height || one.width < TAPS ||
        one.height < TAPS) {
        fprintf(stderr, "pictures of different sizes, or smaller than %d pixels\n", TAPS);
        return 65;
    }
    double alike = ssim(&one, &other);
    printf("%.5f\n", alike);
    free(one.light);
    free(other.light);
    return argc == 4 && alike < strtod(argv[3], NULL);
}
