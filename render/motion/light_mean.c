#include "render/motion/light_mean.h"

#include <string.h>

typedef float four __attribute__((vector_size(16)));

enum { PIXELS = 4 }; /* pixels at once, as three vectors: r g b r, g b r g, b r g b */

static void row_add(const float *row, int32_t pixels, double sum[3])
{
    four part[3] = {{0}, {0}, {0}};
    int32_t i = 0;
    for (; i + PIXELS <= pixels; i += PIXELS, row += 3 * PIXELS)
        for (int k = 0; k < 3; k++) {
            four more;
            memcpy(&more, row + 4 * k, sizeof more);
            part[k] += more;
        }
    for (int k = 0; k < 3 * PIXELS; k++)
        sum[k % 3] += (double)part[k / 4][k % 4];
    for (; i < pixels; i++, row += 3)
        for (int c = 0; c < 3; c++)
            sum[c] += (double)row[c];
}

void light_mean(const float (*light)[3], int32_t width, int32_t x, int32_t y, int32_t columns,
                int32_t rows, double mean[3])
{
    double sum[3] = {0};
    for (int32_t i = 0; i < rows; i++)
        row_add(light[(size_t)(y + i) * (size_t)width + (size_t)x], columns, sum);
    for (int c = 0; c < 3; c++)
        mean[c] = sum[c] / ((double)columns * (double)rows);
}
