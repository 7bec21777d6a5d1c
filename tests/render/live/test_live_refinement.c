/* The refinement of the viewer: every sample once, coarse before fine, near before far; and
 * subgrids with the very c of the pixels of the whole picture, or of a part of it. */
#include "tests/support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/escape/pixel.h"
#include "render/colour/samples.h"
#include "render/live/refinement.h"
#include "render/view/view.h"

static void assert_same_c(const struct grid *whole, const struct subgrid *subgrid)
{
    struct grid grid = subgrid_grid(whole, subgrid, 0);
    for (int32_t j = 0; j < subgrid->height; j++)
        for (int32_t i = 0; i < subgrid->width; i++) {
            double got[2], wanted[2];
            pixel_c(&grid, i, j, &got[0], &got[1]);
            pixel_c(whole, whole->x + subgrid->x + i * subgrid->stride,
                    whole->y + subgrid->y + j * subgrid->stride, &wanted[0], &wanted[1]);
            assert_memory_equal(got, wanted, sizeof got);
        }
}

TEST(subgrids_have_the_c_of_the_whole_grid)
{
    static const char *const zooms[] = {"0.3", "1", "777.7", "1e13", "1e290"};
    static const int32_t sizes[][2] = {{61, 40}, {1920, 1080}, {333, 777}};
    for (size_t z = 0; z < sizeof zooms / sizeof zooms[0]; z++)
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            struct view view = {0};
            struct view_numbers numbers;
            assert_int_equal(view_set(&view, "-0.74364990", "0.131825904205330", zooms[z], 31.7,
                                      sizes[s][0], sizes[s][1]),
                             STATUS_OK);
            assert_int_equal(view_numbers(&view, &numbers), STATUS_OK);
            struct grid whole = view_grid(&numbers, 0, 0, sizes[s][0], sizes[s][1]);
            struct work_piece piece = {
                .x = 8, .y = 16, .width = 45, .height = 23, .from = 8, .to = 1};
            struct subgrid subgrid[SUBGRIDS_MOST];
            int count = work_piece_subgrids(&piece, subgrid);
            assert_int_equal(count, 9);
            struct grid part = view_grid(&numbers, 1003, 801, sizes[s][0], sizes[s][1]);
            for (int i = 0; i < count; i++) {
                assert_same_c(&whole, &subgrid[i]);
                assert_same_c(&part, &subgrid[i]);
            }
            view_destroy(&view);
        }
}

TEST(a_sample_has_the_point_that_rendering_gives_it)
{
    struct grid whole = {.step_re = 1, .down_y = 1, .half_width = 50, .half_height = 30};
    struct subgrid subgrid = {.x = 8, .y = 16, .stride = 1, .width = 4, .height = 4};
    for (int sample = 0; sample < SAMPLES_MOST; sample++) {
        struct grid grid = subgrid_grid(&whole, &subgrid, sample), moved = whole;
        double re, im, moved_re, moved_im;
        sample_move(&moved, sample);
        pixel_c(&grid, 1, 2, &re, &im);
        pixel_c(&moved, 9, 18, &moved_re, &moved_im);
        assert_true(re == moved_re && im == moved_im);
    }
}

/* ---- the pass ------------------------------------------------------------------------------- */

/* How often each pixel was computed. */
static void piece_mark(uint8_t *times, int32_t width, const struct work_piece *piece)
{
    struct subgrid subgrid[SUBGRIDS_MOST];
    for (int l = work_piece_subgrids(piece, subgrid) - 1; l >= 0; l--)
        for (int32_t j = 0; j < subgrid[l].height; j++)
            for (int32_t i = 0; i < subgrid[l].width; i++)
                times[(size_t)(subgrid[l].y + j * subgrid[l].stride) * (size_t)width +
                      (size_t)(subgrid[l].x + i * subgrid[l].stride)]++;
}

/* Virtual time: workers that take cost(x, y) for a sample, each with one piece at a time. */
struct played {
    double seconds, work;
    int64_t deals;
    double covered_s; /* when every cell had samples */
};

static double sample_cost(int32_t x, int32_t y)
{
    return x > 500 && x < 560 && y > 200 && y < 280 ? 60e-6 : 1e-6;
}

static double piece_cost(const struct work_piece *piece)
{
    struct subgrid subgrid[SUBGRIDS_MOST];
    double cost = 0;
    for (int l = work_piece_subgrids(piece, subgrid) - 1; l >= 0; l--)
        for (int32_t j = 0; j < subgrid[l].height; j++)
            for (int32_t i = 0; i < subgrid[l].width; i++)
                cost += sample_cost(subgrid[l].x + i * subgrid[l].stride,
                                    subgrid[l].y + j * subgrid[l].stride);
    return cost;
}

enum { WORKERS_MOST = 64 };

/* loses: every so many-th piece is lost and comes back. */
static struct played pass_start(struct refinement *refinement, int workers, int loses,
                                uint8_t *times)
{
    struct played played = {0};
    struct refinement_deal deal[WORKERS_MOST];
    double end[WORKERS_MOST];
    bool busy[WORKERS_MOST] = {false};
    for (int out = 0;;) {
        for (int w = 0; w < workers; w++)
            if (!busy[w] && refinement_next(refinement, &deal[w])) {
                busy[w] = true;
                end[w] = played.seconds + piece_cost(&deal[w].piece);
                out++;
            }
        if (!out)
            break;
        int first = -1;
        for (int w = 0; w < workers; w++)
            if (busy[w] && (first < 0 || end[w] < end[first]))
                first = w;
        played.seconds = end[first];
        busy[first] = false;
        out--;
        if (loses && ++played.deals % loses == 0) {
            refinement_back(refinement, &deal[first]);
            continue;
        }
        double cost = piece_cost(&deal[first].piece);
        refinement_arrived(refinement, &deal[first], cost);
        played.work += cost;
        piece_mark(times, refinement->width, &deal[first].piece);
        if (played.covered_s == 0 && refinement_stride(refinement))
            played.covered_s = played.seconds;
    }
    return played;
}

static void assert_each_once(const uint8_t *times, size_t pixels)
{
    for (size_t i = 0; i < pixels; i++)
        assert_int_equal(times[i], 1);
}

TEST(every_pixel_is_computed_exactly_once)
{
    static const int32_t sizes[][3] = {
        {61, 40, 32}, {1, 1, 128}, {129, 127, 128}, {640, 9, 64}, {1000, 601, 128}};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (int workers = 1; workers <= WORKERS_MOST; workers = workers * 3 + 1) {
            struct refinement refinement;
            size_t pixels = (size_t)sizes[s][0] * (size_t)sizes[s][1];
            uint8_t *times = calloc(pixels, 1);
            assert_int_equal(refinement_open(&refinement, sizes[s][0], sizes[s][1], sizes[s][2]),
                             STATUS_OK);
            refinement.split_s = 0.001;
            pass_start(&refinement, workers, workers == 4 ? 3 : 0, times);
            assert_each_once(times, pixels);
            assert_true(refinement_done(&refinement));
            assert_int_equal(refinement_stride(&refinement), 1);
            assert_int_equal(refinement.samples_done, pixels);
            assert_int_equal(refinement.samples_all, pixels);
            refinement_close(&refinement);
            free(times);
        }
}

TEST(a_climb_goes_on_where_it_stopped_and_may_jump)
{
    struct refinement refinement;
    uint8_t *times = calloc(300 * 200, 1);
    assert_int_equal(refinement_open(&refinement, 300, 200, 64), STATUS_OK);
    refinement_begin(&refinement, 8, 2);
    pass_start(&refinement, 3, 0, times);
    assert_int_equal(refinement_stride(&refinement), 2);
    assert_int_equal(refinement.samples_done, 150 * 100);
    refinement_extend(&refinement, 1);
    assert_false(refinement_done(&refinement));
    pass_start(&refinement, 3, 0, times);
    assert_each_once(times, 300 * 200);
    memset(times, 0, 300 * 200);
    refinement_begin(&refinement, 8, 1);
    struct refinement_deal deal;
    assert_true(refinement_next(&refinement, &deal)); /* one cell goes the long way */
    refinement_arrived(&refinement, &deal, 1e-3);
    piece_mark(times, 300, &deal.piece);
    refinement.jump = true;
    struct played played = pass_start(&refinement, 3, 0, times);
    assert_each_once(times, 300 * 200);
    assert_true(played.seconds > 0);
    refinement_close(&refinement);
    free(times);
}

/* As for GPUs: rows of cells, and no sample is missing. */
TEST(rows_are_dealt_as_one)
{
    struct refinement refinement;
    struct refinement_deal deal;
    size_t pixels = 1920 * 1080;
    uint8_t *times = calloc(pixels, 1);
    assert_int_equal(refinement_open(&refinement, 1920, 1080, 512), STATUS_OK);
    refinement.row_s = 1;
    refinement.wave = 100000;
    refinement.split_s = 0.01;
    for (int i = 0; i < 3; i++) { /* coarse: three rows, the second is lost once */
        assert_true(refinement_next(&refinement, &deal));
        assert_int_equal(deal.cells, 4);
        assert_int_equal(deal.piece.width, 1920);
        if (i == 1) {
            refinement_back(&refinement, &deal);
            assert_true(refinement_next(&refinement, &deal));
        }
        refinement_arrived(&refinement, &deal, 100e-6);
    }
    assert_int_equal(refinement_stride(&refinement), 8);
    assert_true(fabs(refinement_sample_s(&refinement) - 1e-9) <
                1e-15); /* a wave's cost, not a sample's */
    refinement.jump = true;
    for (int i = 0; i < 3; i++) {
        assert_true(refinement_next(&refinement, &deal));
        assert_int_equal(deal.piece.from, 0);
        refinement_arrived(&refinement, &deal, 500e-6);
        piece_mark(times, 1920, &deal.piece);
    }
    assert_false(refinement_next(&refinement, &deal));
    assert_true(refinement_done(&refinement));
    assert_int_equal(refinement.samples_done, pixels);
    assert_each_once(times, pixels);
    memset(times, 0, pixels);
    refinement_begin(&refinement, 8, 1); /* a dear spot: its row goes by cells and parts */
    pass_start(&refinement, 3, 5, times);
    assert_each_once(times, pixels);
    assert_int_equal(refinement.samples_done, pixels);
    refinement_close(&refinement);
    free(times);
}

/* As for cores: a row must be known to be cheap. */
TEST(cheap_rows_are_dealt_as_one)
{
    const double cost[] = {0, 1e-9, 1e-6}; /* of a sample; 0: not known */
    for (int i = 0; i < 3; i++) {
        struct refinement refinement;
        struct refinement_deal deal;
        assert_int_equal(refinement_open(&refinement, 1920, 1080, 128), STATUS_OK);
        refinement.row_s = 1e-3;
        refinement.sample_s = cost[i];
        assert_true(refinement_next(&refinement, &deal));
        assert_int_equal(deal.cells, cost[i] == 1e-9 ? 15 : 1);
        refinement_close(&refinement);
    }
}

TEST(coarse_comes_before_fine_and_near_before_far)
{
    struct refinement refinement;
    struct refinement_deal deal;
    assert_int_equal(refinement_open(&refinement, 1920, 1080, 128), STATUS_OK);
    refinement_point(&refinement, 100, 1000);
    int32_t ring = 0;
    int to = 8;
    for (int64_t n = 0; refinement_next(&refinement, &deal); n++) {
        if (n == 0)
            assert_true(deal.piece.x <= 100 && deal.piece.y <= 1000 && deal.piece.y > 700);
        assert_true(deal.piece.to <= to);
        if (deal.piece.to < to)
            ring = 0;
        to = deal.piece.to;
        assert_true(refinement.cell[deal.cell].ring >= ring);
        ring = refinement.cell[deal.cell].ring;
        refinement_arrived(&refinement, &deal, 1e-6);
    }
    assert_int_equal(to, 1);
    refinement_close(&refinement);
}

/* 32 workers on a picture with one dear spot: split cells keep them busy. The bound is what a list
 * schedule of parts of split_s comes to. */
TEST(dear_cells_are_split)
{
    struct refinement refinement;
    size_t pixels = 1024 * 768;
    uint8_t *times = calloc(pixels, 1);
    assert_int_equal(refinement_open(&refinement, 1024, 768, 128), STATUS_OK);
    struct played whole = pass_start(&refinement, 32, 0, times);
    memset(times, 0, pixels);
    refinement_begin(&refinement, 8, 1);
    refinement.split_s = 0.004;
    struct played split = pass_start(&refinement, 32, 0, times);
    assert_each_once(times, pixels);
    assert_true(fabs(split.work - whole.work) < 1e-9 * whole.work);
    double efficiency = split.work / (32 * split.seconds);
    if (!(efficiency > 0.6 && split.seconds < 0.5 * whole.seconds))
        fail_msg("efficiency %.2f, whole cells %.2f", efficiency,
                 whole.work / (32 * whole.seconds));
    assert_true(split.covered_s < 0.1 * split.seconds);
    refinement_close(&refinement);
    free(times);
}

TEST(what_is_left_is_predicted)
{
    struct refinement refinement;
    uint8_t *times = calloc(512 * 512, 1);
    assert_int_equal(refinement_open(&refinement, 512, 512, 128), STATUS_OK);
    assert_true(refinement_left_s(&refinement) < 0);
    refinement_begin(&refinement, 8, 8);
    pass_start(&refinement, 1, 0, times);
    refinement_extend(&refinement, 1);
    double left = 1e-6 * (512 * 512 - 64 * 64);
    assert_true(fabs(refinement_left_s(&refinement) - left) < 0.01 * left ||
                refinement_left_s(&refinement) > left); /* dear pixels at the edge count as seen */
    assert_true(refinement_sample_s(&refinement) >= 0.99e-6);
    refinement_close(&refinement);
    free(times);
}
