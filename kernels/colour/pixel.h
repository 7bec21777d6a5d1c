/* The light of a pixel, and the mean of samples, in the common subset of C17 and CUDA C++17: the
 * same bits as the lists of render/colour/colour_kernels.h, which take many pixels at once. No
 * multiply-adds are fused, and all else is exact or rounded once. */
#ifndef KERNELS_COLOUR_PIXEL_H
#define KERNELS_COLOUR_PIXEL_H

#include "kernels/colour/look.h"
#include "kernels/escape/shared.h"

/* Where the numbers of a sample lie; planes that a look has no use for are NULL. */
struct colour_planes {
    const void *count;
    const float *fraction, *distance_x, *distance_y, *inside;
    int32_t stride;
    int count_bytes;
};

ESCAPE_FN const float *colour_plane(const struct field *field, enum plane plane)
{
    return (const float *)field->plane[plane];
}

/* The planes of a field without bands. */
ESCAPE_FN struct colour_planes colour_planes_of(const struct colour_look *look,
                                                const struct field *field)
{
    struct colour_planes planes;
    const struct shade *shade = &look->shade;
    int shaded = field->plane[PLANE_DISTANCE_X] && field->plane[PLANE_DISTANCE_Y] &&
                 shade->per_px > 0 && (shade->relief > 0 || shade->lines > 0);
    planes.count = field->plane[PLANE_COUNT];
    planes.fraction = colour_plane(field, PLANE_FRACTION);
    planes.distance_x = shaded ? colour_plane(field, PLANE_DISTANCE_X) : NULL;
    planes.distance_y = shaded ? colour_plane(field, PLANE_DISTANCE_Y) : NULL;
    planes.inside = look->inside == PLANE_COUNT ? NULL : colour_plane(field, look->inside);
    planes.stride = field->stride;
    planes.count_bytes = field->count_bytes;
    return planes;
}

/* ---- where in the palette -------------------------------------------------------------------- */

ESCAPE_FN double colour_position(const struct colour_look *look, double nu)
{
    const struct curve *curve = &look->curve;
    double s = sqrt(sqrt(nu));
    int k = 1;
    if (look->density > 0)
        return look->density * s + look->offset;
    for (int level = 0; level < 5; level++)
        k = 2 * k + (s >= curve->tree[k]);
    k -= CURVE_SEGMENTS;
    double t = s - curve->origin[k], sum = curve->c[3][k];
    for (int c = 2; c >= 0; c--)
        sum = curve->c[c][k] + t * sum;
    return sum + look->offset;
}

ESCAPE_FN void colour_at_position(const float (*table)[4], double position, float light[3])
{
    double fraction = position - floor(position);
    fraction = fraction >= 0 ? fraction : 0; /* not a number */
    fraction = fraction < 1 ? fraction : 0;  /* rounded up */
    double sample = fraction * PALETTE_SAMPLES;
    int32_t index = (int32_t)sample;
    float weight = (float)(sample - index);
    for (int c = 0; c < 3; c++)
        light[c] = table[index][c] + weight * (table[index + 1][c] - table[index][c]);
}

/* ---- slopes ---------------------------------------------------------------------------------- */

ESCAPE_FN float colour_cut(float distance)
{
    distance = distance > -DISTANCE_FAR ? distance : -DISTANCE_FAR; /* also NaN */
    return distance < DISTANCE_FAR ? distance : DISTANCE_FAR;
}

ESCAPE_FN void colour_shade(const struct shade *shade, float dx, float dy, float light[3])
{
    float x = colour_cut(dx) * shade->per_px, y = colour_cut(dy) * shade->per_px;
    float square = x * x + y * y, steep = 1 / sqrtf(square + 1);
    float slope = (x * shade->light[0] + y * shade->light[1]) * steep * shade->relief;
    float lit = slope > 0 ? slope : 0, dim = slope < 0 ? 1 + slope : 1;
    float left = 1 - shade->lines * (1 - sqrtf(square) * steep);
    float gain = left * dim * (1 + SHADE_GAIN * lit), white = left * SHADE_WHITE * lit;
    for (int c = 0; c < 3; c++) {
        float shaded = light[c] * gain + white;
        light[c] = shaded > 1 ? 1 : shaded;
    }
}

/* ---- inside ---------------------------------------------------------------------------------- */

ESCAPE_FN void colour_inside(const struct colour_look *look, float value, float light[3])
{
    float u = (value < DISTANCE_FAR ? value : DISTANCE_FAR) * look->shade.per_px / INTERIOR_DEPTH;
    float t = sqrtf(u / (u + 1));
    int flat = look->interior_kind == INTERIOR_PERIOD;
    double position =
        look->inside_start + (flat ? (double)value * INTERIOR_GOLDEN : 0.5 * (double)t - 0.5);
    float share = flat ? (float)(value > 0) : t, there[3];
    colour_at_position(look->table, position, there);
    for (int c = 0; c < 3; c++)
        light[c] = look->interior[c] + share * (there[c] - look->interior[c]);
}

/* ---- all of it ------------------------------------------------------------------------------- */

ESCAPE_FN void colour_pixel(const struct colour_look *look, const struct colour_planes *planes,
                            int32_t x, int32_t y, float light[3])
{
    size_t at = (size_t)y * (size_t)planes->stride + (size_t)x;
    uint64_t count = planes->count_bytes == 4 ? ((const uint32_t *)planes->count)[at]
                                              : ((const uint64_t *)planes->count)[at];
    if (count == 0) {
        if (planes->inside)
            colour_inside(look, planes->inside[at], light);
        else
            for (int c = 0; c < 3; c++)
                light[c] = look->interior[c];
        return;
    }
    double nu = (double)count + (double)(planes->fraction ? planes->fraction[at] : 0);
    colour_at_position(look->table, colour_position(look, nu), light);
    if (planes->distance_x)
        colour_shade(&look->shade, planes->distance_x[at], planes->distance_y[at], light);
}

/* ---- squares --------------------------------------------------------------------------------- */

struct colour_square {
    int32_t x, y, width, height; /* pixels of the picture */
};

ESCAPE_FN struct colour_square colour_square_at(uint32_t number, int32_t width, int32_t height)
{
    struct colour_square square;
    uint32_t columns = (uint32_t)(width - 1) / COLOUR_SQUARE_PX + 1;
    square.x = (int32_t)(number % columns) * COLOUR_SQUARE_PX;
    square.y = (int32_t)(number / columns) * COLOUR_SQUARE_PX;
    square.width = width - square.x;
    square.width = square.width < COLOUR_SQUARE_PX ? square.width : COLOUR_SQUARE_PX;
    square.height = height - square.y;
    square.height = square.height < COLOUR_SQUARE_PX ? square.height : COLOUR_SQUARE_PX;
    return square;
}

/* Indices, in one direction, of a square's pixels and of the one before or behind them. Number i of
 * GRID_CELL is at `from` + i, i cut to `least` ... `most`; those of the square begin at `own`.
 * Beyond the picture's edge they are those at the edge. */
struct colour_span {
    int32_t from, least, most, own;
};

/* `first` and `length` of the square, in a picture of `all`, or in a cell that begins at `cell`;
 * cell < 0: the field is the picture. */
ESCAPE_FN struct colour_span colour_span_of(int32_t first, int32_t length, int32_t all,
                                            int32_t cell, int to)
{
    struct colour_span span;
    span.own = to < 0;
    span.from = cell < 0 ? first - span.own : cell;
    span.least = span.own && first == 0;
    span.most = !span.own && first + length == all ? length - 1 : length;
    return span;
}

ESCAPE_FN int32_t colour_span_index(const struct colour_span *span, int32_t i)
{
    i = i < span->least ? span->least : i;
    return span->from + (i < span->most ? i : span->most);
}

/* Values that squares are compared by: near those of sRGB, and without a table. DARK is added to
 * light, so that the slope in the dark is that of sRGB. */
#define COLOUR_VALUE_ONE 8000
#define COLOUR_VALUE_DARK 0.002f

ESCAPE_FN int32_t colour_value(float light)
{
    float one = light > 0 ? light : 0;
    one = one < 1 ? one : 1;
    return (int32_t)(sqrtf(one + COLOUR_VALUE_DARK) * COLOUR_VALUE_ONE);
}

/* ---- means ----------------------------------------------------------------------------------- */

/* The mean of a value, with a sample that is not the first: differences, so that what is equal
 * stays so. `down` is the neighbour at share->to_y, `across` at share->to_x, `both` at both. */
ESCAPE_FN float colour_average(const struct sample_share *share, float mean, float own, float down,
                               float across, float both)
{
    float here = own + (down - own) * share->y, there = across + (both - across) * share->y;
    return mean + (here + (there - here) * share->x - mean) * share->of_mean;
}

#endif
