#include "render/file/field_sanitize.h"

#include <stdbool.h>

static bool escaped(const struct field *field, const void *count, int32_t x)
{
    return field->count_bytes == 8 ? ((const uint64_t *)count)[x] : ((const uint32_t *)count)[x];
}

static void part_sanitize(struct field *field, enum plane plane, int32_t row)
{
    float *part = field_row(field, plane, row);
    const void *count = field_row(field, PLANE_COUNT, row);
    for (int32_t x = 0; x < field->width; x++) {
        float value = part[x] == 1 ? 0x1.fffffep-1f : part[x];
        part[x] = value >= 0 && value < 1 && escaped(field, count, x) ? value : 0;
    }
}

static bool is_finite(float value)
{
    return value - value == 0;
}

static void distance_sanitize(struct field *field, int32_t row)
{
    float *dx = field_row(field, PLANE_DISTANCE_X, row);
    float *dy = field_row(field, PLANE_DISTANCE_Y, row);
    const void *count = field_row(field, PLANE_COUNT, row);
    for (int32_t x = 0; x < field->width; x++) {
        bool sound = escaped(field, count, x) && is_finite(dx[x]) && is_finite(dy[x]);
        dx[x] = sound ? dx[x] : 0;
        dy[x] = sound ? dy[x] : 0;
    }
}

static void inside_sanitize(struct field *field, enum plane plane, int32_t row)
{
    float *values = field_row(field, plane, row);
    const void *count = field_row(field, PLANE_COUNT, row);
    for (int32_t x = 0; x < field->width; x++)
        values[x] =
            values[x] > 0 && is_finite(values[x]) && !escaped(field, count, x) ? values[x] : 0;
}

/* Averages and distances along orbits. */
static void orbit_sanitize(struct field *field, enum plane plane, int32_t row)
{
    float *values = field_row(field, plane, row);
    const void *count = field_row(field, PLANE_COUNT, row);
    for (int32_t x = 0; x < field->width; x++)
        values[x] =
            values[x] > 0 && is_finite(values[x]) && escaped(field, count, x) ? values[x] : 0;
}

void field_sanitize_row(struct field *field, int32_t row)
{
    if (field->planes & PLANE_MASK_FRACTION)
        part_sanitize(field, PLANE_FRACTION, row);
    if (field->planes & PLANE_MASK_PHASE)
        part_sanitize(field, PLANE_PHASE, row);
    if (field->planes & PLANE_MASK_DISTANCE)
        distance_sanitize(field, row);
    for (int p = PLANE_STRIPE; p <= PLANE_TRAP_CIRCLE; p++)
        if (field->plane[p])
            orbit_sanitize(field, (enum plane)p, row);
    for (int p = PLANE_PERIOD; p <= PLANE_INSIDE; p++)
        if (field->plane[p])
            inside_sanitize(field, (enum plane)p, row);
}
