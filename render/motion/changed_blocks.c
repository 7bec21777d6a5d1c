#include "render/motion/changed_blocks.h"

#include <stdbool.h>

static int32_t least(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static int32_t blocks_in(int32_t side)
{
    int32_t blocks = (side + CHANGED_BLOCK_PX - 1) / CHANGED_BLOCK_PX;
    return blocks < 0 ? 0 : least(blocks, CHANGED_BLOCKS_MOST);
}

void changed_blocks_mark(uint8_t blocks[CHANGED_BLOCKS_MOST][CHANGED_BLOCKS_MOST],
                         struct changed_box box)
{
    int32_t columns = blocks_in(box.right), rows = blocks_in(box.bottom);
    for (int32_t y = box.top / CHANGED_BLOCK_PX; y < rows; y++)
        for (int32_t x = box.left / CHANGED_BLOCK_PX; x < columns; x++)
            blocks[y][x] = 1;
}

/* Extends the box above this run of blocks, if one has the same sides. */
static bool box_extend(struct changed_box *boxes, int count, const struct changed_box *run)
{
    for (int i = count - 1; i >= 0; i--)
        if (boxes[i].bottom == run->top && boxes[i].left == run->left &&
            boxes[i].right == run->right) {
            boxes[i].bottom = run->bottom;
            return true;
        }
    return false;
}

/* Extends a box to contain another one. */
static void box_join(struct changed_box *box, const struct changed_box *with)
{
    box->left = least(box->left, with->left);
    box->top = least(box->top, with->top);
    box->right = box->right > with->right ? box->right : with->right;
    box->bottom = box->bottom > with->bottom ? box->bottom : with->bottom;
}

/* The pixels of the run of marked blocks at (*x, y), behind which *x is then; false: none is marked
 * there. */
static bool run_next(uint8_t blocks[CHANGED_BLOCKS_MOST][CHANGED_BLOCKS_MOST], int32_t width,
                     int32_t height, int32_t y, int32_t *x, struct changed_box *run)
{
    int32_t first = *x, columns = blocks_in(width);
    while (*x < columns && blocks[y][*x])
        ++*x;
    *run = (struct changed_box){first * CHANGED_BLOCK_PX, y * CHANGED_BLOCK_PX,
                                least(*x * CHANGED_BLOCK_PX, width),
                                least((y + 1) * CHANGED_BLOCK_PX, height)};
    return *x > first;
}

int changed_blocks_boxes(uint8_t blocks[CHANGED_BLOCKS_MOST][CHANGED_BLOCKS_MOST], int32_t width,
                         int32_t height, struct changed_box *boxes, int most)
{
    struct changed_box run, around = {width, height, 0, 0};
    int count = 0;
    bool fit = true;
    for (int32_t y = 0; y < blocks_in(height); y++)
        for (int32_t x = 0; x < blocks_in(width); x++) {
            if (!run_next(blocks, width, height, y, &x, &run))
                continue;
            box_join(&around, &run);
            if (box_extend(boxes, count, &run))
                continue;
            fit &= count < most;
            if (fit)
                boxes[count++] = run;
        }
    if (!fit)
        boxes[0] = around;
    return fit ? count : 1;
}
