/* Frames: what is home is known, and no tile may come twice. */
#include "tests/support/check.h"

#include <string.h>

#include "render/frame.h"
#include "render/memory.h"

static void no_tile_comes_home_twice(void **state)
{
    (void)state;
    struct frame frame;
    assert_int_equal(frame_create(&frame, 23, 17, PLANE_MASK_COUNT, 4, 20), STATUS_OK);
    assert_int_equal(frame.tiles_missing, 20);
    for (uint32_t n = 0; n < 20; n++) {
        assert_true(frame.missing[n]);
        assert_int_equal(frame_home(&frame, n), STATUS_OK);
        assert_false(frame.missing[n]);
        assert_int_equal(frame_home(&frame, n), STATUS_INTERNAL);
        assert_non_null(strstr(status_text(), "twice"));
    }
    assert_int_equal(frame.tiles_missing, 0);
    struct field whole = frame_take_field(&frame);
    assert_int_equal(whole.width, 23);
    frame_destroy(&frame);
    field_destroy(&whole);
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
        cmocka_unit_test(no_tile_comes_home_twice),
        cmocka_unit_test(frames_that_cannot_be_are_refused),
        cmocka_unit_test(memory_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
