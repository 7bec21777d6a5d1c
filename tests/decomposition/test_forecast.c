/* Is the cost of a rectangle what its samples say, and do the tiles that follow from it cover the
 * picture once, dearest first, none too dear? With literals. */
#include "tests/support/check.h"

#include <math.h>
#include <stdlib.h>

#include "decomposition/schedule/forecast.h"

/* 40 x 24 pixels in squares of 16: 3 x 2 samples. */
static const float small[] = {10, 100, 1, 0, 50, 1000};

static struct forecast small_forecast(void)
{
    struct forecast forecast;
    assert_int_equal(forecast_open(&forecast, 40, 24, 16, small), STATUS_OK);
    return forecast;
}

TEST(a_rectangle_costs_what_its_samples_say)
{
    static const struct {
        int32_t x, y, width, height;
        double cost;
    } rows[] = {
        {0, 0, 16, 16, 256 * 10},
        {16, 0, 16, 16, 256 * 100},
        {0, 0, 32, 16, 256 * 110},
        {0, 16, 16, 8, 128}, /* a sample of 0 counts as 1: no pixel is free */
        {32, 16, 8, 8, 64 * 1000},
        {8, 0, 16, 16, 128 * 10 + 128 * 100}, /* squares that are cut count by area */
        {12, 12, 8, 8, 16 * (10 + 100 + 1 + 50)},
        {39, 23, 1, 1, 1000},
        {0, 0, 40, 24, 256 * 110 + 128 + 128 + 128 * 50 + 64 * 1000},
    };
    struct forecast forecast = small_forecast();
    assert_int_equal(forecast.columns, 3);
    assert_int_equal(forecast.rows, 2);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) /* 1e-9: roundings of sums of 1e5 */
        assert_true(
            fabs(forecast_of(&forecast, rows[i].x, rows[i].y, rows[i].width, rows[i].height) -
                 rows[i].cost) < 1e-9 * 1e5);
    forecast_close(&forecast);
    forecast_close(&forecast);
}

/* Two that escaped after 7 and 20 steps; 127 iterations in all: 100 for the two that did not. */
TEST(pixels_that_did_not_escape_share_the_rest)
{
    uint32_t counts[] = {7, 0, 0, 20};
    struct field field;
    float cost[5] = {-1, -1, -1, -1, -1};
    field_over(&field, 2, 2, PLANE_MASK_COUNT, 4, counts);
    forecast_costs(&field, 127, cost, 3);
    assert_true(cost[0] == 7 && cost[1] == 50 && cost[2] == -1 && cost[3] == 50 && cost[4] == 20);
    forecast_costs(&field, 27, cost, 3); /* all proven interior */
    assert_true(cost[0] == 7 && cost[1] == 0 && cost[3] == 0 && cost[4] == 20);
}

TEST(a_careful_forecast_looks_at_the_neighbours)
{
    static const float cost[] = {0, 0, 100, 0, 1000, /**/ 0, 0, 0, 0, 0};
    static const float careful[] = {0, 30, 130, 300, 1300, /**/ 0, 30, 30, 300, 300};
    float got[10];
    forecast_careful(cost, 5, 2, got);
    for (int i = 0; i < 10; i++) /* 1e-3: 0.3 is no float */
        assert_true(fabsf(got[i] - careful[i]) < 1e-3F);
}

static struct tile tile_of(const int32_t *of)
{
    return (struct tile){.x = of[0], .y = of[1], .width = of[2], .height = of[3]};
}

TEST(a_tile_is_halved_across_its_longer_side)
{
    static const struct {
        int32_t tile[4], half[2][4]; /* x, y, width, height */
        bool splits;
    } rows[] = {
        {{0, 0, 64, 64}, {{0, 0, 32, 64}, {32, 0, 32, 64}}, true},
        {{32, 0, 32, 64}, {{32, 0, 32, 32}, {32, 32, 32, 32}}, true},
        {{0, 1024, 64, 56}, {{0, 1024, 32, 56}, {32, 1024, 32, 56}}, true},
        {{16, 1056, 16, 24}, {{16, 1056, 16, 16}, {16, 1072, 16, 8}}, true},
        {{0, 0, 17, 3}, {{0, 0, 16, 3}, {16, 0, 1, 3}}, true},
        {{0, 0, 16, 16}, {{0}}, false},
        {{0, 0, 1, 8}, {{0}}, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tile tile = tile_of(rows[i].tile), half[2];
        assert_int_equal(forecast_split(&tile, 16, half), rows[i].splits);
        for (int h = 0; rows[i].splits && h < 2; h++) {
            struct tile wanted = tile_of(rows[i].half[h]);
            assert_memory_equal(&half[h], &wanted, sizeof wanted);
        }
    }
}

/* A picture like the set's: almost free, and a border where pixels cost up to 50,000. */
static void make_picture(float *cost, int32_t columns, int32_t rows, uint64_t seed)
{
    for (int32_t i = 0; i < columns * rows; i++) {
        double u = check_random_unit(&seed);
        cost[i] = u < 0.01 ? 50000 : u < 0.1 ? 2000 : 20;
    }
}

static void expect_cover(const struct forecast *forecast, const struct tile *tiles, uint32_t count)
{
    uint8_t *seen = calloc((size_t)forecast->width, (size_t)forecast->height);
    assert_non_null(seen);
    for (uint32_t i = 0; i < count; i++)
        for (int32_t y = 0; y < tiles[i].height; y++)
            for (int32_t x = 0; x < tiles[i].width; x++)
                seen[(size_t)(tiles[i].y + y) * (size_t)forecast->width +
                     (size_t)(tiles[i].x + x)]++;
    for (size_t i = 0; i < (size_t)forecast->width * (size_t)forecast->height; i++)
        assert_int_equal(seen[i], 1);
    free(seen);
}

TEST(tiles_cover_the_picture_and_none_is_too_dear)
{
    static const struct {
        int32_t width, height;
        uint32_t threads;
    } rows[] = {{1, 1, 1},     {17, 3, 4},     {500, 281, 1},
                {500, 281, 7}, {500, 281, 64}, {64, 700, 999}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int32_t columns = forecast_samples(rows[i].width, 16);
        int32_t lines = forecast_samples(rows[i].height, 16);
        float *cost = calloc((size_t)columns * (size_t)lines, sizeof *cost);
        assert_non_null(cost);
        make_picture(cost, columns, lines, i + 1);
        struct forecast forecast;
        assert_int_equal(forecast_open(&forecast, rows[i].width, rows[i].height, 16, cost),
                         STATUS_OK);
        struct forecast_limits limits = {rows[i].threads, 3000, 0, 128, 16};
        struct tile *tiles;
        float *costs;
        uint32_t count;
        assert_int_equal(forecast_cut(&forecast, &limits, &tiles, &costs, &count), STATUS_OK);
        expect_cover(&forecast, tiles, count);
        double left = forecast_of(&forecast, 0, 0, rows[i].width, rows[i].height);
        for (uint32_t t = 0; t < count; t++) {
            assert_true(t == 0 || costs[t] <= costs[t - 1]);
            assert_true(tiles[t].width <= 128 && tiles[t].height <= 128);
            /* 1 + 1e-5: costs are kept as floats. */
            bool small_enough = costs[t] <= (1 + 1e-5) * fmax(3000, left / (3.0 * rows[i].threads));
            assert_true(small_enough || (tiles[t].width <= 16 && tiles[t].height <= 16));
            left -= costs[t];
        }
        free(tiles);
        free(costs);
        free(cost);
        forecast_close(&forecast);
    }
}

TEST(the_dear_corner_is_cut_up_and_goes_first)
{
    float cost[16 * 16];
    for (int i = 0; i < 256; i++)
        cost[i] = 1;
    cost[5 * 16 + 3] = 10000;
    struct forecast forecast;
    assert_int_equal(forecast_open(&forecast, 256, 256, 16, cost), STATUS_OK);
    struct forecast_limits limits = {2, 1, 0, 128, 16};
    struct tile *tiles;
    float *costs;
    uint32_t count;
    assert_int_equal(forecast_cut(&forecast, &limits, &tiles, &costs, &count), STATUS_OK);
    assert_int_equal(tiles[0].x, 48);
    assert_int_equal(tiles[0].y, 80);
    assert_int_equal(tiles[0].width, 16);
    assert_int_equal(tiles[0].height, 16);
    assert_true(costs[0] == 2560000);
    free(tiles);
    free(costs);
    forecast_close(&forecast);
}

/* 256 x 256 pixels of 1000 iterations each, 2,000 iterations' time of rank 0 for a tile. */
TEST(rank_0_is_not_given_more_than_it_can_tell)
{
    static const struct {
        uint32_t threads;
        double least; /* threads x 2000, but no more than sqrt(65,536,000 x 2000) */
    } rows[] = {{8, 16000}, {100, 200000}, {1000, 362000}, {100000, 362000}};
    float cost[16 * 16];
    for (int i = 0; i < 256; i++)
        cost[i] = 1000;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct forecast forecast;
        assert_int_equal(forecast_open(&forecast, 256, 256, 16, cost), STATUS_OK);
        struct forecast_limits limits = {rows[i].threads, 0, 2000, 128, 2};
        struct tile *tiles;
        float *costs;
        uint32_t count;
        assert_int_equal(forecast_cut(&forecast, &limits, &tiles, &costs, &count), STATUS_OK);
        assert_true(costs[count - 1] >= rows[i].least / 2); /* halves of what is too dear */
        assert_true(costs[count - 1] <= rows[i].least);
        free(tiles);
        free(costs);
        forecast_close(&forecast);
    }
}
