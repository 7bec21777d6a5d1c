#include "render/motion/warp.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "render/motion/screen_threads.h"
#include "render/motion/warp_avx2.h"

enum {
    LEVEL_MOST = 8192, /* pixels of the old picture under one row */
    /* Rows that a thread takes at once: cores that others use as well are slower, and a frame waits
     * for the last one. */
    ROWS_AT_ONCE = 16
};

/* Where pixel (x, y) of the new picture lies in the old one, in pixels with centres at integers:
 *     u = u0 + x ux + y uy,  v = v0 + x vx + y vy,
 * the inverse of  new = scale * rotation * old + shift  about the middles of the pictures. */
struct warp_map {
    double u0, ux, uy, v0, vx, vy;
};

/* Pixels of a row. */
struct span {
    int32_t left, right;
};

static struct warp_map map_of(const struct warp_image *from, const struct placement *placement,
                              const struct warp_image *to)
{
    double c = cos(placement->angle_rad) / placement->scale;
    double s = sin(placement->angle_rad) / placement->scale;
    double x0 = 0.5 - 0.5 * to->width - placement->dx_px;
    double y0 = 0.5 - 0.5 * to->height - placement->dy_px;
    return (struct warp_map){.u0 = c * x0 + s * y0 + 0.5 * from->width - 0.5,
                             .ux = c,
                             .uy = s,
                             .v0 = -s * x0 + c * y0 + 0.5 * from->height - 0.5,
                             .vx = -s,
                             .vy = c};
}

static bool map_finite(const struct warp_map *map)
{
    return isfinite(map->u0 + map->ux + map->uy + map->v0 + map->vx + map->vy);
}

static void neutral_fill(uint32_t *out, int32_t from, int32_t to)
{
    for (int32_t x = from; x < to; x++)
        out[x] = WARP_NEUTRAL;
}

/* ---- copies ---- */

/* Rounding to a whole number of pixels that is not visible: the corners move by less than this. */
#define WHOLE_PX (1.0 / 64)

static bool is_shift(const struct warp_map *map, const struct warp_image *to)
{
    double across = to->width > to->height ? to->width : to->height;
    return fabs(map->ux - 1) * across < WHOLE_PX && fabs(map->vx) * across < WHOLE_PX &&
           fabs(map->u0 - rint(map->u0)) < WHOLE_PX && fabs(map->v0 - rint(map->v0)) < WHOLE_PX;
}

static int32_t clamp(double value, double least, double most)
{
    return (int32_t)(value < least ? least : value > most ? most : value);
}

/* Copies what the old picture has of the pixels `within` a row; returns which. */
static struct span copy_row(const struct warp_image *from, const struct warp_map *map,
                            uint32_t *out, struct span within, int32_t y)
{
    double u = rint(map->u0), v = rint(map->v0) + y;
    if (!(v >= 0 && v < from->height))
        return (struct span){within.left, within.left};
    int32_t left = clamp(-u, within.left, within.right);
    int32_t right = clamp(from->width - u, left, within.right);
    if (right > left)
        memcpy(out + left, from->pixels + (int64_t)v * from->stride + (int64_t)(left + u),
               (size_t)(right - left) * sizeof *out);
    return (struct span){left, right};
}

/* ---- interpolation ---- */

/* Range of the x in [0, width) with least <= a + b x < most: [*left, *right). */
static void span_cut(double a, double b, double least, double most, int32_t *left, int32_t *right)
{
    double from = *left, to = *right;
    if (b == 0) {
        if (!(a >= least && a < most))
            to = from;
    } else {
        double x0 = ((b > 0 ? least : most) - a) / b, x1 = ((b > 0 ? most : least) - a) / b;
        from = ceil(x0 > from ? x0 : from);
        to = ceil(x1 < to ? x1 : to);
    }
    *left = clamp(from, *left, *right);
    *right = clamp(to, *left, *right);
}

/* Two pixels side by side as eight samples. */
typedef uint8_t bytes8 __attribute__((vector_size(8)));
typedef uint16_t words8 __attribute__((vector_size(16)));
typedef uint8_t bytes16 __attribute__((vector_size(16)));
typedef uint64_t longs2 __attribute__((vector_size(16)));

static inline words8 words8_of(uint16_t value)
{
    return (words8){value, value, value, value, value, value, value, value};
}

/* Written as a shuffle because GCC makes three instructions of __builtin_convertvector here. */
static inline words8 pair_load(const uint32_t *at)
{
    uint64_t pair;
    memcpy(&pair, at, sizeof pair);
    bytes16 bytes = (bytes16)(longs2){pair, 0};
    return (words8)__builtin_shufflevector(bytes, (bytes16){0}, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20,
                                           5, 21, 6, 22, 7, 23);
}

/* (a (256 - weight) + b weight) / 256, rounded; modulo 2^16 on the way. */
static inline words8 between(words8 a, words8 b, words8 weight)
{
    return ((a << 8) + (b - a) * weight + 128) >> 8;
}

static inline uint64_t four_of(uint64_t weight)
{
    return weight * 0x0001000100010001;
}

/* Interpolates two pairs of pixels, each between its left and its right one. */
static inline words8 between_pairs(words8 first, words8 second, uint8_t weight, uint8_t weight_2)
{
    words8 left = __builtin_shufflevector(first, second, 0, 1, 2, 3, 8, 9, 10, 11);
    words8 right = __builtin_shufflevector(first, second, 4, 5, 6, 7, 12, 13, 14, 15);
    return between(left, right, (words8)(longs2){four_of(weight), four_of(weight_2)});
}

static inline void pair_store(uint32_t *at, words8 pair)
{
    bytes8 bytes = __builtin_convertvector(pair, bytes8);
    memcpy(at, &bytes, sizeof bytes);
}

/* Interpolates at the picture's border, where the pixels outside are those of the edge. */
static uint32_t mix_edge(const struct warp_image *from, double u, double v)
{
    u = u > 0 ? u < from->width - 1 ? u : from->width - 1 : 0;
    v = v > 0 ? v < from->height - 1 ? v : from->height - 1 : 0;
    int32_t i = (int32_t)u, j = (int32_t)v;
    const uint32_t *upper = from->pixels + (int64_t)j * from->stride + i;
    const uint32_t *lower = j + 1 < from->height ? upper + from->stride : upper;
    int32_t next = i + 1 < from->width;
    uint32_t above[2] = {upper[0], upper[next]}, below[2] = {lower[0], lower[next]};
    words8 column =
        between(pair_load(above), pair_load(below), words8_of((uint16_t)((v - j) * 256)));
    uint32_t pixels[2];
    pair_store(pixels, between_pairs(column, column, (uint8_t)((u - i) * 256), 0));
    return pixels[0];
}

/* Line of a row of the new picture through the old one. u and v are counted in 2^-32 pixels: a
 * screen's width of steps drifts by less than 1e-5 of them, less than the margin that the caller
 * keeps. */
struct warp_line {
    int64_t u, v, ux, vx;
};

static struct warp_line line_at(const struct warp_map *map, int32_t x, int32_t y)
{
    return (struct warp_line){.u = (int64_t)((map->u0 + x * map->ux + y * map->uy) * 0x1p32),
                              .v = (int64_t)((map->v0 + x * map->vx + y * map->vy) * 0x1p32),
                              .ux = llrint(map->ux * 0x1p32),
                              .vx = llrint(map->vx * 0x1p32)};
}

static inline words8 column_of(const struct warp_image *from, int64_t u, int64_t v)
{
    const uint32_t *at = from->pixels + (v >> 32) * from->stride + (u >> 32);
    return between(pair_load(at), pair_load(at + from->stride), words8_of((uint8_t)(v >> 24)));
}

/* Interpolates pixels all of whose four neighbours lie inside, two at once. */
static void mix_span(const struct warp_image *from, struct warp_line line, uint32_t *out,
                     int32_t count)
{
    int64_t u = line.u, v = line.v, ux = line.ux, vx = line.vx;
    int32_t i = 0;
    for (; i + 2 <= count; i += 2, u += 2 * ux, v += 2 * vx)
        pair_store(out + i, between_pairs(column_of(from, u, v), column_of(from, u + ux, v + vx),
                                          (uint8_t)(u >> 24), (uint8_t)((u + ux) >> 24)));
    if (i < count) {
        uint32_t last[2];
        words8 column = column_of(from, u, v);
        pair_store(last, between_pairs(column, column, (uint8_t)(u >> 24), 0));
        out[i] = last[0];
    }
}

/* How many pixels wide vectors make of a row between two, or along one: none where there are none.
 */
static int64_t rows_wide(const uint32_t *upper, const uint32_t *lower, uint8_t weight,
                         uint32_t *out, int64_t count)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2"))
        return warp_rows_avx2(upper, lower, weight, out, count);
#endif
    (void)upper, (void)lower, (void)weight, (void)out, (void)count;
    return 0;
}

static int32_t along_wide(const uint32_t *row, int64_t u, int64_t ux, uint32_t *out, int32_t count)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2"))
        return warp_along_avx2(row, u, ux, out, count);
#endif
    (void)row, (void)u, (void)ux, (void)out, (void)count;
    return 0;
}

/* Interpolates a level row: the pixels between its two rows of the old picture are computed once,
 * `wide` pixels from line.u on, and then interpolated along the row. */
static void mix_level(const struct warp_image *from, struct warp_line line, uint32_t *out,
                      int32_t count, int64_t wide)
{
    uint32_t between_rows[LEVEL_MOST + 2];
    const uint32_t *upper = from->pixels + (line.v >> 32) * from->stride + (line.u >> 32);
    const uint32_t *lower = upper + from->stride;
    uint8_t part = (uint8_t)(line.v >> 24);
    words8 weight = words8_of(part);
    for (int64_t i = rows_wide(upper, lower, part, between_rows, wide); i + 2 <= wide; i += 2)
        pair_store(between_rows + i, between(pair_load(upper + i), pair_load(lower + i), weight));
    if (wide % 2) /* never one pixel beyond the picture */
        pair_store(between_rows + wide - 2,
                   between(pair_load(upper + wide - 2), pair_load(lower + wide - 2), weight));
    int64_t u = line.u & UINT32_MAX, ux = line.ux;
    int32_t i = along_wide(between_rows, u, ux, out, count);
    for (u += i * ux; i + 2 <= count; i += 2, u += 2 * ux) {
        words8 first = pair_load(between_rows + (u >> 32));
        words8 second = pair_load(between_rows + ((u + ux) >> 32));
        pair_store(out + i,
                   between_pairs(first, second, (uint8_t)(u >> 24), (uint8_t)((u + ux) >> 24)));
    }
    if (i < count)
        mix_span(from, (struct warp_line){line.u + i * ux, line.v, ux, 0}, out + i, 1);
}

static void mix_inside(const struct warp_image *from, const struct warp_map *map, uint32_t *out,
                       int32_t y, int32_t first, int32_t last)
{
    struct warp_line line = line_at(map, first, y);
    int32_t count = last - first;
    int64_t wide = ((line.u + (count - 1) * line.ux) >> 32) - (line.u >> 32) + 2;
    if (line.vx == 0 && line.ux > 0 && wide <= LEVEL_MOST && wide <= 2 * (int64_t)count)
        mix_level(from, line, out + first, count, wide);
    else
        mix_span(from, line, out + first, count);
}

/* Interpolates what the old picture has of the pixels `within` a row; returns which. */
static struct span mix_row(const struct warp_image *from, const struct warp_map *map, uint32_t *out,
                           struct span within, int32_t y)
{
    const double margin = 1.0 / 1024;
    double u = map->u0 + y * map->uy, v = map->v0 + y * map->vy;
    int32_t left = within.left, right = within.right;
    span_cut(u, map->ux, -0.5, from->width - 0.5, &left, &right);
    span_cut(v, map->vx, -0.5, from->height - 0.5, &left, &right);
    int32_t first = left, last = right;
    span_cut(u, map->ux, margin, from->width - 1 - margin, &first, &last);
    span_cut(v, map->vx, margin, from->height - 1 - margin, &first, &last);

    for (int32_t x = left; x < first; x++)
        out[x] = mix_edge(from, u + x * map->ux, v + x * map->vx);
    if (first < last)
        mix_inside(from, map, out, y, first, last);
    for (int32_t x = last; x < right; x++)
        out[x] = mix_edge(from, u + x * map->ux, v + x * map->vx);
    return (struct span){left, right};
}

/* ---- pictures ---- */

/* Least size of an old picture: a smaller one is not visible, and doubles cannot locate its
 * pixels. */
#define SEEN_PX 1e-3

/* A picture, and how a new one sees it. */
struct warp_layer {
    const struct warp_image *from;
    struct warp_map map;
    bool seen, shift;
};

static struct warp_layer layer_of(const struct warp_image *from, const struct placement *placement,
                                  const struct warp_image *to)
{
    struct warp_layer layer = {.from = from};
    int32_t side = from->width > from->height ? from->width : from->height;
    if (!(placement->scale * side > SEEN_PX))
        return layer;
    layer.map = map_of(from, placement, to);
    layer.seen = map_finite(&layer.map);
    layer.shift = layer.seen && is_shift(&layer.map, to);
    return layer;
}

/* Warps what a layer has of the pixels `within` a row; returns which. */
static struct span layer_row(const struct warp_layer *layer, uint32_t *out, struct span within,
                             int32_t y)
{
    if (!layer->seen || within.left >= within.right)
        return (struct span){within.left, within.left};
    if (layer->shift)
        return copy_row(layer->from, &layer->map, out, within, y);
    return mix_row(layer->from, &layer->map, out, within, y);
}

/* Warps layers, the uppermost first, into pixels of a row; what none has becomes neutral. */
static void row_warp(const struct warp_layer *layer, int count, uint32_t *out, struct span within,
                     int32_t y)
{
    if (count == 0) {
        neutral_fill(out, within.left, within.right);
        return;
    }
    struct span done = layer_row(layer, out, within, y);
    row_warp(layer + 1, count - 1, out, (struct span){within.left, done.left}, y);
    row_warp(layer + 1, count - 1, out, (struct span){done.right, within.right}, y);
}

static void layers_warp(const struct warp_layer *layer, int count, struct warp_image *to)
{
#pragma omp parallel for num_threads(screen_copiers((int64_t)to->width * to->height)) \
    schedule(dynamic, ROWS_AT_ONCE)
    for (int32_t y = 0; y < to->height; y++)
        row_warp(layer, count, to->pixels + (int64_t)y * to->stride, (struct span){0, to->width},
                 y);
}

void warp_picture(const struct warp_image *from, const struct placement *placement,
                  struct warp_image *to)
{
    struct warp_layer layer = layer_of(from, placement, to);
    layers_warp(&layer, 1, to);
}

void warp_pictures(const struct warp_image *top, const struct placement *top_at,
                   const struct warp_image *under, const struct placement *under_at,
                   struct warp_image *to)
{
    struct warp_layer layer[2] = {layer_of(top, top_at, to), layer_of(under, under_at, to)};
    layers_warp(layer, 2, to);
}

void warp_over(const struct warp_image *top, struct warp_image *to)
{
#pragma omp parallel for num_threads(screen_copiers((int64_t)to->width * to->height)) \
    schedule(dynamic, ROWS_AT_ONCE)
    for (int32_t y = 0; y < to->height; y++) {
        const uint32_t *restrict over = top->pixels + (int64_t)y * top->stride;
        uint32_t *restrict out = to->pixels + (int64_t)y * to->stride;
        for (int32_t x = 0; x < to->width; x++)
            out[x] = over[x] >> 24 ? over[x] : out[x];
    }
}

void warp_double(const struct warp_image *half, struct warp_image *to)
{
#pragma omp parallel for num_threads(screen_copiers((int64_t)to->width * to->height)) \
    schedule(dynamic, ROWS_AT_ONCE)
    for (int32_t j = 0; j < (to->height + 1) / 2; j++) {
        const uint32_t *from = half->pixels + (int64_t)j * half->stride;
        uint32_t *out = to->pixels + 2 * (int64_t)j * to->stride;
        for (int32_t x = 0; x < to->width; x++)
            out[x] = from[x / 2];
        if (2 * j + 1 < to->height)
            memcpy(out + to->stride, out, (size_t)to->width * sizeof *out);
    }
}

void warp_copy(const struct warp_image *from, struct warp_image *to, int32_t left, int32_t top,
               int32_t right, int32_t bottom)
{
    int64_t width = right - left, pixels = width * (bottom - top);
#pragma omp parallel for num_threads(screen_copiers(pixels)) schedule(dynamic, ROWS_AT_ONCE)
    for (int32_t y = top; y < bottom; y++)
        if (width > 0)
            memcpy(to->pixels + (int64_t)y * to->stride + left,
                   from->pixels + (int64_t)y * from->stride + left,
                   (size_t)width * sizeof *to->pixels);
}
