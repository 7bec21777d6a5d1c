/* The served picture in cells, encoded when a page wants them first and kept for the others.
 *
 * A cell is DEEPFIELD_LIVE_BLOCK pixels high and CELL_WIDTH wide: so wide that the header of a JPEG
 * file, 0.6 kB, is a small part of it, and so small that one more is encoded in milliseconds.
 * Thread: one. */
#ifndef APP_SERVE_CELL_CACHE_H
#define APP_SERVE_CELL_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/deepfield/deepfield.h"
#include "kernels/status.h"

enum {
    CELL_BLOCKS = 4, /* blocks of the live picture side by side */
    CELL_WIDTH = CELL_BLOCKS * DEEPFIELD_LIVE_BLOCK,
    CELL_HEIGHT = DEEPFIELD_LIVE_BLOCK,
    CELLS_MOST = 1024, /* cells of 8192 x 8192 pixels */
    CELL_EXACT = 6,    /* level of WebP without loss; those below it are PACE_LEVELS of JPEG */
    CELL_LEVELS
};

struct cell_rect {
    int32_t x, y, width, height;
};

struct cell_cache;

enum status cell_cache_create(struct cell_cache **cells);
void cell_cache_destroy(struct cell_cache *cells); /* accepts NULL */

/* Another size: all pixels are unknown, and all cells new. */
enum status cell_cache_resize(struct cell_cache *cells, int32_t width, int32_t height);

/* Pixels for deepfield_live_update, and what to do after it: cells with changed blocks become
 * newer, and the table of changed blocks is cleared. */
struct deepfield_live_pixels *cell_cache_pixels(struct cell_cache *cells);
void cell_cache_changed(struct cell_cache *cells);

int cell_cache_count(const struct cell_cache *cells);
struct cell_rect cell_cache_box(const struct cell_cache *cells, int cell);

/* Rises whenever a pixel of the cell changes, from 1. */
uint32_t cell_cache_version(const struct cell_cache *cells, int cell);

/* The newest pixels of a cell as a file: JPEG, or WebP for CELL_EXACT. Borrowed until the next
 * cell_cache_changed or cell_cache_resize. */
enum status cell_cache_encode(struct cell_cache *cells, int cell, int level, const uint8_t **bytes,
                              size_t *length);

/* What has been encoded: cells, seconds. */
struct cell_cache_cost {
    uint64_t encoded[CELL_LEVELS];
    double seconds;
};
struct cell_cache_cost cell_cache_cost(const struct cell_cache *cells);

#endif
