/* The ladder of the viewer: every sample once, coarse before fine, near before far; and lattices
 * with the very c of the whole picture's pixels. */
#include "tests/support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/escape/pixel.h"
#include "render/live/ladder.h"
#include "render/samples.h"
#include "render/view.h"

static void assert_same_c(const struct grid *whole, const struct lattice *lattice)
{
    struct grid grid = lattice_grid(whole, lattice, 0);
    for (int32_t j = 0; j < lattice->height; j++)
        for (int32_t i = 0; i < lattice->width; i++) {
            double got[2], wanted[2];
            pixel_c(&grid, i, j, &got[0], &got[1]);
            pixel_c(whole, lattice->x + i * lattice->stride, lattice->y + j * lattice->stride,
                    &wanted[0], &wanted[1]);
            assert_memory_equal(got, wanted, sizeof got);
        }
}

static void lattices_have_the_c_of_the_whole_grid(void **state)
{
    (void)state;
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
            struct piece piece = {8, 16, 45, 23, 8, 1, 0};
            struct lattice lattice[LATTICES_MOST];
            int count = piece_lattices(&piece, lattice);
            assert_int_equal(count, 9);
            for (int i = 0; i < count; i++)
                assert_same_c(&whole, &lattice[i]);
            view_destroy(&view);
        }
}

static void a_sample_has_the_point_that_rendering_gives_it(void **state)
{
    (void)state;
    struct grid whole = {.step_re = 1, .half_width = 50, .half_height = 30};
    struct lattice lattice = {.x = 8, .y = 16, .stride = 1, .width = 4, .height = 4};
    for (int sample = 0; sample < SAMPLES_MOST; sample++) {
        struct grid grid = lattice_grid(&whole, &lattice, sample), moved = whole;
        double re, im, moved_re, moved_im;
        sample_move(&moved, sample);
        pixel_c(&grid, 1, 2, &re, &im);
        pixel_c(&moved, 9, 18, &moved_re, &moved_im);
        assert_true(re == moved_re && im == moved_im);
    }
}

/* ---- the climb ------------------------------------------------------------------------------- */

/* How often each pixel was computed. */
static void piece_mark(uint8_t *times, int32_t width, const struct piece *piece)
{
    struct lattice lattice[LATTICES_MOST];
    for (int l = piece_lattices(piece, lattice) - 1; l >= 0; l--)
        for (int32_t j = 0; j < lattice[l].height; j++)
            for (int32_t i = 0; i < lattice[l].width; i++)
                times[(size_t)(lattice[l].y + j * lattice[l].stride) * (size_t)width +
                      (size_t)(lattice[l].x + i * lattice[l].stride)]++;
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

static double piece_cost(const struct piece *piece)
{
    struct lattice lattice[LATTICES_MOST];
    double cost = 0;
    for (int l = piece_lattices(piece, lattice) - 1; l >= 0; l--)
        for (int32_t j = 0; j < lattice[l].height; j++)
            for (int32_t i = 0; i < lattice[l].width; i++)
                cost += sample_cost(lattice[l].x + i * lattice[l].stride,
                                    lattice[l].y + j * lattice[l].stride);
    return cost;
}

enum { WORKERS_MOST = 64 };

/* loses: every so many-th piece is lost and comes back. */
static struct played climb(struct ladder *ladder, int workers, int loses, uint8_t *times)
{
    struct played played = {0};
    struct ladder_deal deal[WORKERS_MOST];
    double end[WORKERS_MOST];
    bool busy[WORKERS_MOST] = {false};
    for (int out = 0;;) {
        for (int w = 0; w < workers; w++)
            if (!busy[w] && ladder_next(ladder, &deal[w])) {
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
            ladder_back(ladder, &deal[first]);
            continue;
        }
        double cost = piece_cost(&deal[first].piece);
        ladder_home(ladder, &deal[first], cost);
        played.work += cost;
        piece_mark(times, ladder->width, &deal[first].piece);
        if (played.covered_s == 0 && ladder_stride(ladder))
            played.covered_s = played.seconds;
    }
    return played;
}

static void assert_each_once(const uint8_t *times, size_t pixels)
{
    for (size_t i = 0; i < pixels; i++)
        assert_int_equal(times[i], 1);
}

static void every_pixel_is_computed_exactly_once(void **state)
{
    (void)state;
    static const int32_t sizes[][3] = {
        {61, 40, 32}, {1, 1, 128}, {129, 127, 128}, {640, 9, 64}, {1000, 601, 128}};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (int workers = 1; workers <= WORKERS_MOST; workers = workers * 3 + 1) {
            struct ladder ladder;
            size_t pixels = (size_t)sizes[s][0] * (size_t)sizes[s][1];
            uint8_t *times = calloc(pixels, 1);
            assert_int_equal(ladder_open(&ladder, sizes[s][0], sizes[s][1], sizes[s][2]),
                             STATUS_OK);
            ladder.split_s = 0.001;
            climb(&ladder, workers, workers == 4 ? 3 : 0, times);
            assert_each_once(times, pixels);
            assert_true(ladder_done(&ladder));
            assert_int_equal(ladder_stride(&ladder), 1);
            assert_int_equal(ladder.samples_home, pixels);
            assert_int_equal(ladder.samples_all, pixels);
            ladder_close(&ladder);
            free(times);
        }
}

static void a_climb_goes_on_where_it_stopped_and_may_jump(void **state)
{
    (void)state;
    struct ladder ladder;
    uint8_t *times = calloc(300 * 200, 1);
    assert_int_equal(ladder_open(&ladder, 300, 200, 64), STATUS_OK);
    ladder_begin(&ladder, 8, 2);
    climb(&ladder, 3, 0, times);
    assert_int_equal(ladder_stride(&ladder), 2);
    assert_int_equal(ladder.samples_home, 150 * 100);
    ladder_extend(&ladder, 1);
    assert_false(ladder_done(&ladder));
    climb(&ladder, 3, 0, times);
    assert_each_once(times, 300 * 200);
    memset(times, 0, 300 * 200);
    ladder_begin(&ladder, 8, 1);
    struct ladder_deal deal;
    assert_true(ladder_next(&ladder, &deal)); /* one cell goes the long way */
    ladder_home(&ladder, &deal, 1e-3);
    piece_mark(times, 300, &deal.piece);
    ladder.jump = true;
    struct played played = climb(&ladder, 3, 0, times);
    assert_each_once(times, 300 * 200);
    assert_true(played.seconds > 0);
    ladder_close(&ladder);
    free(times);
}

/* As for GPUs: rows of cells, and no sample is missing. */
static void rows_are_dealt_as_one(void **state)
{
    (void)state;
    struct ladder ladder;
    struct ladder_deal deal;
    size_t pixels = 1920 * 1080;
    uint8_t *times = calloc(pixels, 1);
    assert_int_equal(ladder_open(&ladder, 1920, 1080, 512), STATUS_OK);
    ladder.row_s = 1;
    ladder.wave = 100000;
    ladder.split_s = 0.01;
    for (int i = 0; i < 3; i++) { /* coarse: three rows, the second is lost once */
        assert_true(ladder_next(&ladder, &deal));
        assert_int_equal(deal.cells, 4);
        assert_int_equal(deal.piece.width, 1920);
        if (i == 1) {
            ladder_back(&ladder, &deal);
            assert_true(ladder_next(&ladder, &deal));
        }
        ladder_home(&ladder, &deal, 100e-6);
    }
    assert_int_equal(ladder_stride(&ladder), 8);
    assert_true(fabs(ladder_sample_s(&ladder) - 1e-9) < 1e-15); /* a wave's cost, not a sample's */
    ladder.jump = true;
    for (int i = 0; i < 3; i++) {
        assert_true(ladder_next(&ladder, &deal));
        assert_int_equal(deal.piece.from, 0);
        ladder_home(&ladder, &deal, 500e-6);
        piece_mark(times, 1920, &deal.piece);
    }
    assert_false(ladder_next(&ladder, &deal));
    assert_true(ladder_done(&ladder));
    assert_int_equal(ladder.samples_home, pixels);
    assert_each_once(times, pixels);
    memset(times, 0, pixels);
    ladder_begin(&ladder, 8, 1); /* a dear spot: its row goes by cells and parts */
    climb(&ladder, 3, 5, times);
    assert_each_once(times, pixels);
    assert_int_equal(ladder.samples_home, pixels);
    ladder_close(&ladder);
    free(times);
}

/* As for cores: a row must be known to be cheap. */
static void cheap_rows_are_dealt_as_one(void **state)
{
    (void)state;
    const double cost[] = {0, 1e-9, 1e-6}; /* of a sample; 0: not known */
    for (int i = 0; i < 3; i++) {
        struct ladder ladder;
        struct ladder_deal deal;
        assert_int_equal(ladder_open(&ladder, 1920, 1080, 128), STATUS_OK);
        ladder.row_s = 1e-3;
        ladder.sample_s = cost[i];
        assert_true(ladder_next(&ladder, &deal));
        assert_int_equal(deal.cells, cost[i] == 1e-9 ? 15 : 1);
        ladder_close(&ladder);
    }
}

static void coarse_comes_before_fine_and_near_before_far(void **state)
{
    (void)state;
    struct ladder ladder;
    struct ladder_deal deal;
    assert_int_equal(ladder_open(&ladder, 1920, 1080, 128), STATUS_OK);
    ladder_point(&ladder, 100, 1000);
    int32_t ring = 0;
    int to = 8;
    for (int64_t n = 0; ladder_next(&ladder, &deal); n++) {
        if (n == 0)
            assert_true(deal.piece.x <= 100 && deal.piece.y <= 1000 && deal.piece.y > 700);
        assert_true(deal.piece.to <= to);
        if (deal.piece.to < to)
            ring = 0;
        to = deal.piece.to;
        assert_true(ladder.cell[deal.cell].ring >= ring);
        ring = ladder.cell[deal.cell].ring;
        ladder_home(&ladder, &deal, 1e-6);
    }
    assert_int_equal(to, 1);
    ladder_close(&ladder);
}

/* 32 workers on a picture with one dear spot: split cells keep them busy. The bound is what a list
 * schedule of parts of split_s comes to. */
static void dear_cells_are_split(void **state)
{
    (void)state;
    struct ladder ladder;
    size_t pixels = 1024 * 768;
    uint8_t *times = calloc(pixels, 1);
    assert_int_equal(ladder_open(&ladder, 1024, 768, 128), STATUS_OK);
    struct played whole = climb(&ladder, 32, 0, times);
    memset(times, 0, pixels);
    ladder_begin(&ladder, 8, 1);
    ladder.split_s = 0.004;
    struct played split = climb(&ladder, 32, 0, times);
    assert_each_once(times, pixels);
    assert_true(fabs(split.work - whole.work) < 1e-9 * whole.work);
    double efficiency = split.work / (32 * split.seconds);
    if (!(efficiency > 0.6 && split.seconds < 0.5 * whole.seconds))
        fail_msg("efficiency %.2f, whole cells %.2f", efficiency,
                 whole.work / (32 * whole.seconds));
    assert_true(split.covered_s < 0.1 * split.seconds);
    ladder_close(&ladder);
    free(times);
}

static void what_is_left_is_predicted(void **state)
{
    (void)state;
    struct ladder ladder;
    uint8_t *times = calloc(512 * 512, 1);
    assert_int_equal(ladder_open(&ladder, 512, 512, 128), STATUS_OK);
    assert_true(ladder_left_s(&ladder) < 0);
    ladder_begin(&ladder, 8, 8);
    climb(&ladder, 1, 0, times);
    ladder_extend(&ladder, 1);
    double left = 1e-6 * (512 * 512 - 64 * 64);
    assert_true(fabs(ladder_left_s(&ladder) - left) < 0.01 * left ||
                ladder_left_s(&ladder) > left); /* dear pixels at the edge count as seen */
    assert_true(ladder_sample_s(&ladder) >= 0.99e-6);
    ladder_close(&ladder);
    free(times);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lattices_have_the_c_of_the_whole_grid),
        cmocka_unit_test(a_sample_has_the_point_that_rendering_gives_it),
        cmocka_unit_test(every_pixel_is_computed_exactly_once),
        cmocka_unit_test(a_climb_goes_on_where_it_stopped_and_may_jump),
        cmocka_unit_test(rows_are_dealt_as_one),
        cmocka_unit_test(cheap_rows_are_dealt_as_one),
        cmocka_unit_test(coarse_comes_before_fine_and_near_before_far),
        cmocka_unit_test(dear_cells_are_split),
        cmocka_unit_test(what_is_left_is_predicted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
