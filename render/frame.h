/* Which pixels of the picture are home? The whole field on rank 0, and a map of what is missing. */
#ifndef RENDER_FRAME_H
#define RENDER_FRAME_H

#include <stdint.h>

#include "kernels/field.h"

struct frame {
    struct field field; /* the whole image */
    uint8_t *missing;   /* per tile of the list: 1 = not home; owned */
    uint32_t tiles;     /* in the list */
    uint32_t tiles_missing;
};

enum status frame_create(struct frame *frame, int32_t width, int32_t height, unsigned planes,
                         int count_bytes, uint32_t tiles);
void frame_destroy(struct frame *frame); /* accepts a zeroed one */

/* The pixels of a tile are in the field. `number` = the tile's place in the list. A tile that comes
 * twice is STATUS_INTERNAL: somebody has lost count. Thread: one at a time. */
enum status frame_home(struct frame *frame, uint32_t number);

/* Gives the field away; the caller destroys it. The frame stays valid without it. */
struct field frame_take_field(struct frame *frame);

#endif
