/* Blocks of a device set. */
#include "render/device/device_set.h"

#include "tests/support/check.h"

/* Tasks of many sizes: as many blocks as are taken at a time, and not one for each size. */
TEST(test_a_block_that_is_too_small_gives_way)
{
    struct device_set set = {.devices = 0};
    for (size_t bytes = 1000; bytes <= 20 << 20; bytes = bytes * 3 / 2) {
        void *block = device_set_block_take(&set, MEMORY_HOST, bytes);
        assert_non_null(block);
        device_set_block_give(&set, block);
        assert_ptr_equal(device_set_block_take(&set, MEMORY_HOST, 1),
                         block); /* there is no other */
        device_set_block_give(&set, block);
    }
    device_set_close(&set);
}

TEST(test_the_smallest_block_that_fits_is_taken)
{
    struct device_set set = {.devices = 0};
    void *large = device_set_block_take(&set, MEMORY_HOST, 9 << 20);
    void *small = device_set_block_take(&set, MEMORY_HOST, 1 << 20);
    assert_true(large != small);
    device_set_block_give(&set, small);
    device_set_block_give(&set, large);
    assert_true(device_set_block_take(&set, MEMORY_HOST, 1 << 20) == small);
    assert_true(device_set_block_take(&set, MEMORY_HOST, 1 << 20) == large);
    assert_true(device_set_block_take(&set, MEMORY_DEVICE, 1) == NULL); /* there are none */
    device_set_close(&set);
}
