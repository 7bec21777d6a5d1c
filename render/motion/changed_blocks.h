/* The blocks of a screen whose pixels have changed since they were shown. Pure. */
#ifndef RENDER_MOTION_CHANGED_BLOCKS_H
#define RENDER_MOTION_CHANGED_BLOCKS_H

#include <stdint.h>

enum { CHANGED_BLOCK_PX = 128, CHANGED_BLOCKS_MOST = 128 }; /* 16384 pixels a side */

struct changed_box { /* pixels [left, right) x [top, bottom) */
    int32_t left, top, right, bottom;
};

/* Marks all blocks that a box touches, cut to the largest screen: 1 in [row][column]. */
void changed_blocks_mark(uint8_t blocks[CHANGED_BLOCKS_MOST][CHANGED_BLOCKS_MOST],
                         struct changed_box box);

/* Covers the marked blocks by boxes within width x height that do not overlap: as many as `most`,
 * which is at least 1, and one around all of them where more would be needed. Returns their
 * number. */
int changed_blocks_boxes(uint8_t blocks[CHANGED_BLOCKS_MOST][CHANGED_BLOCKS_MOST], int32_t width,
                         int32_t height, struct changed_box *boxes, int most);

#endif
