#include "render/window/paint.h"

#include <math.h>
#include <stdbool.h>

#include "render/window/paint_parts.h"

struct paint paint_on(uint32_t *pixels, int32_t width, int32_t height, int32_t stride, double scale,
                      struct paint_fonts *fonts)
{
    return (struct paint){.pixels = pixels,
                          .width = width,
                          .height = height,
                          .stride = stride,
                          .scale = scale,
                          .fonts = fonts,
                          .clip = {0, 0, width, height}};
}

double paint_units(const struct paint *paint, double px)
{
    return px / paint->scale;
}

/* Units to the nearest whole pixel, within what boxes can hold. */
static int32_t whole_px(const struct paint *paint, double units)
{
    double px = floor(units * paint->scale + 0.5), most = 1 << 29;
    return (int32_t)(px > -most ? px < most ? px : most : -most);
}

struct paint_box paint_pixels(const struct paint *paint, struct paint_area area)
{
    return (struct paint_box){whole_px(paint, area.x), whole_px(paint, area.y),
                              whole_px(paint, area.x + area.width),
                              whole_px(paint, area.y + area.height)};
}

static struct paint_box both(struct paint_box a, struct paint_box b)
{
    return (struct paint_box){a.left > b.left ? a.left : b.left, a.top > b.top ? a.top : b.top,
                              a.right < b.right ? a.right : b.right,
                              a.bottom < b.bottom ? a.bottom : b.bottom};
}

static bool is_empty(struct paint_box box)
{
    return box.right <= box.left || box.bottom <= box.top;
}

struct paint_box paint_clip(struct paint *paint, struct paint_area area)
{
    struct paint_box before = paint->clip;
    paint->clip = both(before, paint_pixels(paint, area));
    return before;
}

struct paint_box paint_touch(struct paint *paint, struct paint_box box)
{
    box = both(box, paint->clip);
    struct paint_box *touched = &paint->touched;
    if (is_empty(box))
        return (struct paint_box){0};
    if (is_empty(*touched)) {
        *touched = box;
        return box;
    }
    touched->left = box.left < touched->left ? box.left : touched->left;
    touched->top = box.top < touched->top ? box.top : touched->top;
    touched->right = box.right > touched->right ? box.right : touched->right;
    touched->bottom = box.bottom > touched->bottom ? box.bottom : touched->bottom;
    return box;
}

/* ---- rectangles ---- */

static void fill(struct paint *paint, struct paint_box box, uint32_t colour)
{
    box = paint_touch(paint, box);
    for (int32_t y = box.top; y < box.bottom; y++) {
        uint32_t *row = paint_row(paint, y);
        if (colour >> 24 == 255)
            for (int32_t x = box.left; x < box.right; x++)
                row[x] = colour;
        else
            for (int32_t x = box.left; x < box.right; x++)
                row[x] = paint_blend(row[x], colour, colour >> 24);
    }
}

void paint_rectangle(struct paint *paint, struct paint_area area, uint32_t colour)
{
    fill(paint, paint_pixels(paint, area), colour);
}

void paint_border(struct paint *paint, struct paint_area area, double thickness, uint32_t colour)
{
    struct paint_box box = paint_pixels(paint, area);
    int32_t edge = whole_px(paint, thickness);
    edge = edge > 1 ? edge : 1;
    if (2 * (int64_t)edge >= box.right - box.left || 2 * (int64_t)edge >= box.bottom - box.top) {
        fill(paint, box, colour);
        return;
    }
    int32_t top = box.top + edge, bottom = box.bottom - edge;
    fill(paint, (struct paint_box){box.left, box.top, box.right, top}, colour);
    fill(paint, (struct paint_box){box.left, bottom, box.right, box.bottom}, colour);
    fill(paint, (struct paint_box){box.left, top, box.left + edge, bottom}, colour);
    fill(paint, (struct paint_box){box.right - edge, top, box.right, bottom}, colour);
}

void paint_bar(struct paint *paint, struct paint_area area, double share, uint32_t colour,
               uint32_t back)
{
    share = share > 0 ? share < 1 ? share : 1 : 0;
    struct paint_box full = paint_pixels(paint, area), rest = full;
    full.right = full.left + (int32_t)lrint(share * (full.right - full.left));
    rest.left = full.right;
    fill(paint, full, colour);
    fill(paint, rest, back);
}

/* ---- lines ---- */

struct stroke {    /* pixels */
    double x, y;   /* its middle */
    double ax, ay; /* along, of length 1 */
    double half_length, half_width;
};

static double covered(double inside)
{
    return inside <= 0 ? 0 : inside < 1 ? inside : 1;
}

/* How much of the pixel is within the stroke, as if both were turned squares. */
static unsigned stroke_alpha(const struct stroke *stroke, int32_t x, int32_t y, unsigned alpha)
{
    double dx = x + 0.5 - stroke->x, dy = y + 0.5 - stroke->y;
    double along = fabs(dx * stroke->ax + dy * stroke->ay);
    double across = fabs(dy * stroke->ax - dx * stroke->ay);
    return (unsigned)lrint(covered(stroke->half_length + 0.5 - along) *
                           covered(stroke->half_width + 0.5 - across) * alpha);
}

/* Of the pixels of a row those that the stroke can cover: an interval around where the middle line
 * crosses the row. */
static void stroke_span(const struct stroke *stroke, int32_t y, int32_t *left, int32_t *right)
{
    double steep = fabs(stroke->ay), reach = stroke->half_width + 1;
    if (steep * (*right - *left) <= reach)
        return; /* as flat as that, it may cover the whole row */
    double middle = stroke->x + (y + 0.5 - stroke->y) * stroke->ax / stroke->ay;
    double from = floor(middle - reach / steep - 1), to = ceil(middle + reach / steep + 1);
    *left = from > *left ? from < *right ? (int32_t)from : *right : *left;
    *right = to < *right ? to > *left ? (int32_t)to : *left : *right;
}

void paint_line(struct paint *paint, double x0, double y0, double x1, double y1, double thickness,
                uint32_t colour)
{
    double k = paint->scale, dx = (x1 - x0) * k, dy = (y1 - y0) * k, length = hypot(dx, dy);
    if (!isfinite(length) || length == 0)
        return;
    struct stroke stroke = {.x = (x0 + x1) / 2 * k,
                            .y = (y0 + y1) / 2 * k,
                            .ax = dx / length,
                            .ay = dy / length,
                            .half_length = length / 2,
                            .half_width = fmax(thickness * k, 1) / 2};
    double reach = (stroke.half_width + 1) / k;
    struct paint_area around = {fmin(x0, x1) - reach, fmin(y0, y1) - reach,
                                fabs(x1 - x0) + 2 * reach, fabs(y1 - y0) + 2 * reach};
    struct paint_box box = paint_touch(paint, paint_pixels(paint, around));
    for (int32_t y = box.top; y < box.bottom; y++) {
        int32_t left = box.left, right = box.right;
        stroke_span(&stroke, y, &left, &right);
        uint32_t *row = paint_row(paint, y);
        for (int32_t x = left; x < right; x++)
            row[x] = paint_blend(row[x], colour, stroke_alpha(&stroke, x, y, colour >> 24));
    }
}

/* ---- images ---- */

/* The mean of the image over the rectangle of two pixels' distance 2 ru, 2 rv about (u, v), in
 * pixels with edges at integers: a mean over one pixel is an interpolation between four. */
static uint32_t image_mean(const struct paint_image *image, double u, double v, double ru,
                           double rv)
{
    double sum[4] = {0}, weights = 0;
    int32_t top = (int32_t)floor(v - rv), bottom = (int32_t)ceil(v + rv);
    int32_t left = (int32_t)floor(u - ru), right = (int32_t)ceil(u + ru);
    for (int32_t y = top; y < bottom; y++) {
        double high = fmin(y + 1, v + rv) - fmax(y, v - rv);
        int32_t row = y < 0 ? 0 : y < image->height ? y : image->height - 1;
        for (int32_t x = left; x < right; x++) {
            int32_t column = x < 0 ? 0 : x < image->width ? x : image->width - 1;
            uint32_t pixel = image->pixels[(int64_t)row * image->stride + column];
            double weight = high * (fmin(x + 1, u + ru) - fmax(x, u - ru));
            double light = weight * (pixel >> 24); /* what is transparent has no colour */
            for (int k = 0; k < 3; k++)
                sum[k] += light * (double)(pixel >> 8 * k & 255);
            sum[3] += light;
            weights += weight;
        }
    }
    if (sum[3] <= 0)
        return 0;
    uint32_t mean = (uint32_t)lrint(sum[3] / weights) << 24;
    for (int k = 0; k < 3; k++)
        mean |= (uint32_t)lrint(sum[k] / sum[3]) << 8 * k;
    return mean;
}

void paint_image(struct paint *paint, struct paint_area area, const struct paint_image *image,
                 int opacity)
{
    struct paint_box whole = paint_pixels(paint, area), box = paint_touch(paint, whole);
    int32_t width = whole.right - whole.left, height = whole.bottom - whole.top;
    if (box.right <= box.left || image->width <= 0 || image->height <= 0)
        return;
    double su = (double)image->width / width, sv = (double)image->height / height;
    double ru = fmax(su, 1) / 2, rv = fmax(sv, 1) / 2;
    bool same = image->width == width && image->height == height;
    for (int32_t y = box.top; y < box.bottom; y++) {
        uint32_t *row = paint_row(paint, y);
        for (int32_t x = box.left; x < box.right; x++) {
            int32_t i = x - whole.left, j = y - whole.top;
            uint32_t pixel = same ? image->pixels[(int64_t)j * image->stride + i]
                                  : image_mean(image, (i + 0.5) * su, (j + 0.5) * sv, ru, rv);
            unsigned alpha = ((pixel >> 24) * (unsigned)opacity + 127) / 255;
            row[x] = paint_blend(row[x], pixel, alpha);
        }
    }
}
