#include "render/frame.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum status frame_create(struct frame *frame, int32_t width, int32_t height, unsigned planes,
                         int count_bytes, uint32_t tiles)
{
    *frame = (struct frame){.tiles = tiles, .tiles_missing = tiles};
    TRY(field_create(&frame->field, width, height, planes, count_bytes));
    frame->missing = malloc(tiles ? tiles : 1);
    if (!frame->missing) {
        frame_destroy(frame);
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a map of %u tiles", tiles);
    }
    memset(frame->missing, 1, tiles);
    return STATUS_OK;
}

void frame_destroy(struct frame *frame)
{
    field_destroy(&frame->field);
    free(frame->missing);
    *frame = (struct frame){0};
}

static void plane_put(struct field *whole, const struct tile *tile, const struct field *part,
                      enum plane plane)
{
    size_t bytes = element_bytes(plane_element(plane, whole->count_bytes));
    size_t row = (size_t)tile->width * bytes, stride = (size_t)whole->width * bytes;
    const char *from = part->plane[plane];
    char *to = (char *)whole->plane[plane] + (size_t)tile->y * stride + (size_t)tile->x * bytes;
    for (int32_t y = 0; y < tile->height; y++)
        memcpy(to + (size_t)y * stride, from + (size_t)y * row, row);
}

enum status frame_put(struct frame *frame, uint32_t number, const struct tile *tile,
                      const struct field *field)
{
    struct field *whole = &frame->field;
    assert(number < frame->tiles);
    assert(field->width == tile->width && field->height == tile->height);
    assert(field->planes == whole->planes && field->count_bytes == whole->count_bytes);
    assert(tile->x + tile->width <= whole->width && tile->y + tile->height <= whole->height);
    if (!frame->missing[number])
        return status_fail(STATUS_INTERNAL, "tile %u at (%d, %d) came home twice", number, tile->x,
                           tile->y);
    for (int p = 0; p < PLANES; p++)
        if (whole->plane[p])
            plane_put(whole, tile, field, (enum plane)p);
    frame->missing[number] = 0;
    frame->tiles_missing--;
    return STATUS_OK;
}

struct field frame_take_field(struct frame *frame)
{
    struct field field = frame->field;
    frame->field = (struct field){0};
    return field;
}
