#include "render/window/paint.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "render/motion/screen_threads.h"

static uint32_t *row_of(const struct paint *paint, int32_t y)
{
    return paint->pixels + (int64_t)y * paint->stride;
}

/* Blends `colour` over an opaque pixel, with a separate alpha of 0 ... 255. Each sample is rounded:
 * the sum is at most 255 * 255, and (n + 128 + (n + 128 >> 8)) >> 8 is n / 255 rounded up to there.
 * Two samples at a time, 16 bits apart. */
static uint32_t blend(uint32_t under, uint32_t colour, unsigned alpha)
{
    const uint32_t odd = 0x00ff00ff, half = 0x00800080;
    uint32_t rb = (colour & odd) * alpha + (under & odd) * (255 - alpha) + half;
    uint32_t g = (colour >> 8 & 0xff) * alpha + (under >> 8 & 0xff) * (255 - alpha) + 128;
    rb = (rb + (rb >> 8 & odd)) >> 8 & odd;
    g = (g + (g >> 8)) >> 8 & 0xff;
    return 0xff000000u | rb | g << 8;
}

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

/* Rounds units to the nearest whole pixel, within the range of boxes. */
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

/* Cuts the box to the clip and marks it as touched. All members are 0 if nothing is left. */
static struct paint_box touch(struct paint *paint, struct paint_box box)
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

/* Threads for the rows of a box: a tint of all tiles of 3840 x 2160 pixels takes one core 15 ms. */
static int box_threads(struct paint_box box)
{
    return screen_copiers((int64_t)(box.right - box.left) * (box.bottom - box.top));
}

/* ---- coverage ---- */

void paint_coverage(struct paint *paint, struct paint_box box, const uint8_t *coverage,
                    uint32_t colour)
{
    int32_t left = box.left, top = box.top, width = box.right - box.left;
    box = touch(paint, box);
    for (int32_t y = box.top; y < box.bottom; y++) {
        const uint8_t *from = coverage + (int64_t)(y - top) * width;
        uint32_t *row = row_of(paint, y);
        for (int32_t x = box.left; x < box.right; x++)
            row[x] = blend(row[x], colour, ((colour >> 24) * from[x - left] + 127) / 255);
    }
}

/* ---- rectangles ---- */

/* Four pixels as samples of 8 and of 16 bits. */
typedef uint8_t bytes16 __attribute__((vector_size(16)));
typedef uint16_t words16 __attribute__((vector_size(32)));
typedef uint32_t pixels4 __attribute__((vector_size(16)));

/* Blends a colour over pixels by its alpha, as blend does, with a sample in each 16 bits. */
static void row_tint(uint32_t *row, int32_t count, uint32_t colour)
{
    const words16 rest = (words16){0} + (uint16_t)(255 - (colour >> 24));
    words16 own;
    int32_t x = 0;
    for (int i = 0; i < 16; i++)
        own[i] = (uint16_t)((colour >> 8 * (i % 4) & 255) * (colour >> 24) + 128);
    for (; x + 4 <= count; x += 4) {
        bytes16 samples;
        memcpy(&samples, row + x, sizeof samples);
        words16 sum = __builtin_convertvector(samples, words16) * rest + own;
        pixels4 mixed =
            (pixels4) __builtin_convertvector((sum + (sum >> 8)) >> 8, bytes16) | 0xff000000u;
        memcpy(row + x, &mixed, sizeof mixed);
    }
    for (; x < count; x++)
        row[x] = blend(row[x], colour, colour >> 24);
}

static void box_fill(struct paint *paint, struct paint_box box, uint32_t colour)
{
    box = touch(paint, box);
#pragma omp parallel for num_threads(box_threads(box)) schedule(static)
    for (int32_t y = box.top; y < box.bottom; y++) {
        uint32_t *row = row_of(paint, y);
        for (int32_t x = box.left; x < box.right && colour >> 24 == 255; x++)
            row[x] = colour;
        if (colour >> 24 < 255)
            row_tint(row + box.left, box.right - box.left, colour);
    }
}

void paint_rectangle(struct paint *paint, struct paint_area area, uint32_t colour)
{
    box_fill(paint, paint_pixels(paint, area), colour);
}

void paint_border(struct paint *paint, struct paint_area area, double thickness, uint32_t colour)
{
    struct paint_box box = paint_pixels(paint, area);
    int32_t edge = whole_px(paint, thickness);
    edge = edge > 1 ? edge : 1;
    if (2 * (int64_t)edge >= box.right - box.left || 2 * (int64_t)edge >= box.bottom - box.top) {
        box_fill(paint, box, colour);
        return;
    }
    int32_t top = box.top + edge, bottom = box.bottom - edge;
    box_fill(paint, (struct paint_box){box.left, box.top, box.right, top}, colour);
    box_fill(paint, (struct paint_box){box.left, bottom, box.right, box.bottom}, colour);
    box_fill(paint, (struct paint_box){box.left, top, box.left + edge, bottom}, colour);
    box_fill(paint, (struct paint_box){box.right - edge, top, box.right, bottom}, colour);
}

void paint_bar(struct paint *paint, struct paint_area area, double share, uint32_t colour,
               uint32_t back)
{
    share = share > 0 ? share < 1 ? share : 1 : 0;
    struct paint_box full = paint_pixels(paint, area), rest = full;
    full.right = full.left + (int32_t)lrint(share * (full.right - full.left));
    rest.left = full.right;
    box_fill(paint, full, colour);
    box_fill(paint, rest, back);
}

/* ---- lines ---- */

struct stroke {    /* pixels */
    double x, y;   /* middle of the stroke */
    double ax, ay; /* direction, of length 1 */
    double half_length, half_width;
};

static double covered(double inside)
{
    return inside <= 0 ? 0 : inside < 1 ? inside : 1;
}

/* Coverage of the pixel by the stroke, as if the pixel were a square along the stroke. */
static unsigned stroke_alpha(const struct stroke *stroke, int32_t x, int32_t y, unsigned alpha)
{
    double dx = x + 0.5 - stroke->x, dy = y + 0.5 - stroke->y;
    double along = fabs(dx * stroke->ax + dy * stroke->ay);
    double across = fabs(dy * stroke->ax - dx * stroke->ay);
    return (unsigned)lrint(covered(stroke->half_length + 0.5 - along) *
                           covered(stroke->half_width + 0.5 - across) * alpha);
}

/* Range of pixels of a row that the stroke can cover: an interval around the crossing of its middle
 * line. */
static void stroke_span(const struct stroke *stroke, int32_t y, int32_t *left, int32_t *right)
{
    double steep = fabs(stroke->ay), reach = stroke->half_width + 1;
    if (steep * (*right - *left) <= reach)
        return; /* an almost horizontal stroke may cover the whole row */
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
    struct paint_box box = touch(paint, paint_pixels(paint, around));
    for (int32_t y = box.top; y < box.bottom; y++) {
        int32_t left = box.left, right = box.right;
        stroke_span(&stroke, y, &left, &right);
        uint32_t *row = row_of(paint, y);
        for (int32_t x = left; x < right; x++)
            row[x] = blend(row[x], colour, stroke_alpha(&stroke, x, y, colour >> 24));
    }
}

/* ---- discs, triangles, gradients ---- */

void paint_disc(struct paint *paint, struct paint_area area, uint32_t colour)
{
    double k = paint->scale, x0 = (area.x + area.width / 2) * k,
           y0 = (area.y + area.height / 2) * k;
    double radius = fmin(area.width, area.height) / 2 * k;
    struct paint_box box = touch(paint, paint_pixels(paint, area));
    for (int32_t y = box.top; y < box.bottom; y++) {
        uint32_t *row = row_of(paint, y);
        for (int32_t x = box.left; x < box.right; x++) {
            double inside = radius + 0.5 - hypot(x + 0.5 - x0, y + 0.5 - y0);
            row[x] = blend(row[x], colour, (unsigned)lrint(covered(inside) * (colour >> 24)));
        }
    }
}

/* Distance of a point inside the edge from a to b, whose inner side is given by `way`. */
static double edge_inside(const double *a, const double *b, double way, double x, double y)
{
    double dx = b[0] - a[0], dy = b[1] - a[1], length = hypot(dx, dy);
    return length > 0 ? way * ((x - a[0]) * dy - (y - a[1]) * dx) / length : 0;
}

void paint_triangle(struct paint *paint, const double corners[6], uint32_t colour)
{
    double c[6], left = INFINITY, top = INFINITY, right = -INFINITY, bottom = -INFINITY;
    for (int i = 0; i < 3; i++) {
        left = fmin(left, corners[2 * i]), right = fmax(right, corners[2 * i]);
        top = fmin(top, corners[2 * i + 1]), bottom = fmax(bottom, corners[2 * i + 1]);
        c[2 * i] = corners[2 * i] * paint->scale, c[2 * i + 1] = corners[2 * i + 1] * paint->scale;
    }
    double turn = (c[4] - c[0]) * (c[3] - c[1]) - (c[5] - c[1]) * (c[2] - c[0]);
    double way = turn < 0 ? -1 : 1;
    struct paint_area around = {left - 1, top - 1, right - left + 2, bottom - top + 2};
    struct paint_box box = touch(paint, paint_pixels(paint, around));
    for (int32_t y = box.top; y < box.bottom; y++) {
        uint32_t *row = row_of(paint, y);
        for (int32_t x = box.left; x < box.right; x++) {
            double inside = fmin(edge_inside(c, c + 2, way, x + 0.5, y + 0.5),
                                 fmin(edge_inside(c + 2, c + 4, way, x + 0.5, y + 0.5),
                                      edge_inside(c + 4, c, way, x + 0.5, y + 0.5)));
            row[x] = blend(row[x], colour, (unsigned)lrint(covered(inside + 0.5) * (colour >> 24)));
        }
    }
}

void paint_gradient(struct paint *paint, struct paint_area area, const uint32_t corners[4])
{
    struct paint_box whole = paint_pixels(paint, area), box = touch(paint, whole);
    for (int32_t y = box.top; y < box.bottom; y++) {
        double v = (y + 0.5 - whole.top) / (whole.bottom - whole.top);
        uint32_t *row = row_of(paint, y);
        for (int32_t x = box.left; x < box.right; x++) {
            double u = (x + 0.5 - whole.left) / (whole.right - whole.left);
            uint32_t colour = 0;
            for (int shift = 0; shift < 32; shift += 8) {
                double sample =
                    (1 - v) *
                        ((1 - u) * (corners[0] >> shift & 255) + u * (corners[1] >> shift & 255)) +
                    v * ((1 - u) * (corners[2] >> shift & 255) + u * (corners[3] >> shift & 255));
                colour |= (uint32_t)lrint(sample) << shift;
            }
            row[x] = blend(row[x], colour, colour >> 24);
        }
    }
}

/* ---- images ---- */

/* Range of the image, in one direction, that one pixel is the mean of, in 1/256 pixels of the
 * image, edges at integers. It is at least a pixel long: a mean over one pixel interpolates between
 * two. */
struct range {
    int64_t from, to;
};

/* Range of pixel `i` of `count` pixels that the image is scaled to. */
static struct range range_of(int64_t i, int64_t count, int64_t pixels)
{
    int64_t middle = (2 * i + 1) * pixels * 128 / count;
    int64_t length = pixels > count ? pixels * 256 / count : 256;
    return (struct range){middle - length / 2, middle - length / 2 + length};
}

/* Share of pixel `i` in the range, of 256. */
static inline uint64_t range_part(const struct range *range, int64_t i)
{
    int64_t from = i * 256 > range->from ? i * 256 : range->from;
    int64_t to = (i + 1) * 256 < range->to ? (i + 1) * 256 : range->to;
    return (uint64_t)(to - from);
}

static inline int64_t within(int64_t i, int64_t count)
{
    return i > 0 ? i < count ? i : count - 1 : 0;
}

/* Mean of a part of the image, weighted by alpha, since transparent pixels have no colour. */
static uint32_t image_mean(const struct paint_image *image, struct range u, struct range v)
{
    uint64_t red = 0, green = 0, blue = 0, light = 0;
    for (int64_t y = v.from >> 8; y * 256 < v.to; y++) {
        const uint32_t *row = image->pixels + within(y, image->height) * image->stride;
        uint64_t high = range_part(&v, y);
        for (int64_t x = u.from >> 8; x * 256 < u.to; x++) {
            uint32_t pixel = row[within(x, image->width)];
            uint64_t weight = high * range_part(&u, x) * (pixel >> 24);
            red += weight * (pixel >> 16 & 255);
            green += weight * (pixel >> 8 & 255);
            blue += weight * (pixel & 255);
            light += weight;
        }
    }
    if (!light)
        return 0;
    uint64_t all = (uint64_t)((u.to - u.from) * (v.to - v.from)), half = light / 2;
    return (uint32_t)((light + all / 2) / all << 24 | (red + half) / light << 16 |
                      (green + half) / light << 8 | (blue + half) / light);
}

void paint_image(struct paint *paint, struct paint_area area, const struct paint_image *image,
                 int opacity)
{
    struct paint_box whole = paint_pixels(paint, area), box = touch(paint, whole);
    int32_t width = whole.right - whole.left, height = whole.bottom - whole.top;
    if (box.right <= box.left || image->width <= 0 || image->height <= 0)
        return;
    bool same = image->width == width && image->height == height;
#pragma omp parallel for num_threads(box_threads(box)) schedule(static)
    for (int32_t y = box.top; y < box.bottom; y++) {
        struct range v = range_of(y - whole.top, height, image->height);
        uint32_t *row = row_of(paint, y);
        for (int32_t x = box.left; x < box.right; x++) {
            int64_t at = (int64_t)(y - whole.top) * image->stride + (x - whole.left);
            uint32_t pixel =
                same ? image->pixels[at]
                     : image_mean(image, range_of(x - whole.left, width, image->width), v);
            unsigned alpha = ((pixel >> 24) * (unsigned)opacity + 127) / 255;
            row[x] = blend(row[x], pixel, alpha);
        }
    }
}
