/* Boxes of changed blocks cover what was marked, once, and no other block unless there are too
 * many. */
#include "tests/support/check.h"

#include <string.h>

#include "render/motion/changed_blocks.h"

enum { WIDTH = 1000, HEIGHT = 700, COLUMNS = 8, ROWS = 6, MANY = COLUMNS * ROWS };

/* How many boxes contain each pixel in the middle of a block. */
static void count_boxes(const struct changed_box *boxes, int count, int times[ROWS][COLUMNS])
{
    memset(times, 0, sizeof(int[ROWS][COLUMNS]));
    for (int i = 0; i < count; i++) {
        assert_true(boxes[i].left >= 0 && boxes[i].right <= WIDTH);
        assert_true(boxes[i].top >= 0 && boxes[i].bottom <= HEIGHT);
        for (int32_t y = boxes[i].top; y < boxes[i].bottom; y += CHANGED_BLOCK_PX)
            for (int32_t x = boxes[i].left; x < boxes[i].right; x += CHANGED_BLOCK_PX)
                times[y / CHANGED_BLOCK_PX][x / CHANGED_BLOCK_PX]++;
    }
}

TEST(boxes_are_the_marked_blocks)
{
    uint64_t seed = 7;
    for (int round = 0; round < 500; round++) {
        uint8_t blocks[CHANGED_BLOCKS_MOST][CHANGED_BLOCKS_MOST] = {{0}};
        struct changed_box boxes[MANY];
        int times[ROWS][COLUMNS];
        for (int i = 0; i < round % 8; i++) {
            int32_t x = (int32_t)(check_random(&seed) % WIDTH);
            int32_t y = (int32_t)(check_random(&seed) % HEIGHT);
            changed_blocks_mark(blocks, (struct changed_box){x, y, x + 1, y + 200});
        }
        count_boxes(boxes, changed_blocks_boxes(blocks, WIDTH, HEIGHT, boxes, MANY), times);
        for (int y = 0; y < ROWS; y++)
            for (int x = 0; x < COLUMNS; x++)
                assert_int_equal(times[y][x], blocks[y][x]);
        int few = changed_blocks_boxes(blocks, WIDTH, HEIGHT, boxes, 2);
        assert_true(few <= 2);
        count_boxes(boxes, few, times);
        for (int y = 0; y < ROWS; y++)
            for (int x = 0; x < COLUMNS; x++)
                assert_true(times[y][x] >= blocks[y][x] && times[y][x] <= 1);
    }
}

TEST(whole_screens_are_one_box)
{
    uint8_t blocks[CHANGED_BLOCKS_MOST][CHANGED_BLOCKS_MOST] = {{0}};
    struct changed_box boxes[2];
    assert_int_equal(changed_blocks_boxes(blocks, 16384, 16384, boxes, 2), 0);
    changed_blocks_mark(blocks, (struct changed_box){0, 0, 20000, 20000});
    assert_int_equal(changed_blocks_boxes(blocks, 16384, 16384, boxes, 2), 1);
    assert_int_equal(boxes[0].right, 16384);
    assert_int_equal(boxes[0].bottom, 16384);
}
