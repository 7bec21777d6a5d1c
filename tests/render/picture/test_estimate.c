/* Which windows of a picture are sampled, what is made of their times, and how it is said. Times
 * are played. */
#include "tests/support/check.h"

#include <math.h>
#include <string.h>

#include "render/picture/estimate.h"

/* Plays windows, each of which takes `seconds_px` a pixel times what its place costs. */
static double play(struct estimate *estimate, double seconds_px, bool uneven, double *now)
{
    double most_x = 0, most_y = 0;
    for (;;) {
        struct estimate_window window = estimate_next(estimate, *now);
        if (!window.side)
            return most_x / estimate->width * most_y / estimate->height;
        assert_true(window.x >= 0 && window.y >= 0 && window.x % 16 == 0 && window.y % 16 == 0);
        assert_true(window.x == 0 || window.x + window.side <= estimate->width);
        assert_true(window.y == 0 || window.y + window.side <= estimate->height);
        double part = (double)window.x / estimate->width;
        double seconds = seconds_px * window.side * window.side * (uneven ? 2 * part : 1);
        most_x = fmax(most_x, window.x);
        most_y = fmax(most_y, window.y);
        *now += seconds;
        estimate_note(estimate, seconds);
    }
}

TEST(windows_are_everywhere_and_take_their_time)
{
    double now = 100;
    struct estimate estimate = {.budget_s = 1, .width = 20000, .height = 10000, .side = 64};
    double reach = play(&estimate, 2e-6, true, &now);
    assert_true(reach > 0.8);
    assert_true(now > 100.5 && now < 101.5);
    double mean = estimate.sum_s / estimate.windows / estimate.side / estimate.side;
    assert_true(fabs(mean / 2e-6 - 1) < 0.1); /* the sequence is even */
}

TEST(quick_windows_grow_and_small_pictures_are_done_soon)
{
    double now = 0;
    struct estimate quick = {.budget_s = 1, .width = 100000, .height = 100000, .side = 64};
    play(&quick, 1e-8, false, &now);
    assert_true(quick.side >= 512 && now < 0.5); /* all are alike, so a few say it */
    struct estimate small = {.budget_s = 1, .width = 40, .height = 30, .side = 64};
    now = 0;
    play(&small, 1e-6, false, &now);
    assert_int_equal(small.windows, 1);
}

TEST(a_window_beyond_the_budget_is_the_last)
{
    double now = 0;
    struct estimate estimate = {.budget_s = 1, .width = 1000, .height = 1000, .side = 64};
    play(&estimate, 1, false, &now);
    assert_int_equal(estimate.windows, 1);
}

TEST(a_question_of_more_or_less_takes_few_windows)
{
    static const struct {
        double seconds_px;
        int most;
    } cases[] = {{1e-6, 2}, {1e-10, 4}}; /* longer and shorter than a second by much */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double now = 0;
        struct estimate estimate = {
            .budget_s = 10, .enough_s = 1, .width = 20000, .height = 10000, .side = 64};
        play(&estimate, cases[i].seconds_px, true, &now);
        double picture_s = estimate_picture_s(&estimate);
        assert_true((picture_s > 1) == (cases[i].seconds_px * 2e8 > 1));
        assert_true(estimate.windows <= cases[i].most);
    }
}

TEST(more_devices_get_larger_windows)
{
    assert_int_equal(estimate_side(1, 1), 64);
    assert_true(estimate_side(128, 1) >= 512);
    assert_true(estimate_side(1, 1024) >= 1024);
    assert_true(estimate_side(100000, 1024) <= 4096);
}

int main(void)
{
    return check_run(NULL, NULL);
}
