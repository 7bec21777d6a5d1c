#include "decomposition/schedule/tile.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

/* The grid of tiles, and the list being written. */
struct cut {
    int32_t width, height, tile_px;
    int32_t columns, rows;
    struct tile *tile;
    uint32_t count;
};

static int32_t pieces(int32_t length, int32_t piece)
{
    return (int32_t)(((int64_t)length + piece - 1) / piece);
}

uint64_t tiles_number(int32_t width, int32_t height, int32_t tile_px)
{
    assert(width >= 1 && height >= 1 && tile_px >= 1);
    return (uint64_t)pieces(width, tile_px) * (uint64_t)pieces(height, tile_px);
}

/* Smallest tile that keeps the number within TILE_COUNT_MAX; the number falls as tiles grow. */
static int32_t smallest_tile(int32_t width, int32_t height)
{
    int32_t low = 1, high = width > height ? width : height;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (tiles_number(width, height, middle) > TILE_COUNT_MAX)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int32_t at_most(int32_t limit, int32_t value)
{
    return value < limit ? value : limit;
}

static void cut_take(struct cut *cut, int32_t column, int32_t row)
{
    int32_t x = column * cut->tile_px, y = row * cut->tile_px;
    cut->tile[cut->count++] = (struct tile){.x = x,
                                            .y = y,
                                            .width = at_most(cut->width - x, cut->tile_px),
                                            .height = at_most(cut->height - y, cut->tile_px)};
}

static void take_rows(struct cut *cut)
{
    for (int32_t row = 0; row < cut->rows; row++)
        for (int32_t column = 0; column < cut->columns; column++)
            cut_take(cut, column, row);
}

/* One square of the Z curve, `side` a power of two. Squares outside the grid are cut off whole, so
 * a long thin grid costs no more than its cells and their ancestors. */
static void take_z(struct cut *cut, int64_t column, int64_t row, int64_t side)
{
    if (column >= cut->columns || row >= cut->rows)
        return;
    if (side == 1) {
        cut_take(cut, (int32_t)column, (int32_t)row);
        return;
    }
    int64_t half = side / 2;
    take_z(cut, column, row, half);
    take_z(cut, column + half, row, half);
    take_z(cut, column, row + half, half);
    take_z(cut, column + half, row + half, half);
}

static void take_morton(struct cut *cut)
{
    int64_t side = 1;
    while (side < cut->columns || side < cut->rows)
        side *= 2;
    take_z(cut, 0, 0, side);
}

/* A straight run of cells, clipped to 0 ... limit-1, in the direction it was asked for. */
struct run {
    int32_t first, step, cells;
};

static struct run clip(int32_t from, int32_t to, int32_t limit)
{
    bool up = from <= to;
    int32_t low = up ? from : to, high = up ? to : from;
    low = low < 0 ? 0 : low;
    high = at_most(limit - 1, high);
    return (struct run){.first = up ? low : high, .step = up ? 1 : -1, .cells = high - low + 1};
}

static void take_across(struct cut *cut, int32_t row, int32_t from, int32_t to)
{
    if (row < 0 || row >= cut->rows)
        return;
    struct run run = clip(from, to, cut->columns);
    for (int32_t i = 0; i < run.cells; i++)
        cut_take(cut, run.first + i * run.step, row);
}

static void take_down(struct cut *cut, int32_t column, int32_t from, int32_t to)
{
    if (column < 0 || column >= cut->columns)
        return;
    struct run run = clip(from, to, cut->rows);
    for (int32_t i = 0; i < run.cells; i++)
        cut_take(cut, column, run.first + i * run.step);
}

/* Ring after ring around the middle, each clockwise from its upper left corner. Runs are clipped
 * before they are walked: a grid of one row costs its cells, not their square. */
static void take_spiral(struct cut *cut)
{
    int32_t c = (cut->columns - 1) / 2, r = (cut->rows - 1) / 2;
    int32_t rings = (cut->columns > cut->rows ? cut->columns : cut->rows) / 2;
    cut_take(cut, c, r);
    for (int32_t d = 1; d <= rings; d++) {
        take_across(cut, r - d, c - d, c + d);
        take_down(cut, c + d, r - d + 1, r + d);
        take_across(cut, r + d, c + d - 1, c - d);
        take_down(cut, c - d, r + d - 1, r - d + 1);
    }
}

enum status tiles_cut(struct tile **tiles, uint32_t *count, int32_t width, int32_t height,
                      int32_t tile_px, enum tile_order order)
{
    static void (*const take_all[TILE_ORDERS])(struct cut *) = {
        [TILE_ORDER_ROW] = take_rows,
        [TILE_ORDER_MORTON] = take_morton,
        [TILE_ORDER_SPIRAL] = take_spiral,
    };
    *tiles = NULL;
    *count = 0;
    if (width < 1 || height < 1 || tile_px < 1)
        return status_fail(STATUS_CONFIG, "%d x %d pixels cannot be cut into tiles of %d", width,
                           height, tile_px);
    uint64_t number = tiles_number(width, height, tile_px);
    if (number > TILE_COUNT_MAX)
        return status_fail(STATUS_TOO_LARGE,
                           "%d x %d pixels make %llu tiles of %d pixels, more than %d; tiles of "
                           "%d pixels would do",
                           width, height, (unsigned long long)number, tile_px, TILE_COUNT_MAX,
                           smallest_tile(width, height));
    struct cut cut = {.width = width,
                      .height = height,
                      .tile_px = tile_px,
                      .columns = pieces(width, tile_px),
                      .rows = pieces(height, tile_px)};
    cut.tile = malloc(number * sizeof *cut.tile);
    if (!cut.tile)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a list of %llu tiles",
                           (unsigned long long)number);
    take_all[order](&cut);
    assert(cut.count == number);
    *tiles = cut.tile;
    *count = cut.count;
    return STATUS_OK;
}

enum status tiles_interleaved(struct tile **tiles, uint32_t *count, int32_t width, int32_t height,
                              int32_t band, uint32_t tiles_wanted)
{
    *tiles = NULL;
    *count = 0;
    int32_t bands = band >= 1 ? (height - 1) / band + 1 : 0;
    if (width < 1 || height < 1 || bands < 1 || tiles_wanted < 1)
        return status_fail(
            STATUS_CONFIG,
            "%d x %d pixels cannot be cut into %u interleaved tiles of bands of %d rows", width,
            height, tiles_wanted, band);
    uint32_t n = tiles_wanted < (uint32_t)bands ? tiles_wanted : (uint32_t)bands;
    struct tile *list = calloc(n, sizeof *list);
    if (!list)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a list of %u tiles", n);
    for (int32_t b = 0; b < bands; b++) { /* the bands are dealt out */
        int32_t rows = height - b * band < band ? height - b * band : band;
        struct tile *tile = &list[(uint32_t)b % n];
        if ((uint32_t)b < n)
            *tile = (struct tile){0, b * band, width, 0, band, (int32_t)n * band};
        tile->height += rows;
    }
    *tiles = list;
    *count = n;
    return STATUS_OK;
}

enum { SIDES = 4 };

/* Rest of a tile around a rectangle: above, beside, below. */
static uint32_t tile_around(const struct tile *tile, const struct tile *hole,
                            struct tile around[SIDES])
{
    int32_t right = tile->x + tile->width, bottom = tile->y + tile->height;
    int32_t x0 = tile->x > hole->x ? tile->x : hole->x;
    int32_t y0 = tile->y > hole->y ? tile->y : hole->y;
    int32_t x1 = at_most(right, hole->x + hole->width);
    int32_t y1 = at_most(bottom, hole->y + hole->height);
    uint32_t count = 0;
    if (x0 >= x1 || y0 >= y1) {
        around[0] = *tile;
        return 1;
    }
    const struct tile sides[SIDES] = {{tile->x, tile->y, tile->width, y0 - tile->y, 0, 0},
                                      {tile->x, y0, x0 - tile->x, y1 - y0, 0, 0},
                                      {x1, y0, right - x1, y1 - y0, 0, 0},
                                      {tile->x, y1, tile->width, bottom - y1, 0, 0}};
    for (int i = 0; i < SIDES; i++)
        if (sides[i].width > 0 && sides[i].height > 0)
            around[count++] = sides[i];
    return count;
}

enum status tiles_without(struct tile **tiles, uint32_t *count, const struct tile *hole)
{
    struct tile *left = malloc(((size_t)*count + 1) * SIDES * sizeof *left);
    uint32_t n = 0;
    if (!left)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a list of %u tiles", *count);
    for (uint32_t i = 0; i < *count; i++)
        n += tile_around(&(*tiles)[i], hole, left + n);
    free(*tiles);
    *tiles = left;
    *count = n;
    return STATUS_OK;
}

struct field tile_window(const struct tile *tile, const struct field *whole)
{
    if (tile->band)
        return field_interleaved(whole, tile->y, tile->height, tile->band, tile->band_step);
    return field_window(whole, tile->x, tile->y, tile->width, tile->height);
}
