/* Does every pixel lie in exactly one tile, in the order that was asked for? */
#include "tests/support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decomposition/schedule/tile.h"

static void check_cover(int32_t width, int32_t height, int32_t tile_px, enum tile_order order)
{
    struct tile *tiles;
    uint32_t count;
    assert_int_equal(tiles_cut(&tiles, &count, width, height, tile_px, order), STATUS_OK);
    assert_int_equal(count, tiles_number(width, height, tile_px));
    uint8_t *seen = calloc((size_t)width, (size_t)height);
    assert_non_null(seen);
    for (uint32_t i = 0; i < count; i++) {
        const struct tile *t = &tiles[i];
        assert_in_range(t->width, 1, tile_px);
        assert_in_range(t->height, 1, tile_px);
        assert_true(t->x >= 0 && t->y >= 0);
        assert_true(t->x + t->width <= width && t->y + t->height <= height);
        for (int32_t y = t->y; y < t->y + t->height; y++)
            for (int32_t x = t->x; x < t->x + t->width; x++)
                seen[(size_t)y * (size_t)width + (size_t)x]++;
    }
    for (size_t i = 0; i < (size_t)width * (size_t)height; i++)
        assert_int_equal(seen[i], 1);
    free(seen);
    free(tiles);
}

TEST(every_pixel_is_covered_once)
{
    static const int32_t cases[][3] = {
        {1, 1, 1},     {1, 1, 64},     {1, 4096, 64},  {4096, 1, 7},      {509, 300, 64},
        {509, 300, 1}, {300, 509, 37}, {10, 10, 1000}, {32768, 3, 32768}, {2, 1, 1},
        {3, 2, 1},     {64, 64, 8},    {65, 63, 8},    {1, 20000, 1},     {7, 900, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int order = 0; order < TILE_ORDERS; order++)
            check_cover(cases[i][0], cases[i][1], cases[i][2], (enum tile_order)order);
}

/* The order as text: "xy xy ..." in tiles. */
static void check_order(int32_t columns, int32_t rows, enum tile_order order, const char *expected)
{
    struct tile *tiles;
    uint32_t count;
    char text[256] = "", *at = text;
    assert_int_equal(tiles_cut(&tiles, &count, columns * 10, rows * 10, 10, order), STATUS_OK);
    for (uint32_t i = 0; i < count; i++)
        at += sprintf(at, "%s%d%d", i ? " " : "", tiles[i].x / 10, tiles[i].y / 10);
    assert_string_equal(text, expected);
    free(tiles);
}

TEST(orders_are_what_they_say)
{
    check_order(3, 2, TILE_ORDER_ROW, "00 10 20 01 11 21");
    check_order(3, 3, TILE_ORDER_MORTON, "00 10 01 11 20 21 02 12 22");
    check_order(5, 2, TILE_ORDER_MORTON, "00 10 01 11 20 30 21 31 40 41");
    check_order(3, 3, TILE_ORDER_SPIRAL, "11 00 10 20 21 22 12 02 01");
    check_order(4, 1, TILE_ORDER_SPIRAL, "10 20 00 30");
    check_order(2, 2, TILE_ORDER_SPIRAL, "00 10 11 01");
}

TEST(the_largest_list_is_cut_quickly_even_when_thin)
{
    for (int order = 0; order < TILE_ORDERS; order++) {
        struct tile *tiles;
        uint32_t count;
        assert_int_equal(tiles_cut(&tiles, &count, 1, 1 << 20, 1, (enum tile_order)order),
                         STATUS_OK);
        assert_int_equal(count, 1 << 20);
        free(tiles);
    }
}

TEST(too_many_tiles_are_refused_with_a_size_that_would_do)
{
    struct tile *tiles = (struct tile *)1;
    uint32_t count = 1;
    assert_int_equal(tiles_cut(&tiles, &count, 65536, 65536, 8, TILE_ORDER_ROW), STATUS_TOO_LARGE);
    assert_null(tiles);
    assert_int_equal(count, 0);
    assert_non_null(strstr(status_text(), "tiles of 16 pixels would do"));
    assert_true(tiles_number(65536, 65536, 16) <= TILE_COUNT_MAX);
    assert_int_equal(tiles_cut(&tiles, &count, INT32_MAX, INT32_MAX, 1, TILE_ORDER_ROW),
                     STATUS_TOO_LARGE);
    assert_int_equal(tiles_number(INT32_MAX, INT32_MAX, 1),
                     (uint64_t)INT32_MAX * (uint64_t)INT32_MAX);
}

TEST(nonsense_is_refused)
{
    static const int32_t cases[][3] = {{0, 5, 5}, {5, 0, 5}, {5, 5, 0}, {-1, 5, 5}, {5, 5, -3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tile *tiles;
        uint32_t count;
        assert_int_equal(
            tiles_cut(&tiles, &count, cases[i][0], cases[i][1], cases[i][2], TILE_ORDER_ROW),
            STATUS_CONFIG);
    }
}

/* Interleaved tiles, seen through the windows that ranks write to. */
/* Beside, across and around tiles; all, one pixel, nothing that there is. */
TEST(a_hole_is_left_out_and_nothing_else)
{
    static const struct tile holes[] = {{.x = 10, .y = 20, .width = 50, .height = 33},
                                        {.x = 16, .y = 16, .width = 16, .height = 16},
                                        {.x = 0, .y = 0, .width = 101, .height = 67},
                                        {.x = 99, .y = 3, .width = 2, .height = 1},
                                        {.x = 20, .y = 0, .width = 1, .height = 67},
                                        {.x = 0, .y = 66, .width = 101, .height = 1}};
    for (size_t h = 0; h < sizeof holes / sizeof *holes; h++) {
        const struct tile *hole = &holes[h];
        static uint8_t seen[67][101];
        struct tile *tiles;
        uint32_t count;
        memset(seen, 0, sizeof seen);
        assert_int_equal(tiles_cut(&tiles, &count, 101, 67, 16, TILE_ORDER_SPIRAL), STATUS_OK);
        assert_int_equal(tiles_without(&tiles, &count, hole), STATUS_OK);
        for (uint32_t i = 0; i < count; i++) {
            assert_true(tiles[i].width > 0 && tiles[i].height > 0);
            for (int32_t y = tiles[i].y; y < tiles[i].y + tiles[i].height; y++)
                for (int32_t x = tiles[i].x; x < tiles[i].x + tiles[i].width; x++)
                    seen[y][x]++;
        }
        for (int32_t y = 0; y < 67; y++)
            for (int32_t x = 0; x < 101; x++) {
                bool inside = x >= hole->x && x < hole->x + hole->width && y >= hole->y &&
                              y < hole->y + hole->height;
                assert_int_equal(seen[y][x], inside ? 0 : 1);
            }
        free(tiles);
    }
}

TEST(interleaved_tiles_cover_every_pixel_once)
{
    static const int32_t cases[][4] = {{7, 100, 16, 4}, {1, 1, 16, 4},  {5, 16, 16, 3},
                                       {3, 33, 16, 2},  {4, 500, 8, 7}, {2, 160, 16, 10}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int32_t width = cases[i][0], height = cases[i][1], band = cases[i][2];
        struct tile *tiles;
        uint32_t count, most = 0, least = UINT32_MAX;
        struct field frame;
        assert_int_equal(
            tiles_interleaved(&tiles, &count, width, height, band, (uint32_t)cases[i][3]),
            STATUS_OK);
        assert_int_equal(field_create(&frame, width, height, PLANE_MASK_COUNT, 4), STATUS_OK);
        for (uint32_t k = 0; k < count; k++) {
            struct field window = tile_window(&tiles[k], &frame);
            most = (uint32_t)window.height > most ? (uint32_t)window.height : most;
            least = (uint32_t)window.height < least ? (uint32_t)window.height : least;
            for (int32_t y = 0; y < window.height; y++)
                for (int32_t x = 0; x < width; x++)
                    ((uint32_t *)field_row(&window, PLANE_COUNT, y))[x] += k + 1;
        }
        assert_true(most - least <= (uint32_t)band);
        for (int32_t y = 0; y < height; y++)
            for (int32_t x = 0; x < width; x++)
                assert_int_equal(field_count_at(&frame, (size_t)y * (size_t)width + (size_t)x),
                                 (uint32_t)(y / band) % count + 1);
        field_destroy(&frame);
        free(tiles);
    }
    struct tile *none;
    uint32_t count;
    assert_int_equal(tiles_interleaved(&none, &count, 5, 5, 0, 3), STATUS_CONFIG);
    assert_int_equal(tiles_interleaved(&none, &count, 5, 5, 16, 0), STATUS_CONFIG);
    assert_null(none);
}
