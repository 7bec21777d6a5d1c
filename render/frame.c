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

enum status frame_home(struct frame *frame, uint32_t number)
{
    assert(number < frame->tiles);
    if (!frame->missing[number])
        return status_fail(STATUS_INTERNAL, "tile %u came home twice", number);
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
