#include "render/film/film_change.h"

#include <math.h>
#include <stdlib.h>

#include "render/motion/light_mean.h"
#include "render/view/view_motion.h"

enum status film_change_open(struct film_change *change, int32_t width, int32_t height)
{
    int32_t side = (width - 1) / CHANGE_WIDTH + 1;
    side = side < height ? side : height;
    *change = (struct film_change){.width = width / side,
                                   .height = height / side,
                                   .side_px = side,
                                   .frame_width = width,
                                   .frame_height = height,
                                   .frame = -1,
                                   .threads = 1};
    size_t pixels = (size_t)change->width * (size_t)change->height;
    change->before = calloc(pixels, sizeof *change->before);
    change->now = calloc(pixels, sizeof *change->now);
    if (change->before && change->now)
        return STATUS_OK;
    film_change_close(change);
    return status_fail(STATUS_OUT_OF_MEMORY, "no memory to compare frames");
}

void film_change_close(struct film_change *change)
{
    free(change->before);
    free(change->now);
    view_destroy(&change->view);
    change->before = change->now = NULL;
}

static float lightness(double luminance)
{
    return (float)(luminance > 216.0 / 24389 ? 116 * cbrt(luminance) - 16
                                             : luminance * 24389.0 / 27);
}

/* Mean of a square; all are equally large, and centred in the frame. */
static float mean_of(const struct film_change *change, const float (*light)[3], int32_t i,
                     int32_t j)
{
    int32_t side = change->side_px;
    int32_t left = (change->frame_width - change->width * side) / 2 + i * side;
    int32_t top = (change->frame_height - change->height * side) / 2 + j * side;
    double mean[3];
    light_mean(light, change->frame_width, left, top, side, side, mean);
    return lightness(0.2126 * mean[0] + 0.7152 * mean[1] + 0.0722 * mean[2]);
}

/* Interpolates between four means. NAN beyond them. */
static double sampled(const struct film_change *change, const float *means, double x, double y)
{
    if (!(x >= 0 && y >= 0 && x <= change->width - 1 && y <= change->height - 1))
        return NAN;
    int32_t i = (int32_t)x, j = (int32_t)y;
    i = i < change->width - 1 ? i : i - (i > 0);
    j = j < change->height - 1 ? j : j - (j > 0);
    int32_t right = i + 1 < change->width, below = j + 1 < change->height;
    const float *row = means + (size_t)j * (size_t)change->width;
    const float *next = row + (below ? change->width : 0);
    double u = x - i, v = y - j;
    return (1 - v) * ((1 - u) * (double)row[i] + u * (double)row[i + right]) +
           v * ((1 - u) * (double)next[i] + u * (double)next[i + right]);
}

/* Mean difference of the frames; the placement maps pixels of the old one to the new one. Both are
 * sampled half way between, which blurs them equally: an interpolated frame differs from one that
 * is not by all of its detail.
 *
 * With the linear part L L and the shift d of the placement, a position m there was at L^-1 (m -
 * L^-1 d / 2), and is at L m + d / 2. */
static double compared(const struct film_change *change, const struct placement *placement)
{
    double unit = change->side_px;
    double scale = sqrt(placement->scale), angle = placement->angle_rad / 2;
    double c = cos(angle) * scale, s = sin(angle) * scale, square = scale * scale, sum = 0;
    double dx = placement->dx_px / unit / 2, dy = placement->dy_px / unit / 2;
    double ex = (dx * c + dy * s) / square, ey = (dy * c - dx * s) / square;
    double middle_x = change->width / 2.0 - 0.5, middle_y = change->height / 2.0 - 0.5;
    int64_t compared = 0;
    for (int32_t j = 0; j < change->height; j++)
        for (int32_t i = 0; i < change->width; i++) {
            double x = i - middle_x, y = j - middle_y;
            double u = x - ex, v = y - ey;
            double was = sampled(change, change->before, (u * c + v * s) / square + middle_x,
                                 (v * c - u * s) / square + middle_y);
            double now = sampled(change, change->now, x * c - y * s + dx + middle_x,
                                 x * s + y * c + dy + middle_y);
            if (isnan(was) || isnan(now))
                continue;
            sum += fabs(was - now);
            compared++;
        }
    return compared ? sum / (double)compared : NAN;
}

enum status film_change_add(struct film_change *change, const float (*light)[3],
                            const struct view *view, int64_t frame, double *difference)
{
    struct placement placement = {.scale = 0};
    *difference = NAN;
#pragma omp parallel for num_threads(change->threads) schedule(dynamic, 4)
    for (int32_t j = 0; j < change->height; j++)
        for (int32_t i = 0; i < change->width; i++)
            change->now[(size_t)j * (size_t)change->width + (size_t)i] =
                mean_of(change, light, i, j);
    if (change->frame >= 0 && frame == change->frame + 1)
        TRY(view_placement(&change->view, view, &placement));
    if (placement.scale > 0)
        *difference = compared(change, &placement);
    float *now = change->now;
    change->now = change->before;
    change->before = now;
    change->frame = frame;
    return view_copy(&change->view, view);
}
