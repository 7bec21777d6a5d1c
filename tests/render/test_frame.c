/* Frames: tiles land where they belong, and none may come twice. */
#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>

#include "render/frame.h"
#include "render/memory.h"

static void tiles_land_where_they_belong(void **state)
{
    (void)state;
    struct frame frame;
    struct tile *tiles;
    uint32_t count;
    unsigned both = PLANE_MASK_COUNT | PLANE_MASK_FRACTION;
    assert_int_equal(tiles_cut(&tiles, &count, 23, 17, 5, TILE_ORDER_SPIRAL), STATUS_OK);
    assert_int_equal(frame_create(&frame, 23, 17, both, 4, count), STATUS_OK);
    assert_int_equal(frame.tiles_missing, count);
    for (uint32_t n = 0; n < count; n++) {
        struct field part;
        const struct tile *tile = &tiles[n];
        assert_int_equal(field_create(&part, tile->width, tile->height, both, 4), STATUS_OK);
        for (int32_t y = 0; y < tile->height; y++)
            for (int32_t x = 0; x < tile->width; x++) {
                uint32_t number = (uint32_t)((tile->y + y) * 1000 + tile->x + x);
                ((uint32_t *)part.plane[PLANE_COUNT])[y * tile->width + x] = number;
                ((float *)part.plane[PLANE_FRACTION])[y * tile->width + x] = (float)number;
            }
        assert_true(frame.missing[n]);
        assert_int_equal(frame_put(&frame, n, tile, &part), STATUS_OK);
        assert_false(frame.missing[n]);
        assert_int_equal(frame_put(&frame, n, tile, &part), STATUS_INTERNAL);
        assert_non_null(strstr(status_text(), "twice"));
        field_destroy(&part);
    }
    assert_int_equal(frame.tiles_missing, 0);
    struct field whole = frame_take_field(&frame);
    for (int y = 0; y < 17; y++)
        for (int x = 0; x < 23; x++) {
            assert_int_equal(((uint32_t *)whole.plane[PLANE_COUNT])[y * 23 + x], y * 1000 + x);
            assert_true(((float *)whole.plane[PLANE_FRACTION])[y * 23 + x] ==
                        (float)(y * 1000 + x));
        }
    frame_destroy(&frame);
    field_destroy(&whole);
    free(tiles);
}

static void frames_that_cannot_be_are_refused(void **state)
{
    (void)state;
    struct frame frame;
    assert_int_equal(frame_create(&frame, 1 << 30, 1 << 30, PLANE_MASK_COUNT, 4, 1),
                     STATUS_OUT_OF_MEMORY);
    frame_destroy(&frame);
    frame_destroy(&frame);
}

static void memory_is_known(void **state)
{
    (void)state;
    uint64_t there = memory_available();
    assert_true(there > 1 << 20 && there < UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_land_where_they_belong),
        cmocka_unit_test(frames_that_cannot_be_are_refused),
        cmocka_unit_test(memory_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
