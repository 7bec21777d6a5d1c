/* Fields: one block, planes back to back, sizes checked before anything is allocated. */
#include "tests/support/check.h"

#include <string.h>

#include "kernels/field.h"

TEST(planes_lie_back_to_back)
{
    struct field field;
    unsigned both = PLANE_MASK_COUNT | PLANE_MASK_FRACTION;
    assert_int_equal(field_create(&field, 7, 3, both, 8), STATUS_OK);
    assert_ptr_equal(field.plane[PLANE_COUNT], field.base);
    assert_ptr_equal(field.plane[PLANE_FRACTION], (char *)field.base + 7 * 3 * 8);
    ((uint64_t *)field.plane[PLANE_COUNT])[20] = 1ull << 40;
    assert_int_equal(field_count_at(&field, 20), 1ull << 40);
    assert_int_equal(field_count_at(&field, 19), 0);
    field_destroy(&field);
    assert_null(field.base);
    field_destroy(&field);
}

TEST(sizes_that_cannot_be_addressed_are_refused)
{
    size_t bytes;
    assert_int_equal(field_bytes(1920, 1080, 3, 4, &bytes), STATUS_OK);
    assert_int_equal(bytes, 1920 * 1080 * 8);
    assert_int_equal(field_bytes(1 << 30, 1 << 30, 3, 8, &bytes), STATUS_OK);
    assert_int_equal(bytes, (size_t)12 << 60);
    assert_int_equal(field_bytes(INT32_MAX, INT32_MAX, 3, 8, &bytes), STATUS_TOO_LARGE);
    assert_int_equal(field_bytes(0, 5, 1, 4, &bytes), STATUS_TOO_LARGE);
    assert_int_equal(field_bytes(5, -1, 1, 4, &bytes), STATUS_TOO_LARGE);
    struct field field;
    assert_int_equal(field_create(&field, 1 << 30, 1 << 30, 3, 4), STATUS_OUT_OF_MEMORY);
    assert_non_null(strstr(status_text(), "1073741824 x 1073741824"));
}

TEST(windows_lie_in_their_field)
{
    struct field whole, tile;
    unsigned both = PLANE_MASK_COUNT | PLANE_MASK_FRACTION;
    assert_int_equal(field_create(&whole, 7, 5, both, 8), STATUS_OK);
    assert_int_equal(field_create(&tile, 3, 2, both, 8), STATUS_OK);
    for (int i = 0; i < 6; i++) {
        ((uint64_t *)tile.plane[PLANE_COUNT])[i] = (uint64_t)(10 + i);
        ((float *)tile.plane[PLANE_FRACTION])[i] = 0.1f * (float)i;
    }
    struct field window = field_window(&whole, 2, 3, 3, 2);
    assert_null(window.base);
    assert_int_equal(window.stride, 7);
    field_copy(&window, &tile);
    for (int y = 0; y < 5; y++)
        for (int x = 0; x < 7; x++) {
            int inside = x >= 2 && x < 5 && y >= 3, i = 3 * (y - 3) + x - 2;
            assert_int_equal(field_count_at(&whole, (size_t)(7 * y + x)), inside ? 10 + i : 0);
            float fraction = ((const float *)whole.plane[PLANE_FRACTION])[7 * y + x];
            assert_true(fraction == (inside ? 0.1f * (float)i : 0.0f));
        }
    struct field inner = field_window(&window, 1, 1, 1, 1); /* a window of a window */
    assert_int_equal(field_count_at(&inner, 0), 14);
    field_destroy(&tile);
    field_destroy(&whole);
}

TEST(plane_lists_are_read_strictly)
{
    unsigned planes;
    assert_int_equal(planes_parse("count", &planes), STATUS_OK);
    assert_int_equal(planes, PLANE_MASK_COUNT);
    assert_int_equal(planes_parse("fraction", &planes), STATUS_OK);
    assert_int_equal(planes, PLANE_MASK_COUNT | PLANE_MASK_FRACTION);
    assert_int_equal(planes_parse("count,fraction", &planes), STATUS_OK);
    assert_int_equal(planes_parse("distance,fraction", &planes), STATUS_OK);
    assert_int_equal(planes, PLANE_MASK_COUNT | PLANE_MASK_FRACTION | PLANE_MASK_DISTANCE);
    assert_int_equal(planes_bytes(planes, 8), 20);
    assert_int_equal(planes_parse("inside,phase,distance,period,fraction,trap_circle,"
                                  "trap_cross,trap_point,triangle,stripe",
                                  &planes),
                     STATUS_OK);
    assert_int_equal(planes, (1u << PLANES) - 1);
    const char *bad[] = {
        "", ",", "count,", "Count", "counts", "count fraction", "count,,count", "distance_x"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(planes_parse(bad[i], &planes), STATUS_CONFIG);
    assert_non_null(strstr(status_text(),
                           "count, fraction, distance, phase, stripe, triangle, trap_point, "
                           "trap_cross, trap_circle, period, inside"));
}
