#include "kernels/field.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct plane_kind plane_kinds[PLANES] = {
    [PLANE_COUNT] = {"count", "count", "iterations",
                     "escape count; 0 = not escaped within the limit"},
    [PLANE_FRACTION] = {"fraction", "fraction", "iterations",
                        "continuous part of the count, in [0,1)"},
    [PLANE_DISTANCE_X] = {"distance_x", "distance", "pixels",
                          "estimated way from the set, to the right; 0 where count is 0"},
    [PLANE_DISTANCE_Y] = {"distance_y", "distance", "pixels", "the same, down"},
    [PLANE_PHASE] = {"phase", "phase", "turns", "direction of z_n, in [0,1); 0 where count is 0"},
    [PLANE_STRIPE] = {"stripe", "stripe", "1", "mean of 1/2 + sin(s arg z_k) / 2, in [0,1]"},
    [PLANE_TRIANGLE] = {"triangle", "triangle", "1",
                        "mean place of |z_k| between the bounds of the triangle inequality"},
    [PLANE_TRAP_POINT] = {"trap_point", "trap_point", "plane",
                          "least distance of the orbit from a point"},
    [PLANE_TRAP_CROSS] = {"trap_cross", "trap_cross", "plane", "the same from a cross"},
    [PLANE_TRAP_CIRCLE] = {"trap_circle", "trap_circle", "plane", "the same from a circle"},
    [PLANE_PERIOD] = {"period", "period", "iterations",
                      "length of the attracting cycle; 0 outside, or not found"},
    [PLANE_INSIDE] = {"inside", "inside", "pixels",
                      "estimated distance to the boundary, inside; 0 where period is 0"},
};

enum element plane_element(enum plane plane, int count_bytes)
{
    if (plane != PLANE_COUNT)
        return ELEMENT_F32;
    return count_bytes == 8 ? ELEMENT_U64 : ELEMENT_U32;
}

size_t element_bytes(enum element element)
{
    return element == ELEMENT_U64 ? 8 : 4;
}

size_t planes_bytes(unsigned planes, int count_bytes)
{
    size_t bytes = 0;
    for (int p = 0; p < PLANES; p++)
        if (planes & 1u << p)
            bytes += element_bytes(plane_element((enum plane)p, count_bytes));
    return bytes;
}

enum status field_bytes(int32_t width, int32_t height, unsigned planes, int count_bytes,
                        size_t *bytes)
{
    size_t pixels;
    if (width < 1 || height < 1 || __builtin_mul_overflow((size_t)width, (size_t)height, &pixels) ||
        __builtin_mul_overflow(pixels, planes_bytes(planes, count_bytes), bytes))
        return status_fail(STATUS_TOO_LARGE, "a field of %d x %d pixels cannot be addressed", width,
                           height);
    return STATUS_OK;
}

void field_over(struct field *field, int32_t width, int32_t height, unsigned planes,
                int count_bytes, void *base)
{
    assert(planes & PLANE_MASK_COUNT);
    *field = (struct field){.width = width,
                            .height = height,
                            .stride = width,
                            .planes = planes,
                            .count_bytes = count_bytes,
                            .space = MEMORY_HOST,
                            .base = base};
    size_t pixels = (size_t)width * (size_t)height, offset = 0;
    for (int p = 0; p < PLANES; p++)
        if (planes & 1u << p) {
            field->plane[p] = (char *)base + offset;
            offset += pixels * element_bytes(plane_element((enum plane)p, count_bytes));
        }
}

static size_t plane_bytes_per_pixel(const struct field *field, enum plane plane)
{
    return element_bytes(plane_element(plane, field->count_bytes));
}

void *field_row(const struct field *field, enum plane plane, int32_t row)
{
    int64_t offset = (int64_t)row * field->stride;
    if (field->band)
        offset =
            row / field->band * field->band_stride + (int64_t)(row % field->band) * field->stride;
    return (char *)field->plane[plane] + (size_t)offset * plane_bytes_per_pixel(field, plane);
}

struct field field_window(const struct field *whole, int32_t x, int32_t y, int32_t width,
                          int32_t height)
{
    assert(x >= 0 && y >= 0 && width >= 1 && height >= 1);
    assert(width <= whole->width - x && height <= whole->height - y);
    assert(!whole->band || y % whole->band == 0);
    struct field window = *whole;
    window.width = width;
    window.height = height;
    window.base = NULL;
    for (int p = 0; p < PLANES; p++)
        if (whole->plane[p])
            window.plane[p] = (char *)field_row(whole, (enum plane)p, y) +
                              (size_t)x * plane_bytes_per_pixel(whole, (enum plane)p);
    return window;
}

struct field field_interleaved(const struct field *whole, int32_t y, int32_t height, int32_t band,
                               int32_t step)
{
    assert(band >= 1 && step >= band);
    struct field window = field_window(whole, 0, y, whole->width, 1);
    window.height = height;
    window.band = band;
    window.band_stride = (int64_t)whole->stride * step;
    return window;
}

static void plane_copy(struct field *to, const struct field *from, enum plane plane)
{
    size_t bytes = plane_bytes_per_pixel(to, plane), row = (size_t)to->width * bytes;
    for (int32_t y = 0; y < to->height; y++)
        memcpy(field_row(to, plane, y), field_row(from, plane, y), row);
}

void field_copy(struct field *to, const struct field *from)
{
    assert(to->width == from->width && to->height == from->height);
    assert(to->planes == from->planes && to->count_bytes == from->count_bytes);
    assert(to->space == MEMORY_HOST && from->space == MEMORY_HOST);
    for (int p = 0; p < PLANES; p++)
        if (to->plane[p])
            plane_copy(to, from, (enum plane)p);
}

enum status field_create(struct field *field, int32_t width, int32_t height, unsigned planes,
                         int count_bytes)
{
    *field = (struct field){0};
    size_t bytes = 0;
    TRY(field_bytes(width, height, planes, count_bytes, &bytes));
    void *base = calloc(1, bytes);
    if (!base)
        return status_fail(STATUS_OUT_OF_MEMORY,
                           "no memory for a field of %d x %d pixels (%zu bytes)", width, height,
                           bytes);
    field_over(field, width, height, planes, count_bytes, base);
    return STATUS_OK;
}

void field_destroy(struct field *field)
{
    free(field->base);
    *field = (struct field){0};
}

uint64_t field_count_at(const struct field *field, size_t index)
{
    if (field->count_bytes == 8)
        return ((const uint64_t *)field->plane[PLANE_COUNT])[index];
    return ((const uint32_t *)field->plane[PLANE_COUNT])[index];
}

/* The planes that a word means; 0: it is unknown. */
static unsigned planes_meant(const char *word, size_t length)
{
    unsigned planes = 0;
    for (int p = 0; p < PLANES; p++)
        if (strlen(plane_kinds[p].word) == length && !memcmp(plane_kinds[p].word, word, length))
            planes |= 1u << p;
    return planes;
}

void plane_words(char *text, size_t bytes)
{
    size_t used = 0;
    for (int p = 0; p < PLANES && used < bytes; p++)
        if (!p || strcmp(plane_kinds[p].word, plane_kinds[p - 1].word))
            used += (size_t)snprintf(text + used, bytes - used, "%s%s", p ? ", " : "",
                                     plane_kinds[p].word);
}

enum status planes_parse(const char *text, unsigned *planes)
{
    *planes = PLANE_MASK_COUNT;
    for (const char *word = text;; word++) {
        size_t length = strcspn(word, ",");
        unsigned meant = planes_meant(word, length);
        char words[PLANE_WORDS_BYTES];
        plane_words(words, sizeof words);
        if (!meant)
            return status_fail(STATUS_CONFIG, "unknown plane '%.*s'; known: %s",
                               (int)(length > 40 ? 40 : length), word, words);
        *planes |= meant;
        word += length;
        if (!*word)
            return STATUS_OK;
    }
}
