#include "render/film/film_change.h"

#include <math.h>
#include <stdlib.h>

#include "render/view_motion.h"

enum status film_change_open(struct film_change *change, int32_t width, int32_t height)
{
    int32_t across = width < CHANGE_WIDTH ? width : CHANGE_WIDTH;
    int32_t down = (int32_t)((int64_t)height * across / width);
    *change = (struct film_change){.width = across,
                                   .height = down > 0 ? down : 1,
                                   .frame_width = width,
                                   .frame_height = height,
                                   .frame = -1};
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

static float mean_of(const struct film_change *change, const float (*light)[3], int32_t i,
                     int32_t j)
{
    int32_t x0 = (int32_t)((int64_t)i * change->frame_width / change->width);
    int32_t x1 = (int32_t)((int64_t)(i + 1) * change->frame_width / change->width);
    int32_t y0 = (int32_t)((int64_t)j * change->frame_height / change->height);
    int32_t y1 = (int32_t)((int64_t)(j + 1) * change->frame_height / change->height);
    double sum = 0;
    for (int32_t y = y0; y < y1; y++)
        for (int32_t x = x0; x < x1; x++) {
            const float *pixel = light[(size_t)y * (size_t)change->frame_width + (size_t)x];
            sum +=
                0.2126 * (double)pixel[0] + 0.7152 * (double)pixel[1] + 0.0722 * (double)pixel[2];
        }
    return lightness(sum / ((double)(x1 - x0) * (double)(y1 - y0)));
}

/* Between four means. NAN beyond them. */
static double sampled(const struct film_change *change, double x, double y)
{
    if (!(x >= 0 && y >= 0 && x <= change->width - 1 && y <= change->height - 1))
        return NAN;
    int32_t i = (int32_t)x, j = (int32_t)y;
    i = i < change->width - 1 ? i : i - (i > 0);
    j = j < change->height - 1 ? j : j - (j > 0);
    int32_t right = i + 1 < change->width, below = j + 1 < change->height;
    const float *row = change->before + (size_t)j * (size_t)change->width;
    const float *next = row + (below ? change->width : 0);
    double u = x - i, v = y - j;
    return (1 - v) * ((1 - u) * (double)row[i] + u * (double)row[i + right]) +
           v * ((1 - u) * (double)next[i] + u * (double)next[i + right]);
}

/* The placement says where a pixel of the old frame is now: its inverse, where one was. */
static double compared(const struct film_change *change, const struct placement *placement)
{
    double unit = (double)change->frame_width / change->width;
    double c = cos(placement->angle_rad), s = sin(placement->angle_rad), sum = 0;
    int64_t compared = 0;
    for (int32_t j = 0; j < change->height; j++)
        for (int32_t i = 0; i < change->width; i++) {
            double x = (i + 0.5 - change->width / 2.0) - placement->dx_px / unit;
            double y = (j + 0.5 - change->height / 2.0) - placement->dy_px / unit;
            double was_x = (x * c + y * s) / placement->scale + change->width / 2.0 - 0.5;
            double was_y = (y * c - x * s) / placement->scale + change->height / 2.0 - 0.5;
            double was = sampled(change, was_x, was_y);
            if (isnan(was))
                continue;
            double now = (double)change->now[(size_t)j * (size_t)change->width + (size_t)i];
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
