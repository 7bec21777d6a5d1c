#include "render/file/exr_line.h"

#include <string.h>

/* Sources of the channels. As in Kalles Fraktaler distances are halved, and y points up: exact in
 * floats, so reading restores them. */
const struct exr_source exr_sources[EXR_CHANNELS] = {
    [EXR_R] = {EXR_OF_LIGHT, 0, 1},
    [EXR_G] = {EXR_OF_LIGHT, 1, 1},
    [EXR_B] = {EXR_OF_LIGHT, 2, 1},
    [EXR_N] = {EXR_OF_COUNT, PLANE_COUNT, 1},
    [EXR_N0] = {EXR_OF_COUNT, PLANE_COUNT, 1},
    [EXR_N1] = {EXR_OF_COUNT, PLANE_COUNT, 1},
    [EXR_NF] = {EXR_OF_PLANE, PLANE_FRACTION, 1},
    [EXR_DEX] = {EXR_OF_PLANE, PLANE_DISTANCE_X, 0.5f},
    [EXR_DEY] = {EXR_OF_PLANE, PLANE_DISTANCE_Y, -0.5f},
    [EXR_T] = {EXR_OF_PLANE, PLANE_PHASE, 1},
    [EXR_STRIPE] = {EXR_OF_PLANE, PLANE_STRIPE, 1},
    [EXR_TRIANGLE] = {EXR_OF_PLANE, PLANE_TRIANGLE, 1},
    [EXR_TRAP_POINT] = {EXR_OF_PLANE, PLANE_TRAP_POINT, 1},
    [EXR_TRAP_CROSS] = {EXR_OF_PLANE, PLANE_TRAP_CROSS, 1},
    [EXR_TRAP_CIRCLE] = {EXR_OF_PLANE, PLANE_TRAP_CIRCLE, 1},
    [EXR_PERIOD] = {EXR_OF_PLANE, PLANE_PERIOD, 1},
    [EXR_INSIDE] = {EXR_OF_PLANE, PLANE_INSIDE, 1},
};

unsigned exr_line_channels(const struct exr_shape *shape)
{
    unsigned channels = 1u << EXR_R | 1u << EXR_G | 1u << EXR_B;
    if (shape->planes & PLANE_MASK_COUNT)
        channels |= shape->count_bytes == 8 ? 1u << EXR_N0 | 1u << EXR_N1 : 1u << EXR_N;
    for (int c = 0; c < EXR_CHANNELS; c++)
        if (exr_sources[c].kind == EXR_OF_PLANE && shape->planes & 1u << exr_sources[c].index)
            channels |= 1u << c;
    return channels;
}

enum exr_type exr_line_type(const struct exr_shape *shape, int channel)
{
    enum exr_type types[] = {
        [EXR_OF_LIGHT] = shape->colour, [EXR_OF_COUNT] = EXR_UINT, [EXR_OF_PLANE] = EXR_FLOAT};
    return types[exr_sources[channel].kind];
}

uint64_t exr_line_bytes(const struct exr_shape *shape)
{
    uint64_t bytes = 0;
    for (int c = 0; c < EXR_CHANNELS; c++)
        if (exr_line_channels(shape) & 1u << c)
            bytes += exr_line_type(shape, c) == EXR_HALF ? 2 : 4;
    return bytes * (uint64_t)shape->width;
}

static void put_16(uint8_t *out, uint16_t value)
{
    out[0] = (uint8_t)value;
    out[1] = (uint8_t)(value >> 8);
}

static void put_32(uint8_t *out, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        out[i] = (uint8_t)(value >> (8 * i));
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* IEEE 754 binary16, rounded to nearest, ties to even; the largest finite number for larger values,
 * 0 for negative ones (filters overshoot). */
static uint16_t half_of(float value)
{
    value = value > 0 ? value : 0;
    uint32_t bits = bits_of(value);
    if (bits >= 0x477fe000) /* 65504 */
        return 0x7bff;
    if (bits < 0x38800000) {          /* below 2^-14: multiples of 2^-24 */
        float shifted = value + 0.5f; /* its last bit is 2^-24; the addition rounds */
        return (uint16_t)(bits_of(shifted) - bits_of(0.5f));
    }
    bits += 0xfff + (bits >> 13 & 1);
    return (uint16_t)((bits >> 13) - ((127 - 15) << 10));
}

static uint8_t *light_put(const struct exr_shape *shape, const float (*light)[3], int c,
                          uint8_t *out)
{
    if (shape->colour == EXR_FLOAT) {
        for (int32_t x = 0; x < shape->width; x++)
            put_32(out + 4 * (size_t)x, bits_of(light[x][c]));
        return out + 4 * (size_t)shape->width;
    }
    for (int32_t x = 0; x < shape->width; x++)
        put_16(out + 2 * (size_t)x, half_of(light[x][c]));
    return out + 2 * (size_t)shape->width;
}

/* Writes counts; 0, not escaped, becomes all bits set. */
static uint8_t *count_put(const struct field *rows, int32_t row, int channel, uint8_t *out)
{
    const void *plane = field_row(rows, PLANE_COUNT, row);
    for (int32_t x = 0; x < rows->width; x++) {
        uint64_t count =
            rows->count_bytes == 8 ? ((const uint64_t *)plane)[x] : ((const uint32_t *)plane)[x];
        count = count ? count : EXR_INTERIOR_COUNT;
        put_32(out + 4 * (size_t)x, (uint32_t)(channel == EXR_N1 ? count >> 32 : count));
    }
    return out + 4 * (size_t)rows->width;
}

static uint8_t *real_put(const struct field *rows, enum plane plane, int32_t row, float factor,
                         uint8_t *out)
{
    const float *from = field_row(rows, plane, row);
    for (int32_t x = 0; x < rows->width; x++)
        put_32(out + 4 * (size_t)x, bits_of(from[x] * factor));
    return out + 4 * (size_t)rows->width;
}

void exr_line_put(const struct exr_shape *shape, const struct field *rows, int32_t row,
                  const float (*light)[3], uint8_t *out)
{
    unsigned channels = exr_line_channels(shape);
    for (int c = 0; c < EXR_CHANNELS; c++) {
        const struct exr_source *source = &exr_sources[c];
        if (!(channels & 1u << c))
            continue;
        if (source->kind == EXR_OF_LIGHT)
            out = light_put(shape, light, source->index, out);
        else if (source->kind == EXR_OF_COUNT)
            out = count_put(rows, row, c, out);
        else
            out = real_put(rows, (enum plane)source->index, row, source->factor, out);
    }
}

void exr_lines_order(const uint8_t *lines, size_t bytes, uint8_t *ordered)
{
    size_t half = (bytes + 1) / 2;
    for (size_t i = 0; i < bytes / 2; i++) {
        ordered[i] = lines[2 * i];
        ordered[half + i] = lines[2 * i + 1];
    }
    if (bytes % 2)
        ordered[half - 1] = lines[bytes - 1];
    for (size_t i = bytes - 1; i > 0; i--)
        ordered[i] = (uint8_t)(ordered[i] - ordered[i - 1] + 128);
}
