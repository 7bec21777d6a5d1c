#include "render/warp.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "render/screen_threads.h"

enum { ROWS_AT_ONCE = 16 }; /* of a thread */

/* Where pixel (x, y) of the new picture lies in the old one, in pixels with centres at integers:
 *     u = u0 + x ux + y uy,  v = v0 + x vx + y vy,
 * the inverse of  new = scale * rotation * old + shift  about the middles of the pictures. */
struct map {
    double u0, ux, uy, v0, vx, vy;
};

static struct map map_of(const struct warp_image *from, const struct placement *placement,
                         const struct warp_image *to)
{
    double c = cos(placement->angle_rad) / placement->scale;
    double s = sin(placement->angle_rad) / placement->scale;
    double x0 = 0.5 - 0.5 * to->width - placement->dx_px;
    double y0 = 0.5 - 0.5 * to->height - placement->dy_px;
    return (struct map){.u0 = c * x0 + s * y0 + 0.5 * from->width - 0.5,
                        .ux = c,
                        .uy = s,
                        .v0 = -s * x0 + c * y0 + 0.5 * from->height - 0.5,
                        .vx = -s,
                        .vy = c};
}

static bool map_finite(const struct map *map)
{
    return isfinite(map->u0 + map->ux + map->uy + map->v0 + map->vx + map->vy);
}

static void fill(uint32_t *out, int32_t from, int32_t to)
{
    for (int32_t x = from; x < to; x++)
        out[x] = WARP_NEUTRAL;
}

/* ---- copies ---- */

/* Nearer to a whole number of pixels than anybody sees: the corners move by less than this. */
#define WHOLE_PX (1.0 / 64)

static bool is_shift(const struct map *map, const struct warp_image *to)
{
    double across = to->width > to->height ? to->width : to->height;
    return fabs(map->ux - 1) * across < WHOLE_PX && fabs(map->vx) * across < WHOLE_PX &&
           fabs(map->u0 - rint(map->u0)) < WHOLE_PX && fabs(map->v0 - rint(map->v0)) < WHOLE_PX;
}

static int32_t clamp(double value, double least, double most)
{
    return (int32_t)(value < least ? least : value > most ? most : value);
}

static void copy_row(const struct warp_image *from, const struct map *map, uint32_t *out,
                     int32_t width, int32_t y)
{
    double u = rint(map->u0), v = rint(map->v0) + y;
    if (!(v >= 0 && v < from->height)) {
        fill(out, 0, width);
        return;
    }
    int32_t left = clamp(-u, 0, width), right = clamp(from->width - u, left, width);
    fill(out, 0, left);
    if (right > left)
        memcpy(out + left, from->pixels + (int64_t)v * from->stride + (int64_t)(left + u),
               (size_t)(right - left) * sizeof *out);
    fill(out, right, width);
}

/* ---- interpolation ---- */

/* Of the x in [0, width), those with least <= a + b x < most: [*left, *right). */
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

/* The four pixels of two pairs, weights 0 ... 255 of the right and the lower ones. */
static inline uint32_t mix(words8 upper, words8 lower, uint16_t right, uint16_t low)
{
    words8 column = (upper * words8_of((uint16_t)(256 - low)) + lower * words8_of(low) + 128) >> 8;
    uint16_t l = (uint16_t)(256 - right);
    column *= (words8){l, l, l, l, right, right, right, right};
    longs2 halves = (longs2)column;
    column += (words8)(longs2){halves[1], halves[0]};
    bytes8 bytes = __builtin_convertvector((column + 128) >> 8, bytes8);
    uint32_t pixel;
    memcpy(&pixel, &bytes, sizeof pixel);
    return pixel;
}

/* At the picture's border: the pixels outside are those of the edge. */
static uint32_t mix_edge(const struct warp_image *from, double u, double v)
{
    u = u > 0 ? u < from->width - 1 ? u : from->width - 1 : 0;
    v = v > 0 ? v < from->height - 1 ? v : from->height - 1 : 0;
    int32_t i = (int32_t)u, j = (int32_t)v;
    const uint32_t *upper = from->pixels + (int64_t)j * from->stride + i;
    const uint32_t *lower = j + 1 < from->height ? upper + from->stride : upper;
    int32_t next = i + 1 < from->width;
    uint32_t above[2] = {upper[0], upper[next]}, below[2] = {lower[0], lower[next]};
    return mix(pair_load(above), pair_load(below), (uint16_t)((u - i) * 256),
               (uint16_t)((v - j) * 256));
}

/* Pixels all of whose four lie inside. u and v are counted in 2^-32 pixels: a screen's width of
 * steps drifts by less than 1e-5 of them, less than the margin that the caller keeps. */
static void mix_span(const struct warp_image *from, const struct map *map, uint32_t *out, int32_t y,
                     int32_t left, int32_t right)
{
    int64_t u = (int64_t)((map->u0 + left * map->ux + y * map->uy) * 0x1p32);
    int64_t v = (int64_t)((map->v0 + left * map->vx + y * map->vy) * 0x1p32);
    int64_t ux = llrint(map->ux * 0x1p32), vx = llrint(map->vx * 0x1p32);
    int64_t stride = from->stride;
    for (int32_t x = left; x < right; x++, u += ux, v += vx) {
        const uint32_t *at = from->pixels + (v >> 32) * stride + (u >> 32);
        out[x] = mix(pair_load(at), pair_load(at + stride), (uint8_t)(u >> 24), (uint8_t)(v >> 24));
    }
}

/* ---- where nothing is turned, a row of the picture lies between two rows of the old one ---- */

enum { LEVEL_AT_ONCE = 256, LEVEL_FROM = 4 * LEVEL_AT_ONCE + 4 };

/* Two pixels or more; of an odd number the last pair overlaps the one before. */
static void rows_mix(const uint32_t *upper, const uint32_t *lower, uint16_t low, int32_t pixels,
                     uint32_t *out)
{
    words8 above = words8_of((uint16_t)(256 - low)), below = words8_of(low);
    for (int32_t i = 0; i < pixels; i += 2) {
        int32_t at = i < pixels - 1 ? i : i - 1;
        words8 column = (pair_load(upper + at) * above + pair_load(lower + at) * below + 128) >> 8;
        bytes8 bytes = __builtin_convertvector(column, bytes8);
        memcpy(out + at, &bytes, sizeof bytes);
    }
}

/* The same bits as `mix`, of pixels whose rows are mixed already. */
static inline uint32_t mix_level(words8 column, uint16_t right)
{
    const words8 left_only = {0xffff, 0xffff, 0xffff, 0xffff}, more = {257, 257, 257, 257};
    column *= (words8_of(right) ^ left_only) + more; /* 256 - right four times, right four times */
    longs2 halves = (longs2)column;
    column += (words8)(longs2){halves[1], halves[0]};
    bytes8 bytes = __builtin_convertvector((column + 128) >> 8, bytes8);
    uint32_t pixel;
    memcpy(&pixel, &bytes, sizeof pixel);
    return pixel;
}

static void level_span(const struct warp_image *from, const struct map *map, uint32_t *out,
                       int32_t y, int32_t left, int32_t right)
{
    uint32_t row[LEVEL_FROM];
    int64_t u = (int64_t)((map->u0 + left * map->ux + y * map->uy) * 0x1p32);
    int64_t v = (int64_t)((map->v0 + y * map->vy) * 0x1p32), ux = llrint(map->ux * 0x1p32);
    const uint32_t *upper = from->pixels + (v >> 32) * from->stride;
    while (left < right) {
        int32_t n = right - left < LEVEL_AT_ONCE ? right - left : LEVEL_AT_ONCE;
        int64_t first = u >> 32, pixels = ((u + (n - 1) * ux) >> 32) - first + 2;
        rows_mix(upper + first, upper + first + from->stride, (uint8_t)(v >> 24), (int32_t)pixels,
                 row);
        for (int32_t i = 0; i < n; i++, u += ux)
            out[left + i] = mix_level(pair_load(row + ((u >> 32) - first)), (uint8_t)(u >> 24));
        left += n;
    }
}

static void mix_row(const struct warp_image *from, const struct map *map, uint32_t *out,
                    int32_t width, int32_t y)
{
    const double margin = 1.0 / 1024;
    double u = map->u0 + y * map->uy, v = map->v0 + y * map->vy;
    int32_t left = 0, right = width;
    span_cut(u, map->ux, -0.5, from->width - 0.5, &left, &right);
    span_cut(v, map->vx, -0.5, from->height - 0.5, &left, &right);
    int32_t first = left, last = right;
    span_cut(u, map->ux, margin, from->width - 1 - margin, &first, &last);
    span_cut(v, map->vx, margin, from->height - 1 - margin, &first, &last);

    fill(out, 0, left);
    for (int32_t x = left; x < first; x++)
        out[x] = mix_edge(from, u + x * map->ux, v + x * map->vx);
    bool level = map->vx == 0 && map->ux > 0 && map->ux < 4;
    if (first < last && level)
        level_span(from, map, out, y, first, last);
    else if (first < last)
        mix_span(from, map, out, y, first, last);
    for (int32_t x = last; x < right; x++)
        out[x] = mix_edge(from, u + x * map->ux, v + x * map->vx);
    fill(out, right, width);
}

/* ---- pictures ---- */

void warp_rows(const struct warp_image *from, const struct placement *placement,
               struct warp_image *to, int32_t first, int32_t rows)
{
    struct map map = {0};
    bool seen = placement->scale > 0 && from->width > 0 && from->height > 0;
    if (seen) {
        map = map_of(from, placement, to);
        seen = map_finite(&map);
    }
    bool shift = seen && is_shift(&map, to);
    for (int32_t y = first; y < first + rows; y++) {
        uint32_t *out = to->pixels + (int64_t)y * to->stride;
        if (!seen)
            fill(out, 0, to->width);
        else if (shift)
            copy_row(from, &map, out, to->width, y);
        else
            mix_row(from, &map, out, to->width, y);
    }
}

void warp_picture(const struct warp_image *from, const struct placement *placement,
                  struct warp_image *to)
{
    int32_t step = ROWS_AT_ONCE;
#pragma omp parallel for num_threads(screen_copiers((int64_t)to->width * to->height)) \
    schedule(static)
    for (int32_t y = 0; y < to->height; y += step)
        warp_rows(from, placement, to, y, to->height - y < step ? to->height - y : step);
}

void warp_over(const struct warp_image *top, struct warp_image *to)
{
#pragma omp parallel for num_threads(screen_copiers((int64_t)to->width * to->height)) \
    schedule(static)
    for (int32_t y = 0; y < to->height; y++) {
        const uint32_t *restrict over = top->pixels + (int64_t)y * top->stride;
        uint32_t *restrict out = to->pixels + (int64_t)y * to->stride;
        for (int32_t x = 0; x < to->width; x++)
            out[x] = over[x] >> 24 ? over[x] : out[x];
    }
}

void warp_copy(const struct warp_image *from, struct warp_image *to, int32_t left, int32_t top,
               int32_t right, int32_t bottom)
{
    int64_t width = right - left, pixels = width * (bottom - top);
#pragma omp parallel for num_threads(screen_copiers(pixels)) schedule(static)
    for (int32_t y = top; y < bottom; y++)
        if (width > 0)
            memcpy(to->pixels + (int64_t)y * to->stride + left,
                   from->pixels + (int64_t)y * from->stride + left,
                   (size_t)width * sizeof *to->pixels);
}
